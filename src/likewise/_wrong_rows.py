"""Errors for invalid rows, with the value, its position, and what to do."""

from __future__ import annotations

from glob import has_magic
from os import PathLike
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from scipy import sparse

from ._arrays import is_missing
from ._devices import explain_foreign
from ._frames import repeated_name
from .constraints import Constraints

NUMBERS_FIRST = "Turn the table into numbers first: likewise.TableFeatures().fit_transform(X)."


def explain_rows(X: Any, name: str) -> Exception | None:
    """An error that explains what is wrong with X; None if the error of scikit-learn is clear enough.

    Parameters
    ----------
    X : anything
        The value that was passed as rows.
    name : str
        The name of the estimator.

    Examples
    --------
    >>> explain_rows(np.array([[1.0, 2.0], [np.nan, 3.0]]), "RCA")
    ValueError('X is NaN in row 1, column 0, and RCA compares numbers. Fill in what is missing first: ...')
    """
    if isinstance(X, Constraints):
        return TypeError(f"X is {X!r}, and rows come first: write fit(X, constraints=hints), or cluster(X, hints).")
    if X is None:
        return ValueError("X is None. Pass the rows: an array, a sparse matrix or a data frame.")
    if isinstance(X, str | PathLike) and has_magic(str(X)):
        return ValueError(
            f"X is {str(X)!r}, and {name} takes rows. If this is a pattern of files: "
            f"likewise.chunked.RowFiles({str(X)!r})."
        )
    if isinstance(X, str | PathLike):
        return ValueError(
            f"X is {str(X)!r}, and {name} takes rows. If this is a file, read it first: "
            f"likewise.prepare.read_table({str(X)!r}).X."
        )
    if (error := explain_foreign(X)) is not None:
        return error
    if (error := repeated_name(X)) is not None:
        return error
    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return TypeError(f"X is a {type(X).__name__}, which has no rows yet. Pass X.collect().")
    if isinstance(frame, nw.Series) or hasattr(X, "to_frame"):
        return ValueError(
            f"X is a {type(X).__name__}, one column. Reshape your data: X.to_frame() has {len(X):,} rows of one column."
        )
    if isinstance(frame, nw.DataFrame):
        return _wrong_columns(frame, name)
    if sparse.issparse(X):
        return _not_finite(X.data, X, name) if X.format in ("csr", "csc", "coo") else None
    return _wrong_array(X, name)


def _wrong_columns(frame: Any, name: str) -> Exception | None:
    """What is wrong with a data frame."""
    schema = frame.schema
    if not schema:
        return ValueError(f"X has {len(frame):,} rows and no columns. Pass a table with a column for each feature.")
    for what, kinds in (("text", (nw.String, nw.Categorical, nw.Enum)), ("dates", (nw.Date, nw.Datetime, nw.Duration))):
        columns = [column for column, dtype in schema.items() if isinstance(dtype, kinds)]
        if columns:
            more = f" and {len(columns) - 5:,} more" if len(columns) > 5 else ""
            listed = ", ".join(map(repr, columns[:5])) + more
            return ValueError(f"X has {what} in {listed}, and {name} compares numbers. {NUMBERS_FIRST}")
    values = []
    for series in frame.iter_columns():
        if series.dtype.is_numeric():
            values.append(np.asarray(series.cast(nw.Float64).to_numpy()))
            continue
        cells = [_number(cell) for cell in series.to_list()]
        other = next((row for row, cell in enumerate(cells) if not isinstance(cell, float)), None)
        if other is not None:
            return _text(cells[other], other, repr(series.name), name)
        values.append(np.array(cells))
    return _not_finite(np.column_stack(values), None, name, frame.columns) if values else None


def _wrong_array(X: Any, name: str) -> Exception | None:
    """What is wrong with an array, or with what becomes one."""
    try:
        array = np.asarray(X)
    except (TypeError, ValueError):
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in X]
        other = next((row for row, length in enumerate(lengths) if length != lengths[0]), None)
        if other is None:
            return None
        return ValueError(
            f"rows of X have different lengths: row 0 has {lengths[0]} entries, row {other} has {lengths[other]}. "
            "Give each row the same columns."
        )
    if array.shape == (0,):
        return ValueError("X has 0 rows. Pass an array, a sparse matrix or a data frame with a row for each item.")
    if array.dtype.kind == "c":
        return ValueError(
            f"Complex data not supported: X has dtype {array.dtype}, and {name} compares real numbers. Pass "
            "numpy.hstack([X.real, X.imag])."
        )
    if array.dtype.kind in "OUS" and array.size:
        cells = array.ravel().tolist()
        place = next((place for place, cell in enumerate(cells) if isinstance(_number(cell), str)), None)
        if place is not None and array.ndim == 1:
            return ValueError(
                f"X is a list of {len(array):,} texts, and {name} compares numbers. Turn them into numbers first: "
                "likewise.TextFeatures().fit_transform(X)."
            )
        if place is not None:
            row, *column = np.unravel_index(place, array.shape)
            return _text(cells[place], int(row), str(int(column[0])), name)
        numbers = [_number(cell) for cell in cells]
        if not all(isinstance(number, float) for number in numbers):
            return None
        array = np.array(numbers).reshape(array.shape)
    if array.ndim == 1 and array.size:
        return ValueError(
            f"X has one dimension, shape {array.shape}. Reshape your data: X.reshape(-1, 1) is {len(array):,} rows of "
            "one column, X.reshape(1, -1) is one row."
        )
    if array.ndim > 2:
        return ValueError(
            f"X has {array.ndim} dimensions, shape {array.shape}, and {name} compares rows. Make a row of each item: "
            "X.reshape(len(X), -1)."
        )
    return _not_finite(array, None, name) if array.dtype.kind == "f" and array.ndim == 2 else None


def _number(cell: Any) -> Any:
    """A cell as a float, NaN if it is missing; other values are returned unchanged."""
    if is_missing(cell):
        return float("nan")
    try:
        return float(cell)
    except (TypeError, ValueError):
        return cell


def _text(cell: Any, row: int, column: str, name: str) -> Exception:
    kind = "text" if isinstance(cell, str) else f"a {type(cell).__name__}"
    return ValueError(
        f"X has {kind} in column {column} ({cell!r} in row {row}), and {name} compares numbers. Turn the table into "
        "numbers first: likewise.TableFeatures().fit_transform(pandas.DataFrame(X))."
    )


def _not_finite(values: Any, X: Any, name: str, columns: Any = None) -> Exception | None:
    """An error for the first value that is not finite; X is the sparse matrix that the values belong to, if any."""
    wrong = ~np.isfinite(values)
    count = int(wrong.sum())
    if not count:
        return None
    if X is None:
        row, column = (int(place) for place in np.argwhere(wrong)[0])
        seen = values[row, column]
    else:
        place = int(np.flatnonzero(wrong)[0])
        entries = X.tocoo()
        row, column, seen = int(entries.row[place]), int(entries.col[place]), values[place]
    where = f"row {row}, column {column if columns is None else repr(columns[column])}"
    more = f" ({count - 1:,} more like it)" if count > 1 else ""
    if np.isnan(seen):
        return ValueError(
            f"X is NaN in {where}{more}, and {name} compares numbers. Fill in what is missing first: "
            "likewise.TableFeatures().fit_transform(X)."
        )
    return ValueError(
        f"X is {seen} in {where}{more}: infinity, or a value too large for its type. Correct it, or leave the row out."
    )
