"""A soft assignment of rows to clusters that explains the constraints and leaves few rows undecided."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from .._arrays import FloatArray, IntArray
from ..linalg._row_matrix import indicator
from ._folds import Statements

MAX_STEPS = 40
"""Steps from labels."""

MAX_FURTHER_STEPS = 4
"""Steps from the coefficients that fewer constraints led to."""

RIDGE = 1e-4

SHARPNESS = 10.0
"""Length of the coefficients that labels start from, before they are learned."""

TINY = 1e-9


def softmax_labels(
    X: FloatArray,
    statements: Statements,
    start: IntArray,
    n_clusters: int,
    coefficients: FloatArray | None = None,
) -> tuple[IntArray, FloatArray]:
    """Labels by a linear softmax that starts from labels and moves to where it explains constraints, and coefficients.

    With p_i = softmax(W x_i + b) the chances of row i to be in each cluster, it makes large

    .. math:: I(p) + \\frac{1}{m} \\Big(\\sum_{must} \\log p_i^T p_j + \\sum_{cannot} \\log (1 - p_i^T p_j)\\Big),

    where I is the mutual information of rows and clusters, the entropy of the mean p less the mean entropy of p: large
    if every row is sure and the clusters are even (Krause, Perona and Gomes 2010, with pairs in place of labels).
    Cannot-links count as much as must-links here, unlike in learned distances.

    Parameters
    ----------
    X : (n, d + 1) array
        Centered rows and a column of ones. In single precision it takes half the time.
    statements : Statements
    start : (n,) ints
        Labels to start from.
    n_clusters : int
    coefficients : (d + 1, n_clusters) array, optional
        Those found with fewer constraints, to start from instead; fewer steps are made then.
    """
    n, d = len(X), X.shape[1] - 1
    W = _coefficients_of(X, start, n_clusters) if coefficients is None else coefficients
    same, signs = statements.same, statements.signs
    rows, place = np.unique(statements.pairs, return_inverse=True)
    left, right = place.reshape(-1, 2).T
    bins = np.concatenate([left, right])[:, None] * n_clusters + np.arange(n_clusters)
    weight = statements.weight / max(statements.weight.sum(), TINY)

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        W = flat.reshape(d + 1, n_clusters)
        P, logs = _softmax(W.T.astype(X.dtype) @ X.T)
        mean = P.mean(axis=1, dtype=np.float64)
        evenly = np.log(mean + TINY)
        information = float(np.einsum("ij,ij->", P, logs)) / n - float(mean @ evenly)
        known = P[:, rows].T.astype(np.float64, order="C")
        first, second = known[left], known[right]
        together = np.einsum("ij,ij->i", first, second)
        stated = np.clip(np.where(same, together, 1.0 - together), TINY, None)
        pull = (weight * signs / stated)[:, None]
        slope = np.subtract(evenly.astype(X.dtype)[:, None], logs, out=logs)  # of the loss, by P
        slope /= n
        pulled = np.bincount(bins.ravel(), np.concatenate([pull * second, pull * first]).ravel(), known.size)
        slope[:, rows] -= pulled.reshape(known.shape).T
        slope -= np.einsum("ij,ij->j", P, slope)
        slope *= P
        value = -information - float(weight @ np.log(stated)) + RIDGE / 2 * float(np.square(W[:d]).sum()) / n_clusters
        gradient = (slope @ X).T.astype(np.float64, order="C")
        gradient[:d] += RIDGE / n_clusters * W[:d]
        return value, gradient.ravel()

    steps = MAX_STEPS if coefficients is None else MAX_FURTHER_STEPS
    found = minimize(loss, W.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    W = found.x.reshape(d + 1, n_clusters)
    return (W.T @ X.T).argmax(axis=0), W


def _softmax(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The softmax of each column, and its logarithm, written over the scores: sums of whole rows are quick."""
    scores -= scores.max(axis=0)
    P = np.exp(scores)
    total = P.sum(axis=0)
    P /= total
    scores -= np.log(total)
    return P, scores


def _coefficients_of(X: FloatArray, labels: IntArray, n_clusters: int) -> FloatArray:
    """Coefficients under which rows go to the nearest mean, sharply. The last column of X is constant."""
    F = X[:, :-1]
    members = indicator(labels, n_clusters)
    means = (members.T @ F) / np.maximum(members.sum(axis=0), 1)[:, None]
    scale = SHARPNESS / max(float(np.mean(np.square(F).sum(axis=1))), TINY)
    return np.hstack([means * scale, -0.5 * scale * np.square(means).sum(axis=1, keepdims=True)]).T
