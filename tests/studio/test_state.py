"""The fold of the log: what counts, undo and redo, and how many control answers were predicted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise.studio._identity import Identity
from likewise.studio._knowledge import Knowledge
from likewise.studio._log import Event
from likewise.studio._state import UNDOABLE, UndoStack, control_count, counting, fold, in_words

IDS = [f"r{number}" for number in range(6)]
PEOPLE = ["", "Anna"]


def answer_body(left, right, word, *, control=False, chance=None, question=1, checks=None):
    body = {
        "kind": "pair", "rows": [left, right], "pairs": [[left, right]], "said": [word], "why": "lot",
        "control": control, "question": question,
    }  # fmt: skip
    if chance is not None:
        body |= {"chances": [chance], "votes": [chance]}
    return body if checks is None else body | {"checks": checks, "why": "check"}


@st.composite
def logs(draw):
    """Logs as people make them: acts of all kinds, and undo and redo of what was done before."""
    events = []
    for seq in range(1, draw(st.integers(1, 14)) + 1):
        who = draw(st.sampled_from(PEOPLE))
        kind = draw(st.sampled_from(["answered", "answered", "grouped", "merged", "named", "clusters", "withdrawn",
                                     "confirmed", "undone", "redone", "asking"]))  # fmt: skip
        pair = draw(st.permutations(IDS))[:2]
        of, body = None, {}
        earlier = [event.seq for event in events if event.kind in UNDOABLE]
        if kind in ("undone", "redone"):
            if not earlier:
                continue
            of, body = draw(st.sampled_from(earlier)), {"words": ""}
        elif kind == "answered":
            word = draw(st.sampled_from(["same", "different", "can't say"]))
            body = answer_body(*pair, word, question=seq, control=draw(st.booleans()), chance=draw(st.floats(0, 1)))
        elif kind in ("grouped", "merged"):
            body = {"hints": [[*pair, draw(st.sampled_from(["same", "different"])), 1.0]], "words": kind}
            if kind == "merged":
                body |= {"n_clusters": draw(st.sampled_from([None, 2, 3])), "replaces": earlier[:1]}
        elif kind == "named":
            body = {"name": draw(st.sampled_from(["a", ""])), "anchors": pair, "replaces": earlier[-1:], "words": ""}
        elif kind == "clusters":
            body = {"n_clusters": draw(st.sampled_from([None, 2, 5]))}
        elif kind in ("withdrawn", "confirmed"):
            body = {"hint": f"{draw(st.sampled_from(earlier or [1]))}.0", "words": ""}
        else:
            body = {"kind": "pair", "size": 4}
        events.append(Event(seq, 0.0, who, f"key-{seq}", kind, body, of))
    return events


def following(events, kind, of):
    return Event(events[-1].seq + 1 if events else 1, 0.0, "", "next", kind, {"words": ""}, of)


def without(events, seq):
    return [event for event in events if event.seq != seq]


@given(logs(), st.data())
def test_undo_is_the_log_without_the_event(events, data):
    counts = [seq for seq, one in counting(events).items() if one]
    if counts:
        of = data.draw(st.sampled_from(counts))
        assert fold([*events, following(events, "undone", of)]) == fold(without(events, of))


@given(logs(), st.data())
def test_redo_takes_undo_back(events, data):
    counts = [seq for seq, one in counting(events).items() if one]
    if counts:
        of = data.draw(st.sampled_from(counts))
        undone = [*events, following(events, "undone", of)]
        assert fold([*undone, following(undone, "redone", of)]) == fold(events)


@given(logs())
def test_taking_events_one_by_one_is_the_fold(events):
    known = Knowledge(Identity(IDS))
    for event in events:
        known.take(event)
    again = Knowledge(Identity(IDS), events)
    assert known.state == fold(events) == again.state
    assert known.constraints() == again.constraints()
    assert {one.different for one in known.relations.contradictions()} == {
        one.different for one in again.relations.contradictions()
    }
    assert {who: (stack.to_undo, stack.to_redo) for who, stack in known.stacks.items()} == {
        who: (stack.to_undo, stack.to_redo) for who, stack in again.stacks.items()
    }


@given(logs())
def test_a_log_of_two_parts_does_not_depend_on_where_it_was_cut(events):
    for cut in range(len(events)):
        known = Knowledge(Identity(IDS), events[:cut])
        for event in events[cut:]:
            known.take(event)
        assert known.state == fold(events)


def event(seq, kind, of=None, who=""):
    body = answer_body("r0", "r1", "same") if kind == "answered" else {"words": ""}
    return Event(seq, 0.0, who, f"k{seq}", kind, body, of)


def test_undo_goes_back_step_by_step_and_redo_forth():
    stack = UndoStack()
    for one in (event(1, "answered"), event(2, "answered"), event(3, "undone", 2), event(4, "undone", 1)):
        stack.take(one)
    assert (stack.to_undo, stack.to_redo) == (None, 1)
    stack.take(event(5, "redone", 1))
    assert (stack.to_undo, stack.to_redo) == (1, 2)
    stack.take(event(6, "answered"))
    assert (stack.to_undo, stack.to_redo) == (6, None)


def test_control_answers_are_counted_from_the_log():
    events = [
        Event(n, 0.0, "", f"k{n}", "answered", answer_body("r0", "r1", word, control=control, chance=chance))
        for n, (word, control, chance) in enumerate(
            [
                ("same", True, None),  # before there was a model
                ("same", True, 0.9),
                ("different", True, 0.9),
                ("can't say", True, 0.9),
                ("same", False, 0.1),
            ],
            start=1,
        )
    ]
    found = control_count(fold(events).answers.values())
    assert (found.predicted, found.of, found.asked) == (1, 2, 4)
    assert control_count(fold(events).answers.values(), window=1).predicted == 0


def test_an_unexpected_answer_is_refuted_by_checks_and_counts_again_when_confirmed():
    events = [
        Event(1, 0.0, "", "k1", "answered", answer_body("r0", "r1", "same", chance=0.1, question=1)),
        Event(2, 0.0, "", "k2", "answered", answer_body("r4", "r5", "same", chance=0.6, question=2)),
        Event(3, 0.0, "", "k3", "answered", answer_body("r0", "r2", "different", chance=0.1, question=3, checks=1)),
        Event(4, 0.0, "", "k4", "answered", answer_body("r0", "r3", "different", chance=0.1, question=4, checks=1)),
    ]
    known = Knowledge(Identity(IDS), events)
    assert known.refuted == {"1.0"}
    assert known.constraints().must_link.tolist() == [[4, 5]]
    known.take(Event(5, 0.0, "", "k5", "confirmed", {"hint": "1.0", "words": ""}))
    assert known.constraints().must_link.tolist() == [[0, 1], [4, 5]]
    known.take(Event(6, 0.0, "", "k6", "undone", {"words": ""}, 5))
    assert known.constraints().must_link.tolist() == [[4, 5]]


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        ("answered", answer_body("a", "b", "same"), "a and b are the same"),
        ("answered", answer_body("a", "b", "can't say"), "can't say: a, b"),
        ("answered", {"kind": "choice", "pairs": [["a", "b"], ["a", "c"]], "said": ["different", "same"]},
         "a belongs with c"),
        ("answered", {"kind": "choice", "pairs": [["a", "b"]] * 2, "said": ["different"] * 2}, "a: none of these"),
        ("answered", {"kind": "piles", "pairs": [["a", "b"], ["a", "c"], ["b", "c"]],
                      "said": ["same", "different", "different"]}, "sorted 3 rows: 1 of 3 pairs the same"),
        ("clusters", {"n_clusters": 3}, "3 clusters"),
        ("clusters", {"n_clusters": None}, "as many clusters as fit the data"),
        ("imported", {"hints": [1, 2], "source": "h.csv"}, "2 hints from h.csv"),
        ("merged", {"words": "merged a and b", "hints": []}, "merged a and b"),
    ],
)  # fmt: skip
def test_events_in_words(kind, body, words):
    assert in_words(Event(1, 0.0, "", "k", kind, body)) == words
