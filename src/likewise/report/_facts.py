"""The data of a report: rows, clusters, and derived quantities, computed when needed."""

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
from .._devices import to_numpy
from ..constraints import Constraints
from ..constraints._format import pluralize
from ..evaluation import constraint_accuracy
from ..front import Likewise
from ..front._certainty import DOUBTFUL
from ..front._report import feature_differences, kept_comparisons, largest_differences
from ..prepare._columns import as_raw_table
from ..prepare._kinds import DataKind, kind_of
from ..prepare._linear import LinearFeatures
from ..prepare._text_column import Text
from ..questions import Answers, Question
from ..tables import as_texts
from ._columns import Columns, Difference
from ._counts import PairCounts
from ._layout import Layout
from ._titles import cluster_titles

MAX_POINTS = 100_000
"""Maximum number of rows on the map; beyond, a random sample that includes constrained rows first."""

MAX_FITTED = 10_000
"""Maximum number of rows from which the directions of the map are computed."""

N_QUESTIONS = 10


class Facts:
    """A fitted model and its data, validated.

    The parameters are those of :func:`likewise.report.write_report`.

    Attributes
    ----------
    n_rows, n_columns : int
    numbers : (k,) array
        The clusters, as in ``labels_``.
    names : (k,) array of str
        The names of the clusters: their labels if there are any, otherwise their numbers.
    labels : (n,) ints
        The cluster of each row, as a position in ``names``.
    rows : (m,) ints
        The numbers of the rows on the map, in ascending order: all rows, or a sample.
    X : (m, f) array or CSR matrix
        The rows on the map.
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        *,
        constraints: Constraints | None = None,
        answers: Answers | None = None,
        ids: Any = None,
        texts: Any = None,
        images: Any = None,
        feature_names: Any = None,
        table: Any = None,
        classes: Any = None,
        links: Any = None,
        kind: str | None = None,
        preprocessing: str = "",
        command: str = "",
        code: str = "",
        seed: Any = None,
    ) -> None:
        if not hasattr(model, "labels_"):
            raise ValueError(
                f"{type(model).__name__} has no labels_, and a report is about clusters. Fit a clusterer first."
            )
        if kind is not None and kind not in list(DataKind):
            raise ValueError(
                f"kind={kind!r} is not a kind of data. Use one of {', '.join(map(repr, map(str, DataKind)))}."
            )
        columns = getattr(X, "columns", None)
        features = getattr(model, "table_features_", None)
        if features is not None and as_raw_table(X) is not None:  # a data frame with columns other than numbers
            table = X if table is None else table
            feature_names = features.get_feature_names_out() if feature_names is None else feature_names
            texts = _text_column(features, X) if texts is None else texts
            X = features.transform(X)
        X = check_array(X, accept_sparse="csr", dtype=(np.float64, np.float32))
        n, width = X.shape
        numbers, labels = np.unique(to_numpy(model.labels_), return_inverse=True)
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
        self.numbers = numbers
        self.names = np.asarray(getattr(model, "cluster_names_", numbers.astype(str)))
        self.labels = labels
        self.rows = _rows_on_map(constraints)
        self.X = X if len(self.rows) == n else X[self.rows]
        self.constraints = constraints
        self.answers = getattr(model, "answers_", None) if answers is None else answers
        self.ids = _one_each(ids, n, "ids", "row")
        self.texts = _one_each(texts, n, "texts", "row")
        self.images = _one_each(images, n, "images", "row")
        self.feature_names = _one_each(feature_names, width, "feature_names", "column")
        self.classes = None if classes is None else as_texts(_one_each(classes, n, "classes", "row"))
        self.links = _checked_links(links, n)
        self.preprocessing = preprocessing
        self.command = command
        self.code = code
        self._table = table
        self.seed = getattr(model, "random_state", None) if seed is None else seed
        self._kind = None if kind is None else DataKind(kind)

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.names)

    @property
    def report(self) -> Any:
        """The model's own report; None unless it is a ``Likewise``."""
        return getattr(self.model, "report_", None)

    @cached_property
    def certainty(self) -> FloatArray | None:
        """The certainty of the cluster of each row, from 0 to 1; None if the model does not provide it."""
        return getattr(self.model, "certainty_", None)

    @cached_property
    def second(self) -> IntArray | None:
        """The second most likely cluster of each row, as a position in ``names``; −1 if there is none."""
        second = getattr(self.model, "second_labels_", None)
        if second is None:
            return None
        position = np.full(int(max(self.numbers.max(), second.max())) + 2, -1)
        position[self.numbers] = np.arange(self.n_clusters)
        return position[second]  # −1 indexes the last entry, which is −1

    @cached_property
    def unsupervised(self) -> IntArray | None:
        """The cluster of each row without hints, as a position in ``names``; −1 if it does not exist with hints."""
        baseline = getattr(self.model, "unsupervised_labels_", None)
        if baseline is None or self.constraints.is_empty:
            return None
        position = np.full(int(max(self.numbers.max(), baseline.max())) + 1, -1)
        position[self.numbers] = np.arange(self.n_clusters)
        return position[baseline]

    @cached_property
    def moved(self) -> IntArray | None:
        """The rows that hints moved to another cluster; None if unknown."""
        return None if self.unsupervised is None else np.flatnonzero(self.unsupervised != self.labels)

    @cached_property
    def doubtful(self) -> IntArray:
        """The rows with a certainty below the threshold, in ascending order of certainty."""
        if self.certainty is None:
            return np.zeros(0, dtype=np.int64)
        rows = np.flatnonzero(self.certainty < DOUBTFUL)
        return rows[np.argsort(self.certainty[rows], kind="stable")]

    @cached_property
    def questions(self) -> list[Question]:
        """The most informative questions about rows on the map; empty if the model is not a ``Likewise``."""
        if not isinstance(self.model, Likewise) or not hasattr(self.model, "constraints_") or self.n_clusters < 2:
            return []
        return list(self.model.ask(N_QUESTIONS, kind="choice", among=self.rows, answers=self.answers))

    @cached_property
    def hinted(self) -> BoolArray:
        """(n,) bools: the rows of must-links, cannot-links and partitions."""
        mask = np.zeros(self.n_rows, dtype=bool)
        mask[np.concatenate([self.constraints.must_link, self.constraints.cannot_link]).ravel()] = True
        for partition in self.constraints.partitions:
            mask |= partition.codes >= 0
        return mask

    @cached_property
    def class_names(self) -> list[str]:
        """The known classes, in alphabetical order."""
        return sorted({name for name in self.classes or () if name is not None})

    @cached_property
    def class_codes(self) -> IntArray | None:
        """The class of each row, as a position in ``class_names``; −1 if unknown. None if no classes are given."""
        if self.classes is None:
            return None
        code = {name: number for number, name in enumerate(self.class_names)}
        return np.array([-1 if name is None else code[name] for name in self.classes], dtype=np.int64)

    def label_of(self, cluster: int) -> str | None:
        """The label of a cluster; None if none of its rows has one."""
        return None if self.report is None else self.report.clusters[cluster].label

    @cached_property
    def titles(self) -> list[str]:
        """The titles of the clusters."""
        return cluster_titles(self)

    @cached_property
    def columns(self) -> Columns:
        """The original columns of the rows on the map; empty for words and pixels."""
        raw = None if self._table is None else as_raw_table(self._table)
        if self._table is not None and not (self.is_text and raw is not None and raw.matrix is not None):
            found = Columns.of_table(self._table, self.rows)
            if len(found):
                return found
        if self.is_text or self.kind is DataKind.IMAGES or (self.images is not None and self.feature_names is None):
            return Columns()
        names = tuple(self.column_names)
        if not self.is_standardized:
            return Columns.of_matrix(self.X, names)
        return Columns.of_matrix(self.X, names, deviations=self.deviations, is_indicator=self.is_indicator)

    @property
    def has_named_columns(self) -> bool:
        """Whether columns have names other than x0, x1, ..."""
        return not all(name[:1] == "x" and name[1:].isdigit() for name in self.columns.order)

    @cached_property
    def differences(self) -> list[list[Difference]]:
        """For each cluster, its differences from all other rows in each column, sorted by size."""
        return self.columns.differences(self.map_labels, self.n_clusters)

    def words(self, cluster: int) -> list[tuple[str, float]]:
        """The words that are more frequent in a cluster than in others, with their differences; empty without texts.

        Numbers are left out.
        """
        if self.is_text:
            found = self.top_features(cluster, 40)
        elif self.kind is DataKind.MIXED and self.texts is not None:
            own = set(self.columns.order)
            found = [
                (name.rpartition(":")[2], value)
                for name, value in self.top_features(cluster, 200)
                if not own & {name, name.rpartition("=")[0], name.partition(" (")[0]}
            ]
        else:
            return []
        return [(word, value) for word, value in found if value > 0 and any(map(str.isalpha, word))]

    @property
    def n_hints(self) -> int:
        """Number of constrained pairs, comparisons and preferences."""
        others = len(self.constraints.comparisons) + len(self.constraints.preferences)
        return self.counts.n_same + self.counts.n_different + others

    @cached_property
    def comparisons_kept(self) -> int:
        """Number of comparisons that the clusters do not contradict."""
        return int(kept_comparisons(self.labels, self.constraints.comparisons).sum())

    @cached_property
    def preferences_kept(self) -> int:
        """Number of preferences that agree with the clusters."""
        return sum(preference.margin(self.labels) > 0 for preference in self.constraints.preferences)

    @property
    def hints_in_words(self) -> str:
        """A description of the hints: "60 hinted pairs", "18 labels", "40 comparisons and 2 preferences"."""
        constraints = self.constraints
        labels = sum(partition.n_known for partition in constraints.partitions if partition.is_labels)
        if labels and not len(constraints.must_link) + len(constraints.cannot_link):
            words = [pluralize(labels, "label")]
        else:
            n_pairs = self.counts.n_same + self.counts.n_different
            words = [pluralize(n_pairs, "hinted pair")] if n_pairs else []
        for count, noun in ((len(constraints.comparisons), "comparison"), (len(constraints.preferences), "preference")):
            words += [pluralize(count, noun)] if count else []
        return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    @cached_property
    def kept_share(self) -> float | None:
        """The share of hints that the result keeps, each counted once; None without hints."""
        pairs = self.counts.same_kept + self.counts.different_kept
        kept = pairs + self.comparisons_kept + self.preferences_kept
        return kept / self.n_hints if self.n_hints else None

    @cached_property
    def kept_without(self) -> float:
        """The weighted share of hints that the result without hints keeps; 0 if unknown."""
        baseline = getattr(self.model, "unsupervised_labels_", None)
        return 0.0 if baseline is None else constraint_accuracy(baseline, self.constraints)

    @cached_property
    def sizes(self) -> IntArray:
        """Number of rows of each cluster."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    @cached_property
    def by_size(self) -> IntArray:
        """The clusters in descending order of size."""
        return np.argsort(-self.sizes, kind="stable")

    @cached_property
    def map_labels(self) -> IntArray:
        """The cluster of each row on the map."""
        return self.labels[self.rows]

    @cached_property
    def kind(self) -> DataKind:
        """The kind of data: as given, that of the model, or determined from the values of X."""
        if self._kind is not None:
            return self._kind
        return kind_of(self.X) if self.report is None else self.report.kind

    @property
    def is_text(self) -> bool:
        """Whether columns are words."""
        return self.kind.has_words

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return [str(name) for name in self.feature_names or (f"x{column}" for column in range(self.n_columns))]

    @cached_property
    def _features(self) -> tuple[LinearFeatures, FloatArray]:
        """The preprocessing for this kind of data, and the preprocessed rows on the map."""
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
        """The learned space that the map shows: "embedding", "transform", or "" if the model has none."""
        if np.shape(getattr(self.model, "embedding_", ()))[:1] == (self.n_rows,):
            return "embedding"
        return "transform" if hasattr(self.model, "transform") else ""

    @cached_property
    def spaces(self) -> tuple[FloatArray, FloatArray]:
        """The rows on the map, preprocessed and in the learned space; the arguments of :meth:`Layout.of`."""
        L = np.asarray(self._features[1], dtype=np.float64)
        Z = L
        if self.learned_space == "embedding":
            Z = np.asarray(self.model.embedding_[self.rows], dtype=np.float64)
        elif self.learned_space == "transform":
            with warnings.catch_warnings():
                # X is an array here, also if the model was fitted on a data frame
                warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
                Z = self.model.transform(self.X)
            Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
        return L, Z

    @cached_property
    def layout(self) -> Layout:
        """The positions of the rows on the map."""
        return Layout.of(*self.spaces, self.map_labels, self.n_clusters)

    @cached_property
    def most_typical(self) -> IntArray:
        """(k,) ints: the row nearest to the mean of each cluster."""
        order = np.lexsort([self.layout.off_center, self.map_labels])
        starts = np.searchsorted(self.map_labels[order], np.arange(self.n_clusters))
        return self.rows[order[np.minimum(starts, len(order) - 1)]]

    @cached_property
    def counts(self) -> PairCounts:
        """The numbers of constrained pairs by the clusters of their rows."""
        return PairCounts.of(self.labels, self.constraints, self.n_clusters)

    @cached_property
    def _differences(self) -> FloatArray:
        return feature_differences(self.X, self.map_labels, self.n_clusters, self._features[0])

    def top_features(self, cluster: int, n: int) -> list[tuple[str, float]]:
        """The features with the largest differences, in standard deviations, or in mean tf-idf weights for words."""
        if self.report is not None and self.report.kind == self.kind:
            return self.model.top_features(int(self.numbers[cluster]), n, self.feature_names)
        return largest_differences(self._differences[cluster], n, self.column_names)

    @cached_property
    def is_standardized(self) -> bool:
        """Whether the columns of X were scaled, so that their values are not in the original units."""
        if self.kind is DataKind.MIXED:
            return True
        if sparse.issparse(self.X):
            return False
        deviations = self.X.std(axis=0)
        means = self.X.mean(axis=0)
        return bool(np.allclose(means, 0, atol=0.02) and np.allclose(deviations[deviations > 0], 1, atol=0.02))

    @cached_property
    def deviations(self) -> FloatArray:
        """(f,) array: the standard deviations of the columns; 1 for constant ones."""
        return StandardScaler(with_mean=False).fit(self.X).scale_

    @cached_property
    def is_indicator(self) -> BoolArray:
        """(f,) bools: columns with a single nonzero value, such as one-hot encoded categories."""
        if not sparse.issparse(self.X):
            largest = self.X.max(axis=0)
            return (largest > 0) & ((self.X == 0) | (largest == self.X)).all(axis=0)
        largest = self.X.max(axis=0).toarray().ravel()
        other = self.X.data != largest[self.X.indices]
        return (largest > 0) & (np.bincount(self.X.indices, other, minlength=self.n_columns) == 0)

    def row_name(self, row: int) -> str:
        """The id of a row, or its number."""
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


def _text_column(features: Any, X: Any) -> list[str] | None:
    """The first text column of a data frame; None if there is none."""
    name = next((block.column for block in features.blocks_ if isinstance(block, Text)), None)
    raw = as_raw_table(X)
    if name is None or raw is None:
        return None
    return [text or "" for text in as_texts(raw.columns[name])]


def _checked_links(links: Any, n: int) -> Any:
    """Links between rows as a sparse upper triangular matrix."""
    if links is None:
        return None
    matrix = sparse.csr_array(links)
    if matrix.shape != (n, n):
        raise ValueError(f"links has the shape {matrix.shape}, there are {n:,} rows. Pass one row and column for each.")
    return sparse.triu(abs(matrix) + abs(matrix.T), 1).tocoo()


def _one_each(values: Any, count: int, name: str, unit: str) -> Sequence[Any] | None:
    """The values as a list; raises an error unless there is one for each row or column."""
    if values is None:
        return None
    if isinstance(values, str) or len(values) != count:
        got = "one string" if isinstance(values, str) else f"{len(values):,} entries"
        raise ValueError(f"{name} has {got}, there are {count:,} {unit}s. Pass one for each {unit}, in their order.")
    return list(values)
