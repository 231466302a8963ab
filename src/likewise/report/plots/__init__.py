"""Static pictures for papers, as PNG or SVG; one picture a file.

Every picture is a matplotlib ``Figure``, written as well where ``path`` is given; ``save`` writes one later. matplotlib
loads when a picture is drawn, not before.
"""

from .curves import curves, learning_curve
from .drawing import save
from .kept import constraints_kept
from .members import diversity_quality
from .scatter import before_and_after, scatter
from .shares import eigenvalue_share

__all__ = [
    "before_and_after",
    "constraints_kept",
    "curves",
    "diversity_quality",
    "eigenvalue_share",
    "learning_curve",
    "save",
    "scatter",
]
