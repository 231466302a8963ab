"""Parsing of formatted numbers, such as 1,234.50 or 1.234,50, with a currency, percent sign or unit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..tables import as_numbers, is_missing_cell
from ..tables._cells import NumberColumn, read_cells

CURRENCIES = (
    "€ $ £ ¥ ₹ ₽ ₩ ₺ ₴ US$ C$ A$ R$ kr zł Kč Ft EUR USD GBP CHF JPY CNY INR SEK NOK DKK PLN CZK HUF CAD AUD NZD BRL "
    "MXN ZAR TRY KRW SGD HKD"
)
MEASURES = (
    "% ‰ ° °C °F mm cm m km in ft mi mi² m² m2 km² ha mg µg g kg lb lbs oz ml mL cl dl l L ms s sec min h hr hrs day "
    "days week weeks month months year years yr yrs Hz kHz MHz GHz W kW MW Wh kWh MWh kB KB MB GB TB km/h kmh mph m/s "
    "mmHg bpm kcal kJ ppm px"
)
UNITS = frozenset(f"{CURRENCIES} {MEASURES}".split())
"""Units after a number; a column has a single unit."""

PREFIXES = frozenset(f"{CURRENCIES} %".split())
"""Units before a number. Others are not allowed there, since W-0001 is an id."""

SPACES = "\u00a0\u202f\u2009"
"""Non-breaking and thin spaces between thousands, which are read as plain spaces."""

NOTATIONS = ((",", "."), (".", ","), ("'", "."), ("'", ","), (" ", "."), (" ", ","))
"""Thousands separators and decimal points. The notation that fits most numbers is used, and the first one in a tie."""

WRITTEN = re.compile(
    r"(\(?)\s*([-+−]?)\s*([^\d\s()+−.,'-]*)\s*([-+−]?)(\d[\d.,' ]*|[.,]\d+)([^\d()]*|m2)(\)?)", re.ASCII
)
"""An opening parenthesis (for negative numbers), sign, unit, sign, digits, unit, and closing parenthesis."""

MOSTLY_WRITTEN = 0.9
"""A column is numeric if at least this share of its distinct cells are formatted numbers; others are errors."""

LONGEST = 40
"""Maximum number of characters of a number."""


class Notation(NamedTuple):
    """The number format of a column."""

    unit: str
    thousands: str
    decimal: str

    def __str__(self) -> str:
        return f"such as 1{self.thousands}234{self.decimal}5{f' {self.unit}' if self.unit else ''}"


class _Parts(NamedTuple):
    negative: bool
    digits: str
    unit: str


def find_notation(cells: Sequence[Any]) -> Notation | None:
    """Detect the number format of a column; None if the column is not numeric, or numeric already.

    >>> find_notation(["1.234,50 €", "12,00 €", None])
    Notation(unit='€', thousands='.', decimal=',')
    >>> find_notation(["1,234", "17", "999,000"]), find_notation(["W-1", "W-2"])
    (Notation(unit='', thousands=',', decimal='.'), None)
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "fiuMb":
        return None
    distinct = list(dict.fromkeys(cell for cell in cells if isinstance(cell, str) and not is_missing_cell(cell)))
    few = distinct[:: max(1, len(distinct) // 10)]  # a quick check, which most columns of text fail
    if not few or sum(_parts(cell) is not None for cell in few) < len(few) / 2:
        return None
    found = [parts for cell in distinct if (parts := _parts(cell)) is not None]
    units = {parts.unit for parts in found} - {""}
    if len(found) < MOSTLY_WRITTEN * len(distinct) or len(units) > 1:
        return None
    fits: dict[Notation, int] = {}
    for thousands, decimal in NOTATIONS:
        notation = Notation(next(iter(units), ""), thousands, decimal)
        fits[notation] = sum(_value(parts, notation) is not None for parts in found)
        if fits[notation] == len(found):
            break
    best = max(fits, key=lambda notation: fits[notation])
    return best if fits[best] >= MOSTLY_WRITTEN * len(distinct) else None


def read_written(cells: Sequence[Any], notation: Notation) -> NumberColumn:
    """Convert a column of formatted numbers.

    >>> read_written(["(1,200.5)", "many", "", 3], Notation("", ",", "."))
    NumberColumn(values=array([-1200.5,     nan,     nan,     3. ]), wrong=[1], n_missing=1)
    """

    def number(cell: Any) -> float:
        if isinstance(cell, int | float | np.number) and not isinstance(cell, bool):
            return float(cell)
        parts = _parts(cell) if isinstance(cell, str) else None
        value = None if parts is None or parts.unit not in ("", notation.unit) else _value(parts, notation)
        if value is None:
            raise ValueError
        return value

    return read_cells(cells, number)


def read_numbers(cells: Sequence[Any]) -> NumberColumn:
    """Convert a column of plain or formatted numbers.

    >>> read_numbers(["3 kg", "4 kg"]).values.tolist(), read_numbers(["a", "4"]).wrong
    ([3.0, 4.0], [0])
    """
    plain = as_numbers(cells)
    notation = find_notation(cells) if plain.wrong else None
    written = plain if notation is None else read_written(cells, notation)
    return plain if written.wrong else written


def _parts(cell: str) -> _Parts | None:
    """The sign, digits and unit of a formatted number; None if the cell is not a number."""
    text = cell.strip()
    if len(text) > LONGEST:
        return None
    for space in SPACES:
        text = text.replace(space, " ")
    match = WRITTEN.fullmatch(text.replace("’", "'"))
    if match is None:
        return None
    opened, sign, before, inner, digits, after, closed = match.groups()
    before, after = before.strip(), after.strip()
    if (before and (after or before not in PREFIXES)) or (after and after not in UNITS):
        return None
    if (sign and inner) or bool(opened) != bool(closed) or (opened and (sign or inner)):
        return None
    return _Parts(bool(opened) or (sign or inner) in ("-", "−"), digits.strip(), before or after)


def _value(parts: _Parts, notation: Notation) -> float | None:
    """The value of a number in the given notation; None if its digits do not match."""
    whole, point, decimals = parts.digits.partition(notation.decimal)
    groups = whole.split(notation.thousands)
    if len(groups) > 1 and (
        not 1 <= len(groups[0]) <= 3 or groups[0][0] == "0" or any(len(g) != 3 for g in groups[1:])
    ):
        return None
    joined = "".join(groups)
    if not (joined + decimals).isdecimal() or (point and not decimals):
        return None
    value = float(f"{joined or '0'}.{decimals or '0'}")
    return -value if parts.negative else value
