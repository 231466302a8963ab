"""What people do in the studio, and what comes of it; without a server, and with the fits in turn."""

import base64
import gc
import tracemalloc

import numpy as np
import pytest

from likewise.constraints import Constraints
from likewise.studio import Session
from likewise.studio._knowledge import Knowledge
from likewise.studio._log import BLOCK
from likewise.studio._refusal import Refusal
from studio_parts import Learning, Seat, open_studio, predicted_of, write_blobs

MAX_BYTES = 2_500
"""Maximum growth of the server's Python objects per answer."""


@pytest.fixture
def studio(tmp_path):
    groups = write_blobs(tmp_path / "blobs.csv")
    made = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv")
    made.groups = groups
    yield made
    made.close()


@pytest.fixture
def seat(studio):
    return Seat(studio, studio.groups)


@pytest.fixture
def learning(studio):
    learning = Learning(studio)
    learning.before()
    return learning


def again(studio):
    """The same session after a crash: nothing was closed."""
    made = open_studio(studio.path, studio.path.with_name("blobs.csv"))
    made.groups = studio.groups
    return made


def hints(studio):
    return Session.read(studio.path).constraints


# -- questions ---------------------------------------------------------------------------------------------------------
def test_the_first_questions_need_no_model(seat):
    for _ in range(4):
        said = seat.answer()
        assert said["kept"]
        assert said["opinion"]["control"]
        assert said["opinion"]["predicted"] is None
    assert said["state"]["control"] == {"predicted": 0, "of": 0, "asked": 4}


def test_a_card_tells_nothing_of_the_model(studio, seat, learning):
    learning.fit()
    for _ in range(6):
        card = seat.card()
        assert set(card) <= {"number", "kind", "rows", "items", "differs", "words", "groups"}
        assert set(card["items"][0]) == {"row", "id", "text", "more", "picture", "values"}
        seat.answer()


def test_check_29_a_fifth_of_the_questions_are_control_questions_and_the_count_follows_from_the_log(
    studio, seat, learning
):
    learning.fit()
    for number in range(40):
        last = seat.answer()
        if number % 5 == 0:
            learning.fit()
    predicted, of, control = predicted_of(Session.read(studio.path).events)
    assert control >= 40 / 5
    assert of > 0
    assert last["state"]["control"] == {"predicted": predicted, "of": of, "asked": control}


def test_what_follows_from_answers_is_not_asked(studio, seat, learning):
    learning.fit()
    for _ in range(12):
        card = seat.card()
        if card["kind"] == "pair":
            assert studio.knowledge.relations.relation(*card["rows"]) == 0
        seat.answer()
        learning.fit()


@pytest.mark.parametrize("kind", ["choice", "piles"])
def test_other_kinds_of_questions(studio, seat, learning, kind):
    studio.acts.prefer("", seat.key(), kind, 4)
    learning.fit()
    seen = set()
    for _ in range(14):
        seen.add(seat.card()["kind"])
        seat.answer()
        learning.fit()
    assert kind in seen
    wrong = [hint for hint in hints(studio).must_link if studio.groups[hint[0]] != studio.groups[hint[1]]]
    assert not wrong


def test_can_t_say_is_an_answer_without_a_hint(studio, seat):
    first = seat.card()["rows"]
    said = seat.answer("unsure")
    assert (said["state"]["answers"], said["state"]["unsure"], said["state"]["hints"]) == (1, 1, 0)
    assert seat.card()["rows"] != first


@pytest.mark.parametrize("answer", ["perhaps", 7, {"a": 1}, [1, 2, 3]])
def test_what_is_no_answer_is_refused(seat, answer):
    with pytest.raises(Refusal) as refused:
        seat.answer(answer)
    assert refused.value.status == 422
    assert seat.studio.knowledge.state.answers == {}


def test_sent_twice_is_one_event(studio, seat):
    card = seat.card()
    first = studio.acts.answer("", "key-twice", card["number"], "same", 5)
    second = studio.acts.answer("", "key-twice", card["number"], "same", 5)
    assert (first["again"], second["again"]) == (False, True)
    assert first["event"] == second["event"]
    assert second["state"]["answers"] == 1
    with pytest.raises(Refusal, match="has an answer"):
        studio.acts.answer("", "key-other", card["number"], "same", 5)
    with pytest.raises(Refusal, match="used for something else"):
        studio.acts.undo("", "key-twice", None)


# -- nothing lost ------------------------------------------------------------------------------------------------------
def test_check_07_after_a_crash_all_is_as_it_was(studio, seat, learning):
    learning.fit()
    for _ in range(8):
        seat.answer()
    studio.gestures.give_name("", seat.key(), {"cluster": 0, "result": 1, "name": "north"})
    before, cards, state = hints(studio), studio.views.questions(""), studio.views.state("")
    other = again(studio)
    assert hints(other) == before
    assert [card["number"] for card in other.views.questions("")] == [card["number"] for card in cards]
    assert other.views.state("")["undo"] == state["undo"]
    assert other.results.newest.number == 1
    assert other.views.clusters(1)["clusters"][0]["name"] == "north"
    answered = Seat(other, studio.groups, "").studio.acts.answer("", "key-after", cards[0]["number"], "same", 1)
    assert answered["state"]["answers"] == 9
    other.close()


@pytest.mark.parametrize("count", [1, 5, 12])
def test_check_05_undo_after_answers_is_the_log_without_them(studio, seat, count):
    states = [hints(studio)]
    for _ in range(count):
        seat.answer()
        states.append(hints(studio))
    for number in range(count, 0, -1):
        undone = studio.acts.undo("", seat.key(), None)
        assert hints(studio) == states[number - 1]
    assert undone["state"]["undo"] is None
    with pytest.raises(Refusal, match="nothing to undo"):
        studio.acts.undo("", seat.key(), None)
    other = again(studio)
    for number in range(1, count + 1):
        other.acts.redo("", f"key-again-{number}", None)
        assert hints(other) == states[number]
    other.close()


def test_the_card_of_an_undone_answer_comes_again(studio, seat):
    cards = []
    for _ in range(4):
        cards.append(seat.card()["number"])
        seat.answer()
    undone = studio.acts.undo("", seat.key(), None)
    assert undone["questions"][0]["number"] == cards[-1]
    undone = studio.acts.undo("", seat.key(), None)
    assert undone["questions"][0]["number"] == cards[-2]
    redone = studio.acts.redo("", seat.key(), None)
    assert redone["questions"][0]["number"] == cards[-1]


def test_any_of_one_s_own_events_can_be_undone_from_the_history(studio, seat):
    events = [seat.answer()["event"] for _ in range(3)]
    studio.acts.undo("", seat.key(), events[0])
    listed = {event["seq"]: event["counts"] for event in studio.views.history("", None, 50)["events"]}
    assert [listed[event] for event in events] == [False, True, True]
    with pytest.raises(Refusal, match="does not count"):
        studio.acts.undo("", seat.key(), events[0])
    with pytest.raises(Refusal, match="cannot be undone"):
        studio.acts.undo("", seat.key(), 1)
    studio.acts.redo("", seat.key(), events[0])
    assert all(event["counts"] for event in studio.views.history("", None, 50)["events"])


@pytest.fixture
def long(tmp_path):
    """A session with more answers than are held in memory as objects."""
    write_blobs(tmp_path / "blobs.csv", 1000)
    made = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv")
    person = Seat(made, np.arange(1000) // 5)
    for _ in range(2 * BLOCK + 20):
        person.answer()
    yield made, person
    made.close()


def test_old_answers_are_undone_and_listed_as_new_ones_are(long):
    studio, seat = long
    first = next(event.seq for event in studio.log.events() if event.kind == "answered")
    before = hints(studio)
    undone = studio.acts.undo("", seat.key(), first)
    assert undone["undone"]["event"] == first
    assert studio.knowledge.constraints() == hints(studio) != before
    redone = studio.acts.redo("", seat.key(), first)
    assert redone["redone"]["words"] == undone["undone"]["words"]
    assert studio.knowledge.constraints() == hints(studio) == before
    assert list(studio.knowledge.events) == studio.log.events()
    history = Session.read(studio.path).history()[::-1]
    listed, last = [], None
    while last is None or last["more"]:
        last = studio.views.history("", listed[-1]["seq"] if listed else None, 100)
        listed += last["events"]
    assert [{name: one[name] for name in history[0]} for one in listed] == history
    assert studio.views.state("")["waiting"] == 2 * BLOCK + 22 + 1  # and the number of clusters
    with pytest.raises(Refusal, match="no event 9999"):
        studio.event(9999)


def test_an_answer_adds_little_to_the_memory_of_the_server(long):
    _, seat = long
    n = 2 * BLOCK
    held = []
    tracemalloc.start()
    try:
        for _ in range(2):
            for _ in range(n):
                seat.answer()
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert (held[1] - held[0]) / n < MAX_BYTES


# -- contradictions ----------------------------------------------------------------------------------------------------
def contradict(studio):
    """Three answers that contradict each other, and one that is right."""
    asked = studio.log.ask(
        [
            {"kind": "pair", "rows": pair, "pairs": [pair], "why": "lot", "control": False}
            for pair in (["r0", "r3"], ["r3", "r6"], ["r0", "r6"])
        ],
        "",
    )
    said = ["same", "same", "different"]
    return [
        studio.acts.answer("", f"key-{one.number:06d}", one.number, word, 1)
        for one, word in zip(asked, said, strict=True)
    ]


def test_check_11_a_contradiction_is_shown_with_its_chain_and_resolved(studio, seat):
    replies = contradict(studio)
    assert [reply["conflict"] for reply in replies[:2]] == [None, None]
    conflict = replies[2]["conflict"]
    assert conflict["words"] == "r0 = r3 = r6, but r0 ≠ r6"
    assert [hint["ids"] for hint in conflict["chain"]] == [["r0", "r3"], ["r3", "r6"]]
    assert conflict["different"]["ids"] == ["r0", "r6"]
    assert conflict["newest"] == conflict["different"]["id"]
    assert [item["id"] for item in conflict["items"]] == ["r0", "r3", "r6"]
    assert replies[2]["state"]["review"]["conflicts"] == 1  # later: all are kept
    assert len(studio.views.review()["conflicts"]) == 1
    resolved = studio.acts.withdraw("", seat.key(), conflict["chain"][1]["id"])
    assert resolved["state"]["review"]["conflicts"] == 0
    assert hints(studio) == Constraints(60, [(0, 3)], [(0, 6)])
    studio.acts.undo("", seat.key(), None)
    assert studio.views.state("")["review"]["conflicts"] == 1
    with pytest.raises(Refusal, match="no hint"):
        studio.acts.withdraw("", seat.key(), "99.0")


def test_labels_of_a_file_contradict_answers_with_a_chain(tmp_path):
    write_blobs(tmp_path / "blobs.csv")
    columns = {"left": ["r0", "r1"], "right": ["p0:cat", "p0:dog"], "kind": ["partition:same,across"] * 2}
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", given=[("labels.csv", columns)])
    pair = ["r0", "r1"]
    (asked,) = studio.log.ask([{"kind": "pair", "rows": pair, "pairs": [pair], "why": "lot", "control": False}], "")
    conflict = studio.acts.answer("", "key-label", asked.number, "same", 1)["conflict"]
    assert conflict["different"]["words"] == "cat and dog are different labels"
    assert [hint["kind"] for hint in conflict["chain"]] == ["label", "same", "label"]
    assert studio.acts.withdraw("", "key-label-2", conflict["chain"][0]["id"])["state"]["review"]["conflicts"] == 0
    left = hints(studio)
    assert left.must_link.tolist() == [[0, 1]]
    assert [partition.n_known for partition in left.partitions] == [1]
    studio.close()


def test_an_answer_that_contradicts_a_file_is_shown_as_a_contradiction(tmp_path):
    write_blobs(tmp_path / "blobs.csv")
    given = [("hints.csv", {"left": ["r0"], "right": ["r3"], "kind": ["must-link"]})]
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", given=given)
    pair = ["r0", "r3"]
    (asked,) = studio.log.ask([{"kind": "pair", "rows": pair, "pairs": [pair], "why": "lot", "control": True}], "")
    conflict = studio.acts.answer("", "key-against-file", asked.number, "different", 1)["conflict"]
    assert [hint["from"] for hint in conflict["chain"]] == ["file"]
    studio.acts.withdraw("", "key-file-was-wrong", conflict["chain"][0]["id"])
    assert hints(studio) == Constraints(60, [], [(0, 3)])
    studio.close()


def test_hints_of_files_are_taken_in_once(tmp_path):
    write_blobs(tmp_path / "blobs.csv")
    columns = {"left": ["r0", "r1"], "right": ["r3", "r2"], "kind": ["must-link", "cannot-link"], "weight": [1.0, 0.5]}
    given = [("hints.csv", columns)]
    for _ in range(2):
        studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", given=given)
        assert studio.views.session("")["hints_given"] == "2 hints from hints.csv"
        studio.close()
    assert hints(studio) == Constraints(60, [(0, 3)], [(1, 2)], cannot_weight=[0.5])
    more = {"left": ["r0", "r5"], "right": ["r3", "r8"], "kind": ["must-link", "must-link"]}
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", given=[("hints.csv", more)])
    assert len(hints(studio).must_link) == 2
    studio.close()


def test_hints_of_every_kind_of_file_are_kept(tmp_path):
    write_blobs(tmp_path / "blobs.csv")
    columns = {
        "left": ["r0", "r1"], "right": ["r3", "r4"], "kind": ["must-link", "nearer"], "third": ["", "r5"],
        "fourth": ["", ""],
    }  # fmt: skip
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", given=[("hints.csv", columns)])
    found = hints(studio)
    assert found.must_link.tolist() == [[0, 3]]
    assert len(found.comparisons) == 1
    studio.close()


def test_check_12_wrong_answers_are_found_and_still_true_is_remembered(tmp_path):
    groups = write_blobs(tmp_path / "blobs.csv", n=200, seed=1)
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv")
    seat, learning = Seat(studio, groups), Learning(studio)
    learning.fit()
    flipped = set(np.random.default_rng(1).choice(60, 10, replace=False).tolist())
    wrong = set()
    for number in range(60):
        truth = seat.truth(seat.card())
        said = {"same": "different", "different": "same"}[truth] if number in flipped else truth
        event = seat.answer(said)["event"]
        wrong |= {event} if number in flipped else set()
        if number % 6 == 5:
            learning.fit()
    review = studio.views.review()["suspects"]
    assert [one["wrong"] for one in review] == sorted((one["wrong"] for one in review), reverse=True)
    assert sum(one["hint"]["event"] in wrong for one in review[:12]) >= 7
    first = review[0]["hint"]["id"]
    studio.acts.withdraw("", seat.key(), first, "confirmed")
    learning.fit()
    assert first not in [one["hint"]["id"] for one in studio.views.review()["suspects"]]
    studio.close()


# -- gestures ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def fitted(studio, learning):
    learning.fit()
    return studio


def cluster_of(studio, row):
    return int(studio.results.newest.labels[row])


def bits(rows, n=60):
    mask = np.zeros(n, dtype=bool)
    mask[list(rows)] = True
    return {"bits": base64.b64encode(np.packbits(mask, bitorder="little").tobytes()).decode()}


def test_check_13_a_lasso_is_confirmed_by_exemplars(fitted, seat):
    rows = [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 1]
    preview = fitted.gestures.preview_group(bits(rows), 1)
    assert preview == fitted.gestures.preview_group(rows, 1)
    assert preview["size"] == 11
    shown = [one["row"] for one in preview["exemplars"]]
    assert len(shown) == len(set(shown)) == 9
    assert set(shown) <= set(rows)
    assert [one["role"] for one in preview["exemplars"]] == ["typical"] * 4 + ["doubtful"] * 3 + ["rim"] * 2
    ticked = [row for row in shown if row != 1]
    unticked = [row for row in shown if row == 1] or [shown[-1]]
    ticked = [row for row in ticked if row not in unticked]
    fitted.gestures.group("", seat.key(), {"rows": bits(rows), "result": 1, "ticked": ticked, "unticked": unticked,
                                  "polygon": [[0, 0], [1, 0], [1, 1]]})  # fmt: skip
    said = hints(fitted)
    assert (len(said.must_link), len(said.cannot_link)) == (len(ticked) - 1, 1)
    event = Session.read(fitted.path).events[-1]
    assert len(event.body["rows"]) == 11
    fitted.acts.undo("", seat.key(), None)
    assert hints(fitted).is_empty


def test_a_lasso_whose_rows_were_all_looked_at(fitted, seat):
    rows = list(range(0, 60, 3))
    fitted.gestures.group(
        "", seat.key(), {"rows": rows, "result": 1, "ticked": rows[:3], "unticked": [rows[3]], "all": True}
    )
    found = hints(fitted)
    assert len(set(found.groups()[[row for row in rows if row != rows[3]]].tolist())) == 1
    assert len(found.cannot_link) == 1


def test_apart_from_the_rest(fitted, seat):
    rows = [0, 3, 6]
    preview = fitted.gestures.preview_group(rows, 1, apart=True)
    assert preview["others"]
    assert not set(preview["others"]) & set(rows)
    fitted.gestures.separate("", seat.key(), {"rows": rows, "result": 1, "ticked": rows, "others": preview["others"]})
    found = hints(fitted)
    assert len(found.must_link) == 2
    assert {left in rows for left, right in found.cannot_link} | {right in rows for _, right in found.cannot_link}
    with pytest.raises(Refusal, match="both sides"):
        fitted.gestures.separate("", seat.key(), {"rows": rows, "result": 1, "ticked": rows, "others": []})


def test_check_14_merge_and_split(fitted, seat, learning):
    a, b = cluster_of(fitted, 0), cluster_of(fitted, 1)
    fitted.gestures.give_name("", seat.key(), {"cluster": a, "result": 1, "name": "larger"})
    fitted.gestures.give_name("", seat.key(), {"cluster": b, "result": 1, "name": "smaller"})
    preview = fitted.gestures.preview_merge([a, b], 1)
    assert len(preview["pairs"]) == 3
    assert preview["n_clusters"] == 2
    reply = fitted.gestures.merge("", seat.key(), {"clusters": [a, b], "result": 1, "pairs": preview["pairs"]})
    assert reply["state"]["n_clusters"] == 2
    assert len(hints(fitted).must_link) == 3
    merged = learning.fit()
    clusters = fitted.views.clusters(merged.number)["clusters"]
    assert len(clusters) == 2
    assert sum(one["name"] is not None for one in clusters) == 1
    whole = next(one for one in clusters if one["name"])
    split = fitted.gestures.preview_split(whole["number"], merged.number)
    assert sum(split["sizes"]) == whole["size"]
    fitted.acts.undo("", seat.key(), None)
    assert fitted.views.state("")["n_clusters"] == 3
    back = learning.fit()
    assert {one["name"] for one in fitted.views.clusters(back.number)["clusters"]} == {"larger", "smaller", None}
    number = cluster_of(fitted, 0)
    parts = fitted.gestures.preview_split(number, back.number)["parts"]
    reply = fitted.gestures.split("", seat.key(), {"cluster": number, "result": back.number, "parts": parts})
    assert reply["state"]["n_clusters"] == 4
    found = hints(fitted)
    assert len(found.must_link) == sum(len(part) - 1 for part in parts)
    assert len(found.cannot_link) == max(map(len, parts))


def test_move(fitted, seat):
    to = cluster_of(fitted, 1)
    fitted.gestures.move("", seat.key(), {"rows": [0], "to": to, "result": 1})
    found = hints(fitted)
    (same,), (different,) = found.must_link.tolist(), found.cannot_link.tolist()
    assert 0 in same
    assert 0 in different
    assert fitted.groups[sum(same)] == fitted.groups[1]
    assert fitted.groups[sum(different)] == fitted.groups[0]


def test_check_15_names_and_colors_stay_with_their_rows(studio, seat, learning):
    learning.fit()
    numbers = {group: cluster_of(studio, group) for group in range(3)}
    for group, number in numbers.items():
        studio.gestures.give_name("", seat.key(), {"cluster": number, "result": 1, "name": f"group {group}"})
    colors = {one["name"]: one["color"] for one in studio.views.clusters(1)["clusters"]}
    for _ in range(4):
        for _ in range(4):
            seat.answer()
        shown = learning.fit()
        listed = studio.views.clusters(shown.number)["clusters"]
        assert {one["name"]: one["color"] for one in listed} == colors
        for one in listed:
            inside = np.flatnonzero(shown.labels == one["number"])
            assert (studio.groups[inside] == int(one["name"][-1])).mean() >= 0.9


def test_a_name_is_changed_and_taken_away(fitted, seat):
    for name, wanted in (("  two   words ", "two words"), ("other", "other"), ("", None)):
        fitted.gestures.give_name("", seat.key(), {"cluster": 0, "result": 1, "name": name})
        assert fitted.views.clusters(1)["clusters"][0]["name"] == wanted
    fitted.acts.undo("", seat.key(), None)
    assert fitted.views.clusters(1)["clusters"][0]["name"] == "other"
    assert list(Session.read(fitted.path).names) == ["other"]


@pytest.mark.parametrize(
    ("act", "sent", "word"),
    [
        ("group", {"rows": [0], "ticked": [0], "unticked": []}, "two rows or more"),
        ("group", {"rows": {"bits": "!!"}, "ticked": [0, 1]}, "base64"),
        ("group", {"rows": {"bits": "AAAA"}, "ticked": [0, 1]}, "bytes for 60 rows"),
        ("group", {"rows": [0], "ticked": ["0"]}, "list of row numbers"),
        ("group", {"rows": [0], "ticked": [0, 60]}, "row 60"),
        ("merge", {"clusters": [0, 0], "pairs": [[0, 1]]}, "two clusters"),
        ("merge", {"clusters": [0, 9], "pairs": [[0, 1]]}, "clusters are 0 to 2"),
        ("merge", {"clusters": [0, 1], "pairs": []}, "pairs should be"),
        ("split", {"cluster": 0, "parts": [[0]]}, "two lists"),
        ("split", {"cluster": 0, "parts": [[0], [0]]}, "no row can be in both"),
        ("move", {"rows": list(range(60)), "to": 0}, "not the only one"),
        ("move", {"rows": [0], "to": True}, "clusters are"),
        ("give_name", {"cluster": 0, "name": "x" * 81}, "80 characters"),
        ("give_name", {"cluster": 0, "name": 3}, "80 characters"),
        ("give_name", {"cluster": "0", "name": "a"}, "clusters are"),
    ],
)
def test_gestures_that_make_no_sense_are_refused(fitted, seat, act, sent, word):
    with pytest.raises(Refusal, match=word) as refused:
        getattr(fitted.gestures, act)("", seat.key(), {**sent, "result": 1})
    assert refused.value.status == 422
    assert hints(fitted).is_empty


def test_gestures_wait_for_a_result(studio, seat):
    with pytest.raises(Refusal) as refused:
        studio.gestures.give_name("", seat.key(), {"cluster": 0, "result": 1, "name": "a"})
    assert (refused.value.status, refused.value.error) == (503, "wait")


def test_gestures_on_a_result_that_is_gone_are_refused(fitted, seat):
    with pytest.raises(Refusal) as refused:
        fitted.gestures.give_name("", seat.key(), {"cluster": 0, "result": 77, "name": "a"})
    assert (refused.value.status, refused.value.error) == (409, "gone")


@pytest.mark.parametrize("wanted", [0, 61, "3", True])
def test_numbers_of_clusters_that_make_no_sense(studio, seat, wanted):
    with pytest.raises(Refusal, match="n_clusters"):
        studio.acts.set_n_clusters("", seat.key(), wanted)


# -- rows --------------------------------------------------------------------------------------------------------------
def test_rows_are_found_and_shown(fitted, seat):
    assert fitted.views.found("r17")["rows"] == [17]
    assert fitted.views.found("R1")["rows"][0] == 1
    assert fitted.views.found("R1")["total"] == 11
    assert fitted.views.found("  ")["total"] == 0
    near = fitted.views.neighbors(0, 5)["rows"]
    assert {int(fitted.groups[row]) for row in near} == {0}
    doubtful = fitted.views.doubtful(5, None)["rows"]
    assert len(doubtful) == 5
    assert {cluster_of(fitted, row) for row in fitted.views.doubtful(5, 1)["rows"]} == {1}
    seat.answer()
    shown = fitted.views.row_items([0, 1], together=True, full=False)
    assert [item["id"] for item in shown["rows"]] == ["r0", "r1"]
    assert shown["rows"][0]["cluster"] == cluster_of(fitted, 0)
    left, right = Session.read(fitted.path).events[-1].body["rows"]
    row = int(left[1:])
    (hint,) = fitted.views.row_items([row], together=False, full=True)["rows"][0]["hints"]
    assert hint["ids"] == [left, right]


# -- several people ----------------------------------------------------------------------------------------------------
def test_check_27_people_share_control_questions_and_undo_their_own(tmp_path):
    groups = write_blobs(tmp_path / "blobs.csv")
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", people=["Anna", "Ben"])
    anna, ben = (Seat(studio, groups, who) for who in ("Anna", "Ben"))
    for number in range(8):
        anna.answer()
        ben.answer("different" if number == 0 else None)
    found = studio.views.agreements()
    assert [one["answers"] for one in found["people"]] == [8, 8]
    (both,) = found["agreement"]
    assert both["common"] >= 3
    assert both["kappa"] is not None or both["same_answer"] == both["common"]
    before = studio.views.state("Ben")["undo"]
    studio.acts.undo("Anna", "key-undo-anna", None)
    assert studio.views.state("Ben")["undo"] == before
    with pytest.raises(Refusal, match="can undo it"):
        studio.acts.undo("Anna", "key-undo-other", before["event"])
    studio.close()


def test_people_who_say_different_things_are_listed(tmp_path):
    write_blobs(tmp_path / "blobs.csv")
    studio = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv", people=["Anna", "Ben"])
    for who, word in (("Anna", "same"), ("Ben", "different")):
        pair = ["r0", "r1"]
        (asked,) = studio.log.ask([{"kind": "pair", "rows": pair, "pairs": [pair], "why": "lot", "control": True}], who)
        reply = studio.acts.answer(who, f"key-{who}", asked.number, word, 1)
    assert reply["conflict"] is None
    assert reply["state"]["review"]["disagreements"] == 1
    (dispute,) = studio.views.review()["disagreements"]
    assert dispute["said"] == {"Anna": "same", "Ben": "different"}
    assert dispute["counts"] is None
    assert studio.knowledge.constraints().is_empty
    for number in range(2, 12):  # Ben says the contrary of what the model expects, and of what Anna says
        for who, word in (("Anna", "same"), ("Ben", "different")):
            body = {"kind": "pair", "rows": ["r0", f"r{number}"], "pairs": [["r0", f"r{number}"]], "why": "lot"}
            (asked,) = studio.log.ask([{**body, "control": True, "chances": [0.95], "votes": [0.95]}], who)
            studio.acts.answer(who, f"key-{who}-{number}", asked.number, word, 1)
    errors = {one["name"]: one["error"] for one in studio.views.agreements()["people"]}
    assert errors["Anna"] < 0.2 < 0.5 < errors["Ben"]
    assert {one["counts"] for one in studio.views.review()["disagreements"]} == {"same"}
    assert studio.knowledge.constraints().n_must_link == 11
    after = Knowledge(studio.identity, studio.knowledge.events)
    assert after.silenced == studio.knowledge.silenced
    assert after.error_rates == studio.knowledge.error_rates
    studio.close()


# -- data that changed -------------------------------------------------------------------------------------------------
def test_hints_about_rows_that_are_there_count_and_the_others_are_kept(studio, seat, tmp_path):
    contradict(studio)
    studio.close()
    lines = (tmp_path / "blobs.csv").read_text().splitlines()
    (tmp_path / "blobs.csv").write_text("\n".join([lines[0], *[line for line in lines[:0:-1] if line[:3] != "r6,"]]))
    other = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv")
    assert other.views.changed() == {"rows_new": 0, "rows_gone": 1, "hints_about_gone": 2}
    assert other.views.state("")["review"]["missing"] == 2
    (pair,) = other.knowledge.constraints().must_link.tolist()
    assert {other.rows.ids[row] for row in pair} == {"r0", "r3"}
    assert [hint["ids"] for hint in other.views.review()["missing"]] == [["r3", "r6"], ["r0", "r6"]]
    assert other.views.review()["missing"][0]["rows"] == [other.rows.ids.index("r3"), -1]
    other.close()
    (tmp_path / "blobs.csv").write_text("\n".join(lines))
    back = open_studio(tmp_path / "s.studio", tmp_path / "blobs.csv")
    assert len(back.knowledge.constraints().must_link) == 2
    back.close()


# -- the file in Python ------------------------------------------------------------------------------------------------
def test_a_session_in_python(studio, seat):
    seat.answer()
    studio.acts.undo("", seat.key(), None)
    session = Session.read(studio.path)
    assert session.name == "blobs"
    assert session.n_clusters == 3
    assert session.seed == 0
    assert session.ids == studio.rows.ids
    assert session.hints == []
    kinds = [(one["kind"], one["counts"]) for one in session.history()]
    assert kinds == [("opened", True), ("clusters", True), ("answered", False), ("undone", True)]
    assert repr(session) == "Session('blobs': 0 answers, 0 hints)"
    assert (session.control.predicted, session.control.of) == (0, 0)
