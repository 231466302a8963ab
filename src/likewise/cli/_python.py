"""Python code that is equivalent to a command line."""

from __future__ import annotations

import inspect
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator

import likewise

from ..constraints import Constraints
from ..prepare import Rows
from ..questions import Answers


def python_code(
    source: str,
    rows: Rows,
    estimator: Any,
    *,
    hints: Sequence[Path] = (),
    answers: Sequence[Path] = (),
    labels: bool = False,
    links: Path | None = None,
    learns_from_links: bool = False,
    reading: dict[str, Any] | None = None,
) -> str:
    """The code; empty if the data cannot be read by a few lines (with --transpose or --beside).

    Parameters
    ----------
    source : str
        DATA.
    rows : Rows
    estimator : clusterer
    hints : sequence of Path
        Files of hints.
    answers : sequence of Path
        Those of them that hold answers to questions.
    labels : bool
        Whether known classes are hints.
    links : Path, optional
        The file of links.
    learns_from_links : bool
        Whether the method takes links themselves; else pairs are made of them.
    reading : dict
        The options by which the data was read.
    """
    reading = dict(reading or {})
    if reading.pop("transpose", None) or reading.pop("beside", None) is not None:
        return ""
    names, lines = _data(source, rows, reading)
    parts = [f"Constraints.read({_written(str(path))}, ids=ids)" for path in hints]
    if labels:
        parts.append("Constraints.from_labels(rows.labels)")
    given = ""
    if links is not None:
        made = "link_matrix" if learns_from_links else "balanced, link_matrix, linked_pairs, local_core_pairs"
        names["likewise.sources.links"] = {*made.split(", ")}
        lines.append(f"links = link_matrix({_written(str(links))}, len(ids), ids=ids)")
        given = ", links=links" if learns_from_links else ""
        if not learns_from_links:
            parts += ["balanced(linked_pairs(links))", "balanced(local_core_pairs(links))"]
    if parts:
        lines.append("hints = " + "\nhints |= ".join(parts))
        given += ", constraints=" + ("answers.with_constraints(hints)" if answers else "hints")
    classes = _classes(estimator)
    if any(part.startswith("Constraints") for part in parts):
        classes.add(Constraints)
    if answers:
        sheets = [f"Answers.read({_written(str(path))}, len(ids), ids=ids)" for path in answers]
        lines.append("answers = " + "\nanswers += ".join(sheets))
        classes.add(Answers)
    for one in classes:
        names.setdefault(_public_module(one), set()).add(one.__name__)
    imports = [f"from {module} import {', '.join(sorted(own))}" for module, own in sorted(names.items())]
    lines += [f"model = {_written(estimator)}", f"model.fit(X{given})", "print(model.labels_)"]
    return "\n".join([*imports, "", *lines])


def _data(source: str, rows: Rows, reading: dict[str, Any]) -> tuple[dict[str, set[str]], list[str]]:
    """What to import from which module, and how X and ids are made."""
    path = Path(source)
    if not (path.exists() or path.suffix or len(path.parts) > 1):
        table = '{"text": data.text}' if rows.texts is not None else "data.X"
        text = 'text="text"' if rows.texts is not None else ""
        ids = "[str(row) for row in range(len(data))]" if rows.id_column is None else "data.ids.tolist()"
        return (
            {"likewise": {"TableFeatures", "datasets"}},
            [
                f"data = datasets.load({_written(source)})",
                f"ids = {ids}",
                f"X = TableFeatures({text}).fit_transform({table})",
            ],
        )
    chosen = reading.pop("ignore", ()) or reading.pop("truth", None) or reading.get("columns")
    options = {"columns": _columns(rows)} if chosen else {}
    for name in ("id", "text", "label", "missing", "encoding", "language"):
        if name in reading and reading[name] not in (None, (), []) and reading[name] != _default(name):
            options[name] = list(reading[name]) if isinstance(reading[name], tuple) else reading[name]
    written = "".join(f", {name}={_written(value)}" for name, value in options.items())
    return (
        {"likewise.prepare": {"read_table"}},
        [f"rows = read_table({_written(source)}{written})", "X, ids = rows.X, rows.ids"],
    )


def _columns(rows: Rows) -> list[str]:
    """The columns that rows are compared by."""
    return [] if rows.table is None else list(rows.table.columns)


def _default(name: str) -> Any:
    from ..prepare import read_table

    return inspect.signature(read_table).parameters[name].default


def _written(value: Any) -> str:
    """A value as it would be written; an estimator by its class, and the parameters that are not as by default."""
    if isinstance(value, str):
        is_text = value == value.encode("utf-8", "replace").decode("utf-8")  # else a name of a file in another encoding
        return json.dumps(str(value), ensure_ascii=not is_text)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_written, value))}]"
    if not isinstance(value, BaseEstimator):
        return repr(value)
    defaults = inspect.signature(type(value)).parameters
    given = [
        f"{name}={_written(own)}"
        for name, own in value.get_params(deep=False).items()
        if name != "verbose" and not _is_default(own, defaults[name].default)
    ]
    return f"{type(value).__name__}({', '.join(given)})"


def _is_default(own: Any, default: Any) -> bool:
    comparable = type(own) is type(default) and isinstance(own, str | int | float | bool)
    return own is default or (comparable and own == default)


def _classes(value: Any) -> set[type]:
    """The classes of an estimator and of those inside it."""
    if isinstance(value, list | tuple):
        return {found for one in value for found in _classes(one)}
    if not isinstance(value, BaseEstimator):
        return set()
    inside = [found for own in value.get_params(deep=False).values() for found in _classes(own)]
    return {type(value), *inside}


def _public_module(found: type) -> str:
    """Where users import a class from."""
    if hasattr(likewise, found.__name__):
        return "likewise"
    return ".".join(part for part in found.__module__.split(".") if not part.startswith("_"))
