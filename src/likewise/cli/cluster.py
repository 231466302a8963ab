"""``likewise cluster``: data and hints in; clusters, a model and a report out."""

from __future__ import annotations

import csv
import warnings
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from ..clustering.kmeans._starts import fit_starts
from ..constraints import ConstraintConflictError, Constraints
from ..constraints._wording import counted
from ..evaluation import constraint_accuracy
from ..front import Likewise
from ..prepare import Rows
from ..sources.links import balanced, homophily, link_matrix, linked_pairs, local_core_pairs
from .building import Settings, clusterer
from .methods import Method, check_needs, method_named
from .outputs import check_outputs, write_result
from .reading import Reading, hints_about, named, read_source
from .talk import Talk, print_json

SUSPECTS = 3
"""Hints that look wrong, told at most."""


@dataclass(frozen=True)
class Order:
    """What was asked for."""

    source: str
    reading: Reading
    settings: Settings
    method: str | None = None
    hints: Path | None = None
    links: Path | None = None
    out: Path | None = None
    model: Path | None = None
    report: Path | None = None
    as_json: bool = False
    quiet: bool = False
    command: str = ""


def run(order: Order) -> None:
    """Read, cluster, write, and say what came of it."""
    begin = perf_counter()
    talk = Talk(order.quiet or order.as_json)
    method = _method(order)
    check_outputs(
        {"--out": order.out, "--model": order.model, "--report": order.report},
        [order.source, order.hints, order.links],
    )
    with talk.progress(f"reading {order.source}"):
        rows = read_source(order.source, order.reading)
    _check_size(order, rows)
    with talk.progress("reading hints"):
        told = hints_about(rows, order.hints, order.reading.label)
    _check_hints(order, method, rows, told)
    talk.say(f"{counted(len(rows), 'row')} of {order.source}: {rows.recipe}")
    model = clusterer(method.name, rows.X, order.settings, verbose=talk.heard)
    try:
        _fit(model, order, rows, told, talk)
    except ConstraintConflictError as error:
        raise named(error, rows.ids) from None
    labels = np.asarray(model.labels_)
    accuracy = None if told.is_empty else constraint_accuracy(labels, told)
    written = _write(order, method, model, rows, told, labels, accuracy, talk)
    sizes = np.bincount(labels).tolist()
    if order.as_json:
        print_json(
            {
                "rows": len(rows),
                "clusters": len(sizes),
                "method": method.name,
                "constraint_accuracy": accuracy,
                "files": [str(path) for path in written],
                "sizes": sizes,
                "recipe": rows.recipe,
                "must_links": told.n_must_link,
                "cannot_links": told.n_cannot_link,
                "seed": order.settings.seed,
                "seconds": round(perf_counter() - begin, 3),
            }
        )
    _say(talk, method, model, rows, told, sizes, accuracy, written)


def _method(order: Order) -> Method:
    name = order.method
    if name is None:  # links do best with the method made for them, which cannot choose k
        name = "networked" if order.links is not None and order.settings.k is not None else "likewise"
    method = method_named(name, "cluster")
    if name == "networked" and order.links is None:
        raise ValueError("the method networked needs links between rows: --links edges.csv, with columns left, right.")
    if order.model is not None and not method.places:
        raise ValueError(
            f"the method {name} places no new rows, so there is no model to write. Leave --model out, or choose "
            "another: likewise methods."
        )
    return method


def _check_size(order: Order, rows: Rows) -> None:
    k, n = order.settings.k, len(rows)
    if n < 2:
        raise ValueError(f"{order.source} has one row only. There is nothing to cluster.")
    if k is not None and k > n:
        raise ValueError(f"--k {k} is more than the {n:,} rows of {order.source}. Ask for fewer clusters.")


def _check_hints(order: Order, method: Method, rows: Rows, told: Constraints) -> None:
    if not method.hears and not (told.is_empty and order.links is None):
        raise ValueError(
            f"the method {method.name} hears no hints. Leave them out, or choose another: likewise methods."
        )
    check_needs(method, told)
    if order.reading.label is not None and rows.n_labeled == len(rows):
        warnings.warn(
            f"every row has a class in {rows.label_column!r}, so nothing is left to find. Empty some of them; likewise "
            "compare tells how well methods do with fewer.",
            stacklevel=2,
        )


def _fit(model: Any, order: Order, rows: Rows, told: Constraints, talk: Talk) -> None:
    hints = told
    name = type(model).__name__
    with talk.progress("following links"):
        links = None if order.links is None else _read_links(order.links, rows)
        if links is not None and name != "NetworkedDocuments":
            if not told.is_empty:
                homophily(links, told)
            hints = told | balanced(linked_pairs(links)) | balanced(local_core_pairs(links))
    given: dict[str, Any] = {"constraints": hints} if not hints.is_empty else {}
    if name == "Likewise":
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="interrupted")
            model.fit(rows.X, **given)
        if model.report_.interrupted:
            raise KeyboardInterrupt  # half an answer is none: --budget asks for the best by a given time
        return
    if name == "NetworkedDocuments":
        given["links"] = links
    with talk.progress(f"clustering by {order.method or 'networked'}"):
        if isinstance(model, KMeans):
            fit_starts(model, rows.X)
        else:
            model.fit(rows.X, **given)


def _read_links(path: Path, rows: Rows) -> Any:
    try:
        return link_matrix(path, len(rows), ids=rows.ids)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"{path} cannot be read: {error}. Save it as a UTF-8 table with the columns left, right."
        ) from None


def _write(
    order: Order,
    method: Method,
    model: Any,
    rows: Rows,
    told: Constraints,
    labels: np.ndarray,
    accuracy: float | None,
    talk: Talk,
) -> list[Path]:
    written = write_result({"id": rows.ids, "cluster": labels}, order.out, order.as_json, talk)
    if order.model is not None:
        from ..models import save

        meta = {"method": method.name, "seed": order.settings.seed, "rows": len(rows), "constraint_accuracy": accuracy}
        # without the time it took: the same command gives the same file
        said = model.report_.lines() if isinstance(model, Likewise) else []
        report = {name: value for name, value in said if name != "time"}
        with talk.progress(f"writing {order.model}"):
            written.append(save(order.model, model, rows.fitted, {**meta, "command": order.command, "report": report}))
    if order.report is not None:
        from ..report import write_report

        with talk.progress(f"writing {order.report}"):
            page = write_report(
                order.report,
                model,
                rows.X,
                constraints=None if told.is_empty else told,
                ids=rows.ids,
                texts=rows.texts,
                images=rows.images,
                feature_names=list(rows.feature_names),
                title=Path(order.source).name,
                recipe=rows.recipe,
                command=order.command,
                seed=order.settings.seed,
            )
        written.append(page)
    return written


def _say(
    talk: Talk,
    method: Method,
    model: Any,
    rows: Rows,
    told: Constraints,
    sizes: list[int],
    accuracy: float | None,
    written: list[Path],
) -> None:
    if not talk.heard:
        return
    if accuracy is not None:
        talk.say(f"hints: {told.summary()}; {accuracy:.0%} kept")
    report = getattr(model, "report_", None)
    if report is not None and report.contradictions:
        talk.say(f"{counted(report.contradictions, 'contradiction')} among the hints: likewise hints check shows them")
    if report is not None and report.guard:
        talk.say(f"the answer stays next to the one without hints: {report.guard}")
    for suspect in [one for one in getattr(model, "suspects_", ()) if one.wrong > 0.5][:SUSPECTS]:
        first, second = (rows.ids[row] for row in suspect.rows)
        said = "the same" if suspect.kind == "must-link" else "different"
        talk.say(f"this hint looks wrong ({suspect.wrong:.0%}): {first!r} and {second!r} are {said}")
    talk.say(f"{counted(len(sizes), 'cluster')} by {method.name}{_units(model, rows)}:")
    for cluster, size in enumerate(sizes[:20]):
        talk.say(f"  {cluster}  {size:,} rows{_about(model, cluster, rows)}")
    if len(sizes) > 20:
        talk.say(f"  … {len(sizes) - 20} more")
    if written:
        talk.say("wrote " + ", ".join(map(str, written)))


def _units(model: Any, rows: Rows) -> str:
    if not _explains(model, rows):
        return ""
    if _only_words(rows):
        return ", and the words they say more than others"
    return ", and what sets each apart" + ("" if sparse.issparse(rows.X) else " in standard deviations")


def _about(model: Any, cluster: int, rows: Rows) -> str:
    if not _explains(model, rows):
        return ""
    features = model.top_features(cluster, 50, rows.feature_names)
    if _only_words(rows):
        return ": " + ", ".join([name for name, difference in features if difference > 0][:6])
    return ": " + ", ".join(f"{name} {difference:+.2g}" for name, difference in features[:4])


def _explains(model: Any, rows: Rows) -> bool:
    """Only Likewise knows what a cluster is about, and a pixel says nothing."""
    return isinstance(model, Likewise) and rows.images is None


def _only_words(rows: Rows) -> bool:
    return rows.texts is not None and len(rows.fitted.blocks) == 1
