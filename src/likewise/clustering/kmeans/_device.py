"""A k-means iteration on a device: nearest centers, and sums by cluster in a fixed order.

The origin o is not subtracted from the rows, since that would read and write all of them once more. With c' = c − o,

    ‖x − c‖² − ‖x − o‖²  =  −2 x·c' + ‖c'‖² + 2 o·c',

so distances lose no more precision than the rows already have. Sums by cluster are products with a 0/1 matrix, since
scatter-add operations would add rows in a different order each time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import FloatArray, IntArray, slices
from ..._devices import (
    blocks_on_device,
    double_of,
    follow,
    inverse_lengths,
    kept_rows,
    kernels_for,
    namespace,
    numpy_dtype,
    to_numpy,
)


def nearest_on_device(rows: Any, centers: FloatArray, origin: FloatArray, cosine: bool) -> Any:
    """The nearest center of each row (the first, if tied), on the device of the rows."""
    xp = namespace(rows)
    product, offset = _centers_on_device(rows, centers, origin, cosine)
    parts = []
    for some in slices(rows.shape[0], blocks_on_device(sum(centers.shape))):
        labels, _, _ = _nearest(rows[some.start : some.stop, :], product, offset, cosine)
        parts.append(xp.astype(labels, xp.int32))
    return parts[0] if len(parts) == 1 else xp.concat(parts)


def assign_and_sum_on_device(
    rows: Any, hinted: IntArray, centers: FloatArray, origin: FloatArray, cosine: bool
) -> tuple[Any, Any, Any]:
    """Sizes and sums (relative to the origin) of clusters, and Σ (‖x − c‖² − ‖x − o‖²), without constrained rows.

    For cosine, the sums are those of unit rows, and the last is their Σ ‖x − c‖².
    """
    xp, k = namespace(rows), len(centers)
    double = double_of(rows)
    product, offset = _centers_on_device(rows, centers, origin, cosine)
    kernels = None if cosine else kernels_for(rows)
    if kernels is not None and rows.shape[1] <= kernels.MOST_COLUMNS and k <= kernels.MOST_CENTERS:
        sizes, sums, cost = kernels.assign_and_sum(rows, product, offset, kept_rows(rows, hinted))
        return sizes, sums - sizes[:, None] * follow(np.asarray(origin, dtype=np.float64), rows), cost
    clusters = xp.arange(k, device=rows.device)
    total: list[Any] = []
    for some in slices(rows.shape[0], blocks_on_device(sum(centers.shape))):
        block = rows[some.start : some.stop, :]
        labels, least, scale = _nearest(block, product, offset, cosine)
        start, stop = np.searchsorted(hinted, [some.start, some.stop])
        chosen = follow(hinted[start:stop] - some.start, rows) if stop > start else None
        found = _summed(block, labels, least, scale, clusters, double)
        if chosen is not None:  # subtract the contribution of constrained rows
            few, their_labels, their_least = (xp.take(part, chosen, axis=0) for part in (block, labels, least))
            their_scale = None if scale is None else xp.take(scale, chosen, axis=0)
            without = _summed(few, their_labels, their_least, their_scale, clusters, double)
            found = [whole - part for whole, part in zip(found, without, strict=True)]
        total = [before + more for before, more in zip(total, found, strict=True)] if total else found
    sizes, sums, cost = total
    if not cosine:
        sums = sums - sizes[:, None] * follow(np.asarray(origin, dtype=np.float64), rows)
    return sizes, sums, cost


def distances_on_device(
    rows: Any, labels: IntArray, centers: FloatArray, origin: FloatArray, cosine: bool
) -> FloatArray:
    """The squared distance of each row to the center of its cluster, in host memory; 0 for zero rows under cosine."""
    xp, parts = namespace(rows), []
    moved = follow((centers - origin).astype(numpy_dtype(rows)), rows)
    there = follow(np.asarray(origin, dtype=numpy_dtype(rows)), rows)
    for some in slices(rows.shape[0], blocks_on_device(rows.shape[1])):
        block = rows[some.start : some.stop, :]
        own = xp.take(moved, follow(labels[some], rows), axis=0)
        scale: Any = inverse_lengths(block) if cosine else None
        apart = (block * scale[:, None] if cosine else block - there) - own
        found = xp.sum(apart * apart, axis=1)
        parts.append(to_numpy(xp.where(scale > 0, found, xp.zeros_like(found)) if cosine else found))
    return np.concatenate(parts).astype(np.float64)


def spread_on_device(rows: Any, hinted: IntArray, origin: FloatArray) -> Any:
    """Σ ‖x − o‖² over the unconstrained rows."""
    xp, there = namespace(rows), follow(np.asarray(origin), rows)
    parts = []
    for some in slices(rows.shape[0], blocks_on_device(rows.shape[1])):
        moved = rows[some.start : some.stop, :] - there
        parts.append(xp.astype(xp.sum(moved * moved, axis=1), double_of(rows)))
    squares = xp.concat(parts)
    if not len(hinted):
        return xp.sum(squares)
    return xp.sum(squares) - xp.sum(xp.take(squares, follow(hinted, rows), axis=0))


def _centers_on_device(rows: Any, centers: FloatArray, origin: FloatArray, cosine: bool) -> tuple[Any, Any]:
    """The (f, k) matrix that rows are multiplied by, and the offsets, which together give the distances."""
    xp = namespace(rows)
    moved = centers.astype(np.float64) - (0.0 if cosine else origin)
    added = np.full(len(centers), 2.0) if cosine else (moved * moved).sum(axis=1) + 2 * moved @ origin
    product = follow(-2 * moved.T, rows)
    return xp.astype(product, rows.dtype, copy=False), xp.astype(follow(added, rows), rows.dtype, copy=False)


def _nearest(rows: Any, product: Any, offset: Any, cosine: bool) -> tuple[Any, Any, Any]:
    """Nearest centers, the distances to them, and for cosine the inverse length of each row."""
    xp = namespace(rows)
    scale: Any = inverse_lengths(rows) if cosine else None
    if hasattr(rows, "addmm") and not cosine:  # torch has fused operations
        least, labels = offset.addmm(rows, product).min(dim=1)
        return labels, least, scale
    distances = xp.matmul(rows, product)
    distances = (distances * scale[:, None] if cosine else distances) + offset
    return xp.argmin(distances, axis=1), xp.min(distances, axis=1), scale


def _summed(rows: Any, labels: Any, least: Any, scale: Any, clusters: Any, double: Any) -> list[Any]:
    """Sizes of the clusters, sums of their rows, and the sum of all distances."""
    xp = namespace(rows)
    member = xp.astype(labels[:, None] == clusters[None, :], rows.dtype)
    if scale is not None:  # a zero row has no direction, and does not affect the centers
        member = member * xp.astype(scale > 0, rows.dtype)[:, None]
    # Counts within a block are exact in single precision, and a matrix product is the fastest way to sum.
    sizes = xp.astype(
        xp.matmul(xp.ones((1, rows.shape[0]), dtype=rows.dtype, device=rows.device), member)[0, :], double
    )
    if scale is not None:
        member = member * scale[:, None]
    sums = xp.astype(xp.matmul(xp.permute_dims(member, (1, 0)), rows), double)
    return [sizes, sums, xp.sum(least, dtype=double)]
