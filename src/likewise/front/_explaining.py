"""What the report says: the answer held against everything it was made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constraints import Constraints
from ..constraints._conflicts import tally
from ..constraints._wording import counted
from ..evaluation import constraint_accuracy
from ._consensus import Answer, n_hints
from ._evidence import UNHINTED, blind_votes, by_family, votes
from ._landmarks import Landmarks
from ._matching import agreed, agreement
from ._members import Member
from ._report import FamilyReport, Report
from ._unsupervised import Baseline

Array = np.ndarray


def explained(
    told: Constraints, base: Baseline, answer: Answer | None, marks: Landmarks, labels: Array, **common: Any
) -> Report:
    """The report on the labels of all rows.

    Parameters
    ----------
    told : Constraints
        All that was said.
    base : Baseline
    answer : Answer or None
        None where no hints were heard.
    marks : Landmarks
    labels : (n,) ints
    common
        What is the same with and without hints.
    """
    here = labels[marks.all_here]
    plain = [Member(UNHINTED, run, -1) for run in base.labelings]
    common |= {
        "n_rows": marks.n,
        "hints": told.summary(),
        "landmarks": 0 if marks.rows is None else len(marks.rows),
    }
    if answer is None:
        return Report(**common, agreement=marks.means(agreement(plain, agreed(plain, here))))
    members = [*plain, *answer.members]
    alike = agreed(members, here)
    said, known = n_hints(told), n_hints(marks.hints(told))
    return Report(
        **common,
        learned_from="" if known == said else f"{known:,} of {counted(said, 'hint')}",
        trust="strict" if answer.closed else "weighted",
        contradictions=tally(told, told.groups())[0],
        dropped=known - n_hints(answer.heard),
        families=tuple(_families(members, answer, alike)),
        agreement=marks.means(agreement(members, alike)),
        gain=answer.evidence.gain,
        gain_error=answer.evidence.error,
        guard=answer.guard,
        kept=constraint_accuracy(labels, told),
        moved=np.flatnonzero(labels != marks.votes(base.labels)),
    )


def _families(members: list[Member], answer: Answer, alike: Array) -> list[FamilyReport]:
    """What each family thought: like the answer, and of hints it did not see."""
    statements = answer.evidence.statements
    found = []
    for family, own in by_family(members).items():
        rows = [number for number, member in enumerate(members) if member.family == family]
        unseen = blind_votes(own, answer.folds, statements.pairs)
        # runs without hints have not seen any
        together = unseen if own[0].fold >= 0 else votes([member.labels for member in own], statements.pairs)
        kept = float(np.average(np.where(statements.same, together, 1 - together), weights=statements.weight))
        found.append(FamilyReport(family, len(own), float(alike[rows].mean()), kept, answer.evidence.voices[family]))
    return found
