"""Rows that are read leaf by leaf: what looks at all rows folds, maps or takes them, with the same bits each time.

Here belong ways to read rows that need not lie in one place, and sums over all of them.
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
