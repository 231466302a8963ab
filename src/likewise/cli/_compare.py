"""``likewise compare``: compare several methods on the same samples of hints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._options import FILE, IntRange, data_options, how_option, json_option, seed_option, wrong_option

if TYPE_CHECKING:
    from rich.table import Table

    from ..evaluation import Comparison

ASKED = ["pairs", "piles", "odd", "triplets", "forced-triplets", "preferences"]
SCORES = ["nmi", "ari", "rand", "f", "scaled_rand", "purity", "kept", "seconds"]


def _check_asked(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str] | None:
    asked = None if value is None else [name.strip() for name in value.split(",")]
    unknown = [name for name in asked or () if name not in ASKED]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r} is not known. Choose from {', '.join(ASKED)}.")
    return asked


def _check_amounts(context: click.Context, parameter: click.Parameter, value: str) -> list[int]:
    try:
        return [int(amount) for amount in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a comma-separated list of integers such as 20,100.") from None


@click.command()
@click.argument("source", metavar="DATA")
@click.option("--methods", default="k-means,pck,c-nc,likewise", show_default=True,
              help="Comma-separated list of methods, or all (sorted by score).")  # fmt: skip
@click.option("--with", "outside", multiple=True, metavar="FILE.py:CLASS",
              help="Include a method of your own; can be repeated. The file is executed.")  # fmt: skip
@click.option("--amounts", default="20,100", show_default=True, callback=_check_amounts,
              help="Comma-separated list of numbers of hints.")  # fmt: skip
@how_option
@click.option("--ask", callback=_check_asked, metavar="WHAT", help="Also compare types of questions, a comma-separated "
              f"list of {', '.join(ASKED)}. An answer about several rows counts as one hint.")  # fmt: skip
@wrong_option
@click.option("--score", type=click.Choice(SCORES), default="nmi", show_default=True,
              help="Score to compare by; kept is the share of hints that are satisfied.")  # fmt: skip
@click.option("--repeats", type=IntRange(1), default=5, show_default=True, help="Number of samples of hints.")
@seed_option
@click.option("--out", type=FILE, help="Append every value to this CSV file.")
@json_option
@data_options
def compare(
    source: str,
    *,
    methods: str,
    outside: tuple[str, ...],
    amounts: list[int],
    how: str,
    ask: list[str] | None,
    wrong: float,
    score: str,
    repeats: int,
    seed: int,
    out: Path | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Compare methods on DATA whose classes are known.

    DATA is as for `likewise cluster`. Hints are sampled from the classes, every method receives the same ones, and the
    clusters are scored against the classes.
    """
    from rich.console import Console

    from ._messages import Messages, print_json

    messages = Messages(quiet=as_json)
    with messages.starting():
        from .. import evaluation
        from .._methods import comparable_methods, method_named, protocol_method
        from .._outside import load_method
        from ..constraints._format import pluralize
        from ._reading import read_labeled

    own = [load_method(address) for address in outside]
    if methods.strip() == "all":
        named = comparable_methods()
    else:
        named = [method_named(name.strip()) for name in methods.split(",")]
    names = list(dict.fromkeys(method.name for method in [*named, *own]))
    _check_file(out, source)
    with messages.progress(f"reading {source}"):
        data = read_labeled(source, **reading)
    chosen = {name: protocol_method(name, data.kind) for name in names}
    with messages.progress("comparing methods"):
        found = evaluation.compare(
            data.X, data.y, chosen, amounts, how=how, ask=ask, error_rate=wrong, score=score, repeats=repeats, seed=seed
        )
    if methods.strip() == "all":
        found = found.ranked()
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
        averages = {cell: found.results.mean(cell) for cell in found.results}
        means = {cell: value if value == value else None for cell, value in averages.items()}  # JSON has no NaN
        print_json(
            {"rows": len(data.y), "score": score, "repeats": repeats, "preprocessing": data.description, "means": means}
        )
        return
    console.print(_table(found, f"{score}, mean ± standard deviation of {pluralize(repeats, 'draw')}"))
    console.print(f"{len(data.y):,} rows; {data.description}. Hints: {', '.join(ask or [how])}, {wrong:.0%} wrong.")
    if repeats > 1:
        console.print("[bold]Bold[/bold]: best, or not significantly below the best (paired t-test, p ≥ 0.05).")


def _check_file(out: Path | None, source: str) -> None:
    """Raise an error if results cannot be appended to the file."""
    from ..evaluation import Ledger
    from ._outputs import check_outputs

    if out is not None and out.suffix.lower() != ".csv":
        raise ValueError(f"--out {out} must end in .csv: its columns are cell, seed, value.")
    check_outputs({"--out": out}, [source])
    if out is not None and out.exists():
        Ledger(out).read()


def _table(found: Comparison, title: str) -> Table:
    from rich.table import Table

    (_, *columns), *lines = found.table()
    table = Table(title=title)
    table.add_column("method")
    for column in columns:
        table.add_column(column, justify="right")
    for name, *cells in lines:
        table.add_row(name, *(f"[bold]{cell[:-2]}[/bold]" if cell.endswith(" *") else cell for cell in cells))
    return table
