"""Constraints: must-links, cannot-links and partitions of rows, comparisons and preferences, with weights.

This subpackage validates them (no other does), closes them, finds and repairs contradictions, draws them from labels
and keeps them in files. It knows nothing of features: what constraints mean for data is for the subpackages after it.
"""

from ._closure import Closure as Closure
from ._comparisons import Comparisons as Comparisons
from ._conflicts import Conflict as Conflict
from ._conflicts import ConstraintConflictError as ConstraintConflictError
from ._constraints import Constraints as Constraints
from ._io import UnknownIdError as UnknownIdError
from ._orders import ComparisonConflict as ComparisonConflict
from ._partition import Partition as Partition
from ._preference import Preference as Preference
