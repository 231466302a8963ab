"""What the person knows: pairs, partial labels and degrees of belief.

This room checks hints (nobody else does), closes them, finds and repairs contradictions, draws them from
labels and keeps them in files. It knows nothing of features: what a hint does to data is for the rooms
after it.
"""

from ._closure import Closure as Closure
from ._conflicts import Conflict as Conflict
from ._conflicts import ConstraintConflictError as ConstraintConflictError
from ._constraints import Constraints as Constraints
from ._partition import Partition as Partition
from ._records import UnknownIdError as UnknownIdError
