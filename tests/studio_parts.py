"""A studio in this process: its worker's learner is called in turn, so that nothing depends on time."""

from __future__ import annotations

import itertools
import threading
from contextlib import contextmanager

import numpy as np

from likewise.cli._reading import read_data
from likewise.studio._gate import Gate
from likewise.studio._learner import Learner, Settings
from likewise.studio._serve import Application, Server, bind
from likewise.studio._studio import Studio


def write_blobs(path, n=60, k=3, *, seed=0, ids=True):
    """A table of rows in plain groups; returns the group of each."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(scale=8, size=(k, 3))
    groups = np.arange(n) % k
    values = centers[groups] + rng.normal(size=(n, 3))
    lines = [f"r{row}," * ids + ",".join(f"{value:.3f}" for value in values[row]) for row in range(n)]
    path.write_text("\n".join(["id," * ids + "north,east,depth", *lines]))
    return groups


class Seat:
    """A person at a studio, without a page."""

    def __init__(self, studio, groups, who=""):
        self.studio, self.groups, self.who = studio, groups, who
        self._keys = (f"key-{who}-{number:06d}" for number in itertools.count())

    def key(self):
        return next(self._keys)

    def card(self):
        return self.studio.views.questions(self.who)[0]

    def truth(self, card):
        """The right answer to a card."""
        groups = [int(self.groups[row]) for row in card["rows"]]
        if card["kind"] == "pair":
            return "same" if groups[0] == groups[1] else "different"
        if card["kind"] == "choice":
            return [place for place, group in enumerate(groups[1:], 1) if group == groups[0]][:1] or 0
        return groups

    def answer(self, said=None):
        """Answer the card that is shown: rightly, unless said otherwise."""
        card = self.card()
        said = self.truth(card) if said is None else said
        return self.studio.acts.answer(self.who, self.key(), card["number"], said, 10)


class Learning:
    """What the worker does, when it is told to."""

    def __init__(self, studio):
        self.studio = studio
        self.learner = Learner(studio.rows, Settings(studio.seed))

    def before(self):
        self.studio._on_message("result", self.learner.before())

    def fit(self):
        task = self.studio._task()
        self.studio._on_message("result", self.learner.fit(task))
        self.studio._on_message("ready", self.learner.ready(task))
        return self.studio.results.newest


def open_studio(path, source, **options):
    """A studio without a worker."""
    studio = Studio(path, read_data(str(source)).rows, name="blobs", **{"n_clusters": 3, **options})
    for who in studio.people or [""]:
        studio.cards.desk(who)
    return studio


@contextmanager
def serving(studio):
    """The studio's server on a free port, in a thread."""
    held = bind(None, None)
    gate = Gate(held.getsockname()[1])
    server = Server(Application(studio, gate))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [held]}, daemon=True)
    thread.start()
    try:
        yield gate
    finally:
        server.should_exit = True
        thread.join(120)
        assert not thread.is_alive(), "the server did not end"
        held.close()


def predicted_of(events):
    """Of the log alone: predicted control answers among the last 20 that had a prediction, these, and all of them."""
    control = [event.body for event in events if event.kind == "answered" and event.body["control"]]
    told = [(body["said"][0], body["chances"][0]) for body in control if body.get("chances")]
    last = [(said == "same") == (chance >= 0.5) for said, chance in told if said in ("same", "different")][-20:]
    return sum(last), len(last), len(control)
