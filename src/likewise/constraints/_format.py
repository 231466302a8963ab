"""Text and HTML summaries of constraints, for messages and representations."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from .._arrays import FloatArray, IntArray

if TYPE_CHECKING:
    from ._comparisons import Comparisons
    from ._constraints import Constraints
    from ._partition import Partition


def pluralize(number: int, noun: str) -> str:
    """A count with its noun.

    >>> pluralize(1, "must-link"), pluralize(1200, "row")
    ('1 must-link', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def join_rows(rows: Sequence[int | str], separator: str, *, ends: int = 5) -> str:
    """Join row numbers, omitting the middle of a long list.

    >>> join_rows([3, 8, 17], "–")
    '3–8–17'
    >>> join_rows(range(100), ", ", ends=2)
    '0, 1, … (96 more) …, 98, 99'
    """
    if len(rows) <= 2 * ends + 1:
        return separator.join(map(str, rows))
    middle = f"… ({len(rows) - 2 * ends:,} more) …"
    return separator.join([*map(str, rows[:ends]), middle, *map(str, rows[-ends:])])


def summarize(constraints: Constraints) -> str:
    """The number of constraints of each kind, as text; empty if there are none."""
    kinds = (("must-link", constraints.must_link), ("cannot-link", constraints.cannot_link))
    counts = [pluralize(len(pairs), noun) for noun, pairs in kinds if len(pairs)]
    labels = [partition for partition in constraints.partitions if partition.is_labels]
    others = [partition for partition in constraints.partitions if not partition.is_labels]
    counts += [describe_partition(partition) for partition in labels]
    if len(others) == 1:
        counts.append(describe_partition(others[0]))
    elif others:  # there may be many, such as blocking keys
        groups = pluralize(sum(partition.n_blocks for partition in others), "group")
        known = int(np.any([partition.codes >= 0 for partition in others], axis=0).sum())
        counts.append(f"{len(others):,} partitions of {groups} over {pluralize(known, 'row')}")
    counts += [words] if (words := describe_comparisons(constraints.comparisons)) else []
    counts += [pluralize(len(constraints.preferences), "preference")] if constraints.preferences else []
    return ", ".join(counts)


def describe_comparisons(comparisons: Comparisons) -> str:
    """The number of comparisons and unanswered questions, as text; empty if there are none."""
    counts = [pluralize(len(comparisons), "comparison")] if len(comparisons) else []
    counts += [f"{len(comparisons.unsure):,} unanswered"] if len(comparisons.unsure) else []
    return ", ".join(counts)


def describe_partition(partition: Partition) -> str:
    """A partition as text, with the number of pairs that it implies.

    >>> from likewise.constraints import Partition
    >>> describe_partition(Partition([0, 0, 1, -1], different_across=True))
    '3 labels of 2 classes (3 pairs)'
    >>> describe_partition(Partition([0, 0, 1, -1], same_within=False, different_within=True))
    '3 rows in 2 groups of different ones (1 pair)'
    """
    pairs = pluralize(partition.n_must_link + partition.n_cannot_link, "pair")
    if partition.is_labels:
        classes = f"{partition.n_blocks:,} class{'' if partition.n_blocks == 1 else 'es'}"
        return f"{pluralize(partition.n_known, 'label')} of {classes} ({pairs})"
    groups = pluralize(partition.n_blocks, "group")
    if partition.same_within:
        meaning = f"in {groups} of the same"
    elif partition.different_across:
        meaning = "that all differ" if partition.different_within else f"in {groups} that differ"
    else:
        meaning = f"in {groups} of different ones"
    return f"{pluralize(partition.n_known, 'row')} {meaning} ({pairs})"


def html_table(constraints: Constraints) -> str:
    """A summary as an HTML table, with the first pairs and classes."""
    touched = int(constraints.constrained_rows().sum())
    cells = [
        ("rows", f"{constraints.n_samples:,}, of which {touched:,} are in hints"),
        ("must-links", _first_pairs(constraints.must_link, constraints.must_weight)),
        ("cannot-links", _first_pairs(constraints.cannot_link, constraints.cannot_weight)),
        *(("labels" if part.is_labels else "groups", _first_blocks(part)) for part in constraints.partitions),
    ]
    if not constraints.comparisons.is_empty:
        cells.append(("comparisons", _first_comparisons(constraints.comparisons)))
    if constraints.preferences:
        cells.append(("preferences", f"{len(constraints.preferences):,}"))
    rows = "".join(f"<tr><th>{name}</th><td>{escape(value)}</td></tr>" for name, value in cells)
    return f"<table><caption>Constraints</caption>{rows}</table>"


def _first_pairs(pairs: IntArray, weights: FloatArray, most: int = 5) -> str:
    """The number of pairs, and the first pairs, with weights other than 1."""
    listed = [
        f"{left}–{right}" + ("" if weight == 1 else f" (weight {weight:g})")
        for (left, right), weight in zip(pairs[:most].tolist(), weights[:most].tolist(), strict=True)
    ]
    return ", ".join([f"{len(pairs):,}: {listed[0]}", *listed[1:], *["…"] * (len(pairs) > most)]) if listed else "0"


def _first_blocks(partition: Partition, most: int = 8) -> str:
    """A partition as text, with the sizes of its first blocks if they have names."""
    if partition.names is None:
        return describe_partition(partition)
    sizes = zip(partition.names[:most], partition.block_sizes[:most].tolist(), strict=True)
    listed = [f"{name} ({size:,})" for name, size in sizes] + ["…"] * (partition.n_blocks > most)
    return f"{describe_partition(partition)}: {', '.join(listed)}"


def _first_comparisons(comparisons: Comparisons, most: int = 5) -> str:
    """The number of comparisons, and the first comparisons."""
    first = zip(comparisons.near[:most].tolist(), comparisons.far[:most].tolist(), strict=True)
    listed = [f"{a}–{b} nearer than {c}–{d}" for (a, b), (c, d) in first]
    listed += ["…"] * (len(comparisons) > most)
    return describe_comparisons(comparisons) + (f": {', '.join(listed)}" if listed else "")
