"""Training the members of the ensemble, in rounds, within the time budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .._arrays import IntArray
from .._progress import stage, track
from .._threads import parallel_map
from ..constraints import Constraints
from ._budget import Budget
from ._folds import N_FOLDS, Statements, row_folds, seen_constraints
from ._held_out import HeldOut, HeldOutComparisons, HeldOutPreferences, resemblance, tie_odds
from ._kmeans import reserve_stream
from ._members import Family, Member, Task, TrainingData, families_for, in_order, rounds_for
from ._unsupervised import Features, Unsupervised

FEW_ROWS = 5_000
"""Up to this number of rows, training from previous members is too fast to benefit from threads."""

JOINING = 3.0
"""Expected time to compute the consensus, relative to that of the unsupervised runs."""


@dataclass
class Trainer:
    """Trains members on constraints.

    Parameters
    ----------
    features : Features
    unsupervised : Unsupervised
        The unsupervised result; its timings predict how long members take.
    n_clusters : int
    rng : RandomState
    budget : Budget
        It is checked before each round; when time runs out, the remaining rounds are skipped.
    n_jobs : int, optional
        Number of threads. The result is the same for any number.
    """

    features: Features
    unsupervised: Unsupervised
    n_clusters: int
    rng: np.random.RandomState
    budget: Budget
    n_jobs: int | None = None

    def train(
        self,
        constraints: Constraints,
        previous: Sequence[Member] = (),
        folds: IntArray | None = None,
        *,
        closed: bool,
        reserve: float = 0.0,
    ) -> tuple[list[Member], IntArray]:
        """Train members of all families, as far as time allows.

        Parameters
        ----------
        constraints : Constraints
        previous : sequence of Member
            Members under fewer constraints, to start from.
        folds : (n,) ints, optional
            The folds of ``previous``; drawn at random by default.
        closed : bool
            Whether must-links are closed to groups.
        reserve : float
            Time to leave for later, in rounds like the first, in addition to that for the consensus.

        Returns
        -------
        members : list of Member
        folds : (n,) ints
            The fold of each row.

        Notes
        -----
        If it is interrupted by Ctrl-C, it returns the members of the rounds that are complete.
        """
        folds = row_folds(self.features.n, self.rng) if folds is None else folds
        families, rounds = families_for(constraints), rounds_for(constraints)
        fold_data, tasks = self._prepare(constraints, closed, folds, previous)
        members: list[Member] = []
        seconds: dict[str, float] = {}
        n_jobs = 1 if previous and self.features.n <= FEW_ROWS else self.n_jobs
        number = 0

        def train_member(task: Task) -> Member:
            if task.previous is not None and task.repeat > 0:  # training it would repeat the first of its family
                return task.previous
            labels, kept = families[task.family].train(fold_data[task.fold], task)
            return Member(task.family, labels, task.fold, task.repeat, kept)

        try:
            with stage("learning from hints"):
                for number, (family, repeat) in enumerate(track(rounds)):
                    expected = seconds.get(family) or self._expected_s(families[family])
                    joining = JOINING * self.unsupervised.joining_s
                    afterward = joining + reserve * (seconds.get("graph") or self._expected_s(families["graph"]))
                    if self.budget.interrupted or not self.budget.has_room(expected + afterward):
                        self._leave_out(rounds[number:])
                        break
                    start = self.budget.elapsed
                    members += parallel_map(train_member, tasks[family, repeat], n_jobs)
                    seconds[family] = self.budget.elapsed - start
        except KeyboardInterrupt:
            self.budget.interrupted = True
            self._leave_out(rounds[number:])
        return in_order(members), folds

    def held_out(self, constraints: Constraints, folds: IntArray) -> list[HeldOut]:
        """The comparisons and preferences, to be scored by members that are not trained on them."""
        found: list[HeldOut] = []
        if len(constraints.comparisons):
            found.append(self._held_out_comparisons(constraints))
        if constraints.preferences:
            found.append(HeldOutPreferences.of(constraints.preferences, folds, self.rng))
        return found

    def _held_out_comparisons(self, constraints: Constraints) -> HeldOutComparisons:
        comparisons = constraints.comparisons
        return HeldOutComparisons(comparisons, resemblance(self.features.linear.F, comparisons))

    def _prepare(
        self, constraints: Constraints, closed: bool, folds: IntArray, previous: Sequence[Member]
    ) -> tuple[list[TrainingData], dict[tuple[str, int], list[Task]]]:
        """The training data of each fold and the tasks of each round.

        Everything random is drawn here, in a fixed order, so that the result does not depend on threads or on which
        rounds are trained.
        """
        k = min(self.n_clusters, self.features.n)
        known = {(member.family, member.repeat, member.fold): member for member in previous}
        fold_data: list[TrainingData] = []
        compared = np.hstack([constraints.comparisons.near, constraints.comparisons.far])
        odds = tie_odds(self._held_out_comparisons(constraints), self.unsupervised) if len(compared) else np.zeros(0)
        tasks: dict[tuple[str, int], list[Task]] = {each_round: [] for each_round in rounds_for(constraints)}
        for fold in range(N_FOLDS):
            for name, family in families_for(constraints).items():
                for repeat in range(family.repeats):
                    stream = reserve_stream(self.rng, k)
                    task = Task(name, fold, repeat, stream, known.get((name, repeat, fold)))
                    tasks[name, repeat].append(task)
            seen = seen_constraints(constraints, folds == fold, self.rng, closed=closed)
            statements = Statements.of(seen, self.rng)
            labels = self.unsupervised.labels
            data = TrainingData(self.features, labels, seen, self.n_clusters, closed, statements)
            if len(seen.comparisons):
                data.tie_odds = odds[~(folds == fold)[compared].any(axis=1)]
            fold_data.append(data)
        return fold_data, tasks

    def _expected_s(self, family: Family) -> float:
        """Expected seconds of a round of a family, before the first one."""
        return N_FOLDS * (self.features.graph_s if family.cost is None else family.cost * self.unsupervised.run_s)

    def _leave_out(self, rounds: Sequence[tuple[str, int]]) -> None:
        names = [family if repeat == 0 else f"{family} (repeated)" for family, repeat in rounds]
        self.budget.left_out.append(f"members of {', '.join(names)}")
