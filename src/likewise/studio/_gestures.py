"""Conversion of gestures to hints: the rows that represent a selection, a merge or a split, and their relations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from .._arrays import FloatArray, IntArray
from .._threads import native
from ._results import Shown
from ._state import DIFFERENT, SAME

N_TYPICAL, N_DOUBTFUL, N_RIM = 4, 3, 2
"""Number of typical, doubtful and boundary rows that represent a selection."""

N_OTHERS = 6
N_PAIRS = 3
N_PART = 6
MAX_SPLIT = 5_000
"""Maximum number of rows of a cluster from which a split is computed."""

Said = list[tuple[int, int, str]]
"""Pairs of rows, and whether they are the same."""


def exemplars(shown: Shown, rows: IntArray) -> list[tuple[int, str]]:
    """Rows that represent a selection: typical ones, doubtful ones, and ones at its boundary."""
    place = {int(row): at for at, row in enumerate(shown.result.points)}
    rows = np.array([row for row in rows.tolist() if row in place], dtype=np.int64)
    if not len(rows):
        return []
    at = np.array([place[int(row)] for row in rows])
    spot = shown.result.places[at]
    gaps = np.linalg.norm(spot - np.median(spot, axis=0), axis=1)
    orders = (
        ("typical", N_TYPICAL, np.argsort(gaps, kind="stable")),
        ("doubtful", N_DOUBTFUL, np.argsort(shown.result.certainty[rows], kind="stable")),
        ("rim", N_RIM, np.argsort(-gaps, kind="stable")),
    )
    found: dict[int, str] = {}
    for role, count, order in orders:
        more = [int(row) for row in rows[order] if int(row) not in found][:count]
        found.update(dict.fromkeys(more, role))
    return list(found.items())


def grouped(shown: Shown, ticked: Sequence[int], unticked: Sequence[int]) -> Said:
    """Link the ticked rows in a chain; each unticked row differs from the nearest ticked one."""
    said = [(left, right, SAME) for left, right in pairwise(ticked)]
    return said + _apart_from_nearest(shown, unticked, ticked)


def separated(shown: Shown, ticked: Sequence[int], others: Sequence[int]) -> Said:
    """Link the ticked rows in a chain; each row of either set differs from the nearest row of the other set."""
    said = [(left, right, SAME) for left, right in pairwise(ticked)]
    across = _apart_from_nearest(shown, others, ticked) + _apart_from_nearest(shown, ticked, others)
    seen: set[frozenset[int]] = set()
    for left, right, word in across:
        if frozenset((left, right)) not in seen:
            seen.add(frozenset((left, right)))
            said.append((left, right, word))
    return said


def _apart_from_nearest(shown: Shown, rows: Sequence[int], others: Sequence[int]) -> Said:
    if not rows or not others:
        return []
    place = {int(row): at for at, row in enumerate(shown.result.points)}

    def spots(chosen: Sequence[int]) -> FloatArray:
        return np.array([shown.result.places[place[row]] if row in place else (0.0, 0.0) for row in chosen])

    best = cdist(spots(rows), spots(others)).argmin(axis=1)
    return [(row, others[at], DIFFERENT) for row, at in zip(rows, best.tolist(), strict=True)]


def merging_pairs(shown: Shown, clusters: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of typical rows from two clusters."""
    left, right = (shown.typical(cluster, N_PAIRS) for cluster in clusters)
    count = max(len(left), len(right))
    return [(left[at % len(left)], right[at % len(right)]) for at in range(count)] if left and right else []


def splitting_parts(shown: Shown, features: FloatArray, cluster: int) -> tuple[list[list[int]], list[int]]:
    """Split a cluster in two by the features of its rows; returns typical rows and sizes of both parts."""
    points = shown.result.points
    inside = np.flatnonzero(shown.labels[points] == cluster)
    if len(inside) < 2:
        return [], []
    some = inside
    if len(some) > MAX_SPLIT:
        some = np.sort(np.random.default_rng(0).choice(some, MAX_SPLIT, replace=False))
    with native().limit(limits=1):
        model = KMeans(2, n_init=5, random_state=0).fit(features[some])
        labels = model.predict(np.ascontiguousarray(features[inside]))
        gaps = model.transform(np.ascontiguousarray(features[inside]))
    parts, sizes = [], []
    for part in np.argsort(-np.bincount(labels, minlength=2), kind="stable"):
        own = np.flatnonzero(labels == part)
        order = own[np.argsort(gaps[own, part], kind="stable")]
        parts.append([int(points[inside[at]]) for at in order[:N_PART]])
        sizes.append(len(own))
    return (parts, sizes) if min(sizes) else ([], [])


def split(parts: Sequence[Sequence[int]]) -> Said:
    """Link each part in a chain; corresponding rows of the two parts are different."""
    said = [(left, right, SAME) for part in parts for left, right in pairwise(part)]
    first, second = parts
    count = max(len(first), len(second))
    return said + [(first[at % len(first)], second[at % len(second)], DIFFERENT) for at in range(count)]


def moved(shown: Shown, rows: Sequence[int], to: int) -> Said:
    """Each row is the same as a typical row of its new cluster, and different from one of its old cluster."""
    said: Said = []
    for row in rows:
        source = int(shown.labels[row])
        targets = [each for each in shown.typical(to, 2 + len(rows)) if each not in rows][:1]
        sources = [each for each in shown.typical(source, 2 + len(rows)) if each not in rows][:1] if source >= 0 else []
        said += [(row, each, SAME) for each in targets]
        said += [(row, each, DIFFERENT) for each in sources if source != to]
    return said
