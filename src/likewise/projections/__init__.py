"""Linear dimension reduction with constraints.

Each method is one file that defines its two forms; :class:`Projection` does the rest.
"""

from ._asp import ASP as ASP
from ._base import Projection as Projection
from ._comparison import ComparisonProjection as ComparisonProjection
from ._costco import Costco as Costco
from ._dca import DCA as DCA
from ._dsp import DSP as DSP
from ._gcdr import GCDR as GCDR
from ._lpp import LPP as LPP
from ._lppsi import LPPSI as LPPSI
from ._rca import RCA as RCA
from ._screen import SCREEN as SCREEN
from ._slpp import SLPP as SLPP
from ._ssdr import SSDR as SSDR
