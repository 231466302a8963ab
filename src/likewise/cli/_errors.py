"""Errors in one line each, without a traceback.

Exit codes: 0 success; 1 failure (a full disk, a package that is missing, hints that contradict each other under
``hints check``); 2 wrong use; 130 interrupted (Ctrl-C).
"""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from .._atomic import PARTLY_RENAMED

WRONG_USE = 2
FAILURE = 1
INTERRUPTED = 130

DISK = {
    errno.ENOSPC: "the disk is full. Free some space, or write elsewhere",
    errno.EDQUOT: "your disk quota is exceeded. Free some space, or write elsewhere",
    errno.EROFS: "the file system is read-only. Write elsewhere",
    errno.EACCES: "permission denied. Ask its owner, or choose another place",
    errno.EPERM: "permission denied. Ask its owner, or choose another place",
    errno.EIO: "the disk could not be read or written. Try again, or elsewhere",
}
WRONG = {
    errno.ENOENT: "does not exist. Check the spelling, and the folder you are in",
    errno.EISDIR: "is a folder, not a file",
    errno.ENOTDIR: "is a file, not a folder",
    errno.ENAMETOOLONG: "has too long a name",
}


class Refusal(click.ClickException):
    """An error in one line."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class WrongUse(Refusal):
    """The command, its options or its files are invalid."""

    exit_code = WRONG_USE


class Failure(Refusal):
    """The work could not be done."""

    exit_code = FAILURE


class ErrorReporting(click.Group):
    """A group of commands that reports errors in one line each, and warnings as notes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments for the report."""
        ctx.meta["likewise.arguments"] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            with _notes():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted. No file was changed.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None
        except (ValueError, ImportError, OSError, MemoryError) as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise
            raise refusal from None


def refusal_of(error: BaseException) -> Refusal | None:
    """The error as a one-line message; None for a closed pipe, which click handles."""
    if isinstance(error, MemoryError):
        return Failure(f"not enough memory: {str(error) or 'use fewer rows or columns'}.")
    if isinstance(error, ImportError):
        return Failure(str(error))
    if isinstance(error, UnicodeEncodeError):
        seen = error.object[max(error.start - 20, 0) : error.end + 20]
        return WrongUse(f"{seen!r} cannot be written as {error.encoding}. Rename the file or the id.")
    if not isinstance(error, OSError):
        return WrongUse(str(error))
    if error.errno is None or not error.strerror:
        return WrongUse(str(error))
    if error.errno == errno.EPIPE:
        return None
    name = error.filename2 or error.filename
    what = name if isinstance(name, str) else "a file"
    if error.errno in WRONG:
        return WrongUse(f"{what} {WRONG[error.errno]}.")
    note = PARTLY_RENAMED if error.strerror.endswith(PARTLY_RENAMED) else ""
    return Failure(f"{what}: {DISK.get(error.errno, error.strerror.removesuffix(note).lower())}{note}.")


@contextmanager
def _notes() -> Iterator[None]:
    """Show each warning once, as a note without its location in the code."""
    shown: set[str] = set()

    def show(message: Any, *rest: Any, **more: Any) -> None:
        text = " ".join(str(message).split())
        if text not in shown:
            shown.add(text)
            click.echo(f"Note: {text}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
