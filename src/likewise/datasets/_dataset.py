"""A loaded data set, and selecting parts of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from .._arrays import IntArray
from ..constraints._format import pluralize


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dataset:
    """A data set: rows, their classes, and other information about them.

    Attributes
    ----------
    name : str
        As in :func:`likewise.datasets.names`.
    X : (n, f) float array or None
        The features as published, neither scaled nor centered; None for raw text.
    text : list of str or None
        The raw texts, if the data set consists of texts.
    y : (n,) int array
        Class of each row as a position in ``target_names``; −1 if unknown.
    target_names : tuple of str
        Names of the classes.
    ids : (n,) str array or None
        Names of the rows.
    links : (m, 2) int array or None
        Links from the first to the second row of each pair.
    feature_names : tuple of str or None
        Names of the columns.
    images : (height, width) or None
        If rows are images: ``X[0].reshape(images)`` is the first.
    extra : dict
        Other information about the rows: arrays with one entry per row.
    feature_extra : dict
        Other information about the columns: arrays with one entry per column.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.datasets import Dataset
    >>> pages = Dataset(
    ...     name="pages", X=np.eye(4), y=[0, 1, 2, 1], target_names=["course", "staff", "student"],
    ...     links=[(0, 1), (3, 2), (1, 3)], extra={"university": ["cornell", "cornell", "texas", "cornell"]},
    ... )
    >>> pages
    Dataset(pages: 4 rows × 4 features, 3 classes, 3 links)
    >>> cornell = pages.subset(["staff", "course"], university="cornell")
    >>> cornell.y, cornell.target_names
    (array([1, 0, 0]), ('staff', 'course'))
    >>> cornell.links
    array([[0, 1],
           [1, 2]])
    """

    name: str
    X: Any = None
    text: Any = None
    y: Any
    target_names: Any
    ids: Any = None
    links: Any = None
    feature_names: Any = None
    images: Any = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    feature_extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.X is None) == (self.text is None):
            raise ValueError(f"{self.name}: a data set has either X or text; give exactly one of them")
        y = _integers(self.y, f"{self.name}: y")
        if y.ndim != 1:
            raise ValueError(f"{self.name}: y must hold one class a row; it has shape {y.shape}")
        converted = {
            "y": y,
            "target_names": tuple(map(str, self.target_names)),
            "X": None if self.X is None else self._table(),
            "text": None if self.text is None else list(self.text),
            "ids": None if self.ids is None else np.atleast_1d(np.asarray(self.ids, dtype=str)),
            "links": None if self.links is None else _integers(self.links, f"{self.name}: links").reshape(-1, 2),
            "feature_names": None if self.feature_names is None else tuple(map(str, self.feature_names)),
            "images": None if self.images is None else tuple(map(int, self.images)),
            "extra": {key: np.atleast_1d(value) for key, value in self.extra.items()},
            "feature_extra": {key: np.atleast_1d(value) for key, value in self.feature_extra.items()},
        }
        for name, value in converted.items():
            object.__setattr__(self, name, value)
        self._check_lengths()
        self._check_range("y", self.y, -1, self.n_classes - 1, f"−1 or a position in the {self.n_classes} target_names")
        if self.links is not None:
            self._check_range("links", self.links, 0, len(self) - 1, f"rows 0 to {len(self) - 1}")
        if self.images is not None and np.prod(self.images) != self.n_features:
            raise ValueError(f"{self.name}: images of {self.images} do not have {self.n_features} pixels")

    def _table(self) -> Any:
        X = np.asarray(self.X)
        if X.ndim != 2 or X.dtype.kind not in "fiub":
            raise ValueError(f"{self.name}: X must be a table of numbers; it has shape {X.shape}, dtype {X.dtype}")
        return X if X.dtype.kind == "f" else X.astype(np.float64)  # sums of small integers would overflow

    def _check_lengths(self) -> None:
        of_rows = {"X": self.X, "text": self.text, "ids": self.ids}
        of_rows |= {f"extra[{key!r}]": value for key, value in self.extra.items()}
        of_columns = {"feature_names": self.feature_names}
        of_columns |= {f"feature_extra[{key!r}]": value for key, value in self.feature_extra.items()}
        for values, wanted in ((of_rows, len(self.y)), (of_columns, self.n_features)):
            for what, value in values.items():
                if value is not None and len(value) != wanted:
                    raise ValueError(f"{self.name}: {what} must have {wanted} entries; it has {len(value)}")

    def _check_range(self, what: str, values: IntArray, lowest: int, highest: int, meaning: str) -> None:
        if values.size and not (values.min() >= lowest and values.max() <= highest):
            raise ValueError(
                f"{self.name}: {what} must be {meaning}; the values run from {values.min()} to {values.max()}"
            )

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        table = f"{pluralize(len(self), 'row')} × {pluralize(self.n_features, 'feature')}"
        classes = f"{self.n_classes} class{'' if self.n_classes == 1 else 'es'}"
        parts = [pluralize(len(self), "text") if self.X is None else table, classes]
        if self.links is not None:
            parts.append(pluralize(len(self.links), "link"))
        return f"Dataset({self.name}: {', '.join(parts)})"

    @property
    def n_features(self) -> int:
        """How many columns; 0 for raw text."""
        return 0 if self.X is None else self.X.shape[1]

    @property
    def n_classes(self) -> int:
        """How many classes have a name."""
        return len(self.target_names)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows each class has."""
        sizes = np.bincount(self.y[self.y >= 0], minlength=self.n_classes)
        return dict(zip(self.target_names, sizes.tolist(), strict=True))

    def rows(self, indices: Any) -> Dataset:
        """Select rows; links between the selected rows are kept.

        Names and codes of classes are unchanged, even if a class has no rows left.

        Parameters
        ----------
        indices : sequence of int, or (n,) bool array
            Row numbers in the order wanted, or a mask.

        Returns
        -------
        Dataset
        """
        chosen = self._row_numbers(indices)

        def taken(array: Any) -> Any:
            return None if array is None else array[chosen]

        links = self.links
        if links is not None:
            place = np.full(len(self), -1)
            place[chosen] = np.arange(len(chosen))
            links = place[links]
            links = links[(links >= 0).all(axis=1)]
        return replace(
            self,
            X=taken(self.X),
            text=None if self.text is None else [self.text[row] for row in chosen],
            y=taken(self.y),
            ids=taken(self.ids),
            links=links,
            extra={key: value[chosen] for key, value in self.extra.items()},
        )

    def subset(self, classes: str | Sequence[str] | None = None, **extra: Any) -> Dataset:
        """Select the rows of some classes, or with some values of ``extra``.

        Parameters
        ----------
        classes : str, sequence of str or None
            Names of classes. Rows keep their order, and are coded in the order of these names. None selects all
            classes, with unchanged codes.
        **extra : value or sequence of values
            For a key of ``extra``, the values to keep: ``subset(university="cornell")``.

        Returns
        -------
        Dataset
        """
        kept = np.ones(len(self), dtype=bool)
        for key, wanted in extra.items():
            values = self._of_rows(key)
            wanted = np.atleast_1d(wanted)
            self._check_known(wanted.tolist(), np.unique(values).tolist(), f"rows whose {key} is")
            kept &= np.isin(values, wanted)
        if classes is None:
            return self.rows(kept)
        names = (classes,) if isinstance(classes, str) else tuple(classes)
        self._check_known(names, self.target_names, "class")
        if len(set(names)) < len(names):
            raise ValueError(f"{self.name}: a class is asked for twice in {names}; name each once")
        code = np.full(self.n_classes + 1, -1)  # the last is for −1
        code[[self.target_names.index(name) for name in names]] = np.arange(len(names))
        y = code[self.y]
        return replace(self, y=y, target_names=names).rows(kept & (y >= 0))

    def labeled_by(self, key: str) -> Dataset:
        """Use a key of ``extra`` as the class of the rows.

        Images of faces are labeled by pose; ``labeled_by("eyes")`` labels them by who wears sunglasses.

        Parameters
        ----------
        key : str

        Returns
        -------
        Dataset
        """
        names, y = np.unique(self._of_rows(key), return_inverse=True)
        return replace(self, y=y, target_names=names)

    def _row_numbers(self, indices: Any) -> IntArray:
        indices = np.asarray(indices)
        if indices.dtype == bool:
            if indices.shape != (len(self),):
                raise ValueError(
                    f"{self.name}: a mask of rows must have shape ({len(self)},); this one has {indices.shape}"
                )
            return np.flatnonzero(indices)
        rows = _integers(indices, f"{self.name}: row numbers")
        if rows.ndim != 1 or (rows.size and not (rows.min() >= 0 and rows.max() < len(self))):
            raise ValueError(f"{self.name}: rows must be a list of numbers from 0 to {len(self) - 1}; got {indices!r}")
        numbers, times = np.unique(rows, return_counts=True)
        if times.size and times.max() > 1:
            raise ValueError(f"{self.name}: row {numbers[times.argmax()]} is asked for twice; name each row once")
        return rows

    def _of_rows(self, key: str) -> Any:
        self._check_known([key], tuple(self.extra), "extra")
        values = self.extra[key]
        if values.ndim != 1:
            raise ValueError(f"{self.name}: extra[{key!r}] has shape {values.shape}, not one value a row to choose by")
        return values

    def _check_known(self, wanted: Sequence[Any], known: Sequence[Any], what: str) -> None:
        for value in wanted:
            if value not in known:
                close = get_close_matches(str(value), list(map(str, known)), n=10, cutoff=0.4) or list(known)[:10]
                raise ValueError(f"{self.name} has no {what} {value!r}; it has {', '.join(map(str, close)) or 'none'}")


def _integers(values: Any, what: str) -> IntArray:
    values = np.asarray(values)
    if values.size and values.dtype.kind not in "iu":
        raise ValueError(f"{what} must be integers; dtype is {values.dtype}")
    return values.astype(np.int64)
