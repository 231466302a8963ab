"""The one solver: which directions make one form small and another large.

Here belong :class:`Pencil`, its three routes, the rule that chooses among them, and what all routes share: ties, signs,
scaling, truncation. Nothing here knows a paper.
"""

from .basis import orthonormal_rows
from .pencil import Directions, Pencil
from .routes import Route, choose_route
from .solve import solve_pencil

__all__ = ["Directions", "Pencil", "Route", "choose_route", "orthonormal_rows", "solve_pencil"]
