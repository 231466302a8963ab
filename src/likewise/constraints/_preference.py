"""Preferences: one clustering of the rows is better than another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import BoolArray, IntArray, relabel
from .._parameters import described
from ._format import pluralize
from ._validate import as_list, checked_weight, chosen_rows, encode_labels, read_only

if TYPE_CHECKING:
    from ._constraints import Constraints


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Preference:
    """The clustering `better` is better than `worse`, although neither needs to be correct.

    Preferences are immutable, and validated by the constructor. Combine them with :class:`Constraints` by ``|``.

    Parameters
    ----------
    better, worse : (n_samples,) labels
        Numbers or strings; None, NaN, blank text or −1 for rows that were not shown. A row must be labeled in both to
        count as shown.
    weight : float, default=1
        Positive and finite.

    Attributes
    ----------
    better, worse : (n_samples,) integers
        Clusters numbered by first appearance, −1 for rows that were not shown.
    weight : float

    See Also
    --------
    Comparisons : Two rows are more similar than two others.

    Examples
    --------
    >>> from likewise.constraints import Preference
    >>> preference = Preference(["a", "a", "b", None], ["a", "b", "b", "b"])
    >>> preference
    Preference(3 of 4 rows shown: 2 clusters rather than 2)
    >>> preference.margin([0, 0, 0, 0])
    0.0
    """

    better: IntArray
    worse: IntArray
    weight: float

    def __init__(self, better: Any, worse: Any, weight: float = 1.0) -> None:
        codes = [_checked_labels(labels, name) for labels, name in ((better, "better"), (worse, "worse"))]
        if len(codes[0]) != len(codes[1]):
            raise ValueError(
                f"better has {len(codes[0]):,} rows, worse has {len(codes[1]):,}. Both must label the same rows."
            )
        shown = (codes[0] >= 0) & (codes[1] >= 0)
        if not shown.any():
            raise ValueError("no row has a cluster in both better and worse. Label the same rows in both.")
        codes = [relabel(np.where(shown, each, -1)) for each in codes]
        if np.array_equal(codes[0], codes[1]):
            raise ValueError(
                "better and worse are the same clustering of the rows that are labeled in both, up to the names of "
                "clusters. Remove this preference."
            )
        setattr_ = object.__setattr__  # since the dataclass is frozen
        setattr_(self, "better", read_only(codes[0]))
        setattr_(self, "worse", read_only(codes[1]))
        setattr_(self, "weight", checked_weight(weight, "weight"))

    @classmethod
    def from_split(cls, shown: Any, rows: Any, weight: float = 1.0) -> Preference:
        """Prefer splitting some rows from their clusters over the clustering that was shown.

        Parameters
        ----------
        shown : (n_samples,) labels
            The clustering that was shown, −1 for rows that were not shown.
        rows : row numbers, or a boolean mask
            In each cluster, these rows become a new cluster.
        weight : float, default=1

        Returns
        -------
        Preference

        Examples
        --------
        >>> Preference.from_split([0, 0, 0, 1], rows=[2]).better.tolist()
        [0, 0, 1, 2]
        """
        codes = _checked_labels(shown, "shown")
        leaving = np.zeros(len(codes), dtype=np.bool_)
        leaving[chosen_rows(rows, len(codes))] = True
        edited = np.where(codes < 0, -1, 2 * codes + leaving)
        if np.array_equal(relabel(edited), codes):
            raise ValueError(
                "rows are entire clusters or were not shown, so that no cluster is split. Select some, but not all, "
                "rows of a cluster."
            )
        return cls(edited, codes, weight)

    @classmethod
    def from_merge(cls, shown: Any, clusters: Any, weight: float = 1.0) -> Preference:
        """Prefer merging some clusters over the clustering that was shown.

        Parameters
        ----------
        shown : (n_samples,) labels
            The clustering that was shown, −1 for rows that were not shown.
        clusters : sequence of labels
            The labels of two or more clusters in `shown`.
        weight : float, default=1

        Returns
        -------
        Preference

        Examples
        --------
        >>> Preference.from_merge(["a", "b", "b", "c"], ["a", "c"]).better.tolist()
        [0, 1, 1, 0]
        """
        codes, names = encode_labels(shown)
        chosen = as_list(clusters, "clusters", "Write a list of two or more clusters.")
        unknown = [name for name in chosen if name not in names]
        if unknown:
            listed = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
            raise ValueError(f"clusters contains {unknown[0]!r}, but the clusters are {listed}.")
        numbers = sorted({names.index(name) for name in chosen})
        if len(numbers) < 2:
            raise ValueError(f"clusters = {chosen!r}: pass two or more clusters to merge.")
        return cls(np.where(np.isin(codes, numbers), numbers[0], codes), codes, weight)

    @property
    def n_samples(self) -> int:
        """Number of rows, shown or not."""
        return len(self.better)

    def shown(self) -> BoolArray:
        """Mask of the rows that were shown.

        Returns
        -------
        (n,) bools
        """
        return self.better >= 0

    def margin(self, labels: Any) -> float:
        """How much more a clustering agrees with `better` than with `worse`.

        Parameters
        ----------
        labels : (n_samples,) integers
            A clustering of the rows; rows that were not shown are ignored.

        Returns
        -------
        float
            Of the pairs that are in the same cluster in exactly one of the two, the share on which `labels` agrees with
            `better`, minus the share on which it agrees with `worse`: 1 for `better` itself, −1 for `worse`.

        Examples
        --------
        >>> preference = Preference([0, 0, 1, 1], [0, 1, 1, 0])
        >>> preference.margin([5, 5, 7, 7]), preference.margin([0, 1, 2, 3])
        (1.0, 0.0)
        """
        rows = self.shown()
        better, worse = self.better[rows], self.worse[rows]
        given = np.unique(np.asarray(labels)[rows], return_inverse=True)[1].ravel()
        in_better, in_worse = pairs_together(better), pairs_together(worse)
        in_both = pairs_together(better, worse)
        # ordered pairs that are together only in better, or only in worse
        only_better, only_worse = in_better - in_both, in_worse - in_both
        # labels agree with better on pairs that are together in labels and only in better, or only in worse and not in
        # labels (pairs that are together in all three are counted in both terms, and cancel)
        agreements = pairs_together(better, given) + only_worse - pairs_together(worse, given)
        return 2 * agreements / (only_better + only_worse) - 1

    def restrict(self, rows: Any) -> Preference | None:
        """Select rows, in the given order.

        Parameters
        ----------
        rows : row numbers without duplicates, or a boolean mask

        Returns
        -------
        Preference, or None if the two clusterings do not differ on these rows
        """
        return self._with_codes(*(codes[chosen_rows(rows, self.n_samples)] for codes in (self.better, self.worse)))

    def without(self, rows: BoolArray) -> Preference | None:
        """The preference as if some rows had not been shown.

        Parameters
        ----------
        rows : (n,) bools

        Returns
        -------
        Preference, or None if the two clusterings do not differ on the remaining rows
        """
        return self._with_codes(*(np.where(rows, -1, codes) for codes in (self.better, self.worse)))

    def _with_codes(self, better: IntArray, worse: IntArray) -> Preference | None:
        better, worse = relabel(better), relabel(worse)
        return None if np.array_equal(better, worse) else Preference(better, worse, self.weight)

    def __or__(self, other: Any) -> Constraints:
        from ._constraints import Constraints

        joined: Constraints = Constraints(self.n_samples, preferences=[self]) | other
        return joined

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Preference):
            return NotImplemented
        return self.weight == other.weight and self._same(other)

    def _same(self, other: Preference) -> bool:
        return np.array_equal(self.better, other.better) and np.array_equal(self.worse, other.worse)

    def __reduce__(self) -> tuple[type[Preference], tuple[Any, ...]]:
        # copies use the constructor, since copied numpy arrays are writable
        return Preference, (np.array(self.better), np.array(self.worse), self.weight)

    def __repr__(self) -> str:
        better, worse = (int(codes.max()) + 1 for codes in (self.better, self.worse))
        shown = f"{int(self.shown().sum()):,} of {pluralize(self.n_samples, 'row')} shown"
        weight = "" if self.weight == 1 else f", weight {self.weight:g}"
        return f"Preference({shown}: {pluralize(better, 'cluster')} rather than {worse:,}{weight})"


def distinct_preferences(preferences: Iterable[Preference], n_samples: int) -> tuple[Preference, ...]:
    """Check preferences; of those that differ only in weight, keep the one with the largest weight."""
    if isinstance(preferences, Preference):
        raise TypeError("preferences must be several Preference objects. Write preferences=[preference].")
    kept: dict[tuple[bytes, bytes], Preference] = {}
    for number, preference in enumerate(preferences):
        if not isinstance(preference, Preference):
            raise TypeError(
                f"preferences[{number}] is a {type(preference).__name__}. Write Preference(better, worse), two "
                "labelings of the rows."
            )
        if preference.n_samples != n_samples:
            raise ValueError(
                f"preferences[{number}] is for {preference.n_samples} rows, the constraints for {n_samples}. "
                "Build both for the same data."
            )
        key = preference.better.tobytes(), preference.worse.tobytes()
        if key not in kept or preference.weight > kept[key].weight:
            kept[key] = preference
    return tuple(kept.values())


def _checked_labels(labels: Any, name: str) -> IntArray:
    """The cluster of each row, numbered by first appearance, −1 if the row was not shown."""
    try:
        shape = np.shape(labels)
    except ValueError:  # nested lists of different lengths
        raise ValueError(f"{name} must be one label for each row, got {described(labels)}.") from None
    if len(shape) != 1:
        raise ValueError(f"{name} must be one label for each row, got shape {shape}.")
    return encode_labels(labels)[0]


def pairs_together(*codes: IntArray) -> int:
    """The number of ordered pairs of rows in the same cluster of all given clusterings, including pairs (i, i).

    It is the sum of squares of the contingency table.

    >>> pairs_together(np.array([0, 0, 1])), pairs_together(np.array([0, 0, 1]), np.array([0, 1, 1]))
    (5, 3)
    """
    key = np.zeros(len(codes[0]), dtype=np.int64)
    for each in codes:
        low, high = int(each.min(initial=0)), int(each.max(initial=0))
        key = np.unique(key * (high - low + 1) + each - low, return_inverse=True)[1].ravel()
    counts = np.bincount(key)
    return int(np.dot(counts, counts))
