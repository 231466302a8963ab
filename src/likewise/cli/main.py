"""The commands, and nothing of what they do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .. import __version__
from .errors import Commands
from .options import FILE, HOWS, SEED, asked, checked_jobs, data_options, name_options, talk_options

if TYPE_CHECKING:
    from .reading import Reading

FOLDER = click.Path(path_type=Path, file_okay=False)
SCORES = ["nmi", "rand", "f", "scaled_rand", "purity", "kept", "seconds"]
seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="The same seed, the same answer.")
hints_option = click.option("--hints", type=FILE, help="Pairs: a file with the columns left, right, kind.")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="likewise")
def main() -> None:
    """Find the clusters a person means, from a few hints: same, or different."""


@main.command()
@click.argument("source", metavar="DATA")
@hints_option
@click.option("--links", type=FILE, help="A link graph: a file with the columns left, right.")
@click.option("--k", type=click.IntRange(1), help="Number of clusters; default: as many as the hints make likely.")
@click.option("--method", help="One of `likewise methods`; default: likewise, with --links and --k networked.")
@click.option("--trust", type=click.Choice(["auto", "strict", "weighted"]), help="Whether hints may be broken: see "
              "likewise.Likewise; default: auto.")  # fmt: skip
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="Seconds to spend; default: all it takes.")
@click.option("--jobs", type=int, callback=checked_jobs, help="Threads at work; -1 for one a core.")
@seed_option
@click.option("--out", type=FILE, help="Where the columns id, cluster go: .csv, .tsv, .jsonl or .parquet; default: "
              "standard output.")  # fmt: skip
@click.option("--model", type=FILE, help="Keep the model, for likewise assign.")
@click.option("--report", type=FILE, help="Write a page that shows what was found: .html.")
@data_options
@talk_options
def cluster(
    source: str,
    reading: Reading,
    hints: Path | None,
    links: Path | None,
    k: int | None,
    method: str | None,
    trust: str | None,
    budget: float | None,
    jobs: int | None,
    seed: int,
    out: Path | None,
    model: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Cluster the rows of DATA, heeding hints.

    DATA is a CSV, TSV, JSON lines, Parquet, NPY, NPZ, Matrix Market or H5AD file, a folder of texts or of images, or a
    data set by name (iris, wine, digits, ...). Numbers, categories and texts are prepared by a recipe that is told.
    Known classes in some rows of --label are hints, too.
    """
    from .building import Settings
    from .cluster import Order, run

    settings = Settings(k, trust, budget, jobs, seed)
    run(Order(source, reading, settings, method, hints, links, out, model, report, as_json, quiet, asked()))


@main.command()
@click.argument("source", metavar="DATA")
@hints_option
@click.option("--method", help="A projection of `likewise methods`; default: costco with must-links, else ssdr.")
@click.option("--dims", type=click.IntRange(1), default=2, show_default=True, help="Dimensions wanted.")
@seed_option
@click.option("--out", type=FILE, help="Where ids and coordinates go: .csv, .tsv, .jsonl, .parquet, or .npy without "
              "ids; default: standard output.")  # fmt: skip
@click.option("--model", type=FILE, help="Keep the projection, for likewise assign.")
@data_options
@talk_options
def reduce(
    source: str,
    reading: Reading,
    hints: Path | None,
    method: str | None,
    dims: int,
    seed: int,
    out: Path | None,
    model: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Project the rows of DATA to a few dimensions in which hints hold."""
    from .reduce import Order, run

    run(Order(source, reading, dims, method, hints, seed, out, model, as_json, quiet, asked()))


@main.command()
@click.argument("model", type=FILE)
@click.argument("source", metavar="NEWDATA", type=click.Path(path_type=Path))
@click.option("--id", "id_", metavar="NAME", help="Column of ids; default: the one the model's data had.")
@click.option("--encoding", default="utf-8", show_default=True, help="Of text files.")
@click.option("--out", type=FILE, help="Where the columns id, cluster go; default: standard output.")
@talk_options
def assign(
    model: Path, source: Path, id_: str | None, encoding: str, out: Path | None, as_json: bool, quiet: bool
) -> None:
    """Place the rows of NEWDATA among the clusters of MODEL.

    They are prepared as the data of the model was; a column that is missing is an error. A MODEL of `likewise reduce`
    gives coordinates.
    """
    from .assign import run

    run(model, source, id=id_, encoding=encoding, out=out, as_json=as_json, quiet=quiet)


@main.group()
def hints() -> None:
    """Check a file of hints, or draw hints from known classes."""


@hints.command("check")
@click.argument("file", type=FILE)
@click.option("--for", "source", metavar="DATA", help="The data they are about; without it, names are taken as said.")
@click.option("--k", type=click.IntRange(1), help="Also look for more rows than this that all differ.")
@click.option("--entailed", "out", type=FILE, help="Write all pairs that are said or follow: .csv, .tsv, .json, "
              ".parquet.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@name_options
def check_hints(
    file: Path, source: str | None, reading: Reading, k: int | None, out: Path | None, as_json: bool
) -> None:
    """Show the contradictions in FILE with their proof, the groups it forms, and what follows from it.

    The exit code is 1 if there is a contradiction.
    """
    from .hints import check

    if not check(file, source=source, reading=reading, k=k, out=out, as_json=as_json):
        raise SystemExit(1)


@hints.command("sample")
@click.argument("source", metavar="DATA")
@click.option("--out", metavar="FILE", type=FILE, required=True, help="File of hints to write.")
@click.option("--how", default="random_pairs", show_default=True, type=click.Choice(HOWS), help="Which are drawn.")
@click.option("--amount", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@click.option("--wrong", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of them made wrong.")
@seed_option
@click.option("-q", "--quiet", is_flag=True, help="Say nothing, also on a terminal.")
@name_options
def sample_hints(
    source: str, out: Path, reading: Reading, how: str, amount: int, wrong: float, seed: int, quiet: bool
) -> None:
    """Draw hints from the classes of DATA, as in an experiment, and write them to a file."""
    from .hints import sample

    sample(source, reading, how=how, amount=amount, wrong=wrong, seed=seed, out=out, quiet=quiet)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def methods(as_json: bool) -> None:
    """List methods: needs, strengths, paper."""
    from .methods import run

    run(as_json)


@main.command()
@click.argument("source", metavar="DATA")
@click.option("--methods", default="k-means,pck,c-nc,likewise", show_default=True, help="Names, with commas between.")
@click.option("--amounts", default="20,100", show_default=True, help="How many hints, with commas between.")
@click.option("--how", default="random_pairs", show_default=True, type=click.Choice(HOWS),
              help="How hints are drawn from the classes.")  # fmt: skip
@click.option("--wrong", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Share of hints made wrong.")
@click.option("--score", type=click.Choice(SCORES), default="nmi", show_default=True)
@click.option("--repeats", type=click.IntRange(1), default=5, show_default=True, help="Draws of hints.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the first draw.")
@click.option("--out", type=FILE, help="Keep every value in this CSV file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@data_options
def compare(
    source: str,
    reading: Reading,
    methods: str,
    amounts: str,
    how: str,
    wrong: float,
    score: str,
    repeats: int,
    seed: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Compare methods on data whose classes are known.

    DATA is what `likewise cluster` takes. Hints are drawn from the classes, every method gets the same, and
    their answers are scored against the classes, under one protocol.
    """
    from .compare import check_results
    from .compare import compare as run
    from .reading import read_labeled
    from .talk import Talk

    try:
        numbers = [int(amount) for amount in amounts.split(",")]
    except ValueError:
        raise click.BadParameter(
            f"{amounts!r} is not a list of whole numbers such as 20,100.", param_hint="--amounts"
        ) from None
    names = [name.strip() for name in methods.split(",")]
    check_results(out, source)
    with Talk(quiet=as_json).progress(f"reading {source}"):
        rows = read_labeled(source, reading)
    given = {"how": how, "wrong": wrong, "score": score, "repeats": repeats, "seed": seed}
    run(rows, names, numbers, **given, out=out, as_json=as_json)  # type: ignore[arg-type]


@main.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def papers(arguments: tuple[str, ...]) -> None:
    """Run the tables of the papers again (in a checkout of likewise)."""
    from .bench import run_module

    raise SystemExit(run_module("papers", arguments))


@main.command()
@click.option("--out", type=FOLDER, default="demo", help="Folder to write to.")
@click.option("--hints", type=click.IntRange(2), default=100, show_default=True, help="How many hints to give.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="Which hints are drawn.")
def demo(out: Path, hints: int, seed: int) -> None:
    """Cluster handwritten digits with and without hints, and draw them."""
    from .demo import run

    run(out, hints, seed)
