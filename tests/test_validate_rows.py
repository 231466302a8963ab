"""Sparse rows whose entries are stored in several parts are the same rows, for every transformer.

For clusterers: tests/clustering/test_clusterer_laws.py.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import likewise as lw
from cases.data import consistent_hints, in_halves
from estimators import METRICS, PARTS, PROJECTIONS
from likewise._method import uses_constraints
from likewise.forms import ridge, total_scatter
from likewise.graphs import neighbor_graph
from likewise.pencil import Pencil, solve_pencil

N = 60
Y = np.arange(N) % 3


def documents():
    """Counts of words; each class has its own common ones."""
    rng = np.random.default_rng(0)
    rates = np.full((3, 24), 0.2)
    rates[np.arange(24) % 3, np.arange(24)] = 1.5
    return sparse.csr_array(rng.poisson(rates[Y]).astype(float))


X = documents()
HINTS = consistent_hints(Y, 10, 10)
TRANSFORMERS = PROJECTIONS | METRICS | {"graph features": PARTS["graph features"]}


def fitted(estimator, rows):
    return clone(estimator).fit(rows, **({"constraints": HINTS} if uses_constraints(estimator) else {}))


@pytest.mark.filterwarnings("ignore:the optimum keeps:UserWarning")
@pytest.mark.parametrize("case", TRANSFORMERS.values(), ids=TRANSFORMERS)
def test_transformers_sum_duplicate_entries(case):
    estimator = case.estimator
    split = in_halves(X)
    known, found = fitted(estimator, X), fitted(estimator, split)
    expected = known.transform(X)
    for rows in (found.transform(X), known.transform(split)):
        difference = rows - expected
        assert abs(difference).max() <= 1e-10 * abs(expected).max()
    assert split.nnz == 2 * X.nnz  # the caller's matrix is as it was


def test_unsorted_entries_are_left_to_the_caller():
    backward = X.copy()
    for start, stop in zip(X.indptr, X.indptr[1:], strict=False):
        backward.indices[start:stop] = X.indices[start:stop][::-1]
        backward.data[start:stop] = X.data[start:stop][::-1]
    backward.has_sorted_indices = False
    before = backward.indices.copy()
    np.testing.assert_allclose(fitted(lw.LPP(2), backward).components_, fitted(lw.LPP(2), X).components_, atol=1e-12)
    np.testing.assert_array_equal(backward.indices, before)


def test_functions_sum_duplicate_entries():
    for metric in ("euclidean", "cosine"):
        expected = neighbor_graph(X, 4, metric=metric).toarray()
        np.testing.assert_array_equal(neighbor_graph(in_halves(X), 4, metric=metric).toarray(), expected)
    pencil = Pencil(ridge(1.0), total_scatter(N))
    expected = solve_pencil(X, pencil, 2).components
    np.testing.assert_allclose(solve_pencil(in_halves(X), pencil, 2).components, expected, atol=1e-10)
