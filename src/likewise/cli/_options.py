"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

SAMPLINGS = ["random_pairs", "per_class", "labeled_items", "disjoint_items", "equal", "links"]
SCREENS = ["piles", "odd", "triplets", "quadruples"]
"""Questions about several rows: sorting into piles, the odd one out, which of two pairs is more alike."""
FILE = click.Path(path_type=Path, dir_okay=False)
FOLDER = click.Path(path_type=Path, file_okay=False)


class IntRange(click.IntRange):
    """Whole numbers in a range; click calls what is none of them "not a valid integer range"."""

    name = "integer"


class FloatRange(click.FloatRange):
    """Numbers in a range."""

    name = "number"


SEED = IntRange(0, 2**32 - 1)


def _names(context: click.Context, parameter: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    return None if value is None else tuple(name.strip() for name in value.split(","))


def _all(*options: Decorator) -> Decorator:
    """Several options as one decorator, in the order given."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


_id = click.option("--id", metavar="NAME", help="Column of ids. Default: a column named id, or a first column of "
                   "distinct names. none: use row numbers, from 0.")  # fmt: skip
_label = click.option("--label", metavar="NAME", help="Column of known classes, empty or -1 where unknown. It is "
                      "not used as a feature.")  # fmt: skip
_folder = click.option("--data", "folder", type=FOLDER, envvar="LIKEWISE_DATA",
                       help="Folder of data sets that are referred to by name.")  # fmt: skip

encoding_option = click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files.")
hints_option = click.option("--hints", type=FILE, multiple=True, help="File of hints: the ids of two rows, and same or "
                            "different. Can be repeated; all hints are used.")  # fmt: skip
how_option = click.option("--how", default="random_pairs", show_default=True, type=click.Choice(SAMPLINGS),
                          help="How to sample hints from the classes.")  # fmt: skip
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Suppress progress and summary.")
seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="Random seed.")
wrong_option = click.option("--wrong", type=FloatRange(0, 1), default=0.0, show_default=True,
                            help="Fraction of hints to flip.")  # fmt: skip

name_options = _all(_id, _label, encoding_option, _folder)
"""How ids and classes of DATA are read: keywords of :func:`likewise.cli._reading.read_names`."""

data_options = _all(
    _id,
    _label,
    click.option("--text", multiple=True, metavar="NAME", help="Column of texts; can be repeated. Default: columns of "
                 "three words or more on average."),
    click.option("--columns", metavar="NAMES", callback=_names, help="Use only these columns as features: a "
                 "comma-separated list of names, patterns (e*) and ranges (e0-e95)."),
    click.option("--ignore", multiple=True, metavar="NAMES", help="Columns to leave out: a name, a "
                 "pattern or a range. Can be repeated."),
    click.option("--beside", type=FILE, metavar="FILE", help="Table with ids, texts or classes of the rows, for data "
                 "without them, such as an .npy file. A .txt file has one text per line."),
    click.option("--transpose/--no-transpose", default=None, help="Cluster columns instead of rows, for tables with "
                 "genes in rows and samples in columns."),
    click.option("--missing", type=click.Choice(["median", "mean", "zero", "refuse"]), default="median",
                 show_default=True, help="How to impute missing numbers; missing categories are encoded as zeros. "
                 "refuse: missing values are an error."),
    click.option("--language", default="english", show_default=True, help="Language of texts, for stemming."),
    encoding_option,
    _folder,
)  # fmt: skip
"""How DATA is read: keywords of :func:`likewise.cli._reading.read_rows`."""


def command_line() -> str:
    """The command line as it was given, for the report."""
    arguments = click.get_current_context().meta.get("likewise.arguments", [])
    return printable(shlex.join(["likewise", *arguments]))


def printable(text: str) -> str:
    """Text that can be written as UTF-8: names of files need not be."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
