"""The one solver: which directions make one form small and another large.

Here belong :class:`Pencil`, its three routes, the rule that chooses among them, and what all routes share: ties, signs,
scaling, truncation. Nothing here knows a paper.
"""

from ..linalg._eigen import orthonormal_rows as orthonormal_rows
from ._pencil import Directions as Directions
from ._pencil import Pencil as Pencil
from ._pencil import Route as Route
from ._pencil import choose_route as choose_route
from ._solve import solve_pencil as solve_pencil
