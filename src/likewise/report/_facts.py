"""The facts of a report: rows, the clusters found in them, and what is known of both."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from .._arrays import BoolArray, FloatArray, IntArray, slices
from ..constraints import Constraints
from ..front._report import feature_differences, largest_differences
from ..prepare._kinds import DataKind, kind_of
from ..prepare._linear import LinearFeatures
from ._counts import PairCounts
from ._layout import Layout

MAX_POINTS = 100_000
"""Rows on the map; of more, so many are drawn at random, those in pairs first."""

MAX_FITTED = 10_000
"""Rows from which the directions of the map are found."""


class Facts:
    """A fitted model and its data, checked.

    The parameters are those of :func:`likewise.report.write_report`.

    Attributes
    ----------
    n_rows, n_columns : int
    names : (k,) array
        The clusters, as in ``labels_``.
    labels : (n,) ints
        The cluster of each row, as a position in ``names``.
    rows : (m,) ints
        The rows on the map, ascending: all of them, or a sample.
    X : (m, f) array or CSR matrix
        These rows.
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        *,
        constraints: Constraints | None = None,
        ids: Any = None,
        texts: Any = None,
        images: Any = None,
        feature_names: Any = None,
        kind: str | None = None,
        preprocessing: str = "",
        command: str = "",
        seed: Any = None,
    ) -> None:
        if not hasattr(model, "labels_"):
            raise ValueError(
                f"{type(model).__name__} has no labels_, and a report is about clusters. Fit a clusterer first."
            )
        if kind is not None and kind not in list(DataKind):
            raise ValueError(
                f"kind={kind!r} is no kind of data. Use one of {', '.join(map(repr, map(str, DataKind)))}."
            )
        columns = getattr(X, "columns", None)
        X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        n, width = X.shape
        names, labels = np.unique(np.asarray(model.labels_), return_inverse=True)
        if len(labels) != n:
            raise ValueError(f"the model was fitted on {len(labels):,} rows, X has {n:,}. Pass the X of fit.")
        if constraints is None:
            constraints = getattr(model, "constraints_", None) or Constraints(n)
        if constraints.n_samples != n:
            raise ValueError(
                f"constraints were built for {constraints.n_samples:,} rows, X has {n:,}. Pass those of fit."
            )
        if feature_names is None and columns is not None:
            feature_names = list(columns)
        self.model = model
        self.n_rows = n
        self.n_columns = width
        self.names = names
        self.labels = labels
        self.rows = _rows_on_map(constraints)
        self.X = X if len(self.rows) == n else X[self.rows]
        self.constraints = constraints
        self.ids = _one_each(ids, n, "ids", "row")
        self.texts = _one_each(texts, n, "texts", "row")
        self.images = _one_each(images, n, "images", "row")
        self.feature_names = _one_each(feature_names, width, "feature_names", "column")
        self.preprocessing = preprocessing
        self.command = command
        self.seed = getattr(model, "random_state", None) if seed is None else seed
        self._kind = None if kind is None else DataKind(kind)

    @property
    def n_clusters(self) -> int:
        """Clusters that were found."""
        return len(self.names)

    @property
    def report(self) -> Any:
        """The model's own report; None unless it is a ``Likewise``."""
        return getattr(self.model, "report_", None)

    @property
    def n_hints(self) -> int:
        """Pairs that the constraints are about."""
        return self.counts.n_same + self.counts.n_different

    @cached_property
    def kept_share(self) -> float | None:
        """The share of these pairs that the result keeps, each counted once; None without hints."""
        kept = self.counts.same_kept + self.counts.different_kept
        return kept / self.n_hints if self.n_hints else None

    @cached_property
    def sizes(self) -> IntArray:
        """Rows in each cluster."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    @cached_property
    def map_labels(self) -> IntArray:
        """The cluster of each row on the map."""
        return self.labels[self.rows]

    @cached_property
    def kind(self) -> DataKind:
        """The kind of data: as given, as the model has it, or by the values of X."""
        if self._kind is not None:
            return self._kind
        return kind_of(self.X) if self.report is None else self.report.kind

    @property
    def is_text(self) -> bool:
        """Whether columns are words."""
        return self.kind.has_words

    @property
    def column_names(self) -> list[str]:
        """What columns are called."""
        return [str(name) for name in self.feature_names or (f"x{column}" for column in range(self.n_columns))]

    @cached_property
    def _features(self) -> tuple[LinearFeatures, FloatArray]:
        """The features for this kind of data, and the rows on the map as they prepare them."""
        linear = LinearFeatures(self.kind)
        count = len(self.rows)
        if count <= MAX_FITTED:
            return linear, linear.fit_transform(self.X)[1]
        chosen = np.sort(np.random.default_rng(0).choice(count, MAX_FITTED, replace=False))
        linear.fit_transform(self.X[chosen])
        parts = (linear.transform(self.X[part])[1] for part in slices(count, MAX_FITTED))
        return linear, np.concatenate(list(parts))

    @cached_property
    def learned_space(self) -> str:
        """Which space the map shows after learning: "embedding", "transform", or "" where the model has none."""
        if np.shape(getattr(self.model, "embedding_", ()))[:1] == (self.n_rows,):
            return "embedding"
        return "transform" if hasattr(self.model, "transform") else ""

    @cached_property
    def layout(self) -> Layout:
        """Where the rows of the map lie."""
        L = np.asarray(self._features[1], dtype=np.float64)
        Z = L
        if self.learned_space == "embedding":
            Z = np.asarray(self.model.embedding_[self.rows], dtype=np.float64)
        elif self.learned_space == "transform":
            with warnings.catch_warnings():
                # the columns of a frame are known by their positions here
                warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
                Z = self.model.transform(self.X)
            Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
        return Layout.of(L, Z, self.map_labels, self.n_clusters)

    @cached_property
    def counts(self) -> PairCounts:
        """Constrained pairs, by the clusters of their rows."""
        return PairCounts.of(self.labels, self.constraints, self.n_clusters)

    @cached_property
    def _differences(self) -> FloatArray:
        return feature_differences(self.X, self.map_labels, self.n_clusters, self._features[0])

    def top_features(self, cluster: int, n: int) -> list[tuple[str, float]]:
        """The features that set a cluster apart: in standard deviations, or for words in mean tf-idf weights."""
        if self.report is not None and self.report.kind == self.kind:
            return self.model.top_features(cluster, n, self.feature_names)
        return largest_differences(self._differences[cluster], n, self.column_names)

    @cached_property
    def is_standardized(self) -> bool:
        """Whether X holds columns that were scaled, so that a reader cannot read their values."""
        if self.kind is DataKind.MIXED:
            return True
        if sparse.issparse(self.X):
            return False
        deviations = self.X.std(axis=0)
        means = self.X.mean(axis=0)
        return bool(np.allclose(means, 0, atol=0.02) and np.allclose(deviations[deviations > 0], 1, atol=0.02))

    @cached_property
    def deviations(self) -> FloatArray:
        """(f,) standard deviations of the columns; 1 for a constant one."""
        return StandardScaler(with_mean=False).fit(self.X).scale_

    @cached_property
    def is_indicator(self) -> BoolArray:
        """(f,) bools: columns that have one value other than 0, as those of categories do."""
        if not sparse.issparse(self.X):
            largest = self.X.max(axis=0)
            return (largest > 0) & ((self.X == 0) | (largest == self.X)).all(axis=0)
        largest = self.X.max(axis=0).toarray().ravel()
        other = self.X.data != largest[self.X.indices]
        return (largest > 0) & (np.bincount(self.X.indices, other, minlength=self.n_columns) == 0)

    def row_name(self, row: int) -> str:
        """What a row is called."""
        return f"row {row}" if self.ids is None else str(self.ids[row])


def _rows_on_map(constraints: Constraints) -> IntArray:
    n = constraints.n_samples
    if n <= MAX_POINTS:
        return np.arange(n)
    rng = np.random.default_rng(0)
    paired = np.unique(np.concatenate([constraints.must_link, constraints.cannot_link]))
    if len(paired) > MAX_POINTS:
        paired = rng.choice(paired, MAX_POINTS, replace=False)
    others = np.setdiff1d(np.arange(n), paired)
    return np.sort(np.concatenate([paired, rng.choice(others, MAX_POINTS - len(paired), replace=False)]))


def _one_each(values: Any, count: int, name: str, unit: str) -> Sequence[Any] | None:
    """The values as a list, after checking that there is one for each row or column."""
    if values is None:
        return None
    if isinstance(values, str) or len(values) != count:
        got = "one string" if isinstance(values, str) else f"{len(values):,} entries"
        raise ValueError(f"{name} has {got}, there are {count:,} {unit}s. Pass one for each {unit}, in their order.")
    return list(values)
