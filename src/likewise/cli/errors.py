"""What a person gets wrong, and what goes wrong, in one line each: never a traceback.

Exit codes: 0 all is well; 1 it could not be done (a full disk, a package that is missing, hints that contradict each
other under ``hints check``); 2 it was asked for in a wrong way; 130 a person stopped it (Ctrl-C).
"""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

USE, FAILURE, STOPPED = 2, 1, 130

DISK = {
    errno.ENOSPC: "the disk is full. Free some space, or write elsewhere",
    errno.EDQUOT: "your share of the disk is used up. Free some space, or write elsewhere",
    errno.EROFS: "it is on a disk that cannot be written to. Write elsewhere",
    errno.EACCES: "you may not open it. Ask its owner, or choose another place",
    errno.EPERM: "you may not open it. Ask its owner, or choose another place",
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
    """It was asked for in a wrong way."""

    exit_code = USE


class Failure(Refusal):
    """It could not be done."""

    exit_code = FAILURE


class Commands(click.Group):
    """A group of commands whose errors are told in one line each, and whose warnings are notes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remember what was asked, for the report."""
        ctx.meta["likewise.asked"] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            with _notes():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Stopped. Nothing more was written.", err=True)
            raise click.exceptions.Exit(STOPPED) from None
        except (ValueError, ImportError, OSError, MemoryError) as error:
            refusal = refused(error)
            if refusal is None:
                raise
            raise refusal from None


def refused(error: BaseException) -> Refusal | None:
    """The error as a person should read it; None where the reader of a pipe has gone, which is no error of ours."""
    if isinstance(error, MemoryError):
        return Failure(f"there is not enough memory for this: {error or 'take fewer rows or columns'}.")
    if isinstance(error, ImportError):
        return Failure(str(error))
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
    return Failure(f"{what}: {DISK.get(error.errno, error.strerror.lower())}.")


@contextmanager
def _notes() -> Iterator[None]:
    """Show what methods warn of as notes, each once, and without a place in the code."""
    told: set[str] = set()

    def show(message: Any, *rest: Any, **more: Any) -> None:
        text = " ".join(str(message).split())
        if text not in told:
            told.add(text)
            click.echo(f"Note: {text}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
