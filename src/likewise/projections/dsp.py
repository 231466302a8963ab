"""DSP: dual subspace projections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances, paired_distances
from sklearn.utils._param_validation import StrOptions

from ..constraints import Constraints
from ..forms import laplacian
from ..graphs import RowMatrix, cannot_link_graph
from ..graphs.kernel import CollapsedDistances
from ..graphs.neighbors import extreme_pairs, largest_distance
from ..pencil import Pencil
from .bandwidth import DELTA, resolve_delta
from .base import POSITIVE_INT, Projection

WRITTEN_OUT = 20
"""Cannot-links that labels imply are weighed one by one up to this many a row, and by their mean beyond."""


class DSP(Projection):
    """Dual subspace projections: must-links act in a kernel space, cannot-links in the input space.

    In the feature space of a Gaussian kernel every must-link group is collapsed to one point; who is near whom *there*
    makes the graph to keep together. Far-away rows and cannot-links in the *input* space make the graph to pull apart.
    The map that results is still linear.

    Prefer it for tables of up to some ten thousand rows with curved or scattered classes and hints of both kinds. Bring
    the features to [0, 1] first (``MinMaxScaler``).

    .. math:: \\min_z \\frac{z^T X^T L_S X z}{z^T X^T L_R X z}

    where S = 1 − d̂ on the union of nearest neighbours after the collapse (Eqs. 6–10) and R = 1 − d on the union of
    farthest rows and the cannot-links (Eqs. 11–14); both distances are divided by their largest value.

    Parameters
    ----------
    n_components : int, optional
        None: all there are.
    delta : "median" or float
        The width of the kernel exp(−d²/2δ²). "median" is the median distance between rows. Below half of that the
        method breaks down; a warning says so. The published choice, a grid search by SKK-means, is
        :func:`likewise.choose_delta`.
    n_neighbors : int
        Nearest and farthest rows to join; 5 as published.
    null_space : {"keep", "discard"}
        Whether directions that S does not feel at all are the best (Section 4.4) or no answer (after Eq. 21).
    over : {"sum", "push"}
        "push" divides by XᵀL_R X on its range, as published.
    scaling : {"share", "form", "unit"}
        The published "form" gives all directions equal weight and lets noise back in; "share" divides each by √λ.

    Attributes
    ----------
    delta_ : float
        The width that was used.

    Notes
    -----
    Whole-group statements are taken at O(n) cost: must-links through any spanning tree of a group, which collapses it
    just as well; cannot-links that labels imply one by one up to 20 n of them, and beyond that with their root mean
    squared distance in the place of each distance.

    References
    ----------
    S. Yan, S. Bouaziz, D. Lee, J. Barlow: Semi-supervised dimensionality reduction for analyzing high-dimensional
    data with constraints, Neurocomputing 76, 2012; S. Yan's thesis, Chapter 6.

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

    _published: ClassVar[dict[str, Any]] = {"over": "push", "scaling": "form"}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Projection._parameter_constraints,
        "delta": DELTA,
        "n_neighbors": [POSITIVE_INT],
        "null_space": [StrOptions({"keep", "discard"})],
        "over": [StrOptions({"sum", "push"})],
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
    ) -> None:
        super().__init__(n_components, scaling=scaling)
        self.delta = delta
        self.n_neighbors = n_neighbors
        self.null_space = null_space
        self.over = over

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        if not sparse.issparse(X):
            X = X - X.mean(axis=0)  # far from the origin, distances lose the digits that matter
        self.delta_ = resolve_delta(self.delta, X)
        adjacent = adjacency(X, constraints, self.delta_, self.n_neighbors)
        disjoint = disjointness(X, constraints, self.n_neighbors)
        return Pencil(laplacian(adjacent), laplacian(disjoint), over=self.over, perfect=self.null_space)


def adjacency(X: Any, constraints: Constraints, delta: float, n_neighbors: int) -> RowMatrix:
    """S: similarity of nearest neighbours after must-link groups collapsed (Eq. 9)."""
    n, distances = X.shape[0], CollapsedDistances(X, delta, constraints)
    scale = largest_distance(distances, n) or 1.0
    pairs, near = extreme_pairs(distances, n, n_neighbors, scale)
    return RowMatrix.from_pairs(n, pairs, 1.0 - near)


def disjointness(X: Any, constraints: Constraints, n_neighbors: int) -> RowMatrix:
    """R: similarity, in the input space, of the farthest rows and of cannot-linked ones (Eq. 14)."""
    n = X.shape[0]

    def distances(rows: slice) -> np.ndarray:
        return euclidean_distances(X[rows], X)

    scale = largest_distance(distances, n) or 1.0
    pairs, far = extreme_pairs(distances, n, n_neighbors, scale, farthest=True)
    implied = constraints.n_cannot_link - len(constraints.cannot_link)
    if implied > WRITTEN_OUT * n:
        apart, uniform = constraints, _differences_at_mean_distance(X, constraints, scale)
    else:
        apart, uniform = (
            _cannot_links_only(constraints).expand(limit=constraints.n_cannot_link),
            RowMatrix.zeros(n),
        )
    stated, beliefs = apart.cannot_link, apart.cannot_weight
    lengths = paired_distances(X[stated[:, 0]], X[stated[:, 1]]) if len(stated) else np.zeros(0)
    near = beliefs * (1.0 - lengths / scale)
    pairs, first = np.unique(np.vstack([stated, pairs]), axis=0, return_index=True)
    return uniform + RowMatrix.from_pairs(n, pairs, np.concatenate([near, 1.0 - far])[first])


def _cannot_links_only(constraints: Constraints) -> Constraints:
    apart = [
        replace(partition, same_within=False)
        for partition in constraints.partitions
        if partition.different_across or partition.different_within
    ]
    return Constraints(
        constraints.n_samples,
        cannot_link=constraints.cannot_link,
        cannot_weight=constraints.cannot_weight,
        partitions=apart,
    )


def _differences_at_mean_distance(X: Any, constraints: Constraints, scale: float) -> RowMatrix:
    graph = cannot_link_graph(Constraints(constraints.n_samples, partitions=constraints.partitions))
    mean_square = laplacian(graph).diagonal(X).sum() / (graph.row_sums().sum() / 2)
    return graph * max(0.0, 1.0 - float(np.sqrt(mean_square)) / scale)
