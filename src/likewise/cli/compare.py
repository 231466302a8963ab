"""``likewise compare``: several methods on one's own data, under one protocol."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from .._progress import track
from .._progress_bar import progress_bar
from ..evaluation import Ledger, Results
from ..evaluation.protocols import Case, Trial, case, one_sided_t_test, run_method
from ..studies.methods import METHODS
from .outputs import check_outputs
from .reading import Labeled

SIGNIFICANT = 0.05


def compare(
    data: Labeled,
    methods: Sequence[str],
    amounts: Sequence[int],
    *,
    how: str,
    wrong: float,
    score: str,
    repeats: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Run methods on drawn hints, print a table, and keep every value in `out` if that is given."""
    console = Console(stderr=as_json)
    trials = trials_of(data, methods, amounts, how=how, wrong=wrong, score=score, repeats=repeats)
    results = run_all(trials, seed, console, seen=not as_json)
    if out is not None:
        ledger = Ledger(out)
        for cell, seeds in results.items():
            for draw, value in seeds.items():
                ledger.append(draw, [(cell, value)])
        ledger.tidy()
    if as_json:
        means = {cell: results.mean(cell) for cell in results}
        print(
            json.dumps({"rows": len(data.y), "score": score, "repeats": repeats, "recipe": data.recipe, "means": means})
        )
        return
    console.print(_table(results, methods, amounts, score, repeats))
    console.print(f"{len(data.y):,} rows; {data.recipe}. Hints: {how}, {wrong:.0%} wrong.")
    if repeats > 1:
        console.print("[bold]Bold[/bold]: best, or not shown to be below the best (paired t-test, p ≥ 0.05).")


def check_results(out: Path | None, source: str) -> None:
    """Refuse a place for results that could not be written to once the work is done."""
    if out is not None and out.suffix.lower() != ".csv":
        raise ValueError(f"--out {out} must end in .csv: it holds lines of cell, seed, value.")
    check_outputs({"--out": out}, [source])
    if out is not None and out.exists():
        Ledger(out).read()  # more is added to it


def trials_of(
    data: Labeled, methods: Sequence[str], amounts: Sequence[int], *, how: str, wrong: float, score: str, repeats: int
) -> list[Trial]:
    """One trial for each amount of hints; methods that hear none run in each alike."""
    unknown = [name for name in methods if name not in METHODS]
    if unknown:
        raise ValueError(f"there is no method {unknown[0]!r}. There are: {', '.join(METHODS)}.")
    chosen = {name: METHODS[name] for name in methods}
    draw = partial(_draw, data, how, wrong)
    return [Trial(str(amount), partial(draw, amount), chosen, (score,), repeats) for amount in amounts]


def run_all(trials: Sequence[Trial], seed: int, console: Console, seen: bool = True) -> Results:
    """Run every method of every trial; one that refuses its hints counts as NaN and is told."""
    found: dict[str, dict[int, float]] = {}
    refused: dict[str, str] = {}
    runs = [
        (trial, draw, name) for trial in trials for draw in range(seed, seed + trial.seeds) for name in trial.methods
    ]
    drawn: dict[tuple[str, int], Case] = {}
    with progress_bar("comparing methods", seen):
        for trial, draw, name in track(runs):
            if (trial.name, draw) not in drawn:
                drawn = {(trial.name, draw): trial.draw(draw)}
            try:
                values = _quietly(trial, drawn[trial.name, draw], draw, name)
            except (ValueError, ModuleNotFoundError) as error:
                refused.setdefault(name, str(error))
                values = dict.fromkeys(trial.cells(name), float("nan"))
            for cell, value in values.items():
                found.setdefault(cell, {})[draw] = value
    for name, why in refused.items():
        console.print(f"[yellow]{name}[/yellow] had no answer at least once: {why}", highlight=False)
    return Results(found)


def _draw(data: Labeled, how: str, wrong: float, amount: int, seed: int) -> Case:
    return case(data.X, data.y, how, amount, error_rate=wrong, random_state=seed)


def _quietly(trial: Trial, drawn: Case, seed: int, name: str) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run_method(trial, drawn, seed, name)


def _table(results: Results, methods: Sequence[str], amounts: Sequence[int], score: str, repeats: int) -> Table:
    table = Table(title=f"{score}, mean ± standard deviation of {repeats} draws")
    table.add_column("method")
    best: dict[int, Any] = {}
    for amount in amounts:
        table.add_column(f"{amount} hints", justify="right")
        means = {name: results.mean(f"{amount}/{name}") for name in methods}
        known = [name for name in methods if means[name] == means[name]]
        best[amount] = max(known, key=lambda name: means[name]) if known else None
    for name in methods:
        table.add_row(name, *(_cell(results, amount, name, best[amount]) for amount in amounts))
    return table


def _cell(results: Results, amount: int, name: str, best: str | None) -> str:
    cell = f"{amount}/{name}"
    if not len(results.values_of(cell)):
        return "—"
    shown = f"{results.mean(cell):.3f} ± {results.deviation(cell):.3f}"
    leader, own = results[f"{amount}/{best}"], results[cell]
    both = [seed for seed in own if seed in leader]
    behind = one_sided_t_test([leader[seed] for seed in both], [own[seed] for seed in both]) < SIGNIFICANT
    return shown if behind else f"[bold]{shown}[/bold]"
