"""What an exponent has to be: what the method's own equations ask for, with what is known of solving them."""

from __future__ import annotations

from dataclasses import dataclass, field

from .axes import AXES

WORSE = 0.25
"""A fitted exponent that is larger by more than this counts as worse."""


@dataclass(frozen=True)
class Family:
    """Methods whose cost has one shape, and the exponent it has along each axis.

    ``why`` says where the costliest part comes from. ``more`` holds single methods that need more than their family.
    """

    methods: tuple[str, ...]
    why: str
    needs: dict[str, float]
    more: dict[tuple[str, str], float] = field(default_factory=dict)


def linear(**more: float) -> dict[str, float]:
    """One along every axis, but for those named."""
    return dict.fromkeys(AXES, 1.0) | more


FAMILIES: dict[str, Family] = {
    "projections": Family(
        ("asp", "screen", "costco", "ssdr", "slpp", "rca", "dca"),
        "products with X; an eigenproblem of the smaller side of X, whose size is fixed along each axis",
        linear(),
    ),
    "projections on neighbors": Family(
        ("dsp", "gcdr", "lpp", "lppsi"),
        "exact neighbors in 100 columns look at all pairs of rows; DSP factors the kernel of the linked rows",
        linear(rows=2.0),
        {("dsp", "hints"): 3.0},
    ),
    "k-means": Family(
        ("spherical", "cop", "pck", "mpck", "project", "ensemble"),
        "rows × columns × clusters an iteration, and each hint once",
        linear(),
    ),
    "the front door": Family(
        ("likewise",),
        "exact neighbors of up to 10,000 landmarks look at all pairs of them; other rows join the nearest landmarks",
        linear(rows=2.0, width=2.0),
    ),
    "normalized cuts": Family(
        ("nc", "c-nc", "rl-nc", "rlc-nc"),
        "exact neighbors look at all pairs of rows; k-means of k eigenvectors costs k²",
        linear(rows=2.0, width=2.0),
    ),
    "all distances": Family(
        ("kernel", "skk", "lo-nc", "glo-nc"),
        "a number for each pair of rows; SKK-means factors the kernel of the linked rows",
        linear(rows=2.0, width=2.0),
        {("skk", "hints"): 3.0},
    ),
}

BECAUSE: dict[tuple[str, str], str] = {}
"""Why a method is worse than needed along an axis, where somebody has found out."""


def family_of(method: str) -> Family:
    """The family a method belongs to."""
    for family in FAMILIES.values():
        if method in family.methods:
            return family
    raise KeyError(f"{method!r} is in no family. Say in mathematics.py what its cost has to be.")


def needed(method: str, axis: str) -> float:
    """The exponent that the mathematics asks for."""
    family = family_of(method)
    return family.more.get((method, axis), family.needs[axis])
