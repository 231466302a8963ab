"""Chapter 6: DSP, and the null space of must-links in a kernel's feature space.

Features are brought to [0, 1]. The kernel's width is Table 6.1's in Table 6.2, and the median distance between rows in
Table 6.3, where Table 6.1's are in other units.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.preprocessing import minmax_scale

from likewise import DSP, LPP, LPPSI, SLPP, Constraints, datasets
from likewise.evaluation import Results
from likewise.evaluation.protocols import Case, Method, Trial, case, reduced
from likewise.graphs import kernel_null_space
from likewise.report.plots import scatter

from ..framework import UNPUBLISHED

Array = np.ndarray

WIDTHS = {
    "wine": 0.6,
    "vehicle": 0.9,
    "iris": 0.3,
    "balance": 0.7,
    "ionosphere": 1.0,
    "glass": 0.3,
    "breast": 1.0,
}
LARGE = {"mfeat": ("mfeat", 20), "isolet": ("isolet", 20), "pendigits": ("pendigits", 5), "coil": ("coil20_16", 20)}
FILES = {"breast": "breast_w"}
SEEDS = 6


@lru_cache(maxsize=11)
def table(name: str) -> tuple[Array, Array]:
    """Features in [0, 1], and classes."""
    found = datasets.load(FILES.get(name, name))
    return minmax_scale(np.asarray(found.X, dtype=float)), found.y


def draw(name: str, pairs: int, seed: int) -> Case:
    """`pairs` must-links and `pairs` cannot-links for each class."""
    return case(*table(name), "per_class", pairs, random_state=seed, delta=WIDTHS[name])


def draw_fold(name: str, seed: int) -> Case:
    """One of five folds is scored; hints, 20 of each kind for each class, are drawn in the others."""
    X, y = table(LARGE[name][0])
    fold = np.random.default_rng(0).permutation(len(y)) % 5 == seed % 5
    learned, scored = np.flatnonzero(~fold), np.flatnonzero(fold)
    hints = {"rows": learned, "scored": scored, "random_state": seed}
    return case(X, y, "per_class", 20, learned=learned, width=LARGE[name][1], **hints)


def k_means(drawn: Case, seed: int) -> KMeans:
    """Euclidean k-means."""
    return KMeans(drawn.n_clusters, n_init=10, random_state=seed)


def projected(build: Any) -> Method:
    """A projection to half of the dimensions, then k-means."""
    return reduced(lambda drawn, seed: build(drawn, drawn.X.shape[1] // 2), k_means)


UNHINTED = {
    "pca": projected(lambda drawn, r: PCA(r, random_state=0)),
    "lpp": projected(lambda drawn, r: LPP.as_published(r)),
}
HINTED = {
    "slpp": projected(lambda drawn, r: SLPP.as_published(r)),
    "lppsi": projected(lambda drawn, r: LPPSI.as_published(r, kernel="rbf", delta=drawn.extra["delta"])),
    "dsp": projected(lambda drawn, r: DSP.as_published(r, delta=drawn.extra["delta"])),
    "likewise": UNPUBLISHED["likewise"],
}


def of_new_rows(build: Any) -> Method:
    """Learn from the rows with hints, cluster the others as the learned map shows them."""

    def method(drawn: Case, seed: int) -> Array:
        learned, scored = drawn.extra["learned"], drawn.scored
        assert scored is not None
        Z = drawn.X[scored]
        if build is not None:
            hints = drawn.constraints.restrict(learned)
            Z = build(drawn.extra["width"]).fit(drawn.X[learned], constraints=hints).transform(Z)
        labels = np.zeros(len(drawn.y), dtype=int)
        labels[scored] = k_means(drawn, seed).fit_predict(Z)
        return labels

    return method


# Figures 6.1 and 6.2: 36 points on a line, the outer ones of one cluster, the inner ones of the other; φ(x) = (x, x²).
# Two must-links inside the outer cluster: across the middle, which helps, and on one side, which mixes the clusters.
PAIRS = {"figure6.1": (4, 31), "figure6.2": (27, 35)}


def line(figure: str, seed: int = 0) -> Case:
    """The points of Figures 6.1 and 6.2, and one must-link."""
    x = np.concatenate([np.linspace(-3, -2, 9), np.linspace(-1, 1, 18), np.linspace(2, 3, 9)])
    return Case(x[:, None], (np.abs(x) < 1.5).astype(int), Constraints(36, [PAIRS[figure]]), 2)


def lifted(drawn: Case) -> Array:
    """φ(x) = (x, x²)."""
    return np.hstack([drawn.X, drawn.X**2])


def in_null_space(drawn: Case) -> Array:
    """Where kernel_null_space puts the points, as coordinates."""
    F = lifted(drawn)
    values, vectors = np.linalg.eigh(kernel_null_space(F @ F.T, drawn.constraints))
    return vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))


def one_must_link(drawn: Case, seed: int) -> dict[str, float]:
    """Distance of the linked points after the projection, and the Rand index of k-means."""
    Z, (i, j) = in_null_space(drawn), drawn.constraints.must_link[0]
    labels = k_means(drawn, seed).fit_predict(Z)
    return {"distance": float(np.linalg.norm(Z[i] - Z[j])), "rand": drawn.score("rand", labels)}


def on_the_line(drawn: Case, seed: int) -> dict[str, float]:
    """The Rand index of k-means on the line itself."""
    return {"rand": drawn.score("rand", k_means(drawn, seed).fit_predict(drawn.X))}


def trials() -> Iterator[Trial]:
    """Figures 6.1 and 6.2, Tables 6.2 and 6.3."""
    for figure in PAIRS:
        methods = {"input-space": on_the_line, "null-space": one_must_link}
        yield Trial(f"{figure}/points", partial(line, figure), methods, scores=(), seeds=1)
    for name in WIDTHS:
        umap, none = f"table6.2/{name}/umap-only", f"table6.2/{name}/0"
        yield Trial(umap, partial(draw, name, 0), {"umap": UNPUBLISHED["umap"]}, ("f",), 2)
        yield Trial(none, partial(draw, name, 0), UNHINTED, ("f",), SEEDS)
        for pairs in (20, 5):
            here = f"table6.2/{name}/{pairs}"
            yield Trial(here, partial(draw, name, pairs), HINTED, ("f",), SEEDS, rivals=(none, umap))
    for name in LARGE:
        umap = f"table6.3/{name}/umap-only"
        yield Trial(umap, partial(draw_fold, name), {"umap": UNPUBLISHED["umap"]}, ("f",), 1)
        methods = {
            "full": of_new_rows(None),
            "dsp": of_new_rows(DSP.as_published),
            "likewise": UNPUBLISHED["likewise"],
        }
        seeds = 5 if name in ("mfeat", "coil") else 2
        yield Trial(f"table6.3/{name}", partial(draw_fold, name), methods, ("f",), seeds, rivals=(umap,))


def figures(results: Results, folder: Path) -> None:
    """Figures 6.1 and 6.2."""
    for figure in PAIRS:
        drawn = line(figure)
        across = in_null_space(drawn)[:, 1:]  # one direction is left; the other is rounding
        scatter(
            lifted(drawn),
            np.hstack([across, drawn.X]),
            np.where(drawn.y == 1, "inner", "outer"),
            path=folder / f"{figure}.png",
            constraints=drawn.constraints,
            titles=("x and x², one must-link", "the null space (across) and x (up)"),
        )
