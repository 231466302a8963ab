"""Which answers are most likely wrong."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit

from ..front import Likewise, Suspect, Suspects
from ._answers import Answers
from ._question import CANT_SAY, SAME

CONFIRMED, REFUTED = -1.5, 2.5
"""What checks that confirmed or refuted an answer add to the log odds that it is wrong."""


def suspect_answers(answers: Answers, model: Likewise) -> Suspects:
    """The answers, those most likely wrong first.

    Two opinions count alike: that of the clusterings that did not see an answer, and that of all clusterings before it
    was given. Checks count most.
    """
    evidence = {frozenset(suspect.rows): suspect for suspect in model.suspects_}
    found = []
    for number, answer in enumerate(answers):
        if answer.said == CANT_SAY:
            continue
        opinions = [answers.chance_wrong(number)]
        held_out = evidence.get(frozenset(answer.rows))
        if held_out is not None:
            opinions.append(held_out.wrong)
        odds = float(np.mean(logit(np.clip(opinions, 1e-4, 1 - 1e-4))))
        odds += {"confirmed": CONFIRMED, "refuted": REFUTED}.get(answer.status, 0.0)
        together = answer.votes if held_out is None else held_out.together
        kind = "must-link" if answer.said == SAME else "cannot-link"
        found.append(Suspect(answer.rows, kind, float(expit(odds)), together))
    return Suspects(sorted(found, key=lambda suspect: -suspect.wrong))
