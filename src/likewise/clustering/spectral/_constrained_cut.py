"""C-NC: normalized cut with a penalty on must-links between clusters."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from ..._arrays import FloatArray, IntArray
from ..._method import CUT, Method
from ..._sklearn import Interval
from ...constraints import Constraints
from ...forms import laplacian
from ...graphs import RowMatrix, must_link_graph
from ...linalg._row_matrix import indicator
from ._normalized_cut import NormalizedCut


class ConstrainedNormalizedCut(NormalizedCut):
    """Normalized cut with a penalty on must-linked rows in different clusters.

    Prefer it if there are must-links, and the neighbor graph already reflects the clusters. With :math:`L = D - K` the
    Laplacian of the affinities and a row (…, 1, …, −1, …) of :math:`U` for each must-link,

    .. math:: (L + \\beta\\, U^T U)\\, y = \\lambda D y

    for the :math:`k` smallest :math:`\\lambda` (Ji and Xu 2006; C-NC in Yan et al. 2009). :math:`U^T U` is the
    Laplacian of the must-link graph, so that constraints may be weighted, and a labeled group costs no more time than
    its rows. The closure of the must-links is used; cannot-links are not used. Without must-links it is
    :class:`NormalizedCut`.

    Parameters
    ----------
    n_clusters : int
    beta : float
        Weight of the must-links relative to the affinities. With 1, the must-links of a constrained row have on average
        the same total weight as the affinities of a row. For large values must-linked rows coincide.
    affinity, n_neighbors, delta, normalization, n_init, random_state
        As for :class:`NormalizedCut`.

    Attributes
    ----------
    labels_, embedding_, affinity_matrix_, n_parts_, n_iter_
        As for :class:`NormalizedCut`; must-links connect components. A row without neighbors is assigned to the cluster
        of its must-link group, if that has one.

    References
    ----------
    X. Ji, W. Xu: Document clustering with prior knowledge, SIGIR 2006. S. Yan, H. Wang, D. Lee, C. L. Giles: Pairwise
    constrained clustering for sparse and high dimensional feature spaces, PAKDD 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from likewise import Constraints
    >>> from likewise.clustering import ConstrainedNormalizedCut
    >>> X, y = load_digits(return_X_y=True)
    >>> X, y = X[:400], y[:400]
    >>> hints = Constraints.sample(y, "links", 60, random_state=0)
    >>> cut = ConstrainedNormalizedCut(10, n_neighbors=8, random_state=0).fit(X, constraints=hints)
    >>> kept = cut.labels_[hints.must_link]
    >>> bool((kept[:, 0] == kept[:, 1]).mean() > 0.9)
    True
    """

    _method: ClassVar[Method] = Method(
        "c-nc",
        prefer="curved clusters and must-links: a normalized cut with a penalty on separating them",
        paper="Ji, Xu 2006",
        cost=CUT,
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **NormalizedCut._parameter_constraints,
        "beta": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        beta: float = 10.0,
        affinity: str = "nearest_neighbors",
        n_neighbors: int | None = 20,
        delta: float | str = "median",
        normalization: str = "ng-jordan-weiss",
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_clusters,
            affinity=affinity,
            n_neighbors=n_neighbors,
            delta=delta,
            normalization=normalization,
            n_init=n_init,
            random_state=random_state,
        )
        self.beta = beta

    def _graph(self, K: Any, degrees: FloatArray, constraints: Constraints) -> tuple[Any, Any]:
        graph, plain = super()._graph(K, degrees, constraints)
        linked = must_link_graph(constraints, closed=True)
        links = linked.row_sums()
        if not links.any() or self.beta == 0:
            return graph, plain
        strength = self.beta * degrees[degrees > 0].mean() / links[links > 0].mean()

        def operator(rows: IntArray) -> Any:
            inside = RowMatrix(linked.sparse[rows][:, rows], linked.factor[rows], linked.core)
            penalty = laplacian(inside * strength).rows
            assert penalty is not None
            scale = sparse.diags_array(1 / np.sqrt(degrees[rows]))
            scaled = RowMatrix(scale @ penalty.sparse @ scale, scale @ penalty.factor, penalty.core)
            return _Difference(plain(rows), scaled)

        return graph + _chains(constraints.groups(), degrees), operator

    def _place_rest(self, labels: IntArray, constraints: Constraints) -> IntArray:
        groups = constraints.groups()
        placed = np.flatnonzero(labels >= 0)
        votes = (indicator(groups).T @ indicator(labels)).toarray()
        beside = np.flatnonzero((labels < 0) & np.isin(groups, groups[placed]))
        labels[beside] = votes[groups[beside]].argmax(axis=1)
        return super()._place_rest(labels, constraints)


class _Difference:
    """Affinities minus a sparse + low-rank penalty, as an operator; the difference is not computed."""

    def __init__(self, K: Any, penalty: RowMatrix) -> None:
        self._K = K
        self._penalty = penalty

    def __matmul__(self, x: FloatArray) -> FloatArray:
        return self._K @ x - self._penalty @ x

    def toarray(self) -> FloatArray:
        dense = self._K.toarray() if sparse.issparse(self._K) else self._K
        return dense - self._penalty.toarray()


def _chains(groups: IntArray, degrees: FloatArray) -> sparse.csr_array:
    """A path through the rows with neighbors of each group, as edges."""
    rows = np.flatnonzero(degrees > 0)
    rows = rows[np.argsort(groups[rows], kind="stable")]
    together = groups[rows[1:]] == groups[rows[:-1]]
    pairs = np.column_stack([rows[:-1], rows[1:]])[together]
    return RowMatrix.from_pairs(len(degrees), pairs, np.ones(len(pairs))).sparse
