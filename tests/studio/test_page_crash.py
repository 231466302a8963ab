"""The studio's page when the server or the worker dies, while a fit takes long, and when the studio ends."""

import os
import re
import signal

from likewise.studio import Session
from studio_process import (
    StudioProcess,
    answer,
    blobs,
    cards,
    children,
    held_while,
    in_worker,
    is_alive,
    kept,
    looking,
    needs_proc,
    newest,
    say,
    true_key,
)  # fmt: skip

DIES = """
import os
from likewise.studio import _serve

inner = _serve.answer

def answer(studio, gate, method, path, *rest):
    said = inner(studio, gate, method, path, *rest)
    if path == "/api/answer":
        os._exit(9)  # it is committed, and nobody is told
    return said

_serve.answer = answer
"""

SLOW = in_worker("""
import time
from likewise._progress import stage
from likewise.studio import _learner

fit = _learner.Learner.fit

def slow(self, task, *rest):
    if len(task.constraints.must_link) + len(task.constraints.cannot_link):
        for _ in range(20):
            with stage("a long stage"):  # which the page hears of, though not each time
                time.sleep(0.2)
    return fit(self, task, *rest)

_learner.Learner.fit = slow
""")


def all_answered(studio):
    """What the log has of answers."""
    return [event for event in Session.read(studio.session).events if event.kind == "answered"]


def test_check_07_the_server_is_killed_after_the_20th_answer(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    studio = StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            studio.adopt(seen)
            for _ in range(20):
                say(seen, true_key(seen, truth))
            kept(seen)
            result = studio.rested()["result"]
            studio.act("/api/name", "a-name-that-stays", cluster=0, result=result, name="Stays")
            said, number = Session.read(studio.session).hints, cards(seen)[0]
            studio.kill()
            say(seen, true_key(seen, truth))
            seen.wait_for_selector("#kept[data-state=lost]")
            assert "not kept" in seen.locator("#kept").inner_text()

            # started again: the answers are there, the tab gets the token of the new one, and sends what waits
            studio.start()
            fresh = opened(studio.links[0])
            studio.adopt(fresh)
            kept(seen)
            session = Session.read(studio.session)
            assert [hint.id for hint in session.hints][: len(said)] == [hint.id for hint in said]
            assert "Stays" in session.names
            answered = all_answered(studio)
            assert len(answered) == 21
            waited = studio.ask(f"/api/questions/{number}")["question"]["rows"]
            assert answered[-1].body["rows"] == [f"r{row:03d}" for row in waited]
            next_card = studio.ask("/api/questions")["questions"][0]["number"]
            fresh.wait_for_function("number => likewise.store.questions[0].number === number", arg=next_card)
            fresh.wait_for_function("() => likewise.store.clusters.some(one => one.name === 'Stays')")
            answer(fresh, true_key(fresh, truth))
            assert len(all_answered(studio)) == 22
    finally:
        studio.stop()


def test_check_07_a_tab_gets_the_token_of_one_that_was_still_loading(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    studio = StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            seen.route("**/api/**", lambda route: route.abort())
            say(seen, true_key(seen, truth))
            studio.kill()
            studio.start()
            fresh, held = opened("about:blank", wait=None), []
            # it has a token, and does not know yet whose page it is
            fresh.route("**/api/session", lambda route: held.append(route))
            fresh.goto(studio.links[0])
            fresh.wait_for_function("() => sessionStorage.getItem('likewise.token')")
            seen.unroute("**/api/**")
            seen.wait_for_function("() => document.getElementById('banner').innerText.includes('started again')")
            for route in held:
                route.continue_()
            kept(seen)
            assert len(all_answered(studio)) == 1
    finally:
        studio.stop()


def test_check_08_the_server_is_killed_between_commit_and_reply(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    studio = StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3, patch=DIES)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            say(seen, true_key(seen, truth))
            seen.wait_for_selector("#kept[data-state=lost]")
            studio.process.wait()
            assert len(all_answered(studio)) == len(seen.evaluate("likewise.unsent()")) == 1
            studio.start()
            fresh = opened(studio.links[0])
            kept(seen)  # it was sent again
            (answered,) = all_answered(studio)
            fresh.wait_for_function("() => likewise.store.state.answers === 1")
            answer(fresh, "u")
            assert [event.seq for event in all_answered(studio)][:1] == [answered.seq]
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
                say(seen, true_key(seen, truth))
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


@needs_proc
def test_check_09_the_worker_is_killed_during_a_fit(browser, tmp_path):
    truth, hold = blobs(tmp_path / "blobs.csv"), tmp_path / "hold"
    patch = held_while(hold)
    with (
        StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3, patch=patch) as studio,
        looking(browser) as opened,
    ):
        seen = opened(studio.links[0])
        studio.adopt(seen)
        first = newest(seen, studio)
        hold.touch()
        for _ in range(6):
            answer(seen, true_key(seen, truth))
        seen.wait_for_function("() => document.getElementById('fit').title === 'held'")
        (worker,) = children(studio.process.pid)
        os.kill(worker, signal.SIGKILL)
        for _ in range(3):
            answer(seen, true_key(seen, truth))
        seen.wait_for_function("() => likewise.store.state.fit.status !== 'idle'")
        assert seen.evaluate("[likewise.store.state.answers, likewise.store.result]") == [9, first]
        hold.unlink()
        assert newest(seen, studio) > first
        assert not is_alive(worker)
        assert seen.locator("#fit").inner_text() == ""
        assert seen.errors == []


@needs_proc
def test_check_30_ctrl_c_and_a_second_start(browser, tmp_path):
    truth = blobs(tmp_path / "blobs.csv")
    studio = StudioProcess(tmp_path / "blobs.csv", tmp_path / "blobs.studio", "--k", 3)
    try:
        with looking(browser) as opened:
            seen = opened(studio.links[0])
            second = studio.second_start()
            assert second.returncode != 0
            (address,) = re.findall(r"http://\S+/", second.stderr)
            other = opened(address)  # where the first one is: a tab beside the other
            assert cards(other) == cards(seen)
            answer(seen, true_key(seen, truth))
            workers = children(studio.process.pid)
            studio.stop()
            assert studio.process.returncode == 0
            assert str(studio.session) in studio.said[-1]
            assert workers
            assert not any(is_alive(worker) for worker in workers)
            for page in (seen, other):
                page.wait_for_selector("#banner:not([hidden])")
                assert "All answers are kept" in page.locator("#banner").inner_text()
            assert len(Session.read(studio.session).hints) == 1
    finally:
        studio.stop()
