"""Preprocessing of tables, texts and images to numeric features, and reading files.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> from likewise.prepare import read_table
>>> with TemporaryDirectory() as folder:
...     path = Path(folder, "people.csv")
...     lines = ["id,age,height,town", "ann,31,1.70,Rome", "bob,54,1.82,Oslo", "cy,29,1.65,Rome", "di,60,1.90,Oslo"]
...     _ = path.write_text("\\n".join(lines))
...     rows = read_table(path)
>>> rows.ids, rows.X.shape
(['ann', 'bob', 'cy', 'di'], (4, 4))
>>> rows.feature_names
('age', 'height', 'town=Oslo', 'town=Rome')
>>> print(rows.description)
2 columns of numbers, standardized; 1 category with 2 levels, one column each; each column counts the same
"""

from ..tables import MissingExtraError as MissingExtraError
from ..tables import write_columns as write_columns
from ._kinds import DataKind as DataKind
from ._kinds import kind_of as kind_of
from ._reading import Rows as Rows
from ._reading import read_like as read_like
from ._reading import read_table as read_table
from ._table_features import TableFeatures as TableFeatures
from ._text import TextFeatures as TextFeatures
