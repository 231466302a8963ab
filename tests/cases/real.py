"""The data sets of the papers, where somebody has them."""

import os
from pathlib import Path

import pytest

from likewise.datasets import load
from likewise.datasets._catalog import entry_of

HOME = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("LIKEWISE_DATA", HOME / ".." / "shared" / "data")).resolve()
"""Found once, so that a test may change the environment."""


def real(name):
    """Load a data set from the folder of them; the test is skipped where it is absent."""
    entry = entry_of(name)
    bundled = entry.fetch is not None and entry.fetch.bundled
    if not bundled and not (FOLDER / entry.file).exists():
        pytest.skip(f"{entry.file} is not in the data folder; set LIKEWISE_DATA to a folder that has it")
    return load(name, FOLDER)
