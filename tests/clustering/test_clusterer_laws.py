"""What every clusterer does, whatever its method: the same laws for all of the table."""

import numpy as np
import pytest
from scipy import sparse

from cases.data import consistent_hints, in_halves, partial_labels
from estimators import CLUSTERERS, method_of
from likewise import Constraints, Partition
from likewise._method import Needs
from likewise.evaluation import adjusted_rand_index

N = 45
Y = np.arange(N) % 3
CONSTRAINTS = consistent_hints(Y, 12, 12)


def points():
    """Three clusters in five columns of one scale, far enough from each other for every method."""
    rng = np.random.default_rng(1)
    centers = 6.0 * np.eye(3, 5)
    return centers[Y] + rng.normal(size=(N, 5)) + 8.0


def documents():
    """Counts of 24 words, eight of them common in each class; no row is empty, and no two are the same."""
    rng = np.random.default_rng(0)
    rates = np.where(np.arange(24) % 3 == np.arange(3)[:, None], 3.0, 0.15)
    return rng.poisson(rates[Y]) * rng.uniform(0.8, 1.2, size=(N, 24)) + 0.0


X = points()
DENSE_ONLY = {"mpck full"}
IN_DOUBLE = {"skk", "nc", "nc cosine", "nc rbf", "c-nc"}
"""What these learn has an entry or an eigenvector for each row, and is worked out in double precision."""
TRUSTING = {"project", "project euclidean", "project pca", "networked", "networked euclidean", "pck hard"}
"""Cases that take every constraint as certain, by their parameters."""
USING = [key for key in CLUSTERERS if method_of(key).uses_constraints]
NOT_USING = [key for key in CLUSTERERS if key not in USING]
SPARSE = [key for key in CLUSTERERS if key not in DENSE_ONLY]
NEEDY = [key for key in CLUSTERERS if method_of(key).needs & ~Needs.LINKS]


every = pytest.mark.parametrize("key", CLUSTERERS)
using = pytest.mark.parametrize("key", USING)


def fitted(key, rows=X, constraints=CONSTRAINTS):
    """A fit of the case, given the constraints if its method uses them."""
    return CLUSTERERS[key].fresh().fit(rows, **given(key, constraints))


def given(key, constraints=CONSTRAINTS):
    return {"constraints": constraints} if key in USING else {}


def overlapping(key):
    """Partitions that overlap each other and some pairs; of different weights where the method takes them."""
    weights = (0.5, 2.0) if method_of(key).uses_weights and key not in TRUSTING else (1.0, 1.0)
    labels = Partition(partial_labels(Y, 0.5), different_across=True, weight=weights[0])
    same = Partition(np.where(np.arange(N) % 2 == 0, Y, -1), weight=weights[1])
    different = Partition(np.where(np.arange(N) % 5 == 0, Y, -1), same_within=False, different_across=True)
    return Constraints(N, CONSTRAINTS.must_link, CONSTRAINTS.cannot_link, partitions=[labels, same, different])


def same_partition(left, right):
    return adjusted_rand_index(left, right) == pytest.approx(1.0)


@every
def test_labels_are_whole_numbers_from_zero(key):
    labels = fitted(key).labels_
    assert labels.dtype == np.int32
    assert labels.shape == (N,)
    assert 0 <= labels.min() <= labels.max() < 3
    np.testing.assert_array_equal(CLUSTERERS[key].fresh().fit_predict(X, **given(key)), labels)


@every
def test_the_same_seed_gives_the_same_answer(key):
    np.testing.assert_array_equal(fitted(key).labels_, fitted(key).labels_)


@pytest.mark.parametrize("key", [key for key in CLUSTERERS if key not in NEEDY])
def test_no_constraints_is_no_constraints(key):
    plain = CLUSTERERS[key].fresh().fit(X).labels_
    for nothing in ({"constraints": Constraints(N)}, {"y": np.full(N, -1)}, {"y": np.full(N, None)}):
        np.testing.assert_array_equal(CLUSTERERS[key].fresh().fit(X, **nothing).labels_, plain)


@pytest.mark.parametrize("key", NEEDY)
def test_what_is_needed_is_missed(key):
    with pytest.raises(ValueError, match=r"must-links|cannot-links"):
        CLUSTERERS[key].fresh().fit(X, constraints=Constraints(N))


@pytest.mark.parametrize("key", NOT_USING)
def test_constraints_are_refused_where_they_are_not_used(key):
    with pytest.raises(ValueError, match=rf"{type(CLUSTERERS[key].estimator).__name__} .* was given Constraints"):
        CLUSTERERS[key].fresh().fit(X, constraints=CONSTRAINTS)


@using
def test_labels_are_constraints(key):
    labels = partial_labels(Y, 0.5)
    by_y = CLUSTERERS[key].fresh().fit(X, labels).labels_
    np.testing.assert_array_equal(by_y, fitted(key, X, Constraints.from_labels(labels)).labels_)


@using
def test_a_partition_is_its_pairs(key):
    constraints = overlapping(key)
    np.testing.assert_array_equal(fitted(key, X, constraints).labels_, fitted(key, X, constraints.expand()).labels_)


@using
def test_the_order_of_constraints_does_not_matter(key):
    rng = np.random.default_rng(3)
    must = rng.permutation(CONSTRAINTS.must_link)[:, ::-1]
    cannot = rng.permutation(CONSTRAINTS.cannot_link)[:, ::-1]
    twice = Constraints(N, np.vstack([must, must[:3]]), np.vstack([cannot, cannot[:3]]))
    np.testing.assert_array_equal(fitted(key, X, twice).labels_, fitted(key).labels_)


@every
def test_the_order_of_rows_does_not_matter_where_clusters_are_clear(key):
    """Random starts are drawn by row, so only what all starts find is the same."""
    rows = np.random.default_rng(5).permutation(N)
    moved = fitted(key, X[rows], CONSTRAINTS.restrict(rows)).labels_
    assert same_partition(fitted(key).labels_[rows], moved)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.csr_matrix])
@pytest.mark.parametrize("key", SPARSE)
def test_sparse_is_dense(key, make):
    rows = documents()
    assert same_partition(fitted(key, make(rows)).labels_, fitted(key, rows).labels_)


@pytest.mark.parametrize("key", sorted(DENSE_ONLY))
def test_sparse_is_refused_where_it_would_be_made_dense(key):
    with pytest.raises(TypeError, match="Sparse data was passed"):
        fitted(key, sparse.csr_array(documents()))


@pytest.mark.parametrize("key", SPARSE)
def test_sparse_entries_that_are_stored_twice_are_summed(key):
    rows = sparse.csr_array(documents())
    split = in_halves(rows)
    known = fitted(key, rows)
    np.testing.assert_array_equal(fitted(key, split).labels_, known.labels_)
    if hasattr(known, "predict"):
        np.testing.assert_array_equal(known.predict(split), known.predict(rows))
    assert split.nnz == 2 * rows.nnz  # the caller's matrix is as it was


@every
def test_float32_is_kept(key):
    single = X.astype(np.float32)
    model = fitted(key, single)
    assert same_partition(model.labels_, fitted(key).labels_)
    learned = {name: getattr(model, name, None) for name in ("cluster_centers_", "embedding_", "coefficients_")}
    learned |= {"transform": model.transform(single)} if hasattr(model, "transform") else {}
    kinds = {name: value.dtype for name, value in learned.items() if value is not None}
    assert set(kinds.values()) <= {np.dtype(np.float64 if key in IN_DOUBLE else np.float32)}, kinds


@every
def test_far_from_the_origin(key):
    assert same_partition(fitted(key, X + 1e5).labels_, fitted(key).labels_)


@every
@pytest.mark.parametrize(
    ("scale", "dtype", "size"),
    [
        (1e200, np.float64, "large"),
        (1e-200, np.float64, "small"),
        (1e30, np.float32, "large"),
        (1e-30, np.float32, "small"),
    ],
)
def test_values_that_cannot_be_squared_are_refused(key, scale, dtype, size):
    with pytest.raises(ValueError, match=f"too {size} to be squared"):
        fitted(key, (X * scale).astype(dtype))


@every
def test_what_is_given_stays_as_it_is(key):
    rows = X.copy()
    constraints = CONSTRAINTS | Constraints.from_labels(partial_labels(Y, 0.3))
    before = repr(constraints), constraints.must_link.copy(), constraints.cannot_link.copy()
    model = CLUSTERERS[key].fresh()
    parameters = repr(model)
    model.fit(rows, **given(key, constraints))
    if hasattr(model, "predict"):
        model.predict(rows)
    np.testing.assert_array_equal(rows, X)
    assert repr(constraints) == before[0]
    np.testing.assert_array_equal(constraints.must_link, before[1])
    np.testing.assert_array_equal(constraints.cannot_link, before[2])
    assert repr(model) == parameters


@every
def test_rows_that_may_not_be_written_to(key):
    rows = X.copy()
    rows.setflags(write=False)
    np.testing.assert_array_equal(fitted(key, rows).labels_, fitted(key).labels_)
