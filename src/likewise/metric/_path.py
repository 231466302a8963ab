"""The path of metrics from the optimum for the constraints to a prior that uses none, and how far to go along it.

A diagonal metric is a weight for each feature, a full one a matrix; the sums it is learned from are vectors or matrices
alike, and their number of dimensions distinguishes them.
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
"""Parts of the rows, each of which is left out once."""

SHRINKAGES = np.linspace(0, 1, 21).round(2)
"""Shrinkages to choose from."""

FALLBACK_SHRINK = 0.9
"""Shrinkage where there are too few pairs to leave some out: near the prior."""

FOLD_TOLERANCE = 1e-4
"""How exactly the optimum of a fold is found."""

MAX_FOLD_PAIRS = 2000
"""Pairs of each kind that the choice is made with; of more, evenly spaced ones are taken."""

MAX_FOLD_ENTRIES = 2**20
"""Numbers their differences may hold: lowers ``MAX_FOLD_PAIRS`` where there are many features, to 500 at least."""


DIGITS = 9
"""Decimals of distances and scores that count; the others depend on the order of sums."""


@dataclass(frozen=True)
class MetricPath:
    """All metrics between the optimum and the prior.

    Attributes
    ----------
    optimum, prior : arrays
        The best metric for the constraints, and the one without any, both with the same Σ_j a_j·variance_j (for
        matrices: the same trace of A·covariance).
    n_kept : int
        Features or directions with a weight at the optimum.
    n_iter : int
    residual : float
        By how much the optimum may be missed.
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
        """The metric ``shrink`` of the way from the optimum to the prior."""
        return (1 - shrink) * self.optimum + shrink * self.prior


@dataclass(frozen=True)
class MetricProblem:
    """What is known of the data before any pair is looked at.

    Parameters
    ----------
    spread : (f,) or (f, f) array
        Variances, for a diagonal metric; the covariance, for a full one.
    toward : {"variance", "equal"}
        The prior: 1/variance or equal weights. Constant features have none.
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
        """Both ends of the path.

        Parameters
        ----------
        must : (f,) or (f, f) array
            The must-link sum, of the shape of ``spread``.
        D : (pairs, f) array or sparse matrix
            Differences of cannot-linked rows; sparse for a diagonal metric only.
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
        """The same for features that all vary."""
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
    """The square of each entry; sparse stays sparse."""
    return D.power(2) if sparse.issparse(D) else np.square(D)


def choose_shrink(X: Any, constraints: Constraints, problem: MetricProblem, ridge: float) -> float:
    """The shrinkage whose distances order left-out pairs best, or a larger one that is not clearly worse.

    The constrained rows are split into five folds. With each left out in turn the optimum is learned from the pairs
    without a row in it; the score of a shrinkage is how well its distances order the other pairs: the chance that a
    cannot-linked pair is farther apart than a must-linked one (the area under the ROC curve), pairs drawn in proportion
    to their weights. Whole rows are left out, not pairs: labels of two rows repeat what the labels of a third imply.

    Of the shrinkages whose mean score falls short of the best by no more than one standard error of that difference
    the largest is chosen (Breiman et al. 1984, Section 3.4.3). Where fewer than two folds leave both kinds of pairs on
    both sides, it is 0.9.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
        Centered, unless sparse.
    constraints : Constraints
    problem : MetricProblem
        Of diagonal metrics.
    ridge : float
        Pseudo-links for each must-link.
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
    """The ranks of the constrained rows by their values: folds and samples do not depend on the order of the rows."""
    rows = np.flatnonzero(constraints.constrained_rows())
    ranks = np.zeros(X.shape[0], dtype=np.int64)
    ranks[rows] = row_ranks(X[rows])
    return ranks


def _scores(path: MetricPath, must: _Pairs, cannot: _Pairs) -> FloatArray:
    """How well the metric of each shrinkage orders the two kinds of pairs."""
    ends = np.array([path.optimum, path.prior])
    near, far = ((squares(pairs.D) @ ends.T).T for pairs in (must, cannot))
    largest = max(near.max(), far.max()) or 1.0
    near, far = (np.round(each / largest, DIGITS) for each in (near, far))  # equal distances tie, whatever rounding did
    shares = np.column_stack([1 - SHRINKAGES, SHRINKAGES])
    return weighted_auc(shares @ near, shares @ far, must.weights, cannot.weights)


def weighted_auc(
    must: FloatArray, cannot: FloatArray, must_weights: FloatArray, cannot_weights: FloatArray
) -> FloatArray:
    """The chance that a cannot-linked pair is farther apart than a must-linked one; a tie counts half.

    The last axis of the distances runs over the pairs; there may be others.

    >>> float(weighted_auc(np.array([1.0, 2.0]), np.array([2.0, 3.0]), np.ones(2), np.ones(2)))
    0.875
    """
    both = np.concatenate([must, cannot], axis=-1)
    near = np.concatenate([must_weights, np.zeros_like(cannot_weights)])
    far = np.concatenate([np.zeros_like(must_weights), cannot_weights])
    nearer = np.zeros(both.shape[:-1])
    for direction in (slice(None), slice(None, None, -1)):  # of equals must-links come first, then cannot-links
        order = np.argsort(both[..., direction], axis=-1, kind="stable")
        nearer += (np.cumsum(near[direction][order], axis=-1) * far[direction][order]).sum(axis=-1)
    return nearer / (2 * must_weights.sum() * cannot_weights.sum())


def most_within_error(scores: FloatArray) -> float:
    """The largest shrinkage that falls short of the best by one standard error at most; one row of scores a fold."""
    short = scores[:, [scores.mean(axis=0).argmax()]] - scores
    error = short.std(axis=0, ddof=1) / np.sqrt(len(scores))
    return float(SHRINKAGES[np.flatnonzero(short.mean(axis=0) <= error + 10.0**-DIGITS)[-1]])


@dataclass(frozen=True)
class _Pairs:
    """Pairs of one kind: the rows, their differences, the weights."""

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
    """Which must-links and which cannot-links to leave out, for every fold that leaves both kinds on both sides.

    Rows are given by their ranks: equal rows are left out together.
    """
    rows, place = np.unique(np.concatenate([must, cannot]), return_inverse=True)
    # Split at random, but the same at every call.
    fold = (np.random.default_rng(0).permutation(len(rows)) % N_FOLDS)[place.reshape(-1, 2)]
    for number in range(N_FOLDS):
        left_out = np.split((fold == number).any(axis=1), [len(must)])
        if all(0 < some.sum() < len(some) for some in left_out):
            yield left_out[0], left_out[1]
