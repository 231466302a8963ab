"""The solver that all linear methods share: directions that make one form small and another large.

A :class:`Pencil` holds the two forms, and :func:`solve_pencil` solves it by one of three routes, which
:func:`choose_route` selects. All routes handle ties, signs, scaling and truncation alike. Nothing here depends on a
particular method.
"""

from ..linalg._eigen import orthonormal_rows as orthonormal_rows
from ._pencil import Directions as Directions
from ._pencil import Pencil as Pencil
from ._pencil import Route as Route
from ._pencil import choose_route as choose_route
from ._solve import solve_pencil as solve_pencil
