"""``likewise studio``: a local web page that asks questions, shows how clusters change, and saves every answer."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._options import FILE, IntRange, command_line, data_options, hints_option, printable, quiet_option, seed_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..prepare import Rows
    from ..tables import RawTable

SUFFIX = ".studio"

REPEATED = ("id", "label", "text", "columns", "ignore", "beside", "missing", "language", "encoding", "folder")
"""Reading options that are repeated in the command that reproduces the result."""


def _names(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str]:
    names = [name.strip() for name in (value or "").split(",") if name.strip()]
    if len(set(names)) < len(names):
        raise click.BadParameter("two people have the same name. Give each their own.")
    if value is not None and len(names) < 2:
        raise click.BadParameter("name two people or more, with commas between them: Anna,Ben.")
    return names


@click.command()
@click.argument("source", metavar="DATA")
@hints_option
@click.option("--links", type=FILE, help="File of links between rows: two columns, from which row and to which.")
@click.option("--k", type=IntRange(1), help="Number of clusters. Default: chosen from the data and the hints.")
@click.option("--session", type=FILE, help="File in which every action is saved. If it exists, continue from it. "
              "Default: NAME.studio next to DATA.")  # fmt: skip
@click.option("--port", type=IntRange(1, 65535), help="Port of the page. Default: the port used last, or a "
              "free one.")  # fmt: skip
@click.option("--open/--no-open", "browser", default=True, help="Whether to open the page in a browser.")
@click.option("--people", metavar="NAMES", callback=_names, help="Comma-separated names of several people; each gets "
              "their own link and undo.")  # fmt: skip
@click.option("--history", is_flag=True, help="Print all actions of the session, including undone ones, and exit.")
@seed_option
@data_options
@quiet_option
def studio(
    source: str,
    *,
    hints: tuple[Path, ...],
    links: Path | None,
    k: int | None,
    session: Path | None,
    port: int | None,
    browser: bool,
    people: list[str],
    history: bool,
    seed: int,
    quiet: bool,
    **reading: Any,
) -> None:
    """Answer questions about DATA, and sort, merge, split and name clusters, on a local web page.

    Every action is saved to the session file at once, and can be undone. The page can only be opened on this machine;
    over SSH, use a tunnel: ssh -L 8765:127.0.0.1:8765 HOST, and --port 8765 --no-open there. Press Ctrl-C to stop.
    """
    from ._messages import Messages

    path = session if session is not None else _default_session(source)
    if history:
        _print_history(path)
        return
    messages = Messages(quiet)
    with messages.starting():
        from ._reading import hints_about, prepare_data, read_links, read_raw_data

        _check_installed()
    _check_session(path, [source, *hints, links, reading["beside"]])
    repeated = _options({name: reading[name] for name in REPEATED})
    with messages.progress(f"reading {source}"):
        raw = read_raw_data(source, reading["encoding"], reading.pop("folder"))
        rows, _ = prepare_data(raw, **reading)
        rows = with_pictures(rows, raw, source, reading["beside"])
    if len(rows) < 2:
        raise ValueError(f"{source} has only one row. There is nothing to compare it with.")
    if k is not None and k > len(rows):
        raise ValueError(f"--k {k} is more than the {len(rows):,} rows of {source}. Use fewer clusters.")
    constraints = hints_about(rows, hints, reading["label"])
    matrix = None if links is None else read_links(links, rows)

    def repeat(n_clusters: int | None) -> str:
        """The command that makes the same clusters of exported hints."""
        parts = ["likewise", "cluster", source, "--hints", "hints.csv"]
        parts += [] if n_clusters is None else ["--k", str(n_clusters)]
        parts += [] if links is None else ["--links", str(links), "--method", "likewise"]
        parts += ["--seed", str(kept_seed())]
        return shlex.join([*parts, *repeated])

    def kept_seed() -> int:
        return made.seed

    from ..studio._running import last_port, locked, run
    from ..studio._studio import Studio

    preferred = last_port(path)
    with locked(path) as note:
        made = Studio(
            path,
            rows,
            name=printable(Path(source).name),
            seed=seed,
            n_clusters=k,
            given=_given(constraints, rows, [*map(str, hints), *_label_source(rows, reading["label"])]),
            links=matrix,
            people=people,
            command=command_line(),
            repeat=repeat,
        )
        messages.show(f"{len(rows):,} rows of {source}: {rows.description}")
        _tell_change(messages, made)
        messages.show(f"every act is kept in {path}; Ctrl-C ends the studio")
        run(made, port=port, preferred=preferred, browser=browser, note=note)
    messages.show(f"all is kept in {path}: likewise studio {source} --session {path}")


def _print_history(path: Path) -> None:
    from datetime import datetime

    from ..studio import Session
    from ._show_rows import clean

    if not path.exists():
        raise ValueError(f"there is no session {path}. Start one without --history, or name it with --session.")
    acts = Session.read(path).history()
    several = len({act["who"] for act in acts}) > 1
    for act in acts:
        when = datetime.fromtimestamp(act["at"]).strftime("%Y-%m-%d %H:%M:%S")
        who = f"{act['who']}  " if several else ""
        words = clean(" ".join(f"{who}{act['words']}".split("\n")))
        click.echo(f"{when}  {words}{'' if act['counts'] else '  (undone)'}")


def _check_installed() -> None:
    try:
        import starlette as _starlette  # noqa: F401
        import uvicorn as _uvicorn  # noqa: F401
    except ImportError:
        raise ValueError('the studio needs Starlette and uvicorn: pip install "likewise[studio]".') from None


def _default_session(source: str) -> Path:
    """Beside the data; data sets by name have no folder."""
    path = Path(source)
    return path.with_name(f"{path.name.split('.')[0] or path.name}{SUFFIX}")


def _check_session(path: Path, inputs: Sequence[str | Path | None]) -> None:
    if path.resolve() in {Path(one).resolve() for one in inputs if one is not None}:
        raise ValueError(f"--session {path} is a file that is read. Name another one.")
    if not path.parent.is_dir():
        raise ValueError(f"--session {path}: there is no folder {path.parent}. Create it first.")


def _given(constraints: Any, rows: Rows, sources: list[str]) -> list[tuple[str, Any]]:
    from ..constraints._io import columns

    return [] if constraints.is_empty else [(", ".join(sources), columns(constraints, rows.ids))]


def _label_source(rows: Rows, label: str | None) -> list[str]:
    from ._reading import uses_labels

    return [f"column {rows.label_column}"] if uses_labels(rows, label) else []


def _options(reading: dict[str, Any]) -> list[str]:
    """The reading options that are given on the command line and differ from their defaults."""
    context = click.get_current_context()
    defaults = {parameter.name: parameter for parameter in context.command.params}
    found: list[str] = []
    for name, value in reading.items():
        parameter = defaults[name]
        from_environment = context.get_parameter_source(name) is click.core.ParameterSource.ENVIRONMENT
        if from_environment or value in (None, (), []) or value == parameter.default:
            continue
        values = (
            value if name in ("text", "ignore") else [",".join(value) if isinstance(value, list | tuple) else value]
        )
        for each in values:
            found += [parameter.opts[0], str(each)]
    return found


def _tell_change(messages: Any, made: Any) -> None:
    changed = made.views.changed()
    if changed is not None:
        messages.show(
            f"the data has changed: {changed['rows_new']:,} rows are new, {changed['rows_gone']:,} are gone. "
            f"{changed['hints_about_gone']:,} hints are about rows that are gone: they are kept, and do not count"
        )


def with_pictures(rows: Rows, raw: RawTable, source: str, beside: Path | None) -> Rows:
    """The rows with their pictures, where a column of the data, or of the table beside it, has paths to them."""
    from dataclasses import replace

    from ..prepare import DataKind
    from ..tables import read_raw

    if rows.images is not None or rows.kind is DataKind.IMAGES:
        return rows
    tables = [(raw, Path(source).parent)]
    if beside is not None and beside.suffix.lower() != ".txt":
        tables.append((read_raw(beside), beside.parent))
    for table, folder in tables:
        for name, cells in table.columns.items():
            found = _picture_paths(list(cells), folder)
            if found is not None and len(found) == len(rows):
                return replace(rows, images=found, table=None if rows.table is None else rows.table.without([name]))
    return rows


def _picture_paths(cells: list[Any], folder: Path) -> list[Path] | None:
    """The files that cells name, if all of them name one, and the first are there."""
    from ..tables._folders import IMAGES

    if not cells or not all(isinstance(cell, str) and Path(cell).suffix.lower() in IMAGES for cell in cells):
        return None
    paths = [folder / cell for cell in cells]
    return paths if all(path.is_file() for path in paths[:3]) else None
