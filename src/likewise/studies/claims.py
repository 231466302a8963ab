"""What a paper says, in a file that can be checked."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

DERIVED = ("above", "rises", "wilcoxon", "gain", "saving")
"""Ways to compute a claim from the cells of others: see :mod:`likewise.studies.statements`."""


@dataclass(frozen=True)
class Claim:
    """One published figure, or one statement whose truth is a number.

    Parameters
    ----------
    id : str
        The cell: ``table/row/method``, perhaps with a score at the end.
    published : float
        What the paper says. For a statement that holds in a share of comparisons, 1.
    lower_is_better : bool
    quick : bool
        Whether it belongs to the short run.
    says : str
        A statement in words; tables need none.
    slip : str
        Why the published figure itself cannot be right, where that is known.
    absent : str
        Why this cell cannot be measured here.
    unit : str
        "s" for seconds, which depend on the machine and are shown but not compared.
    how : str
        One of ``DERIVED``, or empty for a measured cell.
    cells : tuple of str
        What a derived claim is computed from: names with at most one ``*``.
    least : float
        The value from which a statement counts as holding.
    """

    id: str
    published: float
    lower_is_better: bool = False
    quick: bool = False
    says: str = ""
    slip: str = ""
    absent: str = ""
    unit: str = ""
    how: str = ""
    cells: tuple[str, ...] = ()
    least: float = 1.0

    @property
    def is_statement(self) -> bool:
        """Whether its value is the share of comparisons in which it holds."""
        return self.how in ("above", "rises")


@dataclass(frozen=True)
class Claims:
    """All claims of one paper.

    Parameters
    ----------
    title, reference : str
    tolerance : float
        A measured mean within this of the published figure counts as reproduced.
    titles : mapping
        What each table or figure shows, by the first part of its cells.
    because : mapping
        Why cells differ: from a pattern of names, or the beginning of one, to the reason. The longest that fits counts.
    obstacles : mapping
        What stands in the way of our own column, looked up alike.
    """

    title: str
    reference: str
    claims: tuple[Claim, ...]
    tolerance: float = 0.02
    titles: Mapping[str, str] = field(default_factory=dict)
    because: Mapping[str, str] = field(default_factory=dict)
    obstacles: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def reason(self, cell: str) -> str:
        """Why this cell differs from the paper, as far as somebody wrote it down."""
        return _longest_fit(self.because, cell)

    def obstacle(self, row: str) -> str:
        """What keeps our own column below the published best in this row, as far as somebody wrote it down."""
        return _longest_fit(self.obstacles, row)


def read_claims(path: str | Path) -> Claims:
    """Read a ``claims.toml``; an entry that makes no sense raises ValueError naming it."""
    path = Path(path)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}.") from None
    claims = tuple(_claim(entry, f"{path}, claim {number}") for number, entry in enumerate(told.get("claim", []), 1))
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise ValueError(f"{path} states {claim.id!r} twice. Remove one of them.")
        seen.add(claim.id)
    return Claims(
        told.get("title", path.parent.name),
        told.get("reference", ""),
        claims,
        told.get("tolerance", 0.02),
        told.get("titles", {}),
        told.get("because", {}),
        told.get("obstacles", {}),
    )


def _longest_fit(reasons: Mapping[str, str], cell: str) -> str:
    fits = [key for key in reasons if cell == key or cell.startswith(key + "/") or fnmatchcase(cell, key)]
    return reasons[max(fits, key=len)] if fits else ""


def _claim(entry: dict[str, Any], where: str) -> Claim:
    entry = dict(entry)
    if "id" not in entry or "published" not in entry:
        raise ValueError(f"{where} needs an id and what was published, got {entry}.")
    ways = [way for way in DERIVED if way in entry]
    if len(ways) > 1:
        raise ValueError(f"{where} ({entry['id']}) is to be computed in two ways: {', '.join(ways)}. Keep one.")
    if ways:
        cells = entry.pop(ways[0])
        entry |= {"how": ways[0], "cells": tuple([cells] if isinstance(cells, str) else cells)}
        if len(entry["cells"]) != (1 if ways[0] == "rises" else 2):
            raise ValueError(
                f"{where} ({entry['id']}): {ways[0]!r} takes {'one name' if ways[0] == 'rises' else 'two names'}."
            )
    try:
        return Claim(**{**entry, "published": float(entry["published"])})
    except TypeError as error:
        raise ValueError(f"{where} ({entry['id']}) has a key that means nothing: {error}.") from None
