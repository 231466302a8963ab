"""A column that says who belongs together, or who does not."""

from __future__ import annotations

from typing import Any

from ..constraints import Constraints, Partition
from ..constraints._validate import encode_labels


def all_same(column: Any, *, weight: float = 1.0, unknown: Any = -1) -> Constraints:
    """Rows with the same value belong together; nothing is said of rows with different values.

    For knowledge such as "one document, one author" or "one patient, many visits". If other values also mean other
    clusters, use :meth:`Constraints.from_labels`, which says both.

    Parameters
    ----------
    column : list, array or Series
        Numbers or strings; None, NaN, NA and ``unknown`` where the value is not known.
    weight : float
        One degree of belief for all of it.
    unknown : number or str
        A value that means that nobody knows. None: there is no such value.

    Returns
    -------
    Constraints
        With one partition: n numbers, however many pairs they speak of.

    Examples
    --------
    >>> from likewise.sources.groups import all_same
    >>> hints = all_same(["ann", "bob", "ann", None, "bob", "cy"])
    >>> hints
    Constraints(6 rows: 1 partition of 3 blocks over 5 rows)
    >>> hints.expand().must_link.tolist()
    [[0, 2], [1, 4]]
    """
    return _of_blocks(column, unknown, same_within=True, weight=weight)


def all_different(column: Any, *, weight: float = 1.0, unknown: Any = -1) -> Constraints:
    """Rows with the same value all differ from each other; nothing is said of rows with different values.

    For knowledge such as "two faces in one picture are two people" or "nobody is twice in one list".

    Parameters
    ----------
    column : list, array or Series
        Numbers or strings; None, NaN, NA and ``unknown`` where the value is not known.
    weight : float
        One degree of belief for all of it.
    unknown : number or str
        A value that means that nobody knows. None: there is no such value.

    Returns
    -------
    Constraints
        With one partition: n numbers, however many pairs they speak of.

    Examples
    --------
    >>> from likewise.sources.groups import all_different
    >>> hints = all_different(["photo 1", "photo 1", "photo 2", "photo 1"])
    >>> hints.n_cannot_link, hints.expand().cannot_link.tolist()
    (3, [[0, 1], [0, 3], [1, 3]])
    """
    return _of_blocks(column, unknown, same_within=False, different_within=True, weight=weight)


def _of_blocks(column: Any, unknown: Any, **meaning: Any) -> Constraints:
    if isinstance(column, str | bytes):
        raise TypeError(f"column is one single string, {column[:40]!r}. Pass the values, one for each row.")
    codes, _ = encode_labels(column, unknown)
    return Constraints(len(codes), partitions=[Partition(codes, **meaning)])
