"""The axes of the curves: the size that grows, and the sizes that stay fixed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from likewise import Constraints
from likewise._methods import all_methods, clusterer, method_named, reducer

from ..data import blobs, documents


def methods() -> list[str]:
    """All methods with a curve: those of the registry that state how their cost grows."""
    return [method.name for method in all_methods() if method.cost is not None]


@dataclass(frozen=True)
class Problem:
    """The size of the data, the hints, and the output of a method.

    Attributes
    ----------
    n, f : int
        Rows and columns.
    hints : int
        Half of them must-links, half cannot-links, of ten classes.
    width : int
        Directions of a projection, or clusters.
    sparse : bool
        Whether rows are like texts, some 80 words each, or dense.
    """

    n: int = 1000
    f: int = 100
    hints: int = 200
    width: int = 10
    sparse: bool = False

    def drawn(self) -> tuple[Any, Constraints]:
        """The rows and the hints."""
        X, y = documents(self.n, self.f, n_topics=10, length=60) if self.sparse else blobs(self.n, self.f)
        return X, Constraints.sample(y, "equal", self.hints // 2, random_state=0)

    def model(self, method: str, X: Any) -> Any:
        """The method with default settings for these rows."""
        build = reducer if method_named(method).reduces else clusterer
        return build(method, X, self.width, 0)


TINY = Problem(n=150, f=20, hints=40, width=3)
"""For the quick run."""


@dataclass(frozen=True)
class Axis:
    """A size that grows along a curve.

    Attributes
    ----------
    title : str
        What grows, in words.
    grows : str
        The field of :class:`Problem` that does.
    base : Problem
        What stays.
    values, tiny : tuples of int
        Where a curve is measured, and where the quick run does it.
    """

    title: str
    grows: str
    base: Problem
    values: tuple[int, ...]
    tiny: tuple[int, ...]

    @property
    def fixed(self) -> str:
        """Description of the fixed sizes."""
        words = {"n": "n = {:,}", "f": "f = {:,}", "hints": "{:,} hints", "width": "r = k = {}"}
        stays = (text.format(getattr(self.base, name)) for name, text in words.items() if name != self.grows)
        return ", ".join([*stays, *(["sparse"] if self.base.sparse else [])])

    def problem(self, value: int, quick: bool = False) -> Problem:
        """The problem at a point of the curve."""
        base = replace(TINY, sparse=self.base.sparse) if quick else self.base
        return replace(base, **{self.grows: value})


def curves(names: Iterable[str] = (), axes: Iterable[str] = ()) -> list[tuple[str, str]]:
    """The methods and their axes, method by method; by default all.

    A method that does not use constraints has no curve along them.
    """
    pairs = product(tuple(names) or methods(), tuple(axes) or AXES)
    return [(name, axis) for name, axis in pairs if axis != "hints" or method_named(name).uses_constraints]


DECADES = (100, 1000, 10_000, 100_000)
HALF_DECADES = (1000, 3162, 10_000, 31_623, 100_000, 316_228, 1_000_000)

AXES: dict[str, Axis] = {
    "rows": Axis("rows n", "n", Problem(), HALF_DECADES, (100,)),
    "columns": Axis("columns f, dense", "f", Problem(), DECADES, (30,)),
    "sparse": Axis("columns f, sparse", "f", Problem(sparse=True), DECADES, (30,)),
    "hints": Axis("hints", "hints", Problem(n=4000), (10, *DECADES, 1_000_000), (100,)),
    "width": Axis("directions r or clusters k", "width", Problem(n=4000, f=300, hints=2000), (3, 10, 30, 100), (4,)),
}
