"""Yan, Wang, Lee, Giles: RL-NC, RLC-NC and Lo-NC on topics of 20 Newsgroups and Reuters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin

from likewise import ASP, Constraints, clustering
from likewise.evaluation import Results
from likewise.evaluation.protocols import Case, Method, Trial, case, clustered
from likewise.report.plots import learning_curve

from .. import text_sets
from ..framework import UNPUBLISHED

SEEDS = 20
CHALLENGING = ("mediocre", "difficult")
AMOUNTS = (2.5, 5, 7.5, 10, 15)
"""Table 3: per cent of the documents that are constrained."""
FEW_AMOUNTS = (5, 10, 15)
"""Table 4, likewise."""
SIZES = (2, 3, 4, 5, 6)
CORPORA = {"reuters": "reuters", "news": "newsgroups"}


def _own(build: Callable[..., Any], **given: Any) -> Method:
    return clustered(lambda case, seed: build(case.n_clusters, random_state=seed, **given))


# Nothing here has a parameter that the paper gives. Cosine affinities between all pairs, Shi and Malik's scaling, the
# metric at its optimum; C-NC's strength is the package's default, the same for all data sets.
NC = {"nc": _own(clustering.NormalizedCut.as_published)}
METRIC = {
    "rl-nc": _own(clustering.rl_nc, published=True),
    "l-nc": _own(clustering.l_nc, published=True),
}
ENFORCED = {
    "rl-nc": METRIC["rl-nc"],
    "c-nc": _own(clustering.ConstrainedNormalizedCut.as_published),
    "rlc-nc": _own(clustering.rlc_nc, published=True),
    "mpck": _own(clustering.MPCKMeans.as_published),
}
PROPAGATED = {
    "lo-nc": _own(clustering.lo_nc, published=True),
    "glo-nc": _own(clustering.glo_nc, published=True),
}
OURS = {"likewise": UNPUBLISHED["likewise"]}
UMAP = {"umap": UNPUBLISHED["umap"]}


class StalledMetric(TransformerMixin, BaseEstimator):
    """Xing's diagonal metric as it was computed then: Newton over all features, steps clipped at zero.

    It starts at equal weights and ends when the objective changes by less than a thousandth, which it soon does, far
    from the optimum. Only for the trials called "readings": what if the paper's metric was this one?
    """

    def fit(self, X: Any, y: Any = None, *, constraints: Constraints) -> StalledMetric:
        """Learn a weight for each feature."""
        X = X.toarray() if sparse.issparse(X) else np.asarray(X)
        hints = constraints.expand()
        must, cannot = (np.square(X[p[:, 0]] - X[p[:, 1]]) for p in (hints.must_link, hints.cannot_link))
        linear = must.sum(axis=0)

        def objective(a: Any) -> float:
            return float(linear @ a - np.log(np.sqrt(np.maximum(cannot @ a, 1e-300)).sum()))

        a = np.full(X.shape[1], 0.5 / linear.sum())  # the must-link sum is 1/2 at the optimum
        for _ in range(100):
            inner = cannot @ a
            inner = np.maximum(inner, 1e-9 * inner.max())
            total = np.sqrt(inner).sum()
            slope = (1 / (2 * np.sqrt(inner))) @ cannot / total
            # The Hessian is BᵀB; a millionth of its mean diagonal makes it regular.
            B = np.vstack([slope, cannot * (inner**-0.75 / np.sqrt(4 * total))[:, None]])
            ridge, g = 1e-6 * np.square(B).sum() / len(a), linear - slope
            step = (g - B.T @ np.linalg.solve(B @ B.T + ridge * np.eye(len(B)), B @ g)) / ridge
            moved, size = np.maximum(a - step, 0.0), 0.5
            while size > 1e-12 and objective(shorter := np.maximum(a - size * step, 0.0)) < objective(moved):
                moved, size = shorter, size / 2
            before, after = objective(a), objective(moved)
            if after < before:
                a = moved
            if before - after < 1e-3 * abs(after):
                break
        self.weights_ = a
        return self

    def transform(self, X: Any) -> Any:
        """Scale each feature by the root of its weight."""
        return np.asarray(X.toarray() if sparse.issparse(X) else X) * np.sqrt(self.weights_)


def _chained(*steps: Any, cut: Any = clustering.NormalizedCut) -> Method:
    return _own(clustering.ChainedClusterer, steps=list(steps), clusterer=cut.as_published())


# Every row is in a group, as in the thesis of the same author: one without must-links is a group of its own.
WHOLE = ASP(singletons="all")
READINGS = {
    "nc": NC["nc"],
    "subspace": _chained(WHOLE),
    "rl-nc": _chained(WHOLE, StalledMetric()),
    "l-nc": _chained(StalledMetric()),
    "rlc-nc": _chained(WHOLE, StalledMetric(), cut=clustering.ConstrainedNormalizedCut),
}


def challenging(which: str, amount: float, seed: int) -> Case:
    """Draw 100 documents of each of three related topics, and hints."""
    X, y = text_sets.documents("newsgroups", text_sets.NEWS[which], 100, seed)
    return _hinted(X, y, amount, seed)


def pool(corpus: str, k: int, amount: float, seed: int) -> Case:
    """Draw k topics, 40 documents of each, and hints."""
    topics = text_sets.drawn_topics(CORPORA[corpus], k, 40, seed)
    X, y = text_sets.documents(CORPORA[corpus], topics, 40, seed)
    return _hinted(X, y, amount, seed)


def _hinted(X: Any, y: Any, amount: float, seed: int) -> Case:
    return case(X, y, "labeled_items", round(amount / 100 * len(y)), random_state=seed)


def trials() -> Iterator[Trial]:
    """All trials, those on the same documents one after the other."""
    for which in CHALLENGING:
        draw = partial(challenging, which)
        yield from _table3(which, draw)
        yield _figure2(which, draw)
        yield from _figure3(which, draw)
        for amount in AMOUNTS:
            yield Trial(f"readings/{which}/{amount:g}", partial(draw, amount), READINGS, seeds=SEEDS // 2)
    for corpus in CORPORA:
        for k in SIZES:
            draw = partial(pool, corpus, k)
            yield from _table4(f"{corpus}-{k}", draw)
            yield _figure2(f"{corpus}-{k}", draw)


def _table3(which: str, draw: Callable[[float, int], Case]) -> Iterator[Trial]:
    accuracy = ("nmi", "rand", "f")
    unhinted = Trial(f"table3/{which}", partial(draw, 0), {**NC, **UMAP}, accuracy, SEEDS)
    yield unhinted
    for amount in AMOUNTS:
        methods = {**METRIC, **OURS}
        # L-NC has no answer where its metric keeps a word that almost no document has.
        yield Trial(
            f"table3/{which}/{amount:g}",
            partial(draw, amount),
            methods,
            (*accuracy, "seconds"),
            SEEDS,
            refusals=(ValueError,),
            rivals=(unhinted.name,),
        )


def _table4(name: str, draw: Callable[[float, int], Case]) -> Iterator[Trial]:
    unhinted = Trial(f"table4/{name}", partial(draw, 0), {**NC, **UMAP}, seeds=SEEDS)
    yield unhinted
    for amount in FEW_AMOUNTS:
        methods = {**PROPAGATED, **OURS}
        yield Trial(f"table4/{name}/{amount:g}", partial(draw, amount), methods, seeds=SEEDS, rivals=(unhinted.name,))


def _figure2(name: str, draw: Callable[[float, int], Case]) -> Trial:
    return Trial(f"figure2/{name}", partial(draw, 15), {**NC, **ENFORCED}, seeds=SEEDS)


def _figure3(which: str, draw: Callable[[float, int], Case]) -> Iterator[Trial]:
    for amount in AMOUNTS:
        # NC uses no hints; it is here once for each amount so that statements can compare amount by amount.
        yield Trial(f"figure3/{which}/{amount:g}", partial(draw, amount), {**NC, **PROPAGATED}, seeds=SEEDS)


def figures(results: Results, folder: Path) -> None:
    """Draw Tables 3 and 4 and Figures 2 and 3 as curves."""
    of = results.curve
    names = {"mediocre": "News-Mediocre", "difficult": "News-Difficult"}
    table3 = {
        names[which]: {
            "NC": of(f"table3/{which}/nc/nmi", [0]),
            **{m: of(f"table3/{which}/{{}}/{m}/nmi", AMOUNTS) for m in (*METRIC, *OURS)},
            "umap": of(f"table3/{which}/umap/nmi", [0]),
        }
        for which in CHALLENGING
    }
    learning_curve(table3, path=folder / "table3.png", x_label="documents constrained, %", y_label="NMI")
    times = {
        names[which]: {m: of(f"table3/{which}/{{}}/{m}/seconds", AMOUNTS) for m in METRIC} for which in CHALLENGING
    }
    learning_curve(
        times, path=folder / "table3-time.png", x_label="documents constrained, %", y_label="seconds", log="y"
    )
    sets = [*(f"{corpus}-{k}" for corpus in CORPORA for k in SIZES), *CHALLENGING]
    figure2 = {
        m: (
            range(1, len(sets) + 1),
            [results.mean(f"figure2/{name}/{m}") for name in sets],
            [results.deviation(f"figure2/{name}/{m}") for name in sets],
        )
        for m in (*NC, *ENFORCED)
    }
    along = "1-5 Reuters, 6-10 News, 2 to 6 topics; 11 Mediocre, 12 Difficult"
    learning_curve({"15 % constrained": figure2}, path=folder / "figure2.png", x_label=along, y_label="NMI")
    figure3 = {
        names[which]: {m: of(f"figure3/{which}/{{}}/{m}", AMOUNTS) for m in (*NC, *PROPAGATED)} for which in CHALLENGING
    }
    learning_curve(figure3, path=folder / "figure3.png", x_label="documents constrained, %", y_label="NMI")
    for corpus in CORPORA:
        table4 = {
            f"{corpus}, {amount} %": {
                **{m: of(f"table4/{corpus}-{{}}/{amount}/{m}", SIZES) for m in (*PROPAGATED, *OURS)},
                "umap": of(f"table4/{corpus}-{{}}/umap", SIZES),
            }
            for amount in FEW_AMOUNTS
        }
        learning_curve(table4, path=folder / f"table4-{corpus}.png", x_label="topics", y_label="NMI")
