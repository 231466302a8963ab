"""``likewise compare``: several methods on the same draws of hints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._options import FILE, data_options, how_option, json_option, seed_option, wrong_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..evaluation import Comparison

SCORES = ["nmi", "ari", "rand", "f", "scaled_rand", "purity", "kept", "seconds"]


def _check_amounts(context: click.Context, parameter: click.Parameter, value: str) -> list[int]:
    try:
        return [int(amount) for amount in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a comma-separated list of integers such as 20,100.") from None


@click.command()
@click.argument("source", metavar="DATA")
@click.option("--methods", default="k-means,pck,c-nc,likewise", show_default=True,
              help="Comma-separated list of methods.")  # fmt: skip
@click.option("--amounts", default="20,100", show_default=True, callback=_check_amounts,
              help="Comma-separated list of numbers of hints.")  # fmt: skip
@how_option
@wrong_option
@click.option("--score", type=click.Choice(SCORES), default="nmi", show_default=True,
              help="Score to compare by; kept is the share of hints that hold.")  # fmt: skip
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Number of draws of hints.")
@seed_option
@click.option("--out", type=FILE, help="Append every value to this CSV file.")
@json_option
@data_options
def compare(
    source: str,
    *,
    methods: str,
    amounts: list[int],
    how: str,
    wrong: float,
    score: str,
    repeats: int,
    seed: int,
    out: Path | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Compare methods on DATA whose classes are known.

    DATA is what `likewise cluster` takes. Hints are drawn from the classes, every method gets the same ones, and the
    clusters are scored against the classes.
    """
    from rich.console import Console

    from .. import evaluation
    from .._methods import method_named, protocol_method
    from ._messages import Messages, print_json
    from ._reading import read_labeled

    names = [method_named(name.strip()).name for name in methods.split(",")]
    _check_file(out, source)
    messages = Messages(quiet=as_json)
    with messages.progress(f"reading {source}"):
        data = read_labeled(source, **reading)
    chosen = {name: protocol_method(name, data.kind) for name in names}
    with messages.progress("comparing methods"):
        found = evaluation.compare(
            data.X, data.y, chosen, amounts, how=how, error_rate=wrong, score=score, repeats=repeats, seed=seed
        )
    if out is not None:
        ledger = evaluation.Ledger(out)
        for cell, values in found.results.items():
            for draw, value in values.items():
                ledger.append(draw, [(cell, value)])
        ledger.tidy()
    console = Console(stderr=as_json)
    for name, error in found.failures.items():
        console.print(f"[yellow]{name}[/yellow] had no answer at least once: {error}", highlight=False)
    if as_json:
        means = {cell: found.results.mean(cell) for cell in found.results}
        print_json(
            {"rows": len(data.y), "score": score, "repeats": repeats, "preprocessing": data.description, "means": means}
        )
        return
    console.print(_table(found, f"{score}, mean ± standard deviation of {repeats} draws"))
    console.print(f"{len(data.y):,} rows; {data.description}. Hints: {how}, {wrong:.0%} wrong.")
    if repeats > 1:
        console.print("[bold]Bold[/bold]: best, or not significantly below the best (paired t-test, p ≥ 0.05).")


def _check_file(out: Path | None, source: str) -> None:
    """Refuse a file that the results could not be appended to."""
    from ..evaluation import Ledger
    from ._outputs import check_outputs

    if out is not None and out.suffix.lower() != ".csv":
        raise ValueError(f"--out {out} must end in .csv: it holds lines of cell, seed, value.")
    check_outputs({"--out": out}, [source])
    if out is not None and out.exists():
        Ledger(out).read()


def _table(found: Comparison, title: str) -> Table:
    from rich.table import Table

    table = Table(title=title)
    table.add_column("method")
    for amount in found.amounts:
        table.add_column(f"{amount} hints", justify="right")
    for name in found.methods:
        table.add_row(name, *(_cell(found, name, amount) for amount in found.amounts))
    return table


def _cell(found: Comparison, name: str, amount: int) -> str:
    cell = f"{amount}/{name}"
    if not len(found.results.values_of(cell)):
        return "—"
    shown = f"{found.results.mean(cell):.3f} ± {found.results.deviation(cell):.3f}"
    return shown if found.is_behind(name, amount) else f"[bold]{shown}[/bold]"
