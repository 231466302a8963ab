"""Export of hints, labels, names, a model and a report from one new fit; all files are written or none."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._leftovers import sync_folder, temporary_folder
from ..constraints import Constraints
from ..constraints._io import columns as columns_of
from ..evaluation import constraint_accuracy
from ..tables import write_columns
from ._names import place_names

if TYPE_CHECKING:
    from ..front import Likewise
    from ._learner import Learner

FILES = ("hints.csv", "labels.csv", "names.csv", "model.likewise", "report.html")


@dataclass(frozen=True)
class Export:
    """The content and the folder of an export.

    Attributes
    ----------
    number : int
    folder : Path
        Created when all files are complete.
    constraints : Constraints
    n_clusters : int or None
    names : sequence of (int, str, tuple of int)
        The names of clusters: event, name and anchor rows.
    title : str
        Title of the report.
    command : str
        The command line that reproduces the labels from ``hints.csv``.
    """

    number: int
    folder: Path
    constraints: Constraints
    n_clusters: int | None
    names: Sequence[tuple[int, str, tuple[int, ...]]]
    title: str
    command: str


def write_export(export: Export, learner: Learner, tell: Callable[[str], None]) -> list[tuple[str, int]]:
    """Run a new fit with the exported hints, and write all files.

    Returns
    -------
    list of (str, int)
        Names and sizes of the files.
    """
    if not export.folder.exists():  # otherwise it was written by a worker that died before reporting it
        try:
            _write_folder(export, learner, tell)
        except OSError as error:  # report the requested file instead of the hidden one
            name = Path(str(error.filename)).name
            wanted = export.folder / name if name in FILES else export.folder
            raise OSError(error.errno, error.strerror, str(wanted)) from error
    return [(name, (export.folder / name).stat().st_size) for name in FILES]


def _write_folder(export: Export, learner: Learner, tell: Callable[[str], None]) -> None:
    rows = learner.rows
    export.folder.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(export.folder.parent) as beside:
        folder = beside / export.folder.name
        folder.mkdir()
        tell("fitting")
        export.constraints.write(folder / "hints.csv", ids=rows.ids)
        read = (
            Constraints(len(rows))
            if export.constraints.is_empty
            else Constraints.read(folder / "hints.csv", ids=rows.ids)
        )
        model = learner.fresh(learner.with_links(read), export.n_clusters)
        tell("writing")
        _write_files(folder, export, learner, model, read)
        os.replace(folder, export.folder)
        sync_folder(export.folder.parent)


def _write_files(folder: Path, export: Export, learner: Learner, model: Likewise, hints: Constraints) -> None:
    from ..models import save
    from ..report import write_report

    rows = learner.rows
    labels = np.asarray(model.labels_, dtype=np.int64)
    placed = place_names([(event, name, anchors) for event, name, anchors in export.names], labels, model.n_clusters_)
    names = [" + ".join(found) for found in placed.names]
    second = [None if cluster < 0 else cluster for cluster in model.second_labels_.tolist()]
    write_columns(
        folder / "labels.csv",
        {
            "id": rows.ids,
            "cluster": labels,
            "name": [safe_cell(names[cluster]) for cluster in labels.tolist()],
            "second": second,
            "certainty": model.certainty_.round(4),
        },
    )
    write_columns(
        folder / "names.csv",
        {
            "cluster": list(range(model.n_clusters_)),
            "name": [safe_cell(name) for name in names],
            "rows": np.bincount(labels, minlength=model.n_clusters_).tolist(),
        },
    )
    if any(names):
        shown = [name or str(own) for name, own in zip(names, model.cluster_names_, strict=True)]
        model.cluster_names_ = np.array(shown)
        model._has_labels = True
        model.report_ = replace(
            model.report_,
            clusters=tuple(
                replace(cluster, name=name, label=cluster.label if not given else name)
                for cluster, name, given in zip(model.report_.clusters, shown, names, strict=True)
            ),
        )
    accuracy = None if hints.is_empty else constraint_accuracy(labels, hints)
    meta = {
        "method": "likewise",
        "seed": learner.settings.seed,
        "rows": len(rows),
        "constraint_accuracy": accuracy,
        "command": export.command,
        "hints": columns_of(hints, rows.ids),
        "report": {name: value for name, value in model.report_.lines() if name != "time"},
    }
    save(folder / "model.likewise", model, rows.features, meta)
    write_report(
        folder / "report.html",
        model,
        rows.X,
        constraints=hints,
        ids=rows.ids,
        texts=rows.texts,
        images=rows.images,
        feature_names=list(rows.feature_names),
        table=rows.table,
        links=learner.settings.links,
        kind=rows.kind,
        preprocessing=rows.description,
        title=export.title,
        command=export.command,
        seed=learner.settings.seed,
    )


def safe_cell(name: str) -> Any:
    """Escape a name so that no spreadsheet interprets it as a formula.

    >>> safe_cell("=1+1"), safe_cell("invoices")
    ("'=1+1", 'invoices')
    """
    return f"'{name}" if name[:1] in ("=", "+", "-", "@", "\t", "\r") else name
