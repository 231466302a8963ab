"""DSP: dual subspace projections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics.pairwise import paired_distances

from .._method import NEIGHBORS, Method, Needs
from .._sklearn import POSITIVE_INT, StrOptions
from ..constraints import Constraints
from ..constraints._overlap import implied_weights
from ..forms import laplacian
from ..graphs import RowMatrix, cannot_link_graph
from ..graphs._collapsed import CollapsedKernel
from ..graphs._distances import Euclidean
from ..graphs._kernel import DELTA, resolve_delta
from ..graphs._neighbors import N_JOBS, SEARCH, check_n_neighbors, pairs_of, ranked_neighbors
from ..pencil import Pencil
from ._base import Projection

WRITTEN_OUT = 20
"""Cannot-links implied by labels are weighted individually up to this number per row, and by their mean beyond."""


class DSP(Projection):
    """Dual subspace projections: must-links act in a kernel space, cannot-links in the input space.

    In the feature space of a Gaussian kernel, every must-link group is collapsed to one point; the nearest neighbors in
    that space form the graph of rows to keep close. The farthest rows and the cannot-links in the input space form the
    graph of rows to separate. The projection itself is linear.

    Prefer it for tables of up to a few hundred thousand rows with classes of irregular shape, and constraints of both
    kinds. Scale the features to [0, 1] first (``MinMaxScaler``).

    .. math:: \\min_z \\frac{z^T X^T L_S X z}{z^T X^T L_R X z}

    where :math:`S = 1 - \\hat d` on the union of nearest neighbors after the collapse (Eqs. 6–10) and :math:`R = 1 - d`
    on the union of farthest rows and the cannot-links (Eqs. 11–14), with :math:`L_S` and :math:`L_R` their Laplacians;
    both distances are divided by their largest value.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    delta : "median" or float
        The width of the kernel exp(−d²/2δ²). "median" is the median distance between rows. The method fails with less
        than half of that, and warns about it. The published choice, a grid search with SKK-means, is
        :func:`likewise.choose_delta`.
    n_neighbors : int
        Number of nearest and of farthest rows; 5 as published.
    null_space : {"keep", "discard"}
        Whether the null space of S is kept as the best directions (Section 4.4) or discarded (after Eq. 21).
    over : {"sum", "push"}
        "push" divides by XᵀL_R X on its range, as published.
    scaling : {"share", "form", "unit"}
        The published "form" gives all directions equal weight, noisy ones included; "share" divides each by √λ.
    search : {"auto", "exact", "approximate"}
        How to search for neighbors. "auto" is exact up to some ten thousand rows, and approximate for larger dense
        data; see :func:`likewise.graphs.choose_search`.
    n_jobs : int, optional
        Number of threads of the neighbor search. If None, as many as OpenMP may use.

    Attributes
    ----------
    delta_ : float
        The width that was used.
    recall_ : float
        Recall of the neighbor search: the smaller one of that for nearest and for farthest rows. 1 if the search was
        exact, else measured on 400 rows. An approximate search takes the largest distances from the 4,096 rows farthest
        from the mean.

    Notes
    -----
    Partitions cost O(n). Must-links are replaced by a spanning tree of each group, which collapses the group as well.
    Cannot-links implied by labels are used individually if there are at most 20 n; beyond that their root mean squared
    distance replaces each distance.

    References
    ----------
    S. Yan, S. Bouaziz, D. Lee, J. Barlow: Semi-supervised dimensionality reduction for analyzing high-dimensional
    data with constraints, Neurocomputing 76, 2012; S. Yan, PhD thesis, Pennsylvania State University, 2010, Chapter 6.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from likewise import DSP, Constraints
    >>> X, y = load_iris(return_X_y=True)
    >>> hints = Constraints.sample(y, "per_class", 5, random_state=0)
    >>> DSP(n_components=2).fit_transform(minmax_scale(X), constraints=hints).shape
    (150, 2)
    """

    _method: ClassVar[Method] = Method(
        "dsp",
        prefer="tables with scattered classes; must-links act in a kernel space",
        paper="Yan, Bouaziz, Lee, Barlow 2012",
        needs=Needs.ANY_CONSTRAINT,
        cost=replace(NEIGHBORS, constraints=3.0),
    )
    _published: ClassVar[dict[str, Any]] = {"over": "push", "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Projection._parameter_constraints,
        "delta": DELTA,
        "n_neighbors": [POSITIVE_INT],
        "null_space": [StrOptions({"keep", "discard"})],
        "over": [StrOptions({"sum", "push"})],
        "search": SEARCH,
        "n_jobs": N_JOBS,
    }

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        delta: float | str = "median",
        n_neighbors: int = 5,
        null_space: str = "keep",
        over: str = "sum",
        scaling: str = "share",
        search: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.delta = delta
        self.n_neighbors = n_neighbors
        self.null_space = null_space
        self.over = over
        self.search = search
        self.n_jobs = n_jobs

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        check_n_neighbors(self.n_neighbors, X.shape[0])
        self.delta_ = resolve_delta(self.delta, X)
        adjacent, recall_near = self._adjacency(X, constraints)
        disjoint, recall_far = self._disjointness(X, constraints)
        self.recall_ = min(recall_near, recall_far)
        return Pencil(laplacian(adjacent), laplacian(disjoint), over=self.over, null_space=self.null_space)

    def _adjacency(self, X: Any, constraints: Constraints) -> tuple[RowMatrix, float]:
        """S, the similarity of nearest neighbors after must-link groups are collapsed (Eq. 9), and the recall."""
        collapsed = CollapsedKernel(X, self.delta_, constraints, self.n_jobs)
        found, scale = ranked_neighbors(collapsed, self.n_neighbors, search=self.search, n_jobs=self.n_jobs)
        pairs, near = pairs_of(found)
        return RowMatrix.from_pairs(X.shape[0], pairs, 1.0 - near / scale), found.recall

    def _disjointness(self, X: Any, constraints: Constraints) -> tuple[RowMatrix, float]:
        """R, the similarity of the farthest and of cannot-linked rows in the input space (Eq. 14), and the recall."""
        found, scale = ranked_neighbors(
            Euclidean(X), self.n_neighbors, farthest=True, search=self.search, n_jobs=self.n_jobs
        )
        pairs, far = pairs_of(found)
        return disjointness(X, constraints, pairs, far, scale), found.recall


def disjointness(X: Any, constraints: Constraints, pairs: Any, far: Any, scale: float) -> RowMatrix:
    """The similarity 1 − d/scale of the farthest pairs, with distances ``far``, and of cannot-linked rows."""
    n = X.shape[0]
    implied = constraints.n_cannot_link - len(constraints.cannot_link)
    if implied > WRITTEN_OUT * n:
        apart, uniform = constraints, _differences_at_mean_distance(X, constraints, scale)
    else:
        apart, uniform = (
            constraints.only("cannot").expand(limit=constraints.n_cannot_link),
            RowMatrix.zeros(n),
        )
    stated = apart.cannot_link
    weights = np.maximum(apart.cannot_weight, implied_weights(apart, "cannot"))
    lengths = paired_distances(X[stated[:, 0]], X[stated[:, 1]]) if len(stated) else np.zeros(0)
    near = weights * (1.0 - lengths / scale)
    pairs, first = np.unique(np.vstack([stated, pairs]), axis=0, return_index=True)
    similarity = np.concatenate([near, 1.0 - far / scale])[first]
    # A pair counts once, with its own similarity instead of the mean one.
    return uniform + RowMatrix.from_pairs(n, pairs, similarity - uniform.entries(pairs[:, 0], pairs[:, 1]))


def _differences_at_mean_distance(X: Any, constraints: Constraints, scale: float) -> RowMatrix:
    graph = cannot_link_graph(Constraints(constraints.n_samples, partitions=constraints.partitions))
    mean_square = laplacian(graph).diagonal(X).sum() / (graph.row_sums().sum() / 2)
    return graph * max(0.0, 1.0 - float(np.sqrt(mean_square)) / scale)
