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
from ._closure import Closure, between_groups, closed_groups, entailed_pairs, written_pairs
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
    moved_pairs,
    number_of_rows,
    read_only,
)


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Constraints:
    """Must-links and cannot-links between rows, with weights, and whatever else is known of which rows belong together.

    Immutable, and checked once when it is made. It has `n_samples` and is not array-like, so that cross-validation
    cannot slice it by mistake; split it with `restrict` when you split the data. A pair that is given several times,
    as pairs or by partitions, counts once with its largest weight, in every method.

    Parameters
    ----------
    n_samples : int
        Number of rows of the data.
    must_link, cannot_link : (m, 2) integers
        Pairs of rows, counted from 0. Kept i < j, unique and sorted; of a pair given twice the larger weight stays. A
        pair may be in both lists: `conflicts` finds it.
    must_weight, cannot_weight : (m,) floats or one float, default=1
        Weights, finite and above 0.
    partitions : iterable of Partition
        Constraints between all rows of groups, never written out as pairs. One without a known row is left out; of
        two that differ in weight only, the larger weight stays.
    comparisons : Comparisons, optional
        Pairs of rows that are more alike than others.
    preferences : iterable of Preference
        Clusterings that are better than others.

    See Also
    --------
    Comparisons, Preference, Partition : ``|`` joins them to constraints

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
        setattr_ = object.__setattr__  # a frozen dataclass is set this way
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
        """Constraints from partial labels: the same label, the same cluster; another label, another cluster.

        Parameters
        ----------
        y : (n_samples,) list, array or Series
            Numbers or strings; None, NaN, NA, blank text and `unknown` where the label is not known.
        unknown : number or str, default=-1
            A value that means that the label is not known. None: there is no such value.

        Returns
        -------
        Constraints
            With one partition, whose size does not grow with the pairs it implies, and whose blocks are called after
            the labels. More labels are added by ``|``: rows with one name are then of one class.

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

        Rows of one pile belong together, rows of two piles of one screen do not. Nothing follows for rows of two
        screens, but by rows that both have.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.
        screens : sequence of screens
            A screen is a sequence of piles, and a pile a sequence of row numbers; one row alone is a pile, too. A row
            of which nobody could say where it belongs is left out.

        Returns
        -------
        Constraints
            Screens of more than fifty rows are partitions, others are pairs.

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
        """Constraints from ratings of how alike two rows are.

        A rating above the middle of the scale is a must-link, one below it a cannot-link, and its weight is how far
        from the middle it is: 1 at the ends of the scale. The middle itself says nothing.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.
        pairs : (m, 2) integers
            The pairs of rows that were rated.
        ratings : (m,) numbers
            Larger is more alike.
        scale : (lowest, highest), default=(1, 5)

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
        """Draw constraints from known labels, as in an experiment. Rows without a label are never drawn.

        Parameters
        ----------
        y : labels, as for `from_labels`
        how : str
            - "random_pairs": `amount` distinct pairs, uniformly from all of them; the labels say which kind.
            - "per_class": `amount` must-links within and as many cannot-links out of each class, distinct.
            - "labeled_items": `amount` rows, all their pairs (a partition, unless there are errors).
            - "disjoint_items": `amount` rows, paired off two by two.
            - "equal": `amount` must-links and `amount` cannot-links.
            - "links": `amount` must-links.
            - "piles": `amount` screens of `size` rows each, sorted into piles by class: all their pairs.
            - "odd": `amount` screens of three rows: which is the odd one out?
            - "triplets": `amount` questions: is a more like b, or more like c?
            - "quadruples": `amount` questions: are a and b more alike, or c and d?
        amount : int
            Questions are distinct, and those without an answer count.
        size : int, default=3
            Rows of a screen, with "piles".
        ties : {"unsure", "coin"} or callable, default="unsure"
            What is answered where the classes do not tell, in "odd", "triplets" and "quadruples": nothing, or
            whatever, or the pair with the smaller distance ``ties(left, right)``, a function of two arrays of rows.
        error_rate : float, default=0
            Of m drawn pairs, ⌈m · error_rate⌉ carry the wrong kind. A wrong one of "links" joins two classes. Of m
            screens of piles so many have a row in a wrong pile; of m answers that the classes decide, so many are
            wrong.
        random_state : int, Generator, RandomState or None

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
        """Draw preferences between clusterings from known labels, as in an experiment.

        Each time two clusterings of a few rows are shown, and the one with more pairs as in the labels is preferred.
        Two that are equally good are not asked about.

        Parameters
        ----------
        pool : sequence of (n_samples,) labels
            The clusterings.
        y : labels, as for `from_labels`
            Rows without a label are never shown.
        amount : int
            Number of preferences.
        shown : int, default=20
            How many rows are shown each time. None: all that have a label.
        error_rate : float, default=0
            ⌈amount · error_rate⌉ of them prefer the worse one.
        random_state : int, Generator, RandomState or None

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
            Number of rows of the data. A .json file holds it.
        ids : list-like, optional
            Ids of the rows in order; `left` and `right` are then ids instead of row numbers.

        Returns
        -------
        Constraints

        Raises
        ------
        UnknownIdError
            If the file names an id that is not among `ids`.
        ValueError
            If a line cannot be read; the message names it.

        See Also
        --------
        write

        Notes
        -----
        A table has a line for each pair, and a line for each row of a partition::

            left,right,kind,weight
            0,17,must-link,1.0
            3,8,cannot-link,0.5
            4,p0:CLL,"partition:same,across",1.0

        ``kind`` is "must-link", "same", "must", "ML", "yes", "true" or 1, or "cannot-link", "different", "cannot",
        "CL", "no", "false" or 0; lines where it is empty or "can't say" are left out. The last line puts row 4 into the
        block CLL of partition p0; its kind names what the partition means, of "same" (within), "across" (different)
        and "within" (different). The column ``weight``, or an entry of it, may be missing (1.0). Columns may come in
        any order, others are ignored, and lines at the top that begin with # are comments. Columns of other names are
        taken in their order, as in ``a,b,label`` or ``source,target,same``, and the line of names may be missing.
        Commas, semicolons, tabs, bars or spaces separate them. Ids that are names of files are also found without
        suffix and folder.

        Comparisons need a third row, or a third and a fourth, in columns of these names; ratings need none::

            left,right,kind,third,fourth,weight
            ann,bob,nearer,cy,,1.0       ann is more like bob than cy
            ann,bob,nearer,cy,dan,0.5    ann and bob are more alike than cy and dan
            ann,bob,unsure,cy,,          the same question, asked and not answered
            ann,bob,odd,cy,,             of the three, cy is the odd one out
            ann,bob,rating:4,,,          from 1, not alike, to 5; see `from_ratings`
            ann,x0:2,clustering,,,       ann is in cluster 2 of the clustering x0
            x0,x1,better,,,1.0           the clustering x0 is better than x1

        JSON holds the same as lists; lines of comparisons and clusterings are among the pairs::

            {"n_samples": 150,
             "pairs": [{"left": 0, "right": 17, "kind": "must-link", "weight": 1.0}, ...],
             "partitions": [{"kind": "partition:same,across", "weight": 1.0, "blocks": [[4, 9], [5]],
                             "names": ["CLL", "FL"]}]}
        """
        return cls(*_io.read(path, n_samples, ids))

    def write(self, path: str | PathLike[str], *, ids: Any = None) -> None:
        """Write constraints to a file that `read` gives back exactly, given as many rows.

        Parameters
        ----------
        path : path
            Ends in .csv, .tsv, .jsonl, .parquet or .json.
        ids : list-like, optional
            Ids of the rows in order, to be written instead of row numbers.

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
        """Take constraints from a data frame with a line for each pair, or from a dict of its columns.

        Parameters
        ----------
        frame : data frame of pandas, polars or Arrow, or dict of columns
            Its columns are those of a file: left, right, kind and, if there are weights, weight; see `read`.
        n_samples : int, default: the largest row number in the frame + 1
            Number of rows of the data.
        ids : list-like, optional
            Ids of the rows in order, such as the index of the data; `left` and `right` are then ids.

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
        """The constraints as a data frame that `from_frame` takes, given as many rows.

        Parameters
        ----------
        ids : list-like, optional
            Ids of the rows in order, instead of row numbers.
        backend : {"pandas", "polars", "pyarrow"}, optional
            By default the first of them that is installed.

        Returns
        -------
        data frame
            With the columns left, right, kind, and weight where one is not 1. A partition or clustering has a line
            for each row. Comparisons have the columns third and fourth, too.

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
        """Whether nothing is said: no pair is stated or implied, and there is neither a comparison nor a preference."""
        return not (self.has_pairs or len(self.comparisons) or self.preferences)

    @property
    def has_pairs(self) -> bool:
        """Whether a must-link or cannot-link is stated or implied."""
        implied = any(partition.n_must_link or partition.n_cannot_link for partition in self.partitions)
        return bool(len(self.must_link) or len(self.cannot_link) or implied)

    def summary(self) -> str:
        """Count the constraints in words, as for a message.

        Returns
        -------
        str
            "no hints" where there are none.

        Examples
        --------
        >>> Constraints(6, must_link=[(0, 1), (4, 1)], cannot_link=[(0, 5)]).summary()
        '2 must-links, 1 cannot-link'
        """
        return summarize(self) or "no hints"

    def constrained_rows(self) -> BoolArray:
        """Mask of the rows that are in at least one pair, stated or implied.

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
        """Group of each row once must-links are closed, numbered by first appearance.

        Cannot-links play no part: contradictory constraints have groups, too. They are computed once and kept.

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
        """Close under transitivity and entailment. It is computed once and kept.

        Returns
        -------
        Closure

        Raises
        ------
        ConstraintConflictError
            If the constraints contradict each other.
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
        """What comparisons say of pairs of rows, given the must-links and cannot-links that `drop_conflicts` keeps."""
        parts = split_conflicts(self)
        return PairOrder(self if parts is None else Constraints(*parts[0]))

    def conflicts(self, limit: int | None = None) -> list[Conflict | ComparisonConflict]:
        """List contradictions, each with a shortest chain that proves it; of comparisons, with a shortest cycle.

        Parameters
        ----------
        limit : int, optional
            How many at most. By default all.

        Returns
        -------
        list of Conflict or ComparisonConflict
            Those of must-links and cannot-links first.

        Examples
        --------
        >>> Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)]).conflicts()
        [Conflict(cannot_link=(0, 2), chain=(0, 1, 2), source='cannot_link[0]')]
        """
        compared = self._order.cycles() if len(self.comparisons) else ()
        return list(islice(chain(find_conflicts(self), compared), limit))

    def implied(self, near: tuple[int, int], far: tuple[int, int]) -> bool:
        """Whether it follows that two rows are more alike than two others.

        It follows by comparisons in turn, must-linked rows taking each other's place, and for must-linked rows against
        cannot-linked ones. Nothing is written out.

        Parameters
        ----------
        near, far : (int, int)
            Two rows each.

        Returns
        -------
        bool
            False where it does not follow; the opposite may.

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
        """Find more than `n_clusters` rows that are all cannot-linked with each other.

        What one partition implies is always found; for the rest the search is greedy (finding the largest clique is
        NP-hard) and can miss one, so None is no proof that `n_clusters` are enough.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        tuple of int, or None if none are found

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
            Also look for rows that so many clusters cannot hold; see `clique`.

        Returns
        -------
        Constraints
            Itself.

        Raises
        ------
        ConstraintConflictError
            If they contradict each other, or such rows are found.

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
        """Make constraints consistent by dropping those of smallest weight.

        Constraints are taken by decreasing weight; one that contradicts those taken before is dropped. Among equals
        must-links are taken first or cannot-links first, whichever loses less weight in the closed group at hand. The
        block of one row in a partition counts as a constraint: dropped, the row becomes unknown there, and a pair that
        the partition implied stands for it in the second result. Closed groups without a conflict stay as they are.
        Comparisons come last: one that closes a cycle with those taken before, given the pairs that are kept, is
        dropped.

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
        """Write all pairs out, and leave no partitions. Comparisons and preferences stay as they are.

        Parameters
        ----------
        limit : int, default=1_000_000
            Raise ValueError rather than write more pairs than this.
        closed : bool, default=False
            Also write what follows: all pairs inside a group, with the smallest weight of what joins it, and all pairs
            between cannot-linked groups, with the largest weight between them. A stated pair keeps at least its own
            weight.

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints(4, [(0, 1)], [(1, 2)]).expand(closed=True).cannot_link.tolist()
        [[0, 2], [1, 2]]
        """
        written = written_pairs(self, limit)
        stated = Constraints(*written) if self.partitions else self
        return Constraints(*entailed_pairs(self, stated, limit)) if closed and stated.has_pairs else stated

    def only(self, kind: Literal["must", "cannot", "pairs"]) -> Constraints:
        """Keep must-links or cannot-links alone, those that partitions imply included.

        Parameters
        ----------
        kind : {"must", "cannot", "pairs"}
            "pairs": must-links and cannot-links, without comparisons and preferences.

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
        """Read comparisons as must-links and cannot-links: near is the same cluster, far another.

        That is what they say where a person thinks of clusters and may answer "can't say". Of forced answers most say
        nothing about clusters.

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
        """Keep the constraints between some rows, renumbered: those of `X[rows]`.

        Parameters
        ----------
        rows : row numbers in the new order, each at most once, or a boolean mask

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints(5, [(0, 4), (1, 4)]).restrict([4, 2, 0]).must_link.tolist()
        [[0, 2]]
        """
        rows = chosen_rows(rows, self.n_samples)
        must, must_weight = moved_pairs(self.must_link, self.must_weight, rows, self.n_samples)
        cannot, cannot_weight = moved_pairs(self.cannot_link, self.cannot_weight, rows, self.n_samples)
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
        """(n_samples,), by which scikit-learn sees that there is a part for each row."""
        return (self.n_samples,)

    def __getitem__(self, rows: Any) -> Constraints:
        """Those of some rows: `restrict`, as scikit-learn asks for it in a cross-validation."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:  # scikit-learn writes [rows, ...]
            rows = rows[0]
        if isinstance(rows, slice):
            rows = range(*rows.indices(self.n_samples))
        if isinstance(rows, str | tuple) or np.ndim(rows) != 1:
            raise TypeError(
                f"constraints[{rows!r}] is not a part of the rows. Write constraints[rows] with several row numbers, a "
                "slice or a mask; pairs are in must_link and cannot_link."
            )
        return self.restrict(rows)

    __iter__ = None  # constraints are no sequence: nothing belongs to one row alone

    def __or__(self, other: Constraints | Comparisons | Preference | Partition) -> Constraints:
        if not isinstance(other, Constraints | Comparisons | Preference | Partition):
            return NotImplemented
        if self.n_samples != other.n_samples:
            raise ValueError(
                f"cannot join constraints for {self.n_samples} rows with {_noun(other)} for {other.n_samples}. "
                "Build both for the same data."
            )
        other = as_one(other)
        # An empty side adds nothing: the other comes back itself, with all that it has worked out.
        if other._holds_nothing:
            return self
        if self._holds_nothing:
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
    def _holds_nothing(self) -> bool:
        """Whether there is not even a block that implies nothing, or a question without an answer."""
        pairs = len(self.must_link) or len(self.cannot_link) or self.partitions
        return not pairs and self.comparisons.is_empty and not self.preferences

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constraints):
            return NotImplemented
        names = ("n_samples", "must_link", "cannot_link", "must_weight", "cannot_weight")
        return (
            all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
            # none repeats, so this compares them as sets: their order means nothing
            and len(self.partitions) == len(other.partitions)
            and all(partition in other.partitions for partition in self.partitions)
            and self.comparisons == other.comparisons
            and len(self.preferences) == len(other.preferences)
            and all(preference in other.preferences for preference in self.preferences)
        )

    def __reduce__(self) -> tuple[type[Constraints], tuple[Any, ...]]:
        # A copy goes through the constructor: numpy forgets that an array was read-only.
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
    """Whatever is known, as constraints."""
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
            f"comparisons are over {comparisons.n_samples} rows, the constraints over {n_samples}. Give both the rows "
            "of one data set."
        )
    return comparisons
