"""The trials: data sets × shares of wrong answers × numbers of answers; each way of asking is a method."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from time import perf_counter
from typing import Any

import numpy as np

from likewise import Constraints, Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.evaluation.protocols import Case, Method, Trial, split_rows

from ..peers import PeerFailure, Peers, PeerTooSlow
from ..rivals import REST
from .answers import SHOWN, by_resemblance, pool_of, sampled
from .sets import HALVES, load

AMOUNTS = (25, 100, 250, 500)
FEW = (10, 30, 50)
"""Further numbers of pairs, for the curve of pairs."""

PREFERENCES = (10, 30, 100)
WRONG = (0.0, 0.1)
DRAWS = 5
LIMIT_S = 20.0
"""Time limit of peers in seconds; a peer that exceeds it is not run on the same data again."""

PAIRS = "pairs"
WAYS: dict[str, dict[str, Any]] = {
    PAIRS: {"how": "random_pairs"},
    "piles of three": {"how": "piles", "size": 3},
    "piles of six": {"how": "piles", "size": 6},
    "odd one out": {"how": "odd"},
    "triplets": {"how": "triplets"},
    "forced by a coin": {"how": "triplets", "ties": "coin"},
    "forced by resemblance": {"how": "triplets", "ties": "distance"},
}
"""The ways of asking; ties are answered by "can't say" unless stated otherwise."""

FORCED = ("forced by a coin", "forced by resemblance")
COMPARED = ("triplets", "forced by a coin")
"""The ways of asking whose answers peers get as well."""

_peers = Peers()
_too_slow: set[tuple[str, str]] = set()


def draw(name: str, seed: int) -> Case:
    """A data set, the half of the rows that may be asked about, and the result without answers."""
    X, y, _, narrow = load(name)
    asked, rest = split_rows(len(y), 0.5, np.random.default_rng([seed, *name.encode()]))
    known = np.full(len(y), -1)
    known[asked] = y[asked]
    count = int(y.max()) + 1
    extra = {"name": name, "known": known, "narrow": narrow, "base": base(name, seed)}
    return Case(X, y, Constraints(len(y)), count, rest, extra)


@lru_cache(maxsize=64)
def base(name: str, seed: int) -> Likewise:
    """Likewise without answers; fits with answers start from it."""
    X, y, kind, _ = load(name)
    return Likewise(int(y.max()) + 1, kind=kind, verbose=False, random_state=seed).fit(X)


@lru_cache(maxsize=64)
def pool(name: str, seed: int) -> list[np.ndarray]:
    """The clusterings that preferences compare."""
    return pool_of(base(name, seed), int(load(name).y.max()) + 1, np.random.RandomState(seed))


def scores(case: Case, labels: Any) -> dict[str, float]:
    """NMI on all rows, and on those that could not be asked about."""
    labels, rest = np.asarray(labels), case.scored
    return {
        "nmi": normalized_mutual_information(case.y, labels),
        f"nmi{REST}": normalized_mutual_information(case.y[rest], labels[rest]),
    }


def no_hints(case: Case, seed: int) -> dict[str, float]:
    """Likewise before the first answer."""
    return scores(case, case.extra["base"].labels_)


def told(way: str, amount: int, wrong: float, case: Case, seed: int) -> Constraints:
    """The answers of one draw, which all methods share."""
    rng = np.random.default_rng([seed, amount, *way.encode()])
    if way == "preferences":
        shown = pool(case.extra["name"], seed)
        known = case.extra["known"]
        return Constraints.sample_preferences(shown, known, amount, shown=SHOWN, error_rate=wrong, random_state=rng)
    options = dict(WAYS[way])
    if options.get("ties") == "distance":
        options["ties"] = by_resemblance(case.extra["narrow"])
    return sampled(options.pop("how"), case.extra["known"], amount, wrong, rng, **options)


def likewise(way: str, amount: int, wrong: float, case: Case, seed: int) -> dict[str, float]:
    """Likewise with the answers: the result of a new fit, but without repeating what does not depend on them."""
    hints = told(way, amount, wrong, case, seed)
    start = perf_counter()
    model = copy.copy(case.extra["base"]).set_constraints(hints)
    seconds = perf_counter() - start
    return {**scores(case, model.labels_), "weight": model.report_.constraint_weight, "seconds": seconds}


def as_pairs(way: str, amount: int, wrong: float, case: Case, seed: int) -> dict[str, float]:
    """Likewise with every comparison read as a must-link and a cannot-link."""
    hints = told(way, amount, wrong, case, seed).as_pairs()
    return scores(case, copy.copy(case.extra["base"]).set_constraints(hints).labels_)


def peer(method: str, way: str, amount: int, wrong: float, case: Case, seed: int) -> Mapping[str, float]:
    """A metric of metric-learn and k-means, on at most a hundred dense columns; NaN if it fails or is too slow."""
    nothing = {"nmi": float("nan"), f"nmi{REST}": float("nan")}
    about = (method, case.extra["name"])
    if about in _too_slow:
        return nothing
    comparisons = told(way, amount, wrong, case, seed).comparisons
    data = {
        "X": case.extra["narrow"],
        "near": comparisons.near,
        "far": comparisons.far,
        "n_clusters": case.n_clusters,
    }
    try:
        return scores(case, _peers.found(method, data, seed, LIMIT_S)["labels"])
    except PeerTooSlow:
        _too_slow.add(about)
    except PeerFailure:
        pass
    return nothing


PEERS = ("LSML", "SCML")
READ_AS_PAIRS = ", read as pairs"


def methods(amount: int, wrong: float) -> dict[str, Method]:
    """The methods to run with this number of answers."""
    found: dict[str, Method] = {}
    if amount in AMOUNTS or amount in FEW:
        ways = WAYS if amount in AMOUNTS else (PAIRS,)
        found |= {way: partial(likewise, way, amount, wrong) for way in ways}
    if amount in PREFERENCES:
        found["preferences"] = partial(likewise, "preferences", amount, wrong)
    if amount in AMOUNTS:
        for way in COMPARED if wrong else ():
            found |= {f"{way}, {name}": partial(peer, name, way, amount, wrong) for name in PEERS}
        found |= {f"{way}{READ_AS_PAIRS}": partial(as_pairs, way, amount, wrong) for way in FORCED}
    return found


def trials() -> Iterator[Trial]:
    """Name the cells: half/set/percent wrong/answers/way/score."""
    for half, names in HALVES.items():
        for name in names:
            drawn = partial(draw, name)
            yield Trial(f"{half}/{name}/0/0", drawn, {"no hints": no_hints}, (), DRAWS)
            for wrong in WRONG:
                for amount in sorted({*AMOUNTS, *FEW, *PREFERENCES}):
                    cell = f"{half}/{name}/{round(100 * wrong)}/{amount}"
                    yield Trial(cell, drawn, methods(amount, wrong), (), DRAWS)
