"""The choice of a route by a table, and what each route never builds."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import subspace_angles

from likewise import Constraints, Costco
from likewise.forms import Form, laplacian, ridge, total_scatter, within_scatter
from likewise.graphs import RowMatrix
from likewise.pencil import Pencil, Route, choose_route, solve_pencil

DENSE, ROWS, FREE = Route.DENSE, Route.ROW_SPACE, Route.MATRIX_FREE


@pytest.mark.parametrize(
    ("n", "f", "r", "ridged", "row_space", "route"),
    [
        # small: whichever matrix is smaller
        (100, 10, 2, False, True, DENSE),
        (100, 100, 2, True, True, DENSE),
        (99, 100, 2, True, True, ROWS),
        (10, 100_000, 2, True, True, ROWS),
        (1_000_000, 2500, 2, True, True, DENSE),
        (2500, 1_000_000, 2, True, True, ROWS),
        # no row space: only the features count
        (10, 2500, 2, False, False, DENSE),
        (10, 2501, 2, True, False, FREE),
        (10, 2501, 2, False, False, DENSE),
        # large and ridged
        (1_000_000, 2501, 2, True, True, FREE),
        (2501, 1_000_000, 2, True, True, FREE),
        (18_828, 60_000, 40, True, True, FREE),
        (1_000_000, 1_000_000, 40, True, True, FREE),
        # a tenth of them asked for, or all
        (5000, 2600, 259, True, True, FREE),
        (5000, 2600, 260, True, True, DENSE),
        (5000, 2000, None, True, True, DENSE),
        (2000, 5000, None, True, True, ROWS),
        # large, no ridge
        (50_000, 20_000, 2, False, True, DENSE),
        (20_000, 50_000, 2, False, True, ROWS),
        (20_000, 50_000, None, False, True, ROWS),
    ],
)
def test_table(n, f, r, ridged, row_space, route):
    assert choose_route(n, f, n_components=r, ridged=ridged, row_space=row_space) is route


@pytest.mark.parametrize(
    ("n", "f", "r", "row_space", "route"),
    [
        (50_000, 2501, 2, True, DENSE),
        (50_000, 8000, 2, True, DENSE),
        (50_000, 8001, 2, True, FREE),
        (8000, 50_000, 2, True, ROWS),
        (8001, 50_000, 2, True, FREE),
        (5000, 8000, 2, False, DENSE),
        (5000, 30_000, 2, False, FREE),
        (50_000, 8001, 900, True, DENSE),
    ],
)
def test_a_denominator_without_low_rank_prefers_full_matrices(n, f, r, row_space, route):
    assert choose_route(n, f, n_components=r, ridged=True, row_space=row_space, low_rank=False) is route


def test_auto_is_the_rule(monkeypatch):
    """Everything that decides goes through the rule, also whether the denominator is easy to invert."""
    asked = []
    monkeypatch.setattr(
        "likewise.pencil._solve.choose_route", lambda *sizes, **allows: asked.append((sizes, allows)) or DENSE
    )
    X = np.random.default_rng(0).normal(size=(60, 5))
    everyone = Pencil(total_scatter(60) + ridge(1.0), Form(RowMatrix.diag(np.ones(60))))
    for pencil in (pencil_of(60, ridge(1.0)), pencil_of(60, ridge(0.0)), everyone):
        solve_pencil(X, pencil, 2)
    allowed = [(kwargs["ridged"], kwargs["low_rank"]) for _, kwargs in asked]
    assert allowed == [(True, True), (False, False), (True, False)]
    assert asked[0][0] == (60, 5)


@pytest.mark.parametrize(
    ("n", "f", "r", "ridged", "row_space", "words"),
    [
        (30_000, 50_000, 2, False, True, "without a ridge would need a 30000×30000 matrix"),
        (50_000, 20_001, 2, False, True, "without a ridge would need a 20001×20001 matrix"),
        (10, 20_001, 2, False, False, "without a ridge would need a 20001×20001 matrix"),
        (30_000, 50_000, None, True, True, "so many directions would need a 30000×30000 matrix"),
        (30_000, 50_000, 3000, True, True, "so many directions would need a 30000×30000 matrix"),
    ],
)
def test_beyond_the_limit(n, f, r, ridged, row_space, words):
    with pytest.raises(ValueError, match=words) as caught:
        choose_route(n, f, n_components=r, ridged=ridged, row_space=row_space)
    assert "TruncatedSVD" in str(caught.value)


def test_routes_are_their_names():
    assert [str(route) for route in Route] == ["dense", "row-space", "matrix-free"]
    assert Route("dense") is DENSE


def peak_megabytes(action):
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        result = action()
        return (tracemalloc.get_traced_memory()[1] - before) / 1e6, result
    finally:
        tracemalloc.stop()


def thin(n, f, seed=0, per_row=4):
    """A few entries a row; the first three features are common, each in its own third of the rows."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), per_row)
    columns = rng.integers(0, f, size=n * per_row)
    columns[::per_row] = np.arange(n) % 3
    X = sparse.csr_array((rng.random(n * per_row), (rows, columns)), shape=(n, f))
    X.sum_duplicates()
    return X


def pencil_of(n, cost):
    pairs = np.arange(20).reshape(10, 2)
    return Pencil(laplacian(RowMatrix.from_pairs(n, pairs, np.ones(10))) + cost, total_scatter(n))


def test_row_space_builds_no_square_of_features_and_keeps_sparse_data_sparse():
    n, f = 120, 20_000  # dense data: 19 MB, f×f: 3.2 GB
    X = thin(n, f)
    costs = ridge(np.linspace(1, 2, f))
    used, found = peak_megabytes(lambda: solve_pencil(X, pencil_of(n, costs), 2, route="row-space"))
    assert found.components.shape == (2, f)
    assert used < 0.5 * n * f * 8 / 1e6


def test_row_space_on_dense_data_builds_no_square_of_features():
    n, f = 40, 4000  # X: 1.3 MB, f×f: 128 MB
    X = np.random.default_rng(0).normal(size=(n, f))
    used, _ = peak_megabytes(lambda: solve_pencil(X, pencil_of(n, ridge(1.0)), 2, route="row-space"))
    assert used < 20


def test_dense_builds_no_square_of_rows_and_keeps_sparse_data_sparse():
    n, f = 20_000, 300  # dense data: 48 MB, n×n: 3.2 GB
    X = thin(n, f)
    used, _ = peak_megabytes(lambda: solve_pencil(X, pencil_of(n, ridge(1.0)), 2, route="dense"))
    assert used < 0.5 * n * f * 8 / 1e6


def test_dense_on_dense_data_builds_no_square_of_rows():
    n, f = 6000, 20  # X: 1 MB, n×n: 288 MB
    X = np.random.default_rng(0).normal(size=(n, f))
    used, _ = peak_megabytes(lambda: solve_pencil(X, pencil_of(n, ridge(1.0)), 2, route="dense"))
    assert used < 20


@pytest.mark.parametrize("woodbury", [4000, 0])
def test_matrix_free_builds_neither(woodbury, monkeypatch):
    monkeypatch.setattr("likewise.pencil._matrix_free.WOODBURY", woodbury)
    n, f = 4000, 8000  # dense data: 256 MB, n×n: 128 MB, f×f: 512 MB
    X = thin(n, f)
    pencil = pencil_of(n, ridge(np.linspace(1, 2, f)))
    used, _ = peak_megabytes(lambda: solve_pencil(X, pencil, 1, route="matrix-free", tol=1e-2))
    assert used < 64


def test_a_projection_of_sparse_data_keeps_it_sparse():
    n, f = 4000, 8000
    X = thin(n, f)
    hints = Constraints(n, must_link=np.arange(40).reshape(20, 2))
    used, fitted = peak_megabytes(lambda: Costco(n_components=1, beta=50.0).fit(X, constraints=hints))
    assert fitted.route_ == "matrix-free"
    assert used < 100


def test_more_digits_than_rounding_leaves_are_a_warning_and_no_other_answer():
    X = np.random.default_rng(0).normal(size=(60, 200))
    pencil = Pencil(within_scatter(np.arange(60) % 4) + ridge(0.5), total_scatter(60))
    exact = solve_pencil(X, pencil, 3, route="dense").components
    with pytest.warns(UserWarning, match="rounding errors prevent tol=1e-14"):
        found = solve_pencil(X, pencil, 3, route="matrix-free", tol=1e-14).components
    assert subspace_angles(exact.T, found.T).max() < 1e-9
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "the matrix-free route")  # some processors can, some cannot
        found = solve_pencil(X, pencil, 3, route="matrix-free", tol=1e-10).components
    assert subspace_angles(exact.T, found.T).max() < 1e-9
