"""Rows in files: some come into memory and are clustered there, then one pass places all others by those near them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from .._arrays import BoolArray, IntArray, slices
from .._devices import is_foreign
from ..chunked import Chunked
from ..chunked._fold import Look, among, hashes
from ..constraints import Constraints
from . import _landmarks
from ._certainty import DOUBTFUL, Assignment
from ._device import place_on_device
from ._report import Report
from ._suspects import Suspects

PLACE = np.dtype([("cluster", np.int32), ("second", np.int32), ("certainty", np.float32)])
"""What is found for a row: its cluster, the one that comes next (−1 for none), and how sure it is."""

SPARE = 5.0
"""So many standard deviations more rows are drawn than are wanted, and those beyond are left."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows that come into memory: all that hints name, and others that are drawn by a hash of their numbers.

    Attributes
    ----------
    numbers : (m,) ints
        Ascending.
    rows : (m, f) array
    drawn : (m,) mask
        The rows that no hint names.
    """

    numbers: IntArray
    rows: Any
    drawn: BoolArray

    @classmethod
    def of(cls, X: Chunked, constraints: Constraints, seed: int) -> Sample:
        """Read all rows once, and take as many home as there are landmarks; more where hints name more than half."""
        n = X.shape[0]
        touched = constraints.constrained_rows() | constraints.comparisons.compared_rows()
        hinted = np.flatnonzero(touched)
        if n <= _landmarks.MAX_LANDMARKS:
            taken = X.take(np.arange(n))
        else:
            wanted = _landmarks.MAX_LANDMARKS - min(len(hinted), _landmarks.MAX_CONSTRAINED)
            share = min(wanted / (n - len(hinted)), 1.0) if len(hinted) < n else 0.0
            taken = X.take(hinted, int(share * n + SPARE * np.sqrt(share * n)) + 1, seed)
            others = taken.numbers[~touched[taken.numbers]]
            left = others[np.argsort(hashes(others, seed), kind="stable")[wanted:]]
            kept = np.flatnonzero(~np.isin(taken.numbers, left))
            taken = replace(taken, numbers=taken.numbers[kept], rows=taken.rows[kept])
        return cls(taken.numbers, by_rows(taken.rows), ~touched[taken.numbers])


def placing(model: Any, sample: Sample) -> Look:
    """What finds the places of the rows of a leaf.

    Parameters
    ----------
    model : Likewise
        Of the rows in memory; what places new rows is enough.
    sample : Sample
    """
    known = as_places(Assignment(model.labels_, model.second_labels_, model.certainty_))
    return partial(place, model=model, numbers=sample.numbers, known=known)


def place(rows: Any, first: int, *, model: Any, numbers: IntArray, known: np.ndarray) -> np.ndarray:
    """The places of the rows of a leaf: those in memory have one, all others get theirs by a vote."""
    here = among(numbers, rows, first)
    found = as_places(place_on_device(rows, model)) if is_foreign(rows) else np.empty(rows.shape[0], dtype=PLACE)
    if len(here) < rows.shape[0] and not is_foreign(rows):
        for some in slices(rows.shape[0], _landmarks.BATCH_ROWS):
            found[some] = as_places(model.predict_certainty(by_rows(rows[some])))
    start = int(np.searchsorted(numbers, first))
    found[here] = known[start : start + len(here)]
    return found


def by_rows(rows: Any) -> Any:
    """Rows that lie one after the other, wherever they come from: products of others may be rounded otherwise."""
    return rows if sparse.issparse(rows) else np.ascontiguousarray(rows)


def as_places(found: Assignment) -> np.ndarray:
    """An assignment as one array."""
    places = np.empty(len(found.labels), dtype=PLACE)
    places["cluster"], places["second"], places["certainty"] = found
    return places


class Tally:
    """What is counted while rows are placed.

    Parameters
    ----------
    n_clusters : int
    """

    def __init__(self, n_clusters: int) -> None:
        self._sizes = np.zeros(n_clusters, dtype=np.int64)
        self._doubtful = 0

    def add(self, places: np.ndarray) -> None:
        """Count the rows of a leaf."""
        self._sizes += np.bincount(places["cluster"], minlength=len(self._sizes))
        self._doubtful += int((places["certainty"] < np.float32(DOUBTFUL)).sum())

    def complete(self, report: Report, seconds: dict[str, float]) -> Report:
        """The report with what was counted."""
        clusters = zip(report.clusters, self._sizes.tolist(), strict=True)
        return replace(
            report,
            doubtful=self._doubtful,
            clusters=tuple(replace(cluster, rows=size) for cluster, size in clusters),
            seconds={**report.seconds, **seconds},
        )


def report_on_files(report: Report, sample: Sample, constraints: Constraints, seconds: dict[str, float]) -> Report:
    """The report on rows in files, from that on rows in memory; what all rows show is completed as they are placed.

    Parameters
    ----------
    report : Report
    sample : Sample
    constraints : Constraints
        On all rows.
    seconds : dict
        What reading rows took.
    """
    numbers = sample.numbers
    return replace(
        report,
        n_rows=constraints.n_samples,
        constraints=constraints.summary(),
        landmarks=report.landmarks or len(numbers),
        in_files=True,
        moved=numbers[report.moved],
        ask_about=tuple(numbers[list(report.ask_about)].tolist()),
        seconds={**seconds, **report.seconds},
    )


def suspects_in_files(suspects: Suspects, sample: Sample) -> Suspects:
    """Hints that look wrong, with the numbers that rows have in the files."""

    def there(pair: tuple[int, int]) -> tuple[int, int]:
        return int(sample.numbers[pair[0]]), int(sample.numbers[pair[1]])

    return Suspects(
        replace(suspect, rows=there(suspect.rows), than=None if suspect.than is None else there(suspect.than))
        for suspect in suspects
    )
