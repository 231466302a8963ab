"""The catalog of data sets: their contents, their source, and how to fetch them with scikit-learn."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.resources import files
from typing import Any


@dataclass(frozen=True)
class Fetch:
    """How to fetch a data set with scikit-learn.

    Attributes
    ----------
    function : str
        The name of its function in ``sklearn.datasets``.
    parts : mapping of str to int
        Numbers of the parts on OpenML, by name. Most data sets have one part, without a name.
    labels : mapping of str to str
        Where classes have other names there: their name to ours.
    """

    function: str
    parts: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        numbers = f" with data_id {', '.join(map(str, self.parts.values()))}" if self.parts else ""
        return f"sklearn.datasets.{self.function}{numbers}"

    @property
    def bundled(self) -> bool:
        """Whether scikit-learn brings it along, so that nothing has to be fetched."""
        return self.function.startswith("load_")


@dataclass(frozen=True)
class Entry:
    """The expected contents of a data set.

    Attributes
    ----------
    name : str
        Its name here.
    n_features : int or None
        How many columns; None for raw text.
    classes : mapping of str to int
        The classes in the order of their codes, and how many rows each has.
    source : str
        Where the original is.
    fetch : Fetch or None
        How scikit-learn gives it, if it does.
    n_links : int or None
        How many links; None if the rows do not cite each other.
    """

    name: str
    n_features: int | None
    classes: Mapping[str, int]
    source: str
    fetch: Fetch | None = None
    n_links: int | None = None

    @property
    def n_samples(self) -> int:
        """How many rows."""
        return sum(self.classes.values())

    @property
    def file(self) -> str:
        """The name of its file in a folder of data sets."""
        return f"{self.name}.{'jsonl.gz' if self.n_features is None else 'npz'}"


def names() -> tuple[str, ...]:
    """The names of the data sets that :func:`likewise.datasets.load` knows.

    Returns
    -------
    tuple of str
        In alphabetical order.
    """
    return tuple(sorted(CATALOG))


def entry_of(name: str) -> Entry:
    """Look a data set up; also by another name it goes by."""
    entry = CATALOG.get(ALIASES.get(name, name))
    if entry is None:
        known = [*CATALOG, *ALIASES]
        close = get_close_matches(str(name), known, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, close))}?" if close else f"there are {', '.join(sorted(known))}"
        raise ValueError(f"no data set is called {name!r}; {hint}")
    return entry


def _entry(name: str, table: Mapping[str, Any]) -> Entry:
    """An entry of ``catalog.toml``."""
    openml = table.get("openml")
    fetch = None
    if openml is not None:
        parts = openml if isinstance(openml, dict) else {"": openml}
        fetch = Fetch("fetch_openml", parts, table.get("labels", {}))
    elif "function" in table:
        fetch = Fetch(table["function"])
    return Entry(name, table.get("features"), _counts(table["classes"]), table["source"], fetch, table.get("links"))


def _counts(text: str) -> dict[str, int]:
    """Read "apples 3, green pears 4"."""
    pairs = (part.split() for part in text.split(","))
    return {" ".join(words): int(size) for *words, size in pairs}


def _read() -> dict[str, Entry]:
    text = files(__package__).joinpath("catalog.toml").read_text(encoding="utf-8")
    return {name: _entry(name, table) for name, table in tomllib.loads(text).items()}


CATALOG: dict[str, Entry] = _read()
ALIASES = {"breast_cancer": "wdbc"}
