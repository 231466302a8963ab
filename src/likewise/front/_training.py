"""Training members round by round, as far as time allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._progress import stage, track
from .._threads import parallel_map
from ..constraints import Constraints
from ._budget import Budget
from ._folds import N_FOLDS, Statements, row_folds, without
from ._members import FAMILIES, ROUNDS, Lesson, Member, Place, in_order
from ._streams import own_stream
from ._unsupervised import Baseline, Ground

Array = np.ndarray

FEW_ROWS = 5_000
"""Up to so many rows a member that goes on from where it was is done before a thread for it has started."""

JOINING = 3.0
"""Time to join members into the answer, in units of what joining the runs without hints took."""


@dataclass
class Teacher:
    """Trains members on hints.

    Parameters
    ----------
    ground, base
        The rows, and the answer without hints; what that took is what members are expected to take.
    n_clusters : int
    rng : RandomState
    budget : Budget
        Time there is. Between rounds it is asked for room; without any, members of later rounds are left out.
    n_jobs : int, optional
        Threads. The answer is the same for any number of them.
    """

    ground: Ground
    base: Baseline
    n_clusters: int
    rng: np.random.RandomState
    budget: Budget
    n_jobs: int | None = None

    def train(
        self,
        hints: Constraints,
        before: Sequence[Member] = (),
        folds: Array | None = None,
        *,
        closed: bool,
        reserve: float = 0.0,
    ) -> tuple[list[Member], Array]:
        """Members of all families, as far as there is time, and the fold of each row.

        Parameters
        ----------
        hints : Constraints
        before : sequence of Member
            Those of fewer hints, to start from.
        folds : (n,) ints, optional
            Their folds; drawn unless given.
        closed : bool
            Whether must-links are closed to groups.
        reserve : float
            What the time must suffice for afterward, in rounds like the first, besides joining the members.

        Notes
        -----
        Interrupted by Ctrl-C it returns the members of the rounds that are done.
        """
        folds = row_folds(self.ground.n, self.rng) if folds is None else folds
        lessons, places = self._prepared(hints, closed, folds, before)
        members: list[Member] = []
        taken: dict[str, float] = {}
        n_jobs = 1 if before and self.ground.n <= FEW_ROWS else self.n_jobs
        number = 0

        def learn(place: Place) -> Member:
            if place.before is not None and place.repeat > 0:  # from where it was it would come to where the first is
                return place.before
            labels, kept = FAMILIES[place.family].learn(lessons[place.fold], place)
            return Member(place.family, labels, place.fold, place.repeat, kept)

        try:
            with stage("learning from hints"):
                for number, (family, repeat) in enumerate(track(ROUNDS)):
                    expected = taken.get(family) or self._expected(family)
                    joining = JOINING * self.base.joining_s
                    afterward = joining + reserve * (taken.get("graph") or self._expected("graph"))
                    if self.budget.interrupted or not self.budget.has_room(expected + afterward):
                        self._leave_out(ROUNDS[number:])
                        break
                    start = self.budget.elapsed
                    members += parallel_map(learn, places[family, repeat], n_jobs)
                    taken[family] = self.budget.elapsed - start
        except KeyboardInterrupt:
            self.budget.interrupted = True
            self._leave_out(ROUNDS[number:])
        return in_order(members), folds

    def _prepared(
        self, hints: Constraints, closed: bool, folds: Array, before: Sequence[Member]
    ) -> tuple[list[Lesson], dict[tuple[str, int], list[Place]]]:
        """Everything that is drawn at random, in one order, whatever is trained later and by whom."""
        k = min(self.n_clusters, self.ground.n)
        earlier = {(member.family, member.repeat, member.fold): member for member in before}
        lessons: list[Lesson] = []
        places: dict[tuple[str, int], list[Place]] = {turn: [] for turn in ROUNDS}
        for fold in range(N_FOLDS):
            for family, kind in FAMILIES.items():
                for repeat in range(kind.repeats):
                    own = own_stream(self.rng, k)
                    places[family, repeat].append(Place(family, fold, repeat, own, earlier.get((family, repeat, fold))))
            seen = without(hints, folds == fold)
            lessons.append(Lesson(self.ground, seen, self.n_clusters, closed, Statements.of(seen, self.rng)))
        return lessons, places

    def _expected(self, family: str) -> float:
        """Seconds that a round of a family should take, before one was made."""
        runs = FAMILIES[family].runs
        return N_FOLDS * (self.ground.graph_s if runs is None else runs * self.base.run_s)

    def _leave_out(self, rounds: Sequence[tuple[str, int]]) -> None:
        names = [family if repeat == 0 else f"{family} (repeated)" for family, repeat in rounds]
        self.budget.left_out.append(f"members of {', '.join(names)}")
