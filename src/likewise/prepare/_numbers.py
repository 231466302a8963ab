"""Numbers: columns of a table, or a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from .._arrays import FloatArray
from .._saved import Saved, check_shape
from ..tables import RawTable, as_numbers
from ._kinds import DataKind, kind_of

IMPUTE = ("mean", "median", "zero")
"""What a missing number may become."""

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
    if block.kind not in SENTENCES or (block.columns is not None and block.columns != block.names):
        raise ValueError("the columns of numbers are not described in a known way")
    for part in ("fill", "shift", "scale"):
        if getattr(block, part) is not None:
            check_shape(getattr(block, part), (len(block.names),), part)


@dataclass(eq=False)
class Numbers:
    """Columns of numbers, brought to one scale.

    Attributes
    ----------
    columns : tuple of str or None
        None: the matrix of the file.
    names : tuple of str
        Of the features.
    kind : DataKind
        What they are: a table (each column is standardized), counts (they become tf-idf weights), or a table of one
        scale or text, which stay as they are.
    impute : str or None
        How missing numbers were filled in.
    fill : (f,) array or None
        What a missing number becomes.
    shift, scale : (f,) arrays or None
        Mean and standard deviation of each column where they are standardized; ``scale`` is the weight of each column
        for counts.
    """

    _saved: ClassVar[Saved] = Saved(
        ("columns", "names", "kind", "impute", "fill", "shift", "scale"), check=_check_columns
    )

    columns: tuple[str, ...] | None
    names: tuple[str, ...]
    kind: DataKind
    impute: str | None = None
    fill: Any = None
    shift: Any = None
    scale: Any = None

    @classmethod
    def fit(
        cls, raw: RawTable, columns: tuple[str, ...] | None, *, impute: str | None, mixed: bool
    ) -> tuple[Self, Any]:
        """Learn from a table, and return its numbers; ``mixed``: beside other kinds of columns."""
        X = values_of(raw, columns)
        names = columns or raw.matrix_names or tuple(f"x{place}" for place in range(X.shape[1]))
        block = cls(columns, names, DataKind.TABLE, impute)
        if impute is not None:
            block.fill = _fill(X, impute, raw)
        X = block._complete(X, raw)
        block.kind = DataKind.TABLE if mixed else kind_of(X)
        if block.kind is DataKind.TABLE:
            block.shift, spread = X.mean(axis=0), X.std(axis=0)
            block.scale = np.where(spread > 0, spread, 1.0)
        elif block.kind is DataKind.COUNTS:
            n, seen = X.shape[0], np.asarray((X != 0).sum(axis=0)).ravel()
            block.scale = 1.0 + np.log((1 + n) / (1 + seen))
        return block, block._prepared(X)

    def transform(self, raw: RawTable) -> Any:
        """The same for new data."""
        if self.columns is None and raw.matrix is None:
            raise ValueError(f"{raw.source} is a table, but the model was made from a matrix. Give it a matrix.")
        return self._prepared(self._complete(values_of(raw, self.columns, self.names), raw))

    def _complete(self, X: Any, raw: RawTable) -> Any:
        values = X.data if sparse.issparse(X) else X
        if np.isfinite(values).all():
            return X
        unknown = ~np.isfinite(values) if self.fill is None else np.isinf(values)
        if unknown.any():
            row, column = _first(X, unknown)
            name = repr(self.names[column]) if self.columns or raw.matrix_names else str(column)
            seen = X[row, column]
            remedy = "Correct it." if np.isinf(seen) else _remedy(raw)
            count = int(unknown.sum())
            more = f" ({count - 1:,} more like it)" if count > 1 else ""
            raise ValueError(
                f"{raw.source}, {raw.where(row)}, column {name} is {'NaN' if np.isnan(seen) else seen}{more}. {remedy}"
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
        filled = f", missing ones by {'the ' if self.impute != 'zero' else ''}{self.impute}" if self.impute else ""
        return f"{count}{SENTENCES[self.kind]}{filled}"


def _remedy(raw: RawTable) -> str:
    return (
        f"Fill it in, leave the row out, choose a value with {raw.option('impute', 'mean')}, median or zero, or choose "
        f"other columns with {raw.option('columns')}."
    )


def values_of(raw: RawTable, columns: tuple[str, ...] | None, names: tuple[str, ...] | None = None) -> Any:
    """The numbers of a file, missing ones NaN; ``names`` are those that the matrix must have."""
    if columns is None:
        return raw.matrix if names is None else _same_columns(raw, names)
    found = []
    for name in columns:
        cells = raw.column(name)
        numbers = as_numbers(cells)
        if numbers.wrong:
            row = numbers.wrong[0]
            raise ValueError(
                f"{raw.source}, {raw.where(row)}: column {name!r} must hold numbers, but here it is {cells[row]!r}."
            )
        found.append(numbers.values)
    return np.column_stack(found)


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


def _fill(X: Any, impute: str, raw: RawTable) -> FloatArray:
    width = X.shape[1]
    if impute == "zero":
        return np.zeros(width)
    if sparse.issparse(X):
        if impute == "median":
            raise ValueError(f"{raw.source} is sparse: {raw.option('impute')} takes zero or mean there, not median.")
        known = X.shape[0] - np.bincount(X.indices[np.isnan(X.data)], minlength=width)
        total = np.bincount(X.indices, np.nan_to_num(X.data, posinf=0, neginf=0), minlength=width)
        return np.divide(total, known, out=np.zeros(width), where=known > 0)
    known = np.isfinite(X).any(axis=0)
    found = np.zeros(width)
    found[known] = (np.nanmean if impute == "mean" else np.nanmedian)(X[:, known], axis=0)
    return found


def _first(X: Any, marked: Any) -> tuple[int, int]:
    if sparse.issparse(X):
        place = int(np.flatnonzero(marked)[0])
        return int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
    row, column = np.argwhere(marked)[0]
    return int(row), int(column)
