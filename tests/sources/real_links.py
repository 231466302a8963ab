"""Cora and WebKB, where somebody has them."""

import os
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

HOME = Path(__file__).parents[2]


def load(name):
    """Words (binary, sparse), classes and links of a data set; the test is skipped where it is absent."""
    folder = Path(os.environ.get("LIKEWISE_DATA", HOME / ".." / "shared" / "data")).resolve()
    path = folder / f"{name}.npz"
    if not path.exists():
        pytest.skip(f"{name}.npz is not in the data folder; set LIKEWISE_DATA to a folder that has it")
    with np.load(path, allow_pickle=False) as data:
        return sparse.csr_array(data["X"].astype(float)), data["y"], data["links"].astype(np.int64)


def precision(constraints, y):
    """Of the must-links, how many join rows of one class."""
    return float((y[constraints.must_link[:, 0]] == y[constraints.must_link[:, 1]]).mean())
