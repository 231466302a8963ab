"""Static figures, as PNG, SVG or PDF.

Every function returns a matplotlib ``Figure``, and saves it if ``path`` is given; ``save`` saves one later. matplotlib
is imported only when a figure is drawn.
"""

from ...page import palette as palette
from ._figures import save as save
from ._plots import before_after as before_after
from ._plots import constraints_kept as constraints_kept
from ._plots import diversity_quality as diversity_quality
from ._plots import eigenvalue_share as eigenvalue_share
from ._plots import learning_curve as learning_curve
from ._plots import scatter as scatter
