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

Names load when they are first used, so that a command line that only prints its help stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_ROOMS = {
    "constraints": ("Conflict", "ConstraintConflictError", "Constraints", "Partition"),
    "datasets": (),
    "sources": (),
    "text": ("TextFeatures",),
    "graphs": ("kernel_null_space",),
    "projections": ("ASP", "DCA", "DSP", "GCDR", "LPP", "LPPSI", "RCA", "SCREEN", "SLPP", "SSDR", "Costco"),
    "metric": ("XingMetric",),
    "clustering": (
        "COPKMeans",
        "ChainedClusterer",
        "ConstrainedNormalizedCut",
        "KernelKMeans",
        "MPCKMeans",
        "NetworkedDocuments",
        "NormalizedCut",
        "PCKMeans",
        "PlacementError",
        "ProjectThenCluster",
        "SKKMeans",
        "SphericalKMeans",
        "SubspaceMetricEnsemble",
        "choose_delta",
        "glo_nc",
        "hbgf",
        "l_nc",
        "lo_nc",
        "propagate_globally",
        "propagate_locally",
        "rl_nc",
        "rlc_nc",
    ),
    "front": ("GraphFeatures", "Likewise", "Report", "Suspect", "cluster"),
    "evaluation": (),
    "forms": (),
    "pencil": (),
    "report": (),
    "studies": (),
    "testing": (),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = ["evaluation", *sorted(_HOME)]

if TYPE_CHECKING:
    from . import (
        clustering,
        constraints,
        datasets,
        evaluation,
        forms,
        front,
        graphs,
        metric,
        pencil,
        projections,
        report,
        sources,
        studies,
        testing,
        text,
    )
    from .clustering import (
        ChainedClusterer,
        ConstrainedNormalizedCut,
        COPKMeans,
        KernelKMeans,
        MPCKMeans,
        NetworkedDocuments,
        NormalizedCut,
        PCKMeans,
        PlacementError,
        ProjectThenCluster,
        SKKMeans,
        SphericalKMeans,
        SubspaceMetricEnsemble,
        choose_delta,
        glo_nc,
        hbgf,
        l_nc,
        lo_nc,
        propagate_globally,
        propagate_locally,
        rl_nc,
        rlc_nc,
    )
    from .constraints import Conflict, ConstraintConflictError, Constraints, Partition
    from .front import GraphFeatures, Likewise, Report, Suspect, cluster
    from .graphs import kernel_null_space
    from .metric import XingMetric
    from .projections import ASP, DCA, DSP, GCDR, LPP, LPPSI, RCA, SCREEN, SLPP, SSDR, Costco
    from .text import TextFeatures


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    if name in _HOME:
        value = getattr(import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})
