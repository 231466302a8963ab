"""Reading and writing files: one reader per format, for data, hints and links; missing values; writing results.

A reader is a function of a path and an encoding that returns a :class:`RawTable`. Each has its own module, and one line
in ``FORMATS``.
"""

from ._cells import as_numbers as as_numbers
from ._cells import as_texts as as_texts
from ._cells import is_missing_cell as is_missing_cell
from ._extras import MissingExtraError as MissingExtraError
from ._extras import extra as extra
from ._raw import RawTable as RawTable
from ._reading import FORMATS as FORMATS
from ._reading import read_raw as read_raw
from ._writing import checked_suffix as checked_suffix
from ._writing import write_columns as write_columns
from ._writing import write_delimited as write_delimited
