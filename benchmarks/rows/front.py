"""Likewise: a fit, and an update with more hints."""

from __future__ import annotations

from itertools import count

from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

import likewise as lw

from ..data import blobs, texts
from ..harness import Bar, Contest, Verdict, row


def agreement(y, ours, other_y, theirs) -> Verdict:
    """NMI with the classes that the data were generated from."""
    score = lw.evaluation.normalized_mutual_information
    return Verdict(f"NMI {score(y, ours):.3f}, theirs {score(other_y, theirs):.3f}")


@row(
    "front-dense",
    "Likewise, {n:,} × {f} dense, k = 10, {hints} random pairs",
    "sklearn's SpectralClustering (10 neighbors) of {some:,} of the rows, as many as we have landmarks",
    Bar(seconds=180, gib=6),
    n=150,
    f=5,
    hints=10,
    some=100,
)
def front_dense(n=100_000, f=50, hints=200, some=10_000) -> Contest:
    X, y = blobs(n, f, apart=0.5)
    pairs = lw.Constraints.sample(y, "random_pairs", hints, random_state=0)
    spectral = SpectralClustering(10, affinity="nearest_neighbors", n_neighbors=10, random_state=0, n_jobs=-1)
    model = lw.Likewise(10, n_jobs=-1, verbose=False, random_state=0)
    return Contest(
        lambda: model.fit(X, constraints=pairs).labels_,
        lambda: spectral.fit(X[:some]).labels_,
        lambda ours, theirs: agreement(y, ours, y[:some], theirs),
    )


@row(
    "front-text",
    "TextFeatures and Likewise, {n:,} made texts of some 60 words, k = {k}, {hints} random pairs",
    "sklearn's TF-IDF, TruncatedSVD(100), unit rows, KMeans(10 starts) of all of them",
    Bar(seconds=180, gib=6),
    n=150,
    words=400,
    k=3,
    hints=10,
    directions=5,
)
def front_text(n=100_000, words=20_000, k=20, hints=200, directions=100) -> Contest:
    documents, y = texts(n, words, n_topics=k)
    pairs = lw.Constraints.sample(y, "random_pairs", hints, random_state=0)
    model = lw.Likewise(k, n_jobs=-1, verbose=False, random_state=0)
    usual = make_pipeline(
        TfidfVectorizer(min_df=2),
        TruncatedSVD(directions, random_state=0),
        Normalizer(),
        KMeans(k, n_init=10, random_state=0),
    )
    return Contest(
        lambda: model.fit(lw.TextFeatures().fit_transform(documents), constraints=pairs).labels_,
        lambda: usual.fit(documents)[-1].labels_,
        lambda ours, theirs: agreement(y, ours, y, theirs),
    )


def more_hints(n: int, f: int, hints: int, more: int) -> Contest:
    """Updating a fitted model with ``more`` hints, compared with a new fit with all of them."""
    X, y = blobs(n, f, apart=0.5)
    known = lw.Constraints.sample(y, "random_pairs", hints, random_state=0)
    model = lw.Likewise(10, n_jobs=-1, verbose=False, random_state=0).fit(X, constraints=known)
    anew = lw.Likewise(10, n_jobs=-1, verbose=False, random_state=0)
    seeds = count(1)

    def add():
        return model.add_constraints(lw.Constraints.sample(y, "random_pairs", more, random_state=next(seeds))).labels_

    both = known | lw.Constraints.sample(y, "random_pairs", more, random_state=1)
    return Contest(
        add,
        lambda: anew.fit(X, constraints=both).labels_,
        lambda ours, theirs: agreement(y, ours, y, theirs),
    )


ADDING = "add_constraints of {more} random pairs after {hints}, {n:,} × {f} rows, k = 10"


@row("add-hints", ADDING, "the fit with all of them", Bar(slower=0.1), n=150, f=5, hints=20, more=3)
def add_constraints(n=2000, f=50, hints=100, more=20) -> Contest:
    return more_hints(n, f, hints, more)


@row("add-hints-large", ADDING, "the fit with all of them", Bar(slower=0.1), n=150, f=5, hints=20, more=3)
def add_hints_large(n=20_000, f=50, hints=100, more=20) -> Contest:
    return more_hints(n, f, hints, more)
