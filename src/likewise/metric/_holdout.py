"""How far to trust the optimum: as far as it tells pairs apart that it has not seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._progress_legacy import each
from ..constraints import Constraints
from ._learn import Learned, Learner, squares
from ._terms import cannot_link_pairs, differences, entries, made_up, must_link_pairs

Array = np.ndarray

PARTS = 5
"""Parts the rows are dealt into, each of which is left out once."""

STEPS = np.linspace(0, 1, 21).round(2)
"""Shrinkages to choose from."""

UNSURE = 0.9
"""Shrinkage where the hints are too few to leave some out: near the metric that knows none."""

TOLERANCE = 1e-4
"""How exactly the optimum of a part is found."""

MOST_PAIRS = 2000
"""Pairs of each kind that the choice is made with; more are thinned out, evenly spaced."""

MOST_ENTRIES = 2**20
"""Numbers their differences may hold: lowers ``MOST_PAIRS`` where there are many features, to 500 at least."""


def choose_shrink(X: Any, hints: Constraints, learner: Learner, ridge: float) -> float:
    """The shrinkage at which pairs of rows that were left out are told apart best, or more where that is as good.

    The rows that hints speak of are dealt into five parts. With each part left out in turn the optimum is learned from
    the pairs without a row in it; the score of a shrinkage is how well its distances order the other pairs: the chance
    that a cannot-linked pair is farther apart than a must-linked one (the area under the ROC curve), pairs drawn in
    proportion to their beliefs. Whole rows are left out since labels say of two rows what they said of a third.

    Of the shrinkages whose mean score falls short of the best by no more than one standard error of that difference
    the largest is chosen (Breiman et al. 1984, Section 3.4.3). Where fewer than two parts leave both kinds of pairs on
    both sides, it is 0.9.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
        Centered, unless sparse.
    hints : Constraints
    learner : Learner
        Of diagonal metrics.
    ridge : float
        Made-up must-links for each real one.
    """
    limit = min(MOST_PAIRS, max(int(MOST_ENTRIES / max(entries(X), 1)), 500))
    must, cannot = (_Pairs.of(X, *told(hints, limit), limit) for told in (must_link_pairs, cannot_link_pairs))
    scores = []
    for must_asked, cannot_asked in each(_parts(must.rows, cannot.rows), PARTS):
        seen, apart = must.some(~must_asked), cannot.some(~cannot_asked)
        total = seen.beliefs @ squares(seen.D) + made_up(ridge * float(seen.beliefs.sum()), learner.spread)
        found = learner.learn(total, apart.D, apart.beliefs, TOLERANCE)
        scores.append(_scores(found, must.some(must_asked), cannot.some(cannot_asked)))
    return most_within_error(np.array(scores)) if len(scores) > 1 else UNSURE


def _scores(found: Learned, must: _Pairs, cannot: _Pairs) -> Array:
    """How well the metric after each step tells the two kinds apart."""
    ends = np.array([found.optimum, found.prior])
    near, far = ((squares(pairs.D) @ ends.T).T for pairs in (must, cannot))
    shares = np.column_stack([1 - STEPS, STEPS])
    return told_apart(shares @ near, shares @ far, must.beliefs, cannot.beliefs)


def told_apart(must: Array, cannot: Array, must_beliefs: Array, cannot_beliefs: Array) -> Array:
    """The chance that a cannot-linked pair is farther apart than a must-linked one; a tie counts half.

    The last axis of the distances runs over the pairs; there may be others.

    >>> float(told_apart(np.array([1.0, 2.0]), np.array([2.0, 3.0]), np.ones(2), np.ones(2)))
    0.875
    """
    both = np.concatenate([must, cannot], axis=-1)
    near, far = (
        np.concatenate([must_beliefs, np.zeros_like(cannot_beliefs)]),
        np.concatenate([np.zeros_like(must_beliefs), cannot_beliefs]),
    )
    nearer = np.zeros(both.shape[:-1])
    for way in (slice(None), slice(None, None, -1)):  # of equals must-links come first, then cannot-links
        order = np.argsort(both[..., way], axis=-1, kind="stable")
        nearer += (np.cumsum(near[way][order], axis=-1) * far[way][order]).sum(axis=-1)
    return nearer / (2 * must_beliefs.sum() * cannot_beliefs.sum())


def most_within_error(scores: Array) -> float:
    """The largest of the steps that falls short of the best by one standard error at most; one row a part."""
    short = scores[:, [scores.mean(axis=0).argmax()]] - scores
    error = short.std(axis=0, ddof=1) / np.sqrt(len(scores))
    return float(STEPS[np.flatnonzero(short.mean(axis=0) <= error)[-1]])


@dataclass(frozen=True)
class _Pairs:
    """Pairs of one kind: the rows, their differences, the beliefs."""

    rows: Array
    D: Any
    beliefs: Array

    @classmethod
    def of(cls, X: Any, rows: Array, beliefs: Array, limit: int) -> _Pairs:
        """At most ``limit`` of them, evenly spaced."""
        if len(rows) > limit:
            some = np.linspace(0, len(rows) - 1, limit).astype(np.int64)
            rows, beliefs = rows[some], beliefs[some]
        return cls(rows, differences(X, rows), beliefs)

    def some(self, which: Array) -> _Pairs:
        return _Pairs(self.rows[which], self.D[which], self.beliefs[which])


def _parts(must: Array, cannot: Array) -> Iterator[tuple[Array, Array]]:
    """Which must-links and which cannot-links to ask about, for every part that leaves both kinds on both sides."""
    rows, place = np.unique(np.concatenate([must, cannot]), return_inverse=True)
    # Dealt at random, so that the order of the rows plays no part, but the same at every call.
    part = (np.random.default_rng(0).permutation(len(rows)) % PARTS)[place.reshape(-1, 2)]
    for number in range(PARTS):
        asked = np.split((part == number).any(axis=1), [len(must)])
        if all(0 < some.sum() < len(some) for some in asked):
            yield asked[0], asked[1]
