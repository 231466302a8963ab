"""What the hints say about squared differences of features: the two sums every learned distance starts from.

Pairs count as they were given, without closure: a wrong must-link then spoils one term of a sum, not a whole group.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from ..constraints import Constraints, Partition
from ..forms import Form, laplacian, ridge
from ..graphs import must_link_graph
from ..linalg._precise import centered, row_blocks

Array = np.ndarray

MOST_PAIRS = 200_000
"""Cannot-links that partitions may be written out to; beyond it an evenly spaced sample stands for them."""

MOST_ENTRIES = 2**24
"""Numbers the written-out pairs may hold, pairs × features: lowers ``MOST_PAIRS`` where there are many features."""

LEAST_RIDGE = 1e-6
"""Just enough for an optimum to exist: see :func:`must_link_form`."""


@dataclass(frozen=True)
class FeatureTerms:
    """What the hints say about features one by one: enough to weigh all of them, or any set of them.

    Attributes
    ----------
    must : (f,) array
        Must-link sum of each feature, ridge included; 0 where the feature is constant.
    variance : (f,) array
    pairs, beliefs : (m, 2) and (m,) arrays
        Cannot-links.
    """

    must: Array
    variance: Array
    pairs: Array
    beliefs: Array

    @classmethod
    def of(
        cls,
        X: Any,
        constraints: Constraints,
        *,
        ridge: float = LEAST_RIDGE,
        variance: Array | None = None,
        width: int | None = None,
    ) -> FeatureTerms:
        """Read them off centered data, to be used on ``width`` features at a time (default: all).

        ``variance`` saves time where it is known.
        """
        variance = column_variance(X) if variance is None else variance
        pairs, beliefs = cannot_link_pairs(constraints, most_pairs(entries(X) * (width or X.shape[1]) / X.shape[1]))
        return cls(must_link_sums(X, constraints, ridge, variance), variance, pairs, beliefs)

    def of_features(self, features: Array) -> FeatureTerms:
        """The same for some of the features."""
        return replace(self, must=self.must[features], variance=self.variance[features])


def around_mean(X: Any) -> Any:
    """X with the mean of each column taken away; sparse X as it is."""
    return sparse.csr_array(X) if sparse.issparse(X) else centered(np.asarray(X))


def must_link_form(
    X: Any, constraints: Constraints, amount: float = LEAST_RIDGE, variance: Array | None = None
) -> Form:
    """Σ over must-links of belief × (x_i − x_j)(x_i − x_j)ᵀ, and a ridge of ``2 · beliefs · variance · amount``.

    A partition costs O(n), however many pairs it implies. The ridge is ``amount`` made-up must-links between random
    rows for each real one. Without any, a feature on which all must-linked rows agree would be free, and its best
    weight infinite.
    """
    graph = must_link_graph(constraints)
    beliefs = float(graph.row_sums().sum()) / 2 or 1.0
    return laplacian(graph) + ridge(made_up(amount * beliefs, column_variance(X) if variance is None else variance))


def must_link_sums(X: Any, constraints: Constraints, amount: float, variance: Array) -> Array:
    """The diagonal of that form; few pairs are added up as they are, which spares the matrices."""
    pairs, beliefs = constraints.must_link, constraints.must_weight
    if constraints.partitions or sparse.issparse(X) or len(pairs) > most_pairs(entries(X)):
        return must_link_form(X, constraints, amount, variance).diagonal(X)
    return beliefs @ np.square(differences(X, pairs)) + made_up(amount * (float(beliefs.sum()) or 1.0), variance)


def made_up(amount: float, variance: Array) -> Array:
    """What so many must-links between random rows would add: a random pair differs by 2 · variance on average."""
    return 2 * amount * variance


def resolve_ridge(ridge: float | str, shrink: float | str) -> float:
    """The number behind ``ridge``: "auto" is 1, and the least there must be for the literal reading, ``shrink=0``."""
    if isinstance(ridge, str):
        return LEAST_RIDGE if shrink == 0 else 1.0
    return float(ridge)


def column_variance(X: Any) -> Array:
    """Variance of each feature (1/n); exactly 0 for constant ones."""
    if sparse.issparse(X):
        variance = mean_variance_axis(sparse.csr_matrix(X), axis=0)[1]
        scale = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    else:
        mean, total = X.mean(axis=0, dtype=np.float64), np.zeros(X.shape[1])
        for rows in row_blocks(X):
            total += np.square(X[rows] - mean).sum(axis=0)
        variance, scale = total / X.shape[0], np.square(np.maximum(X.max(axis=0), -X.min(axis=0)), dtype=np.float64)
    return np.where(variance > 1e-14 * scale, variance, 0.0)


def entries(X: Any) -> float:
    """How many numbers one difference of rows holds."""
    return 2 * X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]


def most_pairs(n_entries: float) -> int:
    """How many pairs may be written out when one difference of rows holds ``n_entries`` numbers."""
    return min(MOST_PAIRS, max(int(MOST_ENTRIES / max(n_entries, 1)), 1000))


def cannot_link_pairs(constraints: Constraints, limit: int) -> tuple[Array, Array]:
    """Cannot-links, stated or implied, and their beliefs; partitions are written out to about ``limit`` pairs."""
    if constraints.n_cannot_link == 0:
        raise ValueError(
            f"XingMetric learns from cannot-links, and the hints hold none: {constraints!r}. Add pairs that differ, or "
            "learn from must-links alone with RCA or Costco."
        )
    return _told_apart(constraints, limit)


def must_link_pairs(constraints: Constraints, limit: int) -> tuple[Array, Array]:
    """The same for must-links, of which there may be none."""
    if not constraints.partitions:
        return constraints.must_link, constraints.must_weight
    reversed_hints = Constraints(
        constraints.n_samples,
        cannot_link=constraints.must_link,
        cannot_weight=constraints.must_weight,
        partitions=[
            Partition(part.codes, same_within=False, different_within=True, weight=part.weight)
            for part in constraints.partitions
            if part.same_within
        ],
    )
    return _told_apart(reversed_hints, limit)


def _told_apart(constraints: Constraints, limit: int) -> tuple[Array, Array]:
    """Cannot-links and their beliefs.

    Up to the limit every implied pair is written out, and a pair said twice counts once with the larger belief. Beyond
    the limit each partition gives evenly spaced pairs, whose beliefs are raised to stand for those left out.
    """
    if not constraints.partitions:
        return constraints.cannot_link, constraints.cannot_weight
    partitions = [part for part in constraints.partitions if part.n_cannot_link]
    implied = sum(part.n_cannot_link for part in partitions)
    if implied <= limit:
        only = Constraints(
            constraints.n_samples,
            cannot_link=constraints.cannot_link,
            cannot_weight=constraints.cannot_weight,
            partitions=[part.with_codes(part.codes, same_within=False) for part in partitions],
        )
        only = only.expand(limit + len(constraints.cannot_link))
        return only.cannot_link, only.cannot_weight
    pairs, beliefs = [constraints.cannot_link], [constraints.cannot_weight]
    for part in partitions:
        share = max(1, limit * part.n_cannot_link // implied)
        pairs.append(_spaced_pairs(part, share))
        beliefs.append(np.full(len(pairs[-1]), part.weight * part.n_cannot_link / len(pairs[-1])))
    return np.concatenate(pairs), np.concatenate(beliefs)


def _spaced_pairs(partition: Partition, amount: int) -> Array:
    """``amount`` of the pairs a partition says differ, evenly spaced in the order of their blocks; none written twice.

    Rows stand in the order of their blocks. The partners of a row are the rows after its block ends, those after
    itself within the block, or both; so the t-th pair is found by counting, and O(n²) pairs never exist.
    """
    rows = np.flatnonzero(partition.codes >= 0)
    rows = rows[np.argsort(partition.codes[rows], kind="stable")]
    position = np.arange(len(rows))
    end = np.searchsorted(partition.codes[rows], partition.codes[rows], side="right")
    first = position + 1 if partition.different_within else end
    last = np.full(len(rows), len(rows)) if partition.different_across else end
    upto = np.cumsum(last - first)
    wanted = np.unique(np.linspace(0, upto[-1] - 1, amount).astype(np.int64))
    left = np.searchsorted(upto, wanted, side="right")
    right = first[left] + wanted - (upto[left] - (last - first)[left])
    return np.column_stack([rows[left], rows[right]])


def differences(X: Any, pairs: Array, *, dense: bool = False) -> Any:
    """``x_i − x_j`` in double precision, one pair a row; sparse for sparse X, unless ``dense``."""
    D = X[pairs[:, 0]].astype(np.float64, copy=False) - X[pairs[:, 1]]
    return D.toarray() if dense and sparse.issparse(D) else D
