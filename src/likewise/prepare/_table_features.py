"""Converting the columns of a table to numeric features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from .._arrays import FloatArray, IntArray
from .._devices import dispatches, refuse
from .._parameters import SuggestsParameters
from .._progress import stage
from .._saved import Saved, check_shape
from .._sklearn import StrOptions, _fit_context
from ..tables import RawTable
from ..tables._numpy import checked_matrix
from ._categories import Categories
from ._columns import as_raw_table, find_kinds, ids_in_words, missing_rows
from ._dates import Dates
from ._images import Images
from ._kinds import DataKind
from ._numbers import MISSING, Numbers, remedy_for_missing
from ._relatedness import classes_of_levels, classes_of_numbers, relatedness
from ._text_column import Text

FLOATS = (np.float64, np.float32)

MAX_DENSE = 10_000_000
"""Maximum size of a dense matrix for columns of several types; larger ones are sparse."""

MAX_LISTED = 6
"""Columns that are named where more may be meant."""

TEXT_DIRECTIONS = 5
"""Leading directions by which a text is compared with other columns."""

TINY = 1e-12
"""Total variance below which a text does not vary."""


def _check_blocks(features: Any) -> None:
    if not features.blocks_:
        raise ValueError("there are no columns")
    check_shape(features.weights_, (sum(len(block.names) for block in features.blocks_),), "weights_")
    features.column_weights_ = {str(name): float(weight) for name, weight in features.column_weights_.items()}
    features.filled_ = {str(name): int(count) for name, count in features.filled_.items()}
    features.left_out_ = {str(name): str(why) for name, why in features.left_out_.items()}
    features.id_column_ = None if features.id_column_ is None else str(features.id_column_)
    features.n_features_in_ = int(features.n_features_in_)
    features._is_sparse = bool(features._is_sparse)
    features.kind_ = _kind(features.blocks_)


class TableFeatures(SuggestsParameters, TransformerMixin, BaseEstimator):
    """Convert a table of numbers, categories, dates and texts to a numeric matrix.

    Columns of the same type form a block:

    ===========  ==========================================================================================
    numbers      if there are no other types: unchanged if their ranges are similar or rows have unit
                 length, tf-idf weights if they are counts; otherwise standardized
    categories   one indicator per level, scaled such that the variances of a category sum to 1
    dates        the age, and a point on a circle for the time of year, the weekday and the time of day if the
                 data cover at least two years, weeks or days; their variances sum to 1
    text         unit rows of tf-idf weights, by :class:`likewise.TextFeatures`
    images       32 × 32 pixels
    ===========  ==========================================================================================

    Blocks are concatenated. Each number, category and date counts as one column, independent of its number of levels;
    all texts together count as much as all other columns. Columns that appear to be independent of all others have a
    smaller weight, down to 0.3 (:func:`~likewise.prepare._relatedness.relatedness`), since clusters usually involve
    several columns. Strings with many distinct values are texts if they have at least three words on average; otherwise
    the 50 most frequent values form a category if they cover half of the rows.

    Numbers may have a currency, a percent sign or a unit, and thousands separators: "1.234,50 €", "12 %".

    Empty and constant columns are left out, and so are ids: row numbers, numbers in a column named like ids, and
    distinct short strings. Use ``columns`` to include numeric columns anyway.

    Parameters
    ----------
    text : str or sequence of str
        Columns of texts. By default those with at least three words on average that are not categories.
    columns : sequence of str, optional
        Use only these columns, and those in ``text``.
    missing : {"median", "mean", "zero", "refuse"}
        How to impute missing numbers. Missing categories are encoded as zeros, missing dates by the mean, and missing
        texts as empty. With "refuse" missing values are an error that names the row and the column.
    language : str
        Language of texts, for stemming.

    Attributes
    ----------
    kind_ : DataKind
        The kind of data, for ``Likewise(kind=...)``.
    blocks_ : list
        The fitted blocks, one for each type of column.
    column_weights_ : dict of str to float
        The weights of columns with a weight below 1, because they depend little on others.
    weights_ : (n_features,) array
        The weight of each feature.
    filled_ : dict of str to int
        Columns with missing values, and their number.
    left_out_ : dict of str to str
        Columns that are not used, and the reason.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : (n_features_in_,) array of str
        Names of the columns, if they have names.

    See Also
    --------
    read_table : Read and preprocess a file.
    TextFeatures : Convert one column of texts.

    Examples
    --------
    >>> import pandas as pd
    >>> from likewise import TableFeatures
    >>> frame = pd.DataFrame({"age": [31, 54, 29, 60], "town": ["Rome", "Oslo", "Rome", "Oslo"]})
    >>> features = TableFeatures()
    >>> features.fit_transform(frame).round(2)
    array([[-0.91,  0.  ,  1.41],
           [ 0.77,  1.41,  0.  ],
           [-1.06,  0.  ,  1.41],
           [ 1.21,  1.41,  0.  ]])
    >>> features.get_feature_names_out().tolist()
    ['age', 'town=Oslo', 'town=Rome']
    >>> str(features.kind_)
    'mixed'
    """

    _saved: ClassVar[Saved] = Saved(
        ("weights_", "column_weights_", "filled_", "left_out_", "id_column_", "n_features_in_", "_is_sparse"),
        lists={"blocks_": (Numbers, Categories, Dates, Text, Images)},
        check=_check_blocks,
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "text": [str, list, tuple],
        "columns": [list, tuple, None],
        "missing": [StrOptions(set(MISSING))],
        "language": [str],
    }

    def __init__(
        self,
        *,
        text: str | Sequence[str] = (),
        columns: Sequence[str] | None = None,
        missing: str = "median",
        language: str = "english",
    ) -> None:
        self.text = text
        self.columns = columns
        self.missing = missing
        self.language = language

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit to a table.

        Parameters
        ----------
        X : data frame, dict of columns, or (n, f) array or sparse matrix
            A frame of pandas, polars or Arrow.
        y : ignored

        Returns
        -------
        self
        """
        self._fit_table(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fit to a table, and return its matrix.

        Parameters
        ----------
        X : data frame, dict of columns, or (n, f) array or sparse matrix
        y : ignored

        Returns
        -------
        (n, n_features) array or CSR matrix
        """
        return self._fit_table(X)

    def transform(self, X: Any) -> Any:
        """Convert new rows, with the fitted columns, levels, words, means and weights.

        Parameters
        ----------
        X : data frame, dict of columns, or (n, f) array or sparse matrix
            It must have the columns that are used; other columns may be missing.

        Returns
        -------
        (n, n_features) array or CSR matrix
        """
        return self._transform_table(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns of the matrix.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        (n_features,) array of str
        """
        check_is_fitted(self, "blocks_")
        return np.array([name for block in self.blocks_ for name in block.names], dtype=object)

    @property
    def description_(self) -> str:
        """What was done, in words."""
        check_is_fitted(self, "blocks_")
        steps = [block.sentence for block in self.blocks_]
        if len(self.blocks_) > 1:
            texts = any(isinstance(block, Text) for block in self.blocks_)
            steps.append("each column counts the same" + (", texts as much as all others" if texts else ""))
        if self.column_weights_:
            names = sorted(self.column_weights_, key=lambda name: (self.column_weights_[name], name))
            listed = _listed([f"{name!r} ({self.column_weights_[name]:.1f})" for name in names])
            steps.append(f"less weight, since they are hardly related to other columns: {listed}")
        if self.filled_:
            steps.append(self._filled_sentence())
        if self.left_out_:
            steps.append(f"left out: {_left_out_in_words(self.left_out_)}")
        return "; ".join(steps)

    def _filled_sentence(self) -> str:
        """The number of missing values, and how they were imputed."""
        ways = {
            Numbers: f"numbers: {'0' if self.missing == 'zero' else self.missing}",
            Categories: "categories: no level",
            Dates: "dates: average",
            Text: "texts: no words",
        }
        filled = [b for b in self.blocks_ if b.columns is None or not self.filled_.keys().isdisjoint(b.columns)]
        used = [way for kind, way in ways.items() if any(isinstance(block, kind) for block in filled)]
        cells, columns = sum(self.filled_.values()), len(self.filled_)
        count = f"{cells:,} empty cell{'s' if cells > 1 else ''} in {columns:,} column{'s' if columns > 1 else ''}"
        return f"{count} filled ({', '.join(used)})"

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit_table(self, X: Any) -> Any:
        raw = self._as_table(X, reset=True)
        if raw.n == 0:
            raise ValueError(f"{raw.source} has no rows. It needs one for each item.")
        texts = (self.text,) if isinstance(self.text, str) else tuple(self.text)
        kinds = find_kinds(raw, texts, self.columns)
        self._refuse_missing(raw, kinds.used)
        mixed = bool(kinds.categories or kinds.texts or kinds.dates)
        fitted: list[tuple[Any, Any]] = []
        if raw.images is not None:
            fitted.append(Images.fit(raw))
        if raw.matrix is not None:
            fitted.append(Numbers.fit(raw, None, missing=self.missing, mixed=False))
        if kinds.numbers:
            written = {name: kinds.written[name] for name in kinds.numbers if name in kinds.written}
            fitted.append(Numbers.fit(raw, tuple(kinds.numbers), missing=self.missing, mixed=mixed, written=written))
        if kinds.categories:
            fitted.append(Categories.fit(raw, tuple(kinds.categories)))
        if kinds.dates:
            fitted.append(Dates.fit(raw, kinds.dates))
        for column in kinds.texts:
            with stage(f"words of {column}"):
                alone = len(kinds.texts) == 1
                fitted.append(Text.fit(raw, column, language=self.language, alone=alone))
        if not fitted:
            why = _left_out_in_words(kinds.left_out) or "nothing else"
            raise ValueError(
                f"{raw.source} has no column to compare rows by: no numbers, no categories, no texts, only {why}. "
                f"Name a column of texts with {raw.option('text')}, or numbers to use anyway with "
                f"{raw.option('columns')}."
            )
        self.blocks_ = [block for block, _ in fitted]
        self.weights_ = np.ones(sum(len(block.names) for block in self.blocks_))
        self.column_weights_: dict[str, float] = {}
        self.filled_ = _missing_cells(raw, kinds.used)
        self.left_out_ = kinds.left_out
        self.id_column_: str | None = None  # set by the reader of files
        self.kind_ = _kind(self.blocks_)
        width = sum(part.shape[1] for _, part in fitted)
        if any(isinstance(block, Categories | Dates) or _is_table(block) for block in self.blocks_):
            related = _related(fitted)
            fitted = [
                (block, block.in_one_unit(part, weights) if _is_table(block) else part)
                for (block, part), weights in zip(fitted, related, strict=True)
            ]
            self.weights_ = _weights(fitted, related)
            columns = [name for block in self.blocks_ for name in block.columns or block.names]
            weights = np.concatenate(related)
            self.column_weights_ = {
                name: float(weight) for name, weight in zip(columns, weights, strict=True) if weight < 0.95
            }
        self._is_sparse = self.kind_ is DataKind.TEXT or raw.n * width > MAX_DENSE
        self.n_features_in_ = len(raw.columns) if raw.matrix is None else raw.matrix.shape[1]
        if raw.in_memory and raw.columns:
            self.feature_names_in_ = np.array(list(raw.columns), dtype=object)
        return self._joined([part for _, part in fitted])

    def _transform_table(self, X: Any) -> Any:
        check_is_fitted(self, "blocks_")
        raw = self._as_table(X, reset=False)
        self._refuse_missing(raw, [name for block in self.blocks_ for name in block.columns or ()])
        return self._joined([block.transform(raw) for block in self.blocks_])

    def _as_table(self, X: Any, *, reset: bool) -> RawTable:
        raw = as_raw_table(X)
        if raw is not None:
            return raw
        if dispatches(X):
            refuse(self, X)
        matrix = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=FLOATS, ensure_all_finite=False)
        return RawTable("X", matrix.shape[0], {}, matrix=checked_matrix(matrix, "X"), in_memory=True)

    def _refuse_missing(self, raw: RawTable, columns: list[str]) -> None:
        """Raise an error for the first missing value if missing="refuse"; those of a matrix are checked elsewhere."""
        if self.missing != "refuse" or raw.matrix is not None:
            return
        for name in columns:
            rows = [] if name == raw.text else missing_rows(raw.column(name))
            if rows:
                more = f" ({len(rows) - 1:,} more like it)" if len(rows) > 1 else ""
                raise ValueError(
                    f"{raw.source}, {raw.where(rows[0])}, column {name!r} is empty{more}. {remedy_for_missing(raw)}"
                )

    def _joined(self, parts: list[Any]) -> Any:
        if len(parts) == 1 and (self.weights_ == 1).all():
            return parts[0]
        if self._is_sparse:
            X = sparse.hstack([sparse.csr_matrix(part) for part in parts])
            return sparse.csr_matrix(X @ sparse.diags_array(self.weights_))
        return np.hstack([part.toarray() if sparse.issparse(part) else part for part in parts]) * self.weights_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing != "refuse"
        tags.transformer_tags.preserves_dtype = []
        return tags


def needs_table_features(X: Any) -> bool:
    """Whether X is a data frame or a dict with columns that are not numeric, or have ids or missing values."""
    raw = as_raw_table(X)
    if raw is None:
        return False
    return (
        isinstance(X, Mapping)
        or bool(raw.left_out)
        or not all(isinstance(cells, np.ndarray) and cells.dtype.kind in "fiu" for cells in raw.columns.values())
        or any(missing_rows(cells) or ids_in_words(name, cells) for name, cells in raw.columns.items())
    )


def _missing_cells(raw: RawTable, columns: list[str]) -> dict[str, int]:
    """The columns with missing values, and their number."""
    if raw.matrix is not None:
        X = raw.matrix
        counts = (
            np.bincount(X.indices[np.isnan(X.data)], minlength=X.shape[1])
            if sparse.issparse(X)
            else np.isnan(X).sum(axis=0)
        )
        names = raw.matrix_names or tuple(f"x{place}" for place in range(X.shape[1]))
        return {name: int(count) for name, count in zip(names, counts, strict=True) if count}
    found = {name: len(missing_rows(raw.columns[name])) for name in columns if name != raw.text}
    return {name: count for name, count in found.items() if count}


def _kind(blocks: list[Any]) -> DataKind:
    """The kind of the matrix that blocks make."""
    if all(isinstance(block, Text) for block in blocks):
        return DataKind.TEXT
    first = blocks[0]
    if len(blocks) > 1 or isinstance(first, Categories | Dates):
        return DataKind.MIXED
    if isinstance(first, Images):
        return DataKind.IMAGES
    # Counts have been converted to tf-idf weights, and columns of a table are on one scale.
    return {DataKind.COUNTS: DataKind.TEXT, DataKind.TABLE: DataKind.ONE_SCALE}.get(first.kind, first.kind)


def _is_table(block: Any) -> bool:
    return isinstance(block, Numbers) and block.kind is DataKind.TABLE


def _related(fitted: list[tuple[Any, Any]]) -> list[FloatArray]:
    """For each block, the weights of its columns by their dependence on others; the largest is 1."""
    classes: list[IntArray] = []
    groups: list[int] = []
    ends: list[int] = []
    for block, part in fitted:
        if isinstance(block, Text):
            found = [_classes_of_text(part)]
        elif isinstance(block, Categories):
            stops = np.cumsum(block.widths)[:-1]
            found = [[classes_of_levels(_level(one))] for one in np.split(part, stops, axis=1)]
        else:
            starts = np.cumsum([0, *block.widths[:-1]])  # the age of each date
            found = [[classes_of_numbers(part[:, start])] for start in starts]
        first = ends[-1] if ends else 0
        classes += [one for column in found for one in column]
        groups += [first + number for number, column in enumerate(found) for _ in column]
        ends.append(first + len(found))
    return np.split(relatedness(classes, groups), ends[:-1])


def _level(indicators: FloatArray) -> IntArray:
    """The level of each row, −1 for none."""
    return np.where(indicators.any(axis=1), indicators.argmax(axis=1), -1)


def _classes_of_text(part: Any) -> list[IntArray]:
    """The leading singular directions of a text, each binned like a column of numbers."""
    count = min(TEXT_DIRECTIONS, part.shape[0] - 1, part.shape[1] - 1)
    if count < 1:
        return [np.zeros(part.shape[0], dtype=np.int64)]
    with np.errstate(invalid="ignore"):  # it divides by the variance, which may be 0
        turned = TruncatedSVD(count, random_state=0).fit_transform(part)
    return [classes_of_numbers(column) for column in turned.T]


def _weights(fitted: list[tuple[Any, Any]], related: list[FloatArray]) -> FloatArray:
    """The weight of each feature.

    Each column of numbers, categories or dates has variance 1, and is multiplied by its weight. All texts together have
    the same variance as all other columns before weighting.
    """
    texts = sum(isinstance(block, Text) for block, _ in fitted)
    others = float(sum((weights**2).sum() for (block, _), weights in zip(fitted, related, strict=True)
                       if not isinstance(block, Text)))  # fmt: skip
    found = []
    for (block, part), weights in zip(fitted, related, strict=True):
        if isinstance(block, Text):
            total = _total_variance(part)
            scale = float(np.sqrt(others / texts / total)) if total > TINY else 1.0
            found.append(np.full(part.shape[1], scale * weights[0]))
        else:
            found.append(np.repeat(weights, block.widths))
    return np.concatenate(found)


def _left_out_in_words(left_out: Mapping[str, str]) -> str:
    """Columns and why they were left out, those with the same reason together.

    >>> _left_out_in_words({"a": "ignored", "b": "ignored", "kind": "classes"})
    "'a', 'b' (ignored), 'kind' (classes)"
    """
    by_reason: dict[str, list[str]] = {}
    for name, why in left_out.items():
        by_reason.setdefault(why, []).append(repr(name))
    return ", ".join(f"{_listed(names)} ({why})" for why, names in by_reason.items())


def _listed(names: Sequence[str]) -> str:
    """Names, the first few of many."""
    more = f", … ({len(names) - MAX_LISTED:,} more)" if len(names) > MAX_LISTED else ""
    return ", ".join(names[:MAX_LISTED]) + more


def _total_variance(X: Any) -> float:
    if not sparse.issparse(X):
        return float(X.var(axis=0).sum())
    mean = np.asarray(X.mean(axis=0)).ravel()
    return float(X.multiply(X).sum()) / X.shape[0] - float(mean @ mean)
