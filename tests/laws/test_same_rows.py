"""The same rows get the same answer: in another order, alone, in parts, sparse or dense."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from cases.data import blobs, consistent_hints
from estimators import CASES, METRICS, PARTS, PROJECTIONS
from likewise._method import uses_constraints

X, Y = blobs(42, 5, seed=8)
HINTS = consistent_hints(Y, 14, 12)
ALL = CASES | PARTS
PLACING = {key: case for key, case in ALL.items() if {"transform", "predict"} & set(dir(case.estimator))}


def fitted(case, rows, hints):
    estimator = case.fresh()
    return estimator.fit(rows, **({"constraints": hints} if uses_constraints(estimator) else {}))


def dense(values):
    return values.toarray() if sparse.issparse(values) else np.asarray(values)


@pytest.mark.filterwarnings("ignore:the optimum keeps:UserWarning")
@pytest.mark.parametrize("case", PLACING.values(), ids=PLACING)
def test_rows_alone_and_sparse_are_placed_as_all_together(case):
    model = fitted(case, X, HINTS)
    new = np.vstack([X[:10], blobs(6, 5, seed=9)[0]])
    for place in (getattr(model, name) for name in ("predict", "transform") if hasattr(model, name)):
        together = dense(place(new))
        alone = np.concatenate([dense(place(new[row : row + 1])) for row in range(len(new))])
        halves = np.empty_like(together)
        halves[1::2], halves[::2] = dense(place(new[1::2])), dense(place(new[::2]))
        parts = [alone, halves]
        try:
            parts.append(dense(place(sparse.csr_array(new))))
        except TypeError as error:
            assert "Sparse data was passed" in str(error)  # noqa: PT017
        for found in parts:
            if together.dtype.kind == "i":
                np.testing.assert_array_equal(found, together)
            else:
                np.testing.assert_allclose(found, together, rtol=1e-6, atol=1e-9 * abs(together).max())


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


@pytest.mark.filterwarnings("ignore:the optimum keeps:UserWarning")
@pytest.mark.parametrize("case", (PROJECTIONS | METRICS).values(), ids=PROJECTIONS | METRICS)
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_rows_does_not_matter(case, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    expected = distances(dense(fitted(case, X, HINTS).transform(X)))[np.ix_(order, order)]
    found = distances(dense(fitted(case, X[order], HINTS.restrict(order)).transform(X[order])))
    np.testing.assert_allclose(found, expected, atol=1e-4 * expected.max())
