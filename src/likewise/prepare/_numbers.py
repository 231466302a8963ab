"""Numeric columns of a table, or a matrix."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from .._arrays import FloatArray
from .._saved import Saved, check_shape
from ..tables import RawTable, as_numbers
from ._kinds import DataKind, kind_of
from ._relatedness import common_scale
from ._written_numbers import NOTATIONS, Notation, read_written

MISSING = ("median", "mean", "zero", "refuse")
"""How to impute missing numbers; "refuse" makes them an error."""

LARGEST = 1e150
"""The largest number that can be squared; one that is larger is a mistake."""

LARGE_SINGLE = 1e15
"""Numbers of single precision are kept in double where they are larger."""

SENTENCES = {
    DataKind.ONE_SCALE: ", as they are, since their ranges are alike",
    DataKind.TABLE: ", standardized",
    DataKind.COUNTS: " that are counts, as unit rows of tf-idf weights",
    DataKind.TEXT: " in rows that are compared by their direction, as they are",
}


def _check_columns(block: Any) -> None:
    block.names = tuple(map(str, block.names))
    block.columns = None if block.columns is None else tuple(map(str, block.columns))
    block.kind = DataKind(block.kind)
    block.one_unit = bool(block.one_unit)
    block.written = {str(name): Notation(*map(str, notation)) for name, notation in block.written.items()}
    if any(notation[1:] not in NOTATIONS for notation in block.written.values()):
        raise ValueError("numbers are not written in a known way")
    if block.kind not in SENTENCES or (block.columns is not None and block.columns != block.names):
        raise ValueError("the columns of numbers are not described in a known way")
    for part in ("fill", "shift", "scale"):
        if getattr(block, part) is not None:
            check_shape(getattr(block, part), (len(block.names),), part)


@dataclass(eq=False)
class Numbers:
    """Numeric columns, scaled according to the kind of data.

    Attributes
    ----------
    columns : tuple of str or None
        None if the file is a matrix.
    names : tuple of str
        Names of the features.
    kind : DataKind
        A table (each column is standardized), counts (converted to tf-idf weights), or a table on one scale or text
        (not changed).
    fill : (f,) array or None
        The value imputed for missing numbers; None if they are an error.
    shift, scale : (f,) arrays or None
        Mean and standard deviation of each column if standardized; for counts, ``scale`` is the weight of each column.
    one_unit : bool
        Whether standardized columns share one standard deviation, except those that are unrelated to the others.
    written : dict of str to Notation
        The notation of columns with a unit or separators.
    """

    _saved: ClassVar[Saved] = Saved(
        ("columns", "names", "kind", "fill", "shift", "scale", "one_unit", "written"), check=_check_columns
    )

    columns: tuple[str, ...] | None
    names: tuple[str, ...]
    kind: DataKind
    fill: Any = None
    shift: Any = None
    scale: Any = None
    one_unit: bool = False
    written: dict[str, Notation] = field(default_factory=dict)

    @classmethod
    def fit(
        cls,
        raw: RawTable,
        columns: tuple[str, ...] | None,
        *,
        missing: str,
        mixed: bool,
        written: dict[str, Notation] | None = None,
    ) -> tuple[Self, Any]:
        """Fit on a table, and return its numbers; ``mixed``: whether there are other types of columns."""
        X = _double_if_large(values_of(raw, columns))
        names = columns or raw.matrix_names or tuple(f"x{place}" for place in range(X.shape[1]))
        block = cls(columns, names, DataKind.TABLE, written=written or {})
        if missing != "refuse":
            block.fill = _fill(X, missing)
        X = block._complete(X, raw)
        block.kind = DataKind.TABLE if mixed else kind_of(X)
        if block.kind is DataKind.TABLE:
            block.shift, spread = X.mean(axis=0), X.std(axis=0)
            block.scale = np.where(spread > 0, spread, 1.0)
        elif block.kind is DataKind.COUNTS:
            n, seen = X.shape[0], np.asarray((X != 0).sum(axis=0)).ravel()
            block.scale = 1.0 + np.log((1 + n) / (1 + seen))
        return block, block._prepared(X)

    def in_one_unit(self, part: Any, weights: FloatArray) -> Any:
        """The same rows, with the proportions of the related columns if these are in one unit."""
        if len({self.written[name].unit if name in self.written else "" for name in self.names}) > 1:
            return part
        proportions = common_scale(part * self.scale, weights)
        self.one_unit = bool((proportions != 1).any())
        self.scale = self.scale / proportions
        return part * proportions

    def transform(self, raw: RawTable) -> Any:
        """The same for new data."""
        if self.columns is None and raw.matrix is None:
            raise ValueError(f"{raw.source} is a table, but the model was made from a matrix. Give it a matrix.")
        X = values_of(raw, self.columns, self.names, self.written)
        return self._prepared(self._complete(_double_if_large(X), raw))

    def _complete(self, X: Any, raw: RawTable) -> Any:
        values = X.data if sparse.issparse(X) else X
        largest = min(LARGEST, float(np.finfo(values.dtype).max))
        if np.abs(values).max(initial=0.0) <= largest:  # not where it is NaN
            return X
        unknown = ~(np.abs(values) <= largest) if self.fill is None else np.abs(values) > largest
        if unknown.any():
            row, column = _first(X, unknown)
            name = repr(self.names[column]) if self.columns or raw.matrix_names else str(column)
            seen = X[row, column]
            remedy = remedy_for_missing(raw) if np.isnan(seen) else "Correct it."
            count = int(unknown.sum())
            more = f" ({count - 1:,} more like it)" if count > 1 else ""
            large = ", too large a number to be squared" if np.isfinite(seen) else ""
            raise ValueError(
                f"{raw.source}, {raw.where(row)}, column {name} is {'NaN' if np.isnan(seen) else seen}{large}{more}. "
                f"{remedy}"
            )
        X = X.copy()
        if sparse.issparse(X):
            X.data = np.where(np.isnan(X.data), self.fill[X.indices], X.data)
            return X
        return np.where(np.isnan(X), self.fill, X).astype(X.dtype, copy=False)

    def _prepared(self, X: Any) -> Any:
        if self.kind is DataKind.TABLE:
            return (X - self.shift) / self.scale
        if self.kind is DataKind.COUNTS:
            return normalize(sparse.csr_matrix(sparse.csr_matrix(X) @ sparse.diags_array(self.scale)))
        return X

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        count = f"{len(self.names):,} column{'s' if len(self.names) > 1 else ''} of numbers"
        together = ", those in one unit together" if self.one_unit else ""
        units = ", ".join(f"{name!r} in {notation.unit}" for name, notation in self.written.items() if notation.unit)
        return f"{count}{SENTENCES[self.kind]}{together}{f' ({units})' if units else ''}"

    @property
    def widths(self) -> tuple[int, ...]:
        """How many features each column becomes."""
        return (1,) * len(self.names)


def remedy_for_missing(raw: RawTable) -> str:
    """What to do about an empty cell that is refused."""
    return (
        f"Fill it in, leave the row out, let it be filled with {raw.option('missing', 'median')}, mean or zero, or "
        f"choose other columns with {raw.option('columns')}."
    )


def values_of(
    raw: RawTable,
    columns: tuple[str, ...] | None,
    names: tuple[str, ...] | None = None,
    written: Mapping[str, Notation] = MappingProxyType({}),
) -> Any:
    """The numbers of a file, missing ones NaN; ``names`` are those that the matrix must have."""
    if columns is None:
        return raw.matrix if names is None else _same_columns(raw, names)
    found = []
    for name in columns:
        cells = raw.column(name)
        numbers = as_numbers(cells)
        how = ""
        if numbers.wrong and name in written:
            numbers, how = read_written(cells, written[name]), f" ({written[name]})"
        if numbers.wrong:
            row = numbers.wrong[0]
            raise ValueError(
                f"{raw.source}, {raw.where(row)}: column {name!r} must hold numbers{how}, but here it is "
                f"{cells[row]!r}."
            )
        found.append(numbers.values)
    return np.column_stack(found)


def _double_if_large(X: Any) -> Any:
    values = X.data if sparse.issparse(X) else X
    if values.dtype == np.float32 and (np.abs(values) > LARGE_SINGLE).any():
        with np.errstate(invalid="ignore"):  # a NaN may be of the kind that signals
            return X.astype(np.float64)
    return X


def _same_columns(raw: RawTable, names: tuple[str, ...]) -> Any:
    X = raw.matrix
    if X.shape[1] != len(names):
        raise ValueError(
            f"{raw.source} has {X.shape[1]:,} columns, the data of the model had {len(names):,}. Give it the same ones."
        )
    if raw.matrix_names is None or raw.matrix_names == names:
        return X
    place = {name: column for column, name in enumerate(raw.matrix_names)}
    missing = [name for name in names if name not in place]
    if missing:
        raise ValueError(
            f"{raw.source} has no column {missing[0]!r}, which the model was made from ({len(missing):,} are missing)."
        )
    return X[:, [place[name] for name in names]]


def _fill(X: Any, missing: str) -> FloatArray:
    """What a missing number of each column becomes."""
    found = np.zeros(X.shape[1])
    if missing == "zero":
        return found
    if sparse.issparse(X):  # new rows may lack what none of these does; in most columns that is zero
        places = np.unique(X.indices[np.isnan(X.data)])
        X = X[:, places].toarray()
    else:
        places = np.arange(X.shape[1])
    known = np.isfinite(X).any(axis=0)
    found[places[known]] = (np.nanmean if missing == "mean" else np.nanmedian)(X[:, known], axis=0)
    return found


def _first(X: Any, marked: Any) -> tuple[int, int]:
    if sparse.issparse(X):
        place = int(np.flatnonzero(marked)[0])
        return int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
    row, column = np.argwhere(marked)[0]
    return int(row), int(column)
