"""What a report is about: rows, the clusters found in them, and all that is known of both."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_array

from ..constraints import Constraints
from ..front._profile import differences, largest
from ..prepare._linear import LinearFeatures
from ._layout import Layout
from ._tally import Tally

Array = np.ndarray

MOST_POINTS = 100_000
"""Rows on the map; of more, so many are drawn at random, those that pairs speak of first."""

MOST_FITTED = 10_000
"""Rows from which the directions of the map are found."""


@dataclass(frozen=True)
class Subject:
    """A fitted model and its data, checked.

    Attributes
    ----------
    model : fitted clusterer
    n_rows, n_columns : int
    names : (k,) array
        The clusters, as in ``labels_``.
    labels : (n,) ints
        The cluster of each row, as a position in ``names``.
    rows : (m,) ints
        The rows on the map, ascending: all of them, or a sample.
    X : (m, f) array or CSR matrix
        These rows.
    hints : Constraints
    ids : sequence of str or None
        None: rows are known by their numbers, from 0.
    texts, images, feature_names : sequences or None
    """

    model: Any
    n_rows: int
    n_columns: int
    names: Array
    labels: Array
    rows: Array
    X: Any
    hints: Constraints
    ids: Sequence[Any] | None
    texts: Sequence[Any] | None
    images: Sequence[Any] | None
    feature_names: Sequence[Any] | None

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        *,
        hints: Constraints | None = None,
        ids: Any = None,
        texts: Any = None,
        images: Any = None,
        feature_names: Any = None,
    ) -> Subject:
        """Check that all belongs together."""
        if not hasattr(model, "labels_"):
            raise ValueError(
                f"{type(model).__name__} has no labels_: a report tells of clusters that were found. "
                "Fit a clusterer first."
            )
        columns = getattr(X, "columns", None)
        X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        n, width = X.shape
        names, labels = np.unique(np.asarray(model.labels_), return_inverse=True)
        if len(labels) != n:
            raise ValueError(f"the model was fitted on {len(labels):,} rows, X has {n:,}. Pass the X of fit.")
        if hints is None:
            hints = getattr(model, "constraints_", None) or Constraints(n)
        if hints.n_samples != n:
            raise ValueError(f"hints were built for {hints.n_samples:,} rows, X has {n:,}. Pass those of fit.")
        if feature_names is None and columns is not None:
            feature_names = list(columns)
        rows = _drawn(hints)
        return cls(
            model=model,
            n_rows=n,
            n_columns=width,
            names=names,
            labels=labels,
            rows=rows,
            X=X if len(rows) == n else X[rows],
            hints=hints,
            ids=_listed(ids, n, "ids", "row"),
            texts=_listed(texts, n, "texts", "row"),
            images=_listed(images, n, "images", "row"),
            feature_names=_listed(feature_names, width, "feature_names", "column"),
        )

    @property
    def n_clusters(self) -> int:
        """Clusters that were found."""
        return len(self.names)

    @property
    def report(self) -> Any:
        """What the model says of itself; None unless it is a ``Likewise``."""
        return getattr(self.model, "report_", None)

    @cached_property
    def sizes(self) -> Array:
        """Rows in each cluster."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    @cached_property
    def here(self) -> Array:
        """The cluster of each row on the map."""
        return self.labels[self.rows]

    @cached_property
    def _features(self) -> tuple[LinearFeatures, Array]:
        """The recipe for this kind of data, and the rows on the map as it prepares them."""
        linear, count = LinearFeatures(), len(self.rows)
        if count <= MOST_FITTED:
            return linear, linear.fit_transform(self.X)[1]
        chosen = np.sort(np.random.default_rng(0).choice(count, MOST_FITTED, replace=False))
        linear.fit_transform(self.X[chosen])
        parts = (linear.transform(self.X[at : at + MOST_FITTED])[1] for at in range(0, count, MOST_FITTED))
        return linear, np.concatenate(list(parts))

    @property
    def is_text(self) -> bool:
        """Whether columns are words."""
        return self._features[0].metric == "cosine"

    @cached_property
    def learned(self) -> str:
        """Which space the map shows after learning: "embedding", "transform", or "" where the model has none."""
        if np.shape(getattr(self.model, "embedding_", ()))[:1] == (self.n_rows,):
            return "embedding"
        return "transform" if hasattr(self.model, "transform") else ""

    @cached_property
    def layout(self) -> Layout:
        """Where the rows of the map lie."""
        L = np.asarray(self._features[1], dtype=np.float64)
        Z = L
        if self.learned == "embedding":
            Z = np.asarray(self.model.embedding_[self.rows], dtype=np.float64)
        elif self.learned == "transform":
            with warnings.catch_warnings():
                # the columns of a frame are known by their places here
                warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
                Z = self.model.transform(self.X)
            Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
        return Layout.of(L, Z, self.here, self.n_clusters)

    @cached_property
    def tally(self) -> Tally:
        """Hints, by the clusters of their rows."""
        return Tally.of(self.labels, self.hints, self.n_clusters)

    @cached_property
    def _profile(self) -> Array:
        return differences(self.X, self.here, self.n_clusters, self._features[0])

    def top_features(self, cluster: int, n: int) -> list[tuple[str, float]]:
        """The features that set a cluster apart; the model's own answer where it has one."""
        if self.report is not None and hasattr(self.model, "top_features"):
            return self.model.top_features(cluster, n, self.feature_names)
        names = self.feature_names or [f"x{column}" for column in range(self.n_columns)]
        return largest(self._profile[cluster], n, names)

    def name_of(self, row: int) -> str:
        """What a row is called."""
        return f"row {row}" if self.ids is None else str(self.ids[row])


def _drawn(hints: Constraints) -> Array:
    n = hints.n_samples
    if n <= MOST_POINTS:
        return np.arange(n)
    rng = np.random.default_rng(0)
    told = np.unique(np.concatenate([hints.must_link, hints.cannot_link]))
    if len(told) > MOST_POINTS:
        told = rng.choice(told, MOST_POINTS, replace=False)
    others = np.setdiff1d(np.arange(n), told)
    return np.sort(np.concatenate([told, rng.choice(others, MOST_POINTS - len(told), replace=False)]))


def _listed(values: Any, count: int, name: str, each: str) -> Sequence[Any] | None:
    if values is None:
        return None
    if isinstance(values, str) or len(values) != count:
        got = "one string" if isinstance(values, str) else f"{len(values):,} entries"
        raise ValueError(f"{name} has {got}, there are {count:,} {each}s. Pass one for each {each}, in their order.")
    return list(values)
