"""likewise finds the clusters a person means.

Tell it which items are the same and which differ, or a few labels; it learns a small linear space in which those
clusters are plain to see.

>>> from sklearn.cluster import KMeans
>>> from sklearn.datasets import load_iris
>>> import likewise
>>> X, y = load_iris(return_X_y=True)
>>> hints = likewise.Constraints.sample(y, "random_pairs", 60, random_state=0)
>>> Z = likewise.Costco(n_components=2).fit_transform(X, constraints=hints)
>>> labels = KMeans(3, n_init=10, random_state=0).fit_predict(Z)
>>> likewise.evaluation.rand_index(y, labels) > 0.9
True
"""

from . import evaluation
from .constraints import Conflict, ConstraintConflictError, Constraints, Partition
from .graphs import kernel_null_space
from .projections import ASP, DCA, DSP, GCDR, LPP, LPPSI, RCA, SCREEN, SLPP, SSDR, Costco

__version__ = "0.1.0.dev0"

__all__ = [
    "ASP",
    "DCA",
    "DSP",
    "GCDR",
    "LPP",
    "LPPSI",
    "RCA",
    "SCREEN",
    "SLPP",
    "SSDR",
    "Conflict",
    "ConstraintConflictError",
    "Constraints",
    "Costco",
    "Partition",
    "evaluation",
    "kernel_null_space",
]
