"""Dates and times: their age, and their position in the year, the week and the day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import product
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from .._arrays import FloatArray
from .._saved import Saved, check_shape
from ..tables import RawTable, is_missing_cell

DAY = 86_400.0
"""Seconds of a day."""

CYCLES = {"time of year": 365.25 * DAY, "weekday": 7 * DAY, "time of day": DAY}
"""Periods in seconds."""

MONDAY = datetime(1970, 1, 5, tzinfo=UTC).timestamp()
"""Seconds at which a week begins."""

ISO = "ISO 8601"
DAYS = ("%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d/%m/%y", "%Y/%m/%d", "%Y.%m.%d", "%d-%m-%Y",
        "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y", "%d. %B %Y")  # fmt: skip
TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p")
MONTHS = ("%Y-%m", "%Y/%m", "%m/%Y", "%b %Y", "%B %Y")
FORMATS = (
    ISO,
    *DAYS,
    *(f"{day}{between}{hour}" for day, between, hour in product(DAYS, (" ", ", "), TIMES)),
    *MONTHS,
    *TIMES,
)
"""Formats of dates and times, as in :meth:`datetime.datetime.strptime`. The first that fits is used."""

WORDS = {"%d": "day", "%m": "month", "%Y": "year", "%y": "year", "%b": "month", "%B": "month", "%H": "hour",
         "%M": "minute", "%S": "second", "%I": "hour", "%p": "am/pm"}  # fmt: skip

MOSTLY_DATES = 0.9
"""A column with at least this share of dates has dates; other cells are errors."""

MAX_TRIED = 1_000
"""Maximum number of distinct cells from which the format is detected."""

LONGEST = 64
"""Characters of a date, at most."""

DIGIT = re.compile(r"\d")

AGE_SHARE = 0.5
"""The share of the age in the variance of a date; its cycles share the rest."""

TINY = 1e-12
"""Variance below which a part does not vary."""


class DateColumn(NamedTuple):
    """A column read as dates."""

    seconds: FloatArray
    """since 1970, or since midnight for times alone; NaN where a cell is missing or no date"""
    wrong: list[int]
    """rows whose cell is there and no date"""


def find_format(cells: Sequence[Any]) -> str | None:
    """Detect the format of the dates or times in a column; None if most cells are not dates.

    >>> find_format(["31.12.2019", None, "1.2.2020"]), find_format(["12/31/2019", "1/2/2020"])
    ('%d.%m.%Y', '%m/%d/%Y')
    """
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        return ISO
    different = list(dict.fromkeys(cell for cell in cells if not is_missing_cell(cell)))
    tried = different[:: max(1, len(different) // MAX_TRIED)]
    few = [cell for cell in tried[:: max(1, len(tried) // 10)] if not isinstance(cell, str) or _may_be_date(cell)]
    likely = [form for form in FORMATS if any(_seconds(cell, form) is not None for cell in few)]
    found = {form: sum(_seconds(cell, form) is not None for cell in tried) for form in likely}
    best = max(found, key=found.__getitem__, default=None)
    return best if best is not None and found[best] >= MOSTLY_DATES * len(tried) else None


def _may_be_date(text: str) -> bool:
    """Whether it is worth a try: all ways to write a date have digits, and none is long."""
    return len(text) <= LONGEST and DIGIT.search(text) is not None


def read_dates(cells: Sequence[Any], form: str) -> DateColumn:
    """Read a column as dates that are written in one way."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "M":
        milliseconds = cells.astype("datetime64[ms]")
        return DateColumn(np.where(np.isnat(cells), np.nan, milliseconds.astype(np.int64) / 1000), [])
    known: dict[Any, float | None] = {}
    seconds = np.full(len(cells), np.nan)
    wrong = []
    for row, cell in enumerate(cells):
        if is_missing_cell(cell):
            continue
        if cell not in known:
            known[cell] = _seconds(cell, form)
        value = known[cell]
        if value is None:
            wrong.append(row)
        else:
            seconds[row] = value
    return DateColumn(seconds, wrong)


def as_dates(seconds: FloatArray) -> Any:
    """Seconds as NumPy's dates, which :func:`read_dates` reads at once."""
    known = ~np.isnan(seconds)
    milliseconds = np.full(len(seconds), np.iinfo(np.int64).min)  # NumPy's date that is none
    milliseconds[known] = np.rint(1000 * seconds[known]).astype(np.int64)
    return milliseconds.astype("datetime64[ms]")


def _seconds(cell: Any, form: str) -> float | None:
    """Seconds of a date in its local time; None if it is not a date."""
    if isinstance(cell, np.datetime64):
        cell = cell.astype("datetime64[us]").item()
    elif hasattr(cell, "to_timestamp"):  # a period of pandas
        cell = cell.to_timestamp()
    if isinstance(cell, str):
        try:
            text = cell.strip()
            cell = datetime.fromisoformat(text) if form == ISO else datetime.strptime(text, form)
        except ValueError:
            return None
        if form in TIMES:
            cell = cell.time()
    if isinstance(cell, time):
        return float(cell.hour * 3600 + cell.minute * 60 + cell.second)
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=UTC).timestamp()
    if isinstance(cell, date):
        return datetime(cell.year, cell.month, cell.day, tzinfo=UTC).timestamp()
    return None


def in_words(form: str) -> str:
    """How dates are written, for a message.

    >>> in_words("%d.%m.%Y"), in_words(ISO)
    ('day.month.year', 'year-month-day')
    """
    if form == ISO:
        return "year-month-day"
    for code, word in WORDS.items():
        form = form.replace(code, word)
    return form


def _check_parts(block: Any) -> None:
    block.columns, block.forms = tuple(map(str, block.columns)), tuple(map(str, block.forms))
    block.parts = tuple(tuple(map(str, parts)) for parts in block.parts)
    if not len(block.columns) == len(block.forms) == len(block.parts):
        raise ValueError(f"{len(block.columns)} columns of dates have {len(block.parts)} lists of parts")
    if not set(block.forms) <= set(FORMATS) or not {name for parts in block.parts for name in parts} <= {"", *CYCLES}:
        raise ValueError("the columns of dates are not described in a known way")
    check_shape(block.shift, (len(block.names),), "shift")
    check_shape(block.scale, (len(block.names),), "scale")


@dataclass(eq=False)
class Dates:
    """Columns of dates or times.

    A date is encoded by its age, and by a point on a circle for each period that the data cover at least twice: the
    time of year, the weekday, the time of day. The sum of all variances is 1, so that a date counts as one column. The
    age has half of it, and the periods share the rest.

    Attributes
    ----------
    columns : tuple of str
    forms : tuple of str
        The format of each column, one of ``FORMATS``.
    parts : tuple of tuples of str
        The parts of each column: "" for the age, and names of ``CYCLES``.
    shift, scale : (f,) arrays
        Mean and divisor of each feature.
    """

    _saved: ClassVar[Saved] = Saved(("columns", "forms", "parts", "shift", "scale"), check=_check_parts)

    columns: tuple[str, ...]
    forms: tuple[str, ...]
    parts: tuple[tuple[str, ...], ...]
    shift: Any = None
    scale: Any = None

    @classmethod
    def fit(cls, raw: RawTable, forms: dict[str, str]) -> tuple[Self, FloatArray]:
        """Fit on a table, and return its features; ``forms`` are the formats of the columns."""
        columns = {name: read_dates(raw.column(name), form).seconds for name, form in forms.items()}
        parts = tuple(_parts(seconds, forms[name]) for name, seconds in columns.items())
        block = cls(tuple(forms), tuple(forms.values()), parts)
        X = block._features(list(columns.values()))
        block.shift = np.nanmean(X, axis=0)
        variance = np.nanvar(X, axis=0)
        scale, start = [], 0
        for chosen in parts:
            for name in chosen:
                width = 1 if name == "" else 2
                total = float(variance[start : start + width].sum())
                scale += [np.sqrt(total / _share(name, chosen)) if total > TINY else 1.0] * width
                start += width
        block.scale = np.array(scale)
        return block, block._scaled(X)

    def transform(self, raw: RawTable) -> FloatArray:
        """The same for new data."""
        found = []
        for name, form in zip(self.columns, self.forms, strict=True):
            cells = raw.column(name)
            column = read_dates(cells, form)
            if column.wrong:
                row = column.wrong[0]
                raise ValueError(
                    f"{raw.source}, {raw.where(row)}: column {name!r} must hold {_what(form)} "
                    f"({in_words(form)}), but here it is {cells[row]!r}."
                )
            found.append(column.seconds)
        return self._scaled(self._features(found))

    def _features(self, columns: list[FloatArray]) -> FloatArray:
        found = []
        for seconds, parts in zip(columns, self.parts, strict=True):
            for name in parts:
                if name == "":
                    found.append(seconds / DAY)
                else:
                    angle = 2 * np.pi * (seconds - MONDAY) / CYCLES[name]
                    found += [np.sin(angle), np.cos(angle)]
        return np.column_stack(found)

    def _scaled(self, X: FloatArray) -> FloatArray:
        return np.nan_to_num((X - self.shift) / self.scale)  # a date that is missing is an average one

    @property
    def widths(self) -> tuple[int, ...]:
        """How many features each column becomes."""
        return tuple(sum(1 if name == "" else 2 for name in parts) for parts in self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features."""
        found: list[str] = []
        for column, parts in zip(self.columns, self.parts, strict=True):
            for name in parts:
                found += [column] if name == "" else [f"{column} ({name}, {axis})" for axis in ("sin", "cos")]
        return tuple(found)

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        listed = ", ".join(
            f"{name!r} ({in_words(form)}: {', '.join(part or 'age' for part in parts)})"
            for name, form, parts in zip(self.columns, self.forms, self.parts, strict=True)
        )
        return f"{'date' if len(self.columns) == 1 else 'dates'} {listed}"


def _parts(seconds: FloatArray, form: str) -> tuple[str, ...]:
    """The age, and the cycles that vary and of which there are two or more."""
    known = seconds[~np.isnan(seconds)]
    if form in TIMES or (known.max() < DAY and known.min() >= 0):
        return ("time of day",)
    span = known.max() - known.min()
    found = [""]
    for name, length in CYCLES.items():
        finer = form in MONTHS and name != "time of year"
        if not finer and span >= 2 * length and len(np.unique(known % length)) > 1:
            found.append(name)
    return tuple(found)


def _share(name: str, parts: tuple[str, ...]) -> float:
    """What a part is of the variance of its date."""
    if "" not in parts or len(parts) == 1:
        return 1.0 / len(parts)
    return AGE_SHARE if name == "" else (1 - AGE_SHARE) / (len(parts) - 1)


def _what(form: str) -> str:
    return "times" if form in TIMES else "dates"
