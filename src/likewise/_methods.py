"""The registry of all methods, and functions that create an estimator from the name of a method.

A method of this package is listed if the ``__init__`` of its package exports it; other methods are added by
:func:`register`.

>>> from likewise._methods import all_methods, clusterer, method_named
>>> [method.name for method in all_methods()][:3]
['likewise', 'networked', 'project']
>>> method_named("costco").needs
<Needs.MUST_LINK: 1>
>>> from sklearn.datasets import load_iris
>>> clusterer("rca", load_iris().data, n_clusters=3, random_state=0)
ChainedClusterer(clusterer=KMeans(n_clusters=3, n_init=10, random_state=0),
                 n_clusters=3, random_state=0, steps=[RCA(n_components=2)])
"""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from inspect import isclass, signature
from typing import Any

from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.utils.validation import has_fit_parameter

from . import clustering, front, metric, prepare, projections
from ._method import Made, Method, MethodKind, Needs
from ._suggest import suggest
from .evaluation.protocols import Case
from .evaluation.protocols import Method as ProtocolMethod
from .tables import extra

_PACKAGES = (front, clustering, metric, projections, prepare)
_REGISTERED: list[Any] = []


def register(make: Made) -> Made:
    """Register a method from outside this package; can be used as a decorator.

    Parameters
    ----------
    make : class or function
        A :class:`~likewise.projections.Projection`, a clusterer, or a function that creates one, with metadata as the
        attribute ``_method``.

    Returns
    -------
    class or function
        The same object.
    """
    facts = vars(make).get("_method")
    if not (isinstance(facts, Method) and facts.name):
        raise TypeError(f"{make!r} has no metadata. Give it an attribute _method = Method(name=..., ...).")
    if make in _REGISTERED:
        return make
    if any(facts.name == known.name for known in all_methods()):
        raise ValueError(f"there is a method {facts.name!r} already. Choose another name for {make!r}.")
    _REGISTERED.append(make)
    return make


def public_objects() -> list[Any]:
    """The public objects of the packages with methods and their parts, and all registered objects."""
    public = [thing for package in _PACKAGES for name, thing in vars(package).items() if not name.startswith("_")]
    return [*public, *_REGISTERED]


def all_methods() -> list[Method]:
    """All methods: those that use constraints first, in the order of their packages, and baselines last.

    Returns
    -------
    list of Method
    """
    found = [vars(make)["_method"].of(make) for make in public_objects() if _has_facts(make)]
    return sorted([*found, *BASELINES], key=lambda method: not method.uses_constraints)


def method_named(name: str, *, reduces: bool = False) -> Method:
    """The method of that name.

    Parameters
    ----------
    name : str
    reduces : bool
        Whether to consider only methods that reduce rows to a chosen number of dimensions.

    Returns
    -------
    Method

    Raises
    ------
    ValueError
        If there is none; the message suggests similar names.
    """
    known = {method.name: method for method in all_methods() if method.reduces or not reduces}
    if name in known:
        return known[name]
    offer = suggest(name, known) or f" There are: {', '.join(known)}."
    purpose = "reduce" if reduces else "cluster"
    raise ValueError(f"there is no method {name!r} to {purpose} with.{offer} See `likewise methods` for all.")


def facts_of(make: Any) -> Method:
    """The metadata of a class or function: its ``_method``, or else metadata derived from it.

    Parameters
    ----------
    make : class or function

    Examples
    --------
    >>> from sklearn.cluster import BisectingKMeans
    >>> facts_of(BisectingKMeans).name, facts_of(BisectingKMeans).uses_constraints
    ('bisecting-k-means', False)
    """
    if _has_facts(make):
        return vars(make)["_method"]
    inherited = getattr(make, "_method", None)
    if inherited is None:
        takes = isclass(make) and has_fit_parameter(make, "constraints")
        inherited = Method("", uses_constraints=takes)
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", make.__name__)
    return replace(inherited, name="-".join(words).lower() or make.__name__)


def clusterer(
    name: str | Method,
    X: Any,
    n_clusters: int | None,
    random_state: Any = None,
    *,
    data_kind: prepare.DataKind | None = None,
    **parameters: Any,
) -> Any:
    """An unfitted clusterer, by the name of its method.

    A projection or a metric is followed by k-means, with cosine similarity for sparse rows, else Euclidean.

    Parameters
    ----------
    name : str or Method
    X : (n, f) array or sparse matrix
    n_clusters : int, optional
        May be None if the method chooses it.
    random_state : int, RandomState or None
    data_kind : DataKind, optional
        The kind of data in X, if known. Sparse rows are then compared by cosine only if they are texts.
    **parameters
        Other parameters, of the projection if there is one, else of the clusterer.

    Returns
    -------
    estimator
        It takes ``constraints`` in ``fit`` if ``method_named(name).uses_constraints``.
    """
    method = name if isinstance(name, Method) else method_named(name)
    if data_kind is not None and method.takes("kind", str(data_kind)):
        parameters["kind"] = str(data_kind)
    if data_kind is not None and method.takes("metric", "auto"):
        parameters.setdefault("metric", data_kind.metric)
    if n_clusters is None:
        if not method.chooses_n_clusters:
            raise ValueError(f"the method {method.name} needs the number of clusters.")
        return method.make(**_seeded(method, random_state), **parameters)
    if method.kind is not MethodKind.CLUSTERER:
        step = transformer(method, X, n_clusters, random_state, **parameters)
        last = k_means_for(X, n_clusters, random_state, data_kind)
        return clustering.ChainedClusterer(n_clusters, steps=[step], clusterer=last, random_state=random_state)
    if method.build is not None:
        return method.build(X, n_clusters, random_state, data_kind)
    if "n_clusters" not in signature(method.make).parameters:
        raise ValueError(
            f"{method.make.__name__} has no parameter n_clusters. Add one to its constructor, and random_state if it "
            "is randomized."
        )
    return method.make(n_clusters=n_clusters, **_seeded(method, random_state), **parameters)


def transformer(name: str | Method, X: Any, n_clusters: int, random_state: Any = None, **parameters: Any) -> Any:
    """An unfitted projection or metric by its name, with a suitable number of components for k-means."""
    method = name if isinstance(name, Method) else method_named(name)
    if method.kind is MethodKind.CLUSTERER:
        raise ValueError(f"the method {method.name} clusters rows, it does not transform them.")
    if method.build is not None:
        return method.build(X, n_clusters, random_state)
    if method.kind is MethodKind.PROJECTION and not method.keeps_all_components:
        parameters = {"n_components": max(n_clusters - 1, 2), **parameters}
    return method.make(**_seeded(method, random_state), **parameters)


def reducer(name: str, X: Any, n_components: int, random_state: Any = None) -> Any:
    """An unfitted projection to a given number of dimensions, by its name.

    Parameters
    ----------
    name : str
    X : (n, f) array or sparse matrix
    n_components : int
        Number of dimensions.
    random_state : int, RandomState or None

    Returns
    -------
    estimator
    """
    method = method_named(name, reduces=True)
    if method.build is not None:
        return method.build(X, n_components, random_state)
    return method.make(n_components=n_components, **_seeded(method, random_state))


def protocol_method(name: str | Method, data_kind: prepare.DataKind | None = None) -> ProtocolMethod:
    """A method by its name for :mod:`likewise.evaluation.protocols`, as a function of a case and a seed.

    Parameters
    ----------
    name : str or Method
    data_kind : DataKind, optional
        The kind of data in the cases, if known.
    """
    method = name if isinstance(name, Method) else method_named(name)
    if Needs.LINKS in method.needs:
        raise ValueError(f"the method {method.name} needs {Needs.LINKS.words}, but there are none. Choose another.")
    silent: dict[str, Any] = {"verbose": False} if method.takes("verbose", False) else {}

    def run(case: Case, seed: int) -> Any:
        used = method.uses_constraints and not case.constraints.is_empty
        given = {"constraints": case.constraints} if used else {}
        model = clusterer(method, case.X, case.n_clusters, seed, data_kind=data_kind, **silent)
        return model.fit(case.X, **given).labels_

    return run


def comparable_methods() -> list[Method]:
    """The methods that need no links between rows, and whose dependencies are installed.

    Returns
    -------
    list of Method
    """
    return [method for method in all_methods() if Needs.LINKS not in method.needs and _is_installed(method)]


def _is_installed(method: Method) -> bool:
    return not method.module or find_spec(method.module) is not None


def _by_cosine(X: Any, data_kind: prepare.DataKind | None) -> bool:
    """Whether to compare rows by cosine: sparse rows that are, or may be, texts."""
    return sparse.issparse(X) and (data_kind is None or data_kind.has_words)


def k_means_for(X: Any, n_clusters: int, random_state: Any = None, data_kind: prepare.DataKind | None = None) -> Any:
    """An unfitted k-means: by cosine for sparse rows that are, or may be, texts, else Euclidean."""
    if _by_cosine(X, data_kind):
        return clustering.SphericalKMeans(n_clusters, random_state=random_state)
    return KMeans(n_clusters, n_init=10, random_state=random_state)


def principal_components(X: Any, n_components: int, random_state: Any = None) -> Any:
    """PCA, or truncated SVD for sparse rows."""
    kind = TruncatedSVD if sparse.issparse(X) else PCA
    return kind(max(min(n_components, min(X.shape) - 1), 1), random_state=random_state)


def umap_then_k_means(
    X: Any, n_clusters: int, random_state: Any = None, data_kind: prepare.DataKind | None = None
) -> Any:
    """UMAP to ten dimensions (or k), then Euclidean k-means, since UMAP compares sparse rows by cosine itself."""
    umap = extra("umap", "clusterings by UMAP", name="papers")
    n = X.shape[0]
    step = umap.UMAP(
        n_components=min(max(n_clusters, 2), 10, n - 3),
        n_neighbors=min(15, n - 1),
        min_dist=0.0,
        metric="cosine" if _by_cosine(X, data_kind) else "euclidean",
        init="random" if n < 100 else "spectral",  # small data: too few eigenvectors for a spectral start
        random_state=random_state,
        n_jobs=1,
    )
    last = KMeans(n_clusters, n_init=10, random_state=random_state)
    return clustering.ChainedClusterer(n_clusters, steps=[step], clusterer=last, random_state=random_state)


BASELINES = (
    Method(
        "k-means",
        prefer="a baseline",
        paper="Lloyd 1982",
        uses_constraints=False,
        kind=MethodKind.CLUSTERER,
        build=k_means_for,
        places=True,
    ),
    Method(
        "pca",
        prefer="a baseline: directions of largest variance",
        paper="Pearson 1901",
        uses_constraints=False,
        kind=MethodKind.PROJECTION,
        build=principal_components,
    ),
    Method(
        "umap",
        prefer="a baseline: UMAP, then k-means",
        paper="McInnes, Healy, Melville 2018",
        uses_constraints=False,
        kind=MethodKind.CLUSTERER,
        build=umap_then_k_means,
        places=False,
        extra="papers",
        module="umap",
    ),
)
"""Methods of other packages, configured for the given data."""


def _has_facts(make: Any) -> bool:
    facts = getattr(make, "__dict__", {}).get("_method")
    return isinstance(facts, Method) and bool(facts.name)


def _seeded(method: Method, random_state: Any) -> dict[str, Any]:
    return {"random_state": random_state} if "random_state" in signature(method.make).parameters else {}
