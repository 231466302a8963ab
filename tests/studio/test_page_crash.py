"""The studio's page when the server dies, and while a fit takes long."""

import pytest

from likewise.studio import Session
from studio_process import StudioProcess, answer, blobs, card, cards, kept, looking, say

pytestmark = pytest.mark.xdist_group("studio-crash")

DIES = """
import os
from likewise.studio import _serve

inner, left = _serve.answer, [2]

def answer(studio, gate, method, path, *rest):
    said = inner(studio, gate, method, path, *rest)
    if path == "/api/answer":
        left[0] -= 1
        if not left[0]:
            os._exit(9)  # it is committed, and nobody is told
    return said

_serve.answer = answer
"""

SLOW = """
import subprocess
from types import SimpleNamespace
from likewise.studio import _work

CODE = '''
import time
from likewise._progress import stage
from likewise.studio import _learner, _worker

fit = _learner.Learner.fit

def slow(self, task, *rest):
    if len(task.constraints.must_link) + len(task.constraints.cannot_link):
        for _ in range(20):
            with stage("a long stage"):  # which the page hears of, though not each time
                time.sleep(0.2)
    return fit(self, task, *rest)

_learner.Learner.fit = slow
_worker.main()
'''

def opened(command, **options):
    return subprocess.Popen([command[0], "-c", CODE], **options)

_work.subprocess = SimpleNamespace(Popen=opened, PIPE=subprocess.PIPE)
"""


def test_check_07_and_08_the_server_is_killed(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    studio = StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            studio.adopt(seen)
            for _ in range(20):
                left, right = card(seen)
                say(seen, "y" if truth[left] == truth[right] else "n")
            kept(seen)
            result = studio.rested()["result"]
            studio.act("/api/name", "a-name-that-stays", cluster=0, result=result, name="Stays")
            said, number = Session.read(studio.session).hints, cards(seen)[0]
            studio.kill()
            answer_while_away = "y" if truth[card(seen)[0]] == truth[card(seen)[1]] else "n"
            say(seen, answer_while_away)
            seen.wait_for_selector("#kept[data-state=lost]")
            assert "not kept" in seen.locator("#kept").inner_text()

            # started again: the answers are there, the tab gets the token of the new one, and sends what waits
            studio.start(DIES)
            fresh = opened(studio.links[0])
            studio.adopt(fresh)
            kept(seen)
            session = Session.read(studio.session)
            assert [hint.id for hint in session.hints][: len(said)] == [hint.id for hint in said]
            assert "Stays" in session.names
            answered = [event for event in session.events if event.kind == "answered"]
            assert len(answered) == 21
            waited = studio.ask(f"/api/questions/{number}")["question"]["rows"]
            assert answered[-1].body["rows"] == [f"r{row:03d}" for row in waited]
            next_card = studio.ask("/api/questions")["questions"][0]["number"]
            fresh.wait_for_function("number => likewise.store.questions[0].number === number", arg=next_card)
            fresh.wait_for_function("() => likewise.store.clusters.some(one => one.name === 'Stays')")

            # killed between commit and reply: sent again, and one event
            left, right = card(fresh)
            say(fresh, "y" if truth[left] == truth[right] else "n")
            fresh.wait_for_selector("#kept[data-state=lost]")
            studio.process.wait()
            assert len(fresh.evaluate("likewise.unsent()")) == 1
            studio.start()
            newest = opened(studio.links[0])
            kept(fresh)
            answered = [event for event in Session.read(studio.session).events if event.kind == "answered"]
            assert len(answered) == 22
            assert len({event.key for event in answered}) == 22
            newest.wait_for_function("() => likewise.store.state.answers === 22")
            answer(newest, "u")
    finally:
        studio.stop()


def test_check_10_answers_during_a_long_fit(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    studio = StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3, patch=SLOW)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            studio.adopt(seen)
            first = studio.until(lambda state: state["result"])["result"]
            for _ in range(6):
                left, right = card(seen)
                say(seen, "y" if truth[left] == truth[right] else "n")
            shown = """async truth => {
                const end = performance.now() + 60000;
                while (likewise.store.state.fit.status !== "fitting" && performance.now() < end) {
                    await new Promise(requestAnimationFrame);
                }
                const { number: before, rows: [left, right] } = likewise.store.questions[0];
                const key = truth[left] === truth[right] ? "y" : "n";
                document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
                const after = likewise.store.questions[0].number;
                return [before, after, likewise.store.state.fit.status];
            }"""
            before, after, status = seen.evaluate(shown, truth.tolist())
            assert after != before, "the next card in the same frame"
            assert status == "fitting"
            kept(seen)
            state = studio.rested()
            assert state["result"] > first
            seen.wait_for_function("result => likewise.store.result === result", arg=state["result"])
            assert seen.errors == []
    finally:
        studio.stop()
