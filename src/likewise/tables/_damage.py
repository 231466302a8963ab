"""Converting the exceptions of libraries for damaged files to errors that name the file."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST = 200
"""Maximum length of the library's message that is included."""


@contextmanager
def reading(path: Path, kind: str, remedy: str = "") -> Iterator[None]:
    """Convert any exception inside the block to an error that names the file, unless it already does.

    Libraries do not document what they raise for damaged files, so all exceptions are caught. Put only calls of the
    library inside the block.

    Parameters
    ----------
    path : Path
    kind : str
        The kind of file, with its article: "an Excel file".
    remedy : str
        What to do, as a sentence.

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
