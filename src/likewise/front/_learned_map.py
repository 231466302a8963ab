"""Learning a linear map from constraints, with a prior that fades as they grow in number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from .._arrays import FloatArray, IntArray
from ..constraints import Constraints, Preference
from ..forms import Form, laplacian, within_scatter
from ..graphs import RowMatrix, cannot_link_graph, must_link_graph
from ..linalg._row_matrix import indicator
from ..projections._comparison_loss import ComparisonLoss, Terms, scaled_axes
from ..projections._groups import group_codes

PRIOR = 0.3
"""The prior counts as much as so many constraints of a kind for each dimension."""

LEAST_WITHIN = 0.01
"""Clusters are taken to vary by at least this part of what all rows vary."""


PREFERENCE_LINKS = 3.0
"""Links of each kind that a preference counts as."""

ERROR_RATE = 0.1
"""The share of comparisons that is taken to be wrong."""

COMPARISON_STEPS = 40
"""Steps to the map that explains comparisons."""


class PairScatter(NamedTuple):
    """½ Σ δδᵀ over linked rows with differences δ, as a weighted sum of forms, and how many links that is."""

    parts: list[tuple[float, Form]]
    n_links: float

    def plus(self, graph: RowMatrix) -> PairScatter:
        """With the pairs of a graph, by weight."""
        if not graph.sparse.nnz and not graph.core.nnz:
            return self
        n_links = float(graph.row_sums().sum()) / 2
        # Z Zᵀ − Z' Z'ᵀ has no negative entries, though its parts do
        return PairScatter([*self.parts, (0.5, laplacian(graph))], self.n_links + n_links)

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

    @cached_property
    def axes(self) -> FloatArray:
        """The principal axes, the first one first."""
        return eigh(self.T, check_finite=False)[1][:, ::-1]

    def learned(self, links: Links, rank: int) -> FloatArray:
        """The rows under the map learned from constraints; see :func:`learned_map`."""
        return self.F @ learned_map(self, links, rank).astype(self.F.dtype)

    def compared(self, terms: Terms, rank: int) -> FloatArray:
        """The rows under the map that :class:`likewise.ComparisonProjection` learns from comparisons and pairs."""
        total, d = float(np.trace(self.T)), len(self.T)
        if total <= 0:
            return self.F
        rows, place = np.unique(np.concatenate([terms.near, terms.far]), return_inverse=True)
        F = self.F[rows].astype(np.float64) / np.sqrt(total)
        near, far = (F[pairs[:, 0]] - F[pairs[:, 1]] for pairs in np.split(place.reshape(-1, 2), 2))
        T = self.T / total

        def covariance(V: FloatArray) -> FloatArray:
            return T @ V

        start = scaled_axes(self.axes[:, :rank], covariance)
        penalty = float(min(d, len(self.F)))
        loss = ComparisonLoss(near, far, terms.offset, terms.weight, covariance, 1.0 / d, start, penalty, ERROR_RATE)
        W, _ = loss.minimized(COMPARISON_STEPS)
        return self.F @ (W / np.sqrt(total)).astype(self.F.dtype)


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
    if len(F):
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
    """What linked rows differ by; ``closed`` says whether must-links are closed to groups.

    The near and the far pair of a comparison count as a must-link and a cannot-link. What only the better of two
    clusterings has together counts as three must-links all in all, and what only the worse has as three cannot-links.
    """
    touched = constraints.constrained_rows() | constraints.comparisons.compared_rows()
    for preference in constraints.preferences:
        touched |= preference.shown()
    rows = np.flatnonzero(touched)
    constraints = constraints.restrict(rows)
    must = _must_link_scatter(constraints, closed=closed)
    cannot = _cannot_link_scatter(constraints)
    comparisons = constraints.comparisons
    if len(comparisons):
        must = must.plus(RowMatrix.from_pairs(len(rows), comparisons.near, comparisons.weight))
        cannot = cannot.plus(RowMatrix.from_pairs(len(rows), comparisons.far, comparisons.weight))
    if constraints.preferences:
        must = must.plus(disputed_graph(constraints.preferences, "better"))
        cannot = cannot.plus(disputed_graph(constraints.preferences, "worse"))
    return Links(rows, must, cannot)


def disputed_graph(preferences: Sequence[Preference], side: Literal["better", "worse"]) -> RowMatrix:
    """The pairs that are together in one clustering and not in the other; weights of a preference's add up to three.

    With Z the clusters of one and Z' where those of both meet, this is Z Zᵀ − Z' Z'ᵀ: no pair is written out.
    """
    factors, scales = [], []
    for preference in preferences:
        codes = {"better": preference.better, "worse": preference.worse}[side]
        shown = codes >= 0
        both = preference.better * (int(preference.worse.max()) + 1) + preference.worse
        both[shown], both[~shown] = np.unique(both[shown], return_inverse=True)[1], -1
        sizes, meeting = np.bincount(codes[shown]), np.bincount(both[shown])
        n_disputed = (float(sizes @ sizes) - float(meeting @ meeting)) / 2
        if n_disputed > 0:
            scale = PREFERENCE_LINKS * preference.weight / n_disputed
            factors += [indicator(codes), indicator(both)]
            scales += [np.full(len(sizes), scale), np.full(len(meeting), -scale)]
    if not factors:
        return RowMatrix.zeros(preferences[0].n_samples)
    return RowMatrix.low_rank(sparse.hstack(factors, format="csr"), sparse.diags_array(np.concatenate(scales)))


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
