"""Rows in files: a sample is clustered in memory, and a second pass assigns all other rows by their neighbors."""

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
"""An :class:`Assignment` of rows as a structured array; ``second`` is −1 if there is none."""

SPARE = 5.0
"""Surplus of drawn rows, in standard deviations of their number, so that there are enough; the rest is dropped."""


@dataclass(frozen=True, eq=False)
class Sample:
    """The rows that are clustered in memory: all constrained rows, and others drawn by a hash of their index.

    Attributes
    ----------
    numbers : (m,) ints
        The indices of the rows in the files, ascending.
    rows : (m, f) array
    drawn : (m,) mask
        The rows that are not constrained.
    """

    numbers: IntArray
    rows: Any
    drawn: BoolArray

    @classmethod
    def of(cls, X: Chunked, constraints: Constraints, seed: int) -> Sample:
        """Read all rows once, and draw as many as there are landmarks; more if more rows are constrained."""
        n = X.shape[0]
        is_constrained = constraints.constrained_rows() | constraints.comparisons.compared_rows()
        constrained = np.flatnonzero(is_constrained)
        if n <= _landmarks.MAX_LANDMARKS:
            taken = X.take(np.arange(n))
        else:
            wanted = _landmarks.MAX_LANDMARKS - min(len(constrained), _landmarks.MAX_CONSTRAINED)
            share = min(wanted / (n - len(constrained)), 1.0) if len(constrained) < n else 0.0
            taken = X.take(constrained, int(share * n + SPARE * np.sqrt(share * n)) + 1, seed)
            others = taken.numbers[~is_constrained[taken.numbers]]
            surplus = others[np.argsort(hashes(others, seed), kind="stable")[wanted:]]
            kept = np.flatnonzero(~np.isin(taken.numbers, surplus))
            taken = replace(taken, numbers=taken.numbers[kept], rows=taken.rows[kept])
        return cls(taken.numbers, by_rows(taken.rows), ~is_constrained[taken.numbers])


def placing(model: Any, sample: Sample) -> Look:
    """The function that assigns the rows of a leaf to clusters.

    Parameters
    ----------
    model : Likewise
        The model of the sample; the state that is saved in a model file suffices.
    sample : Sample
    """
    known = as_places(Assignment(model.labels_, model.second_labels_, model.certainty_))
    return partial(place, model=model, numbers=sample.numbers, known=known)


def place(rows: Any, first: int, *, model: Any, numbers: IntArray, known: np.ndarray) -> np.ndarray:
    """The assignment of the rows of a leaf: as fitted for rows of the sample, by the model's prediction for others."""
    here = among(numbers, rows, first)
    found = as_places(place_on_device(rows, model)) if is_foreign(rows) else np.empty(rows.shape[0], dtype=PLACE)
    if len(here) < rows.shape[0] and not is_foreign(rows):
        for some in slices(rows.shape[0], _landmarks.BATCH_ROWS):
            found[some] = as_places(model.predict_certainty(by_rows(rows[some])))
    start = int(np.searchsorted(numbers, first))
    found[here] = known[start : start + len(here)]
    return found


def by_rows(rows: Any) -> Any:
    """Dense rows in C order, since the rounding of products depends on the memory layout."""
    return rows if sparse.issparse(rows) else np.ascontiguousarray(rows)


def as_places(found: Assignment) -> np.ndarray:
    """An assignment as a structured array."""
    places = np.empty(len(found.labels), dtype=PLACE)
    places["cluster"], places["second"], places["certainty"] = found
    return places


class Tally:
    """Counts for the report that are made while rows are assigned.

    Parameters
    ----------
    n_clusters : int
    """

    def __init__(self, n_clusters: int) -> None:
        self._sizes = np.zeros(n_clusters, dtype=np.int64)
        self._doubtful = 0

    def add(self, places: np.ndarray) -> None:
        """Add the rows of a leaf."""
        self._sizes += np.bincount(places["cluster"], minlength=len(self._sizes))
        self._doubtful += int((places["certainty"] < np.float32(DOUBTFUL)).sum())

    def complete(self, report: Report, seconds: dict[str, float]) -> Report:
        """The report with the counts of all rows."""
        clusters = zip(report.clusters, self._sizes.tolist(), strict=True)
        return replace(
            report,
            doubtful=self._doubtful,
            clusters=tuple(replace(cluster, rows=size) for cluster, size in clusters),
            seconds={**report.seconds, **seconds},
        )


def report_on_files(report: Report, sample: Sample, constraints: Constraints, seconds: dict[str, float]) -> Report:
    """The report on rows in files, from that on the sample; counts of all rows are added by :class:`Tally`.

    Parameters
    ----------
    report : Report
        The report on the sample.
    sample : Sample
    constraints : Constraints
        The constraints on all rows.
    seconds : dict
        Seconds spent on reading rows.
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
    """The suspects of the sample, with row indices in the files."""

    def in_files(pair: tuple[int, int]) -> tuple[int, int]:
        return int(sample.numbers[pair[0]]), int(sample.numbers[pair[1]])

    return Suspects(
        replace(suspect, rows=in_files(suspect.rows), than=None if suspect.than is None else in_files(suspect.than))
        for suspect in suspects
    )
