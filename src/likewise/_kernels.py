"""Triton kernels that pass over float32 rows on a GPU once. Without Triton, the same is computed by torch operations.

Each program accumulates the sums of its own rows, which are then added in double precision in a fixed order, so that
results are deterministic. The factors of products on tensor cores are split into parts of lower precision whose
products are exact, so that the result has full single precision. Tensor cores accumulate only the sums within a block,
since they truncate; the sums over blocks are accumulated outside.
"""

from __future__ import annotations

import os
from typing import Any

import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources

MOST_COLUMNS, MOST_CENTERS, MOST_DIRECTIONS = 128, 64, 64
"""Limits beyond which the sums of a program would not fit into registers."""

PROGRAMS = {"moments": 132, "assign": 8 * 132}
"""Number of programs that share the rows; memory for the sums is proportional to it."""

BLOCKS = ((128, 2), (64, 3), (64, 2), (32, 2))
"""Rows per block and number of pipeline stages, fastest first; the first that fits into shared memory is used."""

PARTS = tl.float32 if os.environ.get("TRITON_INTERPRET") == "1" else tl.bfloat16
"""The type in which parts are multiplied; Triton's interpreter does not support products of bfloat16."""


@triton.jit
def _moments(
    X, keep, origin, scatter, total, n, f, per,
    D: tl.constexpr, B: tl.constexpr, SOME: tl.constexpr, T: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    columns = tl.arange(0, D)
    o = tl.load(origin + columns, mask=columns < f, other=0.0)
    sums = tl.zeros((D, D), tl.float32)
    totals = tl.zeros((D,), tl.float32)
    for start in range(program * per, program * per + per, B):
        rows = start + tl.arange(0, B)
        inside = rows < n
        if SOME:
            inside = inside & (tl.load(keep + rows, mask=inside, other=0) != 0)
        there = inside[:, None] & (columns < f)[None, :]
        x = tl.load(X + rows.to(tl.int64)[:, None] * f + columns[None, :], mask=there, other=0.0)
        x = tl.where(there, x - o[None, :], 0.0)
        totals += tl.sum(x, axis=0)
        # split x = a + b + c, and compute half of XᵀX; adding its transpose gives the other half
        a = x.to(tl.bfloat16)
        left = x - a.to(tl.float32)
        b = left.to(tl.bfloat16)
        c = (left - b.to(tl.float32)).to(tl.bfloat16)
        part = tl.dot(tl.trans(b.to(T)), (b.to(tl.float32) * 0.5).to(T))
        turned = tl.trans(a.to(T))
        part = tl.dot(turned, c.to(T), part)
        part = tl.dot(turned, b.to(T), part)
        part = tl.dot(turned, (a.to(tl.float32) * 0.5).to(T), part)
        sums += part
    place = scatter + program.to(tl.int64) * D * D
    tl.store(place + columns[:, None] * D + columns[None, :], sums)
    tl.store(total + program * D + columns, totals)


@triton.jit
def _image(X, V, Z, wrong, n, f, r, D: tl.constexpr, R: tl.constexpr, B: tl.constexpr):
    program = tl.program_id(0)
    rows = program * B + tl.arange(0, B)
    columns, directions = tl.arange(0, D), tl.arange(0, R)
    v = tl.load(
        V + columns[:, None] * r + directions[None, :],
        mask=(columns < f)[:, None] & (directions < r)[None, :],
        other=0.0,
    )
    inside = rows < n
    x = tl.load(
        X + rows.to(tl.int64)[:, None] * f + columns[None, :],
        mask=inside[:, None] & (columns < f)[None, :],
        other=0.0,
    )
    z = tl.dot(x, v, input_precision="tf32x3")
    tl.store(wrong + program, tl.max(tl.max((tl.abs(z) < float("inf")).to(tl.int32) ^ 1, axis=1), axis=0))
    there = inside[:, None] & (directions < r)[None, :]
    tl.store(Z + rows.to(tl.int64)[:, None] * r + directions[None, :], z, mask=there)


@triton.jit
def _assign(
    X, keep, product, offset, sizes, sums, costs, n, f, per,
    D: tl.constexpr, K: tl.constexpr, B: tl.constexpr, SOME: tl.constexpr, T: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    columns, clusters = tl.arange(0, D), tl.arange(0, K)
    v = tl.load(product + columns[:, None] * K + clusters[None, :])
    o = tl.load(offset + clusters)
    size = tl.zeros((K,), tl.float32)
    total = tl.zeros((K, D), tl.float32)
    cost = tl.full((), 0.0, tl.float64)
    for start in range(program * per, program * per + per, B):
        rows = start + tl.arange(0, B)
        inside = rows < n
        there = inside[:, None] & (columns < f)[None, :]
        x = tl.load(X + rows.to(tl.int64)[:, None] * f + columns[None, :], mask=there, other=0.0)
        if SOME:
            inside = inside & (tl.load(keep + rows, mask=inside, other=0) != 0)
        distances = tl.dot(x, v, input_precision="ieee") + o[None, :]
        least, label = tl.min(distances, axis=1, return_indices=True)
        cost += tl.sum(tl.where(inside, least, 0.0), axis=0).to(tl.float64)
        member = (label[None, :] == clusters[:, None]) & inside[None, :]
        size += tl.sum(member.to(tl.float32), axis=1)
        hot = member.to(T)
        a = x.to(tl.bfloat16)
        left = x - a.to(tl.float32)
        b = left.to(tl.bfloat16)
        c = (left - b.to(tl.float32)).to(tl.bfloat16)
        part = tl.dot(hot, c.to(T))
        part = tl.dot(hot, b.to(T), part)
        part = tl.dot(hot, a.to(T), part)
        total += part
    tl.store(sizes + program * K + clusters, size)
    tl.store(sums + program.to(tl.int64) * K * D + clusters[:, None] * D + columns[None, :], total)
    tl.store(costs + program, cost)


def moments(rows: Any, origin: Any, keep: Any) -> tuple[Any, Any]:
    """Sum and scatter of the kept rows around an origin, in double precision.

    Parameters
    ----------
    rows : (n, f) tensor, float32
    origin : (f,) tensor, float32
    keep : (n,) uint8 tensor, or None
        Nonzero for rows to include. None includes all.
    """
    (n, f), programs = rows.shape, PROGRAMS["moments"]
    width = _power(f)
    scatter = torch.empty((programs, width, width), dtype=torch.float32, device=rows.device)
    total = torch.empty((programs, width), dtype=torch.float32, device=rows.device)
    for block, stages in BLOCKS:
        try:
            _moments[(programs,)](
                rows, rows if keep is None else keep, origin, scatter, total, n, f, _each(n, block, programs),
                width, block, keep is not None, PARTS, num_warps=8, num_stages=stages,
            )  # fmt: skip
            break
        except OutOfResources:
            if (block, stages) == BLOCKS[-1]:
                raise
    half = scatter.sum(dim=0, dtype=torch.float64)[:f, :f]
    return total.sum(dim=0, dtype=torch.float64)[:f], half + half.T


def image(rows: Any, directions: Any) -> tuple[Any, Any]:
    """The product of rows and directions, and whether all of its entries are finite, as a tensor.

    Parameters
    ----------
    rows : (n, f) tensor, float32
    directions : (f, r) tensor, float32
    """
    (n, f), r = rows.shape, directions.shape[1]
    block = 64
    programs = triton.cdiv(n, block)
    found = torch.empty((n, r), dtype=torch.float32, device=rows.device)
    wrong = torch.empty(programs, dtype=torch.int32, device=rows.device)
    _image[(programs,)](rows, directions.contiguous(), found, wrong, n, f, r, _power(f), _power(r), block, num_warps=4)
    return found, ~wrong.any()


def assign_and_sum(rows: Any, product: Any, offset: Any, keep: Any) -> tuple[Any, Any, Any]:
    """Assign each kept row to the cluster with the smallest ``rows @ product + offset``.

    Returns the sizes of the clusters, the sums of their rows, and the sum of the smallest values, in double precision.

    Parameters
    ----------
    rows : (n, f) tensor, float32
    product : (f, k) tensor, float32
    offset : (k,) tensor, float32
    keep : (n,) uint8 tensor, or None
        Nonzero for rows to include. None includes all.
    """
    (n, f), k = rows.shape, len(offset)
    block, width, clusters, programs = 32, _power(f), _power(k), PROGRAMS["assign"]
    factors = torch.zeros((width, clusters), dtype=torch.float32, device=rows.device)
    factors[:f, :k] = product
    added = torch.full((clusters,), float("inf"), dtype=torch.float32, device=rows.device)
    added[:k] = offset
    sizes = torch.empty((programs, clusters), dtype=torch.float32, device=rows.device)
    sums = torch.empty((programs, clusters, width), dtype=torch.float32, device=rows.device)
    costs = torch.empty(programs, dtype=torch.float64, device=rows.device)
    _assign[(programs,)](
        rows, rows if keep is None else keep, factors, added, sizes, sums, costs, n, f, _each(n, block, programs),
        width, clusters, block, keep is not None, PARTS, num_warps=4,
    )  # fmt: skip
    return (
        sizes.sum(dim=0, dtype=torch.float64)[:k],
        sums.sum(dim=0, dtype=torch.float64)[:k, :f],
        costs.sum(),
    )


def _power(count: int) -> int:
    """The next power of two, at least 16, as tensor cores require."""
    return max(16, triton.next_power_of_2(count))


def _each(n: int, block: int, programs: int) -> int:
    """The number of rows of each program, a multiple of the block size."""
    return triton.cdiv(triton.cdiv(n, programs), block) * block
