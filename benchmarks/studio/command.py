"""``likewise-bench studio``: the studio under load, compared with its requirements."""

from __future__ import annotations

import csv
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
import numpy as np
from rich.console import Console

from likewise.studio import Session

from ..writing import machine, markdown, write_page
from .browser import look
from .server import Studio, resident, write_rows

RESULTS = Path(__file__).with_name("RESULTS.md")

INTRODUCTION = """\
# The studio under load

Written by `likewise-bench studio`. The studio is started as a user starts it, in a process of its own with a worker
process, and a script sends the requests of a page. `answers`: 50 answers a second while fits are running, compared with
the exported hints. `kills`: kill −9 of the server, or of its worker, at random moments while answers arrive; afterward
every answer that was confirmed as saved must be in the session exactly once. `soak`: both for many minutes, in two
studios side by side, with the memory of the one that is not killed. `soak-dask`: fits on a Dask cluster of two workers,
one of which is killed during each fit; results are compared with a fit in memory, to the bit. `size`: rows around 12
centers, 50 columns. `page`: the same in Chromium with software rendering.
"""


class Line(NamedTuple):
    """A measurement, and whether it meets the requirement."""

    what: str
    measured: str
    asked: str
    met: bool


def answers(folder: Path, count: int, rate: float = 50.0) -> list[Line]:
    """Fast answers, of which none is lost."""
    groups = write_rows(folder / "rows.npy", 3_000, 20, 10, size=5)
    studio = Studio(folder / "rows.npy", folder / "answers.studio", "--k", "20")
    kept: dict[frozenset[str], bool] = {}
    cards = studio.ask("GET", "/api/questions")["questions"]
    took, results = [], set()
    memory: dict[str, list[tuple[float, float]]] = {"server": [], "worker": []}
    began = time.monotonic()
    for number in range(count):
        if not cards:
            break
        due = began + number / rate
        time.sleep(max(due - time.monotonic(), 0))
        card = cards[0]
        start = time.monotonic()
        reply = studio.answer(card, groups)
        took.append(time.monotonic() - start)
        cards = reply["questions"]
        results.add(reply["state"]["result"])
        left, right = card["rows"][:2]
        kept[frozenset((str(left), str(right)))] = bool(groups[left] == groups[right])
        if number % 20 == 0:
            memory["server"].append((float(number), resident(studio.process.pid)))
            memory["worker"].append((float(number), sum(resident(pid) for pid in studio.workers)))
    seconds = time.monotonic() - began
    session = Session.read(studio.session)
    exported = _exported(studio)
    silenced = len(session.hints) - len(exported)
    studio.stop()
    lost = sum(exported.get(pair, same) != same for pair, same in kept.items())
    answered = sum(event.kind == "answered" for event in session.events)
    quantile = 1000 * np.quantile(took, [0.5, 0.99])
    return [
        Line(
            f"{len(took):,} answers at {rate:.0f} a second", f"{len(took) / seconds:.1f} a second", f"{rate:.0f}",
            len(took) == count and len(took) / seconds > 0.9 * rate,
        ),
        Line("answers that the session does not have, once each", str(abs(len(took) - answered)), "0",
             answered == len(took)),
        Line("exported hints that say something else", str(lost), "0", lost == 0),
        Line("hints that later answers refute, kept and not exported", str(silenced), "", met=True),
        Line("fits meanwhile", str(len(results - {None})), "some", len(results - {None}) > 1),
        Line("answer → reply with the next cards", f"{quantile[0]:.0f} ms, 99 % in {quantile[1]:.0f} ms",
             "≤ 50 ms (median)", quantile[0] <= 50),
        *(
            Line(f"memory of the {name}, each answer of the second half",
                 f"{1024 * _trend(samples)[0]:.1f} KiB, {_trend(samples)[1]:.0f} MiB in all", "", met=True)
            for name, samples in memory.items()
        ),
    ]  # fmt: skip


def _exported(studio: Studio) -> dict[frozenset[str], bool]:
    """The hints of an export."""
    number = studio.ask("POST", "/api/exports", {"key": "benchmark-export"})["export"]["number"]
    while (export := studio.ask("GET", f"/api/exports/{number}"))["status"] not in ("done", "failed"):
        time.sleep(0.2)
    assert export["status"] == "done", export
    with (Path(export["folder"]) / "hints.csv").open(encoding="utf-8", newline="") as file:
        return {frozenset((line["left"], line["right"])): line["kind"] == "must-link" for line in csv.DictReader(file)}


@dataclass
class Crashes:
    """A studio that is killed at random moments while answers arrive, and the results.

    Attributes
    ----------
    studio : Studio
    groups : (n,) ints
    kept : dict of str to int
        The answers that were confirmed as saved.
    """

    studio: Studio
    groups: np.ndarray
    kept: dict[str, int] = field(default_factory=dict)
    n: int = 0
    n_workers: int = 0
    lost: int = 0
    twice: int = 0

    def crash(self, rng: np.random.Generator) -> None:
        """Kill the server, every fourth time its worker first; check the session, and start it again."""
        person = threading.Thread(target=_go_on, args=(self.studio, self.groups, self.kept))
        person.start()
        time.sleep(rng.uniform(0.0, 1.5))
        if self.n % 4 == 3 and self.studio.workers:
            os.kill(self.studio.workers[0], signal.SIGKILL)
            self.n_workers += 1
            time.sleep(rng.uniform(0.0, 0.5))
        self.studio.process.kill()
        person.join()
        self.studio.kill()
        keys = [event.key for event in Session.read(self.studio.session).events if event.kind == "answered"]
        self.lost += len(self.kept.keys() - set(keys))
        self.twice += len(keys) - len(set(keys))
        self.n += 1
        self.studio.start()

    def lines(self) -> list[Line]:
        """The results."""
        kills = f"{self.n} kills −9 of the server ({self.n_workers} of the worker, too)"
        return [
            Line(f"kept answers lost in {kills}", str(self.lost), "0", self.lost == 0),
            Line("answers there twice", str(self.twice), "0", self.twice == 0),
            Line("answers said to be kept", f"{len(self.kept):,}", "", met=True),
        ]


def kills(folder: Path, count: int) -> list[Line]:
    """Crashes at random moments; every confirmed answer is in the session exactly once."""
    groups = write_rows(folder / "rows.npy", 3_000, 20, 10, size=5)
    crashes = Crashes(Studio(folder / "rows.npy", folder / "kills.studio", "--k", "20"), groups)
    rng = np.random.default_rng(0)
    for _ in range(count):
        crashes.crash(rng)
    crashes.studio.stop()
    return crashes.lines()


def _go_on(studio: Studio, groups: np.ndarray, kept: dict[str, int]) -> None:
    """Answer until the server dies; confirmed answers are recorded."""
    with suppress(OSError, ValueError, HTTPException):
        cards = studio.ask("GET", "/api/questions")["questions"]
        while cards:
            key = f"answer-{len(kept):06d}-{time.time_ns()}"
            reply = studio.answer(cards[0], groups, key)
            kept[key] = reply["event"]
            cards = reply["questions"]


def soak(folder: Path, minutes: int) -> list[Line]:
    """A long time under load: one studio with continuous answers, and another that is killed repeatedly."""
    groups = write_rows(folder / "rows.npy", 3_000, 20, 10, size=5)
    steady = Studio(folder / "rows.npy", folder / "steady.studio", "--k", "20")
    crashes = Crashes(Studio(folder / "rows.npy", folder / "kills.studio", "--k", "20"), groups)
    memory: dict[str, list[tuple[float, float]]] = {"server": [], "worker": []}
    end = time.monotonic() + 60 * minutes
    ended = threading.Event()
    watching = threading.Thread(target=_watch, args=(steady, memory, ended))
    watching.start()
    killing = threading.Thread(target=_crash_until, args=(crashes, end))
    killing.start()
    try:
        took = _answer_until(steady, groups, end)
        killing.join()
    finally:
        ended.set()
        watching.join()
    kept = sum(event.kind == "answered" for event in Session.read(steady.session).events)
    steady.stop()
    crashes.studio.stop()
    return [
        Line(f"{minutes} minutes of answers, 2 a second", f"{len(took):,} answers", "", met=True),
        Line("answers that the session does not have, once each", str(abs(kept - len(took))), "0", kept == len(took)),
        Line("answer → reply with the next cards", f"{1000 * np.median(took):.0f} ms", "", met=True),
        *(_flat(f"memory of the {name}", samples) for name, samples in memory.items()),
        *crashes.lines(),
    ]


def soak_dask(folder: Path, minutes: int) -> list[Line]:
    """Fits on a Dask cluster over a long time, with workers that are killed."""
    from .dask_fits import fit_until

    found = fit_until(minutes, folder)
    return [
        Line(f"{minutes} minutes of fits on a Dask cluster", f"{found.n:,} fits", "", met=True),
        Line(f"fits with another result, by {found.kills:,} kills −9 of workers", str(found.different), "0",
             found.different == 0 and found.kills > 0),
        *(_flat(f"memory of the {name}", samples) for name, samples in found.memory.items()),
    ]  # fmt: skip


def _answer_until(studio: Studio, groups: np.ndarray, end: float) -> list[float]:
    """Answer twice a second, and request the map now and then; returns the time of each answer."""
    took: list[float] = []
    cards = studio.ask("GET", "/api/questions")["questions"]
    while cards and time.monotonic() < end:
        start = time.monotonic()
        reply = studio.answer(cards[0], groups)
        took.append(time.monotonic() - start)
        cards = reply["questions"]
        if len(took) % 20 == 0 and reply["state"]["result"]:
            studio.ask("GET", f"/api/map/{reply['state']['result']}", raw=True)
        time.sleep(max(start + 0.5 - time.monotonic(), 0))
    return took


def _crash_until(crashes: Crashes, end: float) -> None:
    rng = np.random.default_rng(1)
    while time.monotonic() < end:
        crashes.crash(rng)


def _watch(studio: Studio, memory: dict[str, list[tuple[float, float]]], ended: threading.Event) -> None:
    """Record the memory of the server and of its worker every two seconds."""
    start = time.monotonic()
    while not ended.wait(2):
        now = time.monotonic() - start
        memory["server"].append((now, resident(studio.process.pid)))
        memory["worker"].append((now, sum(resident(pid) for pid in studio.workers)))


def _trend(samples: list[tuple[float, float]]) -> tuple[float, float, float]:
    """The slope of a line through the second half of samples, their median there, and how far that half reaches.

    The line goes through medians of twenty pieces, so that the peak of a fit does not count as growth.
    """
    late = np.array(samples[len(samples) // 2 :])
    pieces = np.array([np.median(piece, axis=0) for piece in np.array_split(late, min(20, len(late)))])
    slope = float(np.polyfit(pieces[:, 0], pieces[:, 1], 1)[0]) if len(pieces) > 1 else 0.0
    return slope, float(np.median(late[:, 1])), float(late[-1, 0] - late[0, 0])


def _flat(what: str, samples: list[tuple[float, float]]) -> Line:
    """Whether memory stays as it is once the program has warmed up: the second half of the time, a line through it."""
    slope, level, reach = _trend(samples)
    growth = slope * reach
    measured = f"{level:.0f} MiB, {growth:+.1f} MiB in the second half ({3600 * slope:+.0f} MiB an hour)"
    return Line(what, measured, "≤ 5 % in the second half", growth <= 0.05 * level)


def size(folder: Path, n: int) -> list[Line]:
    """Many rows: the first question, answers during the first fit, the map, and memory."""
    groups = write_rows(folder / "rows.npy", n, 12, 50)
    data = (folder / "rows.npy").stat().st_size / 2**20
    studio = Studio(folder / "rows.npy", folder / "size.studio", "--k", "12")
    start = time.monotonic()
    cards = studio.ask("GET", "/api/questions")["questions"]
    first = time.monotonic() - start
    took = []
    while studio.ask("GET", "/api/questions")["state"]["result"] is None:
        start = time.monotonic()
        cards = studio.answer(cards[0], groups)["questions"]
        took.append(time.monotonic() - start)
        time.sleep(0.2)
    number = studio.ask("GET", "/api/questions")["state"]["result"]
    start = time.monotonic()
    held = studio.ask("GET", f"/api/map/{number}", raw=True)
    mapped = time.monotonic() - start
    for _ in range(60):
        start = time.monotonic()
        cards = studio.answer(cards[0], groups)["questions"]
        took.append(time.monotonic() - start)
        time.sleep(0.1)
    memory = studio.memory
    studio.stop()
    median = 1000 * float(np.median(took))
    return [
        Line(f"{n:,} rows: command → link", f"{studio.seconds:.1f} s", "", met=True),
        Line(f"{n:,} rows: link → first question", f"{first:.2f} s", "≤ 2 s", first <= 2),
        Line("answer → next cards, most of them while a fit runs", f"{median:.0f} ms", "≤ 50 ms", median <= 50),
        Line("the map", f"{len(held) / 1e6:.2f} MB in {1000 * mapped:.0f} ms", "≤ .8 MB", len(held) <= 8 * n),
        Line(
            "memory of the server",
            f"{memory:.0f} MiB beside {data:.0f} MiB of data",
            "≤ 1 GiB beside the data",
            memory - data <= 1024,
        ),
    ]


def page(folder: Path, n: int) -> list[Line]:
    """The page in Chromium, without a graphics card."""
    write_rows(folder / "rows.npy", n, 12, 50)
    studio = Studio(folder / "rows.npy", folder / "page.studio", "--k", "12")
    try:
        seen = look(studio, n)
    finally:
        studio.stop()
    return [
        Line(f"{n:,} rows: map arrived → drawn", f"{seen.first_paint:.0f} ms", "≤ 1.5 s", seen.first_paint <= 1500),
        Line("a frame while panning, median", f"{seen.frame:.0f} ms", "≤ 40 ms", seen.frame <= 40),
        Line("the longest gap between frames", f"{seen.gap:.0f} ms", "≤ 100 ms", seen.gap <= 100),
        Line("a lasso around half of the rows", f"{seen.lasso:.0f} ms", "≤ 100 ms", seen.lasso <= 100),
        Line("the row under the pointer", f"{seen.hover:.2f} ms", "≤ 4 ms", seen.hover <= 4),
        Line("answer → next card on the page", f"{seen.card:.0f} ms", "≤ 50 ms", seen.card <= 50),
        Line("the heap of the page", f"{seen.heap:.0f} MB", "≤ 200 MB", seen.heap <= 200),
    ]


WORKS: dict[str, Callable[[Path, int], list[Line]]] = {
    "answers": answers,
    "kills": kills,
    "soak": soak,
    "soak-dask": soak_dask,
    "size": size,
    "page": page,
}
AMOUNTS = {"answers": 10_000, "kills": 200, "soak": 60, "soak-dask": 60, "size": 100_000, "page": 100_000}
QUICK = {"answers": 30, "kills": 1, "soak": 1, "soak-dask": 1, "size": 2_000, "page": 2_000}


@click.command()
@click.argument("names", nargs=-1, type=click.Choice(list(WORKS)))
@click.option("--amount", type=click.IntRange(1), help="Answers, kills, minutes or rows instead of the full number.")
@click.option("--quick", is_flag=True, help="Few of each, nothing kept: check that everything runs.")
def studio(names: tuple[str, ...], amount: int | None, quick: bool) -> None:
    """Measure fast answers, crashes, many rows and the page; all works, or those called NAMES."""
    console = Console()
    for name in names or WORKS:
        count = amount or (QUICK if quick else AMOUNTS)[name]
        with TemporaryDirectory() as folder:
            found = WORKS[name](Path(folder), count)
        lines: list[list[Any]] = [[*line[:3], "yes" if line.met else "**no**"] for line in found]
        for line in lines:
            console.print(" · ".join(str(cell) for cell in line), highlight=False, markup=False, soft_wrap=True)
        if not quick:
            _write(name, count, lines)


def _write(name: str, count: int, lines: list[list[Any]]) -> None:
    """Replace the section of a work in the page; the others are kept."""
    held = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    sections = {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip() for part in held.split("\n## ")[1:]}
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    run = f"`likewise-bench studio {name} --amount {count}`, with a load of {load} on the machine. {machine()}"
    sections[name] = f"{run}\n\n{markdown(['what', 'measured', 'asked', 'met'], lines)}"
    write_page(RESULTS, [INTRODUCTION, *(f"## {key}\n\n{sections[key]}" for key in WORKS if key in sections)])
