"""The data sets of the papers, each in one form and checked against one table.

Here belongs what reads or fetches a data set and says what is in it. It knows nothing of methods.

>>> from likewise import datasets
>>> iris = datasets.load("iris")
>>> iris
Dataset(iris: 150 rows × 4 features, 3 classes)
>>> iris.counts
{'setosa': 50, 'versicolor': 50, 'virginica': 50}

Some come with scikit-learn, some it can fetch, and some you have to bring. They are found as files in the
folder that you give to :func:`load`, or that the environment variable ``LIKEWISE_DATA`` names:

- ``NAME.npz`` with arrays ``X`` (n, f), ``y`` (n,) integers from 0, −1 for unknown, and
  ``target_names``; if there are any, ``feature_names``, ``ids``, ``links`` (m, 2) row numbers from citing to cited, and
  ``image_shape``. Every other array has one entry a row.
- ``NAME.jsonl.gz`` with one JSON object a line: ``id``, ``text``, ``label``, and whatever else there is for every row.
"""

from ._catalog import names as names
from ._dataset import Dataset as Dataset
from ._loading import DatasetError as DatasetError
from ._loading import DatasetNotFoundError as DatasetNotFoundError
from ._loading import load as load
