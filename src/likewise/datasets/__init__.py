"""The data sets of the papers, in a common format and checked against a catalog.

>>> from likewise import datasets
>>> iris = datasets.load("iris")
>>> iris
Dataset(iris: 150 rows × 4 features, 3 classes)
>>> iris.counts
{'setosa': 50, 'versicolor': 50, 'virginica': 50}

Some data sets come with scikit-learn, some can be fetched by it, and some you have to provide. These are read from the
folder that is passed to :func:`load`, or that the environment variable ``LIKEWISE_DATA`` names:

- ``NAME.npz`` with arrays ``X`` (n, f), ``y`` (n,) integers from 0, −1 for unknown, and
  ``target_names``; optionally ``feature_names``, ``ids``, ``links`` (m, 2) row numbers from citing to cited, and
  ``image_shape``. Every other array has one entry per row.
- ``NAME.jsonl.gz`` with one JSON object per line: ``id``, ``text``, ``label``, and optionally other values.
"""

from ._catalog import names as names
from ._dataset import Dataset as Dataset
from ._loading import DatasetError as DatasetError
from ._loading import DatasetNotFoundError as DatasetNotFoundError
from ._loading import load as load
