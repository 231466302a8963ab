"""Saving and loading fitted models, in files that are safe to open even if they come from an untrusted source.

A model file is a zip archive of ``model.json`` and ``arrays.npz`` with a version and checksums, without pickle; it is
documented in ``docs/model-file.md``. The attributes that are stored are declared on each class (``_saved``); nothing
else is read or set.

>>> from tempfile import TemporaryDirectory
>>> from sklearn.datasets import load_iris
>>> from likewise import ProjectThenCluster
>>> from likewise.models import load, save
>>> X, y = load_iris(return_X_y=True)
>>> model = ProjectThenCluster(3, random_state=0).fit(X, y)
>>> with TemporaryDirectory() as folder:
...     _ = save(f"{folder}/iris.likewise", model, meta={"seed": 0})
...     again = load(f"{folder}/iris.likewise")
>>> bool((again.model.predict(X) == model.predict(X)).all()), again.meta
(True, {'seed': 0})
"""

from ._format import FORMAT as FORMAT
from ._format import ModelFileError as ModelFileError
from ._state import SavedModel as SavedModel
from ._state import can_save as can_save
from ._state import load as load
from ._state import save as save
