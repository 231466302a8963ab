"""Clusterers of the k-means family, compared with other packages."""

from __future__ import annotations

from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import likewise as lw

from ..data import blobs, documents
from ..harness import Bar, Contest, Verdict, row
from .peers import peer, peer_seconds

DIGITS = "one start, digits {n:,} × 64, {pairs} random pairs"
ASC = "active-semi-supervised-clustering"


def beside_peer(method: str, model, n: int, pairs: int) -> Contest:
    """A constrained k-means of this package, compared with the peer's of the same name."""
    X, y = (part[:n] for part in load_digits(return_X_y=True))
    hints = lw.Constraints.sample(y, "random_pairs", pairs, random_state=0)

    def judge(ours, theirs):
        rand, other = (lw.evaluation.rand_index(y, labels) for labels in (ours.labels_, theirs["labels"]))
        return Verdict(f"Rand {rand:.3f}, theirs {other:.3f}", rand >= other - 1e-3)

    return Contest(
        lambda: model.fit(X, constraints=hints),
        lambda: peer(method, X, hints, 10),
        judge,
        theirs_clock=lambda seconds, answer: peer_seconds(answer),
    )


@row("cop", f"COPKMeans, {DIGITS}", ASC, Bar(faster=50, also="Rand no lower"), n=100, pairs=20)
def cop(n=1797, pairs=500) -> Contest:
    return beside_peer("COPKMeans", lw.COPKMeans(10, n_init=1, random_state=0), n, pairs)


@row("pck", f"PCKMeans, {DIGITS}", ASC, Bar(faster=50, also="Rand no lower"), n=100, pairs=20)
def pck(n=1797, pairs=500) -> Contest:
    return beside_peer("PCKMeans", lw.PCKMeans(10, n_init=1, random_state=0), n, pairs)


@row(
    "mpck",
    f"MPCKMeans as published, one diagonal metric as the peer has, {DIGITS}",
    ASC,
    Bar(faster=100, also="Rand no lower"),
    n=100,
    pairs=20,
)
def mpck(n=1797, pairs=500) -> Contest:
    return beside_peer("MPCKMeans", lw.MPCKMeans.as_published(10, shared=True, random_state=0), n, pairs)


def each_iteration(seconds, model) -> float:
    """Seconds per iteration, since both stop on convergence."""
    return seconds / model.n_iter_


def iterations(ours, theirs) -> Verdict:
    return Verdict(f"an iteration each, of {ours.n_iter_} and {theirs.n_iter_}")


@row(
    "spherical",
    "SphericalKMeans, {n:,} × {f:,} sparse, k = {k}",
    "sklearn.cluster.KMeans",
    Bar(slower=1.2),
    n=200,
    f=500,
    k=5,
)
def spherical(n=11_000, f=30_000, k=20) -> Contest:
    X, _ = documents(n, f, n_topics=k)
    settings = {"n_init": 1, "max_iter": 30, "tol": 0.0, "random_state": 0}
    ours, theirs = lw.SphericalKMeans(k, **settings), KMeans(k, algorithm="lloyd", **settings)
    return Contest(lambda: ours.fit(X), lambda: theirs.fit(X), iterations, each_iteration, each_iteration)


@row(
    "pck-large",
    "PCKMeans, {n:,} × {f}, k = {k}, {pairs:,} random pairs, one start, {iterations} iterations",
    "sklearn.cluster.KMeans, as many iterations",
    Bar(slower=2),
    n=500,
    f=4,
    k=5,
    pairs=50,
)
def pck_large(n=1_000_000, f=32, k=50, pairs=100_000, iterations=10) -> Contest:
    X, y = blobs(n, f, k, apart=0.5)
    hints = lw.Constraints.sample(y, "random_pairs", pairs, random_state=0)
    settings = {"n_init": 1, "max_iter": iterations, "tol": 0.0, "random_state": 0}
    ours, theirs = lw.PCKMeans(k, **settings), KMeans(k, algorithm="lloyd", **settings)

    def judge(ours, theirs):
        agreed = [lw.evaluation.normalized_mutual_information(y, model.labels_) for model in (ours, theirs)]
        return Verdict("{} and {} iterations, NMI {:.3f} and {:.3f}".format(ours.n_iter_, theirs.n_iter_, *agreed))

    return Contest(lambda: ours.fit(X, constraints=hints), lambda: theirs.fit(X), judge)
