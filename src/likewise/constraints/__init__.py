"""What the person knows: pairs, partial labels and degrees of belief.

This room checks hints (nobody else does), closes them, finds and repairs contradictions, draws them from
labels and keeps them in files. It knows nothing of features: what a hint does to data is for the rooms
after it.
"""

from .closure import Closure
from .conflicts import Conflict, ConstraintConflictError
from .constraints import Constraints
from .partition import Partition

__all__ = ["Closure", "Conflict", "ConstraintConflictError", "Constraints", "Partition"]
