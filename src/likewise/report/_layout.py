"""Positions of rows on the map, before and after learning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from .._arrays import FloatArray, IntArray
from ..linalg._row_matrix import indicator

STEPS = 200
"""Number of steps to position the centers of clusters, and again to separate overlapping ones."""

SHARPNESS = 4.0
"""A row whose gap to the next cluster is the median has a weight of exp(−4) for it, which is not visible."""

MIN_GAP = 0.25
"""Smallest gap to another cluster, in units of the median, so that its weight is always less than 1/2."""

RADIUS = 0.62
"""Median radius of a cluster of all rows, in units of the distances between clusters."""

FLAT, ROUND = 0.35, 0.45
"""If the ratio of the second to the first standard deviation of the cluster centers is less than FLAT, the second axis
within a cluster is the direction of largest variance there; if it is more than ROUND, the second direction that
separates clusters; otherwise a combination of both."""

SHRINKAGE = 0.35
"""How much outlying rows of a cluster are moved inwards; the edge is at RADIUS / √SHRINKAGE."""


@dataclass(frozen=True)
class Layout:
    """Positions of rows in two planes, and dissimilarities of clusters.

    Attributes
    ----------
    before : (n, 2) array
        The two principal components of the prepared features.
    after : (n, 2) array
        Clusters are separated, with distances by their dissimilarity; within a cluster rows are positioned by their
        features. A row is between two clusters if it is almost as close to one as to the other in the learned space.
    dissimilarity : (k, k) array
        Distances between cluster means in the learned space plus those in the features, each divided by their mean.
    off_center : (n,) array
        The distance of each row to the mean of its cluster divided by that to the nearest other mean, in the learned
        space plus in the features; small for typical rows.
    """

    before: FloatArray
    after: FloatArray
    dissimilarity: FloatArray
    off_center: FloatArray

    @classmethod
    def of(
        cls, L: FloatArray, Z: FloatArray, labels: IntArray, n_clusters: int, previous: FloatArray | None = None
    ) -> Layout:
        """Lay out rows.

        Parameters
        ----------
        L : (n, d) array
            The prepared features.
        Z : (n, r) array
            The same in the learned space.
        labels : (n,) ints
            From 0 to ``n_clusters`` − 1.
        previous : (n, 2) array, optional
            ``after`` of the previous layout of the same rows; NaN for new rows. Clusters start at the previous
            positions of their rows, and the result is rotated toward the previous layout, so that rows move only as far
            as clusters changed.
        """
        before = leading_plane(L)
        middles = [_means(space, labels, n_clusters) for space in (Z, L)]
        gaps = [cdist(middle, middle) for middle in middles]
        dissimilarity = gaps[0] / (gaps[0].mean() or 1.0) + gaps[1] / (gaps[1].mean() or 1.0)
        off_center = _off_center(Z, middles[0], labels) + _off_center(L, middles[1], labels)
        share = np.bincount(labels, minlength=n_clusters) / len(labels)
        radii = np.sqrt(share) * RADIUS / np.sqrt(SHRINKAGE)
        if previous is None:
            anchors = _aligned(spread_apart(dissimilarity, radii), _means(before, labels, n_clusters))
        else:
            start = _earlier_middles(previous, labels, n_clusters)
            anchors = _aligned(spread_apart(dissimilarity, radii, start), start)
        weights = _memberships(Z, middles[0], labels)
        own = weights[np.arange(len(labels)), labels][:, None]
        after = weights @ anchors + own * _offsets(L, middles[1], labels, anchors, share, previous)
        after = after if previous is None else _laid_over(after, previous)
        return cls(before, after, dissimilarity, off_center)


def leading_plane(L: FloatArray) -> FloatArray:
    """The first two principal components, with signs such that the largest entry is positive.

    >>> leading_plane(np.array([[0.0, 0.0], [3.0, 4.0]])).round(6).tolist()
    [[-2.5, 0.0], [2.5, 0.0]]
    """
    L = L - L.mean(axis=0)
    plane = np.zeros((len(L), 2))
    if L.any():
        _, directions = np.linalg.eigh(L.T @ L)
        chosen = directions[:, ::-1][:, :2]
        chosen = chosen * np.where(chosen[np.abs(chosen).argmax(axis=0), range(chosen.shape[1])] < 0, -1, 1)
        plane[:, : chosen.shape[1]] = L @ chosen
    return plane


def spread_apart(distances: FloatArray, radii: FloatArray, start: FloatArray | None = None) -> FloatArray:
    """Points in the plane with approximately the given distances, whose discs do not overlap.

    Starts from classical scaling (or from ``start``), applies SMACOF steps (Guttman transform), which never increase
    Σ (distance in the plane − distance)², and then moves overlapping discs apart.
    """
    k = len(distances)
    if k == 1:
        return np.zeros((1, 2))
    places = _classical_scaling(distances) if start is None else start - start.mean(axis=0)
    for _ in range(STEPS):
        gaps = cdist(places, places)
        pull = np.divide(distances, gaps, out=np.zeros_like(gaps), where=gaps > 0)
        places = (pull.sum(axis=1)[:, None] * places - pull @ places) / k
    places /= np.sqrt(np.square(places).sum(axis=1).mean()) or 1.0
    for _ in range(STEPS):
        difference = places[:, None] - places
        gaps = np.linalg.norm(difference, axis=2)
        overlap = np.maximum(1.1 * (radii[:, None] + radii) - gaps, 0) * (1 - np.eye(k))
        if not overlap.any():
            break
        toward = difference / np.maximum(gaps, 1e-9)[:, :, None]
        # points at the same position have no direction: move them along x, in the order of their numbers
        toward[..., 0] += (gaps < 1e-9) * np.sign(np.subtract.outer(np.arange(k), np.arange(k)))
        places = places + 0.3 * (overlap[:, :, None] * toward).sum(axis=1)
    return places


def _classical_scaling(distances: FloatArray) -> FloatArray:
    k = len(distances)
    centered = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-0.5 * centered @ distances**2 @ centered)
    places = np.zeros((k, 2))
    places[:, : min(k, 2)] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :2]
    return places


def _aligned(places: FloatArray, reference: FloatArray) -> FloatArray:
    """Points rotated and reflected to be as close to reference points as possible (orthogonal Procrustes)."""
    places = places - places.mean(axis=0)
    left, _, right = np.linalg.svd(places.T @ (reference - reference.mean(axis=0)))
    return places @ (left @ right)


def _laid_over(places: FloatArray, previous: FloatArray) -> FloatArray:
    """Rows translated, rotated and reflected to be as close to their previous positions as possible."""
    seen = np.isfinite(previous).all(axis=1)
    middle, middle_before = places[seen].mean(axis=0), previous[seen].mean(axis=0)
    left, _, right = np.linalg.svd((places[seen] - middle).T @ (previous[seen] - middle_before))
    return (places - middle) @ (left @ right) + middle_before


def _earlier_middles(previous: FloatArray, labels: IntArray, n_clusters: int) -> FloatArray:
    """The means of the previous positions of clusters; clusters with new rows only start near the overall mean."""
    seen = np.isfinite(previous).all(axis=1)
    if not seen.any():
        raise ValueError("no row has a position in the previous layout. Leave previous out.")
    middles = _means(previous[seen], labels[seen], n_clusters)
    new = np.flatnonzero(np.bincount(labels[seen], minlength=n_clusters) == 0)
    turns = 2 * np.pi * np.arange(len(new)) / max(len(new), 1)
    middles[new] = previous[seen].mean(axis=0) + 0.1 * np.column_stack([np.cos(turns), np.sin(turns)])
    return middles


def _memberships(Z: FloatArray, middles: FloatArray, labels: IntArray) -> FloatArray:
    """Weights of clusters for each row, decreasing with distance, and largest for its own; they sum to 1."""
    gaps = cdist(Z, middles, "sqeuclidean")
    rows = np.arange(len(labels))
    gaps -= gaps[rows, labels][:, None]
    gaps[rows, labels] = np.inf
    usual = float(np.median(gaps.min(axis=1))) if len(middles) > 1 else 1.0
    gaps = SHARPNESS * np.maximum(gaps / (usual if usual > 0 else 1.0), MIN_GAP)
    gaps[rows, labels] = 0.0
    weights = np.exp(-gaps)
    return weights / weights.sum(axis=1, keepdims=True)


def _off_center(space: FloatArray, middles: FloatArray, labels: IntArray) -> FloatArray:
    gaps = cdist(space, middles)
    rows = np.arange(len(labels))
    own = gaps[rows, labels]
    gaps[rows, labels] = np.inf
    next_one = gaps.min(axis=1) if len(middles) > 1 else np.full(len(labels), own.mean() or 1.0)
    return own / np.maximum(next_one, 1e-12)


def _offsets(
    L: FloatArray,
    middles: FloatArray,
    labels: IntArray,
    anchors: FloatArray,
    share: FloatArray,
    previous: FloatArray | None,
) -> FloatArray:
    """Positions of rows relative to the center of their cluster, along the directions that separate clusters.

    These directions are a ridge regression of the anchors on the features. If the anchors are nearly collinear (always
    for two clusters), they determine one axis; the other is the direction of largest variance within clusters that is
    orthogonal to it. A single cluster is shown in its two directions of largest variance.
    """
    if len(anchors) == 1:
        inside = leading_plane(L)
    else:
        axes, extents = _main_axes(anchors[labels])
        W = L - middles[labels]
        lead = _regression(L, anchors[labels] @ axes)
        inside = W @ lead
        flatness = float(np.clip((ROUND * extents[0] - extents[1]) / ((ROUND - FLAT) * extents[0] or 1.0), 0, 1))
        if flatness > 0:
            widest = _widest_beside(W, lead[:, 0], float(np.std(inside[:, 0])))
            widest *= -1 if widest @ _offsets_before(L, anchors, labels, axes[:, 1], previous) < 0 else 1
            inside[:, 1] = (1 - flatness) * inside[:, 1] + flatness * widest
        inside = inside @ axes.T
    far = np.linalg.norm(inside, axis=1)
    half = np.array([np.median(far[labels == number]) if share[number] else 1.0 for number in range(len(share))])
    relative = far / np.where(half > 0, half, 1.0)[labels]
    shrunk = relative / np.sqrt(1 + SHRINKAGE * relative**2)
    scale = shrunk * RADIUS * np.sqrt(share)[labels] / np.where(far > 0, far, 1.0)
    return inside * scale[:, None]


def _offsets_before(
    L: FloatArray, anchors: FloatArray, labels: IntArray, axis: FloatArray, previous: FloatArray | None
) -> FloatArray:
    """The offsets that determine the sign of the second axis: the previous ones, or those of largest variance."""
    if previous is None:
        return np.asarray(leading_plane(L) @ axis)
    return np.nan_to_num((previous - _earlier_middles(previous, labels, len(anchors))[labels]) @ axis)


def _main_axes(places: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The principal axes of points in the plane, as columns, and the standard deviations along them."""
    values, axes = np.linalg.eigh(np.cov(places.T, bias=True))
    return axes[:, ::-1], np.sqrt(np.maximum(values[::-1], 0))


def _regression(L: FloatArray, targets: FloatArray) -> FloatArray:
    """The directions in the features that predict the targets (ridge regression)."""
    centered = L - L.mean(axis=0)
    square = centered.T @ centered
    ridge = 0.1 * np.trace(square) / len(square)
    if ridge == 0:
        return np.zeros((L.shape[1], targets.shape[1]))
    return np.linalg.solve(square + ridge * np.eye(len(square)), centered.T @ (targets - targets.mean(axis=0)))


def _widest_beside(W: FloatArray, direction: FloatArray, spread: float) -> FloatArray:
    """Rows along the direction of largest variance that is orthogonal to another, with the given standard deviation."""
    length = np.linalg.norm(direction)
    if length > 0:
        W = W - np.outer(W @ direction, direction) / length**2
    values = leading_plane(W)[:, 0]
    own = np.std(values)
    if own == 0:
        return values
    return values * ((spread if spread > 0 else own) / own)


def _means(space: FloatArray, labels: IntArray, n_clusters: int) -> FloatArray:
    inside = indicator(labels, n_clusters)
    sizes = np.maximum(np.asarray(inside.sum(axis=0)).ravel(), 1)
    return np.asarray(inside.T @ space) / sizes[:, None]
