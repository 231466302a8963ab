"""Locating a data set, and checking it against the catalog."""

from __future__ import annotations

import os
from pathlib import Path

from ._catalog import Entry, entry_of
from ._dataset import Dataset
from ._fetching import fetch
from ._files import DatasetError, read

VARIABLE = "LIKEWISE_DATA"
"""The environment variable that names a folder of data sets."""


class DatasetNotFoundError(FileNotFoundError):
    """A data set is neither in a folder nor can it be fetched."""


def load(name: str, folder: str | os.PathLike[str] | None = None) -> Dataset:
    """Load a data set by name.

    It is read from ``folder``, or else from the folder that the environment variable ``LIKEWISE_DATA`` names. Data sets
    that are not there are fetched and cached by scikit-learn. iris, wine, wdbc and digits come with scikit-learn and
    are always taken from there.

    Parameters
    ----------
    name : str
        One of :func:`likewise.datasets.names`.
    folder : path or None
        A folder with files ``NAME.npz`` and ``NAME.jsonl.gz``; see :mod:`likewise.datasets` for what is in them.

    Returns
    -------
    Dataset
        Its rows, columns, links and the size of each class are those of the catalog.

    Raises
    ------
    DatasetNotFoundError
        If it is neither in the folder nor can be fetched. The message names the source of the original.
    DatasetError
        If the data are damaged, or do not match the catalog.

    Examples
    --------
    >>> from likewise import datasets
    >>> digits = datasets.load("digits")
    >>> digits
    Dataset(digits: 1,797 rows × 64 features, 10 classes)
    >>> digits.subset(["3", "8"]).counts
    {'3': 183, '8': 174}
    """
    entry = entry_of(name)
    if entry.fetch is not None and entry.fetch.bundled:
        return _checked(fetch(entry), entry, str(entry.fetch))
    place = _folder(folder)
    if place is not None and (path := place / entry.file).is_file():
        return _checked(read(path, entry.name), entry, str(path))
    try:
        return _checked(fetch(entry), entry, str(entry.fetch))
    except ConnectionError as error:
        looked = f"there is no {entry.file} in {place}" if place else "no folder of data sets was given"
        raise DatasetNotFoundError(
            f"{entry.name}: {looked}, and {error}. The original is {entry.source}. Put it into a file {entry.file} "
            f"(likewise.datasets says how), and give its folder to load(..., folder=...) or set {VARIABLE} to it"
        ) from error


def _folder(folder: str | os.PathLike[str] | None) -> Path | None:
    given = folder if folder is not None else os.environ.get(VARIABLE) or None
    if given is None:
        return None
    place = Path(given).expanduser()
    if not place.is_dir():
        by = f"the environment variable {VARIABLE}" if folder is None else "folder="
        raise DatasetNotFoundError(f"{by} names {place}, which is not a folder; name one that has data sets in it")
    return place


def _checked(dataset: Dataset, entry: Entry, where: str) -> Dataset:
    """Compare a data set with what the catalog says of it."""
    compared = [
        ("rows", entry.n_samples, len(dataset)),
        ("features", entry.n_features or 0, dataset.n_features),
        ("links", entry.n_links, None if dataset.links is None else len(dataset.links)),
        ("classes", tuple(entry.classes), dataset.target_names),
        *((f"rows of class {name}", size, dataset.counts.get(name)) for name, size in entry.classes.items()),
    ]
    wrong = [f"expected {expected} {what}, seen {seen}" for what, expected, seen in compared if expected != seen]
    if wrong:
        more = f"; and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise DatasetError(
            f"{entry.name} from {where} is not the data set of the catalog: {'; '.join(wrong[:5])}{more}. "
            f"Get the one of {entry.source}"
        )
    return dataset
