"""Options that several commands share."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

HOWS = ["random_pairs", "per_class", "labeled_items", "disjoint_items", "equal", "links"]
FILE = click.Path(path_type=Path, dir_okay=False)
SEED = click.IntRange(0, 2**32 - 1)


ID = click.option("--id", "id_", metavar="NAME", help="Column of ids; default: one called id, or a first column of "
                  "names; none: row numbers from 0.")  # fmt: skip
LABEL = click.option("--label", metavar="NAME", help="Column of classes; empty or -1 where unknown. Never compared.")
ENCODING = click.option("--encoding", default="utf-8", show_default=True, help="Of text files.")
NAMED = click.option("--data", "folder", type=click.Path(path_type=Path, file_okay=False), envvar="LIKEWISE_DATA",
                     help="Folder of the data sets that have names.")  # fmt: skip
WHO = (ID, LABEL, ENCODING, NAMED)
"""Options that tell which rows there are, and of which class."""

WHAT = (
    click.option("--text", multiple=True, metavar="NAME", help="Column of texts; may be given again. Default: those "
                 "with sentences in them."),
    click.option("--columns", metavar="NAMES", help="Compare rows by these alone; with commas between."),
    click.option("--impute", type=click.Choice(["mean", "median", "zero"]), help="What a missing number becomes; a "
                 "missing category then belongs to none, a missing text has no words. Default: an error."),
    click.option("--language", default="english", show_default=True, help="Of texts, for the stems of their words."),
)  # fmt: skip
"""Options that tell what rows are compared by."""


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How DATA is read; the command gets it as one ``reading``."""
    return _gathered(command, (*WHO[:2], *WHAT, *WHO[2:]))


def name_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same where only ids and classes of DATA are read."""
    return _gathered(command, WHO)


def _gathered(command: Callable[..., Any], options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    @wraps(command)
    def wrapped(
        id_: str | None,
        label: str | None,
        encoding: str,
        folder: Path | None,
        text: tuple[str, ...] = (),
        columns: str | None = None,
        impute: str | None = None,
        language: str = "english",
        **rest: Any,
    ) -> Any:
        from .reading import Reading

        chosen = None if columns is None else tuple(name.strip() for name in columns.split(","))
        return command(reading=Reading(id_, text, label, chosen, impute, encoding, language, folder), **rest)

    found: Callable[..., Any] = wrapped
    for option in reversed(options):
        found = option(found)
    return found


def checked_jobs(context: click.Context, parameter: click.Parameter, value: int | None) -> int | None:
    """A number of threads: 1 or more, or −1 for one a core and −2 for one fewer."""
    if value == 0:
        raise click.BadParameter("0 threads do no work. Give 1 or more, or -1 for one a core.")
    return value


def talk_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """For machines, and for those who want silence."""
    command = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)
    return click.option("-q", "--quiet", is_flag=True, help="Say nothing, also on a terminal.")(command)


def asked() -> str:
    """The command line as it was written, to be repeated."""
    arguments = click.get_current_context().meta.get("likewise.asked", [])
    return shlex.join(["likewise", *arguments])
