"""Methods by name, as a user would run them: plain constructors, their own defaults.

``METHODS`` holds them as methods of :mod:`likewise.evaluation.protocols`; :func:`clusterer` makes an estimator of one.
A projection is followed by the k-means that suits the data: cosine for sparse rows, Euclidean otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD

from .. import clustering, front, metric, projections
from ..evaluation.protocols import Case, Method, clustered, reduced

Array = np.ndarray

PROJECTIONS: dict[str, Any] = {
    "asp": projections.ASP,
    "screen": projections.SCREEN,
    "costco": projections.Costco,
    "dsp": projections.DSP,
    "gcdr": projections.GCDR,
    "ssdr": projections.SSDR,
    "lpp": projections.LPP,
    "slpp": projections.SLPP,
    "lppsi": projections.LPPSI,
    "rca": projections.RCA,
    "dca": projections.DCA,
}
CLUSTERERS: dict[str, Any] = {
    "nc": clustering.NormalizedCut,
    "c-nc": clustering.ConstrainedNormalizedCut,
    "cop": clustering.COPKMeans,
    "pck": clustering.PCKMeans,
    "mpck": clustering.MPCKMeans,
    "skk": clustering.SKKMeans,
    "rl-nc": clustering.rl_nc,
    "rlc-nc": clustering.rlc_nc,
    "lo-nc": clustering.lo_nc,
    "glo-nc": clustering.glo_nc,
    "ensemble": clustering.SubspaceMetricEnsemble,
    "project": clustering.ProjectThenCluster,
}
STEPS = ("pca", "umap", "xing", *PROJECTIONS)
"""What a k-means follows."""


def k_means_for(X: Any, n_clusters: int, seed: int) -> Any:
    """Cosine k-means for sparse rows, Euclidean otherwise."""
    if sparse.issparse(X):
        return clustering.SphericalKMeans(n_clusters, random_state=seed)
    return KMeans(n_clusters, n_init=10, random_state=seed)


def principal_components(X: Any, width: int, seed: int) -> Any:
    """PCA, or truncated SVD for sparse rows."""
    kind = TruncatedSVD if sparse.issparse(X) else PCA
    return kind(max(min(width, min(X.shape) - 1), 1), random_state=seed)


def step(name: str, X: Any, n_clusters: int, seed: int) -> Any:
    """An unfitted transformer: one of ``STEPS``."""
    if name == "pca":
        return principal_components(X, n_clusters, seed)
    if name == "umap":
        return _umap(X, n_clusters, seed)
    if name == "xing":
        return metric.XingMetric()
    few = {} if name in ("asp", "costco") else {"n_components": max(n_clusters - 1, 2)}
    return PROJECTIONS[name](**few)


def clusterer(name: str, X: Any, n_clusters: int, seed: int) -> Any:
    """An unfitted clusterer: any of ``METHODS`` but the front door."""
    if name in CLUSTERERS:
        return CLUSTERERS[name](n_clusters, random_state=seed)
    last = _last(name, X, n_clusters, seed)
    if name == "k-means":
        return last
    steps = [step(name, X, n_clusters, seed)]
    return clustering.ChainedClusterer(n_clusters, steps=steps, clusterer=last, random_state=seed)


def _last(name: str, X: Any, n_clusters: int, seed: int) -> Any:
    # the rows decide, though a step may have made them dense; but UMAP has measured by cosine already
    return k_means_for(None if name == "umap" else X, n_clusters, seed)


def _umap(X: Any, n_clusters: int, seed: int) -> Any:
    """UMAP to ten dimensions or k; it needs umap-learn (the extra ``papers``)."""
    try:
        from umap import UMAP
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "UMAP is not installed. Install likewise with its extra: likewise[papers]."
        ) from error
    n = X.shape[0]
    return UMAP(
        n_components=min(max(n_clusters, 2), 10, n - 3),
        n_neighbors=min(15, n - 1),
        min_dist=0.0,
        metric="cosine" if sparse.issparse(X) else "euclidean",
        init="random" if n < 100 else "spectral",  # small data has fewer eigenvectors than a spectral start asks for
        random_state=seed,
        n_jobs=1,
    )


def likewise_column(case: Case, seed: int) -> Array:
    """The package's own default pipeline: what a user gets who knows nothing but data, hints and k."""
    model = front.Likewise(case.n_clusters, verbose=False, random_state=seed)
    return model.fit(case.X, constraints=case.constraints).labels_


def _then_k_means(name: str) -> Method:
    def build(case: Case, seed: int) -> Any:
        return step(name, case.X, case.n_clusters, seed)

    def then(case: Case, seed: int) -> Any:
        return _last(name, case.X, case.n_clusters, seed)

    return reduced(build, then)


def _own(name: str) -> Method:
    return clustered(lambda case, seed: clusterer(name, case.X, case.n_clusters, seed))


METHODS: dict[str, Method] = {
    "k-means": _own("k-means"),
    **{name: _then_k_means(name) for name in STEPS},
    **{name: _own(name) for name in CLUSTERERS},
    "likewise": likewise_column,
}
"""What ``likewise compare`` offers."""
