"""The trials: data sets × ways of answering. A run asks up to the last budget, and is scored at each budget."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from likewise import Constraints, Likewise
from likewise.clustering import MPCKMeans, PCKMeans
from likewise.evaluation import normalized_mutual_information
from likewise.evaluation.protocols import Case, Method, Trial, split_rows
from likewise.front import Suspect
from likewise.questions import Answers, Dialogue
from likewise.questions._suspicion import suspect_answers

from ..peers import PeerFailure, Peers
from ..rivals import REST, is_wrong
from .person import ANSWERS, Person
from .sets import HALVES, load
from .strategies import Round, Told, balanced, constraints_of, explore_and_consolidate, min_max, npu, random

SCREENS = (10, 25, 50, 100, 200, 500)
DRAWS = 5
UNKNOWN = "unknown-k"
"""Right answers, without a given number of clusters."""

OWN = "own "
"""Prefix of the values of a strategy with its own clusterer."""

COBRAS_LIMIT_S = 120.0

_peers = Peers()


def draw(name: str, answers: str, seed: int) -> Case:
    """A data set, the half of the rows that may be asked about, and a person who answers."""
    X, y, kind, narrow = load(name)
    own = np.random.default_rng([seed, *name.encode()])
    asked, rest = split_rows(len(y), 0.5, own)
    person = Person(X, y, "0" if answers == UNKNOWN else answers, [seed, 1, *name.encode()])
    count = int(y.max()) + 1
    known = None if answers == UNKNOWN else count
    extra = {"rows": asked, "person": person, "narrow": narrow, "known": known, "kind": kind}
    return Case(X, y, Constraints(len(y)), count, rest, {**extra, "base": base(name, known, seed)})


@lru_cache(maxsize=4)
def base(name: str, n_clusters: int | None, seed: int) -> Likewise:
    """Likewise without answers; fits with answers start from it."""
    X, _, kind, _ = load(name)
    return Likewise(n_clusters, kind=kind, verbose=False, random_state=seed).fit(X)


def with_answers(case: Case, told: Constraints, answers: Answers | None = None) -> Likewise:
    """The result of a new fit with the answers, but without repeating what does not depend on them."""
    hints = told if answers is None else answers.with_constraints(told)
    return copy.copy(case.extra["base"]).set_constraints(hints)


def scores(case: Case, labels: Any, prefix: str = "") -> dict[str, float]:
    """NMI on all rows, and on those that could not be asked about."""
    labels, rest = np.asarray(labels), case.scored
    return {
        f"{prefix}nmi": normalized_mutual_information(case.y, labels),
        f"{prefix}nmi{REST}": normalized_mutual_information(case.y[rest], labels[rest]),
    }


def at(screens: int | str, values: Mapping[str, float]) -> dict[str, float]:
    """Values with the name of a budget added to their names."""
    return {f"{name}-{screens}": value for name, value in values.items()}


def suspicion(case: Case, suspects: Sequence[Suspect]) -> dict[str, float]:
    """The AUC of finding wrong answers; empty if all are right or all are wrong."""
    wrong = [is_wrong(case, suspect) for suspect in suspects]
    if all(wrong) or not any(wrong):
        return {}
    return {"auc": float(roc_auc_score(wrong, [suspect.wrong for suspect in suspects]))}


def no_hints(case: Case, seed: int) -> dict[str, float]:
    """Likewise before the first answer."""
    return at(0, scores(case, case.extra["base"].labels_))


# -- our own -----------------------------------------------------------------------------------------------------------
def dialogue(questions: str, case: Case, seed: int) -> dict[str, float]:
    """A dialogue, scored at each budget and where the stopping rule applies."""
    start = perf_counter()
    person: Person = case.extra["person"]
    talk = Dialogue(
        case.X,
        case.extra["known"],
        questions=questions,
        among=case.extra["rows"],
        random_state=seed,
        kind=case.extra["kind"],
    )
    found: dict[str, float] = {}
    last: dict[str, float] = {}
    heard = 0
    for screens in range(1, SCREENS[-1] + 1):
        if talk.question is not None:
            talk.answer(person.answer(talk.question))
        stops = "stop" not in found and (talk.answers.enough or talk.question is None)
        if screens in SCREENS or stops:
            if len(talk.answers) > heard:
                last, heard = measured(case, talk), len(talk.answers)
            if stops:
                found |= {"stop": float(screens), **at("stop", last)}
            if screens in SCREENS:
                found |= at(screens, last)
    stated = [answer for answer in talk.answers if answer.said != "can't say"]
    return {
        **found,
        "screens": float(talk.answers.n_screens),
        "same": float(np.mean([answer.said == "same" for answer in stated])),
        "seconds": perf_counter() - start,
    }


def measured(case: Case, talk: Dialogue) -> dict[str, float]:
    """The scores of a new fit, and the AUC of suspects."""
    model = with_answers(case, talk.constraints, talk.answers)
    return {**scores(case, model.labels_), **suspicion(case, suspect_answers(talk.answers, model))}


# -- others ------------------------------------------------------------------------------------------------------------
Own = Callable[[Case, Constraints, int], Any]


def pck(case: Case, told: Constraints, seed: int) -> Any:
    """PCK-means on the dense rows, as Basu et al. and Mallapragada et al. use it."""
    model = PCKMeans.as_published(case.n_clusters, closure=case.extra["person"].is_right, random_state=seed)
    return model.fit(case.extra["narrow"], constraints=told).labels_


def mpck(case: Case, told: Constraints, seed: int) -> Any:
    """MPCK-means on the dense rows, as Xiong et al. use it."""
    model = MPCKMeans.as_published(case.n_clusters, closure=case.extra["person"].is_right, random_state=seed)
    return model.fit(case.extra["narrow"], constraints=told).labels_


def by_rounds(strategy: Callable[[Round], None], own: Own | None, case: Case, seed: int) -> dict[str, float]:
    """A strategy of others: its answers are given to Likewise, and to the clusterer it was published with."""
    start = perf_counter()
    asking = Round(
        case.extra["narrow"],
        case.n_clusters,
        case.extra["rows"],
        case.extra["base"].labels_,
        case.extra["person"],
        SCREENS[-1],
        np.random.default_rng([seed, 2]),
    )
    told = asking.run(strategy)
    found = told_to_both(case, told, seed, own)
    return {**found, "seconds": perf_counter() - start}


def told_to_both(case: Case, told: Sequence[Told], seed: int, own: Own | None) -> dict[str, float]:
    """The scores at each budget; if no answer is new, those of the previous budget."""
    found: dict[str, float] = {}
    last: dict[str, float] = {}
    known = 0
    for screens in SCREENS:
        so_far = [one for one in told if one.screen <= screens]
        if len(so_far) > known or not last:
            known, hints = len(so_far), constraints_of(so_far, len(case.y))
            model = with_answers(case, hints)
            last = {**scores(case, model.labels_), **suspicion(case, model.suspects_)}
            if own is not None:
                last |= scores(case, own(case, hints, seed), OWN)
        found |= at(screens, last)
    return found


def cobras(case: Case, seed: int) -> Mapping[str, float]:
    """COBRAS, by its authors' package; it chooses the number of clusters itself."""
    start = perf_counter()
    data = {
        "X": case.extra["narrow"],
        "said": case.extra["person"].said,
        "rows": case.extra["rows"],
        "budget": SCREENS[-1],
        "budgets": SCREENS,
    }
    try:
        answer = _peers.found("COBRAS", data, seed, COBRAS_LIMIT_S)
    except PeerFailure:
        return {"seconds": float("nan")}
    person: Person = case.extra["person"]
    asked = [(tuple(rows), person.pair(*rows)) for rows in answer["asked"]]
    told = [Told(screen, rows, said) for screen, (rows, said) in enumerate(asked, 1) if said is not None]
    found = told_to_both(case, distinct(told), seed, None)
    for screens, labels in zip(SCREENS, answer["steps"], strict=True):
        found |= at(screens, scores(case, labels, OWN))
    return {**found, "seconds": perf_counter() - start}


def distinct(told: Iterable[Told]) -> list[Told]:
    """Each pair once, since COBRAS may repeat questions."""
    return list({one.rows: one for one in reversed(list(told))}.values())[::-1]


OURS: dict[str, Method] = {
    "pairs": partial(dialogue, "pair"),
    "piles": partial(dialogue, "piles"),
    "choices": partial(dialogue, "choice"),
}
LOT: dict[str, Method] = {
    "random": partial(by_rounds, random, None),
    "balanced random": partial(by_rounds, balanced, None),
}
WITH_K: dict[str, Method] = {
    "explore & consolidate": partial(by_rounds, explore_and_consolidate, pck),
    "minmax": partial(by_rounds, min_max, pck),
    "npu": partial(by_rounds, npu, mpck),
}
"""Strategies that need the number of clusters."""

WITHOUT_K: dict[str, Method] = {"cobras": cobras}
NO_HINTS: dict[str, Method] = {"no hints": no_hints}


def trials() -> Iterator[Trial]:
    """Name the cells: half/set/answers/strategy/score-screens."""
    for half, names in HALVES.items():
        for name in names:
            for answers in (*ANSWERS, UNKNOWN):
                first = NO_HINTS if answers in ("0", UNKNOWN) else {}
                others = WITHOUT_K if answers == UNKNOWN else {**WITHOUT_K, **WITH_K}
                methods = {**first, **LOT, **others, **OURS}
                yield Trial(f"{half}/{name}/{answers}", partial(draw, name, answers), methods, (), DRAWS)
