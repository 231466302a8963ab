"""Constraints from detections in video frames: must-links between nearby frames, cannot-links within a frame."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .._arrays import FloatArray, IntArray
from ..constraints import Constraints, Partition
from ..constraints._repair import RefusingUnion as _RefusingUnion
from ..constraints._validate import checked_weight as _checked_weight

_TIE = 1e-12  # distances this close, relatively, are equal
_ROUNDING = 1e-9  # frames at 0.3 and 0.4 are one step of 0.1 apart, but not in floating point
_FAR = 1e150  # squares of larger numbers overflow


def from_detections(
    frames: Any, positions: Any, *, max_gap: float = 1, max_distance: float, weight: float = 1.0
) -> Constraints:
    """Constraints from detections over ordered frames: faces in a film, cells under a microscope, cars on a road.

    Two detections are must-linked if their frames are at most ``max_gap`` apart, their positions at most
    ``max_distance``, and each is the nearest to the other among those of its frame. Any two detections of one frame
    are cannot-linked, as a partition, which is not expanded to pairs.

    Parameters
    ----------
    frames : (n,) numbers
        When each detection was made: frame numbers or times, in any order of rows.
    positions : (n, d) or (n,) numbers
        Position of each detection.
    max_gap : number
        Maximum gap between two linked detections, in units of ``frames``. 1 is the next frame if frames are numbered
        0, 1, 2, ...; larger values bridge missed detections.
    max_distance : number
        Maximum distance that an object moves.
    weight : float
        Weight of the cannot-links, and of a must-link over distance 0. A must-link over distance d has the weight
        ``weight * (1 - d / (2 * max_distance))``, which is half of it at ``max_distance``.

    Returns
    -------
    Constraints
        Free of contradictions. Its ``groups()`` are the tracks.

    Notes
    -----
    Links are added in order of gap, distance and row number; a link that would bring two detections of the same frame
    into one track is skipped. A detection has at most one link to any other frame, so that links to the next frame
    never contradict each other, and only longer gaps are skipped. Ties between equally near detections are broken by
    row number.

    Examples
    --------
    Two objects cross a line from opposite ends; the second is missed in frame 1.

    >>> from likewise.sources.tracks import from_detections
    >>> frames = [0, 0, 1, 2, 2]
    >>> positions = [0.0, 9.0, 1.0, 2.0, 8.0]
    >>> constraints = from_detections(frames, positions, max_gap=2, max_distance=2)
    >>> constraints
    Constraints(5 rows: 4 must-links, 5 rows in 3 groups of different ones (2 pairs))
    >>> constraints.groups()
    array([0, 1, 0, 0, 1])
    >>> constraints.conflicts()
    []
    """
    times, codes = np.unique(_frame_numbers(frames), return_inverse=True)
    places = _checked_positions(positions, len(codes))
    _positive(max_gap, "max_gap", "1 links a frame to the next one")
    _positive(max_distance, "max_distance", "It is how far an object moves at most, in units of positions")
    weight = _checked_weight(weight, "weight")
    links, distance = _consistent(codes, *_mutually_nearest(times, codes, places, max_gap, max_distance))
    return Constraints(
        len(codes),
        must_link=links,
        must_weight=weight * (1.0 - 0.5 * (distance / max_distance)),
        partitions=[Partition(codes, same_within=False, different_within=True, weight=weight)],
    )


def _mutually_nearest(
    times: FloatArray, codes: IntArray, places: FloatArray, max_gap: float, max_distance: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return pairs of rows of two frames that are nearest to each other, with their gap and distance."""
    order = np.argsort(codes, kind="stable")
    rows = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(codes) else []
    trees = [cKDTree(places[members]) for members in rows]
    times = times - times[:1]  # small numbers, so that none is lost when they become floats
    stop = np.searchsorted(times, times + max_gap * (1 + _ROUNDING), side="right").tolist()
    pairs, gaps, distances = [np.empty((0, 2), dtype=np.int64)], [np.empty(0)], [np.empty(0)]
    for early in range(len(rows)):
        for late in range(early + 1, stop[early]):
            partner, distance = _nearest(trees[late], places[rows[early]])
            back, _ = _nearest(trees[early], places[rows[late]])
            here = np.flatnonzero((back[partner] == np.arange(len(partner))) & (distance <= max_distance))
            pairs.append(np.column_stack([rows[early][here], rows[late][partner[here]]]))
            gaps.append(np.full(len(here), times[late] - times[early]))
            distances.append(distance[here])
    return np.concatenate(pairs), np.concatenate(gaps), np.concatenate(distances)


def _nearest(tree: cKDTree, points: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the nearest member of a tree to each point, the first of those that tie, and how far it is."""
    distance, member = tree.query(points, k=min(tree.n, 2))
    distance, member = distance.reshape(len(points), -1), member.reshape(len(points), -1).astype(np.int64)
    nearest = member[:, 0]
    radius = distance[:, 0] * (1 + _TIE)
    for point in np.flatnonzero(distance[:, -1] <= radius).tolist() if tree.n > 1 else ():
        nearest[point] = min([nearest[point], *tree.query_ball_point(points[point], radius[point])])
    return nearest, distance[:, 0]


def _consistent(
    codes: IntArray, pairs: IntArray, gaps: FloatArray, distances: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Keep links, over short gaps and distances first, as long as no track is twice in a frame."""
    order = np.lexsort((pairs.max(axis=1), pairs.min(axis=1), distances, gaps))
    tracks = _RefusingUnion()
    frame = codes.tolist()
    for row in np.unique(pairs).tolist():
        tracks.mark(row, {frame[row]: row})  # one detection a frame
    kept = order[[tracks.join(*pair) for pair in pairs[order].tolist()]] if len(order) else order
    return pairs[kept], distances[kept]


def _frame_numbers(frames: Any) -> NDArray[Any]:
    values = np.asarray(frames)
    if values.ndim != 1:
        raise ValueError(f"frames must be one number for each detection, got shape {values.shape}.")
    if values.dtype == object and all(isinstance(value, Real) for value in values.tolist()):
        values = values.astype(np.float64)
    if values.size == 0:
        return np.empty(0, dtype=np.int64)
    if values.dtype.kind not in "iuf":
        raise TypeError(
            f"frames must be numbers, whose differences are gaps, got {values.dtype}, such as {values[0]!r}. "
            "Number them: np.unique(frames, return_inverse=True)[1] does, if sorting puts them in order."
        )
    if values.dtype.kind == "f":
        wrong = np.flatnonzero(~np.isfinite(values))
        if wrong.size:
            raise ValueError(f"frames[{wrong[0]}] = {values[wrong[0]]}. Leave out detections without a frame.")
        return values.astype(np.float64)
    return values.astype(np.int64)


def _checked_positions(positions: Any, n: int) -> FloatArray:
    try:
        places = np.asarray(positions, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"positions must be numbers, one row for each detection: {error}.") from None
    if places.ndim == 1:
        places = places.reshape(len(places), -1 if places.size else 1)
    if places.ndim != 2 or len(places) != n or places.shape[1] == 0:
        raise ValueError(f"positions has shape {places.shape} for {n} frames. Pass one row for each detection.")
    wrong = np.flatnonzero(~(np.abs(places) < _FAR).all(axis=1))  # NaN too
    if wrong.size:
        raise ValueError(
            f"positions[{wrong[0]}] = {places[wrong[0]].tolist()} is no place: numbers must be finite, and below "
            f"{_FAR:g}. Leave out detections without a position."
        )
    return places


def _positive(value: Any, name: str, meaning: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be one number above 0, got {value!r}. {meaning}.")
    if not float(value) > 0:  # NaN too
        raise ValueError(f"{name} must be above 0, got {value!r}. {meaning}.")
