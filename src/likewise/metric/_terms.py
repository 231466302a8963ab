"""Sums of squared differences of constrained rows, from which metrics are learned.

Pairs are used as given, without closure, so that a wrong must-link affects a single term and not a whole group.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._arrays import FloatArray, IntArray, evenly_spaced
from ..constraints import Constraints, Partition
from ..constraints._overlap import implied_weights, implies
from ..constraints._partition import by_block, numbered_pairs
from ..forms import Form, laplacian, ridge
from ..graphs import must_link_graph
from ..linalg._products import centered, row_blocks

MAX_PAIRS = 200_000
"""Maximum number of cannot-links that partitions are expanded to; beyond, an evenly spaced sample is used."""

MAX_ENTRIES = 2**24
"""Maximum size of the expanded pairs, pairs × features. Reduces ``MAX_PAIRS`` if there are many features."""

MIN_RIDGE = 1e-6
"""Smallest ridge, just enough for an optimum to exist; see :func:`must_link_form`."""


def around_mean(X: Any) -> Any:
    """Dense X minus the column means; sparse X unchanged."""
    return sparse.csr_array(X) if sparse.issparse(X) else centered(np.asarray(X))


def must_link_form(
    X: Any, constraints: Constraints, amount: float = MIN_RIDGE, variance: FloatArray | None = None
) -> Form:
    """Σ over must-links of weight × (x_i − x_j)(x_i − x_j)ᵀ, plus a ridge of ``2 · total weight · variance · amount``.

    A partition costs O(n), independent of the number of pairs that it implies. The ridge corresponds to ``amount``
    pseudo-links per must-link. Without it, a feature on which all must-linked rows agree would have no cost, and its
    optimal weight would be infinite.
    """
    graph = must_link_graph(constraints)
    total = float(graph.row_sums().sum()) / 2 or 1.0
    return laplacian(graph) + ridge(pseudo_links(amount * total, column_variance(X) if variance is None else variance))


def must_link_sums(X: Any, constraints: Constraints, amount: float, variance: FloatArray) -> FloatArray:
    """The diagonal of :func:`must_link_form`; a few pairs are summed directly, without the graph."""
    pairs, weights = constraints.must_link, constraints.must_weight
    if constraints.partitions or sparse.issparse(X) or len(pairs) > max_pairs(entries(X)):
        return must_link_form(X, constraints, amount, variance).diagonal(X)
    return weights @ np.square(differences(X, pairs)) + pseudo_links(amount * (float(weights.sum()) or 1.0), variance)


def pseudo_links(amount: float, variance: FloatArray) -> FloatArray:
    """The expected sum for ``amount`` must-links between random rows, whose mean squared difference is 2 · variance."""
    return 2 * amount * variance


def resolve_ridge(ridge: float | str, shrink: float | str) -> float:
    """``ridge`` as a number: "auto" is 1, or the smallest possible one with ``shrink=0``, the published method."""
    if isinstance(ridge, str):
        return MIN_RIDGE if shrink == 0 else 1.0
    return float(ridge)


def column_variance(X: Any) -> FloatArray:
    """Variance of each feature (with divisor n); exactly 0 for constant features."""
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
    """Mean number of stored values of a difference of two rows."""
    return 2 * X.nnz / X.shape[0] if sparse.issparse(X) else X.shape[1]


def max_pairs(n_entries: float) -> int:
    """Maximum number of expanded pairs if a difference of two rows has ``n_entries`` stored values."""
    return min(MAX_PAIRS, max(int(MAX_ENTRIES / max(n_entries, 1)), 1000))


def check_cannot_links(estimator: str, constraints: Constraints, remedy: str) -> None:
    """Raise an error that names the estimator if there are no cannot-links."""
    if constraints.n_cannot_link == 0:
        raise ValueError(
            f"{estimator} learns from cannot-links, but the constraints contain none: {constraints!r}. "
            f"Add cannot-links, or {remedy}."
        )


def cannot_link_pairs(constraints: Constraints, limit: int) -> tuple[IntArray, FloatArray]:
    """Cannot-links, given or implied, and their weights; partitions are expanded to about ``limit`` pairs.

    Up to the limit all implied pairs are included, and a pair given twice counts once with the larger weight. Beyond
    it, each partition is represented by evenly spaced pairs with increased weights; pairs that are given, or implied by
    a partition of larger weight, are not counted again.
    """
    if not constraints.partitions:
        return constraints.cannot_link, constraints.cannot_weight
    partitions = [part for part in constraints.partitions if part.n_cannot_link]
    implied = sum(part.n_cannot_link for part in partitions)
    if implied <= limit:
        expanded = constraints.only("cannot").expand(limit + len(constraints.cannot_link))
        return expanded.cannot_link, expanded.cannot_weight
    stated = constraints.cannot_link
    pairs, weights = [stated], [np.maximum(constraints.cannot_weight, implied_weights(constraints, "cannot"))]
    partitions.sort(key=lambda part: -part.weight)
    for place, part in enumerate(partitions):
        drawn = _spaced_pairs(part, max(1, limit * part.n_cannot_link // implied))
        # A pair counts once: as given, or in the partition of largest weight.
        new = ~np.isin(_keys(drawn, constraints.n_samples), _keys(stated, constraints.n_samples))
        for earlier in partitions[:place]:
            new &= ~implies(earlier, "cannot", drawn)
        pairs.append(drawn[new])
        weights.append(np.full(np.count_nonzero(new), part.weight * part.n_cannot_link / len(drawn)))
    return np.concatenate(pairs), np.concatenate(weights)


def must_link_pairs(constraints: Constraints, limit: int) -> tuple[IntArray, FloatArray]:
    """The same for must-links, as the cannot-links of constraints with both kinds exchanged."""
    if not constraints.partitions:
        return constraints.must_link, constraints.must_weight
    swapped = Constraints(
        constraints.n_samples,
        cannot_link=constraints.must_link,
        cannot_weight=constraints.must_weight,
        partitions=[
            Partition(part.codes, same_within=False, different_within=True, weight=part.weight)
            for part in constraints.partitions
            if part.same_within
        ],
    )
    return cannot_link_pairs(swapped, limit)


def _keys(pairs: IntArray, n: int) -> IntArray:
    """A unique number for each pair, independent of the order of its rows."""
    return pairs.min(axis=1) * n + pairs.max(axis=1)


def _spaced_pairs(partition: Partition, amount: int) -> IntArray:
    """``amount`` distinct cannot-links of a partition, evenly spaced in the order of its blocks.

    With rows sorted by block, the partners of a row are the rows after its block, those after itself within the block,
    or both. So the t-th pair is found by counting, without listing O(n²) pairs.
    """
    rows = by_block(partition.codes)
    end = np.searchsorted(partition.codes[rows], partition.codes[rows], side="right")
    start = np.arange(len(rows)) + 1 if partition.different_within else end
    stop = np.full(len(rows), len(rows)) if partition.different_across else end
    return rows[numbered_pairs(evenly_spaced(int((stop - start).sum()), amount), start, stop)]


def differences(X: Any, pairs: IntArray, *, dense: bool = False) -> Any:
    """``x_i − x_j`` in double precision, one row per pair; sparse for sparse X, unless ``dense``."""
    D = X[pairs[:, 0]].astype(np.float64, copy=False) - X[pairs[:, 1]]
    return D.toarray() if dense and sparse.issparse(D) else D
