"""Learning a space from hints, with a prior that fades as they grow in number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..constraints import Constraints
from ..forms import Form, laplacian, within_scatter
from ..graphs import RowMatrix, cannot_link_graph
from ..pencil.dense import solve_dense
from ..projections.groups import group_codes

Array = np.ndarray

PRIOR = 0.3
"""What is believed before any hint counts as much as so many hints of a kind for each dimension."""

LEAST_WITHIN = 0.01
"""Clusters are taken to vary by at least this part of what all rows vary."""


class Differences(NamedTuple):
    """½ Σ δδᵀ over linked rows with differences δ, as a form, and how many links that is."""

    scatter: Form
    links: float


class Taught(NamedTuple):
    """The rows that hints speak of; what rows said to be the same differ by, and rows said to be different."""

    rows: Array
    same: Differences
    different: Differences


class Space:
    """Rows, and how they vary as a whole, which no hint changes.

    Attributes
    ----------
    F : (n, d) array
    T : (d, d) array
        The covariance of all rows.
    """

    def __init__(self, F: Array) -> None:
        self.F = F
        centred = F - F.mean(axis=0)
        self.T = (centred.T @ centred).astype(np.float64) / len(F)

    def learned(self, taught: Taught, rank: int) -> Array:
        """The rows under the map that hints teach; see :func:`learned_map`."""
        return self.F @ learned_map(self, taught, rank).astype(self.F.dtype)


def learned_map(space: Space, taught: Taught, rank: int) -> Array:
    """The linear map under which must-linked rows are close and cannot-linked rows are far.

    With T the covariance of all rows, d dimensions, m must-links and c cannot-links with differences δ, and s the mean
    variance of must-linked rows (at least 1 % of the total),

    .. math:: A = \\frac{\\tfrac12 \\sum_{must} \\delta \\delta^T + 0.3\\, d\\, s\\, I}{m + 0.3\\, d}, \\qquad
              B = \\frac{\\tfrac12 \\sum_{cannot} \\delta \\delta^T + 0.3\\, d\\, T}{c + 0.3\\, d}, \\qquad
              B v = \\lambda A v, \\quad v^T A v = 1.

    Kept are the ``rank`` largest λ > 1, each column of v weighed by 1 − 1/λ: λ is how much rows of different clusters
    vary in units of how much those of one do, so this is the share of it that lies between them. Without hints A is s·I
    and B is T, and the map PCA. As hints grow in number it becomes the discriminant of must-links and cannot-links.

    Parameters
    ----------
    space : Space
    taught : Taught
    rank : int
        k clusters lie in k − 1 dimensions; more only add noise.

    Returns
    -------
    (d, r) array
        ``F @ map`` are the learned features.
    """
    T, d = space.T, len(space.T)
    total = float(np.trace(T)) / d
    if total <= 0:
        return np.eye(d)
    rows, (scatter, links), (apart, cannot) = taught
    F = space.F[rows] - space.F[rows].mean(axis=0)  # far from the origin, sums of squares lose the digits that matter
    within = scatter.matrix(F)
    variance = float(np.trace(within)) / (links * d) if links else total
    variance = max(variance, LEAST_WITHIN * total)
    A = (within + PRIOR * d * variance * np.eye(d)) / (links + PRIOR * d)
    B = (apart.matrix(F) + PRIOR * d * T) / (cannot + PRIOR * d)
    ratio, V = solve_dense(B, A)
    kept = np.argsort(-ratio, kind="stable")[:rank]
    kept = kept[ratio[kept] > 1]
    if not len(kept):
        return np.eye(d)
    return V[:, kept] * (1.0 - 1.0 / ratio[kept])


def taught_by(hints: Constraints, *, closed: bool) -> Taught:
    """What linked rows differ by; ``closed`` says whether must-links are closed to groups."""
    rows = np.flatnonzero(hints.touched())
    hints = hints.restrict(rows)
    return Taught(rows, same_rows(hints, closed=closed), different_rows(hints))


def same_rows(hints: Constraints, *, closed: bool) -> Differences:
    """What must-linked rows differ by.

    With ``closed`` a group of g rows counts as g − 1 must-links, by the scatter around its mean: for a pair alone this
    is δδᵀ/2. Otherwise stated pairs count by themselves, by belief.
    """
    if closed:
        codes = group_codes(hints, "none")
        return Differences(within_scatter(codes), float((codes >= 0).sum() - len(np.unique(codes[codes >= 0]))))
    scatter, links = _stated(hints.n_samples, hints.must_link, hints.must_weight)
    for partition in hints.partitions:
        if partition.same_within:
            scatter = scatter + within_scatter(partition.codes) * partition.weight
            links += (partition.n_known - partition.n_blocks) * partition.weight
    return Differences(scatter, links)


def different_rows(hints: Constraints) -> Differences:
    """What cannot-linked rows differ by: stated pairs, by belief; a partition counts as many links as it has rows."""
    n = hints.n_samples
    scatter, links = _stated(n, hints.cannot_link, hints.cannot_weight)
    for partition in hints.partitions:
        if partition.n_cannot_link:
            every = laplacian(cannot_link_graph(Constraints(n, partitions=[partition])))
            scatter = scatter + every * (0.5 * partition.n_known / partition.n_cannot_link)
            links += partition.n_known * partition.weight
    return Differences(scatter, links)


def _stated(n: int, pairs: Array, beliefs: Array) -> Differences:
    """What the two rows of stated pairs differ by, each pair by its belief."""
    return Differences(laplacian(RowMatrix.from_pairs(n, pairs, beliefs)) * 0.5, float(beliefs.sum()))
