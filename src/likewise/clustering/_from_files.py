"""Clustering rows in files: fitting and labeling leaf by leaf."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np

from .._arrays import IntArray
from .._device_fit import checked_on_device
from .._devices import dispatches, move_fitted
from .._estimator import validate_rows
from .._progress import stage
from .._progress_bar import progress_bar
from .._sklearn import _fit_context
from ..chunked import Chunked, InMemory, OnDevice
from ..chunked._fold import Look
from ..chunked._lazy import chunked_rows, is_chunked
from ..tables._pieces import write_pieces
from ..tables._writing import checked_suffix


class ReadsFiles:
    """Mixin of clusterers that read rows in files. A subclass implements :meth:`_learn_from`."""

    labels_: Any

    def _learn_from(self, X: Chunked, y: Any, constraints: Any) -> Look:
        """Fit on rows that are read leaf by leaf; returns the function that labels the rows of a leaf."""
        raise NotImplementedError

    def _placed(self, X: Chunked, look: Look) -> Iterator[np.ndarray]:
        """The labels of the rows of each leaf."""
        with stage("placing rows"):
            yield from X.map(look)

    def _keep_places(self, found: np.ndarray) -> None:
        """Set the labels of all rows."""
        self.labels_ = found

    def _columns(self, found: np.ndarray) -> dict[str, Any]:
        """The labels of some rows as columns of a table."""
        return {"cluster": found}

    def _fit_chunked(self, X: Any, y: Any, constraints: Any) -> Self:
        rows = chunked_rows(X)
        self._place_all(rows, self._learn_from(rows, y, constraints))
        self._follow(rows)
        return self

    def _place_all(self, rows: Chunked, look: Look) -> None:
        pieces = self._placed(rows, look)
        piece = next(pieces)
        found, filled = np.empty(rows.shape[0], dtype=piece.dtype), len(piece)
        found[:filled] = piece
        for piece in pieces:
            found[filled : filled + len(piece)] = piece
            filled += len(piece)
        self._keep_places(found)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_to(self, path: str | PathLike[str], X: Any, y: Any = None, *, constraints: Any = None) -> Self:
        """Cluster rows in files, and write the cluster of each row to a file, one part at a time.

        No array as long as the data is kept in memory, so ``labels_`` is not set.

        Parameters
        ----------
        path : path
            A file name that ends in .csv, .tsv, .jsonl or .parquet, for the columns id and cluster, or in .npy, for the
            clusters only. The file is written atomically.
        X : RowFiles, Dask collection, (n, f) array, sparse matrix or data frame
            The ids are the keys of the rows, or their numbers.
        y : (n,) array-like, optional
            Partial labels.
        constraints : Constraints, optional

        Returns
        -------
        self
        """
        checked_suffix(Path(path))
        if dispatches(X):
            rows: Chunked = OnDevice(checked_on_device(self, X))
        elif is_chunked(X):
            rows = chunked_rows(X)
        else:
            rows = InMemory(validate_rows(self, X, accept_sparse="csr", dtype=(np.float64, np.float32)), check=False)
        with progress_bar(visible=getattr(self, "verbose", False)):
            write_clusters(self, path, rows, self._learn_from(rows, y, constraints))
        self._follow(rows)
        return self

    def _follow(self, rows: Chunked) -> None:
        """Bring what was learned to where the rows are looked at."""
        if rows.like is not None and self.__sklearn_tags__().array_api_support:  # type: ignore[attr-defined]
            move_fitted(self, rows.like)


@dataclass(frozen=True)
class Clustered:
    """A summary of clusters that were written to a file.

    Attributes
    ----------
    sizes : (k,) ints
    labels : (t,) ints
        The clusters of the requested rows.
    """

    sizes: IntArray
    labels: IntArray


def write_clusters(model: Any, path: Any, rows: Chunked, look: Look, some: IntArray | None = None) -> Clustered:
    """Label all rows with a fitted model, and write their clusters to a file.

    Parameters
    ----------
    model : estimator
        A fitted estimator with the mixin :class:`ReadsFiles`.
    path : path
    rows : Chunked
    look : callable
        The function that ``_learn_from`` returned.
    some : (t,) ints, optional
        The rows whose clusters are returned, ascending.

    Returns
    -------
    Clustered
    """
    model.__dict__.pop("labels_", None)
    counts: Counter[int] = Counter()
    wanted = np.empty(0, dtype=np.int64) if some is None else some
    labels = np.empty(len(wanted), dtype=np.int64)

    def pieces() -> Iterator[dict[str, Any]]:
        first = 0
        for found in model._placed(rows, look):
            columns: dict[str, Any] = model._columns(found)
            clusters = columns["cluster"]
            counts.update(dict(enumerate(np.bincount(clusters).tolist())))
            start, stop = np.searchsorted(wanted, [first, first + len(clusters)])
            labels[start:stop] = clusters[wanted[start:stop] - first]
            first += len(clusters)
            yield columns

    write_pieces(path, rows.shape[0], with_ids(rows, pieces()))
    return Clustered(np.array([counts[cluster] for cluster in range(max(counts) + 1)]), labels)


def with_ids(rows: Chunked, pieces: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Pieces of columns, with a first column of the keys of the rows, or their numbers."""
    keys: Any = rows.ids() if hasattr(rows, "ids") else None
    held: list[Any] = []
    first = 0
    for piece in pieces:
        count = len(next(iter(piece.values())))
        if keys is None:
            held = list(range(first, first + count))
        while len(held) < count:
            held += next(keys)
        yield {"id": held[:count], **piece}
        held, first = held[count:], first + count
