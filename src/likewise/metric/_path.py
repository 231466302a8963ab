"""Metrics between the optimum for the constraints and a prior without constraints, and the choice of the shrinkage.

A diagonal metric is a vector of feature weights and a full metric is a matrix. The sums that they are learned from are
vectors or matrices accordingly; the number of dimensions distinguishes the two cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from .._arrays import BoolArray, FloatArray, IntArray, evenly_spaced
from .._progress import track
from ..constraints import Constraints
from ..linalg._row_ranks import row_ranks
from ._diagonal import minimize, near_one
from ._full import maximize
from ._terms import cannot_link_pairs, differences, entries, must_link_pairs, pseudo_links

N_FOLDS = 5
"""Number of cross-validation folds."""

SHRINKAGES = np.linspace(0, 1, 21).round(2)
"""Candidate shrinkages."""

FALLBACK_SHRINK = 0.9
"""Shrinkage if there are too few pairs for cross-validation: close to the prior."""

FOLD_TOLERANCE = 1e-4
"""Tolerance of the optimum of a fold."""

MAX_FOLD_PAIRS = 2000
"""Maximum number of pairs of each kind for the choice; beyond, an evenly spaced sample is used."""

MAX_FOLD_ENTRIES = 2**20
"""Maximum size of their differences. Reduces ``MAX_FOLD_PAIRS`` if there are many features, but not below 500."""


DIGITS = 9
"""Distances and scores are rounded to this number of decimals, since the others depend on the order of summation."""


@dataclass(frozen=True)
class MetricPath:
    """The metrics between the optimum and the prior.

    Attributes
    ----------
    optimum, prior : arrays
        The optimal metric for the constraints, and the metric without constraints, scaled to the same Σ_j
        a_j·variance_j (for matrices, the same trace of A·covariance).
    n_kept : int
        Number of features or directions with a nonzero weight at the optimum.
    n_iter : int
    residual : float
        Violation of the optimality conditions.
    informed : bool
        Whether any cannot-linked rows differ.
    """

    optimum: FloatArray
    prior: FloatArray
    n_kept: int = 0
    n_iter: int = 0
    residual: float = 0.0
    informed: bool = True

    def shrunk(self, shrink: float) -> FloatArray:
        """The metric at fraction ``shrink`` of the way from the optimum to the prior."""
        return (1 - shrink) * self.optimum + shrink * self.prior


@dataclass(frozen=True)
class MetricProblem:
    """The properties of the data that the problem depends on, apart from the pairs.

    Parameters
    ----------
    spread : (f,) or (f, f) array
        Variances for a diagonal metric, or the covariance matrix for a full one.
    toward : {"variance", "equal"}
        The prior: 1/variance or equal weights. Constant features have weight 0.
    max_iter : int
    """

    spread: FloatArray
    toward: str = "variance"
    max_iter: int = 1000

    @property
    def variance(self) -> FloatArray:
        """The variance of each feature."""
        return self.spread if self.spread.ndim == 1 else self.spread.diagonal()

    def solve(self, must: FloatArray, D: Any, pair_weights: FloatArray, tol: float = 1e-6) -> MetricPath:
        """Compute the optimum and the prior.

        Parameters
        ----------
        must : (f,) or (f, f) array
            The must-link sum, with the shape of ``spread``.
        D : (pairs, f) array or sparse matrix
            Differences of cannot-linked rows; sparse only for a diagonal metric.
        pair_weights : (pairs,) array
        tol : float
        """
        varies = np.flatnonzero(self.variance)
        if len(varies) == len(self.spread):
            return self._solve(must, D, pair_weights, tol)
        some = np.ix_(*(varies,) * self.spread.ndim)
        inner = MetricProblem(self.spread[some], self.toward, self.max_iter)
        path = inner._solve(must[some], D[:, varies], pair_weights, tol)
        optimum, prior = np.zeros((2, *self.spread.shape))
        optimum[some], prior[some] = path.optimum, path.prior
        return replace(path, optimum=optimum, prior=prior)

    def _solve(self, must: FloatArray, D: Any, pair_weights: FloatArray, tol: float) -> MetricPath:
        """The same if no feature is constant."""
        full = self.spread.ndim == 2
        prior = 1 / self.variance if self.toward == "variance" else np.ones(len(self.spread))
        prior = np.diag(prior) if full else prior
        if not abs(D).sum() > 0:
            return MetricPath(prior, prior, informed=False)
        best = _best_full if full else _best_diagonal
        optimum, n_kept, n_iter, residual = best(must, D, pair_weights, tol, self.max_iter)
        prior *= np.vdot(optimum, self.spread) / np.vdot(prior, self.spread)
        return MetricPath(optimum, prior, n_kept, n_iter, residual)


def _best_diagonal(
    must: FloatArray, D: Any, pair_weights: FloatArray, tol: float, max_iter: int
) -> tuple[FloatArray, int, int, float]:
    C = squares(near_one(D))
    C = C @ sparse.diags_array(1 / must) if sparse.issparse(C) else C / must
    found = minimize(C, pair_weights, tol=tol, max_iter=max_iter)
    return found.weights / must, int(np.count_nonzero(found.weights)), found.n_iter, found.residual


def _best_full(
    must: FloatArray, D: Any, pair_weights: FloatArray, tol: float, max_iter: int
) -> tuple[FloatArray, int, int, float]:
    found = maximize(must, D, pair_weights, tol=tol, max_iter=max_iter)
    values = linalg.eigvalsh(found.metric)
    return found.metric, int(np.sum(values > 1e-9 * values[-1])), found.n_iter, found.gap


def squares(D: Any) -> Any:
    """The square of each entry, for dense or sparse input."""
    return D.power(2) if sparse.issparse(D) else np.square(D)


def choose_shrink(X: Any, constraints: Constraints, problem: MetricProblem, ridge: float) -> float:
    """Choose the shrinkage by cross-validation on the constrained rows.

    The constrained rows are split into five folds. For each fold, the optimum is learned from the pairs without a row
    in it, and every shrinkage is scored on the other pairs by the weighted area under the ROC curve: the probability
    that a cannot-linked pair is farther apart than a must-linked one. Folds consist of rows rather than pairs, since
    pairs that share rows are not independent.

    The result is the largest shrinkage whose mean score is within one standard error of the best (Breiman et al. 1984,
    Section 3.4.3). If fewer than two folds have both kinds of pairs for training and for testing, it is 0.9.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
        Centered, unless sparse.
    constraints : Constraints
    problem : MetricProblem
        For diagonal metrics.
    ridge : float
        Number of pseudo-links per must-link.
    """
    limit = min(MAX_FOLD_PAIRS, max(int(MAX_FOLD_ENTRIES / max(entries(X), 1)), 500))
    ranks = _ranks(X, constraints)
    must = _Pairs.of(X, *must_link_pairs(constraints, limit), limit, ranks)
    cannot = _Pairs.of(X, *cannot_link_pairs(constraints, limit), limit, ranks)
    scores = []
    for must_left_out, cannot_left_out in track(_folds(ranks[must.rows], ranks[cannot.rows]), N_FOLDS):
        near, far = must.some(~must_left_out), cannot.some(~cannot_left_out)
        total = near.weights @ squares(near.D) + pseudo_links(ridge * float(near.weights.sum()), problem.spread)
        path = problem.solve(total, far.D, far.weights, FOLD_TOLERANCE)
        scores.append(_scores(path, must.some(must_left_out), cannot.some(cannot_left_out)))
    return most_within_error(np.array(scores)) if len(scores) > 1 else FALLBACK_SHRINK


def _ranks(X: Any, constraints: Constraints) -> IntArray:
    """The ranks of the constrained rows by value, so that folds and samples do not depend on the order of the rows."""
    rows = np.flatnonzero(constraints.constrained_rows())
    ranks = np.zeros(X.shape[0], dtype=np.int64)
    ranks[rows] = row_ranks(X[rows])
    return ranks


def _scores(path: MetricPath, must: _Pairs, cannot: _Pairs) -> FloatArray:
    """The area under the ROC curve for the metric of each shrinkage."""
    ends = np.array([path.optimum, path.prior])
    near, far = ((squares(pairs.D) @ ends.T).T for pairs in (must, cannot))
    largest = max(near.max(), far.max()) or 1.0
    near, far = (np.round(each / largest, DIGITS) for each in (near, far))  # so that equal distances tie
    shares = np.column_stack([1 - SHRINKAGES, SHRINKAGES])
    return weighted_auc(shares @ near, shares @ far, must.weights, cannot.weights)


def weighted_auc(
    must: FloatArray, cannot: FloatArray, must_weights: FloatArray, cannot_weights: FloatArray
) -> FloatArray:
    """The probability that a cannot-linked pair is farther apart than a must-linked one; a tie counts half.

    The last axis of the distances is that of the pairs; there may be others before it.

    >>> float(weighted_auc(np.array([1.0, 2.0]), np.array([2.0, 3.0]), np.ones(2), np.ones(2)))
    0.875
    """
    both = np.concatenate([must, cannot], axis=-1)
    near = np.concatenate([must_weights, np.zeros_like(cannot_weights)])
    far = np.concatenate([np.zeros_like(must_weights), cannot_weights])
    nearer = np.zeros(both.shape[:-1])
    for direction in (slice(None), slice(None, None, -1)):  # ties: must-links first, then cannot-links first
        order = np.argsort(both[..., direction], axis=-1, kind="stable")
        nearer += (np.cumsum(near[direction][order], axis=-1) * far[direction][order]).sum(axis=-1)
    return nearer / (2 * must_weights.sum() * cannot_weights.sum())


def most_within_error(scores: FloatArray) -> float:
    """The largest shrinkage within one standard error of the best. Scores have one row per fold."""
    short = scores[:, [scores.mean(axis=0).argmax()]] - scores
    error = short.std(axis=0, ddof=1) / np.sqrt(len(scores))
    return float(SHRINKAGES[np.flatnonzero(short.mean(axis=0) <= error + 10.0**-DIGITS)[-1]])


@dataclass(frozen=True)
class _Pairs:
    """Pairs of one kind: their rows, differences and weights."""

    rows: IntArray
    D: Any
    weights: FloatArray

    @classmethod
    def of(cls, X: Any, rows: IntArray, weights: FloatArray, limit: int, ranks: IntArray) -> _Pairs:
        """At most ``limit`` of them, evenly spaced by the ranks of their rows."""
        if len(rows) > limit:
            ends = np.sort(ranks[rows], axis=1)
            some = np.lexsort(ends.T[::-1])[evenly_spaced(len(rows), limit)]
            rows, weights = rows[some], weights[some]
        return cls(rows, differences(X, rows), weights)

    def some(self, which: BoolArray) -> _Pairs:
        return _Pairs(self.rows[which], self.D[which], self.weights[which])


def _folds(must: IntArray, cannot: IntArray) -> Iterator[tuple[BoolArray, BoolArray]]:
    """Masks of the must-links and cannot-links to leave out, for every fold with both kinds left out and remaining.

    Rows are given by their ranks, so that equal rows are left out together.
    """
    rows, place = np.unique(np.concatenate([must, cannot]), return_inverse=True)
    # A random split, with a fixed seed.
    fold = (np.random.default_rng(0).permutation(len(rows)) % N_FOLDS)[place.reshape(-1, 2)]
    for number in range(N_FOLDS):
        left_out = np.split((fold == number).any(axis=1), [len(must)])
        if all(0 < some.sum() < len(some) for some in left_out):
            yield left_out[0], left_out[1]
