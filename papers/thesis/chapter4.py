"""Chapter 4: ASP on nine text sets.

Unpublished and decided once for all sets: after ASP and SCREEN comes cosine k-means, the best of ten starts; SCREEN
keeps k directions; C-NC's β is 10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.decomposition import PCA

from likewise import ASP, SCREEN, ConstrainedNormalizedCut, MPCKMeans, NormalizedCut, SphericalKMeans
from likewise.evaluation import Results
from likewise.evaluation.protocols import Case, Method, Trial, case, clustered, reduced
from likewise.report.plots import learning_curve, scatter

from ..framework import UNPUBLISHED
from ..text_sets import NEWS, REUTERS, documents

Array = np.ndarray

SETS = {
    **{name: ("reuters", topics) for name, topics in REUTERS.items()},
    "news-dif": ("newsgroups", NEWS["difficult"]),
    "news-med": ("newsgroups", NEWS["mediocre"]),
    "news-eas": ("newsgroups", NEWS["easy"]),
}
AMOUNTS = range(100, 900, 100)
SEEDS, TIMED_SEEDS, UMAP_SEEDS = 5, 2, 2


def draw(name: str, amount: int, seed: int) -> Case:
    """Draw 100 documents of each topic and `amount` random pairs among them."""
    return case(*documents(*SETS[name], 100, seed), "random_pairs", amount, random_state=seed)


def spherical(drawn: Case, seed: int, starts: int = 10) -> SphericalKMeans:
    """Cosine k-means."""
    return SphericalKMeans(drawn.n_clusters, n_init=starts, random_state=seed)


def screen(drawn: Case, seed: int) -> SCREEN:
    """SCREEN with as many directions as clusters."""
    return SCREEN.as_published(drawn.n_clusters)


def constrained_cut(drawn: Case, seed: int) -> ConstrainedNormalizedCut:
    """C-NC on cosines."""
    return ConstrainedNormalizedCut.as_published(drawn.n_clusters, random_state=seed)


def metric_k_means(drawn: Case, seed: int) -> MPCKMeans:
    """MPCK with a diagonal metric for each cluster."""
    return MPCKMeans.as_published(drawn.n_clusters, random_state=seed)


UNHINTED = {
    "spkm": clustered(spherical),
    "nc": clustered(lambda drawn, seed: NormalizedCut.as_published(drawn.n_clusters, random_state=seed)),
}
HINTED = {
    "asp": reduced(lambda drawn, seed: ASP.as_published(), spherical),
    "c-nc": clustered(constrained_cut),
    "screen": reduced(screen, spherical),
    "mpck": clustered(metric_k_means),
}


def timed(build: Callable[[Case, int], Any] | None, then: Callable[[Case, int], Any] | None = None) -> Method:
    """Time one run, in seconds of processor time, and tell the dimensions that were clustered."""

    def method(drawn: Case, seed: int) -> dict[str, float]:
        begin = process_time()
        Z = drawn.X
        if build is not None:
            fitted = build(drawn, seed).fit(Z, constraints=drawn.constraints)
            Z = fitted.transform(Z) if then is not None else Z
        if then is not None:
            then(drawn, seed).fit(Z)
        return {"seconds": process_time() - begin, "dimensions": Z.shape[1]}

    return method


one_start = partial(spherical, starts=1)
TIMED = {
    "asp-svd": timed(lambda drawn, seed: ASP.as_published(basis="svd"), one_start),
    "asp-qr": timed(lambda drawn, seed: ASP.as_published(basis="qr"), one_start),
    "screen": timed(screen, one_start),
    "c-nc": timed(constrained_cut),
    "mpck": timed(metric_k_means),
    "spkm": timed(None, one_start),
}


def in_two_dimensions(drawn: Case, projected: bool) -> Array:
    """The first two principal components, of the words or of what ASP makes of them."""
    X = ASP.as_published().fit_transform(drawn.X, constraints=drawn.constraints) if projected else drawn.X.toarray()
    return PCA(2, random_state=0).fit_transform(X)


def separation(Z: Array, y: Array) -> float:
    """Scatter between classes over scatter within them."""
    centers = np.array([Z[y == name].mean(axis=0) for name in np.unique(y)])
    within = np.square(Z - centers[y]).sum()
    return float(np.square(Z - Z.mean(axis=0)).sum() / within - 1)


def trials() -> Iterator[Trial]:
    """Table 4.2 with Figures 4.2–4.4, then 4.1, then 4.5–4.7."""
    for name in SETS:
        umap, none = f"table4.2/{name}/umap-only", f"table4.2/{name}/0"
        yield Trial(umap, partial(draw, name, 0), {"umap": UNPUBLISHED["umap"]}, seeds=UMAP_SEEDS)
        ours = {"likewise": UNPUBLISHED["likewise"]}
        yield Trial(none, partial(draw, name, 0), {**UNHINTED, **ours}, seeds=SEEDS, rivals=(umap,))
        for amount in AMOUNTS:
            yield Trial(
                f"table4.2/{name}/{amount}",
                partial(draw, name, amount),
                {**HINTED, **ours},
                seeds=SEEDS,
                rivals=(none, umap),
            )
    pictures = {
        side: lambda drawn, seed, after=after: {"ratio": separation(in_two_dimensions(drawn, after), drawn.y)}
        for side, after in (("before", False), ("after", True))
    }
    yield Trial("figure4.1/news-dif", partial(draw, "news-dif", 800), pictures, scores=(), seeds=SEEDS)
    for name in SETS:
        for amount in AMOUNTS:
            timing = f"figures4.5-4.7/{name}/{amount}"
            yield Trial(timing, partial(draw, name, amount), TIMED, scores=(), seeds=TIMED_SEEDS)


def figures(results: Results, folder: Path) -> None:
    """Figures 4.1–4.7."""
    if "figure4.1/news-dif/after/ratio" in results:
        drawn = draw("news-dif", 800, 0)
        sides = [in_two_dimensions(drawn, after) for after in (False, True)]
        names = np.array([topic.removeprefix("comp.") for topic in NEWS["difficult"]])
        scatter(*sides, names[drawn.y], path=folder / "figure4.1.png", titles=("words", "after ASP, 800 pairs"))
    groups = (tuple(SETS)[6:], tuple(SETS)[:3], tuple(SETS)[3:6])
    for number, names in enumerate(groups, 2):
        panels = {
            name: {
                **{m: results.curve(f"table4.2/{name}/{{}}/{m}", AMOUNTS) for m in (*HINTED, "likewise")},
                "spkm": results.curve(f"table4.2/{name}/{{}}/spkm", (0,)),
            }
            for name in names
        }
        learning_curve(panels, path=folder / f"figure4.{number}.png", x_label="pairs", y_label="NMI")
    for number, names in enumerate(groups, 5):
        at = "figures4.5-4.7/{}/{{}}/{}/{}"
        panels = {name: {m: results.curve(at.format(name, m, "seconds"), AMOUNTS) for m in TIMED} for name in names}
        learning_curve(panels, path=folder / f"figure4.{number}.png", x_label="pairs", y_label="seconds", log="y")
    corpora = {"Newsgroups": groups[0], "Reuters": (*groups[1], *groups[2])}
    panels = {
        corpus: {name: results.curve(at.format(name, "asp-qr", "dimensions"), AMOUNTS) for name in names}
        for corpus, names in corpora.items()
    }
    learning_curve(panels, path=folder / "figure4.5-4.7-dimensions.png", x_label="pairs", y_label="dimensions of ASP")
