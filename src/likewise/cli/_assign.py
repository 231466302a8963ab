"""``likewise assign``: new rows and the clusters of a saved model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ._options import FILE, encoding_option, json_option, quiet_option


@click.command()
@click.argument("model", type=FILE)
@click.argument("source", metavar="NEWDATA", type=click.Path(path_type=Path))
@click.option("--id", metavar="NAME", help="Column of ids. Default: the one that the model's data had.")
@encoding_option
@click.option("--out", type=FILE, help="File for the columns id, cluster. Default: standard output.")
@json_option
@quiet_option
def assign(
    model: Path, source: Path, *, id: str | None, encoding: str, out: Path | None, as_json: bool, quiet: bool
) -> None:
    """Assign the rows of NEWDATA to the clusters of MODEL.

    NEWDATA is preprocessed as the data of the model was; a missing column is an error. With a MODEL of `likewise
    reduce`, the rows are projected.
    """
    import numpy as np

    from ..constraints._format import pluralize
    from ..models import load
    from ..prepare import read_like
    from ._messages import Messages, print_json
    from ._outputs import check_outputs, check_result_file, write_outputs
    from ._reduce import coordinates

    messages = Messages(quiet or as_json)
    check_outputs({"--out": out}, [model, source])
    check_result_file(out)
    saved = load(model)
    if saved.features is None:
        raise ValueError(f"{model} does not say how its data was prepared, so files cannot be. Use it from Python.")
    with messages.progress(f"reading {source}"):
        rows = read_like(source, saved.features, id=id, encoding=encoding)
    with messages.progress("assigning rows"):
        found = saved.place(rows.X)
    clusters = found.ndim == 1
    columns: dict[str, Any] = {"id": rows.ids, "cluster": found} if clusters else coordinates(rows.ids, found)
    written = write_outputs(columns, out, {}, as_json=as_json, messages=messages)
    sizes = np.bincount(found).tolist() if clusters else []
    if as_json:
        shape = {"clusters": len(np.unique(found)), "sizes": sizes} if clusters else {"dimensions": found.shape[1]}
        method = saved.meta.get("method")
        print_json({"rows": len(rows), **shape, "method": method, "files": [str(path) for path in written]})
    if clusters:
        counts = ", ".join(f"{number}: {size:,}" for number, size in enumerate(sizes[:20]))
        more = ", …" if len(sizes) > 20 else ""
        messages.show(f"{pluralize(len(rows), 'row')} of {source} by cluster: {counts}{more}")
    else:
        messages.show(f"{pluralize(len(rows), 'row')} of {source} in {pluralize(found.shape[1], 'dimension')}")
    if written:
        messages.show("wrote " + ", ".join(map(str, written)))
