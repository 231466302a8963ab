"""A soft assignment of rows to clusters that explains the hints and leaves few rows undecided."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from ..graphs.rows import indicator
from .folds import Statements

Array = np.ndarray

STEPS = 40
STEPS_ON = 8
"""Steps from labels, and from weights that fewer hints have led to."""

RIDGE = 1e-4
SHARPNESS = 10.0
"""Length of the weights that a labelling starts from, before they are learned."""

TINY = 1e-9


def softmax_labels(
    F: Array, statements: Statements, start: Array, n_clusters: int, weights: Array | None = None
) -> tuple[Array, Array]:
    """Labels by a linear softmax, which moves from ``start`` to where it explains the hints better, and its weights.

    With p_i = softmax(W x_i + b) the chances of row i to be in each cluster, it makes large

    .. math:: I(p) + \\frac{1}{m} \\Big(\\sum_{must} \\log p_i^T p_j + \\sum_{cannot} \\log (1 - p_i^T p_j)\\Big),

    where I is the mutual information of rows and clusters, the entropy of the mean p less the mean entropy of p: large
    if every row is sure and the clusters are even (Krause, Perona and Gomes 2010, with pairs in place of labels). A
    method that hears cannot-links as clearly as must-links, which learned distances do not.

    Parameters
    ----------
    F : (n, d) array
    statements : Statements
    start : (n,) ints
        Labels to start from.
    n_clusters : int
    weights : (d + 1, n_clusters) array, optional
        What was found with fewer hints, to start from instead; fewer steps are made then.
    """
    n, d = F.shape
    X = np.hstack([F - F.mean(axis=0), np.ones((n, 1))]).astype(np.float64)
    W = _as_labelled(X, start, n_clusters) if weights is None else weights
    left, right = statements.pairs.T
    signs, weight = np.where(statements.same, 1.0, -1.0), statements.weight / max(statements.weight.sum(), TINY)

    def loss(flat: Array) -> tuple[float, Array]:
        W = flat.reshape(d + 1, n_clusters)
        P = softmax(X @ W, axis=1)
        logs, mean = np.log(P + TINY), P.mean(axis=0)
        told = np.log(mean + TINY)
        information = float((P * logs).sum() / n - mean @ told)
        together = np.einsum("ij,ij->i", P[left], P[right])
        stated = np.clip(np.where(statements.same, together, 1.0 - together), TINY, None)
        pull = (weight * signs / stated)[:, None]
        slope = (told - logs) / n  # of the loss, by P
        np.add.at(slope, left, -pull * P[right])
        np.add.at(slope, right, -pull * P[left])
        slope = P * (slope - np.einsum("ij,ij->i", P, slope)[:, None])
        value = -information - float(weight @ np.log(stated)) + RIDGE / 2 * float(np.square(W[:d]).sum()) / n_clusters
        gradient = X.T @ slope
        gradient[:d] += RIDGE / n_clusters * W[:d]
        return value, gradient.ravel()

    steps = STEPS if weights is None else STEPS_ON
    found = minimize(loss, W.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    W = found.x.reshape(d + 1, n_clusters)
    return (X @ W).argmax(axis=1), W


def _as_labelled(X: Array, labels: Array, n_clusters: int) -> Array:
    """Weights that say what the labels say: the nearest mean, sharply. The last column of X is constant."""
    F = X[:, :-1]
    members = indicator(labels, n_clusters)
    means = (members.T @ F) / np.maximum(members.sum(axis=0), 1)[:, None]
    scale = SHARPNESS / max(float(np.mean(np.square(F).sum(axis=1))), TINY)
    return np.hstack([means * scale, -0.5 * scale * np.square(means).sum(axis=1, keepdims=True)]).T
