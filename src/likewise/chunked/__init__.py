"""Out-of-core rows: data in files, in Dask collections or on a GPU that is read in blocks of rows, called leaves.

Algorithms process such rows by a function of a leaf, whose results are summed (:meth:`Chunked.fold`) or concatenated
(:meth:`Chunked.map`). Results are bitwise reproducible.
"""

from ._dask import DaskRows as DaskRows
from ._device import OnDevice as OnDevice
from ._files import RowFiles as RowFiles
from ._fold import LEAF as LEAF
from ._fold import Chunked as Chunked
from ._fold import InMemory as InMemory
from ._fold import LinearImage as LinearImage
from ._fold import Mapped as Mapped
from ._moments import Moments as Moments
from ._moments import moments as moments
