"""A table of records, whatever it came as."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np


class Records:
    """Columns by name, of a frame, a dict of columns, a structured array or a list of dicts.

    Nothing is copied before it is asked for.

    >>> records = Records([{"name": "ann", "age": 30}, {"name": "bob"}])
    >>> records.names, len(records), records.column("age")
    (['name', 'age'], 2, [30, None])
    >>> next(iter(records))
    {'name': 'ann', 'age': 30}
    """

    def __init__(self, table: Any) -> None:
        self._table = table
        self.names: list[Hashable] = _column_names(table)
        if not self.names:
            raise ValueError(f"the table has no columns: {table!r:.80}. Pass a frame, or a dict of columns.")
        self._length = len(table) if not isinstance(table, Mapping) else len(table[self.names[0]])
        self._known = frozenset(self.names)

    def __len__(self) -> int:
        return self._length

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._known
        except TypeError:  # not hashable, so no name
            return False

    def column(self, name: Hashable) -> list[Any]:
        """The values of one column."""
        if name not in self:
            raise ValueError(f"{name!r} is no column of the table: it has {self.listed_names()}.")
        if isinstance(self._table, Sequence):
            return [row.get(name) for row in self._table]
        values = self._table[name]
        for method in ("to_pylist", "to_list", "tolist"):  # Arrow, polars and pandas, numpy
            if hasattr(values, method):
                values = getattr(values, method)()
                break
        values = list(values) if not isinstance(values, list) else values
        if len(values) != self._length:
            raise ValueError(
                f"column {name!r} has {len(values)} values, the table {self._length} rows. "
                "Give every column one value for each record, and every column its own name."
            )
        return values

    def __iter__(self) -> Iterator[dict[Hashable, Any]]:
        columns = [self.column(name) for name in self.names]
        for values in zip(*columns, strict=True):
            yield dict(zip(self.names, values, strict=True))

    def listed_names(self, *, most: int = 8) -> str:
        """The names of the columns, for a message."""
        more = f", ... ({len(self.names) - most} more)" if len(self.names) > most else ""
        return ", ".join(map(repr, self.names[:most])) + more


def _column_names(table: Any) -> list[Hashable]:
    if isinstance(table, Mapping):
        return list(table)
    if isinstance(table, np.ndarray) and table.dtype.names is not None and table.ndim == 1:
        return list(table.dtype.names)
    if isinstance(table, Sequence) and not isinstance(table, str | bytes):
        wrong = next((row for row, record in enumerate(table) if not isinstance(record, Mapping)), None)
        if wrong is None:
            return list(dict.fromkeys(name for record in table for name in record))
        raise TypeError(f"table[{wrong}] is a {type(table[wrong]).__name__}, not a dict. Pass a list of dicts.")
    # Arrow has column_names, pandas and polars have columns. What has no length is lazy: it is not asked.
    found = [name for name in ("column_names", "columns") if hasattr(type(table), "__len__") and hasattr(table, name)]
    if not found:
        raise TypeError(
            f"a table of records cannot be read from a {type(table).__name__}. Pass a data frame (collected, if it is "
            "lazy), a dict of columns, a structured array or a list of dicts."
        )
    return list(getattr(table, found[0]))
