"""What pages share, whoever writes them: the map of points that a browser draws, its gestures, colors and style.

A page knows nothing of models. ``web/`` holds ES modules and a style sheet: the studio serves them as files, the report
puts them into its one file.
"""

from ._assets import asset as asset
from ._assets import asset_names as asset_names
from ._assets import inlined as inlined
from ._packing import GRID as GRID
from ._packing import on_grid as on_grid
from ._packing import packed as packed
from ._palette import palette as palette
