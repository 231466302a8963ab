"""A method of one's own in the tables of the papers: its cells are run, all others are those of the checkout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path

from rich.table import Table

from likewise._atomic import atomic_write_text
from likewise._methods import protocol_method
from likewise._outside import load_method
from likewise.evaluation import Results

from .study import Study
from .verdicts import Row, scoreboard

OURS = "likewise"
"""A trial in which this column competes is open to other methods."""


@dataclass(frozen=True)
class Contest:
    """One row of a table: the method beside ours, the best that was measured, and the best that was published."""

    row: Row
    own: float
    runs: int
    best: str
    measured: float

    def cells(self) -> tuple[str, ...]:
        """What the table shows of it."""
        return (
            self.row.study,
            self.row.name,
            "no answer" if isnan(self.own) else f"{self.own:.3f}",
            f"{self.runs}",
            f"{self.row.ours[OURS]:.3f}",
            f"{self.measured:.3f} ({self.best})",
            f"{self.row.published:.3f} ({self.row.method})",
        )


def open_to(study: Study, address: str, *, quick: bool = False, seeds: int = 2) -> Study:
    """A study whose trials have one method: the class at ``address``, such as ``mine.py:Mine``.

    Parameters
    ----------
    study : Study
    address : str
    quick : bool
        Only the rows of the short run, with so many seeds.
    seeds : int
    """
    facts = load_method(address)
    run = protocol_method(facts)
    trials = {name: trial for name, trial in study.trials.items() if OURS in trial.methods}
    if quick:
        short = study.quick_cells()
        trials = {
            name: replace(trial, seeds=min(trial.seeds, seeds))
            for name, trial in trials.items()
            if any(cell in short for method in trial.methods for cell in trial.cells(method))
        }
    own = {name: replace(trial, methods={facts.name: run}) for name, trial in trials.items()}
    return replace(study, trials=own, draw_figures=None)


def contests(study: Study, measured: Results, name: str, own: Results) -> list[Contest]:
    """The rows in which a method has an answer.

    Parameters
    ----------
    study : Study
        With its own trials.
    measured : Results
        Of the checkout.
    name : str
        Of the method.
    own : Results
        Of the method.
    """
    found = []
    for row in scoreboard(study, measured):
        trial = study.trials.get(row.name) or study.trials[row.name.rpartition("/")[0]]
        tail = row.name[len(trial.name) :]
        cell = f"{trial.name}/{name}{tail}"
        if cell in own:
            means = {method: measured.mean(f"{trial.name}/{method}{tail}") for method in trial.methods}
            best = max((method for method in means if not isnan(means[method])), key=means.__getitem__)
            found.append(Contest(row, own.mean(cell), len(own.values_of(cell)), best, means[best]))
    return found


def columns(name: str) -> tuple[str, ...]:
    """The names of the columns of the table."""
    return "paper", "row", name, "runs", OURS, "best measured", "best published"


def summary(name: str, rows: Sequence[Contest]) -> str:
    """How often a method reaches the others, in a sentence."""
    known = [row for row in rows if not isnan(row.own)]
    ours = sum(row.own >= row.row.ours[OURS] - 5e-4 for row in known)
    published = sum(row.own >= row.row.published - 5e-4 for row in known)
    return (
        f"{name} is at or above {OURS} in {ours} of {len(known)} rows, and at or above the published best in "
        f"{published}."
    )


def console_table(name: str, rows: Sequence[Contest]) -> Table:
    """The table for a terminal."""
    table = Table()
    for column in columns(name):
        table.add_column(column, justify="left" if column in ("paper", "row") else "right", overflow="fold")
    for row in rows:
        table.add_row(*row.cells())
    return table


def write_table(path: Path, name: str, rows: Sequence[Contest]) -> Path:
    """The table as a Markdown file, whole or not there."""
    lines = [f"# {name} in the tables of the papers", "", summary(name, rows), ""]
    lines += ["| " + " | ".join(columns(name)) + " |", "|---|---" + "|---:" * 5 + "|"]
    lines += ["| " + " | ".join(row.cells()) + " |" for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write_text(path) as file:
        file.write("\n".join(lines) + "\n")
    return path
