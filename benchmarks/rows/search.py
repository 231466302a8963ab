"""Neighbor search, and methods that use it."""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import NearestNeighbors

import likewise as lw
from likewise.graphs._distances import Cosine, Euclidean
from likewise.graphs._neighbors import neighbors

from ..data import PENDIGITS, blobs, documents, pendigits
from ..harness import Bar, Contest, Verdict, row


@row(
    "dsp-pendigits",
    "DSP, pendigits {n:,} × 16, {pairs} pairs of each kind a class",
    "sklearn's exact 5-neighbor search of the same rows",
    Bar(slower=6, gib=2),
    n=120,
    pairs=3,
)
def dsp_pendigits(n=PENDIGITS, pairs=20) -> Contest:
    X, y = pendigits(n)
    hints = lw.Constraints.sample(y, "per_class", pairs, random_state=0)
    search = NearestNeighbors(n_neighbors=5, n_jobs=-1)

    def judge(ours, theirs):
        return Verdict(f"sklearn chose {search._fit_method}")

    return Contest(
        lambda: lw.DSP(9).fit(X, constraints=hints), lambda: search.fit(X).kneighbors(return_distance=False), judge
    )


@row(
    "dsp-large",
    "DSP, {n:,} × {f} dense, 20 pairs of each kind a class",
    "sklearn's exact 5-neighbor search for {some:,} of the rows among all",
    Bar(seconds=180, gib=6),
    n=300,
    f=4,
    some=50,
)
def dsp_large(n=200_000, f=64, some=10_000) -> Contest:
    X, y = blobs(n, f)
    hints = lw.Constraints.sample(y, "per_class", 20, random_state=0)
    search = NearestNeighbors(n_neighbors=5, n_jobs=-1)
    return Contest(
        lambda: lw.DSP(9).fit(X, constraints=hints),
        lambda: search.fit(X).kneighbors(X[:some], return_distance=False),
        lambda ours, theirs: Verdict(f"finds {ours.recall_:.1%} of the true neighbors"),
    )


@row(
    "neighbors-text",
    "the {k} nearest by cosine, exact, {n:,} × {f:,} sparse TF-IDF-like",
    'sklearn\'s NearestNeighbors(metric="cosine", algorithm="brute")',
    n=200,
    f=600,
    k=5,
)
def neighbors_text(n=20_000, f=30_000, k=20) -> Contest:
    X, _ = documents(n, f, n_topics=20, length=60)
    search = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute", n_jobs=-1)
    return Contest(
        lambda: neighbors(Cosine(X), k, search="exact").rows,
        lambda: search.fit(X).kneighbors(return_distance=False),
        lambda ours, theirs: Verdict(f"{shared(ours, theirs):.2%} of the neighbors are the same"),
    )


@row(
    "neighbors-approximate",
    "the {k} nearest, approximate, {n:,} × {f} dense",
    "our exact search",
    n=500,
    f=8,
    k=3,
)
def neighbors_approximate(n=100_000, f=64, k=10) -> Contest:
    X, _ = blobs(n, f)
    return Contest(
        lambda: neighbors(Euclidean(X), k, search="approximate"),
        lambda: neighbors(Euclidean(X), k, search="exact"),
        lambda ours, theirs: Verdict(f"recall {shared(ours.rows, theirs.rows):.4f}; estimated {ours.recall:.4f}"),
    )


def shared(ours, theirs) -> float:
    """The share of the opponent's neighbors that are also ours."""
    return float(np.mean([np.isin(right, left).mean() for left, right in zip(ours, theirs, strict=True)]))
