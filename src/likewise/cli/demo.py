"""The demonstration: scikit-learn's digits, with and without hints."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

from .. import clustering, projections
from ..constraints import Constraints
from ..evaluation import normalized_mutual_information, pair_f_score, rand_index
from ..report import before_and_after

CLUSTERS = 10
PROJECTIONS = {
    "ASP": projections.ASP(),
    "SCREEN": projections.SCREEN(CLUSTERS - 1),
    "Costco": projections.Costco(),
    "DSP": projections.DSP(CLUSTERS - 1),
    "GCDR": projections.GCDR(CLUSTERS - 1),
    "SSDR": projections.SSDR(CLUSTERS - 1),
    "LPP (no hints)": projections.LPP(CLUSTERS - 1),
    "SLPP": projections.SLPP(CLUSTERS - 1),
    "LPPSI": projections.LPPSI(CLUSTERS - 1),
    "LPPSI, RBF kernel": projections.LPPSI(CLUSTERS - 1, kernel="rbf"),
    "RCA": projections.RCA(CLUSTERS - 1),
    "DCA": projections.DCA(CLUSTERS - 1),
}
CLUSTERERS = {
    "ProjectThenCluster": clustering.ProjectThenCluster(CLUSTERS, random_state=0),
    "COPKMeans": clustering.COPKMeans(CLUSTERS, random_state=0),
    "PCKMeans": clustering.PCKMeans(CLUSTERS, random_state=0),
    "NormalizedCut (no hints)": clustering.NormalizedCut(CLUSTERS, n_neighbors=10, random_state=0),
    "ConstrainedNormalizedCut": clustering.ConstrainedNormalizedCut(CLUSTERS, n_neighbors=10, random_state=0),
}


def run(out: Path, n_hints: int, seed: int) -> None:
    """Print the table and draw the picture."""
    console = Console()
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    hints = Constraints.sample(y, "equal", n_hints // 2, random_state=seed)
    console.print(f"1,797 handwritten digits, 64 pixels each; hints drawn from the truth: {hints!r}")

    table = Table(title="agreement with the true digits (1 is perfect)")
    for column in ("method", "dimensions", "Rand index", "pair F", "NMI"):
        table.add_column(column, justify="left" if column == "method" else "right")

    def add(name: str, width: int, labels: np.ndarray) -> float:
        nmi = normalized_mutual_information(y, labels)
        scores = (rand_index(y, labels), pair_f_score(y, labels).f, nmi)
        table.add_row(name, str(width), *(f"{score:.3f}" for score in scores))
        return nmi

    add("plain k-means (no hints)", X.shape[1], _k_means(X))
    table.add_section()
    spaces, agreement = {}, {}
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("clustering", total=len(PROJECTIONS) + len(CLUSTERERS))
        for name, method in PROJECTIONS.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # fewer directions than asked for: the table shows it
                spaces[name] = method.fit_transform(X, constraints=hints)
            agreement[name] = add(f"{name}, then k-means", spaces[name].shape[1], _k_means(spaces[name]))
            progress.advance(task)
        table.add_section()
        for name, clusterer in CLUSTERERS.items():
            told = {} if "no hints" in name else {"constraints": hints}
            add(name, X.shape[1], clusterer.fit_predict(X, **told))
            progress.advance(task)
    console.print(table)

    chosen = max(spaces, key=lambda name: agreement[name])
    plane = PCA(2, random_state=0)
    picture = before_and_after(
        plane.fit_transform(X),
        plane.fit_transform(spaces[chosen]),
        y,
        out / "digits.png",
        constraints=hints,
        titles=("digits as they are, with the hints", f"after {chosen}"),
    )
    console.print(f"picture: {picture}")
    console.print("Hints help where a method can use them, and few hints can hurt one that trusts them too much.")


def _k_means(points: np.ndarray) -> np.ndarray:
    return KMeans(CLUSTERS, n_init=10, random_state=0).fit_predict(points)
