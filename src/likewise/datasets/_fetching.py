"""Data sets that scikit-learn includes or fetches, in the same format as those from files.

Rows fetched from OpenML may have another order than those of a file, and lack information that only files have: the ids
of glass and breast_w, and the speaker groups of isolet.
"""

from __future__ import annotations

from collections.abc import Sequence
from http.client import HTTPException
from importlib import import_module
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._catalog import Entry
from ._dataset import Dataset
from ._files import DatasetError, from_records


def fetch(entry: Entry) -> Dataset:
    """Fetch a data set with scikit-learn; raises a ConnectionError if that fails."""
    if entry.fetch is None:
        raise ConnectionError("scikit-learn cannot fetch it")
    if entry.fetch.bundled:
        return _bundled(entry)
    return {
        "fetch_openml": _from_openml,
        "fetch_20newsgroups": _newsgroups,
        "fetch_kddcup99": _connections,
    }[entry.fetch.function](entry)


def _called(entry: Entry, **arguments: Any) -> Any:
    """Call the function of scikit-learn, which is slow to load and so loaded only here."""
    assert entry.fetch is not None
    try:
        return getattr(import_module("sklearn.datasets"), entry.fetch.function)(**arguments)
    except (OSError, HTTPException, ValueError) as error:  # scikit-learn's OpenMLError is a ValueError
        raise ConnectionError(f"{entry.fetch} failed with {type(error).__name__}: {error}") from error


def _bundled(entry: Entry) -> Dataset:
    bunch = _called(entry)
    return Dataset(
        name=entry.name,
        X=bunch.data,
        y=bunch.target,
        target_names=bunch.target_names,
        feature_names=bunch.feature_names,
        images=bunch.images.shape[1:] if "images" in bunch else None,
    )


def _from_openml(entry: Entry) -> Dataset:
    """Set the parts side by side, and leave out rows with a missing value."""
    assert entry.fetch is not None
    parts = {
        name: _called(entry, data_id=number, as_frame=False, parser="liac-arff")
        for name, number in entry.fetch.parts.items()
    }
    tables = [_numbers(bunch) for bunch in parts.values()]
    labels = [[_plain(label) for label in bunch.target] for bunch in parts.values()]
    for number, other in zip(entry.fetch.parts.values(), labels, strict=True):
        if other != labels[0]:
            raise DatasetError(
                f"{entry.name}: part {number} on OpenML has other classes, or in another order, than the first"
            )
    classes = labels[0]
    if len(parts) > 1:
        classes = _digits(classes, tables[list(parts).index("mor")][:, 0])
        columns = {name: bunch.data.shape[1] for name, bunch in parts.items()}
        names = [f"{view}{column:03d}" for view, size in columns.items() for column in range(size)]
        views = {"view": np.repeat(list(columns), list(columns.values()))}
    else:
        names, views = next(iter(parts.values())).feature_names, {}
    X = np.hstack(tables)
    complete = ~np.isnan(X).any(axis=1)
    codes = _codes([entry.fetch.labels.get(label, label) for label in classes], entry)
    return Dataset(
        name=entry.name,
        X=X[complete],
        y=codes[complete],
        target_names=tuple(entry.classes),
        feature_names=names,
        feature_extra=views,
    )


def _numbers(bunch: Any) -> NDArray[np.float64]:
    """Read the features as numbers, also those that OpenML holds for names of categories ("0", "1", ...)."""
    X = np.array(bunch.data, dtype=np.float64)
    for column, name in enumerate(bunch.feature_names):
        values = (bunch.get("categories") or {}).get(name)
        if values is not None:
            seen = ~np.isnan(X[:, column])
            X[seen, column] = np.array([float(value) for value in values])[X[seen, column].astype(int)]
    return X


def _plain(label: Any) -> str:
    return f"{label:g}" if isinstance(label, Real) else str(label).strip(" '\".")


def _codes(labels: Sequence[str], entry: Entry) -> NDArray[np.int64]:
    code = {label: position for position, label in enumerate(entry.classes)}
    unknown = sorted(set(labels) - set(code))
    if unknown:
        raise DatasetError(
            f"{entry.name}: {entry.fetch} gives classes {', '.join(map(repr, unknown))}, "
            f"but there should be only {', '.join(code)}"
        )
    return np.array([code[label] for label in labels])


def _digits(labels: Sequence[str], holes: NDArray[np.float64]) -> list[str]:
    """Find out which digits classes "1" to "10" are: the one with two holes is the 8.

    >>> import numpy as np
    >>> _digits(["1", "7", "9", "10"], np.array([1, 1, 2, 1]))
    ['0', '6', '8', '9']
    >>> _digits(["1", "8", "9", "10"], np.array([0, 2, 1, 1]))
    ['1', '8', '9', '0']
    """
    numbers = np.array(labels, dtype=int)
    eight = max(np.unique(numbers), key=lambda number: holes[numbers == number].mean())
    return ((numbers - eight + 8) % 10).astype(str).tolist()


def _newsgroups(entry: Entry) -> Dataset:
    """Name posts by group and number, in that order; of their headers only sender and subject are kept."""
    bunch = _called(entry, subset="all", remove=(), shuffle=False)
    records = []
    for path, post in zip(bunch.filenames, bunch.data, strict=True):
        part, group, number = Path(path).parts[-3:]
        text = post.encode("latin-1").decode("utf-8", errors="replace")  # scikit-learn reads bytes as Latin-1
        records.append(
            {
                "id": f"{group}/{number}",
                "text": sender_subject_body(text),
                "label": group,
                "split": "train" if part.endswith("train") else "test",
            }
        )
    records.sort(key=lambda record: (record["label"], int(record["id"].rpartition("/")[2])))
    first: dict[Any, str] = {}
    for record in records:
        head, _, body = record["text"].partition("\n\n")
        earlier = first.setdefault((record["label"], *sorted(head.split("\n")), body.strip()), record["id"])
        record["duplicate_of"] = "" if earlier == record["id"] else earlier
    return from_records(entry.name, records)


def sender_subject_body(post: str) -> str:
    r"""Leave out all headers of a post but From and Subject.

    >>> sender_subject_body("Path: a!b\nFrom: c@d\nSubject: long\n  and folded\nLines: 1\n  2\n\nText\n\nmore")
    'From: c@d\nSubject: long\n  and folded\n\nText\n\nmore'
    """
    head, _, body = post.partition("\n\n")
    kept: list[str] = []
    keeping = False
    for line in head.split("\n"):
        if not line[:1].isspace():  # else it goes on with the header above it
            keeping = line.startswith(("From:", "Subject:"))
        if keeping:
            kept.append(line)
    return "\n".join([*kept, "", body])


def _connections(entry: Entry) -> Dataset:
    """Draw 300 rows of each type with more than 200, or all where there are fewer, always the same ones.

    Types come in alphabetical order, their rows in the order of the file. The columns of words are coded by the
    position among all words of the whole file in alphabetical order; the words themselves are kept beside them.
    """
    bunch = _called(entry, percent10=True, shuffle=False)
    types = np.char.rstrip(_words(bunch.target), ".")
    names, sizes = np.unique(types, return_counts=True)
    generator = np.random.default_rng(0)
    drawn = []
    for name in names[sizes > 200]:
        rows = np.flatnonzero(types == name)
        drawn.append(rows if len(rows) <= 300 else np.sort(generator.choice(rows, 300, replace=False)))
    chosen = np.concatenate(drawn)
    table, words = bunch.data[chosen], {}
    for column in (1, 2, 3):
        whole = _words(bunch.data[:, column])
        table[:, column] = np.searchsorted(np.unique(whole), whole[chosen])
        words[bunch.feature_names[column]] = whole[chosen]
    return Dataset(
        name=entry.name,
        X=table.astype(np.float64),
        y=_codes(types[chosen].tolist(), entry),
        target_names=tuple(entry.classes),
        feature_names=bunch.feature_names,
        extra={"row_index": chosen, **words},
    )


def _words(values: Any) -> NDArray[np.str_]:
    """Read bytes or strings as strings."""
    return np.asarray(values).astype(np.bytes_).astype(np.str_)
