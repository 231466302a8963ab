"""Learning a linear map from constraints, with a prior whose influence decreases with their number."""

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
"""Weight of the prior, in constraints of each kind per dimension."""

MIN_WITHIN = 0.01
"""Lower bound of the variance within clusters, relative to the total variance."""

PREFERENCE_LINKS = 3.0
"""Number of must-links, and of cannot-links, that a preference is worth."""

ERROR_RATE = 0.1
"""Assumed share of wrong comparisons."""

COMPARISON_STEPS = 40
"""Maximum number of iterations when learning from comparisons."""


class PairScatter(NamedTuple):
    """The scatter ½ Σ δδᵀ of the differences δ of linked rows, as a weighted sum of forms, and the number of links."""

    parts: list[tuple[float, Form]]
    n_links: float

    def plus(self, graph: RowMatrix) -> PairScatter:
        """Add the weighted pairs of a graph."""
        if not graph.sparse.nnz and not graph.core.nnz:
            return self
        n_links = float(graph.row_sums().sum()) / 2
        # A disputed graph Z Zᵀ − Z' Z'ᵀ has no negative entries, though its parts have.
        return PairScatter([*self.parts, (0.5, laplacian(graph))], self.n_links + n_links)

    def matrix(self, F: FloatArray) -> FloatArray:
        """½ Σ δδᵀ for the rows of F."""
        return sum((weight * form.matrix(F) for weight, form in self.parts), np.zeros((F.shape[1], F.shape[1])))


class Links(NamedTuple):
    """The constrained rows, and the scatter of must-linked and of cannot-linked rows."""

    rows: IntArray
    must: PairScatter
    cannot: PairScatter


class Space:
    """Features of all rows, and their covariance, which do not depend on constraints.

    Attributes
    ----------
    F : (n, d) array
    T : (d, d) array
        The covariance matrix.
    """

    def __init__(self, F: FloatArray) -> None:
        self.F = F
        centered = F - F.mean(axis=0)
        self.T = (centered.T @ centered).astype(np.float64) / len(F)

    @cached_property
    def affine(self) -> FloatArray:
        """The centered rows, and a column of ones."""
        affine = np.ones((len(self.F), self.F.shape[1] + 1), dtype=self.F.dtype)
        np.subtract(self.F, self.F.mean(axis=0), out=affine[:, :-1])
        return affine

    @cached_property
    def axes(self) -> FloatArray:
        """The principal axes, in descending order of variance."""
        return eigh(self.T, check_finite=False)[1][:, ::-1]

    def learned(self, links: Links, rank: int) -> FloatArray:
        """The rows transformed by the map learned from constraints; see :func:`learned_map`."""
        return self.F @ learned_map(self, links, rank).astype(self.F.dtype)

    def compared(self, terms: Terms, rank: int) -> FloatArray:
        """The rows transformed by the map that :class:`likewise.ComparisonProjection` learns from the terms."""
        total, d = float(np.trace(self.T)), len(self.T)
        if total <= 0:
            return self.F
        rows, position = np.unique(np.concatenate([terms.near, terms.far]), return_inverse=True)
        F = self.F[rows].astype(np.float64) / np.sqrt(total)
        near, far = (F[pairs[:, 0]] - F[pairs[:, 1]] for pairs in np.split(position.reshape(-1, 2), 2))
        T = self.T / total

        def covariance(V: FloatArray) -> FloatArray:
            return T @ V

        start = scaled_axes(self.axes[:, :rank], covariance)
        penalty = float(min(d, len(self.F)))
        loss = ComparisonLoss(near, far, terms.offset, terms.weight, covariance, 1.0 / d, start, penalty, ERROR_RATE)
        W, _ = loss.minimized(COMPARISON_STEPS)
        return self.F @ (W / np.sqrt(total)).astype(self.F.dtype)


def learned_map(space: Space, links: Links, rank: int) -> FloatArray:
    """The linear map that brings must-linked rows close together and cannot-linked rows far apart.

    With T the covariance of all rows, d dimensions, m must-links and c cannot-links with differences δ, and s the mean
    variance of must-linked rows (at least 1 % of the total),

    .. math:: A = \\frac{\\tfrac12 \\sum_{must} \\delta \\delta^T + 0.3\\, d\\, s\\, I}{m + 0.3\\, d}, \\qquad
              B = \\frac{\\tfrac12 \\sum_{cannot} \\delta \\delta^T + 0.3\\, d\\, T}{c + 0.3\\, d}, \\qquad
              B v = \\lambda A v, \\quad v^T A v = 1.

    The columns of the map are the eigenvectors v of the ``rank`` largest λ > 1, weighted by 1 − 1/λ. λ is the ratio of
    the variance between rows of different clusters to that between rows of one cluster, so 1 − 1/λ is the share of the
    variance that separates clusters. Without constraints A is s·I and B is T, so the map is that of PCA; with many
    constraints it is that of a discriminant analysis of must-links and cannot-links.

    Parameters
    ----------
    space : Space
    links : Links
    rank : int
        Maximum number of columns. k clusters span k − 1 dimensions; more add noise.

    Returns
    -------
    (d, r) array
        The map; ``F @ map`` are the learned features.
    """
    T, d = space.T, len(space.T)
    total = float(np.trace(T)) / d
    if total <= 0:
        return np.eye(d)
    F = space.F[links.rows].astype(np.float64)
    if len(F):
        F -= F.mean(axis=0)  # avoids cancellation in sums of squares far from the origin
    inside, n_must = links.must.matrix(F), links.must.n_links
    variance = float(np.trace(inside)) / (n_must * d) if n_must else total
    variance = max(variance, MIN_WITHIN * total)
    A = (inside + PRIOR * d * variance * np.eye(d)) / (n_must + PRIOR * d)
    B = (links.cannot.matrix(F) + PRIOR * d * T) / (links.cannot.n_links + PRIOR * d)
    # Because of the prior, A is well conditioned.
    ratio, V = eigh(B, A, subset_by_index=[max(d - rank, 0), d - 1], check_finite=False)
    ratio, V = ratio[::-1], V[:, ::-1]
    kept = ratio > 1
    if not kept.any():
        return np.eye(d)
    return V[:, kept] * (1.0 - 1.0 / ratio[kept])


def links_of(constraints: Constraints, *, closed: bool) -> Links:
    """The scatter of linked rows; ``closed`` is whether must-links are closed to groups.

    The near pair of a comparison counts as a must-link, and the far pair as a cannot-link. The pairs that share a
    cluster only in the better clustering of a preference count as three must-links in total, and those that do so only
    in the worse clustering as three cannot-links.
    """
    constrained = constraints.constrained_rows() | constraints.comparisons.compared_rows()
    for preference in constraints.preferences:
        constrained |= preference.shown()
    rows = np.flatnonzero(constrained)
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
    """The graph of pairs that share a cluster in one clustering only; the weights of a preference add up to three.

    With Z the indicator matrix of the clusters of one clustering, and Z' that of the intersections of clusters of both,
    the graph is Z Zᵀ − Z' Z'ᵀ, so pairs need not be enumerated.
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
    """The scatter of must-linked rows; a group of g rows counts as at most g − 1 must-links.

    With ``closed`` it is the scatter within groups, which for a single pair is δδᵀ/2.
    """
    codes = group_codes(constraints, "none")
    independent = int((codes >= 0).sum() - len(np.unique(codes[codes >= 0])))
    if closed:
        return PairScatter([(1.0, within_scatter(codes))], float(independent))
    return _scatter_of(must_link_graph(constraints), constraints.n_must_link, independent)


def _cannot_link_scatter(constraints: Constraints) -> PairScatter:
    """The scatter of cannot-linked rows; they count as at most one link per row."""
    graph = cannot_link_graph(constraints)
    return _scatter_of(graph, constraints.n_cannot_link, int(np.count_nonzero(graph.row_sums() > 0)))


def _scatter_of(graph: RowMatrix, n_pairs: int, independent: int) -> PairScatter:
    """The weighted scatter of all pairs, scaled down to the number of independent ones.

    The number of pairs that labels imply grows with the square of the number of labels, but their information does not.
    """
    if not n_pairs:
        return PairScatter([], 0.0)
    share = min(1.0, independent / n_pairs)
    return PairScatter([(0.5 * share, laplacian(graph))], share * float(graph.row_sums().sum()) / 2)
