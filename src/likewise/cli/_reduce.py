"""``likewise reduce``: project rows to a few dimensions, using hints."""

from __future__ import annotations

from glob import has_magic
from pathlib import Path
from typing import Any

import click

from ._options import FILE, IntRange, command_line, data_options, hints_option, json_option, quiet_option, seed_option


@click.command()
@click.argument("source", metavar="DATA")
@hints_option
@click.option("--method", help="A projection of `likewise methods`. Default: costco with must-links, else ssdr.")
@click.option("--dims", type=IntRange(1), default=2, show_default=True, help="Number of dimensions.")
@seed_option
@click.option("--out", type=FILE, help="File for ids and coordinates: .csv, .tsv, .jsonl, .parquet, or .npy without "
              "ids. Default: standard output.")  # fmt: skip
@click.option("--model", type=FILE, help="Save the fitted projection (for `likewise assign`).")
@data_options
@json_option
@quiet_option
def reduce(
    source: str,
    *,
    hints: tuple[Path, ...],
    method: str | None,
    dims: int,
    seed: int,
    out: Path | None,
    model: Path | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Project the rows of DATA to a few dimensions, using hints.

    DATA is as for `likewise cluster`. Files given by a pattern, such as 'parts/*.parquet', are read twice, part by
    part, by the methods costco, ssdr, asp, screen, rca, dca or slpp.
    """
    from ._messages import Messages, print_json

    if has_magic(source) and not Path(source).exists():
        from ._row_files import reduce_row_files

        refused = {name: reading[name] for name in ("text", "beside", "transpose")}
        reduce_row_files(
            source,
            hints=hints,
            method=method,
            dims=dims,
            seed=seed,
            out=out,
            model=model,
            as_json=as_json,
            quiet=quiet,
            refused=refused,
            reading=reading,
        )
        return
    messages = Messages(quiet or as_json)
    with messages.starting():
        import numpy as np

        from .._methods import method_named, reducer
        from ..constraints import ConstraintConflictError
        from ..constraints._format import pluralize
        from ..models import save
        from ._cluster import check_constraints
        from ._outputs import check_outputs, check_result_file, write_outputs
        from ._reading import conflict_by_ids, hints_about, read_rows

    if method is not None:
        method_named(method, reduces=True)
    check_outputs({"--out": out, "--model": model}, [source, *hints, reading["beside"]])
    check_result_file(out)
    with messages.progress(f"reading {source}"):
        rows = read_rows(source, **reading)
    if not _differ(rows.X):
        raise ValueError(f"the rows of {source} are all equal ({rows.description}), so they cannot be projected.")
    if dims > rows.X.shape[1]:
        raise ValueError(
            f"--dims {dims} is more than the {rows.X.shape[1]:,} features of {source} ({rows.description}). Use fewer."
        )
    with messages.progress("reading hints"):
        constraints = hints_about(rows, hints, reading["label"])
    facts = method_named(method or default_projection(constraints), reduces=True)
    check_constraints(facts, constraints)
    projection = reducer(facts.name, rows.X, dims, seed)
    given = {} if constraints.is_empty else {"constraints": constraints}
    with messages.progress(f"reducing by {facts.name}"):
        try:
            Z = np.asarray(projection.fit(rows.X, **given).transform(rows.X))
        except ConstraintConflictError as error:
            raise conflict_by_ids(error, rows.ids) from None
    meta = {"method": facts.name, "seed": seed, "rows": len(rows), "command": command_line()}
    written = write_outputs(
        coordinates(rows.ids, Z),
        out,
        {model: lambda path: save(path, projection, rows.features, meta)},
        as_json=as_json,
        messages=messages,
    )
    if as_json:
        print_json(
            {
                "rows": len(rows),
                "dimensions": Z.shape[1],
                "method": facts.name,
                "files": [str(path) for path in written],
                "preprocessing": rows.description,
                "must_links": constraints.n_must_link,
                "cannot_links": constraints.n_cannot_link,
                "seed": seed,
            }
        )
    learned = "" if constraints.is_empty else f", learned from {constraints.summary()}"
    messages.show(f"{pluralize(len(rows), 'row')} of {source}: {rows.description}")
    messages.show(f"{pluralize(Z.shape[1], 'dimension')} by {facts.name}{learned}")
    if written:
        messages.show("wrote " + ", ".join(map(str, written)))


def coordinates(ids: list[str], Z: Any) -> dict[str, Any]:
    """The columns of the output: id, then one for each dimension."""
    return {"id": ids, **dimensions(Z)}


def dimensions(Z: Any) -> dict[str, Any]:
    """A column for each dimension."""
    return {f"d{place + 1}": Z[:, place] for place in range(Z.shape[1])}


def default_projection(constraints: Any) -> str:
    """As in ProjectThenCluster: Costco learns from must-links, and without any SSDR is a corrected PCA."""
    return "costco" if constraints.n_must_link else "ssdr"


def _differ(X: Any) -> bool:
    from scipy import sparse

    spread = X.max(axis=0) - X.min(axis=0)
    return bool(spread.nnz if sparse.issparse(spread) else spread.any())
