"""The methods of the comparison: without hints, single methods of this package, other packages, and Likewise."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from likewise import Likewise
from likewise._methods import protocol_method
from likewise.clustering import SphericalKMeans
from likewise.evaluation.protocols import SCORES, Case, Method, clustered

from .peers import PeerFailure, Peers, PeerTooSlow
from .sets import narrow

SCORED = ("nmi", "ari", "f")
REST = "@rest"
"""Suffix of scores on the half of the rows without hints."""

NOTHING = dict.fromkeys([*(f"{score}{end}" for score in SCORED for end in ("", REST)), "seconds"], float("nan"))
"""The values of a method without a result."""

LIMIT_S = 10.0
"""Time limit of peers in seconds; a peer that exceeds it is not run on the same data again."""


def all_scores(case: Case, labels: Any, prefix: str = "") -> dict[str, float]:
    """All scores of a labeling, on all rows and on those without hints."""
    labels = np.asarray(labels).reshape(-1)
    found = {}
    for name in SCORED:
        found[f"{prefix}{name}"] = SCORES[name](case.y, labels)
        found[f"{prefix}{name}{REST}"] = SCORES[name](case.y[case.scored], labels[case.scored])
    return found


def timed(method: Method) -> Method:
    """The method with all its scores and its seconds; NaN if it rejects the hints."""

    def run(case: Case, seed: int) -> Mapping[str, float]:
        start = perf_counter()
        try:
            labels = method(case, seed)
        except ValueError:  # it says that it cannot do with these hints
            return NOTHING
        seconds = perf_counter() - start
        return {**all_scores(case, labels), "seconds": seconds}

    return run


def likewise(case: Case, seed: int) -> dict[str, float]:
    """Likewise, its result without hints, and how well it finds wrong hints."""
    start = perf_counter()
    model = Likewise(case.n_clusters, kind=case.extra.get("kind", "auto"), verbose=False, random_state=seed)
    model.fit(case.X, constraints=case.constraints)
    seconds = perf_counter() - start
    found = {
        **all_scores(case, model.labels_),
        **all_scores(case, model.unsupervised_labels_, "plain-"),
        "seconds": seconds,
    }
    wrong = [is_wrong(case, suspect) for suspect in model.suspects_]
    if any(wrong) and not all(wrong):
        found["auc"] = float(roc_auc_score(wrong, [suspect.wrong for suspect in model.suspects_]))
    return {**found, "weight": model.report_.constraint_weight}


def is_wrong(case: Case, suspect: Any) -> bool:
    """Whether a hint contradicts the classes."""
    first, second = suspect.rows
    return bool((suspect.kind == "must-link") != (case.y[first] == case.y[second]))


def counting(case: Case, seed: int) -> dict[str, float]:
    """Likewise without the number of clusters: the factor by which the chosen number is wrong."""
    model = Likewise(verbose=False, random_state=seed).fit(case.X, constraints=case.constraints)
    off = model.n_clusters_ / case.n_clusters
    return {"factor": max(off, 1 / off), **all_scores(case, model.labels_)}


_too_slow: set[tuple[str, str]] = set()
_peers = Peers()


def peer(name: str, case: Case, seed: int) -> Mapping[str, float]:
    """A method of another package, on at most a hundred dense columns; NaN if it fails or is too slow."""
    about = (name, case.extra["name"])
    if about in _too_slow:
        return NOTHING
    dense = Case(narrow(case.extra["name"]), case.y, case.constraints, case.n_clusters, case.scored, case.extra)
    start = perf_counter()
    try:
        labels = _peers.labels(name, dense, seed, LIMIT_S)
    except PeerTooSlow:
        _too_slow.add(about)
        return NOTHING
    except PeerFailure:
        return NOTHING
    return {**all_scores(case, labels), "seconds": perf_counter() - start}


UNHINTED: dict[str, Method] = {
    "k-means": timed(protocol_method("k-means")),
    "spherical k-means": timed(clustered(lambda case, seed: SphericalKMeans(case.n_clusters, random_state=seed))),
    **{name: timed(protocol_method(name)) for name in ("pca", "umap", "nc")},
}
"""Methods that use no hints, so that one run serves for all budgets."""

PEERS = {f"peer {name}": partial(peer, name) for name in
         ("ITML", "MMC", "RCA", "COPKMeans", "PCKMeans", "MPCKMeans", "COBRAS")}  # fmt: skip

OWN = {name: timed(protocol_method(name)) for name in
       ("xing", "asp", "screen", "costco", "dsp", "gcdr", "ssdr", "lpp", "slpp", "lppsi", "rca", "dca", "c-nc", "cop",
        "pck", "mpck", "skk", "rl-nc", "rlc-nc", "lo-nc", "glo-nc", "ensemble", "project")}  # fmt: skip

FRONT = {"likewise": likewise}
