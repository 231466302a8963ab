"""The answers that are most likely wrong."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from ..front import Likewise, Suspect, Suspects
from ._answers import Answers
from ._question import CANT_SAY, SAME

CONFIRMED, REFUTED = -1.5, 2.5
"""Added to the log odds that an answer is wrong if checks confirmed or refuted it."""


def suspect_answers(answers: Answers, model: Likewise) -> Suspects:
    """The answers, sorted by decreasing probability to be wrong.

    The log odds are the mean of two estimates, from the clusterings that were fitted without the answer, and from all
    clusterings before it was given, plus a term for the outcome of checks.
    """
    evidence = {frozenset(suspect.rows): suspect for suspect in model.suspects_}
    found = []
    for number, answer in enumerate(answers):
        if answer.said == CANT_SAY:
            continue
        estimates = [answers.chance_wrong(number)]
        held_out = evidence.get(frozenset(answer.rows))
        if held_out is not None:
            estimates.append(held_out.wrong)
        odds = float(np.mean(logit(np.clip(estimates, 1e-4, 1 - 1e-4))))
        odds += {"confirmed": CONFIRMED, "refuted": REFUTED}.get(answer.status, 0.0)
        together = answer.votes if held_out is None else held_out.together
        kind = "must-link" if answer.said == SAME else "cannot-link"
        found.append(Suspect(answer.rows, kind, float(expit(odds)), together))
    return Suspects(sorted(found, key=lambda suspect: -suspect.wrong))
