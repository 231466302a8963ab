"""Tables on the screen and in RESULTS.md, grouped by the machine they were measured on."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from likewise._atomic import atomic_write_text

from .harness import ROWS, Row

RESULTS = Path(__file__).with_name("RESULTS.md")
COLUMNS = ("work", "opponent", "ours", "opponent's", "ratio", "peak", "bar", "met", "detail")
INTRODUCTION = """\
# Benchmarks

Written by `make bench`. Each row runs in its own process, in which our work and the opponent's alternate. Times are
medians, with the minimum, the maximum and the number of runs. Ratio: the opponent's time / ours. Peak: resident memory
with the data and our work, before the opponent runs. `PROFILES.md` shows where our time is spent.
"""

Lines = list[list[str]]


def machine() -> str:
    """Description of the machine and of the installed versions."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    versions = ", ".join(f"{name} {version(name)}" for name in ("likewise", "numpy", "scipy", "scikit-learn"))
    cores = os.cpu_count()
    return f"{platform.machine()}, {cores} cores, {memory:.0f} GiB, Python {platform.python_version()}, {versions}"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write_page(path: Path, parts: Iterable[str]) -> Path:
    """Write a page of Markdown; empty parts are left out."""
    with atomic_write_text(path) as file:
        file.write("\n\n".join(part.strip() for part in parts if part) + "\n")
    return path


def duration(seconds: Sequence[float]) -> str:
    """The median of some times, with their range and number."""
    if len(seconds) == 1:
        return f"{seconds[0]:.3g} s (1 run)"
    return f"{median(seconds):.3g} s ({min(seconds):.3g}–{max(seconds):.3g}, {len(seconds)} runs)"


def cells(row: Row, result: dict[str, Any]) -> list[str]:
    """A line of the table."""
    return [
        row.work,
        row.opponent,
        duration(result["ours"]),
        duration(result["theirs"]),
        f"{median(result['theirs']) / median(result['ours']):.3g}×",
        f"{result['peak_gib']:.2f} GiB",
        str(row.bar) or "–",
        {True: "yes", False: "no", None: "–"}[result["met"]],
        result["detail"] or "–",
    ]


def show(lines: Lines, columns: Sequence[str] = COLUMNS) -> None:
    """Print the table."""
    table = Table(title="ratio = opponent's time / ours" if "ratio" in columns else None)
    for column in columns:
        table.add_column(column, overflow="fold")
    for line in lines:
        table.add_row(*line)
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def read(text: str, columns: Sequence[str] = COLUMNS) -> dict[str, tuple[str, list[str]]]:
    """The lines of a results file by their work, each with its machine."""
    found, where = {}, ""
    for line in text.splitlines():
        parts = line.strip("| ").split(" | ")
        if line.startswith("### "):
            where = line.removeprefix("### ")
        elif where and len(parts) == len(columns) and parts != list(columns):
            found[parts[0]] = (where, parts)
    return found


def write(
    lines: Lines, path: Path = RESULTS, columns: Sequence[str] = COLUMNS, introduction: str = INTRODUCTION
) -> None:
    """Write the lines to the file. Lines that were not measured now are kept, under their machine."""
    before = read(path.read_text(encoding="utf-8"), columns) if path.exists() else {}
    found = before | {line[0]: (machine(), line) for line in lines}
    inside = [found[row.work] for row in ROWS.values() if row.work in found]
    parts = [introduction]
    for place in dict.fromkeys([machine(), *(where for where, _ in inside)]):
        table = [line for where, line in inside if where == place]
        parts += [f"### {place}", markdown(columns, table)] if table else []
    write_page(path, parts)
