"""A table of records in any form, by columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np


class Records:
    """The columns of a data frame, a dict of columns, a structured array or a list of dicts.

    Nothing is copied before it is needed.

    Parameters
    ----------
    table : pandas, polars or Arrow table, dict of columns, structured array, or list of dicts

    Examples
    --------
    >>> records = Records([{"name": "ann", "age": 30}, {"name": "bob"}])
    >>> records.names, len(records), records.column("age")
    (['name', 'age'], 2, [30, None])
    >>> next(iter(records))
    {'name': 'ann', 'age': 30}
    """

    def __init__(self, table: Any) -> None:
        self._table, self.names, self._length = _opened(table)
        if not self.names:
            raise ValueError(f"the table has no columns: {table!r:.80}. Pass a frame, or a dict of columns.")
        self._known = frozenset(self.names)

    def __len__(self) -> int:
        return self._length

    def __contains__(self, name: object) -> bool:
        try:
            return name in self._known
        except TypeError:  # not hashable, so no name
            return False

    def column(self, name: Any) -> list[Any]:
        """The values of one column.

        Parameters
        ----------
        name : name of a column

        Returns
        -------
        list
        """
        if name not in self:
            raise ValueError(f"{name!r} is no column of the table: it has {self.listed_names}.")
        if isinstance(self._table, Sequence):
            return [row.get(name) for row in self._table]
        if isinstance(self._table, nw.DataFrame):
            return self._table.get_column(name).to_list()
        values = self._table[name]
        for method in ("to_pylist", "to_list", "tolist"):  # a dict may hold columns of Arrow, of data frames, or arrays
            if hasattr(values, method):
                values = getattr(values, method)()
                break
        values = list(values)
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

    @property
    def listed_names(self) -> str:
        """The names of the columns for a message; of many, the first eight."""
        most = 8
        more = f", ... ({len(self.names) - most} more)" if len(self.names) > most else ""
        return ", ".join(map(repr, self.names[:most])) + more


def _opened(table: Any) -> tuple[Any, list[Hashable], int]:
    """Something with columns by name, their names, and the number of rows."""
    if isinstance(table, Mapping):
        names = list(table)
        return table, names, len(table[names[0]]) if names else 0
    if isinstance(table, np.ndarray) and table.dtype.names is not None and table.ndim == 1:
        return table, list(table.dtype.names), len(table)
    if isinstance(table, Sequence) and not isinstance(table, str | bytes):
        wrong = next((row for row, record in enumerate(table) if not isinstance(record, Mapping)), None)
        if wrong is not None:
            raise TypeError(f"table[{wrong}] is a {type(table[wrong]).__name__}, not a dict. Pass a list of dicts.")
        return table, list(dict.fromkeys(name for record in table for name in record)), len(table)
    try:
        frame = nw.from_native(table, eager_only=True)
    except TypeError:
        raise TypeError(
            f"a table of records cannot be read from a {type(table).__name__}. Pass a data frame (collected, if it is "
            "lazy), a dict of columns, a structured array or a list of dicts."
        ) from None
    return frame, list(frame.columns), len(frame)
