"""Files are written aside and then renamed: nobody meets one half written, whatever happens on the way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside the one wanted, to be written to; it takes its place when the block ends well, else it is removed.

    Errors, a full disk and Ctrl-C all leave what was there before.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/answer.txt") as aside:
    ...         _ = aside.write_text("42")
    ...         assert not Path(folder, "answer.txt").exists()
    ...     [found.name for found in Path(folder).iterdir()]
    ['answer.txt']
    """
    path = Path(path)
    # the same suffix, for writers that choose the format by it
    aside = path.with_name(f".{path.stem}.{uuid4().hex}{path.suffix}")
    try:
        yield aside
        with aside.open("rb+") as file:
            os.fsync(file.fileno())  # a disk that is full says so now at the latest
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
