"""A soft assignment of rows to clusters that explains the constraints and leaves few rows undecided."""

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
    compared: tuple[Comparisons, FloatArray] | None = None,
) -> tuple[IntArray, FloatArray]:
    """Labels by a linear softmax that starts from labels and moves to where it explains constraints, and coefficients.

    With p_i = softmax(W x_i + b) the chances of row i to be in each cluster, it makes large

    .. math:: I(p) + \\frac{1}{m} \\Big(\\sum_{must} \\log p_i^T p_j + \\sum_{cannot} \\log (1 - p_i^T p_j)\\Big),

    where I is the mutual information of rows and clusters, the entropy of the mean p less the mean entropy of p: large
    if every row is sure and the clusters are even (Krause, Perona and Gomes 2010, with pairs in place of labels).
    Cannot-links count as much as must-links here, unlike in learned distances. A comparison of i, j with k, l enters as

    .. math:: \\log \\big(\\tfrac12 + (\\tfrac12 - \\varepsilon)(p_i^T p_j - p_k^T p_l)\\big),

    its likelihood if a share ε of what clusters decide is answered wrongly, and all else by a coin: whatever clusters
    the four rows are in, it depends on these two chances alone.

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
    compared : (Comparisons, (m,) array), optional
        Comparisons, and the log odds of each if clusters do not decide.
    """
    n, d = len(X), X.shape[1] - 1
    W = _coefficients_of(X, start, n_clusters) if coefficients is None else coefficients
    same, signs = statements.same, statements.signs
    pairs, weight = statements.pairs, statements.weight
    n_pairs, n_compared = len(pairs), 0
    resembling = np.zeros(0)
    if compared is not None:
        comparisons, resembling = compared[0], expit(compared[1])
        n_compared = len(comparisons)
        pairs = np.concatenate([pairs, comparisons.near, comparisons.far])
        weight = np.concatenate([weight, comparisons.weight])
    rows, place = np.unique(pairs, return_inverse=True)
    left, right = place.reshape(-1, 2).T
    bins = np.concatenate([left, right])[:, None] * n_clusters + np.arange(n_clusters)
    weight = weight / max(weight.sum(), TINY)

    def loss(flat: FloatArray) -> tuple[float, FloatArray]:
        W = flat.reshape(d + 1, n_clusters)
        P, logs = _softmax(W.T.astype(X.dtype) @ X.T)
        mean = P.mean(axis=1, dtype=np.float64)
        evenly = np.log(mean + TINY)
        information = float(np.einsum("ij,ij->", P, logs)) / n - float(mean @ evenly)
        known = P[:, rows].T.astype(np.float64, order="C")
        first, second = known[left], known[right]
        together = np.einsum("ij,ij->i", first, second)
        if n_compared:
            stated, pull = _with_comparisons(together, n_pairs, resembling, same, signs, weight)
        else:
            stated = np.clip(np.where(same, together, 1.0 - together), TINY, None)
            pull = weight * signs / stated
        pull = pull[:, None]
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


def _with_comparisons(
    together: FloatArray, n_pairs: int, tie: FloatArray, same: BoolArray, signs: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The likelihood of each pair and comparison, and the slope of its logarithm by the chance of each pair of rows.

    ``together`` are the chances of the pairs, of the near pairs, and of the far pairs.
    """
    of_pairs, near, far = np.split(together, [n_pairs, n_pairs + len(tie)])
    stated = np.where(same, of_pairs, 1.0 - of_pairs)
    right, wrong = 1.0 - ERROR_RATE, ERROR_RATE
    compared = right * near * (1 - far) + wrong * (1 - near) * far + tie * (near * far + (1 - near) * (1 - far))
    likelihood = np.clip(np.concatenate([stated, compared]), TINY, None)
    slope = weight / likelihood
    by_near = right * (1 - far) - wrong * far + tie * (2 * far - 1)
    by_far = wrong * (1 - near) - right * near + tie * (2 * near - 1)
    pulls = signs * slope[:n_pairs], by_near * slope[n_pairs:], by_far * slope[n_pairs:]
    return likelihood, np.concatenate(pulls)


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
