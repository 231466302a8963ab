"""The files that a command is to write: checked before the work begins, written when it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..tables import checked_suffix, write_columns, write_delimited
from .talk import Talk


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse what could not be written at the end, or would write over what was read.

    Parameters
    ----------
    outputs : mapping of option to path
        ``--out`` must have a suffix that results can be written in.
    inputs : paths
    """
    read = {Path(path).resolve() for path in inputs if path is not None}
    taken: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if not path.parent.is_dir():
            raise ValueError(f"{option} {path}: there is no folder {path.parent}. Make it first.")
        if path.is_dir():
            raise ValueError(f"{option} {path} is a folder. Name a file in it.")
        if path.resolve() in read:
            raise ValueError(f"{option} {path} would write over what is read. Choose another name.")
        if path.resolve() in taken:
            raise ValueError(f"{option} and {taken[path.resolve()]} are both {path}. Give each a file of its own.")
        taken[path.resolve()] = option
        if option == "--out":
            checked_suffix(path)
        if option == "--report" and path.suffix.lower() not in (".html", ".htm"):
            raise ValueError(f"--report {path} must end in .html: it is a page to be opened in a browser.")


def write_result(columns: Mapping[str, Any], out: Path | None, as_json: bool, talk: Talk) -> list[Path]:
    """Write columns to a file, or to standard output unless that is for JSON; return the files written."""
    if out is not None:
        with talk.progress(f"writing {out}"):
            return [write_columns(out, columns)]
    if not as_json:
        write_delimited(sys.stdout, columns)
        sys.stdout.flush()
    return []
