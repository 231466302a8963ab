"""Run scenarios on files that fail: every operation on a file fails once in every way, or the process dies there.

``make faults`` runs all of it. After each trial: files are those of before or those of afterwards, all of them; the
error is one line that names a file; the next run gives the files of a run without faults, and nothing is left over.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from layer import KINDS, Layer, build, kinds_at, run_under, why_not

Work = Callable[[Callable[[str], object]], int | None]

LIMIT_S = 60
CRASHED = 70


@dataclass
class Ended:
    """How a process ended."""

    code: int
    died: bool
    told: list[str]
    errors: str
    trace: list[str]


class Trials:
    """All trials of a scenario, in a folder of their own.

    Parameters
    ----------
    scenario : scenario
    base : Path
    """

    def __init__(self, scenario: Any, base: Path) -> None:
        self.scenario = scenario
        self._layer = Layer()
        self._template, self._folder = base / "template", base / "tried"
        self._errors = base / "errors.txt"
        self._template.mkdir()
        prepared = self._apart(self._template, lambda tell: scenario.prepare(self._template))
        assert prepared.code == 0, prepared.errors
        scenario.learn(self._template, self._fresh)
        self._begin()
        self.operations = self._apart(self._folder, lambda tell: scenario.run(self._folder, tell), watch=True).trace

    def _begin(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        shutil.copytree(self._template, self._folder)

    def _fresh(self, work: Work) -> dict[str, bytes]:
        from scenarios import contents

        self._begin()
        ended = self._apart(self._folder, work)
        assert ended.code == 0, ended.errors
        return contents(self._folder)

    def _apart(self, folder: Path, work: Work, *, n: int = -1, kind: str = "watch", watch: bool = False) -> Ended:
        """Do something in a process of its own, with its n-th operation failing."""
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            os.close(told)
            code = CRASHED
            try:
                os.chdir(folder)
                out = os.open(self._errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                os.dup2(out, 2)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                signal.setitimer(signal.ITIMER_PROF, LIMIT_S)  # of the processor: the machine may be busy
                signal.alarm(15 * LIMIT_S)
                self._layer.arm(folder, n, kind)
                code = _run(work, lambda what: os.write(tell, f"told {what}\n".encode()))
                self._layer.disarm()
                if watch:
                    os.write(tell, "".join(f"did {line}\n" for line in self._layer.trace()).encode())
                sys.stderr.flush()
            finally:
                os._exit(code)
        os.close(tell)
        with os.fdopen(told, encoding="utf-8", errors="surrogateescape") as pipe:
            lines = pipe.read().splitlines()
        status = os.waitpid(child, 0)[1]
        died = os.WIFSIGNALED(status)
        killed = died and os.WTERMSIG(status) == signal.SIGKILL
        return Ended(
            -1 if killed else CRASHED if died else os.WEXITSTATUS(status),
            killed,
            [line[5:] for line in lines if line.startswith("told ")],
            self._errors.read_text(encoding="utf-8", errors="replace")
            + (f"ended by signal {os.WTERMSIG(status)}" if died and not killed else ""),
            [line[4:] for line in lines if line.startswith("did ")],
        )

    def try_one(self, n: int, kind: str) -> str:
        """Let the n-th operation fail; returns what is wrong afterwards."""
        from scenarios import hidden

        self._begin()
        scenario, folder = self.scenario, self._folder
        ended = self._apart(folder, lambda tell: scenario.run(folder, tell), n=n, kind=kind)
        if kind.startswith("dies") != ended.died and ended.code != 0:
            if ended.died:
                return "it died, and was not to"
            if kind.startswith("dies"):
                return f"it was to die, and ended with {ended.code}: {ended.errors}"
        if ended.code == CRASHED or "Traceback" in ended.errors:
            return f"it crashed: {ended.errors[-600:]}"
        if ended.code > 0 and (wrong := _wrong_message(ended.errors)):
            return wrong
        may_leave = kind == "broken" or self.operations[n].startswith("unlink")
        if ended.code > 0 and not may_leave and (left := hidden(folder)):
            return f"left over: {', '.join(left)}"
        if ended.code <= 0 or may_leave:
            scenario.recover(folder)
        try:
            wrong = scenario.wrong(folder, done=ended.code == 0, told=ended.told)
        except Exception:
            wrong = traceback.format_exc(limit=-2)
        if wrong:
            return f"{wrong} ({ended.errors.strip()[-200:]})"
        if left := hidden(folder):
            return f"nobody removes {', '.join(left)}"
        return self._wrong_next_time(ended.told) if kind == "dies" else ""

    def _wrong_next_time(self, told: list[str]) -> str:
        """What is wrong after the same is done again, without faults."""
        from scenarios import hidden

        scenario, folder = self.scenario, self._folder
        again = self._apart(folder, lambda tell: scenario.run(folder, tell))
        if again.code != 0:
            return f"the next run failed: {again.errors[-600:]}"
        if wrong := scenario.wrong(folder, done=True, told=[*told, *again.told]):
            return f"after the next run {wrong}"
        left = hidden(folder)
        return f"the next run left {', '.join(left)}" if left else ""


def _run(work: Work, tell: Callable[[str], object]) -> int:
    """The exit code of some work; that of a crash where an exception gets through."""
    try:
        return work(tell) or 0
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return CRASHED


def wrong_order(operations: list[str]) -> list[str]:
    """What a power cut could undo in the wrong order.

    A file is synced after its last write and before it takes its name; its folder afterwards; and a journal is removed
    when the folders of all names have been synced.
    """
    found = []
    last: dict[str, str] = {}  # the last write or sync of each path
    renamed: dict[str, str] = {}  # folders whose names are not synced yet
    for line in operations:
        operation, path, *more = line.replace(" of ", " ").split(" ")
        if operation in ("write", "sync"):
            last[path] = operation
            if operation == "sync":
                renamed.pop(path, None)
        elif operation == "rename":
            if last.get(more[0]) != "sync":
                found.append(f"{line}: not synced before")
            renamed[path.rpartition("/")[0]] = line
        elif operation == "unlink" and path.endswith(".undo") and renamed:
            found.append(f"{line}: before the names were synced")
    return [*found, *(f"{line}: the name is not synced" for line in renamed.values())]


def _wrong_message(errors: str) -> str:
    """What is wrong with what a command says when it fails."""
    lines = [line for line in errors.splitlines() if line.startswith("Error: ")]
    if len(lines) != 1:
        return f"not one line of error: {errors[-600:]}"
    if ".likewise-" in lines[0]:
        return f"it names a hidden file: {lines[0]}"
    if not re.search(r"\b\w+\.(csv|tsv|jsonl|json|npy|parquet|likewise|html|studio|d)\b|/tried: ", lines[0]):
        return f"it names neither a file nor a folder: {lines[0]}"
    return ""


def _import_everything() -> None:
    """Import all modules now, not in every trial again."""
    import pyarrow.parquet  # noqa: F401

    import likewise

    for name in likewise.__all__:
        getattr(likewise, name)
    for module in pkgutil.walk_packages(likewise.__path__, "likewise."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # what needs torch
                importlib.import_module(module.name)


def try_scenario(name: str, kinds: tuple[str, ...], every: int) -> dict[str, Any]:
    """Try all operations of a scenario, or every some-th."""
    from scenarios import SCENARIOS, SELF_TEST

    with tempfile.TemporaryDirectory() as base:
        trials = Trials({**SCENARIOS, **SELF_TEST}[name], Path(base).resolve())
        failed = wrong_order(trials.operations)
        tried = 1
        for n in range(0, len(trials.operations), every):
            for kind in kinds_at(trials.operations[n], kinds):
                tried += 1
                if wrong := trials.try_one(n, kind):
                    failed.append(f"{kind} at {n}, {trials.operations[n]}: {wrong}")
    return {
        "name": name,
        "what": trials.scenario.name,
        "operations": len(trials.operations),
        "tried": tried,
        "failed": failed,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="scenarios; default: all")
    parser.add_argument("--kinds", default=",".join(KINDS[1:]), help="kinds of faults, comma-separated")
    parser.add_argument("--every", type=int, default=1, help="try every so-many-th operation")
    parser.add_argument("--json", action="store_true", help="print an object for each scenario")
    parser.add_argument("--jobs", type=int, default=1, help="scenarios at a time")
    given = parser.parse_args()
    if "LIKEWISE_FAULTS" not in os.environ:
        if why_not():
            print(f"not tried: {why_not()}", file=sys.stderr)
            return 0
        with tempfile.TemporaryDirectory() as folder:
            return run_under(build(Path(folder)), sys.executable, *sys.argv)
    from scenarios import SCENARIOS

    names = given.names or list(SCENARIOS)
    kinds = tuple(given.kinds.split(","))
    if given.jobs == 1:
        _import_everything()
        results = (try_scenario(name, kinds, given.every) for name in names)
        return _tell(results, as_json=given.json)
    options = ["--kinds", given.kinds, "--every", str(given.every), "--json"]
    with ThreadPoolExecutor(given.jobs) as pool:
        return _tell(pool.map(lambda name: _in_process(name, options), names), as_json=given.json)


def _in_process(name: str, options: list[str]) -> dict[str, Any]:
    command = [sys.executable, __file__, name, *options]
    answer = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    return json.loads(answer) if answer else {"name": name, "operations": 0, "tried": 0, "failed": ["no answer"]}


def _tell(results: Iterable[dict[str, Any]], *, as_json: bool) -> int:
    total: Counter[str] = Counter()
    for found in results:
        total += Counter(operations=found["operations"], tried=found["tried"], failed=len(found["failed"]))
        if as_json:
            print(json.dumps(found), flush=True)
            continue
        counts = f"{found['operations']} operations, {found['tried']} tried, {len(found['failed'])} failed"
        print(f"{found['name']}: {counts}", *found["failed"], sep="\n    ", flush=True)
    if not as_json:
        print(f"all: {total['operations']} operations, {total['tried']} tried, {total['failed']} failed")
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
