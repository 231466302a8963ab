"""How far hints are trusted: the consensus of members that are given, without training any."""

from types import SimpleNamespace

import numpy as np
import pytest

from likewise.constraints import Comparisons, Constraints, Partition
from likewise.front import _consensus as module
from likewise.front._consensus import Consensus, apply_constraints, count_constraints, reweighted
from likewise.front._evidence import UNSUPERVISED, Evidence
from likewise.front._folds import Statements
from likewise.front._members import Member
from likewise.front._unsupervised import Unsupervised

N = 160
Y = np.repeat([0, 1], N // 2)
FOLDS = np.arange(N) % 4
MIXED = np.arange(N) // 5 % 2
ONE = np.zeros(N, dtype=int)


class Given:
    """A trainer whose members are given: first some, and others if it is asked again."""

    def __init__(self, first=(), again=None, runs=(MIXED,), n_clusters=2):
        self.unsupervised = Unsupervised(n_clusters, runs[0], np.eye(2)[runs[0]], list(runs), np.full(len(runs), 1.0))
        self.rng, self.n_clusters, self.features = np.random.RandomState(0), n_clusters, SimpleNamespace(n=N)
        self.labels, self.calls = [first, first if again is None else again], []

    def train(self, constraints, previous=(), folds=None, *, closed, reserve=0.0):
        labels = self.labels[min(len(self.calls), 1)]
        self.calls.append((constraints, previous, folds, closed, reserve))
        return [Member("graph", each, fold) for each in labels for fold in range(4)], FOLDS + 0

    def held_out(self, constraints, folds):
        return []


@pytest.fixture
def final(monkeypatch):
    """What the final k-means is given; its labels are those of the first start."""
    calls = []

    def noted(Z, n_clusters, constraints, rng, *, closed, starts, n_init):
        calls.append(SimpleNamespace(Z=Z, constraints=constraints, closed=closed, starts=starts, n_init=n_init))
        return starts[-1]

    monkeypatch.setattr(module, "constrained_kmeans", noted)
    return calls


def pairs_of(count, y=Y, seed=0):
    return Constraints.sample(y, "random_pairs", count, random_state=seed)


RIGHT = pairs_of(80)
MUST = Constraints(N, RIGHT.must_link)


@pytest.mark.parametrize(
    ("trust", "labels", "trust_closed", "n_trained"),
    [
        ("auto", Y, True, 1),  # members are sure, and find the hints right
        ("strict", Y, True, 1),
        ("weighted", Y, False, 1),
        ("auto", MIXED, False, 2),  # members are sure of the opposite of many
        ("strict", MIXED, True, 1),
    ],
)
def test_hints_are_certain_if_members_find_them_right(final, trust, labels, trust_closed, n_trained):
    trainer = Given([labels])
    found = apply_constraints(trainer, RIGHT, trust)
    assert found.closed == trust_closed == final[0].closed
    assert len(trainer.calls) == n_trained
    constraints, previous, folds, closed, reserve = trainer.calls[0]
    assert (constraints == RIGHT, previous, folds) == (True, (), None)
    assert closed == (trust != "weighted")
    assert reserve == float(trust == "auto")  # the time to train once more
    assert found.fallback == ""
    assert len(found.members) == 4
    np.testing.assert_array_equal(found.folds, FOLDS)
    assert (found.applied == RIGHT) == (n_trained == 1)
    assert found.stated == RIGHT
    assert final[0].constraints is found.applied


def test_hints_that_look_wrong_are_weighted_and_learned_from_again(final):
    wrong = Constraints(N, np.concatenate([RIGHT.must_link, [(0, 80), (1, 81), (2, 82)]]), RIGHT.cannot_link[:-5])
    wrong |= Constraints(N, cannot_link=[(row, row + 1) for row in range(0, 10, 2)])
    trainer = Given([Y], [Y, Y])
    found = apply_constraints(trainer, wrong, "auto")
    assert len(trainer.calls) == 2
    applied, _, _, closed, reserve = trainer.calls[1]
    assert (closed, reserve) == (False, 0.0)
    left_out = {tuple(pair) for pair in wrong.must_link} - {tuple(pair) for pair in applied.must_link}
    assert left_out == {(0, 80), (1, 81), (2, 82)}
    assert len(found.members) == 8
    assert len(found.evidence.statements) >= count_constraints(wrong), "all are tested again"
    assert not found.closed
    assert (found.applied == applied, found.stated == wrong) == (True, True)


def test_members_that_could_not_be_trained_again_stay(final):
    trainer = Given([MIXED], [])
    found = apply_constraints(trainer, RIGHT, "auto")
    assert len(trainer.calls) == 2
    assert len(found.members) == 4


@pytest.mark.parametrize(("weight", "is_closed"), [(1.0, True), (0.5, False)])
def test_weights_and_contradictions_are_no_certainty(final, weight, is_closed):
    hints = Constraints(N, RIGHT.must_link, RIGHT.cannot_link, must_weight=weight)
    assert apply_constraints(trainer := Given([Y]), hints, "auto").closed == is_closed
    assert trainer.calls[0][3] == is_closed
    contradictory = hints | Constraints(N, [(0, 2), (2, 4)], [(0, 4)])
    apply_constraints(trainer := Given([Y]), contradictory, "auto")
    assert trainer.calls[0][3] is False
    doubtful = Constraints(N, RIGHT.must_link, RIGHT.cannot_link, cannot_weight=0.5)  # only must-links join groups
    assert apply_constraints(trainer := Given([Y]), doubtful, "auto").closed
    assert trainer.calls[0][3] is True


@pytest.mark.parametrize(("runs", "members", "is_closed"), [(Y, MIXED, True), (MIXED, ONE, False), (Y, ONE, True)])
def test_must_links_without_weight_are_judged_by_runs_without_hints(final, runs, members, is_closed):
    """A single cluster satisfies all must-links, so members that have one prove nothing."""
    found = apply_constraints(Given([members], runs=(runs,)), MUST, "auto")
    assert found.evidence.constraint_weight < 0.5
    assert found.closed == is_closed


def test_must_links_with_weight_are_judged_by_members(final):
    found = apply_constraints(Given([Y], runs=(MIXED,)), MUST, "auto")
    assert found.evidence.constraint_weight > 0.5
    assert found.closed
    with_one_cannot_link = MUST | Constraints(N, cannot_link=[(0, 100)])
    assert apply_constraints(Given([ONE], runs=(MIXED,)), with_one_cannot_link, "auto").closed


def test_the_final_k_means_starts_from_the_runs_and_five_times_more(final):
    first = apply_constraints(Given([Y]), RIGHT, "auto")
    assert final[0].n_init == 5
    assert [start.tolist() for start in final[0].starts] == [MIXED.tolist()]
    trainer = Given([Y])
    apply_constraints(trainer, RIGHT, "auto", first)
    assert trainer.calls[0][1] is first.members
    assert trainer.calls[0][2] is first.folds
    assert final[1].n_init == 1
    assert [start.tolist() for start in final[1].starts] == [MIXED.tolist(), first.labels.tolist()]


def test_of_few_hints_one_that_contradicts_is_left_out():
    chain = [(row, row + 1) for row in range(12)]
    hints = Constraints(N, chain, [(0, 2), *((row, 80 + row) for row in range(8))])
    assert count_constraints(hints) == 21
    found = apply_constraints(Given([Y]), hints, "auto")
    assert not found.fallback  # pairs that follow from the others count, too
    assert found.closed
    assert found.stated == hints.drop_conflicts()[0]
    assert apply_constraints(Given([Y]), hints, "weighted").fallback == "fewer than 25 hints"
    many = hints | Constraints(N, [(row, row + 1) for row in range(20, 30)])
    assert apply_constraints(Given([Y]), many, "auto").stated == many  # weighted, as far as they look right


def test_few_hints_apply_to_the_embedding_of_the_runs(final):
    trainer = Given([Y])
    few = pairs_of(10)
    found = apply_constraints(trainer, few, "auto")
    assert found.fallback == "fewer than 25 hints"
    assert (trainer.calls, found.members, found.folds.tolist()) == ([], (), [0] * N)
    assert final[0].Z is trainer.unsupervised.embedding
    assert final[0].n_init == 0
    assert found.closed
    assert found.constraint_weight == 0.0
    assert not apply_constraints(Given([Y]), few, "weighted").closed
    # a fit without members is no start
    trainer = Given([Y])
    apply_constraints(trainer, RIGHT, "auto", found)
    assert trainer.calls[0][1:3] == ((), None)
    untrained = apply_constraints(Given([]), RIGHT, "auto")
    assert untrained.fallback == "no clustering was trained on hints"


def test_only_families_with_weight_are_in_the_consensus(final, monkeypatch):
    seen = []
    joined = module.consensus_embedding
    monkeypatch.setattr(
        module, "consensus_embedding", lambda labelings, k, weights: seen.append((labelings, weights)) or
        joined(labelings, k, weights=weights),
    )  # fmt: skip
    found = apply_constraints(Given([Y], runs=(MIXED, ONE)), RIGHT, "auto")
    ((labelings, weights),) = seen
    faded = found.evidence.faded_weights()
    assert len(labelings) == len(weights) == sum(4 if name == "graph" else 2 for name, own in faded.items() if own)
    assert weights.sum() == pytest.approx(sum(faded.values()))
    assert weights[-4:] == pytest.approx([faded["graph"] / 4] * 4)


def test_comparisons_are_pairs_if_ties_were_left_open(final):
    near = [(row, row + 1, row + 80) for row in range(0, 60, 2)]
    unsure = [(row, row + 1, row + 2, row + 3) for row in range(40)]
    found = apply_constraints(Given([Y], runs=(Y,)), Constraints(N) | Comparisons(N, near, unsure=unsure), "auto")
    assert (found.stated.n_must_link, found.stated.n_cannot_link) == (30, 30)
    assert found.fallback == ""


def test_labels_are_written_out_as_pairs_unless_there_are_too_many(monkeypatch):
    hints = Constraints(6, partitions=[Partition([0, 0, 0, -1, -1, -1])])
    evidence = SimpleNamespace(
        right=lambda: np.array([0.5, 0.499, 0.75]), statements=Statements.of(hints, np.random.RandomState(0))
    )
    monkeypatch.setattr(module, "MAX_PAIRS", 3)
    found = reweighted(hints, evidence)
    assert found.partitions == ()
    assert found.must_link.tolist() == [[0, 1], [1, 2]]  # the other is more likely wrong than right
    assert found.must_weight.tolist() == [0.5, 0.75]
    monkeypatch.setattr(module, "MAX_PAIRS", 2)
    assert reweighted(hints, evidence).partitions == hints.partitions


def test_weights_are_shares_of_families():
    stated = Statements(np.zeros((0, 2), dtype=int), np.zeros(0, dtype=bool), np.zeros(0))
    evidence = Evidence(stated, np.zeros(0), np.zeros(0), 0.0, 0.0, {"a": 0.5, "b": 0.25, UNSUPERVISED: 1.0}, 2)
    weight = evidence.constraint_weight
    assert 0 < weight < 1
    hints = Constraints(4)
    found = Consensus(ONE, np.zeros((N, 2)), (), FOLDS, evidence, "", True, hints, hints)
    lost = (1 - weight) * 0.75
    expected = {"a": 0.5 * weight / 1.75, "b": 0.25 * weight / 1.75, UNSUPERVISED: (1.0 + lost) / 1.75}
    assert found.weights == pytest.approx(expected)
    assert found.constraint_weight == weight


@pytest.mark.parametrize("labels", [Y, MIXED])
def test_without_any_evidence_the_unsupervised_embedding_is_clustered(final, labels):
    trainer = Given([labels])
    found = apply_constraints(trainer, RIGHT, "auto", chosen=True)
    assert found.fallback == ""
    assert (found.constraint_weight > 0) == (labels is Y)
    unsupervised = trainer.unsupervised
    assert (final[-1].Z is unsupervised.embedding) == (labels is MIXED)
    assert (final[-1].n_init == 0) == (labels is MIXED)
    assert [start is unsupervised.labels for start in final[-1].starts] == [True]
