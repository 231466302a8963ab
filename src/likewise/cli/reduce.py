"""``likewise reduce``: rows as a few coordinates that hints taught."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from ..clustering._principal import fit_transform
from ..constraints import ConstraintConflictError, Constraints
from ..constraints._wording import counted
from .building import reducer
from .methods import check_needs, method_named
from .outputs import check_outputs, write_result
from .reading import Reading, hints_about, named, read_source
from .talk import Talk, print_json


@dataclass(frozen=True)
class Order:
    """What was asked for."""

    source: str
    reading: Reading
    dims: int = 2
    method: str | None = None
    hints: Path | None = None
    seed: int = 0
    out: Path | None = None
    model: Path | None = None
    as_json: bool = False
    quiet: bool = False
    command: str = ""


def run(order: Order) -> None:
    """Read, project, write, and say what came of it."""
    talk = Talk(order.quiet or order.as_json)
    if order.method is not None:
        method_named(order.method, "reduce")
    check_outputs({"--out": order.out, "--model": order.model}, [order.source, order.hints])
    with talk.progress(f"reading {order.source}"):
        rows = read_source(order.source, order.reading)
    if not _differ(rows.X):
        raise ValueError(f"the rows of {order.source} do not differ ({rows.recipe}). There is nothing to show.")
    if order.dims > rows.X.shape[1]:
        raise ValueError(
            f"--dims {order.dims} is more than the {rows.X.shape[1]:,} columns that {order.source} comes to "
            f"({rows.recipe}). Ask for fewer."
        )
    with talk.progress("reading hints"):
        told = hints_about(rows, order.hints, order.reading.label)
    # what ProjectThenCluster does: Costco learns from must-links, and without any SSDR is PCA, corrected
    name = order.method or ("costco" if told.n_must_link else "ssdr")
    method = method_named(name, "reduce")
    if not method.hears and not told.is_empty:
        raise ValueError(f"the method {name} hears no hints. Leave them out, or choose another: likewise methods.")
    check_needs(method, told)
    model = reducer(name, rows.X, order.dims, order.seed)
    try:
        with talk.progress(f"reducing by {name}"):
            Z = _fitted(model, rows.X, told)
    except ConstraintConflictError as error:
        raise named(error, rows.ids) from None
    written = write_result(coordinates(rows.ids, Z), order.out, order.as_json, talk)
    if order.model is not None:
        from ..models import save

        meta = {"method": name, "seed": order.seed, "rows": len(rows), "command": order.command}
        written.append(save(order.model, model, rows.fitted, meta))
    if order.as_json:
        print_json(
            {
                "rows": len(rows),
                "dimensions": Z.shape[1],
                "method": name,
                "files": [str(path) for path in written],
                "recipe": rows.recipe,
                "must_links": told.n_must_link,
                "cannot_links": told.n_cannot_link,
                "seed": order.seed,
            }
        )
    hints = "" if told.is_empty else f", taught by {told.summary()}"
    talk.say(f"{counted(len(rows), 'row')} of {order.source}: {rows.recipe}")
    talk.say(f"{counted(Z.shape[1], 'dimension')} by {name}{hints}")
    if written:
        talk.say("wrote " + ", ".join(map(str, written)))


def coordinates(ids: list[str], Z: np.ndarray) -> dict[str, Any]:
    """The columns of the output: id, then one for each dimension."""
    return {"id": ids, **{f"d{place + 1}": Z[:, place] for place in range(Z.shape[1])}}


def _differ(X: Any) -> bool:
    spread = X.max(axis=0) - X.min(axis=0)
    return bool(spread.nnz if sparse.issparse(spread) else spread.any())


def _fitted(model: Any, X: Any, told: Constraints) -> np.ndarray:
    if told.is_empty:
        return np.asarray(fit_transform(model, X))
    return np.asarray(model.fit_transform(X, constraints=told))
