"""Chapter 5: Costco, from artificial links and from real ones.

Unpublished and decided once: tables of numbers as they are, with Euclidean k-means; texts with cosine k-means after
every projection (Tables 5.8, 5.9); Table 5.10 with Algorithm 4's Euclidean k-means for all. All k-means: ten starts.
LLE has 12 neighbors. *Augmented* puts a 0/1 column for each document linked with beside the features. *L-Comb* is half
the cosine of the words, half that of the links. Link analysis: α = ½, θ = 0, s = 5, as many global pairs as links.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import LocallyLinearEmbedding
from sklearn.preprocessing import FunctionTransformer

from likewise import Constraints, Costco, NetworkedDocuments, NormalizedCut, SphericalKMeans, datasets
from likewise.evaluation import Results
from likewise.evaluation.protocols import Case, Method, Trial, case, clustered, reduced
from likewise.report.plots import learning_curve, scatter
from likewise.sources.links import global_core_pairs, linear_combination, link_matrix, links_only, local_core_pairs

from ..framework import UNPUBLISHED
from ..text_sets import NEWS, documents, drawn_topics

Array = np.ndarray

UCI = {
    "balance": "balance",
    "vehicle": "vehicle",
    "breast-cancer": "wdbc",
    "sonar": "sonar",
    "ionosphere": "ionosphere",
    "soybean": "soybean_small",
}
REUTERS = {"reu4": 4, "reu5": 5, "reu6": 6}
TABLES = {
    **dict.fromkeys(UCI, "table5.7"),
    **dict.fromkeys(("difficult", "mediocre", "easy"), "table5.8"),
    **dict.fromkeys(REUTERS, "table5.9"),
}
AMOUNTS = range(100, 900, 100)
ERRORS = [number / 10 for number in range(11)]
SCHOOLS = ("cornell", "texas", "wisconsin", "washington")
SEEDS, CURVE_SEEDS, UMAP_SEEDS = 6, 3, 2
TOPIC_DRAWS = 5


# Data


@lru_cache(maxsize=12)
def table(name: str) -> datasets.Dataset:
    """Load a data set once for a process."""
    return datasets.load(name)


def rows(name: str, seed: int) -> tuple[Any, Array]:
    """A table of numbers as it is; texts drawn anew, for Reuters of five random choices of topics."""
    if name in UCI:
        return np.asarray(table(UCI[name]).X, dtype=float), table(UCI[name]).y
    if name in NEWS:
        return documents("newsgroups", NEWS[name], 100, seed)
    return documents("reuters", drawn_topics("reuters", REUTERS[name], 100, seed % TOPIC_DRAWS), 100, seed)


def draw(name: str, amount: int, seed: int, error_rate: float = 0.0) -> Case:
    """Links between rows of one class, `error_rate` of them wrong; no more than there are pairs of one class."""
    X, y = rows(name, seed)
    sizes = np.bincount(y)
    amount = min(amount, int((sizes * (sizes - 1) // 2).sum()))
    return case(X, y, "links", amount, error_rate=error_rate, random_state=seed)


@lru_cache(maxsize=6)
def network(name: str) -> tuple[Any, Array, Array]:
    """Words (0/1), classes and links of Cora or of one university."""
    whole = table("cora") if name == "cora" else table("webkb").subset(university=name)
    return sparse.csr_matrix(whole.X, dtype=float), np.unique(whole.y, return_inverse=True)[1], whole.links


def draw_network(name: str, seed: int) -> Case:
    """The same documents and links each time; only the methods' starts differ."""
    X, y, links = network(name)
    return Case(X, y, Constraints(len(y)), int(y.max()) + 1, extra={"links": links})


# Methods


def k_means(drawn: Case, seed: int) -> Any:
    """Cosine k-means for texts, Euclidean for numbers."""
    if sparse.issparse(drawn.X):
        return SphericalKMeans(drawn.n_clusters, n_init=10, random_state=seed)
    return euclidean(drawn, seed)


def euclidean(drawn: Case, seed: int) -> KMeans:
    """Euclidean k-means."""
    return KMeans(drawn.n_clusters, n_init=10, random_state=seed)


def width(drawn: Case) -> int:
    """Half of the features of a table, 40 for texts."""
    return 40 if sparse.issparse(drawn.X) else drawn.X.shape[1] // 2


def principal(drawn: Case, seed: int) -> list[Any]:
    """PCA; texts are made dense for it."""
    dense = FunctionTransformer(lambda X: X.toarray() if sparse.issparse(X) else X, accept_sparse=True)
    return [dense, PCA(min(width(drawn), drawn.X.shape[0] - 1), random_state=seed)]


def locally_linear(drawn: Case, seed: int) -> LocallyLinearEmbedding:
    """LLE."""
    return LocallyLinearEmbedding(n_neighbors=12, n_components=width(drawn), eigen_solver="dense", random_state=seed)


def links_of(drawn: Case) -> Array:
    """The links of a network, or the drawn ones."""
    return drawn.extra.get("links", drawn.constraints.must_link)


def adjacency(drawn: Case) -> sparse.csr_matrix:
    """Who is linked with whom, 0/1, without direction."""
    directed = link_matrix(links_of(drawn), drawn.X.shape[0])
    return sparse.csr_matrix(directed.maximum(directed.T))


def augmented(cluster: Any, drawn: Case, seed: int) -> Array:
    """Features and links side by side."""
    return cluster(drawn, seed).fit_predict(_beside(drawn.X, adjacency(drawn)))


def _beside(X: Any, links: sparse.csr_matrix) -> Any:
    if not sparse.issparse(X):
        return np.hstack([X, links.toarray()])
    both = sparse.csr_matrix(sparse.hstack([X, links]))
    both.indices, both.indptr = both.indices.astype(np.int32), both.indptr.astype(np.int32)  # KMeans takes no others
    return both


def linearly_combined(drawn: Case, seed: int) -> Array:
    """A normalized cut of half the likeness of contents, half that of links."""
    likeness = np.maximum(linear_combination(drawn.X, links_of(drawn)), 0.0)
    cut = NormalizedCut.as_published(drawn.n_clusters, affinity="precomputed", random_state=seed)
    return cut.fit_predict(likeness)


CONTENT: dict[str, Method] = {
    "k-means": clustered(k_means),
    "pca": reduced(principal, k_means),
    "nc": clustered(lambda drawn, seed: NormalizedCut.as_published(drawn.n_clusters, random_state=seed)),
}
NUMBERS_ONLY: dict[str, Method] = {"lle": reduced(locally_linear, k_means)}
COSTCO: dict[str, Method] = {
    "costco": reduced(lambda drawn, seed: Costco.as_published(width(drawn)), k_means),
    "nr-costco": reduced(lambda drawn, seed: Costco.as_published(width(drawn), beta=0.0), k_means),
}
LINKED: dict[str, Method] = {
    "augmented": partial(augmented, k_means),
    "l-comb": linearly_combined,
    **COSTCO,
    "likewise": UNPUBLISHED["likewise"],
}


def analyzed(how: str) -> Method:
    """Costco after link analysis: the artificial links, with a direction by lot, turned into core pairs."""

    def method(drawn: Case, seed: int) -> Array:
        links = np.random.default_rng(seed).permuted(links_of(drawn), axis=1)
        n = drawn.X.shape[0]
        found = (
            local_core_pairs(link_matrix(links, n), alpha=0.5, theta=0.0)
            if how == "local"
            else global_core_pairs(link_matrix(links, n), drawn.X, n_similar=5, score="commute")
        )
        pairs = Constraints(n, found.must_link)
        Z = Costco.as_published(width(drawn)).fit_transform(drawn.X, constraints=pairs)
        return k_means(drawn, seed).fit(Z).labels_

    return method


def networked(build: Any) -> Method:
    """A method for documents with links."""
    return lambda drawn, seed: build(drawn.n_clusters, random_state=seed).fit_predict(drawn.X, links=links_of(drawn))


NETWORK: dict[str, Method] = {
    "k-means": clustered(euclidean),
    "pca": reduced(principal, euclidean),
    "costco": networked(NetworkedDocuments.as_published),
    "nr-costco": networked(partial(NetworkedDocuments.as_published, projection=Costco.as_published(40, beta=0.0))),
    "links": lambda drawn, seed: euclidean(drawn, seed).fit_predict(
        links_only(links_of(drawn), drawn.X.shape[0]).toarray()
    ),
    "augmented": partial(augmented, euclidean),
    "l-comb": linearly_combined,
    "likewise": networked(NetworkedDocuments),
}


def link_statistics(drawn: Case, seed: int) -> dict[str, float]:
    """How many links a document has, and how many of them join one class; as given, with links to oneself."""
    links = links_of(drawn)
    return {
        "outdegree": len(links) / len(drawn.y),
        "informative": float(np.mean(drawn.y[links[:, 0]] == drawn.y[links[:, 1]])),
    }


# Pictures of Cora


@lru_cache(maxsize=2)
def three_dimensions(how: str) -> Array:
    """Cora in the first three directions of PCA or of Costco."""
    X, y, links = network("cora")
    if how == "pca":
        return PCA(3, random_state=0).fit_transform(X.toarray())
    return NetworkedDocuments.as_published(int(y.max()) + 1, random_state=0).fit(X, links=links).transform(X)[:, :3]


def separation(Z: Array, y: Array) -> float:
    """Scatter between classes over scatter within them."""
    centers = np.array([Z[y == name].mean(axis=0) for name in np.unique(y)])
    return float(np.square(Z - Z.mean(axis=0)).sum() / np.square(Z - centers[y]).sum() - 1)


def trials() -> Iterator[Trial]:
    """Tables 5.1 and 5.7–5.10, Figures 5.6–5.12."""
    for name in (*SCHOOLS, "cora"):
        yield Trial(f"table5.1/{name}", partial(draw_network, name), {"links": link_statistics}, scores=(), seeds=1)
    for name, where in TABLES.items():
        umap, none = f"{where}/{name}/umap-only", f"{where}/{name}/0"
        content = {**CONTENT, **(NUMBERS_ONLY if name in UCI else {})}
        two = ("rand", "f")
        yield Trial(umap, partial(draw, name, 0), {"umap": UNPUBLISHED["umap"]}, two, UMAP_SEEDS)
        yield Trial(none, partial(draw, name, 0), content, two, CURVE_SEEDS)
        yield Trial(f"{where}/{name}/400", partial(draw, name, 400), LINKED, two, SEEDS, rivals=(none, umap))
    for name in TABLES:
        content = {**CONTENT, **(NUMBERS_ONLY if name in UCI else {})}
        yield Trial(f"figures5.6-5.9/{name}/0", partial(draw, name, 0), content, seeds=CURVE_SEEDS)
        for amount in AMOUNTS:
            yield Trial(f"figures5.6-5.9/{name}/{amount}", partial(draw, name, amount), LINKED, seeds=CURVE_SEEDS)
    for name in ("breast-cancer", "mediocre", "reu5"):
        for wrong in ERRORS:
            yield Trial(
                error_trial(name, wrong),
                partial(draw, name, 400, error_rate=wrong),
                {"k-means": CONTENT["k-means"], **COSTCO},
                seeds=CURVE_SEEDS,
            )
    pictures = {how: lambda drawn, seed, how=how: {"ratio": separation(three_dimensions(how), drawn.y)} for how in HOW}
    yield Trial("figure5.11/cora", partial(draw_network, "cora"), pictures, scores=(), seeds=1)
    for name in TABLES:
        yield Trial(
            f"figure5.12/{name}",
            partial(draw, name, 400, error_rate=0.5),
            {"all-links": COSTCO["costco"], "local": analyzed("local"), "global": analyzed("global")},
            seeds=CURVE_SEEDS,
        )
    for name in (*SCHOOLS, "cora"):
        umap = f"table5.10/{name}/umap-only"
        yield Trial(umap, partial(draw_network, name), {"umap": UNPUBLISHED["umap"]}, seeds=2)
        seeds = 2 if name == "cora" else SEEDS
        yield Trial(f"table5.10/{name}", partial(draw_network, name), NETWORK, seeds=seeds, rivals=(umap,))


HOW = ("pca", "costco")


def error_trial(name: str, wrong: float) -> str:
    """Name a trial of Figure 5.10 so that one pattern finds those with most links right."""
    return f"figure5.10/{name}/mostly-{'right' if wrong < 0.5 else 'wrong'}/{wrong:g}"


def figures(results: Results, folder: Path) -> None:
    """Figures 5.6–5.12."""
    names = tuple(TABLES)
    for number, group in enumerate((names[:3], names[3:6], names[6:9], names[9:]), 6):
        at = "figures5.6-5.9/{}/{{}}/{}"
        panels = {
            name: {
                **{m: results.curve(at.format(name, m), AMOUNTS) for m in LINKED},
                **{m: results.curve(at.format(name, m), (0,)) for m in (*CONTENT, *NUMBERS_ONLY)},
            }
            for name in group
        }
        learning_curve(panels, path=folder / f"figure5.{number}.png", x_label="links", y_label="NMI")
    panels = {name: {m: _over_errors(results, name, m) for m in ("costco", "nr-costco", "k-means")} for name in NOISY}
    learning_curve(panels, path=folder / "figure5.10.png", x_label="share of wrong links", y_label="NMI")
    if "figure5.11/cora/costco/ratio" in results:
        sides = [three_dimensions(how)[::2, :2] for how in HOW]  # every second paper, to keep the file small
        topics = np.array(table("cora").target_names)[table("cora").y[::2]]
        scatter(*sides, topics, path=folder / "figure5.11.png", titles=("PCA", "Costco"))
    _bars(results, folder / "figure5.12.png")


NOISY = ("breast-cancer", "mediocre", "reu5")


def _over_errors(results: Results, name: str, method: str) -> tuple[Array, Array, Array]:
    cells = {wrong: f"{error_trial(name, wrong)}/{method}" for wrong in ERRORS}
    known = [wrong for wrong in ERRORS if cells[wrong] in results]
    return (
        np.array(known),
        np.array([results.mean(cells[wrong]) for wrong in known]),
        np.array([results.deviation(cells[wrong]) for wrong in known]),
    )


def _bars(results: Results, path: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.4), layout="constrained")
    FigureCanvasAgg(figure)
    axis = figure.subplots()
    for place, how in enumerate(("all-links", "local", "global")):
        heights = [results.mean(f"figure5.12/{name}/{how}") for name in TABLES]
        axis.bar(np.arange(len(TABLES)) + 0.27 * (place - 1), heights, width=0.25, label=how)
    axis.set_xticks(range(len(TABLES)), list(TABLES), rotation=25)
    axis.set_ylabel("NMI, half of 400 links wrong")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    figure.savefig(path, dpi=110)
