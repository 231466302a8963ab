"""Constraints sampled from known labels, with the sampling schemes of the literature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import ceil, comb
from typing import Any

import numpy as np

from .._arrays import BoolArray, FloatArray, IntArray
from .._parameters import described
from ._comparisons import Comparisons
from ._partition import Partition, Parts, numbered_pairs, pairs_within
from ._preference import Preference, pairs_together
from ._validate import encode_labels, label_names, whole_number


class _Labeled:
    """The labeled rows, sorted by class. Pairs are numbered, so that sampling does not enumerate them."""

    def __init__(self, codes: IntArray, names: list[Any], rng: np.random.Generator) -> None:
        self.names = names
        self.rng = rng
        self.n_samples = len(codes)
        known = np.flatnonzero(codes >= 0)
        self.rows: IntArray = known[np.argsort(codes[known], kind="stable")]
        self.codes = codes[self.rows]
        self.sizes = np.bincount(self.codes, minlength=len(names))
        self.start: IntArray = np.cumsum(self.sizes) - self.sizes

    def draw(self, total: int, amount: int, what: str) -> IntArray:
        """Draw distinct numbers below `total`, using O(`amount`) memory."""
        if amount > total:
            remedy = f"Use at most {total:,}." if total else "Use labels of two or more classes, or another scheme."
            raise ValueError(f"cannot draw {amount:,} distinct {what}: there are {total:,}. {remedy}")
        return self.rng.choice(total, size=amount, replace=False, shuffle=False)

    def items(self, amount: int) -> IntArray:
        """Draw rows; return the codes of all rows, −1 for rows that were not drawn."""
        chosen = self.draw(len(self.rows), amount, "labeled rows")
        codes = np.full(self.n_samples, -1, dtype=np.int64)
        codes[self.rows[chosen]] = self.codes[chosen]
        return codes

    def any_pairs(self, amount: int) -> IntArray:
        n = len(self.rows)
        return self.rows[_triangle(self.draw(n * (n - 1) // 2, amount, "pairs of labeled rows"))]

    def must_links(self, amount: int) -> IntArray:
        ends = np.cumsum(self.sizes * (self.sizes - 1) // 2)
        number = self.draw(int(ends[-1]) if ends.size else 0, amount, "pairs within a class")
        label = np.searchsorted(ends, number, side="right")
        begin = ends - self.sizes * (self.sizes - 1) // 2
        places: IntArray = self.start[label, None] + _triangle(number - begin[label])
        return self.rows[places]

    def cannot_links(self, amount: int) -> IntArray:
        # The row at a position in class order is paired with all positions after its class.
        start = (self.start + self.sizes)[self.codes]
        stop = np.full(len(self.rows), len(self.rows))
        number = self.draw(int((stop - start).sum()), amount, "pairs of two classes")
        return self.rows[numbered_pairs(number, start, stop)]

    def must_links_of(self, label: int, amount: int) -> IntArray:
        size = int(self.sizes[label])
        number = self.draw(size * (size - 1) // 2, amount, f"must-links within class {self.names[label]!r}")
        return self.rows[int(self.start[label]) + _triangle(number)]

    def cannot_links_of(self, label: int, amount: int, taken: IntArray) -> IntArray:
        """Draw cannot-links between one class and the others, excluding those `taken` (positions, not rows)."""
        start, size = int(self.start[label]), int(self.sizes[label])
        others = len(self.rows) - size
        inside = (taken >= start) & (taken < start + size)
        touching = inside.any(axis=1)
        own = np.where(inside[:, 0], taken[:, 0], taken[:, 1])[touching]
        other = taken[touching].sum(axis=1) - own
        used = np.sort((own - start) * others + np.where(other < start, other, other - size))
        what = f"cannot-links out of class {self.names[label]!r}"
        number = self.draw(size * others - len(used), amount, what)
        number += np.searchsorted(used - np.arange(len(used)), number, side="right")  # skip used pairs
        own, other = np.divmod(number, max(others, 1))
        return np.column_stack([own + start, np.where(other < start, other, other + size)])


def _triangle(number: IntArray) -> IntArray:
    """Return the pair (i, j), i < j, whose number is j (j − 1) / 2 + i."""
    j = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) // 2).astype(np.int64)
    j -= j * (j - 1) // 2 > number  # correct rounding errors of the square root
    j += j * (j + 1) // 2 <= number
    return np.column_stack([number - j * (j - 1) // 2, j])


def _per_class(labeled: _Labeled, amount: int) -> IntArray:
    classes = range(len(labeled.names))
    must = [labeled.must_links_of(label, amount) for label in classes]
    cannot = np.empty((0, 2), dtype=np.int64)
    for label in classes:
        # A pair of two classes may be drawn for either class, but only once. There are always enough pairs: with s rows
        # in the smallest of k classes, amount ≤ s (s − 1) / 2, so that at most half of the (k − 1) s² pairs are taken.
        cannot = np.concatenate([cannot, labeled.cannot_links_of(label, amount, cannot)])
    return np.concatenate([*must, labeled.rows[cannot]])


def _all_pairs_of_items(labeled: _Labeled, amount: int) -> IntArray:
    return pairs_within(np.where(labeled.items(amount) >= 0, 0, -1))


def _disjoint_items(labeled: _Labeled, amount: int) -> IntArray:
    if amount % 2:
        raise ValueError(f"for how='disjoint_items' amount must be even, got {amount}.")
    return labeled.rng.permutation(np.flatnonzero(labeled.items(amount) >= 0)).reshape(-1, 2)


def _equal(labeled: _Labeled, amount: int) -> IntArray:
    return np.concatenate([labeled.must_links(amount), labeled.cannot_links(amount)])


SAMPLERS: dict[str, Callable[[_Labeled, int], IntArray]] = {
    "random_pairs": _Labeled.any_pairs,
    "per_class": _per_class,
    "labeled_items": _all_pairs_of_items,
    "disjoint_items": _disjoint_items,
    "equal": _equal,
    "links": _Labeled.must_links,
}


SCREENS = ("piles", "odd", "triplets", "quadruples")
"""Schemes that ask about several rows at once; `amount` is the number of questions."""

Distance = Callable[[IntArray, IntArray], Any]
Ties = str | Distance | None


def sample(y: Any, how: str, amount: int, error_rate: float, random_state: Any, size: int | None, ties: Ties) -> Parts:
    """Draw constraints from labels; see `Constraints.sample`."""
    if not isinstance(how, str):
        raise TypeError(f"how is {described(how)}. Labels come first: Constraints.sample(y, 'random_pairs', 60).")
    if how not in (*SAMPLERS, *SCREENS):
        raise ValueError(f"how = {how!r} is not known. Choose one of {', '.join([*SAMPLERS, *SCREENS])}.")
    if size is not None and how != "piles":
        raise ValueError(f"size = {size!r} is only for how='piles', not for {how!r}. Leave it out.")
    if ties is not None and how not in ("odd", "triplets", "quadruples"):
        raise ValueError(f"ties = {ties!r} is only for how='odd', 'triplets' and 'quadruples', not for {how!r}.")
    if not (ties in (None, "unsure", "coin") or callable(ties)):
        raise ValueError(f"ties = {ties!r} is not known. Choose 'unsure', 'coin' or a function of two arrays of rows.")
    amount = whole_number(amount, "amount")
    if not 0 <= error_rate <= 1:
        raise ValueError(f"error_rate must be between 0 and 1, got {error_rate!r}.")
    codes, names = encode_labels(y)
    rng = as_generator(random_state)
    labeled = _Labeled(codes, names, rng)
    if how == "piles":
        rows = 3 if size is None else whole_number(size, "size", least=2)
        return _sorted_into_piles(labeled, codes, amount, rows, error_rate)
    if how in SCREENS:
        draw = _odd_ones_out if how == "odd" else _compared
        screens = _screens(labeled, amount, 4 if how == "quadruples" else 3, how)
        return Parts(len(codes), comparisons=draw(screens, codes, "unsure" if ties is None else ties, error_rate, rng))
    if how == "labeled_items" and error_rate == 0:
        return Parts(
            len(codes),
            partitions=[Partition(labeled.items(amount), different_across=True, names=label_names(labeled.names))],
        )
    if how == "links":  # all are must-links, so the wrong ones are between two classes
        n_wrong = _n_wrong(amount, error_rate)
        links = labeled.must_links(amount - n_wrong), labeled.cannot_links(n_wrong)
        return Parts(len(codes), np.concatenate(links))
    pairs = SAMPLERS[how](labeled, amount)
    together: BoolArray = codes[pairs[:, 0]] == codes[pairs[:, 1]]
    together[rng.choice(len(pairs), size=_n_wrong(len(pairs), error_rate), replace=False)] ^= True
    return Parts(len(codes), pairs[together], pairs[~together])


def _screens(labeled: _Labeled, amount: int, size: int, how: str) -> IntArray:
    """Distinct questions about `size` labeled rows each; triplets and quadruples are returned as two pairs."""
    n, ways = len(labeled.rows), 3 if how in ("triplets", "quadruples") else 1
    total = comb(n, size) * ways
    if total < 2**62:
        number = labeled.draw(total, amount, f"questions about {size} labeled rows")
        number, way = np.divmod(number, ways)
        found = _numbered_combinations(number, size, n)
    else:  # too many for 64-bit numbers; duplicates are rare, and drawn again
        found, way = np.empty((0, size), dtype=np.int64), np.empty(0, dtype=np.int64)
        while len(found) < amount:
            more = np.sort(labeled.rng.integers(n, size=(amount - len(found) + 16, size)), axis=1)
            more = more[(np.diff(more, axis=1) > 0).all(axis=1)]
            drawn = np.column_stack([np.concatenate([found, more]),
                                     np.concatenate([way, labeled.rng.integers(ways, size=len(more))])])  # fmt: skip
            _, first = np.unique(drawn, axis=0, return_index=True)
            drawn = drawn[np.sort(first)][:amount]
            found, way = drawn[:, :-1], drawn[:, -1]
    rows = labeled.rows[found]
    if how == "odd" or how == "piles":
        return rows
    arranged = np.array([[0, 1, 0, 2], [1, 0, 1, 2], [2, 0, 2, 1]] if how == "triplets" else
                        [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2]])  # fmt: skip
    return np.take_along_axis(rows, arranged[way], axis=1)


def _numbered_combinations(number: IntArray, size: int, n: int) -> IntArray:
    """Combinations of `size` of the numbers below n, by their rank, each in ascending order.

    >>> _numbered_combinations(np.arange(4), 2, 3 + 1).tolist()
    [[0, 1], [0, 2], [1, 2], [0, 3]]
    """
    tables = [np.ones(n, dtype=np.int64)]
    for _ in range(size):  # tables[s][m] is the number of combinations of s of m
        tables.append(np.concatenate([[0], np.cumsum(tables[-1])[:-1]]))
    chosen = []
    for table in tables[:0:-1]:
        largest = np.searchsorted(table, number, side="right") - 1
        chosen.append(largest)
        number = number - table[largest]
    return np.column_stack(chosen[::-1])


def _sorted_into_piles(labeled: _Labeled, codes: IntArray, amount: int, size: int, error_rate: float) -> Parts:
    """Pairs of rows that are sorted into piles by class, with one row in the wrong pile in screens with errors."""
    rows = _screens(labeled, amount, size, "piles")
    piles = codes[rows]
    for screen in labeled.rng.choice(amount, size=_n_wrong(amount, error_rate), replace=False).tolist():
        moves = [
            (place, pile)
            for place in range(size)
            for pile in {*piles[screen].tolist(), len(labeled.names)} - {int(piles[screen, place])}
            if pile < len(labeled.names) or (piles[screen] == piles[screen, place]).sum() > 1
        ]
        place, pile = moves[labeled.rng.integers(len(moves))]
        piles[screen, place] = pile
    left, right = np.array(list(combinations(range(size), 2))).T
    pairs = np.stack([rows[:, left], rows[:, right]], axis=2).reshape(-1, 2)
    together = (piles[:, left] == piles[:, right]).ravel()
    return Parts(len(codes), pairs[together], pairs[~together])


def _compared(four: IntArray, codes: IntArray, ties: Ties, error_rate: float, rng: np.random.Generator) -> Comparisons:
    """Answers to "which of two pairs is more similar?": the pair within a class, if the other is between classes."""
    first, second = codes[four[:, 0]] == codes[four[:, 1]], codes[four[:, 2]] == codes[four[:, 3]]
    decided: IntArray = np.flatnonzero(first != second)
    tied: IntArray = np.flatnonzero(first == second)
    turned = second & ~first
    turned[rng.choice(decided, size=_n_wrong(len(decided), error_rate), replace=False)] ^= True
    if ties == "coin":
        turned[tied] = rng.random(len(tied)) < 0.5
    elif callable(ties):
        turned[tied] = _distances(ties, four[tied, 2], four[tied, 3]) < _distances(ties, four[tied, 0], four[tied, 1])
    answered = decided if ties == "unsure" else np.arange(len(four))
    pairs = np.where(turned[:, None], four[:, [2, 3, 0, 1]], four)
    return Comparisons(len(codes), pairs=pairs[answered], unsure=four[tied] if ties == "unsure" else ())


def _odd_ones_out(
    three: IntArray, codes: IntArray, ties: Ties, error_rate: float, rng: np.random.Generator
) -> Comparisons:
    """Answers to "which of three rows is the odd one out?": the row whose class differs from that of the others."""
    others = np.array([[1, 2], [0, 2], [0, 1]])  # the other two positions for each position
    labels = codes[three]
    alike = labels[:, others[:, 0]] == labels[:, others[:, 1]]
    odd = alike.argmax(axis=1)
    decided: IntArray = np.flatnonzero(alike.sum(axis=1) == 1)
    tied: IntArray = np.flatnonzero(alike.sum(axis=1) != 1)
    wrong = rng.choice(decided, size=_n_wrong(len(decided), error_rate), replace=False)
    odd[wrong] = (odd[wrong] + rng.integers(1, 3, size=len(wrong))) % 3
    if ties == "coin":
        odd[tied] = rng.integers(3, size=len(tied))
    elif callable(ties):
        apart = [_distances(ties, three[tied, left], three[tied, right]) for left, right in others]
        odd[tied] = np.argmin(apart, axis=0)
    answers: list[int | None] = three[np.arange(len(three)), odd].tolist()
    if ties == "unsure":
        for screen in tied.tolist():
            answers[screen] = None
    return Comparisons.from_odd(len(codes), three.tolist(), answers)


def _distances(measure: Distance, left: IntArray, right: IntArray) -> FloatArray:
    """Evaluate and check the function `ties` on some pairs of rows."""
    found = np.asarray(measure(left, right), dtype=np.float64)
    if found.shape != left.shape:
        raise ValueError(
            f"ties returned shape {found.shape} for {len(left)} pairs of rows. Return one distance for each pair."
        )
    return found


def sample_preferences(
    pool: Sequence[Any], y: Any, amount: int, shown: int | None, error_rate: float, random_state: Any
) -> Parts:
    """Draw preferences between clusterings; see `Constraints.sample_preferences`."""
    amount = whole_number(amount, "amount")
    if not 0 <= error_rate <= 1:
        raise ValueError(f"error_rate must be between 0 and 1, got {error_rate!r}.")
    codes, _ = encode_labels(y)
    labelings = [encode_labels(labels)[0] for labels in pool]
    for number, labels in enumerate(labelings):
        if len(labels) != len(codes):
            raise ValueError(f"pool[{number}] has {len(labels):,} labels, y has {len(codes):,}. Label the same rows.")
    if len(labelings) < 2:
        raise ValueError(f"pool has {len(labelings)} clusterings. Pass at least two.")
    rng = as_generator(random_state)
    known = np.flatnonzero(codes >= 0)
    n_shown = len(known) if shown is None else min(whole_number(shown, "shown", least=2), len(known))
    wrong = rng.permutation(amount) < _n_wrong(amount, error_rate)
    sampled: list[Preference] = []
    for _ in range(100 * amount):
        if len(sampled) == amount:
            break
        rows = rng.choice(known, n_shown, replace=False)
        first, second = (labelings[number][rows] for number in rng.choice(len(labelings), 2, replace=False))
        right = [_n_right(labels, codes[rows]) for labels in (first, second)]
        if right[0] == right[1]:
            continue
        whole = [np.full(len(codes), -1, dtype=np.int64) for _ in range(2)]
        whole[0][rows], whole[1][rows] = first, second
        better, worse = whole if (right[0] > right[1]) != wrong[len(sampled)] else whole[::-1]
        sampled.append(Preference(better, worse))
    if len(sampled) < amount:
        raise ValueError(
            f"only {len(sampled):,} of {amount:,} preferences were found: most clusterings of the pool are equally "
            f"good on {n_shown} rows. Show more rows, or pass clusterings that differ more."
        )
    return Parts(len(codes), preferences=sampled)


def _n_right(labels: IntArray, y: IntArray) -> int:
    """The number of ordered pairs of rows on which a clustering agrees with the classes, up to a constant."""
    return 2 * pairs_together(labels, y) - pairs_together(labels)


def _n_wrong(count: int, error_rate: float) -> int:
    return ceil(count * error_rate - 1e-9)  # 100 · 0.07 is 7.000000000000001 in floating point


def as_generator(random_state: Any) -> np.random.Generator:
    """Return a Generator for a seed, a Generator, a RandomState or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, size=8))
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state = {random_state!r} is not a seed. Pass None, an int, a Generator or a RandomState."
        ) from None
