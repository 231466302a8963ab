"""What a paper states, read from its ``claims.toml``.

A table of the paper is a grid::

    [[table]]
    cells = "table1/{row}/{column}"      # the name of a cell
    columns = ["k-means", "gcdr"]
    values = [
      ["iris", 0.58, 0.68],
      ["wine", 0.54, 0.61],
    ]
    quick = ["*/iris/*"]                 # cells of the short run, as patterns

``nan`` is a cell that the paper leaves empty. ``lower_is_better`` and ``quick`` are true, or a list of patterns of the
cells they hold for; ``unit``, ``slip`` and ``absent`` are a text for all cells, or one for each pattern. Statements in
words, and single figures, are entries of ``claim``, with the fields of :class:`Claim`. A claim that is computed from
other cells names them in ``above``, ``rises``, ``wilcoxon``, ``gain`` or ``saving`` (see
:mod:`papers.framework.statements`); in a table these names may hold ``{row}`` and ``{column}``.
Claims are in the order of ``[titles]``, and there tables come before statements.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import isnan
from pathlib import Path
from typing import Any

DERIVED = ("above", "rises", "wilcoxon", "gain", "saving")
"""Ways to compute a claim from other cells."""

FLAGS = ("lower_is_better", "quick")
TEXTS = ("unit", "slip", "absent")


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
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}.") from None
    titles = content.get("titles", {})
    claims = [
        claim
        for number, table in enumerate(content.get("table", []), 1)
        for claim in _table(table, f"{path}, table {number}")
    ]
    claims += [_claim(entry, f"{path}, claim {number}") for number, entry in enumerate(content.get("claim", []), 1)]
    places = {part: place for place, part in enumerate(titles)}
    claims.sort(key=lambda claim: places.get(claim.id.split("/")[0], len(places)))
    seen: set[str] = set()
    for claim in claims:
        if claim.id in seen:
            raise ValueError(f"{path} states {claim.id!r} twice. Remove one of them.")
        seen.add(claim.id)
    return Claims(
        content.get("title", path.parent.name),
        content.get("reference", ""),
        tuple(claims),
        tolerance=content.get("tolerance", 0.02),
        titles=titles,
        because=content.get("because", {}),
        obstacles=content.get("obstacles", {}),
    )


def _longest_fit(reasons: Mapping[str, str], cell: str) -> str:
    fits = [key for key in reasons if cell == key or cell.startswith(key + "/") or fnmatchcase(cell, key)]
    return reasons[max(fits, key=len)] if fits else ""


def _table(table: Mapping[str, Any], where: str) -> Iterator[Claim]:
    if not {"cells", "columns", "values"} <= set(table):
        raise ValueError(f"{where} needs cells, columns and values, it has {', '.join(table)}.")
    columns = table["columns"]
    options = {name: given for name, given in table.items() if name not in ("cells", "columns", "values")}
    for row, *values in table["values"]:
        if len(values) != len(columns):
            raise ValueError(f"{where}, row {row!r} has {len(values)} values for {len(columns)} columns.")
        for column, value in zip(columns, values, strict=True):
            if isnan(value):
                continue
            cell = table["cells"].format(row=row, column=column)
            entry = {"id": cell, "published": value}
            for name, given in options.items():
                if name in FLAGS:
                    entry[name] = _flag(given, cell)
                elif name in TEXTS:
                    entry[name] = _text(given, cell)
                elif name in DERIVED:
                    entry[name] = [source.format(row=row, column=column) for source in given]
                else:
                    entry[name] = given
            yield _claim(entry, where)


def _flag(given: bool | list[str], cell: str) -> bool:
    return given if isinstance(given, bool) else any(fnmatchcase(cell, pattern) for pattern in given)


def _text(given: str | Mapping[str, str], cell: str) -> str:
    if isinstance(given, str):
        return given
    return next((text for pattern, text in given.items() if fnmatchcase(cell, pattern)), "")


def _claim(entry: Mapping[str, Any], where: str) -> Claim:
    fields = dict(entry)
    ways = [way for way in DERIVED if way in fields]
    if len(ways) > 1:
        raise ValueError(f"{where} ({fields.get('id')}) is to be computed in two ways: {', '.join(ways)}. Keep one.")
    if ways in (["above"], ["rises"]):
        fields.setdefault("published", 1.0)  # a statement holds in all comparisons
    if "id" not in fields or "published" not in fields:
        raise ValueError(f"{where} needs an id and what was published, got {entry}.")
    if ways:
        cells = fields.pop(ways[0])
        fields |= {"how": ways[0], "cells": tuple([cells] if isinstance(cells, str) else cells)}
        if len(fields["cells"]) != (1 if ways[0] == "rises" else 2):
            raise ValueError(
                f"{where} ({fields['id']}): {ways[0]!r} takes {'one name' if ways[0] == 'rises' else 'two names'}."
            )
    try:
        return Claim(**{**fields, "published": float(fields["published"])})
    except TypeError as error:
        raise ValueError(f"{where} ({fields['id']}) has an unknown key: {error}.") from None
