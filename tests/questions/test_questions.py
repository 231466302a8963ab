"""Questions at once, their tables, and answers of every spelling."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_iris, load_wine

from likewise import DSP, GCDR, Comparisons, Constraints, Costco, Likewise, Preference
from likewise.questions import Answer, Answers, Question, choose, refit_labelings
from likewise.questions._choose import make_chooser
from likewise.questions._chooser import PLACING
from likewise.questions._committee import Calibration, Committee
from likewise.questions._files import read_asked
from likewise.questions._known import Known

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def model():
    hints = Constraints.sample(Y, "equal", 10, random_state=0)
    return Likewise(3, random_state=0, verbose=False).fit(X, constraints=hints)


@pytest.fixture(scope="module")
def questions(model):
    return model.ask(12)


def n_components(pairs, groups):
    rows, columns = groups[np.array(pairs)].T
    size = groups.max() + 1
    return connected_components(coo_array((np.ones(len(rows)), (rows, columns)), (size, size)), directed=False)[0]


@pytest.mark.parametrize("kind", ["pair", "choice"])
@pytest.mark.parametrize("hinted", [False, True])
def test_no_question_of_a_batch_follows_from_the_answers_to_others(kind, hinted, model):
    asked = (model if hinted else Likewise(3, random_state=0, verbose=False).fit(X)).ask(12, kind=kind)
    assert len(asked) == 12
    groups = (model.constraints_ if hinted else Constraints(150)).groups()
    closed = Known.of(model.constraints_, np.arange(150)) if hinted else None
    pairs = [pair for question in asked for pair in question.pairs]
    if closed is not None:
        assert all(closed.relation(*pair) == 0 for pair in pairs)
    if kind == "pair":  # without a cycle of questions, no answer follows from others
        assert n_components(pairs, groups) == groups.max() + 1 - len(pairs)
    rows = [question.rows[0] for question in asked if question.why != "groups"]
    assert len(set(rows)) == len(rows)


def test_piles_are_rows_that_nothing_is_known_of(model):
    closed = Known.of(model.constraints_, np.arange(150))
    for size in (3, 6):
        for question in model.ask(4, kind="piles", size=size):
            assert len(question.rows) == size
            assert all(closed.relation(*pair) == 0 for pair in combinations(question.rows, 2))


def test_typical_rows_are_shown_not_the_nearest(model, questions):
    """Rows that are compared are mostly apart: a near row would teach nothing."""
    near = np.argsort(((X[:, None] - X[None]) ** 2).sum(-1), axis=1)[:, 1]
    assert np.mean([near[i] == j for i, j in (question.rows for question in questions)]) < 0.3


def test_answers_teach_the_model(model, questions):
    said = ["same" if Y[i] == Y[j] else "different" for i, j in (question.rows for question in questions)]
    said[3] = None
    answers = questions.answered(said)
    assert answers.constraints.n_must_link + answers.constraints.n_cannot_link == 11
    assert [one.said for one in answers][3] == "can't say"
    before = model.constraints_
    again = Likewise(3, random_state=0, verbose=False).fit(X, constraints=before).add_constraints(answers)
    assert again.constraints_ == before | answers.constraints
    more = again.ask(20, answers=answers)
    asked = {frozenset(question.rows) for question in questions}
    assert not asked & {frozenset(question.rows) for question in more}


def test_what_nobody_could_tell_is_not_asked_again():
    model = Likewise(3, random_state=0, verbose=False).fit(X)
    asked = set()
    for _ in range(3):
        questions = model.ask(4)
        pairs = {frozenset(question.rows) for question in questions}
        assert len(pairs) == 4
        assert not pairs & asked
        asked |= pairs
        model.add_constraints(questions.answered([None] * 4))
    assert len(model.answers_) == 12


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_sheet_can_be_filled_in_and_read(backend, questions, tmp_path):
    ids = [f"f{row}" for row in range(150)]
    frame = questions.to_frame(ids=ids, backend=backend)
    kinds = ["yes", "NO", "", "?", "1", "gleich", "verschieden", "WAHR", "faux", "sí", "must-link", ""]
    filled = pd.DataFrame({name: list(frame[name]) for name in frame.columns}).assign(kind=kinds)[::-1]
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + filled[filled.columns[::-1]].to_csv(index=False, sep=";").encode())
    wanted = ["same", "different", "can't say", "same", "same", "different", "same", "different", "same", "same"]
    for given in (questions.answered(path, ids=ids), questions.answered(filled, ids=ids)):
        assert [one.said for one in given] == wanted
        assert not any(np.isnan(one.chance) for one in given)
    with pytest.warns(UserWarning, match="2 of 12 lines say neither same nor different"):
        assert Constraints.read(path, ids=ids) == given.constraints


@pytest.mark.parametrize("first", ["fit", "set", "add"])
def test_what_is_no_answer_is_not_kept_as_one(first):
    compared, preferred = Comparisons(150, nearer=[(0, 1, 60)]), Preference(Y, np.arange(150) % 2)
    model = Likewise(3, random_state=0, verbose=False).fit(X, constraints=compared if first == "fit" else None)
    if first != "fit":
        getattr(model, f"{first}_constraints")(compared)
    assert model.answers_ is None
    answers = model.ask(2).answered(["same", "different"])
    model.add_constraints(preferred).add_constraints(answers)
    assert len(model.answers_) == 2
    assert model.constraints_ == compared | preferred | answers.constraints


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Answer((0, 1), "sme"), "said='sme' must be 'same', 'different' or \"can't say\""),
        (lambda: Answers([Answer((0, 1), "same"), Answer((9, 0), "same")], 5), "answers[1] is about rows (9, 0)"),
        (lambda: Answers([Answer((-1, 0), "same")], 5), "answers[0] is about rows (-1, 0), outside the 5 rows"),
        (lambda: Answers([], 3) + Answers([], 4), "cannot join answers for 3 rows with answers for 4"),
        (
            lambda: Answers([], 3).with_constraints(Constraints(4)),
            "about 3 rows, but the constraints are for 4",
        ),
        (lambda: Answers([], 3).with_constraints([(0, 1)]), "constraints is a list"),
    ],
)
def test_answers_that_cannot_be(make, message):
    with pytest.raises((TypeError, ValueError)) as raised:
        make()
    assert message in str(raised.value)


def test_answers_by_pairs(questions):
    i, j = questions[2].rows
    (answer,) = questions.answered({(j, i): True})
    assert (answer.rows, answer.said, answer.chance) == ((i, j), "same", questions[2].chance)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["same"], "1 answers to 12 questions"),
        (["perhaps"] * 12, "'perhaps' is not an answer to whether rows"),
        ({(0, 0): "same"}, "there is no question about"),
        ({0: "same"}, r"0 is not a pair of rows. Write a dict as \{\(0, 3\): 'same'\}"),
        ({(0, 1, 2): "same"}, r"\(0, 1, 2\) is not a pair of rows"),
        ({"left": [0], "right": [149], "kind": ["same"]}, "answers, row 0: there is no question about rows 0 and 149"),
        ({"left": [0], "right": [900], "kind": ["same"]}, "row 900 is outside the rows, 0 to 149"),
        ({"left": [0], "right": [1]}, "answers need three columns"),
    ],
)
def test_wrong_answers_are_refused(given, message, questions):
    with pytest.raises(ValueError, match=message):
        questions.answered(given)


def test_a_line_that_nobody_filled_in_need_not_name_rows_that_are_there(questions, tmp_path):
    (i, j), (k, _) = questions[0].rows, questions[1].rows
    path = tmp_path / "sheet.csv"
    path.write_text(f"left,right,kind\n{i},{j},same\n{k},gone,\n,,\n")
    assert [one.rows for one in questions.answered(path)] == [(i, j)]
    with pytest.warns(UserWarning, match="1 of 2 lines say neither same nor different"):
        assert Constraints.read(path, n_samples=150) == Constraints(150, [(i, j)])


def test_an_answer_twice_with_another_word(questions):
    i, j = questions[0].rows
    with pytest.raises(ValueError, match=r"row 1 says 'different' for .* but row 0 says 'same'"):
        questions.answered({"left": [i, j], "right": [j, i], "kind": ["same", "no"]})


@pytest.mark.parametrize(
    ("kind", "answer", "said"),
    [
        ("choice", 2, ["different", "same", "different"]),
        ("choice", "1,3", ["same", "different", "same"]),
        ("choice", "3 ; 1", ["same", "different", "same"]),
        ("choice", [2.0, np.int64(3)], ["different", "same", "same"]),
        ("choice", "none", ["different"] * 3),
        ("choice", None, ["can't say"] * 3),
        ("piles", "abb", ["different", "different", "same"]),
        ("piles", [1, None, 1], ["can't say", "same", "can't say"]),
        ("piles", "?", ["can't say"] * 3),
        ("piles", None, ["can't say"] * 3),
        ("piles", "A, b a", ["different", "same", "different"]),
        ("piles", np.array([4, 4, 1]), ["same", "different", "different"]),
    ],
)
def test_choices_and_piles_are_read(kind, answer, said):
    rows = (5, 6, 7, 8) if kind == "choice" else (5, 6, 7)
    pairs = tuple((5, row) for row in rows[1:]) if kind == "choice" else tuple(combinations(rows, 2))
    question = Question(kind, rows, pairs, (0.5,) * 3, (0.5,) * 3, "doubt")
    assert list(question.read(answer)) == said


WRONG_CHOICES = [
    *(
        ("choice", answer)
        for answer in (7, -1, "-1", 1.5, "1.5", True, "x", "x1", "1st", "2" * 5000, [0, 1], [None], [])
    ),
    *(("piles", answer) for answer in ("ab", 5, [1, 2], [])),
]


@pytest.mark.parametrize(("kind", "answer"), WRONG_CHOICES)
def test_wrong_choices_and_piles(kind, answer):
    question = Question(kind, (5, 6, 7), ((5, 6), (5, 7)), (0.5,) * 2, (0.5,) * 2, "doubt")
    with pytest.raises(ValueError, match="Write"):
        question.read(answer)


def test_tables_for_people(questions, model):
    assert repr(questions).splitlines()[0].split() == ["question", "rows", "chance", "of", "same", "why"]
    assert questions._repr_html_().count("<tr>") == 13
    answers = questions.answered([None] * 12)
    assert "can't say" in repr(answers)
    assert answers._repr_html_().count("<tr>") == 13
    assert answers.to_frame(backend="pandas").columns.tolist()[:3] == ["left", "right", "kind"]
    assert len(model.ask(0)) == 0
    assert repr(model.ask(0)) == "no questions"


def test_the_share_of_predicted_answers():
    said = [Answer((0, row), "same", chance=0.9, screen=row) for row in range(1, 26)]
    assert Answers(said, 30).enough
    said[4] = Answer((0, 5), "different", chance=0.9, screen=5)
    said += [Answer((0, 29), "different", chance=0.9, screen=5, why="check")]  # asks for that one again
    assert Answers(said, 30).enough
    said[7] = Answer((0, 8), "different", chance=0.9, screen=8)
    answers = Answers(said, 30)
    assert not answers.enough
    assert answers.predicted_share == 23 / 25
    assert Answers(said[:10], 30).expected_gain is None
    assert Answers([], 30).predicted_share is None


@pytest.mark.parametrize(
    ("n_predicted", "words"),
    [
        (17, "17 of the last 25 answers were predicted: more answers would gain about 0.14 of NMI"),
        (18, "more answers would gain about 0.11 of NMI"),
        (21, "more answers would gain about 0.03 of NMI"),
        (22, "22 of the last 25 answers were predicted: more answers would change little."),
        (25, "25 of the last 25 answers were predicted: more answers would change little."),
    ],
)
def test_what_more_answers_would_gain(n_predicted, words):
    said = ["same"] * n_predicted + ["different"] * (25 - n_predicted)
    answers = Answers([Answer((0, row), word, chance=0.9, screen=row) for row, word in enumerate(said, 1)], 30)
    assert words in answers.outlook


@pytest.mark.parametrize(("n_same", "enough"), [(4, False), (5, True)])
def test_predicting_different_for_all_is_no_reason_to_stop(n_same, enough):
    said = ["same"] * n_same + ["different"] * (25 - n_same)
    chances = [0.9 if word == "same" else 0.1 for word in said]
    asked = enumerate(zip(said, chances, strict=True), 1)
    answers = Answers([Answer((0, row), word, chance=chance, screen=row) for row, (word, chance) in asked], 30)
    assert answers.predicted_share == 1
    assert answers.enough == enough
    assert answers.expected_gain == (0.01 if enough else 0.11)
    assert ('predicted, and hardly any was "same": more answers would gain' in answers.outlook) != enough


def test_checks_are_no_predictions_of_their_own():
    said = [Answer((0, 1), "same", chance=0.9), Answer((0, 2), "different", chance=0.8, screen=1)]
    checks = [Answer((0, row), "different", chance=0.8, why="check", screen=row - 1) for row in (3, 4)]
    assert Answers([*said, *checks], 9).last_predictions == [True, False]


def test_of_several_pairs_the_least_likely_one_is_checked():
    said = [Answer((0, row), "same", chance=chance) for row, chance in ((1, 0.9), (2, 0.1), (3, 0.5))]
    checks = [Answer((0, row), "different", why="check", screen=row) for row in (4, 5)]
    answers = Answers([*said, *checks], 9)
    assert [one.status for one in answers] == ["open", "refuted", "open", "confirmed", "confirmed"]


def test_added_answers_are_to_other_questions():
    first = Answers([Answer((0, 1), "same", screen=0), Answer((0, 2), "same", screen=3)], 9)
    more = Answers([Answer((4, 5), "same", screen=0), Answer((4, 6), "different", screen=0)], 9)
    assert [one.screen for one in first + more] == [0, 3, 4, 4]
    assert (first + more).n_screens == 3
    assert (Answers([], 9) + more).n_screens == 1


def test_labelings_from_anywhere():
    rng = np.random.default_rng(0)
    labelings = [np.where(rng.random(150) < 0.2, rng.integers(3, size=150), Y) for _ in range(8)]
    labelings[0][:3] = -1
    hints = Constraints.sample(Y, "equal", 20, random_state=0)
    questions = choose(labelings, hints, 15)
    closed = Known.of(hints, np.arange(150))
    assert len(questions) == 15
    assert all(closed.relation(*question.rows) == 0 for question in questions)
    for wrong, weights, message in (
        ([Y], None, "labelings has 1 entries"),
        ([Y, Y[:9]], None, r"labelings\[1\] is"),
        ([[], []], None, r"labelings\[0\] is an array of shape \(0,\)"),
        ([3, 4], None, r"labelings\[0\] is"),
        (5, None, "labelings is 5. Pass a list of arrays of labels"),
        ([Y, Y % 2], [1.0], r"weights has shape \(1,\) for 2 labelings"),
        ([Y, Y % 2], [1.0, -1.0], r"weights\[1\] = -1.0 is not a weight"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            choose(wrong, weights=weights)
    table = pd.DataFrame(dict(enumerate(labelings)), index=range(150, 0, -1))
    assert list(choose(table, hints, 15)) == list(questions)


@pytest.mark.parametrize("seed", [0, 1])
def test_many_classes_do_not_end_as_many_small_groups(seed):
    rng = np.random.default_rng(seed)
    classes = np.arange(180) % 12
    labelings = [np.where(rng.random(180) < 0.7, rng.integers(12, size=180), classes) for _ in range(8)]
    committee = Committee.of_labelings(labelings, np.ones(8))
    calibration = Calibration.of([], [], [])
    chooser = make_chooser(committee, Constraints(180), 12, calibration, np.ones(180, dtype=bool), rng)
    current = None
    for _ in range(300):
        question = chooser.pair(rng, current)
        row, other = map(chooser.place, question.rows)
        same = bool(classes[row] == classes[other])
        chooser.asked.add((min(row, other), max(row, other)))
        chooser.known.take(row, other, same)
        chooser.placed += question.why in PLACING
        chooser.joined = question.why == "groups"
        current = None if same or chooser.joined else row
    known = chooser.known
    assert len(np.unique(known.group[known.touched])) <= 18


def test_rows_in_no_cluster_are_with_no_other():
    votes = Committee.of_labelings([[0, 0, -1, -1], [5, 5, 7, 7]], [1.0, 3.0]).coassociation(np.arange(4))
    np.testing.assert_allclose(votes, [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0.75], [0, 0, 0.75, 1]])


def test_missing_labels_are_rows_in_no_cluster():
    rng = np.random.default_rng(0)
    labelings = [np.where(rng.random(30) < 0.3, rng.integers(3, size=30), Y[::5]) for _ in range(4)]
    unknown = np.where(np.arange(30) < 5, -1, labelings[0])
    missing = [None if label < 0 else f"c{label}" for label in unknown]
    assert list(choose([missing, *labelings[1:]], n=6)) == list(choose([unknown, *labelings[1:]], n=6))


@pytest.mark.parametrize("projection", [Costco(2), DSP(2), GCDR(2)])
def test_questions_for_projections(projection):
    hints = Constraints.sample(Y, "equal", 12, random_state=0)
    labelings = refit_labelings(projection, X, hints, 3, n_refits=6)
    assert len(labelings) == 6
    assert any((one != labelings[0]).any() for one in labelings)
    assert len(choose(labelings, hints, 5, n_clusters=3)) == 5
    with pytest.raises(ValueError, match="no hints to leave out"):
        refit_labelings(projection, X, Constraints(150), 3)
    with pytest.raises(TypeError, match=r"constraints must be a likewise\.Constraints, got a list"):
        refit_labelings(projection, X, [(0, 1)], 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "triple"}, "kind='triple' is not known"),
        ({"size": 9}, "three to six"),
        ({"n": -1}, "n must be at least 0"),
        ({"among": [150]}, "among contains row 150, but rows are 0 to 149"),
        ({"among": [True]}, "among has 1 entries"),
        ({"answers": [1]}, "answers is a list of 1 item. Pass what questions.answered"),
    ],
)
def test_wrong_requests(options, message, model):
    with pytest.raises((ValueError, TypeError), match=message):
        model.ask(**options)


@pytest.mark.parametrize("kind", ["pair", "choice", "piles"])
def test_where_no_row_may_be_asked_about_there_are_no_questions(kind, model):
    assert len(model.ask(3, kind=kind, among=[])) == 0


def test_labels_and_contradictions_are_known_too():
    labels = Constraints.from_labels(np.where(np.arange(150) % 3 == 0, Y, -1))
    model = Likewise(3, random_state=0, verbose=False).fit(X, constraints=labels)
    hinted = np.flatnonzero(labels.constrained_rows())
    assert all(question.rows[0] not in hinted for question in model.ask(10))
    contrary = Constraints(150, [(0, 1), (1, 2)], [(0, 2), (0, 60)])
    assert len(Likewise(3, random_state=0, verbose=False).fit(X, constraints=contrary).ask(5)) == 5


def test_a_model_from_a_file_cannot_ask(model, tmp_path):
    with pytest.raises(ValueError, match="a model read from a file"):
        Likewise.load(model.save(tmp_path / "m.likewise")).ask()


def test_sheets_know_which_pairs_were_one_question(tmp_path):
    lines = ["0,1,same,0.9,0", "0,2,same,0.1,0", "3,4,same,0.9,1"]
    (tmp_path / "sheet.csv").write_text("\n".join(["left,right,kind,chance,question", *lines]))
    answers = read_asked(tmp_path / "sheet.csv", 5)
    assert answers.n_screens == 2
    assert answers.outlook == "1 of 2 answers was predicted."


@pytest.mark.parametrize("kind", [list, np.array, lambda ids: pd.Series(ids, index=range(149, -1, -1))])
def test_ids_are_those_of_the_rows_by_position(questions, kind):
    ids = kind([f"f{row}" for row in range(150)])
    answers = questions.answered(["same"] * len(questions))
    for table in (questions.to_frame(ids=ids), answers.to_frame(ids=ids)):
        assert list(zip(table["left"], table["right"], strict=True)) == [
            tuple(f"f{row}" for row in question.rows) for question in questions
        ]
    with pytest.raises(ValueError, match="ids has 3 entries, but there are 150 rows"):
        questions.to_frame(ids=["a", "b", "c"])


def test_the_same_answers_count_once(questions):
    answers = questions.answered(["same"] * len(questions))
    assert list(answers + answers) == list(answers)
    others = questions.answered(["different"] * len(questions))
    assert len(answers + others) == 2 * len(questions)
    model = Likewise(3, random_state=0, verbose=False).fit(X)
    model.add_constraints(answers).add_constraints(answers)
    assert len(model.answers_) == len(answers)


@pytest.mark.parametrize(("cell", "chance"), [("0,832", 0.832), ("832", None), ("-3", None), ("1", 1.0), ("x", None)])
def test_chances_that_a_spreadsheet_spoiled_are_unknown(tmp_path, cell, chance):
    path = tmp_path / "sheet.csv"
    path.write_text(f"left;right;kind;chance\n0;1;same;{cell}\n")
    (answer,) = Answers.read(path, 150)
    assert (None if np.isnan(answer.chance) else answer.chance) == chance


def test_row_numbers_that_became_floats(questions):
    table = pd.DataFrame(questions.columns()).assign(kind="same")
    with_empty_lines = table.reindex(range(len(table) + 2))
    assert with_empty_lines["left"].dtype == float
    assert list(questions.answered(with_empty_lines)) == list(questions.answered(["same"] * len(questions)))


@pytest.mark.parametrize("said", ["same", "none", "skip", " same "])
def test_words_are_not_read_as_piles(said):
    four = tuple((i, j) for i in range(4) for j in range(i))
    question = Question("piles", (0, 1, 2, 3), four, (0.5,) * 6, (0.5,) * 6, "doubt")
    if said == "skip":
        assert question.read(said) == ("can't say",) * 6
    else:
        with pytest.raises(ValueError, match=r"Write one entry per row, .*, such as 'aabc'"):
            question.read(said)
    assert question.read("abba") == question.read([1, 2, 2, 1])


def test_answers_keep_other_hints_when_joined(questions):
    answers, hints = questions.answered(["same"] * len(questions)), Constraints(150, [(0, 1)])
    more = Answers([Answer((100, 110), "same")], 150)
    joined = answers.with_constraints(hints | answers.constraints) + more
    assert joined.constraints == hints | answers.constraints | more.constraints
    assert len(joined) == len(questions) + 1
    model = Likewise(3, random_state=0, verbose=False).fit(X, constraints=joined)
    assert model.set_constraints(model.answers_).constraints_ == joined.constraints
    some = [*{row for question in questions for row in question.rows}, 0, 1]
    inside = joined.restrict(some)
    assert inside.constraints == joined.constraints.restrict(some)
    assert len(inside) == len(questions)


def test_few_hints_of_a_kind_that_a_method_needs_are_not_hidden():
    wine = load_wine().data
    wine = (wine - wine.mean(0)) / wine.std(0)
    links = [(0, 60), (0, 70), (1, 80), (140, 2), (141, 3), (150, 60), (61, 141)]
    hints = Constraints(len(wine), [(0, 1), (60, 70), (140, 150)], links)
    assert len(refit_labelings(Costco(2), wine, hints, 3)) >= 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"random_state": None}, "random_state must be a whole number"),
        ({"answers": Answers([], 9)}, "about 9 rows"),
    ],
)
def test_bad_requests_are_refused(model, given, message):
    with pytest.raises((TypeError, ValueError), match=message):
        model.ask(2, **given)
