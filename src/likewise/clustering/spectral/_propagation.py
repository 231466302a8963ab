"""Constraints propagated through distances: locally, and along shortest paths."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..._arrays import FloatArray, IntArray
from ..._progress import track
from ...constraints import Constraints
from ...graphs import cannot_link_graph
from .._base import uncertain_weight


def propagate_locally(
    distances: Any, constraints: Constraints, *, order: Literal["groups", "pairs"] = "groups"
) -> FloatArray:
    """Give must-linked rows the smallest distances that any of them has, then separate cannot-linked rows.

    It is cheap (O(n·q) for q constrained rows) and local: only the distances of the constrained rows change. Prefer it
    to :func:`propagate_globally` if large distances carry little information, as in text.

    For must-linked x and y (Yan et al. 2009, Section 2.2)::

        d(x, y) = 0        d(z, x) = d(z, y) = min(d(z, x), d(z, y)) for every other z

    and then d(x, y) = 1, "the largest value for a normalized distance", for cannot-linked x and y.

    Parameters
    ----------
    distances : (n, n) array
        Symmetric, nonnegative, zero on the diagonal; preferably with a maximum of 1.
    constraints : Constraints
        All of weight 1.
    order : {"groups", "pairs"}
        "groups": the closure of the constraints is used, every row of a must-link group takes the group's smallest
        distance, and cannot-links hold between whole groups. The result does not depend on the order of constraints,
        and the operation is idempotent. "pairs": the loop of the paper, one must-link after the other in the order of
        ``constraints.must_link`` (sorted), then the cannot-links. The result depends on the order. Partitions are
        expanded.

    Returns
    -------
    (n, n) array
        New distances; cannot-linked rows have distance 1, or the largest distance if that is more.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import Constraints
    >>> from likewise.clustering import propagate_locally
    >>> D = np.array([[0.0, 0.8, 0.3, 0.9], [0.8, 0.0, 0.6, 0.1], [0.3, 0.6, 0.0, 0.5], [0.9, 0.1, 0.5, 0.0]])
    >>> propagate_locally(D, Constraints(4, must_link=[(0, 1)], cannot_link=[(2, 3)]))
    array([[0. , 0. , 0.3, 0.1],
           [0. , 0. , 0.3, 0.1],
           [0.3, 0.3, 0. , 1. ],
           [0.1, 0.1, 1. , 0. ]])
    """
    D, far = _checked(distances, constraints)
    if order == "pairs":
        written = constraints.expand()
        for pair in written.must_link:
            _merge(D, pair)
        left, right = written.cannot_link.T
        D[left, right] = D[right, left] = far
        return D
    if order != "groups":
        raise ValueError(f'order must be "groups" or "pairs", got {order!r}.')
    for rows in _groups(constraints):
        _merge(D, rows)
    left, right = _apart(constraints)
    D[left, right] = far
    return D


def propagate_globally(distances: Any, constraints: Constraints) -> FloatArray:
    """Replace distances by shortest paths across must-links, then separate cannot-linked rows.

    A must-link brings all rows near one of its rows closer to all rows near the other. Prefer it if large distances are
    meaningful and clusters are elongated. O(n²·g) for g must-link groups.

    Must-linked rows have distance 0, and the distance of any two rows is the length of the shortest path whose inner
    vertices are must-linked rows (Klein, Kamvar, Manning 2002, Section 3; Glo-NC in Yan et al. 2009). After that,
    cannot-linked rows, and rows at distance 0 from them, have distance 1, or the largest distance if that is more.

    Parameters
    ----------
    distances : (n, n) array
        Symmetric, nonnegative, zero on the diagonal.
    constraints : Constraints
        All of weight 1. Their closure is used.

    Returns
    -------
    (n, n) array
        New distances, none larger than before except between cannot-linked rows.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import Constraints
    >>> from likewise.clustering import propagate_globally
    >>> x = np.array([0.0, 1.0, 5.0, 7.0])
    >>> propagate_globally(abs(x - x[:, None]), Constraints(4, must_link=[(1, 2)]))
    array([[0., 1., 1., 3.],
           [1., 0., 0., 2.],
           [1., 0., 0., 2.],
           [3., 2., 2., 0.]])
    """
    D, far = _checked(distances, constraints)
    groups = list(_groups(constraints))
    if groups:
        reach = np.array([D[rows].min(axis=0) for rows in groups])  # from each group to each row
        between = np.array([reach[:, rows].min(axis=1) for rows in groups])
        for g in range(len(groups)):  # shortest paths from group to group, across groups
            np.minimum(between, between[:, g, None] + between[g], out=between)
        reach = np.array([(between[g][:, None] + reach).min(axis=0) for g in range(len(groups))])
        for row in track(reach):
            np.minimum(D, row[:, None] + row, out=D)
        np.fill_diagonal(D, 0.0)
    left, right = _apart(constraints)
    codes = constraints.groups()
    # The rows of a group now have the same distances, so one of them represents all.
    _, first = np.unique(np.column_stack([codes[left], codes[right]]), axis=0, return_index=True)
    beside = {row: np.flatnonzero(D[row] == 0) for row in np.unique(left)}
    for x, y in zip(left[first], right[first], strict=True):
        one, other = np.meshgrid(beside[x], beside[y], indexing="ij")
        apart = codes[one] != codes[other]  # a row at distance 0 from both stays with its own group
        D[one[apart], other[apart]] = D[other[apart], one[apart]] = far
    return D


def _merge(D: FloatArray, rows: IntArray) -> None:
    """Give all of ``rows`` the smallest distance that any of them has to each other row."""
    smallest = D[rows].min(axis=0)
    D[rows] = smallest
    D[:, rows] = smallest[:, None]
    D[np.ix_(rows, rows)] = 0.0


def _groups(constraints: Constraints) -> list[IntArray]:
    """The rows of each closed group of two or more."""
    codes = constraints.groups()
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    return [rows for rows in np.split(order, np.cumsum(sizes)[:-1]) if len(rows) > 1]


def _apart(constraints: Constraints) -> tuple[IntArray, IntArray]:
    """Both orders of every cannot-link, including implied ones."""
    constraints.check()  # so that an error names rows by their original numbers
    rows = np.flatnonzero(constraints.constrained_rows())
    left, right = np.nonzero(cannot_link_graph(constraints.restrict(rows), closed=True).toarray() > 0)
    return rows[left], rows[right]


def _checked(distances: Any, constraints: Constraints) -> tuple[FloatArray, float]:
    """A checked copy of the distances, and the distance of cannot-linked rows."""
    D = np.array(distances)
    D = D if D.dtype in (np.float32, np.float64) else D.astype(np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise ValueError(f"distances must be a square matrix, row by row, got shape {D.shape}.")
    if not np.isfinite(D).all():
        raise ValueError("distances must be finite. Replace NaN and infinity by the largest distance.")
    if D.size and D.min() < 0:
        i, j = np.unravel_index(D.argmin(), D.shape)
        raise ValueError(f"distances must not be negative, but distances[{i}, {j}] = {D[i, j]:g}.")
    if np.abs(np.diag(D)).max(initial=0.0) > 0:
        row = int(np.abs(np.diag(D)).argmax())
        raise ValueError(
            f"the distance of a row to itself must be 0, but distances[{row}, {row}] = {D[row, row]:g}. Set the "
            "diagonal to 0; for similarities pass 1 − similarity."
        )
    if np.abs(D - D.T).max(initial=0.0) > 1e-6 * D.max(initial=0.0):
        i, j = np.unravel_index(np.abs(D - D.T).argmax(), D.shape)
        raise ValueError(
            f"distances must be symmetric, but distances[{i}, {j}] = {D[i, j]:g} and distances[{j}, {i}] = "
            f"{D[j, i]:g}. Use (D + D.T) / 2 if they only differ by rounding."
        )
    if constraints.n_samples != len(D):
        raise ValueError(
            f"constraints were built for {constraints.n_samples} rows, distances have {len(D)}. "
            "Restrict them to the same rows: constraints.restrict(rows)."
        )
    weight = uncertain_weight(constraints)
    if weight is not None:
        raise ValueError(
            f"propagation takes every hint as certain, but one has weight {weight:g}. Leave the weights out, "
            "or use a method that uses them (ConstrainedNormalizedCut, PCKMeans)."
        )
    return np.minimum(D, D.T), max(1.0, float(D.max(initial=0.0)))
