"""One paper a file: each states its two forms, and :class:`Projection` does the rest.

Here belong linear maps learned from hints. Learned distances and clusterings live elsewhere.
"""

from .asp import ASP
from .base import Projection
from .costco import Costco
from .dca import DCA
from .dsp import DSP
from .gcdr import GCDR
from .lpp import LPP, LPPSI, SLPP
from .rca import RCA
from .screen import SCREEN
from .ssdr import SSDR

__all__ = [
    "ASP",
    "DCA",
    "DSP",
    "GCDR",
    "LPP",
    "LPPSI",
    "RCA",
    "SCREEN",
    "SLPP",
    "SSDR",
    "Costco",
    "Projection",
]
