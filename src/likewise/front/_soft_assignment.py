"""Softmax assignment of rows to clusters, learned from constraints and unlabeled rows."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from .._arrays import BoolArray, FloatArray, IntArray
from ..constraints import Comparisons
from ..linalg._row_matrix import indicator
from ._folds import Statements
from ._learned_map import ERROR_RATE

MAX_STEPS = 40
"""Maximum number of iterations when starting from labels."""

MAX_FURTHER_STEPS = 4
"""Maximum number of iterations when starting from the coefficients found with fewer constraints."""

RIDGE = 1e-4

SHARPNESS = 10.0
"""Scale of the initial coefficients."""

TINY = 1e-9


def softmax_labels(
    X: FloatArray,
    statements: Statements,
    start: IntArray,
    n_clusters: int,
    coefficients: FloatArray | None = None,
    compared: tuple[Comparisons, FloatArray] | None = None,
) -> tuple[IntArray, FloatArray]:
    """Labels and coefficients of a linear softmax assignment that is learned from constraints.

    With p_i = softmax(W x_i + b) the probabilities of row i for each cluster, it maximizes

    .. math:: I(p) + \\frac{1}{m} \\Big(\\sum_{must} \\log p_i^T p_j + \\sum_{cannot} \\log (1 - p_i^T p_j)\\Big),

    where I is the mutual information of rows and clusters, the entropy of the mean p minus the mean entropy of p. It is
    large if every row is assigned with high probability and clusters have equal sizes (Krause, Perona and Gomes 2010,
    with pairs instead of labels). Unlike in metric learning, cannot-links contribute as much as must-links. A
    comparison of i, j with k, l contributes the logarithm of its likelihood

    .. math:: (1 - \\varepsilon)\\, q_{ij} (1 - q_{kl}) + \\varepsilon\\, (1 - q_{ij})\\, q_{kl}
              + t\\, \\big(q_{ij}\\, q_{kl} + (1 - q_{ij})(1 - q_{kl})\\big), \\qquad q_{ij} = p_i^T p_j,

    with ε the share of wrong answers and t the probability of the answer if it is a tie.

    Parameters
    ----------
    X : (n, d + 1) array
        Centered rows and a column of ones. Single precision takes half the time.
    statements : Statements
    start : (n,) ints
        Labels to initialize the coefficients from.
    n_clusters : int
    coefficients : (d + 1, n_clusters) array, optional
        Coefficients found with fewer constraints, to start from instead, with fewer iterations.
    compared : (Comparisons, (m,) array), optional
        Comparisons, and the log-odds of each if it is a tie.

    Returns
    -------
    labels : (n,) ints
    coefficients : (d + 1, n_clusters) array
    """
    n, d = len(X), X.shape[1] - 1
    W = _coefficients_of(X, start, n_clusters) if coefficients is None else coefficients
    same, signs = statements.same, statements.signs
    pairs, weight = statements.pairs, statements.weight
    n_pairs, n_compared = len(pairs), 0
    tie = np.zeros(0)
    if compared is not None:
        comparisons, tie = compared[0], expit(compared[1])
        n_compared = len(comparisons)
        pairs = np.concatenate([pairs, comparisons.near, comparisons.far])
        weight = np.concatenate([weight, comparisons.weight])
    rows, position = np.unique(pairs, return_inverse=True)
    left, right = position.reshape(-1, 2).T
    bins = np.concatenate([left, right])[:, None] * n_clusters + np.arange(n_clusters)
    weight = weight / max(weight.sum(), TINY)

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        W = flat.reshape(d + 1, n_clusters)
        P, logs = _softmax(W.T.astype(X.dtype) @ X.T)
        mean = P.mean(axis=1, dtype=np.float64)
        log_mean = np.log(mean + TINY)
        information = float(np.einsum("ij,ij->", P, logs)) / n - float(mean @ log_mean)
        known = P[:, rows].T.astype(np.float64, order="C")
        first, second = known[left], known[right]
        together = np.einsum("ij,ij->i", first, second)
        if n_compared:
            likelihood, slope = _with_comparisons(together, n_pairs, tie, same, signs, weight)
        else:
            likelihood = np.clip(np.where(same, together, 1.0 - together), TINY, None)
            slope = weight * signs / likelihood
        slope = slope[:, None]
        by_P = np.subtract(log_mean.astype(X.dtype)[:, None], logs, out=logs)  # derivative of the loss by P
        by_P /= n
        by_known = np.bincount(bins.ravel(), np.concatenate([slope * second, slope * first]).ravel(), known.size)
        by_P[:, rows] -= by_known.reshape(known.shape).T
        by_P -= np.einsum("ij,ij->j", P, by_P)
        by_P *= P  # now the derivative by the scores
        ridge = RIDGE / 2 * float(np.square(W[:d]).sum()) / n_clusters
        value = -information - float(weight @ np.log(likelihood)) + ridge
        gradient = (by_P @ X).T.astype(np.float64, order="C")
        gradient[:d] += RIDGE / n_clusters * W[:d]
        return value, gradient.ravel()

    steps = MAX_STEPS if coefficients is None else MAX_FURTHER_STEPS
    found = minimize(loss, W.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": steps})
    W = found.x.reshape(d + 1, n_clusters)
    return (W.T @ X.T).argmax(axis=0), W


def _with_comparisons(
    together: FloatArray, n_pairs: int, tie: FloatArray, same: BoolArray, signs: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The likelihood of each pair and comparison, and the weighted derivative of its logarithm by ``together``.

    ``together`` are the probabilities that the rows of each pair, each near pair and each far pair share a cluster.
    """
    of_pairs, near, far = np.split(together, [n_pairs, n_pairs + len(tie)])
    stated = np.where(same, of_pairs, 1.0 - of_pairs)
    right, wrong = 1.0 - ERROR_RATE, ERROR_RATE
    compared = right * near * (1 - far) + wrong * (1 - near) * far + tie * (near * far + (1 - near) * (1 - far))
    likelihood = np.clip(np.concatenate([stated, compared]), TINY, None)
    slope = weight / likelihood
    by_near = right * (1 - far) - wrong * far + tie * (2 * far - 1)
    by_far = wrong * (1 - near) - right * near + tie * (2 * near - 1)
    slopes = signs * slope[:n_pairs], by_near * slope[n_pairs:], by_far * slope[n_pairs:]
    return likelihood, np.concatenate(slopes)


def _softmax(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The softmax of each column and its logarithm, which overwrites the scores."""
    scores -= scores.max(axis=0)
    P = np.exp(scores)
    total = P.sum(axis=0)
    P /= total
    scores -= np.log(total)
    return P, scores


def _coefficients_of(X: FloatArray, labels: IntArray, n_clusters: int) -> FloatArray:
    """Coefficients that assign rows to the nearest mean of the given clusters. The last column of X is constant."""
    F = X[:, :-1]
    members = indicator(labels, n_clusters)
    means = (members.T @ F) / np.maximum(members.sum(axis=0), 1)[:, None]
    scale = SHARPNESS / max(float(np.mean(np.square(F).sum(axis=1))), TINY)
    return np.hstack([means * scale, -0.5 * scale * np.square(means).sum(axis=1, keepdims=True)]).T
