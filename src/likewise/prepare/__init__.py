"""A person's own data: from a file or a folder to rows that can be clustered, and results back to files.

Here belong the readers, one format a file; and the recipe that turns columns into numbers and can be applied again
to new data.

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
>>> print(rows.recipe)
2 columns of numbers, standardized; 1 category with 2 levels, one column each; all parts brought to the same total
variance
"""

from ..prepare._reading import read_like as read_like
from ..prepare._reading import read_table as read_table
from ..prepare._recipe import Recipe as Recipe
from ..prepare._rows import Rows as Rows
from ..tables import MissingExtraError as MissingExtraError
from ..tables import write_columns as write_columns
from ._text import TextFeatures as TextFeatures
