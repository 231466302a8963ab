"""Small data, hints to go with it, and the angle between two answers."""

import numpy as np
from hypothesis import settings
from scipy import linalg, sparse

from likewise import Constraints, Partition

law = settings(deadline=None, max_examples=25)
"""Laws hold for all; a machine that is busy is no counterexample."""


def blobs(n=40, f=6, *, seed=0, n_groups=3):
    """Rows around a few centers, features of different spread, and the labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_groups
    centers = 2.0 * rng.normal(size=(n_groups, f))
    return (centers[y] + rng.normal(size=(n, f))) * np.linspace(0.5, 2.0, f) + 0.3, y


def counts(n=40, f=12, *, seed=0, density=0.4):
    """Sparse rows, as of weighted text; no row and no column is empty, and no two distances tie."""
    rng = np.random.default_rng(seed)
    X = rng.poisson(2.0, size=(n, f)) * (rng.random((n, f)) < density) + 0.0
    X[np.arange(n), np.arange(n) % f] += 1.0
    X[np.arange(f) % n, np.arange(f)] += 1.0
    return sparse.csr_array(X * rng.uniform(0.5, 1.5, size=(n, f)))


def in_halves(X):
    """The same sparse matrix, every entry stored as two halves of it."""
    return sparse.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)


def consistent_hints(y, n_must=12, n_cannot=10, *, seed=0, weighted=False):
    """Pairs as the labels have them."""
    rng = np.random.default_rng(seed)
    n = len(y)
    left, right = np.triu_indices(n, 1)
    same = np.flatnonzero(y[left] == y[right])
    other = np.flatnonzero(y[left] != y[right])
    must = rng.choice(same, n_must, replace=False)
    cannot = rng.choice(other, n_cannot, replace=False)
    return Constraints(
        n,
        np.column_stack([left[must], right[must]]),
        np.column_stack([left[cannot], right[cannot]]),
        rng.uniform(0.2, 2.0, n_must) if weighted else None,
        rng.uniform(0.2, 2.0, n_cannot) if weighted else None,
    )


def partial_labels(y, known=0.4, *, seed=0):
    """The labels with all but a part of them unknown."""
    rng = np.random.default_rng(seed)
    partial = np.full(len(y), -1)
    chosen = rng.choice(len(y), int(known * len(y)), replace=False)
    partial[chosen] = y[chosen]
    return partial


def labels_partition(codes, **kwargs):
    return Partition(codes, different_across=True, **kwargs)


def principal_angle(A, B):
    """The largest angle between the spaces spanned by the rows of A and of B; π/2 if one is larger."""
    A, B = np.atleast_2d(A), np.atleast_2d(B)
    if A.shape != B.shape:
        return np.pi / 2
    return float(linalg.subspace_angles(np.asarray(A, float).T, np.asarray(B, float).T).max())


def nested_angle(A, B):
    """The largest angle over all leading subspaces: the order of the directions counts too."""
    if np.shape(A) != np.shape(B):
        return np.pi / 2
    return max(principal_angle(A[:r], B[:r]) for r in range(1, len(A) + 1))


def signed(A):
    """Rows with their largest entry positive."""
    A = np.asarray(A, float)
    return A * np.sign(A[np.arange(len(A)), np.abs(A).argmax(axis=1)])[:, None]
