"""Required exponents: those of the equations of each method, as its class states them (``Method.cost``)."""

from __future__ import annotations

from likewise._method import Cost
from likewise._methods import method_named

from .axes import AXES, methods

WORSE = 0.25
"""A fitted exponent counts as worse if it is larger than required by more than this."""

EXPONENT = {"n": "rows", "f": "columns", "hints": "constraints", "width": "width"}
"""The exponent of :class:`~likewise._method.Cost` for what grows along each axis."""

BECAUSE: dict[tuple[str, str], str] = {}
"""Known reasons for exponents that are larger than required."""


def families() -> dict[str, list[str]]:
    """Methods with the same form of cost, by its name."""
    found: dict[str, list[str]] = {}
    for name in methods():
        found.setdefault(cost_of(name).family, []).append(name)
    return found


def cost_of(method: str) -> Cost:
    """The required cost of a method."""
    cost = method_named(method).cost
    if cost is None:
        raise KeyError(f"{method!r} does not say how its cost grows. Give its class one: Method(..., cost=...).")
    return cost


def needed(method: str, axis: str) -> float:
    """The required exponent."""
    return getattr(cost_of(method), EXPONENT[AXES[axis].grows])
