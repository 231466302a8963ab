"""Columns chosen on the command line: by names, by patterns (``e*``) and by ranges (``e0-e95``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from .._suggest import suggest

NUMBERED = re.compile(r"(.*?)([0-9]{1,18})")
WILDCARDS = frozenset("*?[")


def select_columns(patterns: Sequence[str], known: Iterable[str], source: str, option: str) -> list[str]:
    """The columns that any of the patterns means, in the order of the file.

    Parameters
    ----------
    patterns : sequence of str
        Names; patterns with ``*`` and ``?``; two numbered names with a hyphen between them.
    known : iterable of str
        Names of all columns.
    source, option : str
        For messages.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If a pattern means no column.

    Examples
    --------
    >>> select_columns(["e*"], ["id", "e0", "e1", "age"], "t.csv", "--columns")
    ['e0', 'e1']
    >>> select_columns(["e1-e10", "id"], ["id", "e0", "e01", "e2", "e11"], "t.csv", "--columns")
    ['id', 'e01', 'e2']
    """
    names = list(known)
    chosen: set[str] = set()
    for pattern in _separate(patterns, names):
        found = _matches(pattern, names)
        if not found:
            listed = ", ".join(names[:12]) + (f", … ({len(names) - 12} more)" if len(names) > 12 else "")
            raise ValueError(
                f"{option} {pattern}: {source} has no such column.{suggest(pattern, names)} It has: {listed or 'none'}."
            )
        chosen.update(found)
    return [name for name in names if name in chosen]


def _separate(patterns: Sequence[str], names: list[str]) -> list[str]:
    """Patterns that commas separate, unless a comma is in the name of a column."""
    return [each.strip() for given in patterns for each in ([given] if given in names else given.split(","))]


def _matches(pattern: str, names: list[str]) -> list[str]:
    if pattern in names:
        return [pattern]
    if WILDCARDS & set(pattern):
        return [name for name in names if fnmatchcase(name, pattern)]
    for cut in (place for place, mark in enumerate(pattern) if mark == "-"):  # names may have hyphens, too
        first, last = NUMBERED.fullmatch(pattern[:cut]), NUMBERED.fullmatch(pattern[cut + 1 :])
        if first is None or last is None or last[1] not in (first[1], ""):
            continue
        numbered = [(name, match) for name in names if (match := NUMBERED.fullmatch(name)) and match[1] == first[1]]
        found = [name for name, match in numbered if int(first[2]) <= int(match[2]) <= int(last[2])]
        if found:
            return found
    return []
