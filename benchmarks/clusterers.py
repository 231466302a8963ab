"""Clusterers and learned distances, beside the packages that people use today."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import likewise as lw

from .data import documents
from .harness import Result, row, timed

sys.path.append(str(Path(__file__).parents[1] / "papers"))
from ensembles.newton import newton_steps

PEERS = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
SCRIPT = Path(__file__).parent / "peers" / "run.py"


def digits():
    X, y = load_digits(return_X_y=True)
    return X, y, lw.Constraints.sample(y, "random_pairs", 500, random_state=0)


def peer(method: str, X, hints: lw.Constraints, n_clusters: int) -> dict:
    """One run of a peer's method in its own environment; "failure" is None if it went well."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npz"
        pairs = {"must_link": hints.must_link, "cannot_link": hints.cannot_link}
        np.savez(path, X=X, n_clusters=n_clusters, **pairs)
        answer = subprocess.run([PEERS, SCRIPT, method, path], capture_output=True, text=True, check=True)
    return {"failure": None, **json.loads(answer.stdout)}


def beside_peer(method: str, model, at_least: float) -> Result:
    X, y, hints = digits()
    theirs = peer(method, X, hints, 10)
    ours, fitted = timed(lambda: model.fit(X, constraints=hints))
    rand = lw.evaluation.rand_index(y, fitted.labels_)
    if theirs["failure"]:
        return Result(ours, theirs["seconds"], f"Rand {rand:.3f}; the peer failed: {theirs['failure']}")
    peer_rand = lw.evaluation.rand_index(y, theirs["labels"])
    met = theirs["seconds"] / ours >= at_least and rand >= peer_rand - 1e-3
    return Result(ours, theirs["seconds"], f"Rand {rand:.3f}, theirs {peer_rand:.3f}", met)


DRAWS = 5
DIGITS = "one start, digits 1,797 × 64, 500 random pairs"
ASC = "active-semi-supervised-clustering"


@row("cop", f"COPKMeans, {DIGITS}", ASC, "≥ 50×, Rand no lower")
def cop() -> Result:
    return beside_peer("COPKMeans", lw.COPKMeans(10, n_init=1, random_state=0), 50)


@row("pck", f"PCKMeans, {DIGITS}", ASC, "≥ 50×, Rand no lower")
def pck() -> Result:
    return beside_peer("PCKMeans", lw.PCKMeans(10, n_init=1, random_state=0), 50)


@row("mpck", f"MPCKMeans as published, one diagonal metric as the peer has, {DIGITS}", ASC, "≥ 100×, Rand no lower")
def mpck() -> Result:
    return beside_peer("MPCKMeans", lw.MPCKMeans.as_published(10, shared=True, random_state=0), 100)


@row(
    "xing",
    f"XingMetric diagonal, then k-means, digits, 500 random pairs, mean of {DRAWS} draws",
    "metric-learn's MMC(diagonal=True)",
    "≥ 10×, Rand no lower",
)
def xing() -> Result:
    """One draw says little: k-means from other starts moves the Rand index of one metric by .005."""
    X, y = load_digits(return_X_y=True)
    times, rands, values = [], [], []
    for seed in range(DRAWS):
        hints = lw.Constraints.sample(y, "random_pairs", 500, random_state=seed)
        theirs = peer("MMC weights", X, hints, 10)
        other = np.asarray(theirs["weights"])
        ours, model = timed(lambda h=hints: lw.XingMetric().fit(X, constraints=h))
        literal = lw.XingMetric(shrink=0.0).fit(X, constraints=hints)
        times.append((ours, theirs["seconds"]))
        rands.append([rand_after_k_means(X, y, weights) for weights in (model.weights_, other, np.ones(64))])
        objective, linear, _ = xing_objective(X, hints)
        values.append([objective(weights * 0.5 / (linear @ weights)) for weights in (literal.weights_, other)])
    (ours, theirs), (rand, other_rand, without), best = (np.mean(some, axis=0) for some in (times, rands, values))
    detail = (
        f"Rand {rand:.4f}, theirs {other_rand:.4f}, without a metric {without:.4f}; the objective falls to "
        f"{best[0]:.2f} with shrink=0, theirs stops at {best[1]:.2f}"
    )
    return Result(ours, theirs, detail, theirs / ours >= 10 and rand >= other_rand)


def rand_after_k_means(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    """Rand index of k-means under a diagonal metric, the mean of three runs of ten starts."""
    runs = [KMeans(10, n_init=10, random_state=seed).fit_predict(X * np.sqrt(weights)) for seed in range(3)]
    return float(np.mean([lw.evaluation.rand_index(y, labels) for labels in runs]))


@row("spherical", "SphericalKMeans, 11,000 × 30,000 sparse, k = 20", "sklearn.cluster.KMeans", "≤ 1.2× its time")
def spherical() -> Result:
    X, _ = documents(11_000, 30_000, n_topics=20)
    settings = {"n_init": 1, "max_iter": 30, "tol": 0.0, "random_state": 0}
    ours, model = timed(lambda: lw.SphericalKMeans(20, **settings).fit(X))
    opponent, other = timed(lambda: KMeans(20, algorithm="lloyd", **settings).fit(X))
    # Both stop when nothing moves; what counts is an iteration.
    each, each_other = ours / model.n_iter_, opponent / other.n_iter_
    detail = f"{each / each_other:.2f}× its time an iteration ({model.n_iter_} and {other.n_iter_} iterations)"
    return Result(each, each_other, detail, each <= 1.2 * each_other)


def xing_objective(X: np.ndarray, hints: lw.Constraints):
    """The objective of the diagonal metric, and the squared differences it is made of."""
    must, cannot = (np.square(X[p[:, 0]] - X[p[:, 1]]) for p in (hints.must_link, hints.cannot_link))
    linear = must.sum(axis=0)

    def objective(a: np.ndarray) -> float:
        return float(linear @ a - np.log(np.sqrt(np.maximum(cannot @ a, 1e-300)).sum()))

    return objective, linear, cannot


@row(
    "ensemble",
    "SubspaceMetricEnsemble, 120 × 60 features, 88 × 4,026 data, 100 pairs, one process",
    "one full-space metric by Newton, as published, all cores",
    "≥ 17×",
)
def ensemble() -> Result:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 88)
    X = rng.normal(size=(88, 4026)) + 0.4 * rng.normal(size=(5, 4026))[y]
    hints = lw.Constraints.sample(y, "random_pairs", 100, random_state=0)
    model = lw.SubspaceMetricEnsemble(5, n_subspaces=120, subspace_features=60, random_state=0)
    ours, _ = timed(lambda: model.fit(X, constraints=hints), repeats=9)
    opponent, path = timed(lambda: list(newton_steps(X, hints)))
    steps = len(path) - 1
    full, metric = timed(lambda: lw.XingMetric(shrink=0.0).fit(X, constraints=hints))
    objective = xing_objective(X, hints)[0]
    gap = objective(path[-1]) - objective(metric.weights_)
    detail = (
        f"Newton ends after {steps} steps of {opponent / steps:.1f} s, {gap:.2f} above the optimum; "
        f"our own full-space metric reaches it in {full:.2f} s"
    )
    return Result(ours, opponent, detail, opponent / ours >= 17)
