"""All routes give the same directions, on every pencil of the table."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from cases.data import blobs, nested_angle, partial_labels, principal_angle
from cases.pencils import CASES, DATA, labels, routes
from likewise.forms import (
    Form,
    between_scatter,
    centroid_scatter,
    laplacian,
    ridge,
    total_scatter,
    within_scatter,
)
from likewise.graphs import RowMatrix
from likewise.linalg import _davidson as davidson
from likewise.pencil import Pencil, Route, solve_pencil
from likewise.pencil import _matrix_free as matrix_free
from likewise.pencil._condense import condense
from likewise.pencil._direct import TIE, _order_ties

EVERY = pytest.mark.parametrize("name", CASES)
ON_ALL_DATA = pytest.mark.parametrize("data", DATA)
INVARIANT = sorted(set(CASES) - {"centroids against identity", *(n for n in CASES if "degree" in n or "push" in n)})


def agree(found, expected):
    assert nested_angle(found.components, expected.components) < 1e-6
    np.testing.assert_allclose(found.share, expected.share, rtol=1e-6, atol=1e-8)


@EVERY
@ON_ALL_DATA
@pytest.mark.filterwarnings("ignore:n_components=3, but only 2")
def test_routes_agree(name, data, monkeypatch):
    X = DATA[data]
    pencil = CASES[name](X)
    expected = solve_pencil(X, pencil, 3, route="dense")
    assert expected.route is Route.DENSE
    for route in routes(X, pencil):
        # The inverse of the matrix-free route: exact, and by conjugate gradients.
        for woodbury in (4000, 0) if route is Route.MATRIX_FREE else (4000,):
            monkeypatch.setattr(matrix_free, "WOODBURY", woodbury)
            found = solve_pencil(X, pencil, 3, route=route, tol=1e-10)
            assert found.route is route
            agree(found, expected)


@EVERY
@ON_ALL_DATA
def test_direct_routes_agree_on_all_directions(name, data):
    X = DATA[data]
    pencil = CASES[name](X)
    if Route.ROW_SPACE not in routes(X, pencil):
        with pytest.raises(ValueError, match="row-space route needs ridges that are proportional"):
            solve_pencil(X, pencil, route="row-space")
        return
    dense, rows = (solve_pencil(X, pencil, route=route) for route in ("dense", "row-space"))
    assert (dense.rank, dense.n_perfect) == (rows.rank, rows.n_perfect)
    assert len(dense.components) == dense.rank
    agree(rows, dense)


@EVERY
@ON_ALL_DATA
def test_sparse_and_dense_data_agree(name, data):
    X = DATA[data]
    pencil = CASES[name](X)
    other = X.toarray() if sparse.issparse(X) else sparse.csr_array(X)
    found, expected = solve_pencil(other, pencil), solve_pencil(X, pencil)
    assert (found.rank, found.n_perfect) == (expected.rank, expected.n_perfect)
    agree(found, expected)


@EVERY
@ON_ALL_DATA
def test_what_is_found_solves_the_pencil(name, data):
    """The directions are stationary: numerator w = value · denominator w, with nothing left over."""
    X = DATA[data]
    pencil = CASES[name](X)
    found = solve_pencil(X, pencil)
    W = found.components.T
    assert np.isrealobj(W)
    assert np.all(np.isfinite(W))
    N, D = pencil.numerator.matrix(X), pencil.denominator.matrix(X)
    values = np.einsum("ij,ij->j", W, N @ W) / np.einsum("ij,ij->j", W, D @ W)
    assert np.all(np.diff(values) < 1e-7 * np.abs(values).max())
    np.testing.assert_allclose(np.linalg.norm(W, axis=0), 1.0)
    size, frame = linalg.eigh(D)
    seen = frame[:, size > 1e-10 * size[-1]]  # the null space of what is divided by is discarded
    rest = seen.T @ (N @ W - (D @ W) * values)
    assert np.abs(rest).max() < 1e-6 * max(np.abs(N).max(), np.abs(D).max())


@EVERY
@ON_ALL_DATA
@pytest.mark.parametrize("scaling", ["unit", "form", "share"])
def test_scaling(name, data, scaling):
    X = DATA[data]
    pencil = CASES[name](X)
    if scaling == "share" and not pencil.psd:
        with pytest.raises(ValueError, match="needs two positive semi-definite forms; use 'unit' or 'form'"):
            solve_pencil(X, pencil, 2, scaling=scaling)
        return
    found = solve_pencil(X, pencil, 2, scaling=scaling)
    unit = solve_pencil(X, pencil, 2)
    W = found.components.T
    if scaling == "unit":
        np.testing.assert_allclose(np.linalg.norm(W, axis=0), 1.0)
    elif scaling == "form":
        np.testing.assert_allclose(pencil.denominator.value(X, W), 1.0, rtol=1e-6)
    else:
        # The pull is 1, but counts as at least a hundredth of the largest; perfect directions keep their form.
        lengths = pencil.denominator.value(X, unit.components.T)
        relative = pencil.pull.value(X, unit.components.T) / lengths
        relative[relative < 1e-12] = 0.0
        floored = np.maximum(relative, 0.01 * relative.max()) if relative.any() else np.ones(2)
        np.testing.assert_allclose(pencil.denominator.value(X, W), 1 / floored, rtol=1e-5)
    aligned = W / np.linalg.norm(W, axis=0)
    np.testing.assert_allclose(aligned, unit.components.T, atol=1e-9)


@pytest.mark.parametrize("name", INVARIANT)
@pytest.mark.parametrize("data", ["tall", "wide"])
def test_translation_changes_nothing(name, data):
    X = DATA[data]
    pencil = CASES[name](X)  # stated once: neighbors found at 1e6 are found in fewer digits
    assert pencil.is_translation_invariant()
    found, expected = solve_pencil(X + 1e6, pencil, 2), solve_pencil(X, pencil, 2)
    assert nested_angle(found.components, expected.components) < 1e-5
    np.testing.assert_allclose(found.share, expected.share, rtol=1e-5)


def test_translation_changes_nothing_where_only_groups_are_seen():
    """Condensed to group sums, the data no longer shows that its mean did not matter."""
    X, y = blobs(60, 6)
    codes = partial_labels(y, 0.2)
    for pencil in (
        Pencil(within_scatter(codes), between_scatter(codes)),
        Pencil(ridge(1.0), between_scatter(codes)),
    ):
        found, expected = solve_pencil(X + 1e6, pencil, 2), solve_pencil(X, pencil, 2)
        assert nested_angle(found.components, expected.components) < 1e-8


def test_what_is_not_translation_invariant_says_so():
    for name in ("centroids against identity", "neighbors against degree"):
        assert not CASES[name](DATA["tall"]).is_translation_invariant()


@EVERY
@ON_ALL_DATA
@pytest.mark.filterwarnings("ignore:n_components=3, but only 2")
def test_calls_repeat_to_the_bit(name, data):
    X = DATA[data]
    pencil = CASES[name](X)
    for route in routes(X, pencil):
        first, second = (solve_pencil(X, pencil, 3, route=route) for _ in range(2))
        np.testing.assert_array_equal(first.components, second.components)
        np.testing.assert_array_equal(first.share, second.share)
        largest = np.abs(first.components).argmax(axis=1)
        # Entries as good as equal are decided by the first of them.
        lead = [first.components[row, column] for row, column in enumerate(largest)]
        assert all(np.array(lead) > 0) or np.all(np.abs(lead) - first.components.max(axis=1) < 1e-5)


@EVERY
def test_float32_stays_float32(name):
    X = DATA["tall"].astype(np.float32)
    pencil = CASES[name](DATA["tall"])
    found = solve_pencil(X, pencil, 2)
    assert found.components.dtype == np.float32
    expected = solve_pencil(X.astype(float), pencil, 2)
    assert principal_angle(found.components, expected.components) < 1e-6
    assert expected.components.dtype == np.float64


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("cost", [1e-64, 1e-40, 1e40, 1e64])
@pytest.mark.parametrize("shape", [(60, 12), (12, 60)])
def test_ridges_beyond_single_precision(kind, cost, shape):
    X = kind(blobs(*shape)[0].astype(np.float32))
    pencil = Pencil(ridge(cost), total_scatter(shape[0]))
    found = solve_pencil(X, pencil, 2, route="matrix-free")
    assert nested_angle(found.components, solve_pencil(X, pencil, 2, route="dense").components) < 1e-6


def test_a_ridge_beyond_single_precision_on_the_only_feature_that_varies():
    X = np.zeros((30, 2), dtype=np.float32)
    X[:, 1] = np.arange(30)
    pencil = Pencil(ridge(np.array([1.0, 1e22])), total_scatter(30))
    np.testing.assert_allclose(solve_pencil(X, pencil, 1, route="matrix-free").components, [[0, 1]], atol=1e-3)


def test_single_precision_is_asked_for_no_more_than_it_has():
    X = np.random.default_rng(0).normal(size=(200, 150)).astype(np.float32)
    pencil = Pencil(within_scatter(labels(200)) + ridge(1.0), total_scatter(200))
    exact, rough = (solve_pencil(X, pencil, 3, route="matrix-free", tol=tol) for tol in (1e-14, 1e-4))
    np.testing.assert_array_equal(exact.components, rough.components)


def direct(X, pencil, n_components):
    """By scipy alone, without condensing, centering or balancing."""
    N, D = pencil.numerator.matrix(X), pencil.denominator.matrix(X)
    _, W = linalg.eigh(N, D)
    return W[:, ::-1][:, :n_components].T


@pytest.mark.parametrize(
    "pencil",
    [
        lambda y: Pencil(within_scatter(y) + ridge(0.5), between_scatter(y), over="pull"),
        lambda y: Pencil(ridge(np.linspace(1, 2, 6)), centroid_scatter(y)),
        lambda y: Pencil(ridge(1.0), between_scatter(y)),
        lambda y: Pencil(within_scatter(y) + ridge(0.5), centroid_scatter(y)),
    ],
)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_condensed_data_give_the_same_answer(pencil, make):
    X, y = blobs(80, 6)
    codes = partial_labels(y, 0.2)
    stated = pencil(codes)
    for route in ("dense", "row-space", "matrix-free"):
        found = solve_pencil(make(X), stated, 2, route=route, tol=1e-11)
        assert nested_angle(found.components, direct(X, stated, 2)) < 1e-6


def test_condensing_one_form_used_twice():
    X, y = blobs(80, 6)
    scatter = between_scatter(partial_labels(y, 0.2))
    found = solve_pencil(X, Pencil(scatter, scatter), route="dense")
    np.testing.assert_allclose(found.share, 0.5)


def test_lda_is_that_of_scikit_learn():
    X, y = blobs(90, 7, seed=4)
    reference = LinearDiscriminantAnalysis(solver="eigen").fit(X, y)
    found = solve_pencil(X, Pencil(within_scatter(y), between_scatter(y), over="pull"), 2, scaling="form")
    assert nested_angle(found.components, reference.scalings_.T[:2]) < 1e-6
    lengths = np.linalg.norm(reference.scalings_[:, :2], axis=0)
    # scikit-learn divides the scatter within by n, so its directions are √n longer.
    np.testing.assert_allclose(np.linalg.norm(found.components, axis=1) * np.sqrt(90), lengths)


class TestTies:
    """With n < f and no ridge, many directions show no pull at all."""

    X = DATA["wide"]
    y = labels(20)

    def test_perfect_directions_are_counted_and_ordered_by_push(self):
        for route in ("dense", "row-space"):
            found = solve_pencil(self.X, Pencil(within_scatter(self.y), between_scatter(self.y)), route=route)
            # 20 centered rows span 19 directions; 17 hold the scatter within three groups, 2 are free of it.
            assert found.n_perfect == 2
            np.testing.assert_allclose(found.share[:2], 1.0)
            push = between_scatter(self.y).value(self.X, found.components.T)
            assert push[0] > push[1]

    def test_many_perfect_directions(self):
        links = RowMatrix.from_pairs(20, np.array([[0, 3], [3, 6], [1, 4]]), np.ones(3))
        pencil = Pencil(laplacian(links), total_scatter(20))
        answers = [solve_pencil(self.X, pencil, 5, route=route) for route in ("dense", "row-space")]
        for found in answers:
            assert found.n_perfect == 19 - 3
            assert found.rank == 19
            np.testing.assert_allclose(found.share, 1.0)
        agree(*answers)
        # Ordered by plain push in an orthonormal basis: principal components of what is left of the data
        # after the three differences are projected out.
        gaps = np.array([self.X[0] - self.X[3], self.X[3] - self.X[6], self.X[1] - self.X[4]])
        centered = self.X - self.X.mean(axis=0)
        left = centered - centered @ np.linalg.pinv(gaps) @ gaps
        assert nested_angle(answers[0].components, np.linalg.svd(left)[2][:5]) < 1e-6

    def test_perfect_directions_can_be_discarded(self):
        links = RowMatrix.from_pairs(20, np.array([[0, 3], [3, 6], [1, 4]]), np.ones(3))
        kept = Pencil(laplacian(links), total_scatter(20), over="push")
        discarded = Pencil(laplacian(links), total_scatter(20), over="push", null_space="discard")
        for route in ("dense", "row-space"):
            everything = solve_pencil(self.X, kept, route=route)
            rest = solve_pencil(self.X, discarded, route=route)
            assert (rest.rank, everything.rank) == (3, 19)
            assert principal_angle(rest.components, everything.components[16:]) < 1e-6

    def test_no_perfect_directions_with_a_ridge(self):
        pencil = Pencil(within_scatter(self.y) + ridge(1.0), between_scatter(self.y))
        for route in Route:
            assert solve_pencil(self.X, pencil, 2, route=route).n_perfect == 0

    @pytest.mark.parametrize(("gap", "tie"), [(0.5, True), (1.5, False)])
    def test_quotients_as_good_as_equal_tie(self, gap, tie):
        X, W = np.diag([1.0, 2.0]), np.eye(2)  # the push along the second is larger
        pencil = Pencil(ridge(1.0), Form(RowMatrix.diag(np.ones(2))))
        ordered, _ = _order_ties(X, pencil, np.array([0.9, 0.9 - gap * TIE]), W, True)
        np.testing.assert_allclose(np.abs(ordered), W[::-1] if tie else W, atol=1e-12)

    def test_over_pull_discards_them(self):
        pencil = Pencil(within_scatter(self.y), between_scatter(self.y), over="pull")
        found = solve_pencil(self.X, pencil)
        assert found.n_perfect == 0
        assert np.all(found.share < 1 - 1e-6)


class TestMessages:
    X, y = blobs(30, 5)
    lda = Pencil(within_scatter(y), between_scatter(y))

    @pytest.mark.parametrize("route", ["dense", "row-space", "matrix-free"])
    def test_shortfall(self, route):
        pencil = Pencil(within_scatter(self.y) + ridge(1.0), between_scatter(self.y))
        words = r"n_components=4, but only 2 directions separate anything in these data .* 2 are returned"
        with pytest.warns(UserWarning, match=words):
            found = solve_pencil(self.X, pencil, 4, route=route)
        assert found.components.shape == (2, 5)
        assert found.share.shape == (2,)

    def test_shortfall_on_more_components_than_features(self):
        with pytest.warns(UserWarning, match="n_components=9, but only 5"):
            solve_pencil(self.X, Pencil(ridge(1.0), total_scatter(30)), 9)

    def test_nothing_to_separate(self):
        with pytest.raises(ValueError, match="no direction separates anything"):
            solve_pencil(np.ones((30, 5)), self.lda)
        with pytest.raises(ValueError, match="no direction separates anything"):
            solve_pencil(self.X, Pencil(ridge(1.0), between_scatter(np.zeros(30, int))))

    @pytest.mark.parametrize("shape", [(50, 20), (20, 50)])
    @pytest.mark.parametrize("woodbury", [4000, 0])
    @pytest.mark.parametrize("route", list(Route))
    def test_rows_that_are_all_the_same(self, shape, woodbury, route, monkeypatch):
        monkeypatch.setattr(matrix_free, "WOODBURY", woodbury)
        pencil = Pencil(total_scatter(shape[0]) + ridge(1.0), total_scatter(shape[0]))
        with pytest.raises(ValueError, match="no direction separates anything"):
            solve_pencil(np.ones(shape), pencil, 2, route=route)

    @pytest.mark.parametrize(
        ("kwargs", "words"),
        [
            ({"route": "quick"}, "route='quick' is not one of 'auto', 'dense', 'row-space', 'matrix-free'"),
            ({"route": "matrix-free"}, "the matrix-free route needs a positive ridge"),
            ({"scaling": "long"}, "scaling='long' is not one of 'unit', 'form', 'share'"),
            ({"n_components": 0}, "n_components=0: ask for at least one direction"),
        ],
    )
    def test_wrong_arguments(self, kwargs, words):
        with pytest.raises(ValueError, match=words):
            solve_pencil(self.X, self.lda, **kwargs)

    @pytest.mark.parametrize(
        ("kwargs", "words"),
        [
            ({"over": "both"}, "over='both' is not one of 'sum', 'pull', 'push'"),
            ({"over": "push"}, "over='push' divides by a form that is indefinite; divide by the other one"),
            ({"over": "sum"}, "over='sum' divides by a form that is indefinite"),
            ({"null_space": "lose"}, "null_space='lose' is neither 'keep' nor 'discard'"),
        ],
    )
    def test_wrong_pencils(self, kwargs, words):
        with pytest.raises(ValueError, match=words):
            Pencil(ridge(1.0), -total_scatter(30), **kwargs)

    def test_two_indefinite_forms(self):
        with pytest.raises(ValueError, match="both forms of the pencil are indefinite"):
            Pencil(-ridge(1.0), -total_scatter(30))

    def test_forms_that_depend_on_no_row(self):
        with pytest.raises(ValueError, match="neither form of the pencil depends on the rows of X"):
            solve_pencil(self.X, Pencil(ridge(1.0), ridge(2.0)))

    def test_steps_that_run_out(self, monkeypatch):
        monkeypatch.setattr(davidson, "MAX_STEPS", 1)
        X = blobs(60, 200)[0]
        pencil = Pencil(ridge(1.0), total_scatter(60))
        with pytest.warns(UserWarning, match="stopped after 1 steps with 2 of 2 directions not converged"):
            solve_pencil(X, pencil, 2, route="matrix-free", tol=1e-12)

    def test_defaults_of_over(self):
        scatter = total_scatter(30)
        assert Pencil(ridge(1.0), scatter).over == "sum"
        assert Pencil(ridge(1.0), -scatter).over == "pull"
        assert Pencil(Form(RowMatrix.centering(30), psd=False), ridge(1.0)).over == "push"

    def test_repr(self):
        found = solve_pencil(self.X, self.lda)
        assert repr(found) == "Directions(2 of 2 in 5 features, route=dense)"

    def test_directions_are_equal_to_themselves_only(self):
        """Equal arrays are no yes or no."""
        found, again = (solve_pencil(self.X, self.lda) for _ in range(2))
        assert found != again
        assert found in {found}


@pytest.mark.parametrize("woodbury", [4000, 0])
def test_matrix_free_restarts(monkeypatch, woodbury):
    """Enough features that the subspace is restarted several times before it converges."""
    monkeypatch.setattr(matrix_free, "WOODBURY", woodbury)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 180)) / np.linspace(1.0, 3.0, 180)
    links = RowMatrix.from_pairs(120, np.arange(40).reshape(20, 2), np.ones(20))
    pencil = Pencil(laplacian(links) * 0.05 + ridge(np.linspace(1, 4, 180)), total_scatter(120))
    found = solve_pencil(X, pencil, 2, route="matrix-free", tol=1e-9)
    agree(found, solve_pencil(X, pencil, 2, route="row-space"))
    other = solve_pencil(X, pencil, 2, route="matrix-free", tol=1e-9, random_state=7)
    assert nested_angle(found.components, other.components) < 1e-6


@pytest.mark.parametrize("shape", [(400, 600), (600, 400)])
def test_attracting_pairs_cost_no_steps(shape, monkeypatch):
    """An indefinite numerator with a large loss on a few pairs: the rough inverse keeps that out of the subspace."""
    n = shape[0]
    X = np.random.default_rng(0).normal(size=shape) / np.sqrt(1.0 + np.arange(shape[1]))
    pairs = RowMatrix.from_pairs(n, np.arange(160).reshape(80, 2), np.linspace(0.1, 1.0, 80))
    everyone = RowMatrix.low_rank(np.ones((n, 1))) * (1.0 / n)
    pencil = Pencil(ridge(1.0), laplacian(everyone - 50.0 * pairs, signed=True))
    expected = solve_pencil(X, pencil, 4, route="dense")
    steps = []
    whole = davidson._main_part
    monkeypatch.setattr(davidson, "_main_part", lambda residual: steps.append(1) or whole(residual))
    made = []
    woodbury = matrix_free._Woodbury
    monkeypatch.setattr(matrix_free, "_Woodbury", lambda *given: made.append(1) or woodbury(*given))
    agree(solve_pencil(X, pencil, 4, route="matrix-free", tol=1e-9), expected)
    with_inverse = len(steps)
    assert len(made) < 0.5 * with_inverse  # anew only where the largest quotient has changed
    monkeypatch.setattr(matrix_free, "_attraction", lambda rows: None)
    agree(solve_pencil(X, pencil, 4, route="matrix-free", tol=1e-9), expected)
    assert with_inverse < 0.7 * (len(steps) - with_inverse)


def test_condensing_to_the_rows_that_are_touched():
    """Groups of few rows among many: the rows are fewer than their sums and themselves together."""
    X, y = blobs(200, 30)
    codes = np.where(np.arange(200) < 12, y, -1)
    stated = Pencil(within_scatter(codes) + ridge(0.5), between_scatter(codes))
    data, narrow = condense(X, stated)
    assert data.shape == (12, 30)
    for whole, part in ((stated.pull, narrow.pull), (stated.push, narrow.push)):
        np.testing.assert_allclose(part.matrix(data), whole.matrix(X), atol=1e-9)
    agree(solve_pencil(X, stated, 2), solve_pencil(X, stated, 2, route="dense"))


def test_sums_that_come_to_nothing_are_left_out():
    factor, core = sparse.csr_array(np.eye(40)), sparse.csr_array(np.diag(np.arange(40) < 3).astype(float))
    data, narrow = condense(np.ones((40, 2)), Pencil(ridge(1.0), Form(RowMatrix.low_rank(factor, core))))
    assert data.shape == (3, 2)
    np.testing.assert_allclose(narrow.push.matrix(data), 3.0)


def test_directions_along_which_no_form_is_anything_are_none():
    """Rounding makes some up where nearly all rows are equal; their length would be infinite."""
    import likewise as lw

    rng = np.random.default_rng(0)
    X = np.tile(rng.uniform(0.5, 1.5, size=8), (60, 1))
    X[7] += 5
    must = [(i, i + 3) for i in range(10, 40, 6)]
    with pytest.raises(ValueError, match="no direction separates anything"):
        lw.RCA(2).fit(X, constraints=lw.Constraints(60, must))


@pytest.mark.parametrize("route", list(Route))
@pytest.mark.parametrize("scaling", ["form", "share"])
def test_a_pull_of_rounding_size_gives_a_direction_no_length(route, scaling):
    X = np.zeros((30, 2))
    X[:, 1] = np.arange(30)
    pencil = Pencil(ridge(np.array([1.0, 1e-15])), total_scatter(30), over="pull")
    with pytest.raises(ValueError, match="no direction separates anything"):
        solve_pencil(X, pencil, 1, route=route, scaling=scaling)
