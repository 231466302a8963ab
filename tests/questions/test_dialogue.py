"""Dialogues with a simulated person: laws of what is asked, files, undo, and what the answers are worth."""

from copy import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

from likewise import Constraints, Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.questions import Answer, Answers, Dialogue
from likewise.questions._committee import Committee
from likewise.questions._dialogue import states_of
from likewise.questions._known import Known

X, Y = load_iris(return_X_y=True)


def reply(pair, y=Y, wrong=0.0, seed=0):
    """What a person says of two rows, who is wrong about the same pairs each time."""
    i, j = sorted(pair)
    errs = np.random.default_rng([seed, i, j]).random() < wrong
    return "same" if bool(y[i] == y[j]) != bool(errs) else "different"


def converse(dialogue, count, y=Y, **person):
    while dialogue.answers.n_screens < count and dialogue.question is not None:
        dialogue.answer(reply(dialogue.question.rows, y, **person))
    return dialogue


def state(dialogue):
    told = [(one.rows, one.said, one.status, one.chance) for one in dialogue.answers]
    return told, dialogue.constraints, dialogue.question, dialogue.model.labels_.tolist()


@pytest.fixture(scope="module")
def after_24():
    """24 answers, a tenth of which is wrong, with two fits on the way; what was asked, and the state before each."""
    dialogue = Dialogue(X, 3)
    states = []
    while len(dialogue.answers) < 24:
        states.append(state(dialogue))
        dialogue.answer(reply(dialogue.question.rows, wrong=0.1))
    return dialogue, states


def test_what_is_asked_does_not_follow_from_answers(after_24):
    dialogue, states = after_24
    asked = set()
    for number, (_, _, question, _) in enumerate(states):
        before, why = list(dialogue.answers[:number]), question.why
        if question.why == "check":  # asks for an answer again, so without that one
            last = max(place for place, one in enumerate(before) if one.why != "check")
            why, before = before[last].why, before[:last]
        known = Known.of(Answers(before, 150).constraints, np.arange(150))
        if why != "excess":
            assert known.relation(*question.rows) == 0, question
        assert frozenset(question.rows) not in asked
        asked.add(frozenset(question.rows))


def test_the_same_answers_lead_to_the_same_state(after_24):
    dialogue, _ = after_24
    again = Dialogue(X, 3)
    for one in dialogue.answers:
        assert again.question.rows == one.rows
        again.answer(one.said)
    assert state(again) == state(dialogue)


def test_undo_restores_what_was_before_also_across_fits(after_24):
    dialogue, states = after_24
    said = [one.said for one in dialogue.answers]
    for number in (23, 22, 21, 20, 19, 18):
        dialogue.undo()
        assert state(dialogue) == states[number]
    for number in range(18, 24):
        dialogue.answer(said[number])
    assert len(dialogue.answers) == 24


def test_a_surprising_answer_is_asked_for_again_and_the_majority_counts(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("left,right,kind,chance,votes,why,screen\n0,1,different,.78,.78,doubt,0\n")
    dialogue = Dialogue(X, 3, path=path)
    for _ in range(2):
        assert dialogue.question.why == "check"
        assert dialogue.question.rows[0] == 0
        dialogue.answer("same")
    assert [one.status for one in dialogue.answers] == ["refuted", "confirmed", "confirmed"]
    assert dialogue.question.why != "check"
    assert dialogue.answers.constraints.n_cannot_link == 0
    dialogue.undo()
    dialogue.undo()
    dialogue.answer("different")
    assert [one.status for one in dialogue.answers] == ["confirmed", "confirmed"]


@pytest.mark.parametrize(("chance", "asked_again"), [(0.6, 0), (0.78, 2), (0.95, 1)])
def test_the_more_an_answer_surprises_the_sooner_it_is_refuted(chance, asked_again, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(f"left,right,kind,chance,votes,why,screen\n0,1,different,{chance},{chance},doubt,0\n")
    dialogue, checks = Dialogue(X, 3, path=path), 0
    while dialogue.question.why == "check":
        dialogue.answer("same")
        checks += 1
    assert checks == asked_again


def test_every_answer_is_on_disk_and_a_dialogue_goes_on_where_it_was(tmp_path):
    path = tmp_path / "answers.csv"
    ids = [f"flower {row}" for row in range(150)]
    dialogue = Dialogue(X, 3, path=path, ids=ids)
    for count in range(1, 8):
        dialogue.answer(None if count == 3 else reply(dialogue.question.rows))
        assert len(path.read_text().splitlines()) == count + 1
    again = Dialogue(X, 3, path=path, ids=ids)
    assert [(one.rows, one.said, one.status, one.why) for one in again.answers] == [
        (one.rows, one.said, one.status, one.why) for one in dialogue.answers
    ]
    assert again.constraints == dialogue.constraints
    assert frozenset(again.question.rows) not in {frozenset(one.rows) for one in again.answers}
    assert Constraints.read(path, ids=ids) == dialogue.answers.constraints  # it is a file of hints
    read = Answers.read(path, 150, ids=ids)
    assert states_of(read) == [one for one in states_of(dialogue.answers) if one[1] != "can't say"]
    assert read.error_rate == dialogue.answers.error_rate
    again.undo()
    assert len(path.read_text().splitlines()) == 7


@pytest.mark.parametrize("name", ["hints.csv", "hints.json"])
def test_hints_that_nobody_was_asked_for_are_no_answers(tmp_path, name):
    Constraints(150, [(0, 2)], [(0, 60)]).write(tmp_path / name)
    with pytest.raises(ValueError, match=rf"{name} has no column of chances.*Read it by Constraints.read"):
        Answers.read(tmp_path / name, 150)


def test_a_dialogue_learns_as_from_its_file(tmp_path):
    path = tmp_path / "answers.csv"
    dialogue = Dialogue(X, 3, path=path)
    for _ in range(30):
        dialogue.answer(reply(dialogue.question.rows))
    read = Likewise(3, random_state=0).fit(X, constraints=Answers.read(path, 150))
    assert read._consensus.evidence.chosen
    assert dialogue.update()._consensus.evidence.chosen


def test_questions_are_chosen_by_what_was_learned_even_if_it_has_little_weight(after_24):
    model = copy(after_24[0].update())
    cautious = replace(model._consensus.evidence, chosen=True, gain=3.0, error=1.0, lead=-1.0)
    plain = replace(cautious, chosen=False)
    assert cautious.faded_weights() != plain.faded_weights()
    weights = []
    for evidence in (cautious, plain):
        model._consensus = replace(model._consensus, evidence=evidence)
        weights.append(Committee.of_model(model).weights)
    np.testing.assert_array_equal(*weights)


def test_refuted_answers_are_no_hints_but_are_kept(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(
        "left,right,kind,chance,votes,why,screen\n0,1,refuted different,.9,.9,doubt,0\n"
        "0,2,same,.9,.9,check,1\n0,3,same,.9,.9,check,2\n60,3,can't say,.1,.1,doubt,3\n"
    )
    assert Constraints.read(path, n_samples=150) == Constraints(150, [(0, 2), (0, 3)])
    dialogue = Dialogue(X, 3, path=path)
    assert [one.status for one in dialogue.answers] == ["refuted", "confirmed", "confirmed", "can't say"]
    assert dialogue.answers[0].said == "different"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0,500,same", r"line 3: row 500 is outside the rows, 0 to 149"),
        ("3,0,different", r"line 3 says 'different' for 3 and 0, but line 2 says 'same'"),
        ("4,5,sma", r"line 3: 'sma' is not an answer. Write same"),
        ("4,4,same", r"line 3: 4 is compared with itself"),
    ],
)
def test_wrong_files_are_refused_by_line(line, message, tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(f"left,right,kind\n0,3,same\n{line}\n")
    with pytest.raises(ValueError, match=message):
        Dialogue(X, 3, path=path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"path": "answers.json"}, "answers must be in a .csv, .tsv or .jsonl file"),
        ({"path": "missing/answers.csv"}, "there is no folder .*missing. Create it first"),
        ({"ids": ["a"] * 150}, r"ids\[0\] and ids\[1\] are both 'a'"),
        ({"ids": ["a", "b"]}, "ids has 2 entries, but there are 150 rows"),
        ({"questions": "pairs"}, "questions='pairs' is not known"),
        ({"size": 7}, "three to six rows"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"nclusters": 3}, "Did you mean 'n_clusters'"),
    ],
)
def test_what_would_fail_later_is_refused_at_once(given, message, tmp_path):
    if "path" in given:
        given = {"path": tmp_path / given["path"]}
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=message):
        Dialogue(X, 3, **given)


def test_a_dialogue_ends_when_nothing_is_open():
    rows = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    dialogue = converse(Dialogue(rows, 2), 50, y=np.array([0, 0, 0, 1, 1, 1]))
    assert dialogue.question is None
    assert dialogue.done
    assert sorted(map(sorted, dialogue.groups)) == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="no more questions"):
        dialogue.answer("same")
    with pytest.raises(ValueError, match="no answer to undo"):
        Dialogue(rows, 2).undo()


def test_nobody_can_tell():
    dialogue = Dialogue(X[::5], 3)
    asked = set()
    for _ in range(30):
        asked.add(frozenset(dialogue.question.rows))
        dialogue.answer("?")
    assert len(asked) == 30
    assert dialogue.predicted_share is None
    assert dialogue.constraints.is_empty


@pytest.mark.parametrize("questions", ["choice", "piles"])
def test_choices_and_piles(questions):
    dialogue = Dialogue(X, 3, questions=questions)
    for _ in range(8):
        question = dialogue.question
        if question.kind == "piles":
            assert 3 <= len(question.rows) <= 6
            dialogue.answer(Y[list(question.rows)].tolist())
        elif question.kind == "choice":
            dialogue.answer([1 + place for place, pair in enumerate(question.pairs) if reply(pair) == "same"] or 0)
        else:
            dialogue.answer(reply(question.rows))
    told = dialogue.answers.constraints
    assert all(Y[i] == Y[j] for i, j in told.must_link)
    assert all(Y[i] != Y[j] for i, j in told.cannot_link)
    assert dialogue.answers.n_screens == 8
    assert len(dialogue.answers) > 8
    assert len(dialogue.undo()) >= 1
    assert dialogue.answers.n_screens == 7


def test_only_rows_among_are_asked_about():
    even = np.arange(150) % 2 == 0
    dialogue = converse(Dialogue(X, 3, among=even), 12)
    assert all(even[list(one.rows)].all() for one in dialogue.answers)


def test_when_to_stop():
    dialogue = Dialogue(X, 3)
    while not dialogue.done:
        dialogue.answer(reply(dialogue.question.rows))
    assert 25 <= len(dialogue.answers) < 90
    assert dialogue.predicted_share >= 0.96
    assert dialogue.expected_gain == 0.01
    assert normalized_mutual_information(Y, dialogue.update().labels_) > 0.95


def random_pairs(n, count, y, seed, **person):
    rng = np.random.default_rng(seed)
    pairs = [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(count)]
    said = [reply(pair, y, **person) for pair in pairs]
    same = [pair for pair, word in zip(pairs, said, strict=True) if word == "same"]
    return Constraints(n, same, [pair for pair, word in zip(pairs, said, strict=True) if word != "same"])


@pytest.mark.parametrize(("wrong", "count", "ahead"), [(0.0, 50, 0.04), (0.1, 100, 0.0)])
def test_chosen_questions_teach_more_than_random_ones(wrong, count, ahead):
    """As many answers each, on average over three data sets; with a tenth of them wrong they are not worse."""
    rows = np.random.default_rng(0).permutation(1797)[:300]
    digits, classes = (part[rows] for part in load_digits(return_X_y=True))
    gains = []
    for data, y in (load_wine(return_X_y=True), (X, Y), (digits, classes)):
        k = len(np.unique(y))
        dialogue = converse(Dialogue(data, k), count, y, wrong=wrong)
        hints = random_pairs(len(y), count, y, seed=1, wrong=wrong)
        labels = [
            Likewise(k, random_state=0, verbose=False).fit(data, constraints=given).labels_
            for given in (dialogue.constraints, hints)
        ]
        gains.append(np.subtract(*(normalized_mutual_information(y, found) for found in labels)))
    assert np.mean(gains) > ahead


def test_clusters_keep_the_numbers_of_the_last_fit():
    dialogue = converse(Dialogue(X, 3), 10)
    last = dialogue.update()
    last.labels_ = before = (last.labels_ + 1) % 3  # as if they had been numbered so
    converse(dialogue, 20)  # answers have doubled: members learn anew from the first fit on
    assert (dialogue.update().labels_ == before).mean() > 0.8


def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(tmp_path):
    one, other = (Dialogue(X, 3, path=tmp_path / "a.csv") for _ in range(2))
    one.answer("same")
    one.answer("different")
    written = (tmp_path / "a.csv").read_bytes()
    with pytest.raises(OSError, match=r"a\.csv was changed by another program .* Run the same command or call again"):
        other.answer("different")
    assert (tmp_path / "a.csv").read_bytes() == written
    assert not other.answers


def test_lines_that_a_spreadsheet_sorted_are_in_order_again(tmp_path):
    path = tmp_path / "a.csv"
    first = converse(Dialogue(X, 3, path=path), 8)
    pd.read_csv(path).sort_values(["kind", "left"]).to_csv(path, index=False)
    again = Dialogue(X, 3, path=path)
    told = [(one.rows, one.said, one.status, one.screen) for one in first.answers]
    assert [(one.rows, one.said, one.status, one.screen) for one in again.answers] == told
    rows = again.question.rows
    again.answer(reply(rows))
    assert [one.rows for one in again.undo()] == [rows]
    assert len(again.answers) == 8


@pytest.mark.parametrize("kind", ["pair", "choice", "piles"])
def test_after_undo_the_same_question_is_asked_also_while_learning(kind):
    dialogue = Dialogue(X, 3, questions=kind, size=4, background=True)
    for _ in range(6):
        asked = dialogue.question
        dialogue.answer(by_classes(asked))
        assert dialogue.question is not asked
        dialogue.wait()
        dialogue.undo()
        assert dialogue.question is asked
        dialogue.answer(by_classes(asked))


def by_classes(question):
    """The answer to a question of any kind."""
    if question.kind == "pair":
        return reply(question.rows)
    if question.kind == "piles":
        return [int(Y[row]) for row in question.rows]
    row, *others = question.rows
    return [place for place, other in enumerate(others, 1) if Y[row] == Y[other]] or [0]


def test_a_file_that_is_gone_is_written_again(tmp_path):
    path = tmp_path / "a.csv"
    dialogue = converse(Dialogue(X, 3, path=path), 3)
    path.unlink()
    converse(dialogue, 4)
    assert len(Answers.read(path, 150)) == 4


def test_columns_that_somebody_added_are_not_lost(tmp_path):
    path = tmp_path / "a.csv"
    converse(Dialogue(X, 3, path=path), 2)
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},comment", *(f"{line},hm" for line in lines)]))
    with pytest.raises(ValueError, match=r"a\.csv has other columns than a file of answers: 'comment'\. They would be"):
        Dialogue(X, 3, path=path)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
@pytest.mark.parametrize("ids", [np.arange(1000, 1150), pd.Series(range(1000, 1150), index=range(149, -1, -1))])
def test_ids_may_be_numbers_in_an_array_or_a_column(suffix, ids, tmp_path):
    path = tmp_path / f"a.{suffix}"
    first = converse(Dialogue(X, 3, path=path, ids=ids), 3)
    again = Dialogue(X, 3, path=path, ids=ids)
    assert [one.rows for one in again.answers] == [one.rows for one in first.answers]
    assert str(1000 + first.answers[0].rows[0]) in path.read_text()


def test_a_surprise_about_a_group_of_one_row_is_checked_by_a_row_like_it():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    dialogue = Dialogue(rng.normal(size=(40, 2)) + 20 * y[:, None], 2)
    row, seed = dialogue.question.rows
    dialogue.answer(reply((row, seed), y, wrong=1.0))  # a slip: nothing else is known of either
    check = dialogue.question
    assert check.why == "check"
    assert check.rows[0] == row
    assert check.rows[1] != seed
    assert y[check.rows[1]] == y[seed]
    dialogue.answer(reply(check.rows, y))
    assert [one.status for one in dialogue.answers] == ["refuted", "open"]


def test_an_answer_against_all_odds_needs_more_than_a_majority():
    said = ["different", "same", "different"]
    for chance, status in ((0.98, "refuted"), (0.7, "confirmed")):
        told = [Answer((0, row), word, chance=chance, why="check" if row > 1 else "doubt", screen=row)
                for row, word in enumerate(said, 1)]  # fmt: skip
        assert Answers(told, 5)[0].status == status


def test_more_checks_where_answers_were_refuted():
    right = [Answer((0, row), "same", chance=0.9, screen=row) for row in range(1, 21)]
    doubtful = Answer((0, 30), "different", chance=0.55, screen=30)
    assert not Answers([*right, doubtful], 50).is_surprising(20)
    slips = [Answer((0, 40), "different", chance=0.9, screen=40), Answer((0, 41), "same", why="check", screen=41)]
    answers = Answers([*slips, *right, doubtful], 50)
    assert [one.status for one in answers[:2]] == ["refuted", "open"]
    assert answers.noisy
    assert answers.is_surprising(22)


def test_answers_that_look_wrong_come_first():
    places = []
    for seed in range(4):
        dialogue = converse(Dialogue(X, 3, random_state=seed), 40, wrong=0.1, seed=seed)
        wrong = [(Y[i] == Y[j]) != (one.kind == "must-link") for one in dialogue.suspects for i, j in [one.rows]]
        assert len(wrong) == len(dialogue.answers) == 40
        assert any(wrong)
        places.append(np.mean(np.flatnonzero(wrong)))
    assert np.mean(places) < 0.3 * 40


def two_classes(**params):
    y = np.repeat([0, 1], 20)
    return Dialogue(np.random.default_rng(0).normal(size=(40, 2)) + 20 * y[:, None], 2, **params), y


def test_where_more_groups_are_apart_than_there_are_clusters_they_are_asked_about_again(tmp_path):
    path = tmp_path / "answers.csv"
    same = [(0, 1), (0, 2), (0, 3), (5, 6), (5, 7), (5, 8), (20, 21), (20, 22)]
    different = [(0, 5), (0, 20), (5, 20)]  # the first is wrong
    lines = [f"{i},{j},{said}" for said, pairs in (("same", same), ("different", different)) for i, j in pairs]
    path.write_text("\n".join(["left,right,kind", *lines]) + "\n")
    dialogue, y = two_classes(path=path)
    assert dialogue.answers.constraints.n_cannot_link == 3
    assert dialogue.constraints.n_cannot_link == 2  # one of them must be wrong
    assert dialogue.question.why == "excess"
    for _ in range(8):
        dialogue.answer(reply(dialogue.question.rows, y))
    assert dialogue.answers[8].rows == (0, 5)
    assert dialogue.answers[8].status == "refuted"
    assert len(dialogue.groups) == 2
    again, _ = two_classes(path=path)  # no pair was answered in two ways
    assert [one.status for one in again.answers] == [one.status for one in dialogue.answers]


def test_where_answers_were_wrong_places_that_hang_on_one_answer_are_asked_about_again(tmp_path):
    path = tmp_path / "answers.csv"
    lines = [f"0,{row},same" for row in range(1, 20)] + [f"20,{row},same" for row in range(21, 39)]
    lines += ["39,0,same", "0,20,different", "1,21,same", "2,22,same"]  # 39 is wrong, the last two are outvoted
    lines += ["1,22,different", "2,21,different", "1,23,different", "2,24,different"]
    path.write_text("\n".join(["left,right,kind", *lines]) + "\n")
    dialogue, y = two_classes(path=path)
    assert [one.rows for one in dialogue.answers if one.status == "refuted"] == [(1, 21), (2, 22)]
    assert dialogue.question.why == "again"
    assert 39 in dialogue.question.rows  # clusterings that did not see the answer are against it
    while (question := dialogue.question) is not None:
        dialogue.answer(reply(question.rows, y))
    assert next(one for one in dialogue.answers if one.rows == (39, 0)).status == "refuted"
    assert sorted(map(sorted, dialogue.groups)) == [list(range(20)), list(range(20, 40))]
