"""Must-links, cannot-links and partitions of the rows of a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from os import PathLike
from typing import Any, Literal

import numpy as np

from .._arrays import BoolArray, FloatArray, IntArray
from .._frames import make_frame
from .._parameters import described, suggests_parameters
from . import _io, _sample
from ._closure import Closure, between_groups, closed_groups, entailed_pairs, expanded_pairs
from ._comparisons import Comparisons
from ._conflicts import Conflict, find_clique, find_conflicts, raise_clique, raise_conflicts
from ._format import html_table, pluralize, summarize
from ._orders import ComparisonConflict, PairOrder, raise_cycles
from ._overlap import n_distinct
from ._partition import Partition, distinct_partitions, join_labels
from ._piles import parts_of_piles, parts_of_ratings
from ._preference import Preference, distinct_preferences
from ._repair import split_conflicts
from ._validate import (
    canonical_pairs,
    checked_pairs,
    chosen_rows,
    encode_labels,
    label_names,
    number_of_rows,
    read_only,
    renumbered_pairs,
)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Constraints:
    """Must-links and cannot-links between rows, with weights, and other information about which rows belong together.

    Constraints are immutable, and validated by the constructor. When the data are split, select the same rows with
    `restrict`. A pair that is given more than once, as a pair or by partitions, counts once with its largest weight, in
    every method.

    Parameters
    ----------
    n_samples : int
        Number of rows of the data.
    must_link, cannot_link : (m, 2) integers
        Pairs of row numbers, counted from 0. They are stored sorted, without duplicates, and with i < j; for
        duplicates the largest weight is used. A pair may be in both lists: `conflicts` reports it.
    must_weight, cannot_weight : (m,) floats or one float, default=1
        Positive, finite weights.
    partitions : iterable of Partition
        Constraints between all rows of groups, stored without expanding them to pairs. A partition without known rows
        is ignored; of partitions that differ only in weight, the one with the largest weight is used.
    comparisons : Comparisons, optional
        Pairs of rows that are more similar than other pairs.
    preferences : iterable of Preference
        Clusterings that are better than other clusterings.

    See Also
    --------
    Comparisons, Preference, Partition : Combined with constraints by ``|``.

    Examples
    --------
    >>> from likewise.constraints import Constraints
    >>> constraints = Constraints(6, must_link=[(0, 1), (4, 1)], cannot_link=[(0, 5)])
    >>> constraints
    Constraints(6 rows: 2 must-links, 1 cannot-link)
    >>> constraints.groups()
    array([0, 0, 1, 2, 0, 3])
    >>> constraints | Constraints.from_labels([-1, -1, 7, 7, -1, 8])
    Constraints(6 rows: 2 must-links, 1 cannot-link, 3 labels of 2 classes (3 pairs))
    """

    n_samples: int
    must_link: IntArray
    cannot_link: IntArray
    must_weight: FloatArray
    cannot_weight: FloatArray
    partitions: tuple[Partition, ...]
    comparisons: Comparisons
    preferences: tuple[Preference, ...]

    @suggests_parameters
    def __init__(
        self,
        n_samples: int,
        must_link: Any = (),
        cannot_link: Any = (),
        must_weight: Any = None,
        cannot_weight: Any = None,
        partitions: Iterable[Partition] = (),
        comparisons: Comparisons | None = None,
        preferences: Iterable[Preference] = (),
    ) -> None:
        setattr_ = object.__setattr__  # since the dataclass is frozen
        setattr_(self, "n_samples", number_of_rows(n_samples))
        for kind, pairs, weight in (("must", must_link, must_weight), ("cannot", cannot_link, cannot_weight)):
            pairs, weight = canonical_pairs(pairs, weight, self.n_samples, kind)
            setattr_(self, f"{kind}_link", pairs)
            setattr_(self, f"{kind}_weight", weight)
        setattr_(self, "partitions", distinct_partitions(partitions, self.n_samples))
        setattr_(self, "comparisons", _checked_comparisons(comparisons, self.n_samples))
        setattr_(self, "preferences", distinct_preferences(preferences, self.n_samples))

    @classmethod
    def from_labels(cls, y: Any, unknown: Any = -1) -> Constraints:
        """Constraints from partial labels: rows with the same label are must-linked, others cannot-linked.

        Parameters
        ----------
        y : (n_samples,) list, array or Series
            Numbers or strings. A label is unknown if it is None, NaN, NA, blank, or equal to `unknown`.
        unknown : number or str, default=-1
            The value of unknown labels. If None, only missing values are unknown.

        Returns
        -------
        Constraints
            With a single partition, which takes O(n) memory regardless of the number of pairs, and whose blocks are
            named after the labels. Labels joined with ``|`` are the same class if they have the same name.

        Examples
        --------
        >>> labels = Constraints.from_labels(["cat", "dog", None, "cat"])
        >>> labels
        Constraints(4 rows: 3 labels of 2 classes (3 pairs))
        >>> labels.partitions[0].names
        ('cat', 'dog')
        """
        codes, labels = encode_labels(y, unknown)
        return cls(len(codes), partitions=[Partition(codes, different_across=True, names=label_names(labels))])

    @classmethod
    def from_piles(cls, n_samples: int, screens: Iterable[Iterable[Iterable[int]]]) -> Constraints:
        """Constraints from rows that were sorted into piles, a few at a time.

        Rows in the same pile are must-linked, rows in different piles of the same screen are cannot-linked. Rows of
        different screens are related only through rows that both screens contain.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.
        screens : sequence of screens
            A screen is a sequence of piles, and a pile is a sequence of one or more row numbers. Leave out rows that
            could not be assigned to a pile.

        Returns
        -------
        Constraints
            Screens of more than 50 rows are stored as partitions, others as pairs.

        Examples
        --------
        >>> Constraints.from_piles(9, [[(0, 4), (7,)], [(1, 2, 3)]])
        Constraints(9 rows: 4 must-links, 2 cannot-links)
        """
        return cls(*parts_of_piles(n_samples, screens))

    @classmethod
    def from_ratings(
        cls, n_samples: int, pairs: Any, ratings: Any, *, scale: tuple[float, float] = (1, 5)
    ) -> Constraints:
        """Constraints from ratings of the similarity of pairs of rows.

        A rating above the midpoint of the scale is a must-link, one below it a cannot-link. The weight is the distance
        from the midpoint, relative to that of the ends of the scale. Ratings at the midpoint are ignored.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.
        pairs : (m, 2) integers
            The pairs of rows that were rated.
        ratings : (m,) numbers
            A larger rating means more similar.
        scale : (lowest, highest), default=(1, 5)
            The range of the ratings.

        Returns
        -------
        Constraints

        Examples
        --------
        >>> rated = Constraints.from_ratings(9, [(0, 1), (0, 2), (3, 4)], [5, 2, 3])
        >>> rated.must_weight.tolist(), rated.cannot_weight.tolist()
        ([1.0], [0.5])
        """
        return cls(*parts_of_ratings(n_samples, pairs, ratings, scale))

    @classmethod
    @suggests_parameters
    def sample(
        cls,
        y: Any,
        how: str,
        amount: int,
        *,
        size: int | None = None,
        ties: str | Callable[[IntArray, IntArray], Any] | None = None,
        error_rate: float = 0.0,
        random_state: Any = None,
    ) -> Constraints:
        """Sample constraints from known labels, for experiments. Rows without a label are never sampled.

        Parameters
        ----------
        y : labels, as for `from_labels`
        how : str
            - "random_pairs": `amount` distinct pairs, uniformly from all pairs; the labels determine their kind.
            - "per_class": for each class, `amount` must-links within it and `amount` cannot-links to other classes, all
              distinct.
            - "labeled_items": all pairs of `amount` rows (as a partition if there are no errors).
            - "disjoint_items": `amount` rows, grouped into disjoint pairs.
            - "equal": `amount` must-links and `amount` cannot-links.
            - "links": `amount` must-links.
            - "piles": all pairs of `amount` screens of `size` rows each, sorted into piles by class.
            - "odd": `amount` screens of three rows: which one is the odd one out?
            - "triplets": `amount` questions: is a more similar to b or to c?
            - "quadruples": `amount` questions: are a and b more similar, or c and d?
        amount : int
            Questions are distinct; those that remain unanswered are included in the amount.
        size : int, default=3
            Number of rows of a screen, for "piles".
        ties : {"unsure", "coin"} or callable, default="unsure"
            How to answer "odd", "triplets" and "quadruples" if the classes do not determine the answer. With "unsure"
            the question remains unanswered, with "coin" the answer is random. A function ``ties(left, right)`` of two
            arrays of rows returns distances; the pair with the smaller distance is then the more similar one.
        error_rate : float, default=0
            Fraction of errors. Of m sampled pairs, ⌈m · error_rate⌉ have the wrong kind; for "links" these are
            must-links between two classes. For "piles" it is the fraction of screens with one row in the wrong pile,
            for comparisons the fraction of wrong answers among those that the classes determine.
        random_state : int, Generator, RandomState or None
            Controls the sampling.

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints.sample([0, 0, 0, 1, 1, 1], "equal", 2, random_state=0)
        Constraints(6 rows: 2 must-links, 2 cannot-links)
        >>> Constraints.sample([0, 0, 0, 1, 1, 1], "triplets", 20, random_state=0)
        Constraints(6 rows: 13 comparisons, 7 unanswered)
        """
        return cls(*_sample.sample(y, how, amount, error_rate, random_state, size, ties))

    @classmethod
    def sample_preferences(
        cls,
        pool: Sequence[Any],
        y: Any,
        amount: int,
        *,
        shown: int | None = 20,
        error_rate: float = 0.0,
        random_state: Any = None,
    ) -> Constraints:
        """Sample preferences between clusterings from known labels, for experiments.

        Each preference compares two clusterings on a few rows; the one that agrees with the labels on more pairs is
        preferred. Ties are skipped.

        Parameters
        ----------
        pool : sequence of (n_samples,) labels
            The clusterings.
        y : labels, as for `from_labels`
            Rows without a label are never shown.
        amount : int
            Number of preferences.
        shown : int, default=20
            Number of rows in each comparison. If None, all labeled rows.
        error_rate : float, default=0
            Fraction of errors: ⌈amount · error_rate⌉ preferences are for the worse clustering.
        random_state : int, Generator, RandomState or None
            Controls the sampling.

        Returns
        -------
        Constraints

        Examples
        --------
        >>> pool = [[0, 0, 1, 1], [0, 1, 1, 1], [0, 0, 0, 0]]
        >>> Constraints.sample_preferences(pool, [0, 0, 1, 1], 2, random_state=0)
        Constraints(4 rows: 2 preferences)
        """
        return cls(*_sample.sample_preferences(pool, y, amount, shown, error_rate, random_state))

    @classmethod
    def read(cls, path: str | PathLike[str], *, n_samples: int | None = None, ids: Any = None) -> Constraints:
        """Read constraints from a .csv, .tsv, .txt, .xlsx, .jsonl, .parquet or .json file.

        Parameters
        ----------
        path : path
        n_samples : int, default: the largest row number in the file + 1
            Number of rows of the data. It is stored in .json files.
        ids : list-like, optional
            Ids of the rows in order; `left` and `right` are then ids instead of row numbers.

        Returns
        -------
        Constraints

        Raises
        ------
        UnknownIdError
            If the file contains an id that is not in `ids`.
        ValueError
            If a line is invalid; the message contains its number.

        See Also
        --------
        write

        Notes
        -----
        A table has one line for each pair, and one line for each row of a partition::

            left,right,kind,weight
            0,17,must-link,1.0
            3,8,cannot-link,0.5
            4,p0:CLL,"partition:same,across",1.0

        ``kind`` is "must-link", "same", "must", "ML", "yes", "true" or 1, or "cannot-link", "different", "cannot",
        "CL", "no", "false" or 0; lines where it is empty or "can't say" are skipped. The last line assigns row 4 to the
        block CLL of partition p0; its kind lists what the partition implies: "same" (within blocks), "across"
        (different across blocks) or "within" (different within blocks). A missing ``weight`` is 1.0. Columns may be in
        any order, additional columns are ignored, and lines at the top that begin with # are comments. Columns with
        other names are identified by their order, as in ``a,b,label`` or ``source,target,same``, and the header may be
        missing. The delimiter is a comma, semicolon, tab, vertical bar or space. Ids that are file names also match
        without folder and extension.

        Comparisons have a third and optionally a fourth row, in columns of these names::

            left,right,kind,third,fourth,weight
            ann,bob,nearer,cy,,1.0       ann is more similar to bob than to cy
            ann,bob,nearer,cy,dan,0.5    ann and bob are more similar than cy and dan
            ann,bob,unsure,cy,,          the same question, without an answer
            ann,bob,odd,cy,,             of the three, cy is the odd one out
            ann,bob,rating:4,,,          from 1 (not similar) to 5; see `from_ratings`
            ann,x0:2,clustering,,,       ann is in cluster 2 of the clustering x0
            x0,x1,better,,,1.0           the clustering x0 is better than x1

        A JSON file has the same content as lists; ``pairs`` includes the lines of comparisons and clusterings::

            {"n_samples": 150,
             "pairs": [{"left": 0, "right": 17, "kind": "must-link", "weight": 1.0}, ...],
             "partitions": [{"kind": "partition:same,across", "weight": 1.0, "blocks": [[4, 9], [5]],
                             "names": ["CLL", "FL"]}]}
        """
        return cls(*_io.read(path, n_samples, ids))

    def write(self, path: str | PathLike[str], *, ids: Any = None) -> None:
        """Write constraints to a file. `read` restores them exactly, given the same number of rows.

        Parameters
        ----------
        path : path
            With the extension .csv, .tsv, .jsonl, .parquet or .json.
        ids : list-like, optional
            Ids of the rows in order, written instead of row numbers.

        See Also
        --------
        read

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> constraints = Constraints(3, must_link=[(0, 2)], must_weight=[0.5])
        >>> with TemporaryDirectory() as folder:
        ...     constraints.write(f"{folder}/hints.csv", ids=["ann", "bob", "cy"])
        ...     print(Path(folder, "hints.csv").read_text(), end="")
        ...     Constraints.read(f"{folder}/hints.csv", ids=["ann", "bob", "cy"]) == constraints
        left,right,kind,weight
        ann,cy,must-link,0.5
        True
        """
        _io.write(self, path, ids)

    @classmethod
    def from_frame(cls, frame: Any, *, n_samples: int | None = None, ids: Any = None) -> Constraints:
        """Constraints from a data frame or dict of columns, with one line for each pair.

        Parameters
        ----------
        frame : data frame of pandas, polars or Arrow, or dict of columns
            With the columns left, right, kind and optionally weight, as in a file; see `read`.
        n_samples : int, default: the largest row number in the frame + 1
            Number of rows of the data.
        ids : list-like, optional
            Ids of the rows in order, such as the index of the data; `left` and `right` are then ids instead of row
            numbers.

        Returns
        -------
        Constraints

        See Also
        --------
        to_frame

        Examples
        --------
        >>> import pandas as pd
        >>> pairs = pd.DataFrame({"left": ["ann", "ann"], "right": ["cy", "bob"], "kind": ["same", "different"]})
        >>> Constraints.from_frame(pairs, ids=["ann", "bob", "cy"])
        Constraints(3 rows: 1 must-link, 1 cannot-link)
        """
        return cls(*_io.read_frame(frame, n_samples, ids))

    def to_frame(self, *, ids: Any = None, backend: str | None = None) -> Any:
        """The constraints as a data frame. `from_frame` restores them exactly, given the same number of rows.

        Parameters
        ----------
        ids : list-like, optional
            Ids of the rows in order, used instead of row numbers.
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
            With the columns left, right and kind, and weight if any weight is not 1. A partition or clustering has
            one line for each row. With comparisons there are also the columns third and fourth.

        See Also
        --------
        from_frame

        Examples
        --------
        >>> Constraints(3, [(0, 2)], [(0, 1)]).to_frame(ids=["ann", "bob", "cy"], backend="pandas")
          left right         kind
        0  ann    cy    must-link
        1  ann   bob  cannot-link
        """
        return make_frame(_io.columns(self, ids), backend)

    @cached_property
    def n_must_link(self) -> int:
        """Number of must-linked pairs, stated or implied by a partition; each counts once."""
        return n_distinct(self, "must")

    @cached_property
    def n_cannot_link(self) -> int:
        """Number of cannot-linked pairs, stated or implied by a partition; each counts once."""
        return n_distinct(self, "cannot")

    @property
    def is_empty(self) -> bool:
        """Whether there are no pairs, stated or implied, no comparisons and no preferences."""
        return not (self.has_pairs or len(self.comparisons) or self.preferences)

    @property
    def has_pairs(self) -> bool:
        """Whether a must-link or cannot-link is stated or implied."""
        implied = any(partition.n_must_link or partition.n_cannot_link for partition in self.partitions)
        return bool(len(self.must_link) or len(self.cannot_link) or implied)

    def summary(self) -> str:
        """The number of constraints of each kind, as text.

        Returns
        -------
        str
            "no hints" if there are none.

        Examples
        --------
        >>> Constraints(6, must_link=[(0, 1), (4, 1)], cannot_link=[(0, 5)]).summary()
        '2 must-links, 1 cannot-link'
        """
        return summarize(self) or "no hints"

    def constrained_rows(self) -> BoolArray:
        """Mask of the rows in at least one pair, stated or implied.

        Returns
        -------
        (n,) bools
        """
        mask = np.zeros(self.n_samples, dtype=np.bool_)
        mask[self.must_link] = mask[self.cannot_link] = True
        for partition in self.partitions:
            mask |= partition.constrained_rows()
        return mask

    def groups(self) -> IntArray:
        """Group of each row in the transitive closure of the must-links, numbered by first appearance.

        Cannot-links are ignored, so that conflicting constraints have groups as well. The result is cached.

        Returns
        -------
        (n_samples,) integers

        Examples
        --------
        >>> Constraints(4, must_link=[(1, 3)]).groups()
        array([0, 1, 2, 1])
        """
        return self._groups

    def closure(self) -> Closure:
        """Closure under transitivity and entailment. The result is cached.

        Returns
        -------
        Closure

        Raises
        ------
        ConstraintConflictError
            If there are conflicts.
        """
        return self._closure

    @cached_property
    def _groups(self) -> IntArray:
        return read_only(closed_groups(self.n_samples, self.must_link, self.partitions))

    @cached_property
    def _closure(self) -> Closure:
        groups = self.groups()
        raise_conflicts(self, groups)
        return Closure(groups, Constraints(*between_groups(self, groups)))

    @cached_property
    def _order(self) -> PairOrder:
        """The order that comparisons define on pairs of rows, given the links that `drop_conflicts` keeps."""
        parts = split_conflicts(self)
        return PairOrder(self if parts is None else Constraints(*parts[0]))

    def conflicts(self, limit: int | None = None) -> list[Conflict | ComparisonConflict]:
        """List the conflicts, each with a proof: a shortest chain of must-links, or a shortest cycle of comparisons.

        Parameters
        ----------
        limit : int, optional
            The maximum number of conflicts. By default all.

        Returns
        -------
        list of Conflict or ComparisonConflict
            Conflicts of must-links and cannot-links come first.

        Examples
        --------
        >>> Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)]).conflicts()
        [Conflict(cannot_link=(0, 2), chain=(0, 1, 2), source='cannot_link[0]')]
        """
        compared = self._order.cycles() if len(self.comparisons) else ()
        return list(islice(chain(find_conflicts(self), compared), limit))

    def implied(self, near: tuple[int, int], far: tuple[int, int]) -> bool:
        """Whether the constraints imply that one pair of rows is more similar than another.

        Comparisons are transitive and must-linked rows are interchangeable; must-linked rows are more similar than
        cannot-linked rows.

        Parameters
        ----------
        near, far : (int, int)
            The two pairs of rows.

        Returns
        -------
        bool
            False does not mean that the opposite is implied.

        Examples
        --------
        >>> from likewise import Comparisons
        >>> hints = Constraints(6, [(3, 5)]) | Comparisons(6, nearer=[(0, 1, 2), (0, 2, 3)])
        >>> hints.implied((0, 1), (0, 5)), hints.implied((0, 5), (0, 1))
        (True, False)
        """
        asked = checked_pairs([near, far], self.n_samples, "[near, far]")
        start, stop = self._order.nodes(asked).tolist()
        return start != stop and min(start, stop) >= 0 and self._order.reaches(start, stop)

    def clique(self, n_clusters: int) -> tuple[int, ...] | None:
        """Find more than `n_clusters` rows that are pairwise cannot-linked.

        A clique that a single partition implies is always found. Otherwise the search is greedy, since finding the
        largest clique is NP-hard, so that None does not prove that `n_clusters` clusters are enough.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        tuple of int, or None if no such rows are found

        Examples
        --------
        >>> Constraints(4, cannot_link=[(0, 1), (0, 3), (1, 3)]).clique(2)
        (0, 1, 3)
        """
        return find_clique(self, n_clusters)

    def check(self, n_clusters: int | None = None) -> Constraints:
        """Return these constraints if they are consistent.

        Parameters
        ----------
        n_clusters : int, optional
            Also check for pairwise cannot-linked rows that need more clusters; see `clique`.

        Returns
        -------
        Constraints
            The object itself.

        Raises
        ------
        ConstraintConflictError
            If there are conflicts, or such rows are found.

        Examples
        --------
        >>> Constraints(4, cannot_link=[(0, 1), (0, 3), (1, 3)]).check(n_clusters=2)
        Traceback (most recent call last):
        likewise.constraints._conflicts.ConstraintConflictError: rows 0, 1, 3 are all different ...
        """
        raise_conflicts(self, self.groups())
        raise_cycles(self)
        if n_clusters is not None:
            raise_clique(self, n_clusters)
        return self

    def drop_conflicts(self) -> tuple[Constraints, Constraints]:
        """Resolve conflicts by dropping constraints of small weight.

        Constraints are added in order of decreasing weight; one that conflicts with those added before is dropped.
        Among equal weights either must-links or cannot-links are added first, whichever drops less weight in the group
        of must-linked rows. The membership of a row in a block of a partition counts as one constraint: if it is
        dropped, the block of the row becomes unknown, and `dropped` contains one of the pairs that it implied. Groups
        without a conflict do not change. Comparisons are added last; one that closes a cycle is dropped.

        Returns
        -------
        kept, dropped : Constraints

        Examples
        --------
        >>> constraints = Constraints(3, [(0, 1), (1, 2)], [(0, 2)], must_weight=[1, 0.4])
        >>> kept, dropped = constraints.drop_conflicts()
        >>> dropped.must_link.tolist(), kept.conflicts()
        ([[1, 2]], [])
        """
        parts = split_conflicts(self)
        kept, dropped = self, Constraints(self.n_samples)
        if parts is not None:
            kept, dropped = Constraints(*parts[0]), Constraints(*parts[1])
        refused = self._order.refused() if len(self.comparisons) else np.zeros(0, dtype=np.bool_)
        if refused.any():
            kept = replace(kept, comparisons=self.comparisons.take(~refused))
            dropped = dropped | self.comparisons.take(refused, unsure=[])
        return kept, dropped

    def expand(self, limit: int = 1_000_000, *, closed: bool = False) -> Constraints:
        """Replace partitions by the pairs they imply. Comparisons and preferences do not change.

        Parameters
        ----------
        limit : int, default=1_000_000
            Raise ValueError if there are more pairs than this.
        closed : bool, default=False
            Also include the pairs of the closure: all pairs within a group, with the smallest weight of the must-links
            that join it, and all pairs between cannot-linked groups, with the largest weight of the cannot-links
            between them. Stated pairs keep their weights if these are larger.

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints(4, [(0, 1)], [(1, 2)]).expand(closed=True).cannot_link.tolist()
        [[0, 2], [1, 2]]
        """
        written = expanded_pairs(self, limit)
        stated = Constraints(*written) if self.partitions else self
        return Constraints(*entailed_pairs(self, stated, limit)) if closed and stated.has_pairs else stated

    def only(self, kind: Literal["must", "cannot", "pairs"]) -> Constraints:
        """Keep constraints of one kind only, including those that partitions imply.

        Parameters
        ----------
        kind : {"must", "cannot", "pairs"}
            Must-links, cannot-links, or both without comparisons and preferences.

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints.from_labels([0, 0, 1]).only("cannot").expand()
        Constraints(3 rows: 2 cannot-links)
        """
        if kind == "pairs":
            if self.comparisons.is_empty and not self.preferences:
                return self
            pairs = self.must_link, self.cannot_link, self.must_weight, self.cannot_weight
            return Constraints(self.n_samples, *pairs, self.partitions)
        if kind == "must":
            same = [replace(part, different_across=False) for part in self.partitions if part.same_within]
            return Constraints(self.n_samples, self.must_link, must_weight=self.must_weight, partitions=same)
        different = [part for part in self.partitions if part.different_across or part.different_within]
        return Constraints(
            self.n_samples,
            cannot_link=self.cannot_link,
            cannot_weight=self.cannot_weight,
            partitions=[replace(part, same_within=False) for part in different],
        )

    def as_pairs(self) -> Constraints:
        """Convert comparisons to must-links (the near pairs) and cannot-links (the far pairs).

        This is valid if the answers refer to clusters and "can't say" was allowed. Forced answers mostly carry no
        information about clusters.

        Returns
        -------
        Constraints
            Without comparisons.

        Examples
        --------
        >>> from likewise import Comparisons
        >>> (Constraints(4, [(0, 1)]) | Comparisons(4, nearer=[(0, 2, 3)])).as_pairs()
        Constraints(4 rows: 2 must-links, 1 cannot-link)
        """
        return replace(self, comparisons=Comparisons(self.n_samples)) | self.comparisons.as_pairs()

    def restrict(self, rows: Any) -> Constraints:
        """Select the constraints between some rows, renumbered to match ``X[rows]``.

        Parameters
        ----------
        rows : row numbers in the new order, without duplicates, or a boolean mask

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints(5, [(0, 4), (1, 4)]).restrict([4, 2, 0]).must_link.tolist()
        [[0, 2]]
        """
        rows = chosen_rows(rows, self.n_samples)
        must, must_weight = renumbered_pairs(self.must_link, self.must_weight, rows, self.n_samples)
        cannot, cannot_weight = renumbered_pairs(self.cannot_link, self.cannot_weight, rows, self.n_samples)
        partitions = [partition.restrict(rows) for partition in self.partitions]
        preferences = [part for each in self.preferences if (part := each.restrict(rows)) is not None]
        return Constraints(
            len(rows),
            must,
            cannot,
            must_weight,
            cannot_weight,
            partitions,
            self.comparisons.restrict(rows),
            preferences,
        )

    @property
    def shape(self) -> tuple[int]:
        """(n_samples,), so that scikit-learn treats the constraints as having one entry per row."""
        return (self.n_samples,)

    def __getitem__(self, rows: Any) -> Constraints:
        """Same as `restrict`, as scikit-learn needs it for cross-validation."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:  # scikit-learn writes [rows, ...]
            rows = rows[0]
        if isinstance(rows, slice):
            rows = range(*rows.indices(self.n_samples))
        if isinstance(rows, str | tuple) or np.ndim(rows) != 1:
            raise TypeError(
                f"constraints[{rows!r}] does not select rows. Write constraints[rows] with a list of row numbers, a "
                "slice or a mask; pairs are in must_link and cannot_link."
            )
        return self.restrict(rows)

    __iter__ = None  # not iterable: a single row has no constraints

    def __or__(self, other: Constraints | Comparisons | Preference | Partition) -> Constraints:
        if not isinstance(other, Constraints | Comparisons | Preference | Partition):
            return NotImplemented
        if self.n_samples != other.n_samples:
            raise ValueError(
                f"cannot join constraints for {self.n_samples} rows with {_noun(other)} for {other.n_samples}. "
                "Build both for the same data."
            )
        other = as_one(other)
        # If one side has no content, return the other itself, with its cached results.
        if other._has_no_content:
            return self
        if self._has_no_content:
            return other
        return Constraints(
            self.n_samples,
            np.concatenate([self.must_link, other.must_link]),
            np.concatenate([self.cannot_link, other.cannot_link]),
            np.concatenate([self.must_weight, other.must_weight]),
            np.concatenate([self.cannot_weight, other.cannot_weight]),
            join_labels(self.partitions, other.partitions),
            self.comparisons.join(other.comparisons),
            (*self.preferences, *other.preferences),
        )

    @property
    def _has_no_content(self) -> bool:
        """Whether there is nothing at all, not even partitions that imply no pairs or unanswered questions."""
        pairs = len(self.must_link) or len(self.cannot_link) or self.partitions
        return not pairs and self.comparisons.is_empty and not self.preferences

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constraints):
            return NotImplemented
        names = ("n_samples", "must_link", "cannot_link", "must_weight", "cannot_weight")
        return (
            all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
            # without duplicates, this compares them as sets
            and len(self.partitions) == len(other.partitions)
            and all(partition in other.partitions for partition in self.partitions)
            and self.comparisons == other.comparisons
            and len(self.preferences) == len(other.preferences)
            and all(preference in other.preferences for preference in self.preferences)
        )

    def __reduce__(self) -> tuple[type[Constraints], tuple[Any, ...]]:
        # copies use the constructor, since copied numpy arrays are writable
        pairs = self.must_link, self.cannot_link, self.must_weight, self.cannot_weight
        return Constraints, (
            self.n_samples,
            *map(np.array, pairs),
            self.partitions,
            self.comparisons,
            self.preferences,
        )

    def __repr__(self) -> str:
        return f"Constraints({pluralize(self.n_samples, 'row')}: {self.summary()})"

    def _repr_html_(self) -> str:
        return html_table(self)


def as_one(hints: Constraints | Comparisons | Preference | Partition) -> Constraints:
    """Comparisons, a preference or a partition as constraints; constraints are returned as is."""
    if isinstance(hints, Comparisons):
        return Constraints(hints.n_samples, comparisons=hints)
    if isinstance(hints, Preference):
        return Constraints(hints.n_samples, preferences=[hints])
    return Constraints(hints.n_samples, partitions=[hints]) if isinstance(hints, Partition) else hints


def _noun(hints: Any) -> str:
    nouns = {Comparisons: "comparisons", Preference: "a preference", Partition: "a partition"}
    return nouns.get(type(hints), "constraints")


def _checked_comparisons(comparisons: Any, n_samples: int) -> Comparisons:
    if comparisons is None:
        return Comparisons(n_samples)
    if not isinstance(comparisons, Comparisons):
        raise TypeError(f"comparisons is {described(comparisons)}. Write Comparisons(n_samples, nearer=[(0, 3, 5)]).")
    if comparisons.n_samples != n_samples:
        raise ValueError(
            f"comparisons are for {comparisons.n_samples} rows, the constraints for {n_samples}. Build both for the "
            "same data."
        )
    return comparisons
