"""Davidson's GCDR-LP: tables with noise columns (Table 1), faces (Table 2), four corners of a cube (Figures 2, 3)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.preprocessing import minmax_scale

from likewise import GCDR, SSDR, Constraints, COPKMeans, PCKMeans, PlacementError, XingMetric, datasets
from likewise.evaluation import Results
from likewise.evaluation.protocols import Case, Trial, add_noise_columns, case, clustered, reduced, rows_per_class
from likewise.report.plots import scatter

from ..framework import UNPUBLISHED

TABLES = ("iris", "wine", "pima", "ionosphere", "glass", "yeast")
FACES = {"up": ("pose", ("up", "straight")), "sunglasses": ("eyes", ("sunglasses", "open"))}
NOISE, LABELED, PAIRS = 20, 20, 100
EIGENFACES = 50
RESTARTS = 10
SCORE, FACES_SCORE = ("scaled_rand",), ("purity",)

k_means = partial(KMeans, init="random", n_init=1)


def plain(drawn: Case, seed: int) -> KMeans:
    """One start of k-means; restarts are averaged, as in the paper."""
    return k_means(drawn.n_clusters, random_state=seed)


def cop(drawn: Case, seed: int) -> COPKMeans:
    """COP-k-means."""
    return COPKMeans.as_published(drawn.n_clusters, random_state=seed)


def components(drawn: Case, seed: int) -> PCA:
    """PCA to as many dimensions as the trial says."""
    return PCA(drawn.extra["width"], random_state=seed)


def gcdr(drawn: Case, seed: int) -> GCDR:
    """GCDR-LP to as many dimensions as the trial says."""
    return GCDR.as_published(n_components=drawn.extra["kept"])


@lru_cache(maxsize=16)
def table(name: str) -> datasets.Dataset:
    """Load a data set once for a process."""
    return datasets.load(name)


def noisy_table(name: str, seed: int) -> Case:
    """Columns brought to [0, 1], and twenty more of uniform noise in [0, 1]; all pairs of twenty labeled rows."""
    data = table(name)
    X = add_noise_columns(minmax_scale(data.X), NOISE, seed)
    width = data.X.shape[1]
    return case(X, data.y, "labeled_items", LABELED, random_state=seed, width=width, kept=width)


def faces(label: str, seed: int) -> Case:
    """As many pictures of one class as of the other, 30 × 32 pixels; 100 pairs of each kind."""
    data = table("cmu_faces")
    key, values = FACES[label]
    names = np.asarray(data.extra[key])
    among = np.flatnonzero(np.isin(names, values))
    fewest = min(np.sum(names == value) for value in values)
    rows = among[rows_per_class(names[among], fewest, seed)]
    return case(data.X[rows], names[rows], "equal", PAIRS, random_state=seed, width=EIGENFACES, kept=1)


def corners(seed: int, *, each: int = 20) -> Case:
    """Four clouds at corners of a cube, in one plane: + and x on one edge, o and * on the opposite one.

    The paper says that no linear map can join + and x and yet part o from *. Four corners that are not in one plane
    could be sent anywhere; these cannot.
    """
    rng = np.random.default_rng(seed)
    places = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 1]], dtype=float)
    X = np.repeat(places, each, axis=0) + 0.08 * rng.standard_normal((4 * each, 3))
    y = np.repeat(np.arange(4), each)
    return Case(X, y, Constraints(len(y)), 4)


SAYS = {
    "left": {"different": [(1, 0)], "same": [(2, 3)]},
    "middle": {"same": [(2, 1), (2, 3)]},
    "right": {"same": [(1, 2)], "different": [(0, 3)]},
}


def stated(drawn: Case, seed: int, same: tuple = (), different: tuple = (), most: int | None = None) -> Constraints:
    """Pairs between all points of one corner and all of another, or `most` of them."""

    def between(a: int, b: int) -> np.ndarray:
        left, right = np.flatnonzero(drawn.y == a), np.flatnonzero(drawn.y == b)
        pairs = np.stack(np.meshgrid(left, right, indexing="ij"), axis=-1).reshape(-1, 2)
        return pairs if most is None else np.random.default_rng(seed).permutation(pairs)[:most]

    must = np.concatenate([between(*two) for two in same]) if same else ()
    cannot = np.concatenate([between(*two) for two in different]) if different else ()
    return Constraints(len(drawn.y), must_link=must, cannot_link=cannot)


def plane(drawn: Case, hints: Constraints) -> np.ndarray:
    """The corners in the two dimensions that GCDR-LP keeps, with the basic constraint graph of Definition 1."""
    model = GCDR.as_published(n_components=2, n_neighbors=0).fit(drawn.X, constraints=hints)
    return model.transform(drawn.X)


def gap(Z: np.ndarray, y: np.ndarray, a: int, b: int) -> float:
    """How far two corners are apart, in units of their own spread."""
    first, second = Z[y == a], Z[y == b]
    spread = np.sqrt((first.var(axis=0).sum() + second.var(axis=0).sum()) / 2)
    return float(np.linalg.norm(first.mean(axis=0) - second.mean(axis=0)) / spread)


def figure2(panel: str, drawn: Case, seed: int) -> dict[str, float]:
    """Gaps between the corners that were called different, and between those called the same."""
    Z = plane(drawn, stated(drawn, seed, **SAYS[panel]))
    gaps = {"same": [gap(Z, drawn.y, *two) for two in SAYS[panel].get("same", ())]}
    gaps["different"] = [gap(Z, drawn.y, *two) for two in SAYS[panel].get("different", ())]
    others = [(a, b) for a in range(4) for b in range(a) if {a, b} not in [set(t) for t in SAYS[panel].get("same", ())]]
    gaps["rest"] = [gap(Z, drawn.y, *two) for two in others]
    return {f"{kind}": float(np.mean(values)) for kind, values in gaps.items() if values}


def figure3(most: int, drawn: Case, seed: int) -> dict[str, float]:
    """How much nearer x and + are to each other than x and o, in the first direction."""
    Z = plane(drawn, stated(drawn, seed, same=[(2, 1)], most=most))[:, :1]
    return {"overlap": float(1 - gap(Z, drawn.y, 2, 1) / gap(Z, drawn.y, 2, 0))}


def trials() -> Iterator[Trial]:
    """Every cell of the paper."""
    for name in TABLES:
        yield Trial(
            f"table1/{name}",
            partial(noisy_table, name),
            {
                "k-means": clustered(plain, restarts=RESTARTS),
                "cop": clustered(cop, restarts=RESTARTS),
                "xing": reduced(lambda drawn, seed: XingMetric.as_published(), plain, restarts=RESTARTS),
                "pkm": clustered(
                    lambda drawn, seed: PCKMeans.as_published(drawn.n_clusters, random_state=seed), restarts=RESTARTS
                ),
                "pca": reduced(components, plain, restarts=RESTARTS),
                "pca+cop": reduced(components, cop, restarts=RESTARTS, hinted=True),
                "ssdr": reduced(
                    lambda drawn, seed: SSDR.as_published(n_components=drawn.extra["kept"]), plain, restarts=RESTARTS
                ),
                "gcdr": reduced(gcdr, plain, restarts=RESTARTS),
                "gcdr-few": reduced(
                    lambda drawn, seed: GCDR(n_components=max(drawn.n_clusters - 1, 1)), plain, restarts=RESTARTS
                ),
                "likewise": UNPUBLISHED["likewise"],
            },
            SCORE,
            seeds=20,
            refusals=(PlacementError,),
            rivals=(f"table1/{name}/unsupervised",),
        )
        yield Trial(f"table1/{name}/unsupervised", partial(noisy_table, name), {"umap": UNPUBLISHED["umap"]}, SCORE, 3)
    for label in FACES:
        yield Trial(
            f"table2/{label}",
            partial(faces, label),
            {
                "k-means": clustered(plain, restarts=RESTARTS),
                "eigenfaces": reduced(components, plain, restarts=RESTARTS),
                "eigenfaces+cop": reduced(components, cop, hinted=True),
                "gcdr": reduced(gcdr, plain, restarts=RESTARTS),
                "eigenfaces+gcdr": reduced(
                    lambda drawn, seed: [components(drawn, seed), gcdr(drawn, seed)], plain, restarts=RESTARTS
                ),
                "gcdr-ridge": reduced(lambda drawn, seed: GCDR(n_components=1), plain, restarts=RESTARTS),
                "likewise": UNPUBLISHED["likewise"],
            },
            FACES_SCORE,
            seeds=20,
            refusals=(PlacementError,),
            rivals=(f"table2/{label}/unsupervised",),
        )
        yield Trial(
            f"table2/{label}/unsupervised", partial(faces, label), {"umap": UNPUBLISHED["umap"]}, FACES_SCORE, 3
        )
    yield Trial("figure2", corners, {panel: partial(figure2, panel) for panel in SAYS}, scores=(), seeds=40)
    yield Trial("figure3", corners, {str(most): partial(figure3, most) for most in (1, 3, 5, 10)}, scores=(), seeds=40)


def figures(results: Results, folder: Path) -> None:
    """Draw Figures 2 and 3: the corners before, and in the plane that each set of hints gives."""
    drawn = corners(0)
    start = PCA(2).fit_transform(drawn.X)
    kinds = np.array(["o", "+", "x", "*"])[drawn.y]
    for panel, says in SAYS.items():
        Z = plane(drawn, stated(drawn, 0, **says))
        scatter(start, Z, kinds, path=folder / f"figure2-{panel}.png", titles=("two principal components", panel))
    for most in (1, 3, 5, 10):
        Z = plane(drawn, stated(drawn, 0, same=[(2, 1)], most=most))
        titles = ("two principal components", f"similar(x, +), {most} pairs")
        scatter(start, Z, kinds, path=folder / f"figure3-{most}.png", titles=titles)
