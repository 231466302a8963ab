"""Sparse rows whose entries are stored in several parts are the same rows, for every estimator."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import likewise as lw
from cases.data import consistent_hints
from likewise.front import GraphFeatures
from likewise.metric import XingMetric

N = 60
Y = np.arange(N) % 3


def documents():
    """Counts of words; each class has its own common ones."""
    rng = np.random.default_rng(0)
    rates = np.full((3, 24), 0.2)
    rates[np.arange(24) % 3, np.arange(24)] = 1.5
    return sparse.csr_array(rng.poisson(rates[Y]).astype(float))


def in_halves(X):
    """The same matrix, every entry stored as two halves of it."""
    return sparse.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)


X = documents()
HINTS = consistent_hints(Y, 10, 10)
TRANSFORMERS = [
    lw.ASP(2),
    lw.Costco(2),
    lw.DCA(2),
    lw.DSP(2),
    lw.GCDR(2),
    lw.LPP(2),
    lw.LPPSI(2),
    lw.LPPSI(2, kernel="rbf"),
    lw.RCA(2),
    lw.SCREEN(2),
    lw.SLPP(2),
    lw.SSDR(2),
    XingMetric(),
    GraphFeatures(),
]
CLUSTERERS = [
    lw.COPKMeans(3, random_state=0),
    lw.ConstrainedNormalizedCut(3, random_state=0),
    lw.KernelKMeans(3, random_state=0),
    lw.Likewise(3, random_state=0),
    lw.MPCKMeans(3, random_state=0),
    lw.NormalizedCut(3, random_state=0),
    lw.PCKMeans(3, random_state=0),
    lw.ProjectThenCluster(3, random_state=0),
    lw.SKKMeans(3, random_state=0),
    lw.SphericalKMeans(3, random_state=0),
    lw.SubspaceMetricEnsemble(3, random_state=0),
]
UNSUPERVISED = (lw.KernelKMeans, lw.NormalizedCut, lw.SphericalKMeans, GraphFeatures)


def fitted(estimator, rows):
    hints = {} if isinstance(estimator, UNSUPERVISED) else {"constraints": HINTS}
    return clone(estimator).fit(rows, **hints)


def name(estimator):
    return type(estimator).__name__ + getattr(estimator, "kernel", "")


@pytest.mark.parametrize("estimator", TRANSFORMERS, ids=name)
def test_transformers_sum_duplicate_entries(estimator):
    split = in_halves(X)
    known, found = fitted(estimator, X), fitted(estimator, split)
    expected = known.transform(X)
    for rows in (found.transform(X), known.transform(split)):
        difference = rows - expected
        assert abs(difference).max() <= 1e-10 * abs(expected).max()
    assert split.nnz == 2 * X.nnz  # the caller's matrix is as it was


@pytest.mark.parametrize("estimator", CLUSTERERS, ids=name)
def test_clusterers_sum_duplicate_entries(estimator):
    split = in_halves(X)
    known, found = fitted(estimator, X), fitted(estimator, split)
    np.testing.assert_array_equal(found.labels_, known.labels_)
    if hasattr(known, "predict"):
        np.testing.assert_array_equal(known.predict(split), known.predict(X))
    assert split.nnz == 2 * X.nnz


def test_unsorted_entries_are_left_to_the_caller():
    backward = X.copy()
    for start, stop in zip(X.indptr, X.indptr[1:], strict=False):
        backward.indices[start:stop] = X.indices[start:stop][::-1]
        backward.data[start:stop] = X.data[start:stop][::-1]
    backward.has_sorted_indices = False
    before = backward.indices.copy()
    np.testing.assert_allclose(fitted(lw.LPP(2), backward).components_, fitted(lw.LPP(2), X).components_, atol=1e-12)
    np.testing.assert_array_equal(backward.indices, before)
