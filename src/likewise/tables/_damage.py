"""What libraries raise for damaged files, as errors that name the file."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 200
"""Characters of what a library says that are repeated."""


@contextmanager
def reading(path: Path, kind: str, remedy: str = "") -> Iterator[None]:
    """Whatever a library raises meanwhile, as one error that names the file; an error that does so already passes.

    Libraries have no list of what they raise for bytes that make no sense: keep what is not theirs out of the block.

    Parameters
    ----------
    path : Path
    kind : str
        What the file should be, with its article: "an Excel file".
    remedy : str
        What to do about it, as a sentence.

    Examples
    --------
    >>> with reading(Path("t.xlsx"), "an Excel file", "Save it again."):
    ...     {}["sheet"]
    Traceback (most recent call last):
    ValueError: t.xlsx is not an Excel file, or is damaged: 'sheet'. Save it again.
    """
    try:
        yield
    except Exception as error:
        is_ours = type(error).__module__ == "builtins" and isinstance(error, ValueError | MemoryError)
        if (is_ours and str(path) in str(error)) or isinstance(error, ImportError):
            raise
        if isinstance(error, MemoryError):
            raise MemoryError(f"{path} needs more memory than there is") from None
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise OSError(error.errno, error.strerror, str(path)) from None
        said = " ".join(str(error).split())
        why = (said[:LONGEST] or type(error).__name__).rstrip(".")
        raise ValueError(f"{path} is not {kind}, or is damaged: {why}.{' ' * bool(remedy)}{remedy}") from None
