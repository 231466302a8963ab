"""Static pictures for papers, as PNG or SVG; one picture a file.

Every picture is a matplotlib ``Figure``, written as well where ``path`` is given; ``save`` writes one later. matplotlib
loads when a picture is drawn, not before.
"""

from ._curves import curves as curves
from ._curves import learning_curve as learning_curve
from ._drawing import save as save
from ._kept import constraints_kept as constraints_kept
from ._members import diversity_quality as diversity_quality
from ._scatter import before_and_after as before_and_after
from ._scatter import scatter as scatter
from ._shares import eigenvalue_share as eigenvalue_share
