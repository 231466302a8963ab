"""Static pictures for papers, as PNG, SVG or PDF.

Every function returns a matplotlib ``Figure``, and writes it where ``path`` is given; ``save`` writes one later.
matplotlib loads when a picture is drawn, not before.
"""

from .._palette import palette as palette
from ._curves import curves as curves
from ._curves import learning_curve as learning_curve
from ._drawing import save as save
from ._kept import constraints_kept as constraints_kept
from ._members import diversity_quality as diversity_quality
from ._scatter import before_and_after as before_and_after
from ._scatter import scatter as scatter
from ._shares import eigenvalue_share as eigenvalue_share
