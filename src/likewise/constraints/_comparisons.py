"""Comparisons: two rows are more similar than two others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from .._arrays import BoolArray, FloatArray, IntArray, evenly_spaced, is_missing
from .._parameters import suggests_parameters
from ._format import describe_comparisons, pluralize
from ._validate import (
    as_list,
    checked_weight,
    checked_weights,
    chosen_rows,
    listed_rows,
    number_of_rows,
    places_among,
    read_only,
    whole_number,
    whole_numbers,
)

if TYPE_CHECKING:
    from ._constraints import Constraints

NONE: IntArray = np.empty(0, dtype=np.int64)

MOST_OF_ONE = 10_000
"""Maximum number of comparisons for one statement about many rows; they are evenly spaced among all."""

SHAPES = {
    "nearer": ((3,), "triples of rows", "Write it as [(0, 3, 5)]: row 0 is more like 3 than 5."),
    "pairs": (
        (4,),
        "four rows each",
        "Write it as [(0, 3, 2, 5)]: rows 0 and 3 are more alike than 2 and 5. For one row and two others use nearer=.",
    ),
    "unsure": ((3, 4), "questions of three rows each, or of four", "Write it as [(0, 3, 5)] or [(0, 3, 2, 5)]."),
}
"""For each parameter, the number of rows in an entry, a description, and an example for messages."""


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Comparisons:
    """Pairs of rows that are more similar than other pairs, with weights, and unanswered questions.

    Comparisons are immutable, and validated by the constructor. Combine them with :class:`Constraints` by ``|``.

    Parameters
    ----------
    n_samples : int
        Number of rows of the data.
    nearer : (m, 3) integers
        (a, b, c): row a is more similar to b than to c.
    pairs : (m, 4) integers
        (a, b, c, d): rows a and b are more similar than c and d.
    weight : (m,) floats or one float, default=1
        Positive, finite weights: those of `nearer`, followed by those of `pairs`.
    unsure : (u, 3) or (u, 4) integers
        Questions that were not answered, in the format of `nearer` or `pairs`. Their share indicates whether answers
        were forced.

    Attributes
    ----------
    near, far : (m, 2) integers
        In comparison t, the rows ``near[t]`` are more similar than ``far[t]``. Comparisons are stored sorted, without
        duplicates, and with i < j in each pair; for duplicates the largest weight is used. Two comparisons may
        contradict each other: `Constraints.conflicts` reports them.
    weight : (m,) floats
    unsure : (u, 4) integers
        The two pairs of each question in lexicographic order; unique and sorted.

    See Also
    --------
    Preference : One clustering is better than another.
    Constraints.from_piles : Rows sorted into piles, which are more informative.

    Examples
    --------
    >>> from likewise.constraints import Comparisons, Constraints
    >>> comparisons = Comparisons(6, nearer=[(0, 3, 5)], pairs=[(0, 1, 2, 5)], unsure=[(1, 2, 4)])
    >>> comparisons
    Comparisons(6 rows: 2 comparisons, 1 unanswered)
    >>> comparisons.near.tolist(), comparisons.far.tolist()
    ([[0, 1], [0, 3]], [[2, 5], [0, 5]])
    >>> Constraints(6, must_link=[(0, 1)]) | comparisons
    Constraints(6 rows: 1 must-link, 2 comparisons, 1 unanswered)
    """

    n_samples: int
    near: IntArray
    far: IntArray
    weight: FloatArray
    unsure: IntArray

    @suggests_parameters
    def __init__(self, n_samples: int, nearer: Any = (), pairs: Any = (), weight: Any = None, unsure: Any = ()) -> None:
        setattr_ = object.__setattr__  # since the dataclass is frozen
        n_samples = number_of_rows(n_samples)
        setattr_(self, "n_samples", n_samples)
        triples, quadruples = _checked_rows(nearer, "nearer", n_samples), _checked_rows(pairs, "pairs", n_samples)
        both = np.concatenate([triples, quadruples])
        weights = checked_weights(weight, len(both), "weight", "comparison")
        both, starts, order = _distinct(both, n_samples)
        setattr_(self, "near", read_only(both[:, :2]))
        setattr_(self, "far", read_only(both[:, 2:]))
        setattr_(self, "weight", read_only(np.maximum.reduceat(weights[order], starts) if len(starts) else weights))
        asked = as_questions(_checked_rows(unsure, "unsure", n_samples))
        setattr_(self, "unsure", read_only(_distinct(asked, n_samples)[0]))
        answered = np.flatnonzero(is_answered(self.unsure, both))
        if answered.size:
            a, b, c, d = self.unsure[answered[0]].tolist()
            raise ValueError(
                f"the question whether rows {a}–{b} or {c}–{d} are more alike is both answered and in unsure. Remove "
                "it from one of them."
            )

    @classmethod
    def from_odd(cls, n_samples: int, screens: Iterable[Sequence[int]], odd: Sequence[Any]) -> Comparisons:
        """Comparisons from "which of these rows is the odd one out?".

        Any two of the other rows are more similar to each other than to the odd row. At most 10,000 comparisons are
        used for each screen, evenly spaced among all.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.
        screens : sequence of sequences of row numbers
            The rows that were shown together, at least three.
        odd : sequence of row numbers
            The odd row of each screen; None, NaN or −1 if there was no answer. Without an answer, a screen of three
            rows results in unanswered questions, and a larger one is ignored.

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> comparisons = Comparisons.from_odd(9, [(0, 1, 2), (3, 5, 8)], odd=[2, None])
        >>> comparisons.near.tolist(), comparisons.far.tolist(), comparisons.unsure.tolist()
        ([[0, 1], [0, 1]], [[0, 2], [1, 2]], [[3, 5, 3, 8], [3, 5, 5, 8]])
        """
        n_samples = number_of_rows(n_samples)
        screens = as_list(screens, "screens", "Write a list of screens, each a list of rows: [(0, 3, 5)].")
        shown = [_checked_screen(rows, number, n_samples) for number, rows in enumerate(screens)]
        answers = as_list(odd, "odd", "Write a list with the odd row of each screen.")
        if len(shown) != len(answers):
            raise ValueError(
                f"odd has {len(answers)} entries for {len(shown)} screens. Pass one for each, and None for no answer."
            )
        quadruples, unsure = [], []
        for number, (rows, answer) in enumerate(zip(shown, answers, strict=True)):
            if is_missing(answer) or answer == -1:
                if len(rows) == 3:
                    a, b, c = sorted(rows)
                    unsure += [(a, b, a, c), (a, b, b, c)]
                continue
            if isinstance(answer, bool | np.bool_) or answer not in rows:
                raise ValueError(f"odd[{number}] = {answer!r} is not among the rows of screens[{number}] = {rows}.")
            others = np.array([row for row in rows if row != answer])
            implied = _nearer_than_one(others, int(answer))
            if len(implied) > MOST_OF_ONE:
                warn(
                    f"screens[{number}] of {len(rows):,} rows implies {len(implied):,} comparisons; only "
                    f"{MOST_OF_ONE:,} of them, evenly spaced, are used.",
                    stacklevel=2,
                )
                implied = implied[evenly_spaced(len(implied), MOST_OF_ONE)]
            quadruples.append(implied)
        return cls(n_samples, pairs=np.concatenate(quadruples) if quadruples else (), unsure=unsure)

    @classmethod
    def from_ranking(cls, n_samples: int, row: int, order: Sequence[int], weight: float = 1.0) -> Comparisons:
        """Comparisons from a ranking of rows by their similarity to one row.

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.
        row : int
            The row that the others are compared with.
        order : sequence of row numbers
            The ranking, most similar first. Consecutive rows are compared; other comparisons follow by transitivity.
        weight : float, default=1
            The weight of each comparison.

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> ranked = Comparisons.from_ranking(9, 4, [7, 0, 2])
        >>> ranked.near.tolist(), ranked.far.tolist()
        ([[0, 4], [4, 7]], [[2, 4], [0, 4]])
        """
        n_samples, row = number_of_rows(n_samples), whole_number(row, "row")
        if row >= n_samples:
            raise ValueError(f"row = {row} is outside the {n_samples:,} rows, counted from 0.")
        ranked = listed_rows(order, "order", n_samples)
        if len(ranked) < 2:
            raise ValueError(f"order must have at least two rows, most similar first, got {ranked.tolist()}.")
        repeated = [value for place, value in enumerate(ranked.tolist()) if value in ranked[:place] or value == row]
        if repeated:
            what = "is the row that the others are compared with" if repeated[0] == row else "occurs twice"
            raise ValueError(f"order = {ranked.tolist()}: row {repeated[0]} {what}. Pass every other row once.")
        nearer = np.column_stack([np.full(len(ranked) - 1, row), ranked[:-1], ranked[1:]])
        return cls(n_samples, nearer, weight=checked_weight(weight, "weight"))

    @classmethod
    def from_groups(
        cls, n_samples: int, inside: Sequence[int], outside: Sequence[int], weight: float = 1.0
    ) -> Comparisons:
        """Comparisons from "these rows are more like each other than like those".

        Parameters
        ----------
        n_samples : int
            Number of rows of the data.
        inside, outside : sequences of row numbers
            Every pair inside is compared with every pair of one of its rows and a row outside. At most 10,000
            comparisons are used, evenly spaced among all.
        weight : float, default=1
            The sum of the weights of all comparisons.

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> comparisons = Comparisons.from_groups(9, [0, 1], [5, 8])
        >>> comparisons.far.tolist(), comparisons.weight.tolist()
        ([[0, 5], [0, 8], [1, 5], [1, 8]], [0.25, 0.25, 0.25, 0.25])
        """
        n_samples = number_of_rows(n_samples)
        inner = np.unique(listed_rows(inside, "inside", n_samples))
        outer = np.unique(listed_rows(outside, "outside", n_samples))
        if len(inner) < 2:
            raise ValueError(f"inside must have at least two rows, got {len(inner)}.")
        if not len(outer):
            raise ValueError("outside must have at least one row, got none.")
        both = np.intersect1d(inner, outer)
        if both.size:
            raise ValueError(f"row {both[0]} is both inside and outside. Remove it from one of them.")
        left, right = np.triu_indices(len(inner), 1)
        total = 2 * len(left) * len(outer)
        pair, end, other = np.unravel_index(evenly_spaced(total, MOST_OF_ONE), (len(left), 2, len(outer)))
        near = np.column_stack([inner[left[pair]], inner[right[pair]]])
        shared = near[np.arange(len(near)), end]
        weights = checked_weight(weight, "weight") / len(near)
        return cls(n_samples, pairs=np.column_stack([near, shared, outer[other]]), weight=weights)

    def __len__(self) -> int:
        return len(self.near)

    @property
    def is_empty(self) -> bool:
        """Whether there are no comparisons and no unanswered questions."""
        return not (len(self.near) or len(self.unsure))

    def compared_rows(self) -> BoolArray:
        """Mask of the rows in at least one comparison, not counting unanswered questions.

        Returns
        -------
        (n,) bools
        """
        mask = np.zeros(self.n_samples, dtype=np.bool_)
        mask[self.near] = mask[self.far] = True
        return mask

    def take(self, which: Any, unsure: Any = None) -> Comparisons:
        """Select comparisons.

        Parameters
        ----------
        which : indices of comparisons, or a boolean mask
        unsure : indices of unanswered questions, or a boolean mask, optional
            By default all of them are kept.

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> Comparisons(4, nearer=[(0, 1, 2), (0, 1, 3)]).take([1]).far.tolist()
        [[0, 3]]
        """
        pairs = np.column_stack([self.near[which], self.far[which]])
        asked = self.unsure if unsure is None else self.unsure[unsure]
        return Comparisons(self.n_samples, pairs=pairs, weight=self.weight[which], unsure=asked)

    def restrict(self, rows: Any) -> Comparisons:
        """Select the comparisons and questions between some rows, renumbered to match ``X[rows]``.

        Parameters
        ----------
        rows : row numbers in the new order, without duplicates, or a boolean mask

        Returns
        -------
        Comparisons

        Examples
        --------
        >>> Comparisons(5, nearer=[(0, 4, 2), (0, 4, 1)]).restrict([4, 2, 0]).near.tolist()
        [[0, 2]]
        """
        rows = chosen_rows(rows, self.n_samples)
        stated = places_among(rows, np.column_stack([self.near, self.far]), self.n_samples)
        asked = places_among(rows, self.unsure, self.n_samples)
        kept = (stated >= 0).all(axis=1)
        asked = asked[(asked >= 0).all(axis=1)]
        return Comparisons(len(rows), pairs=stated[kept], weight=self.weight[kept], unsure=asked)

    def without(self, rows: BoolArray) -> Comparisons:
        """The comparisons and questions that contain none of the given rows.

        Parameters
        ----------
        rows : (n,) bools

        Returns
        -------
        Comparisons
        """
        touched = rows[self.near].any(axis=1) | rows[self.far].any(axis=1)
        return self.take(~touched, ~rows[self.unsure].any(axis=1))

    def as_pairs(self) -> Constraints:
        """Convert comparisons to must-links (the near pairs) and cannot-links (the far pairs).

        This is valid if the answers refer to clusters and "can't say" was allowed. Forced answers mostly carry no
        information about clusters.

        Returns
        -------
        Constraints

        Examples
        --------
        >>> Comparisons(3, nearer=[(0, 1, 2)]).as_pairs()
        Constraints(3 rows: 1 must-link, 1 cannot-link)
        """
        from ._constraints import Constraints

        return Constraints(self.n_samples, self.near, self.far, self.weight, self.weight)

    def join(self, other: Comparisons) -> Comparisons:
        """Combine comparisons. A question that is answered in one of them is not unanswered in the result.

        Parameters
        ----------
        other : Comparisons

        Returns
        -------
        Comparisons
        """
        pairs = np.concatenate([np.column_stack([each.near, each.far]) for each in (self, other)])
        weight, asked = np.concatenate([self.weight, other.weight]), np.concatenate([self.unsure, other.unsure])
        return Comparisons(self.n_samples, pairs=pairs, weight=weight, unsure=asked[~is_answered(asked, pairs)])

    def __or__(self, other: Any) -> Constraints:
        from ._constraints import Constraints

        joined: Constraints = Constraints(self.n_samples, comparisons=self) | other
        return joined

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparisons):
            return NotImplemented
        names = ("n_samples", "near", "far", "weight", "unsure")
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)

    def __reduce__(self) -> tuple[type[Comparisons], tuple[Any, ...]]:
        # copies use the constructor, since copied numpy arrays are writable
        pairs = np.column_stack([self.near, self.far])
        return Comparisons, (self.n_samples, (), pairs, np.array(self.weight), np.array(self.unsure))

    def __repr__(self) -> str:
        return f"Comparisons({pluralize(self.n_samples, 'row')}: {describe_comparisons(self) or 'none'})"


def _checked_rows(values: Any, name: str, n_samples: int) -> IntArray:
    """Check comparisons, and convert them to an (m, 4) array of two pairs, each with i < j."""
    widths, what, example = SHAPES[name]
    array = whole_numbers(values, name, example=f"all of them with {' or '.join(map(str, widths))} rows")
    if array.size == 0:
        return np.empty((0, 4), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] not in widths:
        raise ValueError(f"{name} must be {what}, got shape {array.shape}. {example}")

    def refuse(wrong: Any, why: str) -> None:
        if wrong.any():
            place = int(wrong.argmax())
            raise ValueError(f"{name}[{place}] = {tuple(array[place].tolist())} {why}")

    refuse(
        ((array < 0) | (array >= n_samples)).any(axis=1),
        f"is outside the {n_samples:,} rows. Rows are counted from 0 to {n_samples - 1}; is n_samples={n_samples} "
        "right?",
    )
    four = array if array.shape[1] == 4 else array[:, [0, 1, 0, 2]]
    refuse(
        (four[:, 0] == four[:, 1]) | (four[:, 2] == four[:, 3]),
        "compares a row with itself, which is always nearest. Remove it, or correct one of its rows.",
    )
    four = two_pairs(four)
    refuse(
        (four[:, :2] == four[:, 2:]).all(axis=1),
        "compares a pair with itself. Remove it, or correct one of its rows.",
    )
    return four


def _checked_screen(rows: Any, number: int, n_samples: int) -> tuple[int, ...]:
    """Check the rows of a screen."""
    screen = tuple(listed_rows(rows, f"screens[{number}]", n_samples).tolist())
    if len(screen) < 3 or len(set(screen)) < len(screen):
        raise ValueError(f"screens[{number}] must have at least three rows, all different, got {screen}.")
    return screen


def _nearer_than_one(others: IntArray, odd: int) -> IntArray:
    """Compare each pair of the others with the pairs of one of its rows and the odd row."""
    left, right = np.triu_indices(len(others), 1)
    near = np.repeat(np.column_stack([others[left], others[right]]), 2, axis=0)
    shared = near[np.arange(len(near)), np.arange(len(near)) % 2]
    return np.column_stack([near, shared, np.full(len(near), odd)])


def _distinct(four: IntArray, n_samples: int) -> tuple[IntArray, IntArray, IntArray]:
    """The unique, sorted comparisons, their first positions among all sorted comparisons, and the sort order."""
    if not len(four):
        return four, NONE, NONE
    near, far = _codes(four, n_samples)
    order = np.lexsort((far, near))
    near, far = near[order], far[order]
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = (near[1:] != near[:-1]) | (far[1:] != far[:-1])
    starts = np.flatnonzero(new)
    return four[order[starts]], starts, order


def _codes(four: IntArray, n_samples: int) -> tuple[IntArray, IntArray]:
    """A number for each of the two pairs, in lexicographic order."""
    return four[:, 0] * n_samples + four[:, 1], four[:, 2] * n_samples + four[:, 3]


def two_pairs(four: IntArray) -> IntArray:
    """Sort each of the two pairs such that i < j."""
    return np.concatenate([np.sort(four[:, :2], axis=1), np.sort(four[:, 2:], axis=1)], axis=1)


def as_questions(four: IntArray) -> IntArray:
    """The two pairs in lexicographic order, regardless of which one is nearer."""
    if not len(four):
        return four
    turned = (four[:, 0] > four[:, 2]) | ((four[:, 0] == four[:, 2]) & (four[:, 1] > four[:, 3]))
    return np.where(turned[:, None], four[:, [2, 3, 0, 1]], four)


def is_answered(questions: IntArray, answers: IntArray) -> BoolArray:
    """Mask of the questions that are among the answers, both given as two pairs."""
    if not (len(questions) and len(answers)):
        return np.zeros(len(questions), dtype=np.bool_)
    lines = np.concatenate([questions, as_questions(answers)])
    pairs = np.unique(lines.reshape(-1, 2), axis=0, return_inverse=True)[1].reshape(-1, 2)
    key = pairs[:, 0] * (int(pairs.max()) + 1) + pairs[:, 1]
    return np.isin(key[: len(questions)], key[len(questions) :])
