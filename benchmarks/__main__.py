"""Run the rows, show the table, keep the results."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from likewise.aside import written_aside

from . import clusterers, frame, sources  # noqa: F401  (they register their rows)
from .harness import ROWS, measured

RESULTS = Path(__file__).with_name("RESULTS.md")
COLUMNS = ("work", "opponent", "ours", "opponent's", "ratio", "peak", "bar", "met", "detail")


def main(names: list[str]) -> int:
    if names[:1] == ["--one"]:
        print(json.dumps(measured(names[1])))
        return 0
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        print(f"no benchmark called {unknown[0]!r}; there are: {', '.join(ROWS)}", file=sys.stderr)
        return 2
    lines = []
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("benchmarks", total=len(names or ROWS))
        for name in names or ROWS:
            progress.update(task, description=name)
            lines.append(cells(name))
            progress.advance(task)
    show(lines)
    write(lines)
    return 0


def cells(name: str) -> list[str]:
    command = [sys.executable, "-m", "benchmarks", "--one", name]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise SystemExit(f"benchmark {name} failed:\n{answer.stderr}")
    result = json.loads(answer.stdout.splitlines()[-1])
    row = ROWS[name]
    return [
        row.work,
        row.opponent,
        f"{result['ours']:.3g} s",
        f"{result['opponent']:.3g} s",
        f"{result['ratio']:.3g}×",
        f"{result['peak_gib']:.2f} GiB",
        row.bar,
        {True: "yes", False: "no", None: "–"}[result["met"]],
        result["detail"],
    ]


def show(lines: list[list[str]]) -> None:
    table = Table(title="ratio = opponent's time / ours")
    for column in COLUMNS:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*line)
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def kept(lines: list[list[str]]) -> list[list[str]]:
    """The rows of the file, those measured now in their place, in the order of the benchmarks."""
    if not RESULTS.exists():
        return lines
    rows = [line.strip("| ").split(" | ") for line in RESULTS.read_text(encoding="utf-8").splitlines()]
    found = {row[0]: row for row in rows if len(row) == len(COLUMNS)} | {line[0]: line for line in lines}
    return [found[row.work] for row in ROWS.values() if row.work in found]


def write(lines: list[list[str]]) -> None:
    """Keep the rows in the file; those that were not run stay as they were."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("likewise", "numpy", "scipy", "scikit-learn"))
    head = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Each row runs in a process of its own. Ratio: the opponent's time / ours.",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {versions}.",
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|" + "---|" * len(COLUMNS),
    ]
    text = "\n".join(head + ["| " + " | ".join(line) + " |" for line in kept(lines)]) + "\n"
    with written_aside(RESULTS) as aside:
        aside.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
