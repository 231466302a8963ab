"""Saving and loading models: only known classes are created, and only their declared attributes are set."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import isclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from .._atomic import check_path
from .._devices import to_numpy
from .._methods import public_objects
from .._saved import Classes, Saved, check_shape
from .._sklearn import _openmp_effective_n_threads
from ._format import damaged, decode, encode, read_container, write_container

State = dict[str, Any]


def _check_components(model: Any) -> None:
    check_shape(model.components_, (None, model.n_features_in_), "components_")
    if hasattr(model, "mean_"):
        check_shape(model.mean_, (model.n_features_in_,), "mean_")


def _check_scale(model: Any) -> None:
    check_shape(model.mean_, (model.n_features_in_,), "mean_")
    check_shape(model.scale_, (model.n_features_in_,), "scale_")


def _check_idf(model: Any) -> None:
    check_shape(model.idf_, (model.n_features_in_,), "idf_")


def _finish_k_means(model: Any) -> None:
    check_shape(model.cluster_centers_, (None, model.n_features_in_), "cluster_centers_")
    model._n_threads = _openmp_effective_n_threads()


OTHERS: dict[type, Saved] = {
    KMeans: Saved(
        ("cluster_centers_", "labels_", "inertia_", "n_iter_", "n_features_in_"),
        check=_finish_k_means,
    ),
    PCA: Saved(
        ("components_", "n_features_in_", "mean_", "explained_variance_", "n_components_"), check=_check_components
    ),
    TruncatedSVD: Saved(("components_", "n_features_in_"), check=_check_components),
    StandardScaler: Saved(("mean_", "scale_", "n_features_in_"), check=_check_scale),
    TfidfTransformer: Saved(("idf_", "n_features_in_"), check=_check_idf),
}
"""Classes of scikit-learn that can be saved; all others declare ``_saved`` themselves."""


@dataclass(frozen=True)
class SavedModel:
    """The contents of a model file.

    Attributes
    ----------
    model : fitted model
        Gives the same predictions as the model that was saved.
    features : TableFeatures or None
        The fitted preprocessing, to be applied to new data (:func:`likewise.prepare.read_like`).
    meta : dict
        Metadata, such as the method, the seed and the report.
    made_with : dict
        Versions of likewise, numpy, scipy and scikit-learn. With other versions the last digit may differ.
    """

    model: Any
    features: Any = None
    meta: dict[str, Any] = field(default_factory=dict)
    made_with: dict[str, str] = field(default_factory=dict)

    def place(self, X: Any) -> np.ndarray:
        """The clusters of new rows, or their coordinates if the model is a projection.

        Parameters
        ----------
        X : (n, f) array or sparse matrix

        Returns
        -------
        (n,) ints, or (n, r) floats
        """
        place = getattr(self.model, "predict", None) or getattr(self.model, "transform", None)
        if place is None:
            raise ValueError(f"the {type(self.model).__name__} of this file cannot cluster or project new rows.")
        return place(X)


def save(path: str | os.PathLike[str], model: Any, features: Any = None, meta: Mapping[str, Any] | None = None) -> Path:
    """Save a fitted model to a file that anyone can open safely. The file is written atomically.

    Parameters
    ----------
    path : path
        The usual suffix is .likewise.
    model : fitted model
        :class:`likewise.Likewise`, a projection, a k-means of this package or scikit-learn, ``ProjectThenCluster``,
        ``NetworkedDocuments``, or a chain of these; see :func:`can_save`.
    features : TableFeatures, optional
        The fitted preprocessing, ``Rows.features``.
    meta : mapping, optional
        Metadata: plain values.

    Returns
    -------
    Path
        The path of the file.

    Notes
    -----
    The file of some models contains rows of the data, with which new rows are compared. Treat it as confidentially as
    the data.
    """
    check_path(path, "save(path, model)")
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    model = getattr(model, "_saved_as", model)
    arrays: dict[str, np.ndarray] = {}
    known = known_classes()
    document = {
        "made_with": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__},
        "class": type(model).__name__,
        "model": encode(to_state(model, known), arrays, "model"),
        "features": None if features is None else encode(to_state(features, known), arrays, "features"),
        "meta": encode(dict(meta or {}), arrays, "meta"),
    }
    return write_container(path, document, arrays)


def load(path: str | os.PathLike[str]) -> SavedModel:
    """Load a model file. No code in it is executed, so files from untrusted sources are safe.

    Parameters
    ----------
    path : path

    Returns
    -------
    SavedModel

    Raises
    ------
    ModelFileError
        If it is not a model file, is damaged, or is of another version of the format.
    """
    document, arrays = read_container(path)
    known = known_classes()
    try:
        features = document["features"]
        return SavedModel(
            from_state(decode(document["model"], arrays), known),
            None if features is None else from_state(decode(features, arrays), known),
            decode(document["meta"], arrays),
            {"likewise": str(document["likewise"]), **document["made_with"]},
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        raise damaged(path, f"its parts do not fit together ({type(error).__name__}: {error})") from None


def can_save(model: Any) -> bool:
    """Whether this fitted model can be saved to a model file.

    Methods that cannot label new rows, such as normalized cuts, cannot be saved.

    Parameters
    ----------
    model : anything

    Returns
    -------
    bool

    Examples
    --------
    >>> from sklearn.cluster import KMeans, SpectralClustering
    >>> can_save(KMeans()), can_save(SpectralClustering())
    (True, False)
    """
    return _can_save(model, known_classes())


Known = dict[str, tuple[type, Saved]]


def known_classes() -> Known:
    """All classes that a model file may contain, with their stored attributes.

    These are the public and registered classes with a ``_saved``, the classes of their parts, and some classes of
    scikit-learn.
    """
    known: Known = {made.__name__: (made, saved) for made, saved in OTHERS.items()}
    for made in public_objects():
        if isclass(made) and isinstance(getattr(made, "_saved", None), Saved):
            _add(known, made)
    return known


def _add(known: Known, made: type) -> None:
    if known.get(made.__name__, (made,))[0] is not made:
        raise ValueError(f"two classes that can be saved are called {made.__name__}. Rename one of them.")
    if made.__name__ in known:
        return
    saved = made._saved  # type: ignore[attr-defined]
    known[made.__name__] = (made, saved)
    for inner in saved.classes:
        if isinstance(getattr(inner, "_saved", None), Saved):
            _add(known, inner)


def _can_save(model: Any, known: Known) -> bool:
    made, saved = known.get(type(model).__name__, (None, Saved()))
    if type(model) is not made:
        return False
    held = [getattr(model, name, None) for name in saved.parts]
    held += [entry for name in saved.lists for entry in getattr(model, name, ())]
    return all(part is None or _can_save(part, known) for part in held)


def to_state(model: Any, known: Known) -> State:
    """The state of an object: its class, parameters and fitted attributes, as plain values and arrays."""
    name = type(model).__name__
    if not _can_save(model, known):
        raise ValueError(
            f"{name} cannot be kept in a model file: it, or a part of it, cannot place new rows, or is not of this "
            "package. Use Likewise, ProjectThenCluster, a k-means or a projection."
        )
    _, saved = known[name]
    present = [*saved.values, *(each for each in saved.optional if hasattr(model, each))]
    names = getattr(model, "feature_names_in_", None)
    return {
        "class": name,
        "parameters": parameters_of(model) if isinstance(model, BaseEstimator) else {},
        "learned": {each: to_numpy(getattr(model, each)) for each in present},
        "parts": {each: _each(getattr(model, each), lambda part: to_state(part, known)) for each in _parts(saved)},
        "feature_names": None if names is None else [str(each) for each in names],
    }


def from_state(state: State, known: Known) -> Any:
    """The inverse of :func:`to_state`."""
    made, saved = known[state["class"]]
    model: Any = object.__new__(made)
    if isinstance(model, BaseEstimator):
        model = _unfitted(state, known)
    learned = state["learned"]
    for name in [*saved.values, *(each for each in saved.optional if each in learned)]:
        setattr(model, name, learned[name])
    width = learned.get("n_features_in_", 1)
    if type(width) is not int or width < 1:
        raise ValueError(f"n_features_in_ of {made.__name__} is {width!r}")
    for name, classes in _parts(saved).items():
        part = _each(state["parts"][name], lambda inner: from_state(inner, known))
        if isinstance(part, list) is not (name in saved.lists):
            raise ValueError(f"{name} of {made.__name__} is a {type(part).__name__}")
        for entry in part if name in saved.lists else [part]:
            if not isinstance(entry, classes):
                raise ValueError(f"{name} of {made.__name__} is a {type(entry).__name__}")
        setattr(model, name, part)
    if state["feature_names"] is not None:
        model.feature_names_in_ = np.array([str(name) for name in state["feature_names"]], dtype=object)
    if saved.check is not None:
        saved.check(model)
    return model


def parameters_of(model: BaseEstimator) -> State:
    """The parameters of an estimator; nested estimators are represented by their class and parameters."""
    found = {}
    for name, value in model.get_params(deep=False).items():
        if name == "random_state" and not isinstance(value, int | None):
            value = None  # a generator has changed its state; no fitted attribute depends on it
        found[name] = _each(value, _parameter)
    return found


def _parameter(value: Any) -> Any:
    if isinstance(value, BaseEstimator):
        return {"class": type(value).__name__, "parameters": parameters_of(value)}
    if isinstance(value, np.dtype) or (isclass(value) and issubclass(value, np.generic)):
        return {"dtype": np.dtype(value).name}
    return value


def _unfitted(state: State, known: Known) -> Any:
    made: Any = known[state["class"]][0]
    stored = state["parameters"]
    unknown = set(stored) - set(made._get_param_names())
    if unknown:
        raise ValueError(f"{made.__name__} has no parameter {min(unknown)!r}")

    def fresh(value: Any) -> Any:
        if isinstance(value, dict) and "class" in value:
            return _unfitted(value, known)
        if isinstance(value, dict) and "dtype" in value:
            return {"float64": np.float64, "float32": np.float32}[value["dtype"]]
        return value

    model = made(**{name: _each(value, fresh) for name, value in stored.items()})
    model._validate_params()
    return model


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """Change a value, or each of a list of them; None stays."""
    if isinstance(value, list | tuple):
        return [change(entry) for entry in value]
    return None if value is None else change(value)


def _parts(saved: Saved) -> dict[str, Classes]:
    return {**saved.parts, **saved.lists}
