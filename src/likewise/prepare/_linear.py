"""Linear features: rows of any kind in a space where they can be compared."""

from __future__ import annotations

from types import NoneType
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.extmath import row_norms
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._arrays import FloatArray
from .._saved import Saved
from ..linalg._unit_rows import unit_rows
from ._kinds import DataKind, kind_of
from ._relatedness import classes_of_numbers, common_scale, relatedness

MAX_DIRECTIONS = 100
"""Linear features have no more columns than this."""

STEPS = {
    DataKind.COUNTS: "tf-idf, unit rows",
    DataKind.TEXT: "unit rows",
    DataKind.TABLE: "columns to variance 1, less where they have nothing to do with others",
    DataKind.ONE_SCALE: "columns as they are",
    DataKind.MIXED: "columns as they are",
    DataKind.IMAGES: "pixels as they are",
}


def _check_kind(features: Any) -> None:
    features.kind = DataKind(features.kind)
    if features.metric != features.kind.metric:
        raise ValueError(f"rows of the kind {features.kind!r} are compared by {features.metric!r}")
    features._length = float(features._length)
    if not isinstance(features.two_valued, bool):
        raise ValueError(f"two_valued is {features.two_valued!r}, neither true nor false")


class LinearFeatures:
    """Rows of any kind as at most 100 columns of one scale.

    =========================  =============================================================================
    kind of data               what is done
    =========================  =============================================================================
    counts                     tf-idf, then as text
    text                       unit rows, leading singular directions, unit rows; neighbors by cosine
    one scale, mixed, images   leading principal directions, mean squared row length 1
    table                      each column to variance 1, less where it has nothing to do with the others
                               (:func:`likewise.prepare._relatedness.relatedness`), then the same
    =========================  =============================================================================

    Parameters
    ----------
    kind : DataKind, optional
        By default, what :func:`likewise.prepare._kinds.kind_of` finds.

    Attributes
    ----------
    kind : DataKind
    metric : {"cosine", "euclidean"}
        The distance by which neighbors are found.
    two_valued : bool
        Whether most of the variance is in columns of two values, as in one-hot encoded categories.
    """

    _saved: ClassVar[Saved] = Saved(
        ("kind", "metric", "two_valued", "_length"),
        parts={"_weigh": (TfidfTransformer, StandardScaler, NoneType), "_turn": (PCA, TruncatedSVD, NoneType)},
        check=_check_kind,
    )

    def __init__(self, kind: DataKind | None = None) -> None:
        self._given_kind = kind

    def fit_transform(self, X: Any) -> tuple[Any, FloatArray]:
        """The rows among which neighbors are found (words for text, else the features), and the linear features."""
        self.kind = kind_of(X) if self._given_kind is None else DataKind(self._given_kind)
        self.metric = self.kind.metric
        self._weigh: Any = None
        if self.kind is DataKind.COUNTS:
            self._weigh = TfidfTransformer().fit(X)
        elif self.kind is DataKind.TABLE:
            self._weigh = StandardScaler().fit(X)
            weights = relatedness([classes_of_numbers(column) for column in X.T])
            self._weigh.scale_ /= weights * common_scale(X, weights)
        rows = self.prepared(X)
        self.two_valued = self.metric == "euclidean" and share_of_two_valued(rows) > 0.5
        n, f = rows.shape
        self._turn: Any = None  # few words, or rows that are all the same, need no directions
        if self.metric == "euclidean" and vary(rows):
            by_covariance = f <= min(n, 2000)
            most = min(n, f) if by_covariance or not sparse.issparse(rows) else min(n, f) - 1
            solver = "covariance_eigh" if by_covariance else "arpack" if sparse.issparse(rows) else "auto"
            self._turn = PCA(min(MAX_DIRECTIONS, most), svd_solver=solver, random_state=0).fit(rows)
        elif self.metric == "cosine" and f > MAX_DIRECTIONS:
            self._turn = TruncatedSVD(min(MAX_DIRECTIONS, n), random_state=0).fit(rows)
        L = self._turned(rows)
        self._length = 1.0 if self.metric == "cosine" else float(np.sqrt(row_norms(L, squared=True).mean())) or 1.0
        return self._both(rows, L)

    def transform(self, X: Any) -> tuple[Any, FloatArray]:
        """The same for new rows."""
        rows = self.prepared(X)
        return self._both(rows, self._turned(rows))

    def prepared(self, X: Any) -> Any:
        """Rows in the columns they came with: unit rows for text (tf-idf for counts), else of one scale."""
        if self.kind is DataKind.TABLE and sparse.issparse(X):  # new rows of a table, which is dense
            X = X.toarray()
        rows = X if self._weigh is None else self._weigh.transform(X)
        if self.metric == "euclidean":
            return rows
        return unit_rows(sparse.csr_array(rows) if sparse.issparse(rows) else rows)

    def _turned(self, rows: Any) -> FloatArray:
        if self._turn is None:
            return rows.toarray() if sparse.issparse(rows) else rows
        return self._turn.transform(rows)

    def _both(self, rows: Any, L: FloatArray) -> tuple[Any, FloatArray]:
        L = unit_rows(L) if self.metric == "cosine" else L / self._length
        return (rows if self.metric == "cosine" else L), L

    def __str__(self) -> str:
        return f"{self.kind}: {STEPS[self.kind]}, neighbors by {self.metric} distance"


def share_of_two_valued(rows: Any) -> float:
    """The share of the variance that is in columns of two values.

    >>> X = np.array([[0.0, 1.0], [1.0, 2.0], [0.0, 3.0], [1.0, 3.0]])
    >>> [round(share_of_two_valued(rows), 3) for rows in (X, sparse.csr_array(X))]
    [0.267, 0.267]
    """
    if sparse.issparse(rows):
        variance = mean_variance_axis(rows, axis=0)[1]
        low, high = (extreme.toarray().ravel() for extreme in (rows.min(axis=0), rows.max(axis=0)))
        entries = rows.tocoo()
        between = (entries.data != low[entries.col]) & (entries.data != high[entries.col])
        n_between = np.bincount(entries.col, between, rows.shape[1])
        is_full = np.bincount(entries.col, minlength=rows.shape[1]) == rows.shape[0]
        two_valued = (n_between == 0) & (is_full | (low == 0) | (high == 0))
    else:
        variance = rows.var(axis=0)
        two_valued = ((rows == rows.min(axis=0)) | (rows == rows.max(axis=0))).all(axis=0)
    total = variance.sum()
    return float(variance[two_valued].sum() / total) if total > 0 else 0.0


def vary(rows: Any) -> bool:
    """Whether any two rows differ."""
    if sparse.issparse(rows):
        return bool((rows.max(axis=0) - rows.min(axis=0)).count_nonzero())
    return bool(np.ptp(rows, axis=0).any())
