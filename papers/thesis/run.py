"""Su Yan's thesis: ASP (chapter 4), Costco with links (chapter 5), DSP (chapter 6); a file for each chapter."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from likewise.evaluation.protocols import Trial
from likewise.studies import Results


def _chapter(number: int) -> ModuleType:
    name = f"likewise_thesis_chapter{number}"
    spec = spec_from_file_location(name, Path(__file__).with_name(f"chapter{number}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


CHAPTERS = [_chapter(number) for number in (4, 5, 6)]


def trials() -> Iterator[Trial]:
    """All trials, chapter by chapter."""
    for chapter in CHAPTERS:
        yield from chapter.trials()


def figures(results: Results, folder: Path) -> None:
    """Draw the thesis's figures from what was measured."""
    for chapter in CHAPTERS:
        chapter.figures(results, folder)
