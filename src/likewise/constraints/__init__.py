"""Must-links, cannot-links, partitions, comparisons and preferences over the rows of a data set, with weights.

This package validates constraints, computes their closure, finds and removes conflicts, samples constraints from
labels, and reads and writes files. It does not use the features; how constraints act on data is defined by other
packages.
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
