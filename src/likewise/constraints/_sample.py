"""Constraints drawn from known labels, as papers draw them."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

import numpy as np

from .._arrays import BoolArray, IntArray
from ._partition import Partition, Parts, numbered_pairs, pairs_within
from ._validate import encode_labels, whole_number


class _Labeled:
    """The labeled rows in order of class, and their pairs by number: none is written out to draw some."""

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
        """Draw distinct numbers below `total`, in memory of the order of `amount`."""
        if amount > total:
            raise ValueError(f"cannot draw {amount:,} distinct {what}: there are {total:,}. Ask for at most {total:,}.")
        return self.rng.choice(total, size=amount, replace=False, shuffle=False)

    def items(self, amount: int) -> IntArray:
        """Draw rows; return the codes of all rows, −1 where not drawn."""
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
        # The row at a place in class order is paired with all places after its class.
        start = (self.start + self.sizes)[self.codes]
        stop = np.full(len(self.rows), len(self.rows))
        number = self.draw(int((stop - start).sum()), amount, "pairs of two classes")
        return self.rows[numbered_pairs(number, start, stop)]

    def must_links_of(self, label: int, amount: int) -> IntArray:
        size = int(self.sizes[label])
        number = self.draw(size * (size - 1) // 2, amount, f"must-links within class {self.names[label]!r}")
        return self.rows[int(self.start[label]) + _triangle(number)]

    def cannot_links_of(self, label: int, amount: int, taken: IntArray) -> IntArray:
        """Draw cannot-links out of one class that are not among those `taken` (places, not rows)."""
        start, size = int(self.start[label]), int(self.sizes[label])
        others = len(self.rows) - size
        inside = (taken >= start) & (taken < start + size)
        touching = inside.any(axis=1)
        own = np.where(inside[:, 0], taken[:, 0], taken[:, 1])[touching]
        other = taken[touching].sum(axis=1) - own
        used = np.sort((own - start) * others + np.where(other < start, other, other - size))
        what = f"cannot-links out of class {self.names[label]!r}"
        number = self.draw(size * others - len(used), amount, what)
        number += np.searchsorted(used - np.arange(len(used)), number, side="right")  # step over the used
        own, other = np.divmod(number, max(others, 1))
        return np.column_stack([own + start, np.where(other < start, other, other + size)])


def _triangle(number: IntArray) -> IntArray:
    """Return the pair (i, j), i < j, whose number is j (j − 1) / 2 + i."""
    j = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) // 2).astype(np.int64)
    j -= j * (j - 1) // 2 > number  # the root is rounded: put it right on either side
    j += j * (j + 1) // 2 <= number
    return np.column_stack([number - j * (j - 1) // 2, j])


def _per_class(labeled: _Labeled, amount: int) -> IntArray:
    classes = range(len(labeled.names))
    must = [labeled.must_links_of(label, amount) for label in classes]
    cannot = np.empty((0, 2), dtype=np.int64)
    for label in classes:
        # A pair of two classes may be drawn for either, but only once. There are always enough: with s rows
        # in the smallest of k classes amount ≤ s (s − 1) / 2: at most half of the (k − 1) s² pairs are gone.
        cannot = np.concatenate([cannot, labeled.cannot_links_of(label, amount, cannot)])
    return np.concatenate([*must, labeled.rows[cannot]])


def _all_pairs_of_items(labeled: _Labeled, amount: int) -> IntArray:
    return pairs_within(np.where(labeled.items(amount) >= 0, 0, -1))


def _disjoint_items(labeled: _Labeled, amount: int) -> IntArray:
    if amount % 2:
        raise ValueError(f"disjoint_items pairs items two by two: amount must be even, got {amount}.")
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


def sample(y: Any, how: str, amount: int, error_rate: float, random_state: Any) -> Parts:
    """Draw constraints from labels; see `Constraints.sample`."""
    if how not in SAMPLERS:
        raise ValueError(f"how = {how!r} is not known. Choose one of {', '.join(SAMPLERS)}.")
    amount = whole_number(amount, "amount")
    if not 0 <= error_rate <= 1:
        raise ValueError(f"error_rate must be between 0 and 1, got {error_rate!r}.")
    codes, names = encode_labels(y)
    rng = as_generator(random_state)
    labeled = _Labeled(codes, names, rng)
    if how == "labeled_items" and error_rate == 0:
        return Parts(len(codes), partitions=[Partition(labeled.items(amount), different_across=True)])
    if how == "links":  # all of them are called must-links, so a wrong one joins two classes
        n_wrong = _n_wrong(amount, error_rate)
        links = labeled.must_links(amount - n_wrong), labeled.cannot_links(n_wrong)
        return Parts(len(codes), np.concatenate(links))
    pairs = SAMPLERS[how](labeled, amount)
    together: BoolArray = codes[pairs[:, 0]] == codes[pairs[:, 1]]
    together[rng.choice(len(pairs), size=_n_wrong(len(pairs), error_rate), replace=False)] ^= True
    return Parts(len(codes), pairs[together], pairs[~together])


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
            f"random_state = {random_state!r} is no seed. Pass None, an int, a Generator or a RandomState."
        ) from None
