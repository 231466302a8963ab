"""Learning a space from hints, with a prior that fades as they grow in number."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from ..constraints import Constraints
from ..forms import Form, laplacian, within_scatter
from ..graphs import RowMatrix, cannot_link_graph
from ..projections._groups import group_codes

Array = np.ndarray

PRIOR = 0.3
"""What is believed before any hint counts as much as so many hints of a kind for each dimension."""

LEAST_WITHIN = 0.01
"""Clusters are taken to vary by at least this part of what all rows vary."""


class Differences(NamedTuple):
    """½ Σ δδᵀ over linked rows with differences δ, as a weighed sum of forms, and how many links that is."""

    parts: list[tuple[float, Form]]
    links: float

    def scatter(self, F: Array) -> Array:
        """½ Σ δδᵀ for the rows of F."""
        return sum((weight * form.matrix(F) for weight, form in self.parts), np.zeros((F.shape[1], F.shape[1])))


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
        centered = F - F.mean(axis=0)
        self.T = (centered.T @ centered).astype(np.float64) / len(F)

    @cached_property
    def affine(self) -> Array:
        """The rows less their mean, and a column of ones."""
        affine = np.ones((len(self.F), self.F.shape[1] + 1), dtype=self.F.dtype)
        np.subtract(self.F, self.F.mean(axis=0), out=affine[:, :-1])
        return affine

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
    rows, same, different = taught
    F = space.F[rows].astype(np.float64)
    F -= F.mean(axis=0)  # far from the origin, sums of squares lose the digits that matter
    inside, links = same.scatter(F), same.links
    variance = float(np.trace(inside)) / (links * d) if links else total
    variance = max(variance, LEAST_WITHIN * total)
    A = (inside + PRIOR * d * variance * np.eye(d)) / (links + PRIOR * d)
    B = (different.scatter(F) + PRIOR * d * T) / (different.links + PRIOR * d)
    # by its prior A is never near a singular matrix
    ratio, V = eigh(B, A, subset_by_index=[max(d - rank, 0), d - 1], check_finite=False)
    ratio, V = ratio[::-1], V[:, ::-1]
    kept = ratio > 1
    if not kept.any():
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
        links = float((codes >= 0).sum() - len(np.unique(codes[codes >= 0])))
        return Differences([(1.0, within_scatter(codes))], links)
    graph = RowMatrix.from_pairs(hints.n_samples, hints.must_link, hints.must_weight)
    parts, links = [(0.5, laplacian(graph))], float(hints.must_weight.sum())
    for partition in hints.partitions:
        if partition.same_within:
            parts.append((partition.weight, within_scatter(partition.codes)))
            links += (partition.n_known - partition.n_blocks) * partition.weight
    return Differences(parts, links)


def different_rows(hints: Constraints) -> Differences:
    """What cannot-linked rows differ by: stated pairs, by belief; a partition counts as many links as it has rows."""
    n = hints.n_samples
    graph, links = RowMatrix.from_pairs(n, hints.cannot_link, hints.cannot_weight), float(hints.cannot_weight.sum())
    parts = [(0.5, laplacian(graph))]
    for partition in hints.partitions:
        if partition.n_cannot_link:
            every = laplacian(cannot_link_graph(Constraints(n, partitions=[partition])))
            parts.append((0.5 * partition.n_known / partition.n_cannot_link, every))
            links += partition.n_known * partition.weight
    return Differences(parts, links)
