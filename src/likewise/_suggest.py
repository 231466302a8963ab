"""Suggestions for misspelled names."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

MOST = 20_000
"""Maximum number of names to compare with a misspelled one; if there are more, only those with the same beginning."""


def suggest(name: str, known: Iterable[str], *, most: int = 3) -> str:
    """The question "Did you mean …?", or an empty string if no name is similar.

    Parameters
    ----------
    name : str
        The misspelled name.
    known : iterable of str
        The valid names.
    most : int
        Maximum number of suggestions.

    Returns
    -------
    str
        Starts with a space, unless empty.

    Examples
    --------
    >>> suggest("w-0002", ["W-0001", "W-0002"])
    " Did you mean 'W-0002'?"
    >>> suggest("kind", ["a", "b"])
    ''
    """
    names = list(dict.fromkeys(known))
    plain = _plain(name)
    alike = [each for each in names if _plain(each) == plain]
    if not alike:
        if len(names) > MOST:
            names = [each for each in names if each[:1].lower() == name[:1].lower()][:MOST]
        lowered = {each.lower(): each for each in reversed(names)}
        alike = [lowered[each] for each in get_close_matches(name.lower(), lowered, n=most, cutoff=0.7)]
    return f" Did you mean {' or '.join(map(repr, alike[:most]))}?" if alike else ""


def missing_file(path: str | os.PathLike[str]) -> FileNotFoundError:
    """The error for a file that does not exist; it names one in the same folder that is called alike.

    Parameters
    ----------
    path : path

    Returns
    -------
    FileNotFoundError
    """
    meant, offer = Path(path), ""
    with suppress(OSError):
        names = [entry.name for entry in islice(meant.parent.iterdir(), MOST)]
        near = [name for name in names if get_close_matches(meant.stem.lower(), [Path(name).stem.lower()], cutoff=0.7)]
        offer = suggest(meant.name, near)
    return FileNotFoundError(f"{path} does not exist.{offer or ' Check the spelling, and the folder you are in.'}")


def _plain(name: str) -> str:
    """A name without case, separators and leading zeros."""
    words = "".join(mark if mark.isalnum() else " " for mark in name.lower()).split()
    return "".join(word.lstrip("0") for word in words)
