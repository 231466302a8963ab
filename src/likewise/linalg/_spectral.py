"""Leading eigenvectors of a normalized graph, a connected part at a time.

In D^-½ K D^-½ every connected part has the eigenvalue 1, with the vector √degree on that part. With several parts the
eigenvalue is multiple and a solver returns any rotation of those vectors, so they are written down instead of computed;
what is computed, part by part, are the vectors after them. Nothing then depends on how a solver breaks ties.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from .._arrays import FloatArray, IntArray
from .._foresight import foreseen, share_done
from .._lapack import largest_eigenpairs as eigenpairs
from .._progress_legacy import tell

Further = Callable[[IntArray, int], tuple[FloatArray, FloatArray]]
"""``(rows, r) → values, vectors``: the r leading eigenpairs of one part, √degree excepted."""

DENSE = 600
"""Up to so many vertices in a part, all of its eigenvectors cost less than an iteration for a few."""

LARGE = 6000
"""Beyond so many vertices a full matrix is out of the question. Below, an iteration that costs more is given up."""

USUAL_RESTARTS = 12
"""An iteration takes about so many, for those who wait; a hard one takes longer, and nobody knows how much."""


def connected_parts(graph: Any, degrees: FloatArray) -> list[IntArray]:
    """The vertices of each connected part, largest sum of degrees first; vertices of degree 0 belong to none."""
    count, codes = connected_components(graph, directed=False)
    inside = np.flatnonzero(degrees > 0)
    volume = np.bincount(codes[inside], degrees[inside], minlength=count)
    order = np.argsort(-volume, kind="stable")
    by_part = inside[np.argsort(codes[inside], kind="stable")]
    bounds = np.cumsum(np.bincount(codes[inside], minlength=count))
    parts = np.split(by_part, bounds[:-1])
    return [parts[number] for number in order if volume[number] > 0]


def leading_pairs(
    parts: list[IntArray], degrees: FloatArray, n_vectors: int, further: Further
) -> tuple[FloatArray, FloatArray]:
    """The ``n_vectors`` leading eigenpairs, vectors as columns: √degree of each part, then what ``further`` finds.

    With more parts than vectors the largest ones are kept; the rows of the others are zero. Where there are fewer
    pairs than asked for, the last values and vectors are zero.
    """
    n = len(degrees)
    V, eigenvalues = np.zeros((n, n_vectors)), np.zeros(n_vectors)
    eigenvalues[: len(parts)] = 1.0
    for column, rows in enumerate(parts[:n_vectors]):
        V[rows, column] = np.sqrt(degrees[rows] / degrees[rows].sum())
    left = n_vectors - len(parts)
    if left <= 0:
        return eigenvalues, V
    found = [(rows, *further(rows, min(left, len(rows) - 1))) for rows in parts if len(rows) > 1]
    values = np.concatenate([values for _, values, _ in found]) if found else np.zeros(0)
    owner = np.repeat(np.arange(len(found)), [len(values) for _, values, _ in found])
    place = np.concatenate([np.arange(len(values)) for _, values, _ in found]) if found else owner
    for column, best in enumerate(np.argsort(-values, kind="stable")[:left], start=len(parts)):
        rows, _, vectors = found[owner[best]]
        V[rows, column], eigenvalues[column] = vectors[:, place[best]], values[best]
    return eigenvalues, V


def largest_eigenpairs(M: Any, first: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """The ``count`` largest eigenpairs of a symmetric M (array or operator with @), its eigenvector ``first`` excepted.

    ``first`` is unit and has the largest eigenvalue, 1; it is moved to the other end of the spectrum.
    """
    n = len(first)
    if n <= DENSE or count > n // 4:
        values, vectors = _all_at_once(M, first, count)
    else:
        try:
            values, vectors = _iterated(M, first, count)
        except ArpackNoConvergence as failure:
            if n > LARGE:
                raise RuntimeError(
                    f"the {count} leading eigenvectors of a part with {n:,} rows did not converge: nothing sets them "
                    "apart. Use more neighbors, or another number of clusters."
                ) from failure
            values, vectors = _all_at_once(M, first, count)
    values, vectors = values[::-1], vectors[:, ::-1]
    return values, vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(count)])


def _all_at_once(M: Any, first: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    full = M.toarray() if hasattr(M, "toarray") else np.asarray(M)
    lowest = linalg.norm(full, 1)
    full = full - (1 + lowest) * np.outer(first, first)
    return foreseen(lambda some: eigenpairs(some, min(count, len(some))), full)


def _iterated(M: Any, first: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    n, width = len(first), min(len(first), max(2 * count + 1, 40))
    made, usual = 0, USUAL_RESTARTS * (width - count)

    def apply(x: FloatArray) -> FloatArray:
        nonlocal made
        made += 1
        tell(share_done(made, usual))
        x = x.ravel()
        return np.asarray(M @ x - 2 * first * (first @ x))

    operator = LinearOperator((n, n), matvec=apply, dtype=np.float64)
    start = np.random.default_rng(0).normal(size=n)
    restarts = None if n > LARGE else max(30, n * n // 100_000)
    values, vectors = eigsh(operator, count, which="LA", v0=start, ncv=width, maxiter=restarts)
    order = np.argsort(values)
    return values[order], vectors[:, order]


def normalized(K: Any, degrees: FloatArray) -> Any:
    """``D^-½ K D^-½`` for positive degrees."""
    scale = 1 / np.sqrt(degrees)
    if sparse.issparse(K):
        return sparse.csr_array(sparse.diags_array(scale) @ K @ sparse.diags_array(scale))
    return K * scale * scale[:, None]


def unit_length(V: FloatArray) -> FloatArray:
    """Rows divided by their length; rows that are zero stay zero."""
    length = linalg.norm(V, axis=1, keepdims=True)
    return np.asarray(np.divide(V, length, out=np.zeros_like(V), where=length > 0))
