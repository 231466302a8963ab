"""The studio as processes: what a crash leaves, the worker, the lock, Ctrl-C, and the files that leave."""

import os
import pickle
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from likewise.cli._reading import read_data
from likewise.constraints import Constraints
from likewise.models import load
from likewise.studio import Session
from likewise.studio._export import Export
from likewise.studio._learner import Settings, Task
from likewise.studio._work import MAX_RESTARTS, Worker
from likewise.studio._worker import Inbox, Working, receive, send
from studio_process import StudioProcess, blobs, by_command, children, is_alive, needs_proc


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    folder = tmp_path_factory.mktemp("processes")
    groups = blobs(folder / "blobs.csv", n=120)
    studio = StudioProcess(folder / "blobs.csv", folder / "s.studio", "--k", 3)
    studio.groups, studio.folder = groups, folder
    yield studio
    studio.stop()


def answer_some(studio, count, name):
    """Answer cards; the events that were said to be kept."""
    kept = []
    for number in range(count):
        card = studio.ask("/api/questions")["questions"][0]
        left, right = card["rows"][:2]
        said = "same" if studio.groups[left] == studio.groups[right] else "different"
        reply = studio.act("/api/answer", f"{name}-{number}", question=card["number"], answer=said)
        kept.append((reply["event"], card["number"]))
    return kept


@needs_proc
def test_check_09_a_worker_that_is_killed_is_started_again(running):
    running.rested()
    (worker,) = children(running.process.pid)
    answer_some(running, 6, "before")
    os.kill(worker, signal.SIGKILL)
    answer_some(running, 3, "meanwhile")
    state = running.rested()
    assert state["answers"] == 9
    assert children(running.process.pid) != [worker]


def test_check_30_a_second_start_is_refused_with_the_address_of_the_first(running):
    second = running.second_start()
    assert second.returncode != 0
    assert running.address in second.stderr
    assert str(running.process.pid) in second.stderr


def test_check_26_what_is_exported_is_what_the_command_line_makes_of_it(running):
    answer_some(running, 5, "export")
    result = running.rested()["result"]
    running.act("/api/name", "name-export", cluster=0, result=result, name="=first")
    number = running.act("/api/exports", "export-all")["export"]["number"]
    assert running.act("/api/exports", "export-all")["export"]["number"] == number
    for _ in range(1800):
        export = running.ask(f"/api/exports/{number}")
        if export["status"] in ("done", "failed"):
            break
        time.sleep(0.1)
    assert export["status"] == "done", export
    folder = Path(export["folder"])
    assert {one["name"]: one["bytes"] for one in export["files"]} == {
        path.name: path.stat().st_size for path in folder.iterdir()
    }
    exported, made = by_command(export["command"], folder, running.folder / "again.csv")
    for column in ("id", "cluster", "second", "certainty"):
        assert [row[column] for row in exported] == [row[column] for row in made]
    assert {row["name"] for row in exported} == {"'=first", ""}
    assert (
        Constraints.read(folder / "hints.csv", ids=[row["id"] for row in made])
        == Session.read(running.session).constraints
    )
    model = load(folder / "model.likewise")
    assert "=first" in model.model.cluster_names_
    placed = model.place(read_data(str(running.source)).rows.X)
    assert [str(label) for label in np.asarray(placed)] == [row["cluster"] for row in exported]
    assert "=first" in (folder / "report.html").read_text()


@needs_proc
def test_check_07_and_30_kill_and_ctrl_c(running, tmp_path):
    studio = StudioProcess(running.source, tmp_path / "s.studio", "--k", 3)
    studio.groups = running.groups
    kept = answer_some(studio, 4, "first")

    def go_on():
        while studio.process.poll() is None:
            try:
                kept.extend(answer_some(studio, 1, f"more-{len(kept)}"))
            except (OSError, AssertionError, ValueError):
                return

    person = threading.Thread(target=go_on)
    person.start()
    time.sleep(0.5)
    workers = children(studio.process.pid)
    studio.kill()
    person.join()
    for _ in range(600):
        if not any(is_alive(worker) for worker in workers):
            break
        time.sleep(0.1)
    assert not any(is_alive(worker) for worker in workers)
    session = Session.read(studio.session)
    answered = {event.seq: event.body["question"] for event in session.events if event.kind == "answered"}
    assert all(answered.get(event) == question for event, question in kept)
    address = studio.address
    studio.start()
    assert studio.address == address
    assert studio.state()["answers"] == len(answered)
    answer_some(studio, 1, "last")
    studio.stop()
    assert studio.process.returncode == 0
    assert str(studio.session) in studio.said[-1]


def test_check_08_killed_between_commit_and_reply_it_is_one_event(running, tmp_path):
    patch = (
        "import os\nfrom likewise.studio._acts import Acts\nreply = Acts.reply\n"
        "def die(self, event, *rest, **more):\n"
        "    os._exit(9) if event.kind == 'answered' else None\n"
        "    return reply(self, event, *rest, **more)\n"
        "Acts.reply = die\n"
    )
    studio = StudioProcess(running.source, tmp_path / "s.studio", "--k", 3, patch=patch)
    card = studio.ask("/api/questions")["questions"][0]
    with pytest.raises(OSError, match=r"."):
        studio.act("/api/answer", "the-same-key", question=card["number"], answer="same")
    studio._ended()
    studio.start()
    reply = studio.act("/api/answer", "the-same-key", question=card["number"], answer="same")
    assert reply["again"]
    assert reply["state"]["answers"] == 1
    studio.stop()


# -- the worker in this process ----------------------------------------------------------------------------------------
class Pipe:
    """A worker's loop in a thread, and both ends of its pipes."""

    def __init__(self, rows):
        (read_in, write_in), (read_out, write_out) = os.pipe(), os.pipe()
        self.to, self.back = os.fdopen(write_in, "wb"), os.fdopen(read_out, "rb")
        self._held = os.fdopen(read_in, "rb"), os.fdopen(write_out, "wb")
        send(self.to, (rows, Settings(), None, None))
        self.ended = threading.Event()
        inbox = Inbox(self._held[0], self.ended.set)
        threading.Thread(target=Working(inbox, self._held[1]).run, daemon=True).start()

    def close(self):
        """As the end of the server does."""
        self.to.close()
        assert self.ended.wait(60)
        for stream in (self.back, *self._held):
            stream.close()

    def until(self, wanted):
        while True:
            kind, content = receive(self.back)
            if kind == wanted:
                return content


def test_the_worker_learns_at_once_from_much_and_after_a_rest_from_little(tmp_path, monkeypatch):
    monkeypatch.setattr("likewise.studio._worker.REST", 0.2)
    blobs(tmp_path / "blobs.csv", n=60)
    rows = read_data(str(tmp_path / "blobs.csv")).rows
    pipe = Pipe(rows)
    assert pipe.until("result").clusters == []
    none = Constraints(60)
    send(pipe.to, Task(1, none, 3))
    assert len(pipe.until("result").clusters) == 3
    ready = pipe.until("ready")
    assert (ready.upto, ready.current) == (1, True)
    assert ready.questions["pair", 4]
    send(pipe.to, Task(2, Constraints(60, [(0, 1)]), 3))
    ready = pipe.until("ready")
    assert (ready.upto, ready.current) == (2, False)
    assert pipe.until("result").upto == 2
    assert pipe.until("ready").current
    send(pipe.to, Task(3, none, 3))  # taken back
    assert pipe.until("result").upto == 3
    export = Export(1, tmp_path / "out" / "0001", none, 3, [], "blobs", "likewise cluster")
    send(pipe.to, export)
    assert pipe.until("export") == (1, "fitting")
    assert pipe.until("export") == (1, "writing")
    number, status, files = pipe.until("export")
    assert (number, status) == (1, "done")
    assert len(files) == 5
    (tmp_path / "no").write_text("a file where a folder should be")
    send(pipe.to, pickle.loads(pickle.dumps(Export(2, tmp_path / "no" / "2", none, 3, [], "b", ""))))
    assert pipe.until("export")[:2] == (2, "failed")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["0001"]
    pipe.close()


def test_a_worker_that_cannot_begin_is_started_three_times(monkeypatch):
    told = "import pickle, sys; data = pickle.dumps(('failed', 'no')); out = sys.stdout.buffer; " \
           "out.write(len(data).to_bytes(8, 'little') + data); out.flush(); sys.exit(3)"  # fmt: skip
    monkeypatch.setattr(Worker, "command", [sys.executable, "-S", "-c", told])
    heard = []
    done = threading.Event()

    def hear(kind, content):
        heard.append(kind)
        if kind == "ended" and not worker.restart():
            done.set()

    worker = Worker(lambda: (None, Settings(), None, None), hear)
    worker.start()
    assert done.wait(60)
    assert heard.count("ended") == MAX_RESTARTS + 1
    assert "failed" in heard
    worker.close()


ECHO = """
import pickle, sys
stream, out = sys.stdin.buffer, sys.stdout.buffer
while size := stream.read(8):
    data = pickle.dumps(("heard", pickle.loads(stream.read(int.from_bytes(size, "little")))))
    out.write(len(data).to_bytes(8, "little") + data)
    out.flush()
"""


def test_what_waits_when_a_worker_ends_goes_to_the_one_started_after_it(monkeypatch):
    monkeypatch.setattr(Worker, "command", [sys.executable, "-S", "-c", ECHO])
    heard, learned = threading.Event(), threading.Event()

    def hear(kind, content):
        if kind == "ended":
            worker.restart()
            worker.learn("task")
        elif content == "begin":
            heard.set()
        elif content == "task":
            learned.set()

    worker = Worker(lambda: "begin", hear)
    worker.start()
    for _ in range(MAX_RESTARTS):
        assert heard.wait(60)
        heard.clear()
        learned.clear()
        worker._process.kill()
        assert learned.wait(60)
    worker.close()
