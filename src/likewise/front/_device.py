"""Assigning rows on a device to clusters, as ``Likewise.predict_certainty`` does in host memory.

Features, neighbors and votes are computed with the array API. Neighbors are selected by a matrix product, and their
distances then computed from differences, which avoids cancellation. A row that coincides with a landmark is assigned as
the landmark is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arrays import FloatArray, slices
from .._devices import blocks_on_device, follow, namespace, to_numpy, unit_rows_on_device
from ..graphs._fuzzy import MIN_WIDTH, N_HALVINGS
from ..linalg._row_matrix import indicator
from ..prepare._linear import LinearFeatures
from ._certainty import Assignment
from ._graph_features import SMOOTH

BATCH_ROWS = 2**17
"""Number of rows per batch."""

SAME = 1e-5
"""Distance up to which a row coincides with a landmark; rows of features have a mean length of 1."""


def place_on_device(rows: Any, model: Any) -> Assignment:
    """Assign rows on a device to clusters; the result is in host memory.

    Parameters
    ----------
    rows : (n, f) array of torch, CuPy or another library
    model : Likewise
        A fitted model; the state that is saved in a model file suffices.
    """
    assigner = _Assigner(model, rows)
    found = [assigner.of(rows[some.start : some.stop, :]) for some in slices(rows.shape[0], BATCH_ROWS)]
    labels, second, certainty = (
        np.concatenate([to_numpy(part) for part in parts]) for parts in zip(*found, strict=True)
    )
    return Assignment(labels.astype(np.int32), second.astype(np.int32), certainty.astype(np.float64))


class _Assigner:
    """The fitted state that assigns rows to clusters, on their device."""

    def __init__(self, model: Any, like: Any) -> None:
        self._xp = namespace(like)
        to_graph, placement = model._features.to_graph, model._placement
        self._linear = _Linear(model._features.to_linear, like)
        self._near_in_graph = _Near(to_graph._near, like)
        walk = to_graph._walk / np.maximum(to_graph.eigenvalues_, SMOOTH)
        self._walk, self._graph_embedding = _single(walk, like), _single(to_graph.embedding_, like)
        self._near = _Near(placement.near, like)
        labels = model.labels_[placement.anchors]
        self._k = model._shares.shape[1]
        known = np.column_stack([labels, model.second_labels_[placement.anchors], model.certainty_[placement.anchors]])
        votes = np.hstack([indicator(labels, self._k).toarray(), model._shares[: placement.near.n]])
        self._known, self._votes = _single(known, like), _single(votes, like)

    def of(self, rows: Any) -> tuple[Any, Any, Any]:
        """The cluster, second cluster and certainty of each row."""
        xp, k = self._xp, self._k
        prepared, linear = self._linear.of(rows)
        near, weights, coincides = self._near_in_graph.of(prepared)
        graph = unit_rows_on_device(_weighted(self._walk, near, weights))
        graph = xp.where(coincides[:, None], xp.take(self._graph_embedding, near[:, 0], axis=0), graph)
        near, weights, coincides = self._near.of(xp.concat([linear, graph], axis=1))
        votes = _weighted(self._votes, near, weights)
        labels = xp.argmax(votes[:, :k], axis=1)
        shares = votes[:, k:]
        total = xp.sum(shares, axis=1)
        shares = shares / xp.where(total > 0, total, xp.ones_like(total))[:, None]
        mine = labels[:, None] == xp.arange(k, device=rows.device)[None, :]
        certainty = xp.sum(xp.where(mine, shares, xp.zeros_like(shares)), axis=1)
        others = xp.where(mine, xp.zeros_like(shares), shares)
        second = xp.where(xp.max(others, axis=1) > 0, xp.argmax(others, axis=1), -xp.ones_like(labels))
        known = xp.take(self._known, near[:, 0], axis=0)
        return (
            xp.where(coincides, xp.astype(known[:, 0], labels.dtype), labels),
            xp.where(coincides, xp.astype(known[:, 1], labels.dtype), second),
            xp.where(coincides, known[:, 2], certainty),
        )


class _Linear:
    """Linear features on a device; see :class:`likewise.prepare._linear.LinearFeatures`."""

    def __init__(self, features: LinearFeatures, like: Any) -> None:
        weigh, turn = features._weigh, features._turn
        self._cosine = features.metric == "cosine"
        self._directions = None if turn is None else _single(turn.components_.T, like)
        self._scale: Any = None
        self._mean: Any = None
        if self._cosine:
            self._scale = None if weigh is None else _single(weigh.idf_, like)
            return
        mean: Any = 0.0 if turn is None else turn.mean_
        scale: Any = 1.0
        if weigh is not None:
            mean, scale = weigh.mean_ + weigh.scale_ * mean, weigh.scale_
        width = like.shape[1]
        self._mean = follow(np.broadcast_to(np.asarray(mean, dtype=np.float64), width), like)
        self._scale = _single(np.broadcast_to(1.0 / (scale * features._length), width), like)

    def of(self, rows: Any) -> tuple[Any, Any]:
        """The prepared rows, in which graph neighbors are searched, and the linear features."""
        xp = namespace(rows)
        if not self._cosine:
            scaled = xp.astype(rows - self._mean, xp.float32, copy=False) * self._scale
            linear = scaled if self._directions is None else xp.matmul(scaled, self._directions)
            return linear, linear
        prepared = xp.astype(rows, xp.float32, copy=False)
        prepared = unit_rows_on_device(prepared if self._scale is None else prepared * self._scale)
        linear = prepared if self._directions is None else xp.matmul(prepared, self._directions)
        return prepared, unit_rows_on_device(linear)


class _Near:
    """The nearest landmarks of rows, and their weights; see :class:`likewise.graphs._fuzzy.Nearness`."""

    def __init__(self, near: Any, like: Any) -> None:
        self._k, self._cosine = near.n_neighbors, near.metric == "cosine"
        rows = near._rows
        rows = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float32)
        self._rows = _single(rows, like)
        self._rows = unit_rows_on_device(self._rows) if self._cosine else self._rows
        xp = namespace(like)
        self._half = 0.5 * xp.sum(self._rows * self._rows, axis=1)

    def of(self, rows: Any) -> tuple[Any, Any, Any]:
        """The nearest landmarks of each row in order, their weights, and whether the row coincides with the first."""
        xp = namespace(rows)
        m, f = self._rows.shape
        transposed = xp.permute_dims(self._rows, (1, 0))
        numbers, distances = [], []
        for some in slices(rows.shape[0], blocks_on_device(m + self._k * f)):
            block = rows[some.start : some.stop, :]
            near = _smallest(self._half - xp.matmul(block, transposed), self._k)
            neighbors = xp.reshape(xp.take(self._rows, xp.reshape(near, (-1,)), axis=0), (-1, self._k, f))
            if self._cosine:
                apart = 1 - xp.sum(neighbors * block[:, None, :], axis=2)
            else:
                difference = neighbors - block[:, None, :]
                apart = xp.sqrt(xp.sum(difference * difference, axis=2))
            order = xp.argsort(apart, axis=1)
            numbers.append(xp.take_along_axis(near, order, axis=1))
            distances.append(xp.take_along_axis(apart, order, axis=1))
        distance, number = xp.concat(distances), xp.concat(numbers)
        weights = xp.clip(1 - distance, 0.0) if self._cosine else fuzzy_weights_on_device(distance)
        return number, weights, distance[:, 0] <= SAME


def fuzzy_weights_on_device(distances: Any) -> Any:
    """:func:`likewise.graphs._fuzzy.fuzzy_weights` on a device."""
    xp, k = namespace(distances), distances.shape[1]
    nearest = xp.min(xp.where(distances > 0, distances, xp.full_like(distances, xp.inf)), axis=1)
    nearest = xp.where(xp.isfinite(nearest), nearest, xp.zeros_like(nearest))
    beyond = xp.clip(distances - nearest[:, None], 0.0)
    scale = xp.mean(distances, axis=1)
    scale = xp.where(scale == 0, xp.ones_like(scale), scale)
    low, high = MIN_WIDTH * scale, 64.0 * k * scale
    for _ in range(N_HALVINGS):
        width = xp.sqrt(low * high)
        narrow = xp.sum(xp.exp(-beyond / width[:, None]), axis=1) < float(np.log2(k))
        low, high = xp.where(narrow, width, low), xp.where(narrow, high, width)
    return xp.exp(-beyond / low[:, None])


def _smallest(values: Any, k: int) -> Any:
    """The positions of the k smallest values of each row, in any order."""
    library = type(values).__module__.split(".")[0]
    if library == "torch":
        return values.topk(k, dim=1, largest=False).indices
    if library == "cupy":
        import cupy

        return cupy.argpartition(values, k - 1, axis=1)[:, :k]
    return namespace(values).argsort(values, axis=1)[:, :k]


def _weighted(values: Any, numbers: Any, weights: Any) -> Any:
    """Weighted sums of rows: for each row of ``numbers``, the sum of these rows of ``values``."""
    xp = namespace(values)
    total = xp.take(values, numbers[:, 0], axis=0) * weights[:, :1]
    for each in range(1, numbers.shape[1]):
        total = total + xp.take(values, numbers[:, each], axis=0) * weights[:, each : each + 1]
    return total


def _single(values: FloatArray, like: Any) -> Any:
    """The values in single precision on the device of ``like``."""
    return follow(np.asarray(values, dtype=np.float32), like)
