"""Where rows lie on the map: before anything was learned, and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from ..linalg._row_matrix import indicator

Array = np.ndarray

STEPS = 200
"""Steps to place the middles of clusters, and again to push overlapping ones apart."""

DOUBT = 4.0
"""A row that is as far from the next cluster as rows mostly are is drawn toward it by exp(−4): not visibly."""

TORN = 0.25
"""No row counts as nearer to another cluster than this, in the same unit: it is pulled there by less than half."""

DISC = 0.62
"""Half-way radius of a cluster that holds all rows, in units of how far apart clusters lie."""

TAIL = 0.35
"""How much outlying rows of a cluster are drawn in; the edge is at DISC / √TAIL."""


@dataclass(frozen=True)
class Layout:
    """Rows in two planes, and how clusters lie to each other.

    Attributes
    ----------
    before : (n, 2) array
        The two directions of largest variance in the features as prepared.
    after : (n, 2) array
        Clusters apart, as far from each other as they are unlike; inside a cluster rows lie as their features do; a row
        lies between clusters if it is nearly as close to one as to the other in the learned space.
    apart : (k, k) array
        How unlike clusters are: distances of their means in the learned space and in the features, each divided by
        their average, summed.
    typical : (n,) array
        How far each row is from the middle of its cluster over how far it is from the next, in the learned space and in
        the features, summed: small is typical.
    """

    before: Array
    after: Array
    apart: Array
    typical: Array

    @classmethod
    def of(cls, L: Array, Z: Array, labels: Array, n_clusters: int) -> Layout:
        """Lay out rows.

        Parameters
        ----------
        L : (n, d) array
            Rows as prepared, before any hint.
        Z : (n, r) array
            The same in the learned space.
        labels : (n,) ints
            From 0 to ``n_clusters`` − 1.
        """
        before = leading_plane(L)
        middles = [_means(space, labels, n_clusters) for space in (Z, L)]
        gaps = [cdist(middle, middle) for middle in middles]
        apart = gaps[0] / (gaps[0].mean() or 1.0) + gaps[1] / (gaps[1].mean() or 1.0)
        typical = _off_center(Z, middles[0], labels) + _off_center(L, middles[1], labels)
        share = np.bincount(labels, minlength=n_clusters) / len(labels)
        anchors = _turned(
            spread_apart(apart, np.sqrt(share) * DISC / np.sqrt(TAIL)), _means(before, labels, n_clusters)
        )
        weights = _belonging(Z, middles[0], labels)
        own = weights[np.arange(len(labels)), labels][:, None]
        after = weights @ anchors + own * _offsets(L, middles[1], labels, anchors, share)
        return cls(before, after, apart, typical)


def leading_plane(L: Array) -> Array:
    """The coordinates of rows along the two directions of largest variance, whose largest entry is made positive.

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


def spread_apart(apart: Array, radii: Array) -> Array:
    """Points in the plane with about the given distances, their discs not overlapping; mean squared length 1 at first.

    Classical scaling, then steps that never increase Σ (distance in the plane − distance)² (Guttman's transform), then
    overlapping discs push each other away.
    """
    k = len(apart)
    if k == 1:
        return np.zeros((1, 2))
    centered = np.eye(k) - 1 / k
    values, vectors = np.linalg.eigh(-0.5 * centered @ apart**2 @ centered)
    places = np.zeros((k, 2))
    places[:, : min(k, 2)] = (vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1][:, :2]
    for _ in range(STEPS):
        gaps = cdist(places, places)
        pull = np.divide(apart, gaps, out=np.zeros_like(gaps), where=gaps > 0)
        places = (pull.sum(axis=1)[:, None] * places - pull @ places) / k
    places /= np.sqrt(np.square(places).sum(axis=1).mean()) or 1.0
    for _ in range(STEPS):
        difference = places[:, None] - places
        gaps = np.linalg.norm(difference, axis=2)
        overlap = np.maximum(1.1 * (radii[:, None] + radii) - gaps, 0) * (1 - np.eye(k))
        if not overlap.any():
            break
        toward = difference / np.maximum(gaps, 1e-9)[:, :, None]
        # two in one place have no direction: they leave it along x, by their numbers
        toward[..., 0] += (gaps < 1e-9) * np.sign(np.subtract.outer(np.arange(k), np.arange(k)))
        places = places + 0.3 * (overlap[:, :, None] * toward).sum(axis=1)
    return places


def _turned(places: Array, toward: Array) -> Array:
    """Turned and mirrored to lie as near to others as can be, so that little moves without need."""
    places, toward = places - places.mean(axis=0), toward - toward.mean(axis=0)
    left, _, right = np.linalg.svd(places.T @ toward)
    return places @ (left @ right)


def _belonging(Z: Array, middles: Array, labels: Array) -> Array:
    """How near each row is to each cluster, its own before all; a line sums to 1."""
    gaps = cdist(Z, middles, "sqeuclidean")
    rows = np.arange(len(labels))
    gaps -= gaps[rows, labels][:, None]
    gaps[rows, labels] = np.inf
    usual = float(np.median(gaps.min(axis=1))) if len(middles) > 1 else 1.0
    gaps = DOUBT * np.maximum(gaps / (usual if usual > 0 else 1.0), TORN)
    gaps[rows, labels] = 0.0
    weights = np.exp(-gaps)
    return weights / weights.sum(axis=1, keepdims=True)


def _off_center(space: Array, middles: Array, labels: Array) -> Array:
    gaps = cdist(space, middles)
    rows = np.arange(len(labels))
    own = gaps[rows, labels]
    gaps[rows, labels] = np.inf
    next_one = gaps.min(axis=1) if len(middles) > 1 else np.full(len(labels), own.mean() or 1.0)
    return own / np.maximum(next_one, 1e-12)


def _offsets(L: Array, middles: Array, labels: Array, anchors: Array, share: Array) -> Array:
    """Where rows lie in their cluster: along the directions of features that lead from cluster to cluster."""
    centered = L - L.mean(axis=0)
    square = centered.T @ centered
    ridge = 0.1 * np.trace(square) / len(square)
    if ridge == 0:
        return np.zeros((len(L), 2))
    told = anchors[labels] if len(anchors) > 1 else leading_plane(L)
    lead = np.linalg.solve(square + ridge * np.eye(len(square)), centered.T @ (told - told.mean(axis=0)))
    inside = (L - middles[labels]) @ lead
    far = np.linalg.norm(inside, axis=1)
    half = np.array([np.median(far[labels == number]) if share[number] else 1.0 for number in range(len(share))])
    relative = far / np.where(half > 0, half, 1.0)[labels]
    drawn_in = relative / np.sqrt(1 + TAIL * relative**2)
    scale = drawn_in * DISC * np.sqrt(share)[labels] / np.where(far > 0, far, 1.0)
    return inside * scale[:, None]


def _means(space: Array, labels: Array, n_clusters: int) -> Array:
    inside = indicator(labels, n_clusters)
    sizes = np.maximum(np.asarray(inside.sum(axis=0)).ravel(), 1)
    return np.asarray(inside.T @ space) / sizes[:, None]
