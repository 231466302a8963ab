"""The studio in a process of its own, as a user starts it, and pages that look at it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from likewise.cli import main
from likewise.studio import Session

PLAIN = "from likewise.cli import main\nmain()\n"
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def blobs(path, n=300, k=3, seed=0):
    """A table of rows that lie in plain groups, and the group of each."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(scale=6, size=(k, 4))
    groups = np.sort(rng.integers(k, size=n))
    table = pd.DataFrame(centers[groups] + rng.normal(size=(n, 4)), columns=["north", "east", "depth", "heat"])
    table.insert(0, "id", [f"r{row:03d}" for row in range(n)])
    table.round(3).to_csv(path, index=False)
    return groups


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children of a process are read in /proc")


def children(pid):
    """The processes that a process has started."""
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(child) for child in listed.read_text().split()]
    return found


def is_alive(pid):
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def in_worker(code):
    """A patch of a studio: Python that runs in its worker before it begins."""
    code += "\nfrom likewise.studio import _worker\n_worker.main()\n"
    return f"""
import sys
from likewise.studio._work import Worker

Worker.command = [sys.executable, "-c", {code!r}]
"""


def held_while(path):
    """A patch of a studio: no fit begins as long as a file is there."""
    return in_worker(f"""
import os, time
from likewise._progress import stage
from likewise.studio import _learner

fit = _learner.Learner.fit

def held(self, *given):
    with stage("held"):
        while os.path.exists({str(path)!r}):
            time.sleep(0.05)
    return fit(self, *given)

_learner.Learner.fit = held
""")


class StudioProcess:
    """`likewise studio …` in a process; `patch` is Python that runs before it."""

    def __init__(self, source, session, *options, patch=""):
        self.source, self.session, self.options = str(source), Path(session), options
        self.start(patch)

    def start(self, patch=""):
        """Start it, or start it again on the same session."""
        command = [sys.executable, "-c", patch + PLAIN, "studio", self.source, "--no-open", "--session"]
        command += [str(self.session), *map(str, self.options)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            cwd=self.session.parent,
        )
        self.said = []
        links = []
        for line in self.process.stdout:
            self.said.append(line)
            if found := re.match(r"open (\S+)", line):
                links.append(found[1])
                if len(links) == self.n_people:
                    break
        assert links, "".join(self.said)
        self.links = links
        self.address = links[0].partition("#")[0]
        self._tokens = {}
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def _read(self, stream):
        with stream:
            self.said.extend(stream)

    @property
    def n_people(self):
        """How many links it prints."""
        return 1 + str(self.options[self.options.index("--people") + 1]).count(",") if "--people" in self.options else 1

    def token(self, who=0):
        """Of a person, by the link that was printed."""
        if who not in self._tokens:
            code = self.links[who].partition("#")[2]
            self._tokens[who] = self.request("/api/enter", {"code": code})["token"]
        return self._tokens[who]

    def adopt(self, page, who=0):
        """Take the token of a page that has entered."""
        self._tokens[who] = page.evaluate("sessionStorage.getItem('likewise.token')")

    def first_link(self):
        """The link that was printed, which works once; where it was used, a fresh one."""
        return self.link() if self._tokens else self.links[0]

    def link(self, who=0, name=""):
        """A fresh link."""
        return self.ask("/api/link", {"name": name}, who=who)["link"]

    def ask(self, path, body=None, *, who=0):
        """What a page would ask, with the token."""
        return self.request(path, body, {"Authorization": f"Bearer {self.token(who)}"})

    def act(self, path, key, who=0, **body):
        """Do something, as a page would."""
        return self.ask(path, {"key": f"test-{key}", **body}, who=who)

    def request(self, path, body=None, headers=None):
        """JSON of an address."""
        data = None if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", **(headers or {})}
        request = urllib.request.Request(self.address.rstrip("/") + path, data, sent)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.code} {error.read().decode()}") from None

    def state(self, who=0):
        """What every reply says."""
        return self.ask("/api/questions", who=who)["state"]

    def numbers(self, who=0):
        """Of the cards that are to be answered."""
        return [card["number"] for card in self.ask("/api/questions", who=who)["questions"]]

    def until(self, wanted, seconds=180):
        """The state once it is as wanted."""
        for _ in range(int(seconds / 0.1)):
            state = self.state()
            if wanted(state):
                return state
            time.sleep(0.1)
        raise AssertionError(f"it did not come to that: {state}")

    def rested(self):
        """Wait until there is a result that knows all hints."""
        return self.until(lambda state: state["result"] and not state["waiting"])

    def second_start(self):
        """What comes of another start on the same session."""
        command = [sys.executable, "-m", "likewise", "studio", self.source, "--session", str(self.session), "--no-open"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def kill(self):
        """As a crash does."""
        self.process.kill()
        self._ended()

    def _ended(self):
        self.process.wait()
        self._reader.join()

    def stop(self):
        """As Ctrl-C does."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(60)
        if self.process.poll() is None:
            self.kill()
        self._ended()


@contextmanager
def looking(browser, **options):
    """A browser window whose pages note what they request and what goes wrong."""
    given = {"viewport": {"width": 1280, "height": 860}, "reduced_motion": "reduce", **options}
    context = browser.new_context(**given)
    context.set_default_timeout(120_000)

    def note(page, said):
        """What goes wrong, but for a result that a newer one has replaced before a busy page fetched it."""
        address = said.location["url"]
        if "409" not in said.text or not re.search(r"/api/(map|clusters)/\d+$", address):
            page.errors.append(f"{said.text} {address}")

    def opened(link, *, wait=".question h2"):
        page = context.new_page()
        page.requests, page.errors = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and note(page, said))
        page.goto(link)
        if wait:
            page.wait_for_selector(wait)
        return page

    yield opened
    context.close()


def cards(page):
    """The numbers of the cards that the page has, the first of them shown."""
    return page.evaluate("likewise.store.questions.map(card => card.number)")


def card(page):
    """The rows of the card."""
    return page.evaluate("likewise.store.questions[0].rows")


def kept(page):
    """Wait until everything is kept."""
    page.wait_for_function(
        "() => document.getElementById('kept').dataset.state === 'kept' && !likewise.unsent().length"
    )


def up_to_date(page, studio):
    """Wait until the card that is shown was not answered elsewhere, as in another tab."""
    for _ in range(1200):
        if set(cards(page)[:1]) <= set(studio.numbers()):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"the page shows {cards(page)[:1]}, and the studio asks {studio.numbers()}")


def say(page, key):
    """Press a key, and wait for the next card."""
    before = cards(page)[0]
    page.keyboard.press(key)
    page.wait_for_function(
        "before => likewise.store.questions.length && likewise.store.questions[0].number !== before", arg=before
    )


def answer(page, key):
    """Press a key, and wait until the answer is kept."""
    say(page, key)
    kept(page)


def true_key(page, truth):
    """The key of the right answer to the pair that is shown."""
    left, right = card(page)
    return "y" if truth[left] == truth[right] else "n"


def answer_all(page, truth, count, wrong=()):
    """Answer pairs: rightly, but for those with the numbers that are wrong; contradictions are left for later.

    Returns the names of the rows of those that are wrong.
    """
    found = set()
    for number in range(count):
        key = true_key(page, truth)
        if number in wrong:
            found.add(frozenset(f"r{row:03d}" for row in card(page)))
            key = {"y": "n", "n": "y"}[key]
        answer(page, key)
        if page.locator(".turned").count():
            page.keyboard.press("Escape")
    return found


def clusters_of_rows(page):
    """The color and the name of the cluster of each row, as the page has them."""
    return page.evaluate(
        """[...likewise.map.cluster].map(number => likewise.store.clusters[number])
        .map(cluster => [cluster.color, cluster.name])"""
    )


def newest(page, studio):
    """Wait until a result that knows all hints is shown; its number."""
    result = studio.rested()["result"]
    page.wait_for_function("result => likewise.store.result === result && !likewise.map.flying", arg=result)
    return result


def hints(studio):
    """All hints that count, in a form that can be compared."""
    return sorted((hint.kind, *sorted((hint.left, hint.right))) for hint in Session.read(studio.session).hints)


def last_words(studio):
    """What was done last, in words."""
    return studio.ask("/api/history?n=1")["events"][0]["words"]


def undone(studio, before):
    """Undo until the hints are those of before."""
    for _ in range(200):
        if hints(studio) == before:
            return
        studio.act("/api/undo", f"undone-{uuid.uuid4()}")
    raise AssertionError("undo did not lead back")


def by_command(command, folder, out):
    """The labels that an export has, and those that its command makes of its hints."""
    arguments = command.replace("hints.csv", str(folder / "hints.csv")).split()[1:]
    again = CliRunner().invoke(main, [*arguments, "--out", str(out), "--quiet"])
    assert again.exit_code == 0, again.output
    return [list(csv.DictReader(io.StringIO(path.read_text()))) for path in (folder / "labels.csv", out)]
