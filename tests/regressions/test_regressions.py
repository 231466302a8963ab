"""Inputs that once made a reader crash, hang or fail without a clear error: each now ends in an answer or a clear one.

``make fuzz`` puts them here, in a folder for each kind.
"""

from pathlib import Path

import pytest

from fuzz.children import judged_apart
from fuzz.kinds import KINDS

FOLDER = Path(__file__).parent


@pytest.mark.parametrize("kind", sorted(path.name for path in FOLDER.iterdir() if path.name in KINDS))
def test_inputs_that_once_failed(kind):
    files = sorted((FOLDER / kind).iterdir())
    found = judged_apart(KINDS[kind], [path.read_bytes() for path in files])
    failed = {
        path.name: what for path, what in zip(files, found, strict=True) if what[0] not in ("answered", "refused")
    }
    assert not failed
