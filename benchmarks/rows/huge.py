"""A hundred million rows in files: fits, relative to reading the files once.

The files (20 GB) are created once, in the folder given by LIKEWISE_HUGE; existing files are kept. Before each work they
are dropped from the page cache, so that both works read them from disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import likewise as lw
from likewise.chunked import RowFiles

from ..harness import Bar, Contest, Skipped, Verdict, row
from ..measuring import held_gib

PART = 1_000_000
"""Number of rows per file."""

CLUSTERS = 20
TEMPORARY = 1_000_000
"""Number of rows up to which a temporary folder is used."""


def labels_of(part: int, rows: int) -> tuple[np.ndarray, np.random.Generator]:
    """The clusters of the rows of a file, and the generator to draw their values from."""
    rng = np.random.default_rng([0, part])
    return rng.integers(CLUSTERS, size=rows), rng


def make_parts(folder: Path, n: int, f: int) -> list[Path]:
    """Clusters of several shapes in single precision, a million rows per file; existing files are kept."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(CLUSTERS, f)).astype(np.float32)
    spread = rng.uniform(0.5, 2, size=f).astype(np.float32)
    files = [folder / f"rows-{f}-{part:04d}.npy" for part in range(-(-n // PART))]
    for part, file in enumerate(files):
        if file.exists():
            continue
        y, rng = labels_of(part, min(PART, n - part * PART))
        X = rng.standard_normal((len(y), f), dtype=np.float32)
        X *= spread
        X += centers[y]
        unfinished = file.with_suffix(".part")
        with unfinished.open("wb") as target:
            np.save(target, X)
        unfinished.rename(file)
    return files


def some_hints(n: int, pairs: int) -> lw.Constraints:
    """Pairs of each kind among the rows of all files."""
    chosen = np.sort(np.random.default_rng(1).choice(n, size=min(n, 5000), replace=False))
    labels = np.empty(len(chosen), dtype=np.int64)
    for part in np.unique(chosen // PART):
        here = chosen // PART == part
        labels[here] = labels_of(int(part), min(PART, n - int(part) * PART))[0][chosen[here] % PART]
    drawn = lw.Constraints.sample(labels, "equal", pairs, random_state=0)
    return lw.Constraints(n, chosen[drawn.must_link], chosen[drawn.cannot_link])


def forget(files: list[Path]) -> None:
    """Drop the files from the page cache."""
    for path in files:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def bare_reading(files: list[Path]) -> int:
    """Read all files into one buffer."""
    forget(files)
    buffer, total = bytearray(2**24), 0
    for path in files:
        with path.open("rb", buffering=0) as file:
            while read := file.readinto(buffer):
                total += read
    return total


def beside_a_bare_reading(n: int, f: int, fit: Callable[[RowFiles, lw.Constraints], Any]) -> Contest:
    """A fit on the files, and its memory without file pages, compared with reading the files once."""
    named, temporary = os.environ.get("LIKEWISE_HUGE"), None
    if named is None:
        if n > TEMPORARY:
            raise Skipped(f"LIKEWISE_HUGE names no folder; {n * f * 4 / 1e9:.0f} GB are written there.")
        temporary = TemporaryDirectory()
        named = temporary.name
    files = make_parts(Path(named), n, f)
    hints = some_hints(n, 200)

    def ours():
        forget(files)
        rows = RowFiles(files)
        with held_gib() as held:
            model = fit(rows, hints)
        return model, rows.passes, held()

    def judge(ours, theirs):
        if temporary is not None:
            temporary.cleanup()
        model, passes, held = ours
        iterations = f" ({model.n_iter_} iterations)" if hasattr(model, "n_iter_") else ""
        return Verdict(
            f"passes: {passes}{iterations}; {held:.2f} GiB held beside mapped pages, {theirs / 1e9:.1f} GB read",
            held * 2**30 < 0.3 * theirs,
        )

    return Contest(ours, lambda: bare_reading(files), judge)


HUGE = "{n:,} × {f} float32 in NumPy files of a million rows, from the disk"


@row(
    "costco-huge",
    f"Costco, {HUGE}, 200 pairs of each kind, r = 10",
    "one bare reading of the files",
    Bar(also="memory beside mapped pages < 0.3× the data"),
    n=20_000,
    f=10,
)
def costco_huge(n=100_000_000, f=50) -> Contest:
    return beside_a_bare_reading(n, f, lambda rows, hints: lw.Costco(10).fit(rows, constraints=hints))


@row(
    "project-huge",
    f"ProjectThenCluster, {HUGE}, k = 20, 200 pairs of each kind",
    "one bare reading of the files",
    Bar(also="memory beside mapped pages < 0.3× the data"),
    n=3_000,
    f=10,
)
def project_huge(n=100_000_000, f=50) -> Contest:
    return beside_a_bare_reading(
        n, f, lambda rows, hints: lw.ProjectThenCluster(CLUSTERS, random_state=0).fit(rows, constraints=hints)
    )
