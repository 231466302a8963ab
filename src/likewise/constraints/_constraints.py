"""Must-links, cannot-links and partitions of the rows of a data set."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from os import PathLike
from typing import Any, Literal

import numpy as np

from .._arrays import BoolArray, FloatArray, IntArray
from . import _io, _sample
from ._closure import Closure, between_groups, closed_groups, entailed_pairs, written_pairs
from ._conflicts import Conflict, find_clique, find_conflicts, raise_clique, raise_conflicts
from ._format import html_table, pluralize, summarize
from ._overlap import n_distinct
from ._partition import Partition, distinct_partitions
from ._repair import split_conflicts
from ._validate import canonical_pairs, chosen_rows, encode_labels, moved_pairs, read_only, whole_number


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Constraints:
    """Must-links and cannot-links between rows, with weights.

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

    Examples
    --------
    >>> from likewise.constraints import Constraints
    >>> constraints = Constraints(6, must_link=[(0, 1), (4, 1)], cannot_link=[(0, 5)])
    >>> constraints
    Constraints(6 rows: 2 must-links, 1 cannot-link)
    >>> constraints.groups()
    array([0, 0, 1, 2, 0, 3])
    >>> constraints | Constraints.from_labels([-1, -1, 7, 7, -1, 8])
    Constraints(6 rows: 2 must-links, 1 cannot-link, 1 partition of 2 blocks over 3 rows)
    """

    n_samples: int
    must_link: IntArray
    cannot_link: IntArray
    must_weight: FloatArray
    cannot_weight: FloatArray
    partitions: tuple[Partition, ...]

    def __init__(
        self,
        n_samples: int,
        must_link: Any = (),
        cannot_link: Any = (),
        must_weight: Any = None,
        cannot_weight: Any = None,
        partitions: Iterable[Partition] = (),
    ) -> None:
        setattr_ = object.__setattr__  # a frozen dataclass is set this way
        setattr_(self, "n_samples", whole_number(n_samples, "n_samples", remedy="Pass the number of rows, len(X)."))
        for kind, pairs, weight in (("must", must_link, must_weight), ("cannot", cannot_link, cannot_weight)):
            pairs, weight = canonical_pairs(pairs, weight, self.n_samples, kind)
            setattr_(self, f"{kind}_link", pairs)
            setattr_(self, f"{kind}_weight", weight)
        setattr_(self, "partitions", distinct_partitions(partitions, self.n_samples))

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
            With one partition, whose size does not grow with the pairs it implies.

        Examples
        --------
        >>> Constraints.from_labels(["cat", "dog", None, "cat"])
        Constraints(4 rows: 1 partition of 2 blocks over 3 rows)
        """
        codes, _ = encode_labels(y, unknown)
        return cls(len(codes), partitions=[Partition(codes, different_across=True)])

    @classmethod
    def sample(cls, y: Any, how: str, amount: int, *, error_rate: float = 0.0, random_state: Any = None) -> Constraints:
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
        amount : int
        error_rate : float, default=0
            Of m drawn pairs, ⌈m · error_rate⌉ carry the wrong kind. A wrong one of "links" joins two classes.
        random_state : int, Generator, RandomState or None

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints.sample([0, 0, 0, 1, 1, 1], "equal", 2, random_state=0)
        Constraints(6 rows: 2 must-links, 2 cannot-links)
        """
        return cls(*_sample.sample(y, how, amount, error_rate, random_state))

    @classmethod
    def read(cls, path: str | PathLike[str], *, n_samples: int | None = None, ids: Any = None) -> Constraints:
        """Read constraints from a .csv, .tsv, .jsonl, .parquet or .json file.

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
            4,p0:2,"partition:same,across",1.0

        ``kind`` is "must-link" or "same", "cannot-link" or "different". The last line puts row 4 into block 2 of
        partition p0; its kind names what the partition means, of "same" (within), "across" (different) and "within"
        (different). The column ``weight``, or an entry of it, may be missing (1.0); columns may come in any order,
        others are ignored, and lines at the top that begin with # are comments.

        JSON holds the same as lists::

            {"n_samples": 150,
             "pairs": [{"left": 0, "right": 17, "kind": "must-link", "weight": 1.0}, ...],
             "partitions": [{"kind": "partition:same,across", "weight": 1.0, "blocks": [[4, 9], [5]]}]}
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
        """Whether no pair is stated or implied."""
        implied = any(partition.n_must_link or partition.n_cannot_link for partition in self.partitions)
        return not (len(self.must_link) or len(self.cannot_link) or implied)

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

    def conflicts(self, limit: int | None = None) -> list[Conflict]:
        """List contradictions, each with a shortest chain that proves it.

        Parameters
        ----------
        limit : int, optional
            How many at most. By default all.

        Returns
        -------
        list of Conflict

        Examples
        --------
        >>> Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)]).conflicts()
        [Conflict(cannot_link=(0, 2), chain=(0, 1, 2), source='cannot_link[0]')]
        """
        return list(islice(find_conflicts(self), limit))

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
        if n_clusters is not None:
            raise_clique(self, n_clusters)
        return self

    def drop_conflicts(self) -> tuple[Constraints, Constraints]:
        """Make constraints consistent by dropping those of smallest weight.

        Constraints are taken by decreasing weight; one that contradicts those taken before is dropped. Among equals
        must-links are taken first or cannot-links first, whichever loses less weight in the closed group at hand. The
        block of one row in a partition counts as a constraint: dropped, the row becomes unknown there, and a pair that
        the partition implied stands for it in the second result. Closed groups without a conflict stay as they are.

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
        if parts is None:
            return self, Constraints(self.n_samples)
        kept, dropped = parts
        return Constraints(*kept), Constraints(*dropped)

    def expand(self, limit: int = 1_000_000, *, closed: bool = False) -> Constraints:
        """Write all pairs out, and leave no partitions.

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
        return Constraints(*entailed_pairs(self, stated, limit)) if closed and not stated.is_empty else stated

    def only(self, kind: Literal["must", "cannot"]) -> Constraints:
        """Keep must-links or cannot-links alone, those that partitions imply included.

        Parameters
        ----------
        kind : {"must", "cannot"}

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Constraints.from_labels([0, 0, 1]).only("cannot").expand()
        Constraints(3 rows: 2 cannot-links)
        """
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
        place = np.full(self.n_samples, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        must, must_weight = moved_pairs(self.must_link, self.must_weight, place)
        cannot, cannot_weight = moved_pairs(self.cannot_link, self.cannot_weight, place)
        partitions = [partition.restrict(rows) for partition in self.partitions]
        return Constraints(len(rows), must, cannot, must_weight, cannot_weight, partitions)

    def __or__(self, other: Constraints) -> Constraints:
        if not isinstance(other, Constraints):
            return NotImplemented
        if self.n_samples != other.n_samples:
            raise ValueError(
                f"cannot join constraints for {self.n_samples} rows with constraints for {other.n_samples}. "
                "Build both for the same data."
            )
        # An empty side adds nothing: the other comes back itself, with all that it has worked out.
        if not (len(other.must_link) or len(other.cannot_link) or other.partitions):
            return self
        if not (len(self.must_link) or len(self.cannot_link) or self.partitions):
            return other
        return Constraints(
            self.n_samples,
            np.concatenate([self.must_link, other.must_link]),
            np.concatenate([self.cannot_link, other.cannot_link]),
            np.concatenate([self.must_weight, other.must_weight]),
            np.concatenate([self.cannot_weight, other.cannot_weight]),
            self.partitions + other.partitions,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constraints):
            return NotImplemented
        names = ("n_samples", "must_link", "cannot_link", "must_weight", "cannot_weight")
        return (
            all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
            # none repeats, so this compares them as sets: their order means nothing
            and len(self.partitions) == len(other.partitions)
            and all(partition in other.partitions for partition in self.partitions)
        )

    def __reduce__(self) -> tuple[type[Constraints], tuple[Any, ...]]:
        # A copy goes through the constructor: numpy forgets that an array was read-only.
        pairs = self.must_link, self.cannot_link, self.must_weight, self.cannot_weight
        return Constraints, (self.n_samples, *map(np.array, pairs), self.partitions)

    def __repr__(self) -> str:
        return f"Constraints({pluralize(self.n_samples, 'row')}: {self.summary()})"

    def _repr_html_(self) -> str:
        return html_table(self)
