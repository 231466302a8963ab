"""What an exponent has to be: what the method's own equations ask for, as its class says (``Method.cost``)."""

from __future__ import annotations

from likewise._method import Cost
from likewise._methods import method_named

from .axes import AXES, methods

WORSE = 0.25
"""A fitted exponent that is larger by more than this counts as worse."""

EXPONENT = {"n": "rows", "f": "columns", "hints": "constraints", "width": "width"}
"""Which exponent of a :class:`~likewise._method.Cost` belongs to what grows along an axis."""

BECAUSE: dict[tuple[str, str], str] = {}
"""Why a method is worse than needed along an axis, where somebody has found out."""


def families() -> dict[str, list[str]]:
    """Methods whose cost has one shape, by the name of that shape."""
    found: dict[str, list[str]] = {}
    for name in methods():
        found.setdefault(cost_of(name).family, []).append(name)
    return found


def cost_of(method: str) -> Cost:
    """How the running time of a method has to grow."""
    cost = method_named(method).cost
    if cost is None:
        raise KeyError(f"{method!r} does not say how its cost grows. Give its class one: Method(..., cost=...).")
    return cost


def needed(method: str, axis: str) -> float:
    """The exponent that the mathematics asks for."""
    return getattr(cost_of(method), EXPONENT[AXES[axis].grows])
