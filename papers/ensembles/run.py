"""Subspace metric ensembles (Yan and Domeniconi 2006): Figures 2 to 4 and Table 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.preprocessing import StandardScaler

from likewise import datasets
from likewise.clustering import PCKMeans, SubspaceMetricEnsemble, hbgf
from likewise.evaluation import Results, normalized_mutual_information, rand_index
from likewise.evaluation.protocols import Case, Method, Trial, case, clustered, reduced, split_rows
from likewise.report.plots import learning_curve

from ..framework import UNPUBLISHED
from .newton import newton_metric

SETS = {"nci60": (120, 60), "lymphoma": (120, 60), "wine": (30, 8), "breast": (30, 10)}
"""Subspaces and features of each, as the paper has them."""

FIGURE = {"nci60": "figure2", "lymphoma": "figure2", "wine": "figure3", "breast": "figure3"}
GENES = 1155
"""The paper's selection of NCI60 genes is not published: the ones that vary most stand for it."""

TRAINING = 0.3
PER_CENT = (2, 4, 8, 12, 16)
"""Hints, as a share of all pairs of training rows. The figures' axis is not in the text; 12 is the value it names."""

FIXED = 12
SIZES = {
    "nci60": (10, 20, 40, 80, 120),
    "lymphoma": (10, 20, 40, 80, 120),
    "wine": (5, 10, 20, 30, 50, 80),
    "breast": (5, 10, 20, 30, 50, 80),
}
STEPS = 10


@lru_cache(maxsize=4)
def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes. Columns as they come: the paper does not say that it scaled any."""
    found = datasets.load({"breast": "wdbc"}.get(name, name))
    X = np.asarray(found.X, dtype=float)
    if name == "nci60":
        X = X[:, np.sort(np.argsort(-X.var(axis=0), kind="stable")[:GENES])]
    return X, found.y


def draw(name: str, per_cent: float, seed: int) -> Case:
    """Hints among 30 % of the rows; scores look at the others."""
    X, y = data(name)
    rows, scored = split_rows(len(y), TRAINING, seed)
    known = {"size": SETS[name], "steps": SIZES[name]}
    amount = round(per_cent / 100 * len(rows) * (len(rows) - 1) / 2)
    return case(X, y, "random_pairs", amount, rows=rows, scored=scored, random_state=seed, **known)


def one_k_means(drawn: Case, seed: int) -> KMeans:
    """One start from random rows, as the paper begins where it has no hints."""
    return KMeans(drawn.n_clusters, init="random", n_init=1, random_state=seed)


def ensemble(**how: Any) -> Callable[[Case, int], SubspaceMetricEnsemble]:
    """Metric-S and its kin, by default in the paper's sizes."""

    def build(drawn: Case, seed: int) -> SubspaceMetricEnsemble:
        count, width = drawn.extra["size"]
        sizes = {"n_subspaces": count, "subspace_features": width}
        return SubspaceMetricEnsemble.as_published(drawn.n_clusters, **{**sizes, **how}, random_state=seed)

    return build


FULL = {"n_subspaces": 1, "subspace_features": None}
METHODS: dict[str, Method] = {
    "kmeans": clustered(one_k_means),
    "kmeans-cst": clustered(lambda drawn, seed: PCKMeans.as_published(drawn.n_clusters, random_state=seed)),
    "metric-f": clustered(ensemble(**FULL)),
    "metric-f-cst": clustered(ensemble(**FULL, constrained=True)),
    "metric-s": clustered(ensemble()),
    "metric-s-cst": clustered(ensemble(constrained=True)),
    # Two that the paper does not have, to tell what the metric and what the ensemble is good for.
    "no-metric-s": clustered(ensemble(metric=None)),
    "scaled-kmeans": reduced(lambda drawn, seed: StandardScaler(), one_k_means),
}


def members(drawn: Case, seed: int) -> dict[str, float]:
    """Figure 4, left: quality of members two by two, how alike they are, and the quality of the whole."""
    model = ensemble()(drawn, seed).fit(drawn.X, constraints=drawn.constraints)
    diversity, quality = model.diversity_quality(drawn.y).T
    whole = normalized_mutual_information(drawn.y, model.labels_)
    single = [normalized_mutual_information(drawn.y, labels) for labels in model.labelings_]
    found = {
        "ensemble": whole,
        "pairs": quality.mean(),
        "best-pair": quality.max(),
        "best-member": max(single),
        "below": float(np.mean(np.array(single) < whole)),
        "alike": 1 - diversity.mean(),
    }
    for step, part in enumerate(np.array_split(np.argsort(quality, kind="stable"), STEPS)):
        found |= {f"quality-{step}": quality[part].mean(), f"alike-{step}": 1 - diversity[part].mean()}
    return found


def sizes(drawn: Case, seed: int) -> dict[str, float]:
    """Figure 4, right: the first 5, 10, ... members of one large ensemble, joined."""
    steps = drawn.extra["steps"]
    model = ensemble(n_subspaces=max(steps))(drawn, seed).fit(drawn.X, constraints=drawn.constraints)
    found = {}
    for step in steps:
        labels = hbgf(model.labelings_[:step], drawn.n_clusters, random_state=seed)
        found[f"nmi-{step}"] = normalized_mutual_information(drawn.y, labels)
        found[f"rand-{step}"] = rand_index(drawn.y[drawn.scored], labels[drawn.scored])
    return found


def newton_f(drawn: Case, seed: int) -> tuple[np.ndarray, dict[str, float]]:
    """Metric-F by the paper's own solver: labels, and the seconds of each part."""
    learn, weights = timed(lambda: newton_metric(drawn.X, drawn.constraints))
    cluster, model = timed(lambda: one_k_means(drawn, seed).fit(drawn.X * np.sqrt(weights)))
    return model.labels_, {"learn": learn, "kmeans": cluster, "total": learn + cluster}


def newton_s(drawn: Case, seed: int) -> tuple[np.ndarray, dict[str, float]]:
    """Metric-S by the paper's own solver: labels, and the seconds of one subspace, the consensus and all."""
    count, width = drawn.extra["size"]
    rng = np.random.default_rng(seed)
    seconds, labelings = np.zeros(2), []
    for number in range(count):
        X = drawn.X[:, rng.choice(drawn.X.shape[1], width, replace=False)]
        learn, weights = timed(partial(newton_metric, X, drawn.constraints))
        cluster, model = timed(partial(one_k_means(drawn, count * seed + number).fit, X * np.sqrt(weights)))
        seconds += learn, cluster
        labelings.append(model.labels_)
    join, labels = timed(lambda: hbgf(labelings, drawn.n_clusters, random_state=seed))
    learn, cluster = seconds / count
    return labels, {"learn": learn, "kmeans": cluster, "hbgf": join, "total": seconds.sum() + join}


def clocked(solve: Callable[[Case, int], tuple[np.ndarray, dict[str, float]]]) -> Method:
    """Table 1: the seconds, and the Rand index that they bought."""

    def method(drawn: Case, seed: int) -> dict[str, float]:
        labels, seconds = solve(drawn, seed)
        return {**seconds, "rand": drawn.score("rand", labels)}

    return method


def in_all(method: Method) -> Method:
    """A method of which only the time counts, that of its second run: UMAP compiles itself in the first."""

    def second(drawn: Case, seed: int) -> dict[str, float]:
        method(drawn, seed)
        return {"total": timed(lambda: method(drawn, seed))[0]}

    return second


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, whatever else runs beside, and what came of it."""
    begin = process_time()
    result = work()
    return process_time() - begin, result


METHODS["newton-s"] = lambda drawn, seed: newton_s(drawn, seed)[0]
TIMED: dict[str, Method] = {
    "full": clocked(newton_f),
    "subspace": clocked(newton_s),
    "full-ours": in_all(METHODS["metric-f"]),
    "subspace-ours": in_all(METHODS["metric-s"]),
    **{column: in_all(method) for column, method in UNPUBLISHED.items()},
}


def trials() -> Iterator[Trial]:
    """Everything the paper shows, and the two columns that it does not have."""
    for name, figure in FIGURE.items():
        seeds = 10 if figure == "figure2" else 20
        amounts = {per_cent: f"{figure}/{name}/{per_cent}" for per_cent in PER_CENT}
        for per_cent, row in amounts.items():
            methods = {**METHODS, "likewise": UNPUBLISHED["likewise"]}
            yield Trial(row, partial(draw, name, per_cent), methods, scores=("rand",), seeds=seeds)
        unaided = {"umap": UNPUBLISHED["umap"]}
        rivals = tuple(amounts.values())
        yield Trial(f"{figure}/{name}/none", partial(draw, name, 0), unaided, scores=("rand",), seeds=5, rivals=rivals)
    for name in SETS:
        fixed = partial(draw, name, FIXED)
        yield Trial(f"figure4/{name}", fixed, {"members": members}, scores=(), seeds=20)
        yield Trial(f"figure4/right/{name}", fixed, {"sizes": sizes}, scores=(), seeds=20)
        yield Trial(f"table1/{name}", fixed, TIMED, scores=(), seeds=5)


def figures(results: Results, folder: Path) -> None:
    """Draw Figures 2, 3 and 4."""
    shown = [*METHODS, "likewise"]
    for figure in ("figure2", "figure3"):
        panels = {
            name: {
                **{method: results.curve(f"{figure}/{name}/{{}}/{method}", PER_CENT) for method in shown},
                "umap": results.curve(f"{figure}/{name}/none/umap", (0,)),
            }
            for name, home in FIGURE.items()
            if home == figure
        }
        learning_curve(
            panels,
            path=folder / f"{figure}.png",
            x_label="hints, % of the training pairs",
            y_label="Rand index, test rows",
        )
    left = {}
    for name in SETS:
        cell = f"figure4/{name}/members"
        quality = np.array([results.mean(f"{cell}/quality-{step}") for step in range(STEPS)])
        _, alike, deviation = results.curve(f"{cell}/alike-{{}}", range(STEPS))
        if not len(alike):
            continue
        whole, mean = results.mean(f"{cell}/ensemble"), results.mean(f"{cell}/pairs")
        upright = (alike.min(), alike.max()), (0.0, 0.0)
        left[name] = {
            "pairs of members": (quality, alike, deviation),
            "their mean": ((mean, mean), *upright),
            "the ensemble": ((whole, whole), *upright),
        }
    if left:
        learning_curve(
            left,
            path=folder / "figure4-left.png",
            x_label="quality: NMI with the classes",
            y_label="NMI of two members",
        )
    right = {
        name: {
            measure: results.curve(f"figure4/right/{name}/sizes/{measure}-{{}}", steps) for measure in ("nmi", "rand")
        }
        for name, steps in SIZES.items()
    }
    learning_curve(right, path=folder / "figure4-right.png", x_label="members", y_label="quality of the ensemble")
