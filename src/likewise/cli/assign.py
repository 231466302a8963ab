"""``likewise assign``: new rows among the clusters of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..constraints._wording import counted
from ..models import load
from ..prepare import read_like
from .outputs import check_outputs, write_result
from .reduce import coordinates
from .talk import Talk, print_json


def run(
    model: Path, source: Path, *, id: str | None, encoding: str, out: Path | None, as_json: bool, quiet: bool
) -> None:
    """Read new rows as those of the model were read, place them, and write where."""
    talk = Talk(quiet or as_json)
    check_outputs({"--out": out}, [model, source])
    saved = load(model)
    if saved.recipe is None:
        raise ValueError(f"{model} does not say how its data was prepared, so a file cannot be. Use it in Python.")
    with talk.progress(f"reading {source}"):
        rows = read_like(source, saved.recipe, id=id, encoding=encoding)
    with talk.progress("placing rows"):
        found = saved.place(rows.X)
    clusters = found.ndim == 1
    columns: dict[str, Any] = {"id": rows.ids, "cluster": found} if clusters else coordinates(rows.ids, found)
    written = write_result(columns, out, as_json, talk)
    sizes = np.bincount(found).tolist() if clusters else []
    if as_json:
        kind = {"clusters": len(np.unique(found)), "sizes": sizes} if clusters else {"dimensions": found.shape[1]}
        method = saved.meta.get("method", type(saved.model).__name__)
        print_json({"rows": len(rows), **kind, "method": method, "files": [str(path) for path in written]})
    if clusters:
        spread = ", ".join(f"{cluster}: {size:,}" for cluster, size in enumerate(sizes[:20]))
        talk.say(f"{counted(len(rows), 'row')} of {source} by cluster: {spread}{', …' if len(sizes) > 20 else ''}")
    else:
        talk.say(f"{counted(len(rows), 'row')} of {source} in {counted(found.shape[1], 'dimension')}")
    if written:
        talk.say("wrote " + ", ".join(map(str, written)))
