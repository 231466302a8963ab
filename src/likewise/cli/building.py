"""Methods by name as estimators, with what a person set on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .. import clustering
from ..front import Likewise
from ..studies import methods


@dataclass(frozen=True)
class Settings:
    """What a person set; each None where they did not."""

    k: int | None = None
    trust: str | None = None
    budget: float | None = None
    jobs: int | None = None
    seed: int = 0


def clusterer(name: str, X: Any, settings: Settings, *, verbose: bool = False) -> Any:
    """An unfitted clusterer with ``labels_`` to come."""
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
    if name == "networked":
        return clustering.NetworkedDocuments(k, random_state=seed)
    return methods.clusterer(name, X, k, seed)


def reducer(name: str, X: Any, dims: int, seed: int) -> Any:
    """An unfitted projection to so many dimensions."""
    if name == "pca":
        return methods.principal_components(X, dims, seed)
    return methods.PROJECTIONS[name](n_components=dims)
