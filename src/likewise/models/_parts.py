"""What is kept of each class: the names of what it learned, written down one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from .. import clustering, metric, projections
from .._sklearn import _openmp_effective_n_threads
from ..clustering.kmeans.mpck._cluster_metrics import DiagonalMetrics, FullMetrics, Metrics

State = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A class whose objects a model file can hold.

    Attributes
    ----------
    made : type
    values : tuple of str
        Learned numbers, words and arrays that it cannot do without.
    parts : tuple of str
        Learned attributes that are objects of such classes themselves, or lists of them; they may be None.
    optional : tuple of str
        Learned values that only some settings have.
    finish : callable, optional
        Sets what can be worked out from the rest, and refuses what does not fit together.
    """

    made: type
    values: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    finish: Callable[[Any], None] | None = None


def _check_centers(model: Any) -> None:
    centers = model.cluster_centers_
    wanted = (centers.shape[0], model.n_features_in_)
    if centers.ndim != 2 or centers.shape != wanted or centers.dtype not in (np.float64, np.float32):
        raise ValueError(f"centers have the shape {centers.shape} and the type {centers.dtype}, not {wanted} of floats")


def _finish_k_means(model: Any) -> None:
    _check_centers(model)
    model._n_threads = _openmp_effective_n_threads()


LINEAR = ("components_", "n_features_in_")
PROJECTION = (*LINEAR, "n_components_", "_n_features_out")
CENTERS = ("cluster_centers_", "labels_", "n_iter_", "n_features_in_")
KERNEL = ("coefficients_", "labels_", "n_iter_", "n_features_in_", "_X", "_norms")

KINDS: dict[str, Kind] = {
    **{
        name: Kind(getattr(projections, name), PROJECTION, optional=("share_", "n_perfect_", "route_"))
        for name in ("ASP", "DCA", "DSP", "GCDR", "LPP", "RCA", "SCREEN", "SLPP", "SSDR", "Costco")
    },
    "LPPSI": Kind(projections.LPPSI, PROJECTION, optional=("share_", "n_perfect_", "route_", "X_fit_", "delta_")),
    "XingMetric": Kind(metric.XingMetric, ("n_features_in_",), optional=("weights_", "metric_", "_root", "shrink_")),
    **{
        name: Kind(getattr(clustering, name), CENTERS, optional=("inertia_", "objective_"), finish=_check_centers)
        for name in ("COPKMeans", "PCKMeans", "SphericalKMeans")
    },
    "MPCKMeans": Kind(
        clustering.MPCKMeans, (*CENTERS, "_origin"), parts=("_metrics_",), optional=("inertia_", "objective_")
    ),
    "KernelKMeans": Kind(clustering.KernelKMeans, KERNEL, optional=("delta_",)),
    "SKKMeans": Kind(clustering.SKKMeans, KERNEL, optional=("delta_",)),
    "ProjectThenCluster": Kind(
        clustering.ProjectThenCluster,
        ("labels_", "n_iter_", "n_features_in_", "_n_features_out", "metric_"),
        parts=("projection_", "clusterer_"),
        optional=("cluster_centers_", "inertia_", "objective_"),
    ),
    "NetworkedDocuments": Kind(
        clustering.NetworkedDocuments,
        ("labels_", "n_iter_", "n_features_in_", "_n_features_out", "cluster_centers_", "inertia_"),
        parts=("projection_", "clusterer_", "text_features_"),
    ),
    "ChainedClusterer": Kind(
        clustering.ChainedClusterer, ("labels_", "n_iter_", "n_features_in_"), parts=("steps_", "clusterer_")
    ),
    "DiagonalMetrics": Kind(DiagonalMetrics, ("n_clusters", "values", "log_det")),
    "FullMetrics": Kind(FullMetrics, ("n_clusters", "values", "log_det", "_factors")),
    "KMeans": Kind(KMeans, ("cluster_centers_", "labels_", "inertia_", "n_iter_", "n_features_in_"),
                   finish=_finish_k_means),
    "PCA": Kind(PCA, (*LINEAR, "mean_", "explained_variance_", "n_components_")),
    "TruncatedSVD": Kind(TruncatedSVD, LINEAR),
    "StandardScaler": Kind(StandardScaler, ("mean_", "scale_", "n_features_in_")),
    "TfidfTransformer": Kind(TfidfTransformer, ("idf_", "n_features_in_")),
}  # fmt: skip


def can_save(model: Any) -> bool:
    """Whether a model file can hold this fitted model, so that it can place new rows.

    Methods that only cluster the rows they are given, such as normalized cuts, have nothing to keep.

    >>> from sklearn.cluster import KMeans, SpectralClustering
    >>> can_save(KMeans()), can_save(SpectralClustering())
    (True, False)
    """
    name = type(model).__name__
    if name == "Likewise":
        return True
    if name not in KINDS or type(model) is not KINDS[name].made:
        return False
    held = [getattr(model, part, None) for part in KINDS[name].parts]
    flat = [part for some in held for part in (some if isinstance(some, list) else [some])]
    return all(part is None or can_save(part) for part in flat)


def to_state(model: Any) -> State:
    """What is kept of a model: its class, its parameters and what it learned, as plain values and arrays."""
    name = type(model).__name__
    if not can_save(model):
        raise ValueError(
            f"{name} cannot be kept in a model file: it, or a part of it, cannot place new rows, or is not of this "
            "package. Use Likewise, ProjectThenCluster, a k-means or a projection."
        )
    kind = KINDS[name]
    learned = {each: getattr(model, each) for each in kind.values}
    learned |= {each: getattr(model, each) for each in kind.optional if hasattr(model, each)}
    names = getattr(model, "feature_names_in_", None)
    return {
        "class": name,
        "parameters": {} if issubclass(kind.made, Metrics) else parameters_of(model),
        "learned": learned,
        "parts": {each: _each(getattr(model, each), to_state) for each in kind.parts},
        "feature_names": None if names is None else [str(each) for each in names],
    }


def from_state(state: State) -> Any:
    """Undo :func:`to_state`: only classes and names that are written down above are made and set."""
    kind = KINDS[state["class"]]
    made: Any = kind.made
    model = made.__new__(made) if issubclass(made, Metrics) else made(**_parameters(made, state["parameters"]))
    learned = state["learned"]
    for name in kind.values:
        setattr(model, name, learned[name])
    for name in kind.optional:
        if name in learned:
            setattr(model, name, learned[name])
    for name in kind.parts:
        setattr(model, name, _each(state["parts"][name], from_state))
    if state["feature_names"] is not None:
        model.feature_names_in_ = np.array([str(name) for name in state["feature_names"]], dtype=object)
    if kind.finish is not None:
        kind.finish(model)
    return model


def parameters_of(model: BaseEstimator) -> State:
    """The parameters of an estimator; one that is an estimator itself is told by its class and parameters."""
    found = {}
    for name, value in model.get_params(deep=False).items():
        if name == "random_state" and not isinstance(value, int | None):
            value = None  # a generator has moved on: nothing that was learned depends on it
        found[name] = _each(value, _unfitted)
    return found


def _unfitted(value: Any) -> Any:
    if isinstance(value, BaseEstimator):
        return {"class": type(value).__name__, "parameters": parameters_of(value)}
    return value


def _parameters(made: Any, stored: State) -> State:
    unknown = set(stored) - set(made._get_param_names())
    if unknown:
        raise ValueError(f"{made.__name__} has no parameter {min(unknown)!r}")
    return {name: _each(value, _fresh) for name, value in stored.items()}


def _fresh(value: Any) -> Any:
    if isinstance(value, dict) and "class" in value:
        made = KINDS[value["class"]].made
        return made(**_parameters(made, value["parameters"]))
    return value


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """Change a value, or each of a list of them; None stays."""
    if isinstance(value, list | tuple):
        return [change(each) for each in value]
    return None if value is None else change(value)
