"""Learning a linear map from constraints, with a prior that fades as they grow in number."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh

from .._arrays import FloatArray, IntArray
from ..constraints import Constraints
from ..forms import Form, laplacian, within_scatter
from ..graphs import RowMatrix, cannot_link_graph, must_link_graph
from ..projections._groups import group_codes

PRIOR = 0.3
"""The prior counts as much as so many constraints of a kind for each dimension."""

LEAST_WITHIN = 0.01
"""Clusters are taken to vary by at least this part of what all rows vary."""


class PairScatter(NamedTuple):
    """½ Σ δδᵀ over linked rows with differences δ, as a weighted sum of forms, and how many links that is."""

    parts: list[tuple[float, Form]]
    n_links: float

    def matrix(self, F: FloatArray) -> FloatArray:
        """½ Σ δδᵀ for the rows of F."""
        return sum((weight * form.matrix(F) for weight, form in self.parts), np.zeros((F.shape[1], F.shape[1])))


class Links(NamedTuple):
    """The rows that constraints touch, and the scatter of must-linked and of cannot-linked ones."""

    rows: IntArray
    must: PairScatter
    cannot: PairScatter


class Space:
    """Rows, and their covariance, which no constraint changes.

    Attributes
    ----------
    F : (n, d) array
    T : (d, d) array
        The covariance of all rows.
    """

    def __init__(self, F: FloatArray) -> None:
        self.F = F
        centered = F - F.mean(axis=0)
        self.T = (centered.T @ centered).astype(np.float64) / len(F)

    @cached_property
    def affine(self) -> FloatArray:
        """The rows less their mean, and a column of ones."""
        affine = np.ones((len(self.F), self.F.shape[1] + 1), dtype=self.F.dtype)
        np.subtract(self.F, self.F.mean(axis=0), out=affine[:, :-1])
        return affine

    def learned(self, links: Links, rank: int) -> FloatArray:
        """The rows under the map learned from constraints; see :func:`learned_map`."""
        return self.F @ learned_map(self, links, rank).astype(self.F.dtype)


def learned_map(space: Space, links: Links, rank: int) -> FloatArray:
    """The linear map under which must-linked rows are close and cannot-linked rows are far.

    With T the covariance of all rows, d dimensions, m must-links and c cannot-links with differences δ, and s the mean
    variance of must-linked rows (at least 1 % of the total),

    .. math:: A = \\frac{\\tfrac12 \\sum_{must} \\delta \\delta^T + 0.3\\, d\\, s\\, I}{m + 0.3\\, d}, \\qquad
              B = \\frac{\\tfrac12 \\sum_{cannot} \\delta \\delta^T + 0.3\\, d\\, T}{c + 0.3\\, d}, \\qquad
              B v = \\lambda A v, \\quad v^T A v = 1.

    Kept are the ``rank`` largest λ > 1, each column of v weighted by 1 − 1/λ: λ is how much rows of different clusters
    vary in units of how much those of one do, so this is the share of it that lies between them. Without constraints
    A is s·I and B is T, and the map PCA. As constraints grow in number it becomes the discriminant of must-links and
    cannot-links.

    Parameters
    ----------
    space : Space
    links : Links
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
    F = space.F[links.rows].astype(np.float64)
    F -= F.mean(axis=0)  # far from the origin, sums of squares lose the digits that matter
    inside, n_must = links.must.matrix(F), links.must.n_links
    variance = float(np.trace(inside)) / (n_must * d) if n_must else total
    variance = max(variance, LEAST_WITHIN * total)
    A = (inside + PRIOR * d * variance * np.eye(d)) / (n_must + PRIOR * d)
    B = (links.cannot.matrix(F) + PRIOR * d * T) / (links.cannot.n_links + PRIOR * d)
    # by its prior A is never near a singular matrix
    ratio, V = eigh(B, A, subset_by_index=[max(d - rank, 0), d - 1], check_finite=False)
    ratio, V = ratio[::-1], V[:, ::-1]
    kept = ratio > 1
    if not kept.any():
        return np.eye(d)
    return V[:, kept] * (1.0 - 1.0 / ratio[kept])


def links_of(constraints: Constraints, *, closed: bool) -> Links:
    """What linked rows differ by; ``closed`` says whether must-links are closed to groups."""
    rows = np.flatnonzero(constraints.constrained_rows())
    constraints = constraints.restrict(rows)
    return Links(rows, _must_link_scatter(constraints, closed=closed), _cannot_link_scatter(constraints))


def _must_link_scatter(constraints: Constraints, *, closed: bool) -> PairScatter:
    """What must-linked rows differ by; a group of g rows counts as at most g − 1 must-links.

    With ``closed`` it is the scatter of each group around its mean: for a pair alone this is δδᵀ/2.
    """
    codes = group_codes(constraints, "none")
    independent = int((codes >= 0).sum() - len(np.unique(codes[codes >= 0])))
    if closed:
        return PairScatter([(1.0, within_scatter(codes))], float(independent))
    return _scatter_of(must_link_graph(constraints), constraints.n_must_link, independent)


def _cannot_link_scatter(constraints: Constraints) -> PairScatter:
    """What cannot-linked rows differ by; they count as at most as many links as there are such rows."""
    graph = cannot_link_graph(constraints)
    return _scatter_of(graph, constraints.n_cannot_link, int(np.count_nonzero(graph.row_sums() > 0)))


def _scatter_of(graph: RowMatrix, n_pairs: int, independent: int) -> PairScatter:
    """The scatter of all pairs, by weight, counting as no more links than are independent of each other.

    A few labels imply pairs by the square of their number, and say no more than a pair for each row.
    """
    if not n_pairs:
        return PairScatter([], 0.0)
    share = min(1.0, independent / n_pairs)
    return PairScatter([(0.5 * share, laplacian(graph))], share * float(graph.row_sums().sum()) / 2)
