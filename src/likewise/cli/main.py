"""The commands, and nothing of what they do."""

from __future__ import annotations

from pathlib import Path

import click

from .. import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="likewise")
def main() -> None:
    """Find the clusters a person means, from a few hints: same, or different."""


@main.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default="demo", help="Folder to write to.")
@click.option("--hints", type=click.IntRange(2), default=100, show_default=True, help="How many hints to give.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which hints are drawn.")
def demo(out: Path, hints: int, seed: int) -> None:
    """Cluster handwritten digits with and without hints, and draw them."""
    from .demo import run

    run(out, hints, seed)


@main.command()
@click.argument("name", required=False)
@click.option("--cell", help="Only this cell, those that begin with it, or those that fit a pattern with *.")
@click.option("--quick", is_flag=True, help="A subset with two draws each, in minutes.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, help="Processes at work.")
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), default="papers", show_default=True,
              help="Where the studies are: a folder for each paper.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Where results go; default: beside them.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False, exists=True), envvar="LIKEWISE_DATA",
              help="Folder of the data sets; default: the variable LIKEWISE_DATA.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Forget earlier results of the papers chosen.")
def papers(
    name: str | None,
    cell: str | None,
    quick: bool,
    jobs: int,
    folder: Path,
    out: Path | None,
    data: Path | None,
    fresh: bool,
) -> None:
    """Run the published tables again, cell by cell, and write the report.

    What is there already is not run again: a run that was stopped goes on where it was.
    """
    import os

    from .papers import run_papers

    if data is not None:
        os.environ["LIKEWISE_DATA"] = str(data)
    try:
        whole = run_papers(folder, name, cell=cell, quick=quick, jobs=jobs, out=out, fresh=fresh)
    except (FileNotFoundError, ValueError) as error:
        raise click.ClickException(str(error)) from None
    if not whole:
        raise SystemExit(1)


@main.command()
@click.argument("source", metavar="DATA")
@click.option("--label", help="The column that holds the classes.")
@click.option("--text", help="The column that holds texts; without it, all columns of numbers are used.")
@click.option("--methods", default="k-means,pck,c-nc,likewise", show_default=True, help="Names, with commas between.")
@click.option("--amounts", default="20,100", show_default=True, help="How many hints, with commas between.")
@click.option("--how", default="random_pairs", show_default=True,
              type=click.Choice(["random_pairs", "per_class", "labelled_items", "disjoint_items", "equal", "links"]),
              help="How hints are drawn from the classes.")  # fmt: skip
@click.option("--wrong", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of hints made wrong.")
@click.option("--score", type=click.Choice(["nmi", "rand", "f", "scaled_rand", "purity", "kept", "seconds"]),
              default="nmi", show_default=True)  # fmt: skip
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Draws of hints.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the first draw.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Keep every value in this CSV file.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False, exists=True), envvar="LIKEWISE_DATA",
              help="Folder of the data sets that have names.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
def compare(
    source: str,
    label: str | None,
    text: str | None,
    methods: str,
    amounts: str,
    how: str,
    wrong: float,
    score: str,
    repeats: int,
    seed: int,
    out: Path | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Compare methods on data whose classes are known, under one protocol.

    DATA is a data set by name (iris, wine, digits, ...) or a CSV, TSV or NPZ file. Hints are drawn from the classes,
    every method gets the same, and their answers are scored against the classes.
    """
    from .compare import compare as run
    from .reading import read_labelled

    try:
        numbers = [int(amount) for amount in amounts.split(",")]
    except ValueError:
        raise click.BadParameter(f"{amounts!r} is not a list of whole numbers such as 20,100.") from None
    try:
        rows = read_labelled(source, label=label, text=text, folder=data)
        names = [name.strip() for name in methods.split(",")]
        run(
            rows,
            names,
            numbers,
            how=how,
            wrong=wrong,
            score=score,
            repeats=repeats,
            seed=seed,
            out=out,
            as_json=as_json,
        )
    except (OSError, ValueError) as error:
        raise click.ClickException(str(error)) from None
