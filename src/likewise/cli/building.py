"""Methods by name as estimators: what ``likewise compare`` scores, kept so that it can be saved and asked again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA, TruncatedSVD

from .. import clustering, metric, projections
from ..front import Likewise

PROJECTIONS = {
    "asp": projections.ASP,
    "costco": projections.Costco,
    "dca": projections.DCA,
    "dsp": projections.DSP,
    "gcdr": projections.GCDR,
    "lpp": projections.LPP,
    "lppsi": projections.LPPSI,
    "rca": projections.RCA,
    "screen": projections.SCREEN,
    "slpp": projections.SLPP,
    "ssdr": projections.SSDR,
}
OWN: dict[str, Any] = {
    "c-nc": clustering.ConstrainedNormalizedCut,
    "cop": clustering.COPKMeans,
    "ensemble": clustering.SubspaceMetricEnsemble,
    "glo-nc": clustering.glo_nc,
    "lo-nc": clustering.lo_nc,
    "mpck": clustering.MPCKMeans,
    "nc": clustering.NormalizedCut,
    "networked": clustering.NetworkedDocuments,
    "pck": clustering.PCKMeans,
    "project": clustering.ProjectThenCluster,
    "rl-nc": clustering.rl_nc,
    "rlc-nc": clustering.rlc_nc,
    "skk": clustering.SKKMeans,
}


@dataclass(frozen=True)
class Settings:
    """What a person set; each None where they did not."""

    k: int | None = None
    trust: str | None = None
    budget: float | None = None
    jobs: int | None = None
    seed: int = 0


def clusterer(name: str, X: Any, settings: Settings, *, verbose: bool = False) -> Any:
    """An unfitted clusterer with ``labels_`` to come.

    A projection is followed by the k-means that suits the data: cosine for sparse rows, Euclidean otherwise.
    """
    given = {"trust": settings.trust, "budget": settings.budget, "jobs": settings.jobs}
    if name == "likewise":
        return Likewise(
            settings.k,
            trust=settings.trust or "auto",
            budget_s=settings.budget,
            n_jobs=settings.jobs,
            verbose=verbose,
            random_state=settings.seed,
        )
    k, seed = settings.k, settings.seed
    if k is None:
        raise ValueError(f"the method {name} needs the number of clusters: --k. Only likewise chooses it by itself.")
    if name == "ensemble":
        given.pop("jobs")
    useless = next((option for option, value in given.items() if value is not None), None)
    if useless is not None:
        raise ValueError(f"--{useless} says nothing to the method {name}. Leave it out, or use the method likewise.")
    if name == "ensemble":
        return clustering.SubspaceMetricEnsemble(k, n_jobs=settings.jobs, random_state=seed)
    if name in OWN:
        return OWN[name](k, random_state=seed)
    last: Any = clustering.SphericalKMeans(k) if sparse.issparse(X) else KMeans(k, n_init=10)
    if name == "k-means":
        return last.set_params(random_state=seed)
    return clustering.ChainedClusterer(k, steps=[_step(name, X, k, seed)], clusterer=last, random_state=seed)


def _step(name: str, X: Any, k: int, seed: int) -> Any:
    if name == "pca":
        return principal(X, k, seed)
    if name == "xing":
        return metric.XingMetric()
    if name == "umap":
        return _umap(X, k, seed)
    few = {} if name in ("asp", "costco") else {"n_components": max(k - 1, 2)}
    return PROJECTIONS[name](**few)


def reducer(name: str, X: Any, dims: int, seed: int) -> Any:
    """An unfitted projection to so many dimensions."""
    return principal(X, dims, seed) if name == "pca" else PROJECTIONS[name](n_components=dims)


def principal(X: Any, width: int, seed: int) -> Any:
    """PCA, or truncated SVD for sparse rows."""
    kind = TruncatedSVD if sparse.issparse(X) else PCA
    return kind(min(width, min(X.shape) - 1) or 1, random_state=seed)


def _umap(X: Any, k: int, seed: int) -> Any:
    try:
        from umap import UMAP
    except ModuleNotFoundError:
        raise ModuleNotFoundError('UMAP is not installed. Install it: pip install "likewise[papers]"') from None
    n = X.shape[0]
    return UMAP(
        n_components=min(max(k, 2), 10, n - 3),
        n_neighbors=min(15, n - 1),
        min_dist=0.0,
        metric="cosine" if sparse.issparse(X) else "euclidean",
        init="random" if n < 100 else "spectral",  # small data has fewer eigenvectors than a spectral start asks for
        random_state=seed,
        n_jobs=1,
    )
