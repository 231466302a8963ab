"""``likewise assign``: assign new rows to the clusters of a saved model."""

from __future__ import annotations

from glob import has_magic
from pathlib import Path
from typing import Any

import click

from ._options import FILE, encoding_option, json_option, quiet_option


@click.command()
@click.argument("model", type=FILE)
@click.argument("source", metavar="NEWDATA", type=click.Path(path_type=Path))
@click.option("--id", metavar="NAME", help="Column of ids. Default: the same as in the data of the model.")
@click.option("--transpose", is_flag=True, help="Assign the columns of NEWDATA instead of its rows, if the model was "
              "fitted with --transpose.")  # fmt: skip
@encoding_option
@click.option("--out", type=FILE, help="File for the columns id and cluster, and name, second and certainty as in "
              "`likewise cluster` if the model has them. Default: standard output.")  # fmt: skip
@json_option
@quiet_option
def assign(
    model: Path,
    source: Path,
    *,
    id: str | None,
    transpose: bool,
    encoding: str,
    out: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Assign the rows of NEWDATA to the clusters of MODEL.

    NEWDATA is preprocessed like the data of the model; a missing column is an error. With a MODEL of `likewise
    reduce`, the rows are projected. A quoted pattern, such as 'parts/*.parquet', stands for many files, if MODEL was
    fitted on such files.
    """
    from ._messages import Messages, print_json

    messages = Messages(quiet or as_json)
    with messages.starting():
        import numpy as np

        from ..constraints._format import pluralize
        from ..front import Likewise
        from ..models import load
        from ..prepare._reading import rows_like
        from ..tables import read_raw
        from ..tables._transposed import transposed
        from ._outputs import check_outputs, check_result_file, cluster_columns, write_outputs
        from ._reduce import coordinates

    if has_magic(str(source)) and not source.exists():
        from ._row_files import assign_row_files

        saved = load(model)
        facts = assign_row_files(saved, model, str(source), id=id, out=out, messages=messages)
        if as_json:
            print_json({**facts, "method": saved.meta.get("method"), "files": [str(out)]})
        by_cluster = "sizes" in facts
        what = f"by cluster: {facts['sizes']}" if by_cluster else f"in {pluralize(facts['dimensions'], 'dimension')}"
        messages.show(f"{pluralize(facts['rows'], 'row')} of {source} {what}; wrote {out}")
        return
    check_outputs({"--out": out}, [model, source])
    check_result_file(out)
    saved = load(model)
    if saved.features is None:
        raise ValueError(f"{model} was saved without its preprocessing steps. Use it in Python.")
    with messages.progress(f"reading {source}"):
        raw = read_raw(source, encoding)
        raw, id = (transposed(raw, id), None) if transpose else (raw, id)
        rows = rows_like(raw, saved.features, id=id)
    with messages.progress("assigning rows"):
        certain = isinstance(saved.model, Likewise)
        placed: Any = saved.model.predict_certainty(rows.X) if certain else saved.place(rows.X)
    found = placed.labels if certain else placed
    clusters = found.ndim == 1
    columns = cluster_columns(rows.ids, saved.model, placed, out) if clusters else coordinates(rows.ids, found)
    written = write_outputs(columns, out, {}, as_json=as_json, messages=messages)
    sizes = np.bincount(found).tolist() if clusters else []
    if as_json:
        shape = {"clusters": len(np.unique(found)), "sizes": sizes} if clusters else {"dimensions": found.shape[1]}
        method = saved.meta.get("method")
        print_json({"rows": len(rows), **shape, "method": method, "files": [str(path) for path in written]})
    if clusters:
        names = saved.model.cluster_names_ if certain else range(len(sizes))
        counts = ", ".join(f"{name}: {size:,}" for name, size in zip(names[:20], sizes, strict=False))
        more = ", …" if len(sizes) > 20 else ""
        messages.show(f"{pluralize(len(rows), 'row')} of {source} by cluster: {counts}{more}")
    else:
        messages.show(f"{pluralize(len(rows), 'row')} of {source} in {pluralize(found.shape[1], 'dimension')}")
    if written:
        messages.show("wrote " + ", ".join(map(str, written)))
