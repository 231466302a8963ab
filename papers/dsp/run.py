"""DSP and SKK-means (Yan, Bouaziz, Lee, Barlow 2012): Tables 3 to 6, Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import minmax_scale

from likewise import DSP, LPP, LPPSI, SLPP, Likewise, datasets
from likewise.clustering import SKKMeans, choose_delta
from likewise.evaluation import Results
from likewise.evaluation.protocols import Case, Method, Trial, case, clustered, reduced
from likewise.report.plots import learning_curve

from ..framework import UNPUBLISHED

SMALL = ("wine", "vehicle", "iris", "balance", "ionosphere", "glass", "breast_w", "sonar")
LARGE = {"mfeat": 20, "isolet": 20, "pendigits": 5, "coil20_16": 20}
PICTURED = {"figure4": "coil20_16", "figure5": "mfeat"}
PAIRS = (5, 10, 20, 30)
VERSIONS = {
    "": ("pca", "lpp", "slpp", "lppsi", "dsp", "dsp-default"),
    "-unit": ("pca", "lpp-unit", "slpp-unit", "lppsi", "dsp-unit", "dsp-default"),
}
DIMENSIONS = (2, 5, 10, 20, 50, 100, 200)
FOLDS = 5

# The paper gives no grid for δ. Ours is choose_delta's own for every data set, ¼ to 4 times the median distance, tried
# on at most this many rows: those that hints speak of first, then others.
ROWS_FOR_DELTA = 1000


@lru_cache(maxsize=2)
def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features brought to [0, 1], and the truth."""
    whole = datasets.load(name)
    return minmax_scale(np.asarray(whole.X, dtype=float)), whole.y


def draw(name: str, pairs: int, r: int | None, seed: int) -> Case:
    """Draw `pairs` must-links within and as many cannot-links out of every class; r None: half of the dimensions."""
    X, y = data(name)
    return _searching(case(X, y, "per_class", pairs, random_state=seed, r=r or X.shape[1] // 2), seed)


def draw_fold(name: str, r: int, seed: int) -> Case:
    """Score one fold of five; 20 pairs a class come from the other four, which ``extra["train"]`` holds."""
    X, y = data(name)
    train, test = _fold(y, seed)
    return _with_part(case(X, y, "per_class", 20, rows=train, scored=test, random_state=seed, r=r), train, seed)


def draw_fifth(name: str, r: int, seed: int) -> Case:
    """Learn from a fifth of the rows and its 20 pairs a class."""
    X, y = data(name)
    _, train = _fold(y, seed)
    return _with_part(case(X, y, "per_class", 20, rows=train, random_state=seed, r=r), train, seed)


def _fold(y: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed // FOLDS)
    return list(folds.split(y, y))[seed % FOLDS]


def _with_part(drawn: Case, rows: np.ndarray, seed: int) -> Case:
    part = Case(drawn.X[rows], drawn.y[rows], drawn.constraints.restrict(rows), drawn.n_clusters, extra=drawn.extra)
    return replace(drawn, extra={**drawn.extra, "train": _searching(part, seed)})


def _searching(drawn: Case, seed: int) -> Case:
    """Let the kernel methods of one draw share a δ, looked for when the first of them asks."""
    return replace(drawn, extra={**drawn.extra, "delta": cache(partial(_delta, drawn, seed))})


def _delta(drawn: Case, seed: int) -> float:
    X, hints = drawn.X, drawn.constraints
    if len(X) > ROWS_FOR_DELTA:
        order = np.random.default_rng(seed).permutation(len(X))
        spoken = np.isin(order, np.vstack([hints.must_link, hints.cannot_link]))
        rows = np.sort(np.append(order[spoken], order[~spoken])[:ROWS_FOR_DELTA])
        X, hints = X[rows], hints.restrict(rows)
    return choose_delta(X, hints, drawn.n_clusters, n_init=3, random_state=seed)


def k_means(drawn: Case, seed: int) -> KMeans:
    """The clustering after every reduction."""
    return KMeans(drawn.n_clusters, n_init=10, random_state=seed)


def skk_means(drawn: Case, seed: int) -> SKKMeans:
    """Kernel k-means after must-link groups collapsed, with the δ that the cannot-links choose."""
    return SKKMeans(drawn.n_clusters, delta=drawn.extra["delta"](), random_state=seed)


# To the letter every direction has the same length in the denominator (ZᵀBZ = I). What ends in "-unit" is the same with
# directions of length one, as common code for LPP returns them; "dsp-default" is our plain constructor.
WITHOUT_HINTS: dict[str, Callable[[Case, int], Any]] = {
    "pca": lambda drawn, seed: PCA(drawn.extra["r"], random_state=seed),
    "lpp": lambda drawn, seed: LPP.as_published(drawn.extra["r"]),
    "lpp-unit": lambda drawn, seed: LPP.as_published(drawn.extra["r"], scaling="unit"),
}
DSPS: dict[str, Callable[[Case, int], Any]] = {
    "dsp": lambda drawn, seed: DSP.as_published(drawn.extra["r"], delta=drawn.extra["delta"]()),
    "dsp-unit": lambda drawn, seed: DSP.as_published(drawn.extra["r"], delta=drawn.extra["delta"](), scaling="unit"),
    "dsp-default": lambda drawn, seed: DSP(drawn.extra["r"]),
}
WITH_HINTS: dict[str, Callable[[Case, int], Any]] = {
    "slpp": lambda drawn, seed: SLPP.as_published(drawn.extra["r"]),
    "slpp-unit": lambda drawn, seed: SLPP.as_published(drawn.extra["r"], scaling="unit"),
    "lppsi": lambda drawn, seed: LPPSI.as_published(drawn.extra["r"], kernel="rbf", delta=drawn.extra["delta"]()),
    **DSPS,
}


def then_k_means(reductions: dict[str, Callable[[Case, int], Any]]) -> dict[str, Method]:
    """Reductions, each followed by k-means."""
    return {name: reduced(build, k_means) for name, build in reductions.items()}


def along_dimensions(build: Callable[[Case, int], Any]) -> Method:
    """1 − F of k-means in the first 2, 5, … directions; the directions are learned once, best first."""

    def method(drawn: Case, seed: int) -> dict[str, float]:
        Z = _fitted(build, drawn, seed).transform(drawn.X)
        return {str(r): _error(drawn, k_means(drawn, seed).fit_predict(Z[:, :r])) for r in DIMENSIONS}

    return method


def at_all_dimensions(method: Method) -> Method:
    """1 − F of a method that does not get the number of directions; filed under the number of features."""
    return lambda drawn, seed: {str(drawn.X.shape[1]): _error(drawn, method(drawn, seed))}


def on_new_rows(build: Callable[[Case, int], Any] | None) -> Method:
    """Learn from the training part, reduce the new rows and cluster them; None: cluster them as they are."""

    def method(drawn: Case, seed: int) -> np.ndarray:
        Z = drawn.X[drawn.scored]
        if build is not None:
            Z = _fitted(build, drawn.extra["train"], seed).transform(Z)
        return _placed(drawn, k_means(drawn, seed).fit_predict(Z))

    return method


def likewise_on_new_rows(drawn: Case, seed: int) -> np.ndarray:
    """Our own column: learn from the training part, then say where the new rows belong."""
    part = drawn.extra["train"]
    model = Likewise(drawn.n_clusters, random_state=seed).fit(part.X, constraints=part.constraints)
    return _placed(drawn, model.predict(drawn.X[drawn.scored]))


def umap_on_new_rows(drawn: Case, seed: int) -> np.ndarray:
    """The rival without hints, on the new rows alone."""
    return _placed(drawn, UNPUBLISHED["umap"](replace(drawn, X=drawn.X[drawn.scored]), seed))


def timed(build: Callable[[Case, int], Any], *, offline: bool, part: bool = True) -> Method:
    """CPU seconds of learning and of reducing all rows; what is learned online counts as reducing."""

    def method(drawn: Case, seed: int) -> dict[str, float]:
        source = drawn.extra["train"] if part else drawn
        if part:
            source.extra["delta"]()  # choosing δ is no part of the times
        begin = process_time()
        reduction = _fitted(build, source, seed)
        learned = process_time()
        reduction.transform(drawn.X)
        end = process_time()
        return {"train": learned - begin, "reduce": end - learned} if offline else {"reduce": end - begin}

    return method


def _fitted(build: Callable[[Case, int], Any], part: Case, seed: int) -> Any:
    reduction = build(part, seed)
    given = {} if isinstance(reduction, PCA) else {"constraints": part.constraints}
    return reduction.fit(part.X, **given)


def _placed(drawn: Case, labels: np.ndarray) -> np.ndarray:
    every = np.full(len(drawn.y), -1)
    every[drawn.scored] = labels
    return every


def _error(drawn: Case, labels: np.ndarray) -> float:
    return 1.0 - drawn.score("f", labels)


def trials() -> Iterator[Trial]:
    """All trials, no data loaded."""
    yield from _table3()
    yield from _table4()
    for name, r in LARGE.items():
        yield Trial(
            f"table5/{name}",
            partial(draw_fold, name, r),
            {
                "full": on_new_rows(None),
                **{method: on_new_rows(DSPS[method]) for method in ("dsp", "dsp-default")},
                "likewise": likewise_on_new_rows,
                "umap": umap_on_new_rows,
            },
            scores=("f",),
            seeds=FOLDS,
        )
    for name, r in LARGE.items():
        yield Trial(
            f"table6/{name}",
            partial(draw_fifth, name, r),
            {
                **{method: timed(WITHOUT_HINTS[method], offline=False, part=False) for method in ("pca", "lpp")},
                **{method: timed(WITH_HINTS[method], offline=method != "lppsi") for method in ("slpp", "lppsi", "dsp")},
            },
            scores=(),
            seeds=3,
        )
    for figure, name in PICTURED.items():
        yield from _figure(figure, name)


def _table3() -> Iterator[Trial]:
    name, scores = "kddcup99_sample", ("f", "rand")
    yield Trial(
        "table3/none",
        partial(draw, name, 0, 10),
        {"k-means": clustered(k_means), **then_k_means(WITHOUT_HINTS), **UNPUBLISHED},
        scores=scores,
        seeds=3,
    )
    for pairs in (20, 5):
        methods = {"skk-means": clustered(skk_means), **then_k_means(WITH_HINTS), "likewise": UNPUBLISHED["likewise"]}
        yield Trial(
            f"table3/{pairs}",
            partial(draw, name, pairs, 10),
            methods,
            scores=scores,
            seeds=5,
            rivals=("table3/none",),
        )


def _table4() -> Iterator[Trial]:
    for name in SMALL:
        methods = {**then_k_means(WITHOUT_HINTS), **UNPUBLISHED}
        yield Trial(f"table4/{name}/none", partial(draw, name, 0, None), methods, scores=("f",), seeds=3)
        for pairs in (20, 5):
            yield Trial(
                f"table4/{name}/{pairs}",
                partial(draw, name, pairs, None),
                {**then_k_means(WITH_HINTS), "likewise": UNPUBLISHED["likewise"]},
                scores=("f",),
                seeds=12,
                rivals=(f"table4/{name}/none",),
            )


def _figure(figure: str, name: str) -> Iterator[Trial]:
    most = DIMENSIONS[-1]
    without = {method: along_dimensions(build) for method, build in WITHOUT_HINTS.items()}
    unpublished = {method: at_all_dimensions(run) for method, run in UNPUBLISHED.items()}
    yield Trial(f"{figure}/none", partial(draw, name, 0, most), {**without, **unpublished}, scores=(), seeds=3)
    for pairs in PAIRS:
        methods = {method: along_dimensions(build) for method, build in WITH_HINTS.items()}
        methods["likewise"] = unpublished["likewise"]
        yield Trial(f"{figure}/{pairs}", partial(draw, name, pairs, most), methods, scores=(), seeds=3)


def figures(results: Results, folder: Path) -> None:
    """Draw error against dimensions, a panel for each number of pairs; dashed: without a number of dimensions."""
    for figure, features in (("figure4", 256), ("figure5", 649)):
        for version, names in VERSIONS.items():
            panels = {}
            for pairs in PAIRS:
                rows = {name: pairs if name in WITH_HINTS else "none" for name in names}
                lines = {name: results.curve(f"{figure}/{row}/{name}/{{}}", DIMENSIONS) for name, row in rows.items()}
                lines["likewise"] = results.curve(f"{figure}/{pairs}/likewise/{{}}", [features])
                lines["umap"] = results.curve(f"{figure}/none/umap/{{}}", [features])
                panels[f"{pairs} pairs"] = {name: (x, mean, 0 * mean) for name, (x, mean, _) in lines.items()}
            path = folder / f"{figure}{version}.png"
            learning_curve(panels, path=path, x_label="dimensions", y_label="1 − F", log="x")
