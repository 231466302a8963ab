"""Web components shared by the report and the studio: the map of points, its gestures, colors and style.

Nothing here depends on models. ``web/`` has ES modules and a style sheet: the studio serves them as files, and the
report includes them in its single file.
"""

from ._assets import asset as asset
from ._assets import asset_names as asset_names
from ._assets import inlined as inlined
from ._packing import GRID as GRID
from ._packing import on_grid as on_grid
from ._packing import packed as packed
from ._palette import palette as palette
