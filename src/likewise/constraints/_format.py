"""Counts and rows in words, for messages and short representations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ._constraints import Constraints


def pluralize(number: int, noun: str) -> str:
    """A count with its noun.

    >>> pluralize(1, "must-link"), pluralize(1200, "row")
    ('1 must-link', '1,200 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def join_rows(rows: Sequence[int], separator: str, *, ends: int = 5) -> str:
    """Join row numbers, leaving out the middle of a long list.

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
    """Count the constraints in words; empty where there are none."""
    kinds = (("must-link", constraints.must_link), ("cannot-link", constraints.cannot_link))
    counts = [pluralize(len(pairs), noun) for noun, pairs in kinds if len(pairs)]
    if partitions := constraints.partitions:
        blocks = sum(partition.n_blocks for partition in partitions)
        known = np.any([partition.codes >= 0 for partition in partitions], axis=0).sum()
        of = f"of {pluralize(blocks, 'block')} over {pluralize(int(known), 'row')}"
        counts.append(f"{pluralize(len(partitions), 'partition')} {of}")
    return ", ".join(counts)


def html_table(constraints: Constraints) -> str:
    """The same as an HTML table."""
    cells = [
        ("rows", f"{constraints.n_samples:,}"),
        ("must-links", f"{len(constraints.must_link):,}"),
        ("cannot-links", f"{len(constraints.cannot_link):,}"),
        *(("partition", repr(partition)) for partition in constraints.partitions),
    ]
    rows = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in cells)
    return f"<table><caption>Constraints</caption>{rows}</table>"
