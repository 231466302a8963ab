"""A recipe for each kind of data: from what a person has to rows that can be compared."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.extmath import row_norms

from .._saved import Saved
from ..clustering._principal import fit_transform
from ..clustering._project import like_text
from ..clustering.kmeans._points import unit_rows
from ._kinds import on_one_scale

Array = np.ndarray

MOST = 100
"""Directions that linear features have at most."""

MOSTLY_ZEROS = 0.75
"""A dense table of whole numbers counts as counts if so much of it is zero."""

STEPS = {
    "counts": "tf-idf, unit rows",
    "text": "unit rows",
    "table": "columns to variance 1",
    "table of one scale": "columns as they are",
}
"""The kinds of data, and what is done to the rows of each."""


def _check_kind(features: Any) -> None:
    if features.kind not in STEPS or features.metric != _metric_of(features.kind):
        raise ValueError(f"rows of the kind {features.kind!r} are compared by {features.metric!r}")
    features._length = float(features._length)


class LinearFeatures:
    """Rows of any kind as at most 100 columns of one scale.

    ====================  ==================================================================================
    kind of data          recipe
    ====================  ==================================================================================
    counts                tf-idf, then as text
    text                  unit rows, leading singular directions, unit rows; neighbors by cosine
    table of one scale    leading principal directions, mean squared row length 1
    table                 each column to variance 1, then the same
    ====================  ==================================================================================

    Sparse data is text, and so are dense rows of unit length without negative entries; whole numbers without
    negative ones are counts if they are sparse, or zero for three quarters. A table is of one scale if most
    ranges of its columns are alike (:func:`likewise.prepare._kinds.on_one_scale`), as in pixels or spectra.

    Attributes
    ----------
    kind : str
        "counts", "text", "table of one scale" or "table".
    metric : {"cosine", "euclidean"}
        How rows are near.
    """

    _saved: ClassVar[Saved] = Saved(
        ("kind", "metric", "_length"),
        parts={"_weigh": (TfidfTransformer, StandardScaler), "_turn": (PCA, TruncatedSVD)},
        check=_check_kind,
    )

    def fit_transform(self, X: Any) -> tuple[Any, Array]:
        """The rows among which neighbors are sought (words for text, else the features), and the linear features."""
        self.kind = _kind_of(X)
        self.metric = _metric_of(self.kind)
        self._weigh = {"counts": TfidfTransformer(), "table": StandardScaler()}.get(self.kind)
        if self._weigh is not None:
            self._weigh.fit(X)
        rows = self.prepared(X)
        n, f = rows.shape
        self._turn: Any = None  # nothing to turn: few words, or rows that are all the same
        if self.metric == "euclidean" and np.ptp(rows, axis=0).any():
            solver = "covariance_eigh" if f <= min(n, 2000) else "auto"
            self._turn = PCA(min(MOST, n, f), svd_solver=solver, random_state=0)
        elif self.metric == "cosine" and f > MOST:
            self._turn = TruncatedSVD(min(MOST, n), random_state=0)
        if self._turn is not None:
            fit_transform(self._turn, rows)
        L = self._turned(rows)
        self._length = 1.0 if self.metric == "cosine" else float(np.sqrt(row_norms(L, squared=True).mean())) or 1.0
        return self._both(rows, L)

    def transform(self, X: Any) -> tuple[Any, Array]:
        """The same for new rows."""
        rows = self.prepared(X)
        return self._both(rows, self._turned(rows))

    def prepared(self, X: Any) -> Any:
        """Rows in the columns they came with: unit rows for text (tf-idf for counts), else of one scale."""
        rows = X if self._weigh is None else self._weigh.transform(X)
        if self.metric == "euclidean":
            return rows
        return unit_rows(sparse.csr_array(rows) if sparse.issparse(rows) else rows)

    def _turned(self, rows: Any) -> Array:
        if self._turn is None:
            return rows.toarray() if sparse.issparse(rows) else rows
        return self._turn.transform(rows)

    def _both(self, rows: Any, L: Array) -> tuple[Any, Array]:
        L = unit_rows(L) if self.metric == "cosine" else L / self._length
        return (rows if self.metric == "cosine" else L), L

    def __str__(self) -> str:
        return f"{self.kind}: {STEPS[self.kind]}, neighbors by {self.metric} distance"


def _metric_of(kind: str) -> str:
    return "cosine" if kind in ("counts", "text") else "euclidean"


def _kind_of(X: Any) -> str:
    values = X.data if sparse.issparse(X) else X
    if sparse.issparse(X) or np.mean(X == 0) >= MOSTLY_ZEROS:
        whole = values.size > 0 and values.min() >= 0 and bool(np.all(values == np.floor(values)))
        if whole and values.max() > 0:
            return "counts"
    if like_text(X):
        return "text"
    return "table of one scale" if on_one_scale(X) else "table"
