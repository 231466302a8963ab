"""Methods by name, as a user would run them: plain constructors, their own defaults.

Each is a method of :mod:`likewise.evaluation.protocols`. A projection is followed by the k-means that suits the data:
cosine for sparse rows, Euclidean otherwise.
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


def fitting_k_means(case: Case, seed: int) -> Any:
    """Cosine k-means for sparse rows, Euclidean otherwise."""
    if sparse.issparse(case.X):
        return clustering.SphericalKMeans(case.n_clusters, random_state=seed)
    return KMeans(case.n_clusters, n_init=10, random_state=seed)


def principal_components(case: Case, seed: int, width: int | None = None) -> Any:
    """PCA, or truncated SVD for sparse rows; k components unless told."""
    kind = TruncatedSVD if sparse.issparse(case.X) else PCA
    return kind(min(width or case.n_clusters, min(case.X.shape) - 1), random_state=seed)


def umap_then_k_means(case: Case, seed: int) -> Array:
    """UMAP to ten dimensions or k, then k-means; no hints. Needs umap-learn (the extra ``papers``)."""
    try:
        from umap import UMAP
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "UMAP is not installed. Install likewise with its extra: likewise[papers]."
        ) from error
    neighbours = min(15, case.X.shape[0] - 1)
    metric_name = "cosine" if sparse.issparse(case.X) else "euclidean"
    width = min(max(case.n_clusters, 2), 10, case.X.shape[0] - 3)
    # Small data would need more eigenvectors than it has rows for UMAP's spectral start.
    start = "random" if case.X.shape[0] < 100 else "spectral"
    model = UMAP(
        n_components=width,
        n_neighbors=neighbours,
        min_dist=0.0,
        metric=metric_name,
        init=start,
        random_state=seed,
        n_jobs=1,
    )
    Z = model.fit_transform(case.X)
    return KMeans(case.n_clusters, n_init=10, random_state=seed).fit_predict(Z)


def likewise_column(case: Case, seed: int) -> Array:
    """The package's own default pipeline: what a user gets who knows nothing but data, hints and k."""
    model = front.Likewise(case.n_clusters, verbose=False, random_state=seed)
    return model.fit(case.X, constraints=case.constraints).labels_


UNPUBLISHED: dict[str, Method] = {"likewise": likewise_column, "umap": umap_then_k_means}
"""The two columns beside every paper's own methods: ours, and the rival that hears no hints."""


def _projected(name: str, **given: Any) -> Method:
    def build(case: Case, seed: int) -> Any:
        projection = getattr(projections, name)
        few = {} if name in ("ASP", "Costco") else {"n_components": max(case.n_clusters - 1, 2)}
        return projection(**{**few, **given})

    return reduced(build, fitting_k_means)


def _own(build: Any) -> Method:
    return clustered(lambda case, seed: build(case.n_clusters, random_state=seed))


METHODS: dict[str, Method] = {
    "k-means": clustered(fitting_k_means),
    "pca": reduced(principal_components, fitting_k_means),
    "umap": umap_then_k_means,
    "nc": _own(clustering.NormalizedCut),
    "c-nc": _own(clustering.ConstrainedNormalizedCut),
    "cop": _own(clustering.COPKMeans),
    "pck": _own(clustering.PCKMeans),
    "mpck": _own(clustering.MPCKMeans),
    "skk": _own(clustering.SKKMeans),
    "xing": reduced(lambda case, seed: metric.XingMetric(), fitting_k_means),
    "asp": _projected("ASP"),
    "screen": _projected("SCREEN"),
    "costco": _projected("Costco"),
    "dsp": _projected("DSP"),
    "gcdr": _projected("GCDR"),
    "ssdr": _projected("SSDR"),
    "lpp": _projected("LPP"),
    "slpp": _projected("SLPP"),
    "lppsi": _projected("LPPSI"),
    "rca": _projected("RCA"),
    "dca": _projected("DCA"),
    "rl-nc": _own(clustering.rl_nc),
    "rlc-nc": _own(clustering.rlc_nc),
    "lo-nc": _own(clustering.lo_nc),
    "glo-nc": _own(clustering.glo_nc),
    "ensemble": _own(clustering.SubspaceMetricEnsemble),
    "project": _own(clustering.ProjectThenCluster),
    "likewise": likewise_column,
}
"""What ``likewise compare`` offers."""
