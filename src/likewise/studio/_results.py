"""Results of fits: stored next to the session file, so that the last one is shown right after a restart."""

from __future__ import annotations

import json
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import FloatArray, IntArray
from .._atomic import atomic_write
from ._learner import Result

KEPT = 3
"""Number of results that are kept on disk and in memory."""

MAX_MOVES = 5
HEADER = struct.Struct("<4sIIIII")
WIDE, SAMPLED = 1, 2
NARROW_CLUSTERS = 255

ARRAYS = ("labels", "second", "certainty", "points", "places", "grid", "off_center")


@dataclass(frozen=True)
class Shown:
    """A result with its number, the colors of its clusters, and the changes since the previous result.

    Attributes
    ----------
    number : int
        0 before any fit.
    result : Result
    colors : list of int
        Palette index of each cluster; it stays with a cluster in later fits.
    moved : int
        Number of rows whose cluster differs from that in the previous result.
    moves : list of (int or None, int, int)
        Old and new cluster, by their current numbers, and number of rows; None for a cluster that no longer exists.
    """

    number: int
    result: Result
    colors: list[int] = field(default_factory=list)
    moved: int = 0
    moves: list[tuple[int | None, int, int]] = field(default_factory=list)

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.result.clusters)

    @property
    def labels(self) -> IntArray:
        """The cluster of each row; −1 before the first fit."""
        return self.result.labels

    def typical(self, cluster: int, n: int) -> list[int]:
        """The rows nearest to the center of a cluster."""
        points = self.result.points
        inside = np.flatnonzero(self.labels[points] == cluster)
        order = np.argsort(self.result.off_center[inside], kind="stable")[:n]
        return [int(row) for row in points[inside[order]]]

    def doubtful(self, n: int, cluster: int | None = None) -> list[int]:
        """The rows with the least certain clusters."""
        rows = np.arange(len(self.labels)) if cluster is None else np.flatnonzero(self.labels == cluster)
        return [int(row) for row in rows[np.argsort(self.result.certainty[rows], kind="stable")[:n]]]

    def as_bytes(self) -> bytes:
        """The map in the binary format that the page reads."""
        result = self.result
        points = result.points
        wide = self.n_clusters > NARROW_CLUSTERS - 1
        kind, none = ("<u2", 65_535) if wide else ("u1", NARROW_CLUSTERS)
        sampled = len(points) < len(self.labels)
        parts = [
            HEADER.pack(
                b"LWM1",
                WIDE * wide + SAMPLED * sampled,
                len(points),
                len(self.labels),
                self.number,
                self.n_clusters,
            )
        ]
        if sampled:
            parts.append(points.astype("<u4").tobytes())
        parts += [np.ascontiguousarray(result.grid[:, axis]).astype("<u2").tobytes() for axis in (0, 1)]
        for labels in (result.labels, result.second):
            some = labels[points]
            parts.append(np.where(some < 0, none, some).astype(kind).tobytes())
        parts.append(np.round(255 * np.clip(result.certainty[points], 0, 1)).astype("u1").tobytes())
        return b"".join(parts)


def follow(result: Result, before: Shown | None, number: int) -> Shown:
    """Number a new result; its clusters keep the colors of the matching clusters of the previous result."""
    k = len(result.clusters)
    if before is None or not before.n_clusters or len(before.labels) != len(result.labels):
        return Shown(number, result, list(range(k)))
    shared = np.zeros((k, before.n_clusters))
    np.add.at(shared, (result.labels, before.labels), 1)
    earlier: list[int | None] = [None] * k
    left = shared.copy()
    for _ in range(min(shared.shape)):
        new, old = (int(place) for place in np.unravel_index(left.argmax(), left.shape))
        if left[new, old] <= 0:
            break
        earlier[new] = old
        left[new], left[:, old] = 0, 0
    taken = {before.colors[old] for old in earlier if old is not None}
    fresh = (color for color in range(k + len(taken) + 1) if color not in taken)
    colors = [next(fresh) if old is None else before.colors[old] for old in earlier]
    now: dict[int, int | None] = dict.fromkeys(range(before.n_clusters))
    now |= {old: new for new, old in enumerate(earlier) if old is not None}
    pairs = Counter(zip(before.labels.tolist(), result.labels.tolist(), strict=True))
    moves = [(now[old], new, count) for (old, new), count in pairs.items() if now[old] != new]
    return Shown(
        number,
        result,
        colors,
        sum(count for *_, count in moves),
        sorted(moves, key=lambda move: -move[2])[:MAX_MOVES],
    )


class Results:
    """The last results of a session.

    Parameters
    ----------
    folder : Path
    n_rows : int
        Results with another number of rows are ignored.
    """

    def __init__(self, folder: Path, n_rows: int, generation: int) -> None:
        self._folder = folder
        self._generation = generation
        self._shown: dict[int, Shown] = {}
        self._last = 0
        self.features: FloatArray | None = None
        for path in sorted(folder.glob("[0-9]*.npz")):
            self._last = max(self._last, int(path.stem))
            found = self._read(path)
            if found is not None and len(found.labels) == n_rows:
                self._shown[found.number] = found

    @property
    def newest(self) -> Shown | None:
        """The latest result of a fit; None before the first fit."""
        numbers = [number for number in self._shown if number > 0]
        return self._shown[max(numbers)] if numbers else None

    def get(self, number: int) -> Shown | None:
        """A result by its number, or None if it is no longer kept."""
        return self._shown.get(number)

    def add(self, result: Result) -> Shown:
        """Number and store a result; a result without clusters has number 0, and is not stored."""
        if not result.clusters:
            self._shown[0] = Shown(0, result)
            return self._shown[0]
        self._last += 1
        shown = follow(result, self.newest, self._last)
        self._write(shown)
        self._shown[shown.number] = shown
        for number in sorted(self._shown)[:-KEPT]:
            if number > 0:
                del self._shown[number]
                self._path(number).unlink(missing_ok=True)
        return shown

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.npz"

    def _write(self, shown: Shown) -> None:
        """Write a result to disk; errors are ignored, because a result can be computed again."""
        about = {
            "upto": shown.result.upto,
            "seconds": shown.result.seconds,
            "clusters": shown.result.clusters,
            "suspects": shown.result.suspects,
            "disagreement": shown.result.disagreement,
            "colors": shown.colors,
            "generation": self._generation,
        }
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with atomic_write(self._path(shown.number)) as file:
                arrays = {name: getattr(shown.result, name) for name in ARRAYS}
                np.savez(file, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **arrays)
        except OSError:
            return

    def _read(self, path: Path) -> Shown | None:
        """Read a result from disk; None if it cannot be read, or belongs to other data."""
        try:
            with np.load(path, allow_pickle=False) as held:
                about: dict[str, Any] = json.loads(held["about"].tobytes())
                arrays = {name: held[name] for name in ARRAYS}
            if about["generation"] != self._generation:
                return None
            result = Result(
                about["upto"],
                about["seconds"],
                **arrays,
                clusters=about["clusters"],
                suspects=[tuple(one) for one in about["suspects"]],
                disagreement=about["disagreement"],
            )
            return Shown(int(path.stem), result, about["colors"])
        except Exception:  # a cache: a file that cannot be read for any reason is computed again
            return None
