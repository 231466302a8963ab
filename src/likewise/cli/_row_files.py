"""``likewise cluster``, ``reduce`` and ``assign`` for rows in many files (``'parts/*.parquet'``), read part by part."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from glob import glob
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from .._arrays import IntArray
from .._atomic import atomic_group
from .._method import Method
from .._methods import all_methods, clusterer, method_named, reducer
from .._warnings import InterruptedWarning
from ..chunked import RowFiles
from ..chunked._fold import image_of
from ..chunked._parts import KINDS, numbers_by_column
from ..clustering._from_files import ReadsFiles, with_ids, write_clusters
from ..constraints import ConstraintConflictError, Constraints
from ..constraints._format import pluralize
from ..evaluation import constraint_accuracy
from ..front import Likewise
from ..front._from_files import as_places
from ..models import SavedModel, save
from ..projections import Projection
from ..tables import checked_suffix
from ..tables._pieces import write_pieces
from ._cluster import check_constraints
from ._messages import Messages, print_json
from ._options import command_line
from ._outputs import check_outputs
from ._reading import conflict_by_ids
from ._reduce import default_projection, dimensions
from ._selection import select_columns

COLUMNS = "columns"
"""The metadata key of a model file for the names of the columns."""

SHOWN_CLUSTERS = 20
"""Maximum number of clusters that are described in the terminal."""


def cluster_row_files(
    source: str,
    *,
    hints: tuple[Path, ...],
    k: int | None,
    method: str | None,
    parameters: dict[str, Any],
    seed: int,
    out: Path | None,
    model: Path | None,
    report: Path | None,
    as_json: bool,
    quiet: bool,
    refused: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Cluster the rows of all files that match a pattern."""
    start = perf_counter()
    messages = Messages(quiet or as_json)
    name = method or "likewise"
    files = _matching(source)
    _check_options(source, name, k, report, refused)
    out = _check_out(out)
    check_outputs({"--out": out, "--model": model, "--report": report}, [*files, *hints])
    rows = _opened(files, reading, messages)
    constraints = _hints(rows, hints, reading["label"], messages)
    if not (method_named(name).uses_constraints or constraints.is_empty):
        raise ValueError(f"the method {name} does not use hints. Leave them out, or use --method likewise.")
    messages.show(f"{pluralize(rows.shape[0], 'row')} of {pluralize(len(files), 'file')}, {rows.shape[1]} columns")
    estimator = clusterer(name, np.empty((1, rows.shape[1]), rows.dtype), k, seed, **parameters)
    hinted = np.flatnonzero(constraints.constrained_rows())
    with ExitStack() as stack:
        # Likewise reads the files twice, which is faster than copying them.
        data = rows
        if files[0].suffix.lower() == ".parquet" and not isinstance(estimator, Likewise):
            with messages.progress("copying rows once, beside the output"):
                data = stack.enter_context(rows.spooled(out.parent))
        with messages.progress(f"clustering by {name}"):
            look = _fitted(estimator, data, constraints, rows)
        with atomic_group():
            with messages.progress(f"writing {out}"):
                found = write_clusters(estimator, out, data, look, hinted)
            if model is not None:
                _save(model, estimator, rows, name, seed)
            if report is not None:
                with messages.progress(f"writing {report}"):
                    _write_report(report, estimator, rows, source)
    sizes = found.sizes.tolist()
    accuracy = constraint_accuracy(found.labels, constraints.restrict(hinted)) if len(hinted) else None
    written = [str(path) for path in (out, model, report) if path is not None]
    if as_json:
        facts = {
            "rows": rows.shape[0],
            "files_read": len(files),
            "clusters": len(sizes),
            "method": name,
            "sizes": sizes,
            "names": np.asarray(getattr(estimator, "cluster_names_", range(len(sizes)))).astype(str).tolist(),
        }
        seconds = round(perf_counter() - start, 3)
        print_json({**facts, "constraint_accuracy": accuracy, "files": written, "seed": seed, "seconds": seconds})
        return
    _summarize(messages, estimator, rows, constraints, name, sizes, accuracy)
    if report is not None:
        messages.show(f"{report} shows the {len(estimator.landmarks_):,} rows by which all others were assigned")
    messages.show(f"wrote {', '.join(written)}")


def reduce_row_files(
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
    refused: dict[str, Any],
    reading: dict[str, Any],
) -> None:
    """Project the rows of all files that match a pattern."""
    messages = Messages(quiet or as_json)
    files = _matching(source)
    _check_refused(source, refused)
    if method is not None:
        _check_projection(source, method_named(method, reduces=True))
    out = _check_out(out, "coordinates")
    check_outputs({"--out": out, "--model": model}, [*files, *hints])
    rows = _opened(files, reading, messages)
    if dims > rows.shape[1]:
        raise ValueError(f"--dims {dims} is more than the {rows.shape[1]:,} columns of {source}. Ask for fewer.")
    constraints = _hints(rows, hints, reading["label"], messages)
    facts = method_named(method or default_projection(constraints), reduces=True)
    check_constraints(facts, constraints)
    messages.show(f"{pluralize(rows.shape[0], 'row')} of {pluralize(len(files), 'file')}, {rows.shape[1]} columns")
    projection = reducer(facts.name, np.empty((1, rows.shape[1]), rows.dtype), dims, seed)
    with messages.progress(f"reducing by {facts.name}"), _conflicts_by_ids(rows):
        projection.fit(rows, constraints=constraints)
    with atomic_group():
        with messages.progress(f"writing {out}"):
            _write_image(out, rows, projection)
        if model is not None:
            _save(model, projection, rows, facts.name, seed)
    written = [str(path) for path in (out, model) if path is not None]
    if as_json:
        learned = {"must_links": constraints.n_must_link, "cannot_links": constraints.n_cannot_link}
        shape = {"rows": rows.shape[0], "files_read": len(files), "dimensions": projection.n_components_}
        print_json({**shape, "method": facts.name, "files": written, **learned, "seed": seed})
        return
    learned_from = "" if constraints.is_empty else f", learned from {constraints.summary()}"
    messages.show(f"{pluralize(projection.n_components_, 'dimension')} by {facts.name}{learned_from}")
    messages.show(f"wrote {', '.join(written)}")


def assign_row_files(
    saved: SavedModel, model: Path, source: str, *, id: str | None, out: Path | None, messages: Messages
) -> dict[str, Any]:
    """Assign the rows of all files that match a pattern; returns a summary."""
    columns = saved.meta.get(COLUMNS)
    if columns is None:
        raise ValueError(
            f"{model} was not fitted on several files of numbers such as {source}. Assign one file at a time, or fit "
            "the model on such files."
        )
    out = _check_out(out)
    files = _matching(source)
    check_outputs({"--out": out}, [model, *files])
    names = numbers_by_column(files[0])
    key = id or ("id" if "id" in names else None)
    rows = RowFiles(files, columns=columns if names else None, key=None if key == "none" or not names else key)
    if rows.shape[1] != len(columns):
        raise ValueError(f"{source} has {rows.shape[1]} columns, but the model was fitted on {len(columns)}.")
    if not hasattr(saved.model, "predict"):
        with messages.progress("projecting rows"):
            _write_image(out, rows, saved.model)
        return {"rows": rows.shape[0], "dimensions": saved.model.n_components_}
    sizes = np.zeros(0, dtype=np.int64)

    def pieces() -> Iterator[dict[str, Any]]:
        nonlocal sizes
        for found in rows.map(partial(placed, model=saved.model)):
            columns = saved.model._columns(found)
            counts = np.bincount(columns["cluster"], minlength=len(sizes))
            counts[: len(sizes)] += sizes
            sizes = counts
            yield columns

    with messages.progress("assigning rows"):
        write_pieces(out, rows.shape[0], with_ids(rows, pieces()))
    return {"rows": rows.shape[0], "clusters": int((sizes > 0).sum()), "sizes": sizes.tolist()}


def placed(rows: Any, first: int, *, model: Any) -> np.ndarray:
    """The clusters of the rows of a leaf, with their certainty if the model computes it."""
    if isinstance(model, Likewise):
        return as_places(model.predict_certainty(rows))
    found: np.ndarray = model.predict(rows)
    return found


def _write_image(out: Path, rows: RowFiles, projection: Any) -> None:
    """Write the projected rows with their ids, or without ids to an .npy file."""
    if out.suffix.lower() == ".npy":
        rows.map_to(out, projection.transform)
    else:
        images = rows.map(partial(image_of, function=projection.transform))
        write_pieces(out, rows.shape[0], with_ids(rows, map(dimensions, images)))


def _hints(rows: RowFiles, paths: tuple[Path, ...], label: str | None, messages: Messages) -> Constraints:
    with messages.progress("reading hints"):
        constraints = Constraints(rows.shape[0])
        for path in paths:
            constraints = constraints | rows.read_constraints(path)
        return constraints | rows.read_labels(label) if label else constraints


def _matching(source: str) -> list[Path]:
    files = sorted(Path(path) for path in glob(source, recursive=True))
    if not files:
        raise ValueError(f"no file matches {source}. Check the spelling, and the folder you are in.")
    return files


def _check_options(source: str, name: str, k: int | None, report: Path | None, refused: dict[str, Any]) -> None:
    _check_refused(source, refused)
    facts = method_named(name)
    if not _reads_files(facts):
        others = ", ".join(method.name for method in all_methods() if _reads_files(method))
        raise ValueError(f"the method {name} works on rows in memory. For {source} use one of {others}.")
    if k is None and not facts.chooses_n_clusters:
        raise ValueError(f"the method {name} needs the number of clusters: --k. Only likewise can choose it.")
    if report is not None and name != "likewise":
        raise ValueError(f"--report shows rows in memory, and the method {name} keeps none. Use the method likewise.")


def _check_refused(source: str, refused: dict[str, Any]) -> None:
    for option, value in refused.items():
        if value:
            raise ValueError(f"--{option} works on rows in memory, not on the files of {source}. Leave it out.")


def _check_out(out: Path | None, what: str = "clusters") -> Path:
    if out is None:
        raise ValueError(f"--out is required for the {what}: --out {what}.parquet (or .csv, .tsv, .jsonl, .npy).")
    checked_suffix(out)
    return out


def _check_projection(source: str, method: Method) -> None:
    if not _projects_files(method):
        others = ", ".join(each.name for each in all_methods() if each.reduces and _projects_files(each))
        raise ValueError(f"the method {method.name} works on rows in memory. For {source} use one of {others}.")


def _reads_files(method: Method) -> bool:
    return isinstance(method.make, type) and issubclass(method.make, ReadsFiles)


def _projects_files(method: Method) -> bool:
    return isinstance(method.make, type) and issubclass(method.make, Projection) and method.make()._reads_once


def _opened(files: list[Path], reading: dict[str, Any], messages: Messages) -> RowFiles:
    if files[0].suffix.lower() not in KINDS:
        raise ValueError(f"{files[0]}: several files are read together if they are {', '.join(KINDS)}.")
    numbers = numbers_by_column(files[0])
    key = reading["id"] or ("id" if "id" in numbers else None)
    key = None if key == "none" or not numbers else key
    known = [name for name in numbers if name not in (key, reading["label"])]
    chosen: list[str] | None = None
    if numbers:
        chosen = [name for name in known if numbers[name]]
        if reading["columns"]:
            chosen = select_columns(reading["columns"], known, str(files[0]), "--columns")
        ignored = select_columns(reading["ignore"], known, str(files[0]), "--ignore") if reading["ignore"] else []
        chosen = [name for name in chosen if name not in ignored]
        left_out = [name for name in known if name not in chosen and name not in ignored and not numbers[name]]
        if left_out:
            messages.show(f"left out, since they are not numeric: {', '.join(left_out)}")
    return RowFiles(files, columns=chosen, key=key)


def _fitted(estimator: Any, data: RowFiles, constraints: Constraints, rows: RowFiles) -> Any:
    with _conflicts_by_ids(rows), warnings.catch_warnings():
        warnings.simplefilter("ignore", InterruptedWarning)
        look = estimator._learn_from(data, None, None if constraints.is_empty else constraints)
    if isinstance(estimator, Likewise) and estimator.report_.interrupted:
        raise KeyboardInterrupt  # a partial result is not wanted; --budget sets a time limit
    return look


@contextmanager
def _conflicts_by_ids(rows: RowFiles) -> Iterator[None]:
    """Convert conflicts between hints to errors with the ids of the rows."""
    try:
        yield
    except ConstraintConflictError as error:
        raise conflict_by_ids(error, _Ids(rows)) from None


class _Ids(Sequence[Any]):
    """The ids of rows, read from the files when an error message needs them."""

    def __init__(self, rows: RowFiles) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return self._rows.shape[0]

    def __getitem__(self, number: Any) -> Any:
        return _ids_of(self._rows, np.array([number]))[0]


def _ids_of(rows: RowFiles, numbers: IntArray) -> list[Any]:
    """The ids of rows, whose numbers are in ascending order."""
    found: list[Any] = []
    first = 0
    for keys in rows.ids():
        start, stop = np.searchsorted(numbers, [first, first + len(keys)])
        found += [keys[number - first] for number in numbers[start:stop].tolist()]
        first += len(keys)
        if len(found) == len(numbers):
            break
    return found


def _save(path: Path, estimator: Any, rows: RowFiles, name: str, seed: int) -> None:
    meta = {
        "method": name,
        "seed": seed,
        "rows": rows.shape[0],
        COLUMNS: list(rows.columns),
        "command": command_line(),
    }
    save(path, estimator, None, meta)


def _write_report(path: Path, estimator: Any, rows: RowFiles, source: str) -> None:
    landmarks = estimator.landmarks_
    estimator.landmark_model_.write_report(
        path,
        ids=_ids_of(rows, landmarks),
        title=f"{Path(source).name}: {len(landmarks):,} of {rows.shape[0]:,} rows",
        command=command_line(),
    )


def _summarize(
    messages: Messages,
    estimator: Any,
    rows: RowFiles,
    constraints: Constraints,
    name: str,
    sizes: list[int],
    accuracy: float | None,
) -> None:
    if accuracy is not None:
        messages.show(f"{accuracy:.0%} of {constraints.summary()} hold")
    if not isinstance(estimator, Likewise):
        messages.show(f"{len(sizes)} clusters by {name}, of {', '.join(f'{size:,}' for size in sizes)} rows")
        return
    report = estimator.report_
    messages.show(f"{report.landmarks:,} rows were clustered in memory, and all others assigned by the nearest of them")
    if report.trust != "none":
        messages.show(f"learned from hints: {report.weight_in_words}")
    if report.advice:
        messages.show(f"what to do next: {report.advice}")
    messages.show(f"{pluralize(len(sizes), 'cluster')} by likewise, with their largest differences from the mean:")
    for cluster, text in report.cluster_lines()[:SHOWN_CLUSTERS]:
        messages.show(f"  {cluster}  {text}")
    if report.doubtful:
        asked = ", ".join(repr(key) for key in _ids_of(rows, np.sort(np.array(report.ask_about, dtype=np.int64))))
        messages.show(f"{pluralize(report.doubtful, 'row')} in doubt; hints would help most about {asked}")
