"""Su Yan's thesis: ASP (chapter 4), Costco with links (chapter 5), DSP (chapter 6); a file for each chapter."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from likewise.evaluation import Results
from likewise.evaluation.protocols import Trial

from . import chapter4, chapter5, chapter6

CHAPTERS = (chapter4, chapter5, chapter6)


def trials() -> Iterator[Trial]:
    """All trials, no data loaded."""
    for chapter in CHAPTERS:
        yield from chapter.trials()


def figures(results: Results, folder: Path) -> None:
    """Draw the figures of every chapter."""
    for chapter in CHAPTERS:
        chapter.figures(results, folder)
