"""Constraints from a column whose equal values mean the same cluster, or different clusters."""

from __future__ import annotations

from typing import Any

from ..constraints import Constraints, Partition
from ..constraints._validate import encode_labels as _encode_labels


def all_same(column: Any, *, weight: float = 1.0, unknown: Any = -1) -> Constraints:
    """Must-link all rows with the same value; rows with different values stay unconstrained.

    For columns such as the author of a document or the patient of a visit. If different values also mean different
    clusters, use :meth:`Constraints.from_labels`.

    Parameters
    ----------
    column : list, array or Series
        Numbers or strings; None, NaN, NA and ``unknown`` where the value is not known.
    weight : float
        Weight of every pair.
    unknown : number or str
        A value that means unknown. None if there is no such value.

    Returns
    -------
    Constraints
        With one partition, which takes O(n) memory.

    See Also
    --------
    all_different

    Examples
    --------
    >>> from likewise.sources.groups import all_same
    >>> constraints = all_same(["ann", "bob", "ann", None, "bob", "cy"])
    >>> constraints
    Constraints(6 rows: 5 rows in 3 groups of the same (2 pairs))
    >>> constraints.expand().must_link.tolist()
    [[0, 2], [1, 4]]
    """
    return _from_blocks(column, unknown, same_within=True, weight=weight)


def all_different(column: Any, *, weight: float = 1.0, unknown: Any = -1) -> Constraints:
    """Cannot-link all rows with the same value; rows with different values stay unconstrained.

    For columns such as the picture of a face (two faces in one picture are two people) or the list of a record.

    Parameters
    ----------
    column : list, array or Series
        Numbers or strings; None, NaN, NA and ``unknown`` where the value is not known.
    weight : float
        Weight of every pair.
    unknown : number or str
        A value that means unknown. None if there is no such value.

    Returns
    -------
    Constraints
        With one partition, which takes O(n) memory.

    See Also
    --------
    all_same

    Examples
    --------
    >>> from likewise.sources.groups import all_different
    >>> constraints = all_different(["photo 1", "photo 1", "photo 2", "photo 1"])
    >>> constraints.n_cannot_link, constraints.expand().cannot_link.tolist()
    (3, [[0, 1], [0, 3], [1, 3]])
    """
    return _from_blocks(column, unknown, same_within=False, different_within=True, weight=weight)


def _from_blocks(column: Any, unknown: Any, **meaning: Any) -> Constraints:
    if isinstance(column, str | bytes):
        raise TypeError(f"column is one single string, {column[:40]!r}. Pass the values, one for each row.")
    codes, _ = _encode_labels(column, unknown)
    return Constraints(len(codes), partitions=[Partition(codes, **meaning)])
