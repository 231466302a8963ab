"""What is tried on files that fail: every command that writes, and the parts of the studio that keep something."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from likewise._leftovers import remove_leftovers
from likewise.cli import main
from likewise.cli._reading import read_data
from likewise.constraints import Constraints
from likewise.evaluation import Ledger
from likewise.studio._export import Export, write_export
from likewise.studio._learner import Learner, Settings
from likewise.studio._log import EventLog, NotKeptError, SessionFileError

State = dict[str, bytes]
Tell = Callable[[str], object]
Fresh = Callable[[Callable[[Tell], int]], State]

ROWS = list(range(0, 150, 5))
HIDDEN = ".likewise-"


def contents(folder: Path) -> State:
    """All files in a folder, but for hidden ones of writers."""
    found = [path for path in folder.rglob("*") if path.is_file() and HIDDEN not in str(path)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def hidden(folder: Path) -> list[str]:
    """Files and folders that writers have left."""
    return [str(path.relative_to(folder)) for path in folder.rglob(f"{HIDDEN}*")]


def folders(folder: Path) -> list[Path]:
    """A folder and those in it, but for hidden ones."""
    return [folder, *(path for path in folder.rglob("*") if path.is_dir() and HIDDEN not in str(path))]


def write_inputs(folder: Path) -> None:
    """Thirty flowers as a table and in parts, hints about them, and a folder for outputs."""
    X, y = load_iris(return_X_y=True)
    X, y = X[ROWS], y[ROWS]
    table = pd.DataFrame(X, columns=list("abcd"))
    table.insert(0, "id", [f"f{row}" for row in ROWS])
    table.to_csv(folder / "flowers.csv", index=False)
    table.assign(kind=y).to_csv(folder / "classed.csv", index=False)
    Constraints.sample(y, "equal", 6, random_state=0).write(folder / "hints.csv", ids=list(table["id"]))
    for name in ("parts", "there"):
        (folder / name).mkdir()
    for part in range(3):
        piece = table.iloc[10 * part : 10 * part + 10]
        piece.to_parquet(folder / "parts" / f"{part}.parquet")
        np.save(folder / "parts" / f"{part}.npy", piece[list("abcd")].to_numpy())


class Command:
    """A command line, and what it may leave behind.

    Parameters
    ----------
    line : str
        What follows ``likewise``.
    before : str
        The command that made what is there; "": nothing is.
    answers : sequence of str
        Lines of standard input. After each of them the outputs are to be those of that many lines.
    first : str
        A command whose outputs are inputs here.
    """

    def __init__(self, line: str, before: str = "", *, answers: Sequence[str] = (), first: str = "") -> None:
        self.name = f"likewise {line}" + (", over older files" if before else "")
        self._line, self._before, self._answers, self._first = line, before, answers, first
        self._allowed: list[State] = []

    def prepare(self, folder: Path) -> None:
        """Write what is there beforehand."""
        write_inputs(folder)
        for line in (self._first, self._before):
            if line and _call(line) != 0:
                raise AssertionError(f"likewise {line} failed")

    def learn(self, folder: Path, fresh: Fresh) -> None:
        """Note what the outputs may be: those of before, those of afterwards, and those after each answer."""
        self._allowed = [contents(folder)]
        for n in range(1, len(self._answers)):
            self._allowed.append(fresh(lambda tell, n=n: _call(self._line, self._answers[:n])))
        self._allowed.append(fresh(lambda tell: self.run(folder, tell)))
        assert self._allowed[0] != self._allowed[-1], f"{self.name} changes nothing"

    def run(self, folder: Path, tell: Tell) -> int:
        """Run it."""
        return _call(self._line, self._answers)

    def recover(self, folder: Path) -> None:
        """What the next command does first, in folders that it writes to."""
        for _ in range(2):  # files that belong together may lie in two folders
            for each in folders(folder):
                remove_leftovers(each)

    def wrong(self, folder: Path, *, done: bool, told: Sequence[str]) -> str:
        """What is wrong with the outputs; empty if nothing is."""
        state = contents(folder)
        if done:
            return "" if state == self._allowed[-1] else f"not as it should be: {self._differs(state, -1)}"
        if state in self._allowed:
            return ""
        return f"neither old ({self._differs(state, 0)} differ) nor new ({self._differs(state, -1)} differ)"

    def _differs(self, state: State, which: int) -> str:
        known = self._allowed[which]
        return ", ".join(sorted(name for name in {*state, *known} if state.get(name) != known.get(name)))


def _call(line: str, answers: Sequence[str] = ()) -> int:
    sys.stdin = io.StringIO("".join(f"{answer}\n" for answer in answers))
    try:
        main(line.split())
    except SystemExit as end:
        return int(end.code or 0)
    return 0


class Asking(Command):
    """Questions that are answered: a second start goes on after the answers that were kept."""

    def run(self, folder: Path, tell: Tell) -> int:
        """Give the answers that are not there yet."""
        kept = Path("answers.csv").read_text("utf-8").count("\n") - 1 if Path("answers.csv").exists() else 0
        return _call(self._line, self._answers[kept:])


class Comparing(Command):
    """Values that are appended as they come: lines are whole, those of before are all there."""

    def wrong(self, folder: Path, *, done: bool, told: Sequence[str]) -> str:
        """See above."""
        if done:
            return super().wrong(folder, done=True, told=told)
        found = Ledger(folder / "values.csv").read() if (folder / "values.csv").exists() else {}
        for state, must in ((self._allowed[0], True), (self._allowed[-1], False)):
            other = folder / "known.csv"
            if "values.csv" not in state:
                continue
            other.write_bytes(state["values.csv"])
            known = Ledger(other).read()
            other.unlink()
            if must and any(
                found.get(cell, {}).get(seed) != known[cell][seed] for cell in known for seed in known[cell]
            ):
                return "values of before are missing"
            if not must and any(known[cell][seed] != found[cell][seed] for cell in found for seed in found[cell]):
                return "there are values that nobody wrote"
        return ""


class Exporting(Command):
    """The studio's export: a folder with all files, or none."""

    def __init__(self) -> None:
        super().__init__("")
        self.name = "studio: an export"

    def prepare(self, folder: Path) -> None:
        """The flowers."""
        write_inputs(folder)

    def learn(self, folder: Path, fresh: Fresh) -> None:
        """Fit once, for all trials."""
        self._learner = Learner(read_data(str(folder / "flowers.csv")).rows, Settings(0))
        self._hints = Constraints.read(folder / "hints.csv", ids=self._learner.rows.ids)
        model = self._learner.fresh(self._hints, 3)
        self._learner.fresh = lambda *given: model
        super().learn(folder, fresh)

    def run(self, folder: Path, tell: Tell) -> int:
        """Export."""
        export = Export(1, Path("exports.d", "0001").absolute(), self._hints, 3, [], "flowers", "likewise cluster")
        try:
            write_export(export, self._learner, tell)
        except OSError as error:
            print(f"Error: {error}", file=sys.stderr)
            return 1
        return 0


class SessionLog:
    """The studio's session: what was said to be kept is there, once, and the file opens again."""

    name = "studio: answers to the session file"
    _keys = ("key-1", "key-2", "key-3", "key-4")

    def prepare(self, folder: Path) -> None:
        """A session that has begun."""
        log = EventLog(folder / "s.studio")
        log.add_data({"name": "d"}, ["a", "b"], None)
        log.append("named", {"name": "first"}, key="first")
        log.close()

    def learn(self, folder: Path, fresh: Fresh) -> None:
        """Nothing."""

    def run(self, folder: Path, tell: Tell) -> int:
        """Ask and answer."""
        try:
            log = EventLog(folder / "s.studio")
        except (SessionFileError, OSError) as error:
            print(f"Error: {error}", file=sys.stderr)
            return 1
        kept = []
        for key in self._keys:
            if self._is_kept(log, key):
                kept.append(key)
                tell(key)
        log.close()
        if kept == list(self._keys):
            return 0
        print(f"Error: {folder / 's.studio'}: {', '.join(kept)} alone are kept", file=sys.stderr)
        return 1

    def _is_kept(self, log: EventLog, key: str) -> bool:
        """Answer; what could not be kept is sent again, as the page does."""
        for _ in range(3):
            with suppress(NotKeptError):
                log.ask([{"rows": [key]}], "")
                log.append("answered", {"rows": [key] * 300}, key=key)
                return True
        return False

    def recover(self, folder: Path) -> None:
        """Nothing: SQLite does it when the file is opened."""

    def wrong(self, folder: Path, *, done: bool, told: Sequence[str]) -> str:
        """See above."""
        log = EventLog(folder / "s.studio")
        try:
            keys = [event.key for event in log.events()]
            whole = log._connection.execute("PRAGMA integrity_check").fetchone()[0]
        finally:
            log.close()
        if whole != "ok":
            return f"the file is damaged: {whole}"
        if lost := [key for key in told if key not in keys]:
            return f"said to be kept, and lost: {', '.join(lost)}"
        if len(keys) != len(set(keys)):
            return "an answer is there twice"
        if done and set(keys) != {"first", *self._keys}:
            return "not all answers are there"
        return ""


class NewSession(SessionLog):
    """A session that is made: it is there, or can be made the next time."""

    name = "studio: a new session file"

    def prepare(self, folder: Path) -> None:
        """Nothing."""

    def run(self, folder: Path, tell: Tell) -> int:
        """Begin a session as the studio does."""
        try:
            log = EventLog(folder / "s.studio")
            if not log.generations():
                log.add_data({"name": "d"}, ["a", "b"], None)
            log.append("named", {"name": "first"}, key="first")
            log.close()
        except (SessionFileError, OSError) as error:
            print(f"Error: {error}", file=sys.stderr)
            return 1
        tell("first")
        return super().run(folder, tell)

    def wrong(self, folder: Path, *, done: bool, told: Sequence[str]) -> str:
        """See above."""
        return super().wrong(folder, done=done, told=told) if told else ""


TRIO = "cluster flowers.csv --hints hints.csv --k {} --method pck --out c.csv --model m.likewise --report r.html"
APART = "cluster flowers.csv --k {} --method pck --out c.parquet --model there/m.likewise"
PARTS = "cluster parts/*.parquet --k {} --method pck --out c.csv --model there/m.likewise"
SHEET = "ask flowers.csv --hints hints.csv --k 3 --n {} --out sheet.csv"
ASKING = "ask flowers.csv --k 3 --answers answers.csv"
COMPARING = "compare classed.csv --label kind --methods k-means,pck --amounts 6 --repeats {} --out values.csv"

SCENARIOS = {
    "trio": Command(TRIO.format(3), TRIO.format(2)),
    "trio-new": Command(TRIO.format(3)),
    "apart": Command(APART.format(3), APART.format(2)),
    "parts": Command(PARTS.format(3), PARTS.format(2)),
    "parts-npy": Command(*(f"cluster parts/*.npy --k {k} --method pck --out c.npy" for k in (3, 2))),
    **{
        suffix: Command(*(f"cluster flowers.csv --k {k} --method pck --out c.{suffix}" for k in (3, 2)))
        for suffix in ("tsv", "jsonl", "npy", "parquet")
    },
    "reduce": Command(
        "reduce flowers.csv --hints hints.csv --dims 2 --out r.csv --model m.likewise",
        "reduce flowers.csv --hints hints.csv --dims 1 --out r.csv --model m.likewise",
    ),
    "reduce-parts": Command(
        *(f"reduce parts/*.parquet --dims {dims} --out r.parquet --model m.likewise" for dims in (2, 1))
    ),
    "assign": Command(
        "assign m.likewise flowers.csv --out a.csv",
        "hints sample classed.csv --label kind --amount 9 --out a.csv",
        first="cluster flowers.csv --k 3 --method pck --model m.likewise",
    ),
    "assign-parts": Command(
        "assign m.likewise parts/*.parquet --out a.parquet",
        first="cluster parts/*.parquet --k 3 --method pck --out c.csv --model m.likewise",
    ),
    "hints-sample": Command(
        "hints sample classed.csv --label kind --amount 9 --out h.json",
        "hints sample classed.csv --label kind --amount 5 --out h.json",
    ),
    "hints-check": Command("hints check hints.csv --entailed e.parquet"),
    "ask-sheet": Command(SHEET.format(3), SHEET.format(2)),
    "ask": Asking(ASKING, answers=["s", "d", "d", "q"]),
    "compare": Comparing(COMPARING.format(2), COMPARING.format(1)),
    "export": Exporting(),
    "session": SessionLog(),
    "session-new": NewSession(),
}


class InPlace(Command):
    """A writer as there must be none: it writes in place. It shows that trials notice."""

    def run(self, folder: Path, tell: Tell) -> int:
        """Write two files in place."""
        for name in ("c.csv", "d.csv"):
            Path(name).write_text("new" * 1000)
        return 0


SELF_TEST = {"in-place": InPlace("cluster flowers.csv --k 3 --method pck --out c.csv")}
