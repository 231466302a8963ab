"""Learning a space from must-links, with a ridge that fades as they grow in number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..constraints import Constraints
from ..forms import Form, laplacian, ridge, within_scatter
from ..graphs import must_link_graph
from ..pencil.dense import solve_dense
from ..projections.groups import group_codes

Array = np.ndarray

PRIOR = 0.3
"""The ridge counts as much as so many must-links for each dimension."""

LEAST_WITHIN = 0.01
"""Clusters are taken to vary by at least this part of what all rows vary."""


class Within(NamedTuple):
    """½ Σ δδᵀ over must-links with differences δ, as a form, and how many must-links that is."""

    scatter: Form
    links: float


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

    def learned(self, within: Within) -> Array:
        """The rows under the map that hints teach; see :func:`learned_map`."""
        return self.F @ learned_map(self, within).astype(self.F.dtype)


def learned_map(space: Space, within: Within) -> Array:
    """The linear map under which what must-linked rows differ by counts little, and what tells clusters apart much.

    With T the covariance of all rows, m must-links with differences δ, d dimensions and s their mean variance within
    clusters (at least 1 % of the total),

    .. math:: A = \\frac{\\tfrac12 \\sum \\delta \\delta^T + 0.3\\, d\\, s\\, I}{m + 0.3\\, d},
              \\qquad T v = \\lambda A v, \\quad v^T A v = 1,

    and the column of v is weighed by (1 − 1/λ)₊: λ is the variance of all rows in units of that within clusters, so
    this is the share of it that lies between them. With few must-links A is nearly s·I and the map nearly PCA; with
    many it is Costco at full rank, without a ridge.

    Parameters
    ----------
    space : Space
    within : Within

    Returns
    -------
    (d, r) array
        ``F @ map`` are the learned features.
    """
    F, T, d = space.F, space.T, len(space.T)
    total = float(np.trace(T)) / d
    if total <= 0:
        return np.eye(d)
    scatter, links = within
    variance = float(scatter.diagonal(F).sum()) / (links * d) if links else total
    variance = max(variance, LEAST_WITHIN * total)
    A = (scatter + ridge(PRIOR * d * variance)) * (1.0 / (links + PRIOR * d))
    ratio, V = solve_dense(T, A.matrix(F))
    kept = ratio > 1
    if not kept.any():
        return np.eye(d)
    return V[:, kept] * (1.0 - 1.0 / ratio[kept])


def within_links(hints: Constraints, *, closed: bool) -> Within:
    """What must-linked rows differ by.

    ``closed`` says whether must-links are closed to groups. A group of g rows then counts as g − 1 must-links, by the
    scatter around its mean: for a pair alone this is δδᵀ/2. Otherwise stated pairs count by themselves, by belief.
    """
    if closed:
        codes = group_codes(hints, "none")
        return Within(within_scatter(codes), float((codes >= 0).sum() - len(np.unique(codes[codes >= 0]))))
    n = hints.n_samples
    pairs = Constraints(n, hints.must_link, must_weight=hints.must_weight)
    scatter, links = laplacian(must_link_graph(pairs)) * 0.5, float(hints.must_weight.sum())
    for partition in hints.partitions:
        if partition.same_within:
            scatter = scatter + within_scatter(partition.codes) * partition.weight
            links += (partition.n_known - partition.n_blocks) * partition.weight
    return Within(scatter, links)
