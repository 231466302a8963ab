"""Laws of questions and dialogues, on drawn labelings, hints and answers."""

from itertools import combinations, product
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from likewise import Constraints, Partition
from likewise.questions import Answer, Answers, Dialogue, choose
from likewise.questions._known import Known, inferred_links
from likewise.questions._outvoted import outvoted

X, Y = load_iris(return_X_y=True)


def reply(pair, wrong=0.1):
    i, j = sorted(pair)
    errs = np.random.default_rng([0, i, j]).random() < wrong
    return "same" if bool(Y[i] == Y[j]) != bool(errs) else "different"


@st.composite
def labelings_and_hints(draw):
    n, k = draw(st.integers(6, 30)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    truth = rng.integers(k, size=n)
    labelings = [np.where(rng.random(n) < 0.3, rng.integers(k, size=n), truth) for _ in range(draw(st.integers(2, 6)))]
    pairs = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(draw(st.integers(0, 12)))]
    same = [pair for pair in pairs if truth[pair[0]] == truth[pair[1]]]
    different = [pair for pair in pairs if truth[pair[0]] != truth[pair[1]]]
    return labelings, Constraints(n, same, different), k, rng


@given(labelings_and_hints(), st.sampled_from(["pair", "choice", "piles"]), st.booleans())
def test_what_follows_is_never_asked(case, kind, k_known):
    labelings, hints, k, _ = case
    asked = choose(labelings, hints, 8, kind=kind, n_clusters=k if k_known else None)
    known = hints | inferred_links(hints, k) if k_known else hints
    closed = Known.of(known, np.arange(hints.n_samples))
    pairs = [frozenset(pair) for question in asked for pair in question.pairs]
    assert all(closed.relation(*pair) == 0 for question in asked for pair in question.pairs)
    assert all(len(pair) == 2 for pair in pairs)
    assert len(set(pairs)) == len(pairs)
    assert all(0 <= chance <= 1 for question in asked for chance in question.chances)


@given(labelings_and_hints(), st.sampled_from(["pair", "choice", "piles"]))
def test_neither_order_nor_names_of_labelings_matter(case, kind):
    labelings, hints, _, rng = case
    renamed = [rng.permutation(10)[labels] for labels in rng.permutation(labelings)]
    assert list(choose(labelings, hints, 5, kind=kind)) == list(choose(renamed, hints, 5, kind=kind))


@given(labelings_and_hints(), st.integers(0, 29))
def test_rows_that_may_not_be_asked_about_are_not(case, row):
    labelings, hints, _, _ = case
    among = np.arange(hints.n_samples) != row
    assert all(row not in question.rows for question in choose(labelings, hints, 8, among=among))


TOLD = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.integers(6, 9),
        st.sampled_from(["same", "different", "can't say"]),
        st.floats(0, 1),
        st.sampled_from(["doubt", "check", "lot"]),
    ),
    max_size=12,
)


@given(TOLD)
def test_believed_answers_do_not_contradict_each_other(told):
    answers = Answers(
        [
            Answer((i, j), said, chance=chance, why=why, screen=screen)
            for screen, (i, j, said, chance, why) in enumerate(told)
        ],
        10,
    )
    assert not answers.constraints.conflicts()
    again = Answers(list(answers), 10)  # judged again, nothing changes
    assert [(one.rows, one.said, one.status) for one in again] == [(one.rows, one.said, one.status) for one in answers]
    assert all((answer.status == "can't say") == (answer.said == "can't say") for answer in answers)


@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda two: two[0] != two[1]), max_size=4),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda two: two[0] != two[1]), max_size=4),
    st.lists(st.integers(-1, 2), min_size=8, max_size=8),
    st.sampled_from([{}, {"different_across": True}, {"same_within": False, "different_within": True}]),
    st.permutations(range(8)).map(lambda rows: rows[:6]),
)
def test_what_is_known_of_some_rows_is_the_closure(must, cannot, codes, meaning, rows):
    hints = Constraints(8, must, cannot, partitions=[Partition(codes, **meaning)]).drop_conflicts()[0]
    written = hints.expand(closed=True)
    same = {frozenset(pair) for pair in written.must_link.tolist()}
    different = {frozenset(pair) for pair in written.cannot_link.tolist()}
    known = Known.of(hints, np.array(rows))
    for i, j in combinations(range(6), 2):
        pair = frozenset((rows[i], rows[j]))
        assert known.relation(i, j) == (pair in same) - (pair in different)


SAID = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([-1.2, -1.0, 1.0, 1.2])).filter(
        lambda one: one[0] != one[1]
    ),
    max_size=14,
)


@given(SAID)
def test_those_who_are_outvoted_are_few(said):
    refuted = set(outvoted(said))
    kept = [one for place, one in enumerate(said) if place not in refuted]
    hints = Constraints(6, [one[:2] for one in kept if one[2] > 0], [one[:2] for one in kept if one[2] < 0])
    assert not hints.conflicts()
    if not Constraints(6, [one[:2] for one in said if one[2] > 0], [one[:2] for one in said if one[2] < 0]).conflicts():
        assert not refuted
    best = max(
        sum(abs(weight) for i, j, weight in said if (weight > 0) == (groups[i] == groups[j]))
        for groups in product(range(3), repeat=6)
    )
    assert sum(abs(weight) for _, _, weight in kept) >= 0.75 * best - 1e-9


@pytest.mark.parametrize("count", [9, 14, 25])
@pytest.mark.parametrize("kind", ["pair", "piles"])
def test_saved_and_resumed_is_never_stopped(count, kind, tmp_path):
    dialogue = Dialogue(X, 3, questions=kind, size=4)
    while len(dialogue.answers) < count:
        question = dialogue.question
        dialogue.answer(reply(question.rows) if question.kind == "pair" else Y[list(question.rows)].tolist())
    again = Dialogue(X, 3, questions=kind, size=4, path=dialogue.save(tmp_path / "answers.jsonl"))
    assert again.constraints == dialogue.constraints
    for _ in range(4):
        mine, theirs = dialogue.question, again.question
        assert (mine.rows, mine.why, mine.pairs) == (theirs.rows, theirs.why, theirs.pairs)
        np.testing.assert_allclose(mine.chances, theirs.chances, atol=1e-3)  # of files they have four digits
        for each in (dialogue, again):
            each.answer(reply(mine.rows) if mine.kind == "pair" else Y[list(mine.rows)].tolist())


def test_update_does_not_change_what_is_asked():
    one, other = Dialogue(X, 3), Dialogue(X, 3)
    for _ in range(14):
        assert one.question == other.question
        one.answer(reply(one.question.rows))
        other.answer(reply(other.question.rows))
        other.update()
    assert other.model.constraints_ == other.constraints


def test_nobody_waits_for_a_fit(monkeypatch):
    dialogue = Dialogue(X, 3, background=True)
    may_learn, begun = Event(), Event()
    learn = dialogue._make_stage

    def slowly(*args):
        begun.set()
        assert may_learn.wait(60)
        return learn(*args)

    for _ in range(2):
        dialogue.answer(reply(dialogue.question.rows))
    monkeypatch.setattr(dialogue, "_make_stage", slowly)
    while len(dialogue.answers) < 16:  # questions go on while it learns
        dialogue.answer(reply(dialogue.question.rows))
    assert begun.is_set()
    assert dialogue.model.constraints_.is_empty
    may_learn.set()
    dialogue.wait()
    assert dialogue.question is not None
    assert 10 <= len(dialogue.model.answers_) <= 16
    for _ in range(8):
        dialogue.undo()
    assert dialogue.question is not None
    assert not dialogue.model.constraints_.n_must_link  # what it had learned from was taken back


def test_errors_of_learning_in_the_background_are_told(monkeypatch):
    dialogue = Dialogue(X, 3, background=True)
    dialogue.answer(reply(dialogue.question.rows))

    def fail(*_):
        raise RuntimeError("no memory")

    while len(dialogue.answers) < 9:
        dialogue.answer(reply(dialogue.question.rows))
    monkeypatch.setattr(dialogue, "_make_stage", fail)

    def go_on():
        for _ in range(9):
            dialogue.answer(reply(dialogue.question.rows))
            dialogue.wait()

    with pytest.raises(RuntimeError, match="no memory"):
        go_on()
