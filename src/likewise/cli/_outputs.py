"""The output files of a command: checked before the work starts, and written together at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._atomic import atomic_group, check_writable
from ..tables import checked_suffix, write_columns, write_delimited
from ._messages import Messages


def check_outputs(outputs: Mapping[str, Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Raise an error for output files that cannot be written, or would overwrite an input.

    Parameters
    ----------
    outputs : mapping of option to path
    inputs : paths
    """
    read = {Path(path).resolve() for path in inputs if path is not None}
    taken: dict[Path, str] = {}
    for option, path in outputs.items():
        if path is None:
            continue
        if not path.parent.is_dir():
            raise ValueError(f"{option} {path}: there is no folder {path.parent}. Create it first.")
        if path.is_dir():
            raise ValueError(f"{option} {path} is a folder. Name a file in it.")
        if path.resolve() in read:
            raise ValueError(f"{option} {path} would overwrite an input file. Choose another name.")
        if path.resolve() in taken:
            raise ValueError(f"{option} and {taken[path.resolve()]} are both {path}. Give each a file of its own.")
        taken[path.resolve()] = option
        check_writable(path)


def check_result_file(out: Path | None) -> None:
    """Raise an error for a suffix without a writer."""
    if out is not None:
        checked_suffix(out)


def cluster_columns(ids: Sequence[Any], model: Any, found: Any, out: Path | None) -> dict[str, Any]:
    """The columns of a result: id and cluster, and name, second and certainty if the model has them.

    Parameters
    ----------
    ids : list
    model : fitted clusterer
    found : (n,) ints or Assignment
        The clusters of the rows; an Assignment also has the second most likely clusters, and the certainty.
    out : Path or None
        The output file. An .npy file contains only the clusters.

    Returns
    -------
    dict of str to list or array
        Names only if clusters are named after labels. The second cluster is empty if no other is likely.
    """
    from ..front import Assignment

    if not isinstance(found, Assignment):
        return {"id": ids, "cluster": found}
    if out is not None and out.suffix.lower() == ".npy":
        return {"id": ids, "cluster": found.labels}
    second = [None if cluster < 0 else cluster for cluster in found.second_labels.tolist()]
    certainty = found.certainty.round(4)
    if not model._has_labels:
        return {"id": ids, "cluster": found.labels, "second": second, "certainty": certainty}
    names = model.cluster_names_
    second_names = [None if cluster is None else str(names[cluster]) for cluster in second]
    return {
        "id": ids,
        "cluster": found.labels,
        "name": names[found.labels],
        "second": second,
        "second_name": second_names,
        "certainty": certainty,
    }


def write_outputs(
    columns: Mapping[str, Any],
    out: Path | None,
    writers: Mapping[Path | None, Callable[[Path], Path]],
    *,
    as_json: bool,
    messages: Messages,
) -> list[Path]:
    """Write columns to ``out``, and other files; either all of them or none.

    Parameters
    ----------
    columns : mapping of str to list or array
    out : Path or None
        If None, they are written to standard output, unless that is used for JSON.
    writers : mapping of path to callable
        The functions that write the other files; paths that are None are skipped.

    Returns
    -------
    list of Path
        The files written.
    """
    written = []
    with atomic_group():
        if out is not None:
            with messages.progress(f"writing {out}"):
                written.append(write_columns(out, columns))
        for path, write in writers.items():
            if path is not None:
                with messages.progress(f"writing {path}"):
                    written.append(write(path))
    if out is None and not as_json:
        write_delimited(sys.stdout, columns)
        sys.stdout.flush()
    return written
