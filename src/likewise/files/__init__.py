"""A person's own data: from a file or a folder to rows that can be clustered, and results back to files.

Here belong the readers, one format a file; and the recipe that turns columns into numbers and can be applied again
to new data.

>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> from likewise.files import read_table
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
2 columns of numbers, standardised; 1 category with 2 levels, one column each; all parts brought to the same total
variance
"""

from .extras import MissingExtra
from .reading import SUFFIXES, read_like, read_table
from .recipe import Recipe
from .rows import Rows
from .writing import write_columns

__all__ = [
    "SUFFIXES",
    "MissingExtra",
    "Recipe",
    "Rows",
    "read_like",
    "read_table",
    "write_columns",
]
