"""What the person knows: pairs that belong together, pairs that do not, and partitions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from os import PathLike
from typing import Any

import numpy as np

from .._arrays import BoolArray, FloatArray, IntArray
from . import _cliques as cliques
from . import _expansion as expansion
from . import _files as files
from . import _repair as repair
from . import _sampling as sampling
from ._closure import Closure, close
from ._conflicts import Conflict, find_conflicts, raise_conflicts
from ._labels import encode_labels
from ._linkage import closed_groups
from ._overlap import n_distinct
from ._partition import Partition, distinct_partitions
from ._validate import canonical_pairs, chosen_rows, read_only, renumbered, whole_number
from ._wording import counted, summarize, table


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Constraints:
    """Hints about n rows: what is the same, what is different, and how sure that is.

    Immutable, checked once when it is made, and not array-like: it knows its `n_samples`, and
    cross-validation cannot slice it by mistake. Split it with `restrict` when you split the data.

    Parameters
    ----------
    n_samples : int
        Number of rows of the data.
    must_link, cannot_link : (m, 2) integers
        Pairs of rows, counted from 0. Kept i < j, unique and sorted; of a pair given twice the larger
        belief stays. A pair may be in both lists: `conflicts` finds it.
    must_weight, cannot_weight : (m,) floats or one float, default=1
        Degrees of belief, finite and above 0.
    partitions : iterable of Partition
        Knowledge about whole groups, never written out as pairs. One without a known row is left out; of
        two that differ in weight only, the larger belief stays.

    Examples
    --------
    >>> from likewise.constraints import Constraints
    >>> hints = Constraints(6, must_link=[(0, 1), (4, 1)], cannot_link=[(0, 5)])
    >>> hints
    Constraints(6 rows: 2 must-links, 1 cannot-link)
    >>> hints.groups()
    array([0, 0, 1, 2, 0, 3])
    >>> hints | Constraints.from_labels([-1, -1, 7, 7, -1, 8])
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
        setattr_ = object.__setattr__  # the way into a frozen dataclass
        setattr_(self, "n_samples", whole_number(n_samples, "n_samples", remedy="Pass the number of rows, len(X)."))
        for kind, pairs, weight in (("must", must_link, must_weight), ("cannot", cannot_link, cannot_weight)):
            pairs, weight = canonical_pairs(pairs, weight, self.n_samples, kind)
            setattr_(self, f"{kind}_link", pairs)
            setattr_(self, f"{kind}_weight", weight)
        setattr_(self, "partitions", distinct_partitions(partitions, self.n_samples))

    @classmethod
    def from_labels(cls, y: Any, unknown: Any = -1) -> Constraints:
        """Read partial labels: same label, same cluster; other label, other cluster.

        Labels are numbers or strings in a list, an array or a Series; None, NaN, NA, blank text and `unknown` are
        unknown. They become one partition, whose size does not grow with the pairs it implies.

        Examples
        --------
        >>> Constraints.from_labels(["cat", "dog", None, "cat"])
        Constraints(4 rows: 1 partition of 2 blocks over 3 rows)
        """
        codes, _ = encode_labels(y, unknown)
        return cls(len(codes), partitions=[Partition(codes, different_across=True)])

    @classmethod
    def sample(cls, y: Any, how: str, amount: int, *, error_rate: float = 0.0, random_state: Any = None) -> Constraints:
        """Draw hints from known labels, as in an experiment. Rows without a label are never drawn.

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

        Examples
        --------
        >>> Constraints.sample([0, 0, 0, 1, 1, 1], "equal", 2, random_state=0)
        Constraints(6 rows: 2 must-links, 2 cannot-links)
        """
        return sampling.sample(y, how, amount, error_rate, random_state)

    @classmethod
    def read(cls, path: str | PathLike[str], *, n_samples: int | None = None, ids: Any = None) -> Constraints:
        """Read hints from a .csv, .tsv, .json or .parquet file, laid out as in `likewise.constraints._files`.

        Parameters
        ----------
        path : path
            A table has the columns left, right, kind ("must-link" or "same", "cannot-link" or "different")
            and, if you like, weight.
        n_samples : int, default: what the file says, else the largest row number + 1
        ids : list-like, default=None
            Names of the rows in order; left and right are then names instead of row numbers.
        """
        return files.read(path, n_samples, ids)

    def write(self, path: str | PathLike[str], *, ids: Any = None) -> None:
        """Write hints to a file that `read` gives back exactly; the suffix chooses the format.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> hints = Constraints(3, must_link=[(0, 2)], must_weight=[0.5])
        >>> with TemporaryDirectory() as folder:
        ...     hints.write(f"{folder}/hints.csv", ids=["ann", "bob", "cy"])
        ...     Constraints.read(f"{folder}/hints.csv", ids=["ann", "bob", "cy"]) == hints
        True
        """
        files.write(self, path, ids)

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

    def touched(self) -> BoolArray:
        """Mask of the rows that are in at least one pair, stated or implied."""
        mask = np.zeros(self.n_samples, dtype=np.bool_)
        mask[self.must_link] = mask[self.cannot_link] = True
        for partition in self.partitions:
            mask |= partition.touched()
        return mask

    def groups(self) -> IntArray:
        """Group of each row once must-links are closed, numbered by first appearance.

        Cannot-links play no part: contradictory hints have groups too.

        Examples
        --------
        >>> Constraints(4, must_link=[(1, 3)]).groups()
        array([0, 1, 2, 1])
        """
        return self._groups

    def closure(self) -> Closure:
        """Close under transitivity and entailment; raise ConstraintConflictError where that contradicts."""
        return self._closure

    @cached_property
    def _groups(self) -> IntArray:
        return read_only(closed_groups(self))

    @cached_property
    def _closure(self) -> Closure:
        return close(self)

    def conflicts(self, limit: int | None = None) -> list[Conflict]:
        """List all contradictions (or the first `limit`), each with a shortest chain that proves it.

        Examples
        --------
        >>> Constraints(3, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)]).conflicts()
        [Conflict(cannot_link=(0, 2), chain=(0, 1, 2), source='cannot_link[0]')]
        """
        return list(islice(find_conflicts(self), limit))

    def clique(self, n_clusters: int) -> tuple[int, ...] | None:
        """Return more than `n_clusters` rows that all differ from each other, if any are found.

        What one partition states is always found; for the rest the search is greedy (finding the largest
        clique is NP-hard) and can miss one, so None is no proof that `n_clusters` are enough.

        Examples
        --------
        >>> Constraints(4, cannot_link=[(0, 1), (0, 3), (1, 3)]).clique(2)
        (0, 1, 3)
        """
        return cliques.find_clique(self, n_clusters)

    def check(self, n_clusters: int | None = None) -> Constraints:
        """Return these hints if they are consistent, else raise ConstraintConflictError.

        With `n_clusters`, also look for rows that so many clusters cannot hold; see `clique`.

        Examples
        --------
        >>> Constraints(4, cannot_link=[(0, 1), (0, 3), (1, 3)]).check(n_clusters=2)
        Traceback (most recent call last):
        likewise.constraints._conflicts.ConstraintConflictError: rows 0, 1, 3 are all different ...
        """
        raise_conflicts(self, self.groups())
        if n_clusters is not None:
            cliques.raise_clique(self, n_clusters)
        return self

    def drop_conflicts(self) -> tuple[Constraints, Constraints]:
        """Return consistent hints, and those that were dropped to make them so.

        Hints are taken by decreasing belief; one that contradicts what was taken before is dropped. Among
        equals must-links are taken first or cannot-links first, whichever loses less belief in the closed
        group at hand. The place of one row in a partition counts as a hint: dropped, it becomes unknown
        there, and a pair that the partition implied stands for it in the second result. Closed groups
        without a conflict stay as they are.

        Examples
        --------
        >>> hints = Constraints(3, [(0, 1), (1, 2)], [(0, 2)], must_weight=[1, 0.4])
        >>> kept, dropped = hints.drop_conflicts()
        >>> dropped.must_link.tolist(), kept.conflicts()
        ([[1, 2]], [])
        """
        return repair.drop_conflicts(self)

    def expand(self, limit: int = 1_000_000, *, closed: bool = False) -> Constraints:
        """Write all pairs out, and leave no partitions.

        Parameters
        ----------
        limit : int, default=1_000_000
            Raise ValueError rather than write more pairs than this.
        closed : bool, default=False
            Also write what follows: all pairs inside a group, with the smallest belief of what joins it,
            and all pairs between groups that are apart, with the largest belief of what parts them. A stated
            pair keeps at least its own belief.

        Examples
        --------
        >>> Constraints(4, [(0, 1)], [(1, 2)]).expand(closed=True).cannot_link.tolist()
        [[0, 2], [1, 2]]
        """
        return expansion.expand(self, limit, closed)

    def restrict(self, rows: Any) -> Constraints:
        """Keep the hints about some rows, renumbered: the constraints of `X[rows]`.

        `rows` are row numbers in the new order, each at most once, or a boolean mask.

        Examples
        --------
        >>> Constraints(5, [(0, 4), (1, 4)]).restrict([4, 2, 0]).must_link.tolist()
        [[0, 2]]
        """
        rows = chosen_rows(rows, self.n_samples)
        place = np.full(self.n_samples, -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        must, must_weight = renumbered(self.must_link, self.must_weight, place)
        cannot, cannot_weight = renumbered(self.cannot_link, self.cannot_weight, place)
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
        return f"Constraints({counted(self.n_samples, 'row')}: {self.summary()})"

    def _repr_html_(self) -> str:
        return table(self)
