"""A heat map: which constraints are kept, and between which clusters the others are broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...constraints import Constraints
from .._counts import PairCounts
from ._figures import INK, new_figure, save

MAX_WRITTEN = 16
"""Clusters up to which the counts are written into the cells."""


def constraints_kept(labels: Any, constraints: Constraints, *, path: str | Path | None = None) -> Any:
    """Draw a heat map of constraints by the two clusters of their rows: must-links left, cannot-links right.

    A must-link is kept if it is on the diagonal, a cannot-link if it is off it; broken ones are red. Pairs that
    partitions imply count as well.

    Parameters
    ----------
    labels : (n,) labels
        A clustering, such as ``model.labels_``.
    constraints : Constraints
    path : str or Path, optional
        Where to write it; the suffix names the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> constraints = Constraints(4, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 3)])
    >>> [axis.get_title() for axis in constraints_kept([0, 0, 1, 1], constraints).axes]
    ['must-links: 1 of 2 kept', 'cannot-links: 1 of 1 kept']
    """
    names, codes = np.unique(np.asarray(labels), return_inverse=True)
    pair_counts = PairCounts.of(codes, constraints, len(names))
    side = float(np.clip(0.45 * len(names), 3.2, 9))
    figure = new_figure(2 * side + 1, side + 0.8)
    together = np.eye(len(names), dtype=bool)
    for axis, word, counts, right, kept, stated in zip(
        figure.subplots(1, 2),
        ("must", "cannot"),
        (pair_counts.same, pair_counts.different),
        (together, ~together),
        (pair_counts.same_kept, pair_counts.different_kept),
        (pair_counts.n_same, pair_counts.n_different),
        strict=True,
    ):
        _heat(axis, counts, right, names)
        axis.set_title(f"{word}-links: {kept:,} of {stated:,} kept", color=INK)
    return save(figure, path)


def _heat(axis: Any, counts: np.ndarray, right: np.ndarray, names: np.ndarray) -> None:
    # each of the two kinds on its own scale: a single broken hint is to be seen beside thousands that are kept
    shade = np.zeros(counts.shape)
    for mask, sign in ((right, 1.0), (~right, -1.0)):
        part = np.where(mask, counts, 0)
        most = part.max(initial=0)
        shade += sign * np.where(part > 0, 0.25 + 0.6 * part / max(most, 1), 0.0)
    axis.imshow(shade, cmap="RdBu", vmin=-1, vmax=1)
    if len(names) <= MAX_WRITTEN:
        for (row, column), count in np.ndenumerate(counts):
            if count:
                ink = "white" if abs(shade[row, column]) > 0.6 else INK
                axis.text(column, row, f"{count:,}", ha="center", va="center", color=ink, fontsize=8)
    ticks = np.unique(np.linspace(0, len(names) - 1, min(len(names), MAX_WRITTEN)).round().astype(int))
    axis.set_xticks(ticks, [str(name) for name in names[ticks]])
    axis.set_yticks(ticks, [str(name) for name in names[ticks]])
    axis.set_xlabel("cluster")
    axis.set_ylabel("cluster")
