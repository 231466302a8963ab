"""From the columns of a table to numbers by which rows can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from .._progress import stage
from .._saved import Saved
from .._sklearn import StrOptions, _fit_context
from ..tables import RawTable
from ..tables._numpy import checked_matrix
from ._categories import Categories
from ._columns import as_raw_table, find_kinds
from ._images import Images
from ._kinds import DataKind
from ._numbers import IMPUTE, Numbers
from ._text_column import Text

FLOATS = (np.float64, np.float32)

MAX_DENSE = 10_000_000
"""Entries up to which columns of several kinds make a dense matrix."""

TINY = 1e-12
"""Total variance below which a text does not vary."""


def _check_blocks(features: Any) -> None:
    features.weights_ = [float(weight) for weight in features.weights_]
    if len(features.blocks_) != len(features.weights_) or not features.blocks_:
        raise ValueError(f"{len(features.blocks_)} blocks of columns have {len(features.weights_)} weights")
    features.left_out_ = {str(name): str(why) for name, why in features.left_out_.items()}
    features.id_column_ = None if features.id_column_ is None else str(features.id_column_)
    features.n_features_in_ = int(features.n_features_in_)
    features._is_sparse = bool(features._is_sparse)
    features.kind_ = _kind(features.blocks_)


class TableFeatures(TransformerMixin, BaseEstimator):
    """Turn a table with numbers, categories and texts into a matrix whose rows can be compared.

    Columns of one kind form a block:

    ===========  ==========================================================================================
    numbers      alone: as they are where their ranges are alike or rows are of unit length, tf-idf where
                 they are counts, else each column with mean 0 and variance 1; beside other kinds always the
                 last
    categories   one indicator for each level, scaled so that the variances of a category add up to 1
    text         unit rows of tf-idf weights, by :class:`likewise.TextFeatures`
    images       32 × 32 pixels
    ===========  ==========================================================================================

    Several blocks stand side by side. Each number and each category counts as one column, however many levels it has;
    texts count together as much as all other columns. Strings of more than 50 levels are texts if they have three words
    or more on average, else they are left out.

    Parameters
    ----------
    text : str or sequence of str
        Columns of texts. By default those with three words or more on average that are no categories.
    columns : sequence of str, optional
        Use these columns alone, and those in ``text``.
    impute : {"mean", "median", "zero"}, optional
        What a missing number becomes; a missing category then belongs to no level, and a missing text has no words. By
        default anything missing is an error.
    language : str
        Language of texts, for their stems.

    Attributes
    ----------
    kind_ : DataKind
        What the matrix holds; ``Likewise(kind=...)`` takes it.
    blocks_ : list
        One for each kind of column.
    weights_ : list of float
        What each block is multiplied by.
    left_out_ : dict of str to str
        Columns that are not used, and why.
    n_features_in_ : int
        Number of columns of the table.
    feature_names_in_ : (n_features_in_,) array of str
        Their names, where they have some.

    See Also
    --------
    read_table : Read a file, and do the same.
    TextFeatures : One column of texts.

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
        ("weights_", "left_out_", "id_column_", "n_features_in_", "_is_sparse"),
        lists={"blocks_": (Numbers, Categories, Text, Images)},
        check=_check_blocks,
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "text": [str, list, tuple],
        "columns": [list, tuple, None],
        "impute": [StrOptions(set(IMPUTE)), None],
        "language": [str],
    }

    def __init__(
        self,
        *,
        text: str | Sequence[str] = (),
        columns: Sequence[str] | None = None,
        impute: str | None = None,
        language: str = "english",
    ) -> None:
        self.text = text
        self.columns = columns
        self.impute = impute
        self.language = language

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn means, levels and words.

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
        """Learn means, levels and words, and return the matrix.

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
        """The matrix of new rows: the same columns, levels, words, means and weights.

        Parameters
        ----------
        X : data frame, dict of columns, or (n, f) array or sparse matrix
            It must have the columns that are used; others may be missing.

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
        if self.left_out_:
            steps.append("left out: " + ", ".join(f"{name!r} ({why})" for name, why in self.left_out_.items()))
        return "; ".join(steps)

    @_fit_context(prefer_skip_nested_validation=True)
    def _fit_table(self, X: Any) -> Any:
        raw = self._as_table(X, reset=True)
        if raw.n == 0:
            raise ValueError(f"{raw.source} has no rows. It needs one for each item.")
        texts = (self.text,) if isinstance(self.text, str) else tuple(self.text)
        kinds = find_kinds(raw, texts, self.columns)
        mixed = bool(kinds.categories or kinds.texts)
        fitted: list[tuple[Any, Any]] = []
        if raw.images is not None:
            fitted.append(Images.fit(raw))
        if raw.matrix is not None:
            fitted.append(Numbers.fit(raw, None, impute=self.impute, mixed=False))
        if kinds.numbers:
            fitted.append(Numbers.fit(raw, tuple(kinds.numbers), impute=self.impute, mixed=mixed))
        if kinds.categories:
            fitted.append(Categories.fit(raw, tuple(kinds.categories), impute=self.impute))
        for column in kinds.texts:
            with stage(f"words of {column}"):
                alone = len(kinds.texts) == 1
                fitted.append(Text.fit(raw, column, impute=self.impute, language=self.language, alone=alone))
        if not fitted:
            why = "; ".join(f"{name!r} ({reason})" for name, reason in kinds.left_out.items()) or "nothing else"
            raise ValueError(
                f"{raw.source} has no column to compare rows by: no numbers, no categories, no texts, only {why}. "
                f"Name a column of texts with {raw.option('text')}."
            )
        self.blocks_ = [block for block, _ in fitted]
        self.weights_ = _weights(fitted)
        self.left_out_ = kinds.left_out
        self.id_column_: str | None = None  # set by the reader of files
        self.kind_ = _kind(self.blocks_)
        width = sum(part.shape[1] for _, part in fitted)
        self._is_sparse = self.kind_ is DataKind.TEXT or raw.n * width > MAX_DENSE
        self.n_features_in_ = len(raw.columns) if raw.matrix is None else raw.matrix.shape[1]
        if raw.in_memory and raw.columns:
            self.feature_names_in_ = np.array(list(raw.columns), dtype=object)
        return self._joined([part for _, part in fitted])

    def _transform_table(self, X: Any) -> Any:
        check_is_fitted(self, "blocks_")
        raw = self._as_table(X, reset=False)
        return self._joined([block.transform(raw) for block in self.blocks_])

    def _as_table(self, X: Any, *, reset: bool) -> RawTable:
        raw = as_raw_table(X)
        if raw is not None:
            return raw
        matrix = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=FLOATS, ensure_all_finite=False)
        return RawTable("X", matrix.shape[0], {}, matrix=checked_matrix(matrix, "X"), in_memory=True)

    def _joined(self, parts: list[Any]) -> Any:
        if len(parts) == 1:
            return parts[0]
        scaled = [part * weight for part, weight in zip(parts, self.weights_, strict=True)]
        if self._is_sparse:
            return sparse.csr_matrix(sparse.hstack([sparse.csr_matrix(part) for part in scaled]))
        return np.hstack([part.toarray() if sparse.issparse(part) else part for part in scaled])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.impute is not None
        tags.transformer_tags.preserves_dtype = []
        return tags


def _kind(blocks: list[Any]) -> DataKind:
    """The kind of the matrix that blocks make."""
    if all(isinstance(block, Text) for block in blocks):
        return DataKind.TEXT
    first = blocks[0]
    if len(blocks) > 1 or isinstance(first, Categories):
        return DataKind.MIXED
    if isinstance(first, Images):
        return DataKind.IMAGES
    return DataKind.TEXT if first.kind is DataKind.COUNTS else first.kind  # counts are tf-idf weights by now


def _weights(fitted: list[tuple[Any, Any]]) -> list[float]:
    """What each block is multiplied by, so that all texts together vary as much as all other columns.

    Numbers and categories have variance 1 for each column of the table.
    """
    texts = [isinstance(block, Text) for block, _ in fitted]
    if len(fitted) == 1 or not any(texts):
        return [1.0] * len(fitted)
    others = sum(_total_variance(part) for (_, part), is_text in zip(fitted, texts, strict=True) if not is_text)
    share = (others or float(sum(texts))) / sum(texts)
    totals = [_total_variance(part) for _, part in fitted]
    return [
        float(np.sqrt(share / total)) if is_text and total > TINY else 1.0
        for is_text, total in zip(texts, totals, strict=True)
    ]


def _total_variance(X: Any) -> float:
    if not sparse.issparse(X):
        return float(X.var(axis=0).sum())
    mean = np.asarray(X.mean(axis=0)).ravel()
    return float(X.multiply(X).sum()) / X.shape[0] - float(mean @ mean)
