"""What broken hints cost when that depends on the two rows and on the metric of their clusters (MPCK-means).

With M and C the prices of must- and cannot-links between rows, and q_h(i, j) = ‖x_i − x_j‖² under the metric of
cluster h, a row i in cluster c pays, up to what is the same for every c,

    ½ Σ_j M_ij q_c(i, j)  +  Σ_{j in c} ( C_ij · far_c − (M_ij + C_ij) q_c(i, j) ).

The first sum knows no labels; the second sees only who is in c. Both are linear in M and C, which are a few stated
pairs plus something of low rank for whole groups: pairs are added up one by one (:mod:`.violations_pairs`), groups from
the counts, sums and squares of their rows in each cluster (:mod:`.violations_groups`).
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ....constraints import Constraints
from ....graphs import cannot_link_graph, must_link_graph
from .._penalties import FEW_PAIRS
from .._points import Array
from ._cluster_metrics import Metrics
from ._violations_groups import GroupPrices, shared_columns
from ._violations_pairs import PairPrices

FEW_ENTRIES = 50_000
"""What hints may always come to when they are written out as pairs: groups are no quicker below that."""


class Standing(Protocol):
    """What hints say to rows whose labels change one at a time."""

    base: Array
    """(n, k): the first sum above, for every row and cluster."""

    def votes(self) -> Array:
        """(n, k): the second sum, as the labels stand."""

    def charge(self, row: int, paid: Array) -> None:
        """Add the second sum for one row to what it pays in each cluster."""

    def move(self, row: int, before: int, after: int) -> None:
        """A row went from one cluster to another."""


class Prices(Protocol):
    """A part of the hints: the pairs, or the groups."""

    def standing(self, labels: Array, metrics: Metrics) -> Standing:
        """What they say to rows, for a sweep; ``labels`` may be changed while it lasts, with a move for each."""

    def strain(self, labels: Array, metrics: Metrics) -> tuple[Array, Array]:
        """As :meth:`Violations.strain`."""


class Violations:
    """The costs of labels under hints.

    Parameters
    ----------
    X : (n, f) array or CSR matrix
    constraints : Constraints
    penalty : float
    closed : bool
        Count what follows from the hints, too.

    Attributes
    ----------
    free : (n,) mask
        Rows in no pair.
    """

    def __init__(self, X: Any, constraints: Constraints, penalty: float, *, closed: bool) -> None:
        self.free = ~constraints.touched()
        cannot = penalty * cannot_link_graph(constraints, closed=closed)
        must = penalty * must_link_graph(constraints, closed=closed)
        limit = max(FEW_PAIRS * constraints.n_samples, FEW_ENTRIES)
        must, cannot = shared_columns(*(graph.written_out(limit) for graph in (must, cannot)))
        pairs, groups = PairPrices(X, must.sparse, cannot.sparse), GroupPrices(X, must, cannot)
        self._parts: list[Prices] = []
        if pairs.n_pairs:
            self._parts.append(pairs)
        if groups.n_groups:
            self._parts.append(groups)

    def sweep(self, labels: Array, own: Array, metrics: Metrics, rng: np.random.RandomState) -> Array:
        """Rows that would rather be elsewhere, in random order, to the cluster cheapest for them by then.

        ``own`` is (n, k), what each cluster costs each row by itself.
        """
        labels = labels.copy()
        standing = [part.standing(labels, metrics) for part in self._parts]
        base = sum((part.base for part in standing), own)
        cost = sum((part.votes() for part in standing), base)
        wanting = np.flatnonzero(cost.min(axis=1) < cost[np.arange(len(labels)), labels])
        for i in rng.permutation(wanting[~self.free[wanting]]).tolist():
            paid = base[i].copy()
            for part in standing:
                part.charge(i, paid)
            before, best = labels[i], int(paid.argmin())
            if paid[best] < paid[before]:
                labels[i] = best
                for part in standing:
                    part.move(i, before, best)
        return labels

    def strain(self, labels: Array, metrics: Metrics) -> tuple[Array, Array]:
        """``(spread, together)``: what all broken hints cost is Σ_h ⟨A_h, spread_h⟩ + far_h · together_h.

        spread_h is the scatter of the differences of broken pairs in cluster h, (k, f) or (k, f, f): half of each
        must-link with one end there, less each cannot-link with both. together_h is the price of the latter.
        """
        spread, together = np.zeros_like(metrics.values), np.zeros(metrics.n_clusters)
        for part in self._parts:
            more, priced = part.strain(labels, metrics)
            spread += more
            together += priced
        return spread, together
