"""Atomic writing: a file is complete or stays as it was, whatever happens on the way.

All writers of this package open their file by :func:`atomic_write` or :func:`atomic_write_text`. What belongs together
is written inside :func:`atomic_group`, and then all files of a run are new, or none is.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO
from uuid import uuid4

_Written = list[tuple[Path, Path]]  # temporary files, complete, and what they are to be called

_group: ContextVar[_Written | None] = ContextVar("likewise_atomic_group", default=None)


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that takes its name when the block ends well, and is removed when it does not.

    Until then the bytes are in a hidden file of the same folder. Errors, a full disk and Ctrl-C all leave what was
    there before. A file that is replaced keeps its mode; of a symbolic link, the target is replaced. An ``OSError``
    names ``path``.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_write(f"{folder}/answer.txt") as file:
    ...         _ = file.write(b"42")
    ...         assert not Path(folder, "answer.txt").exists()
    ...     [found.name for found in Path(folder).iterdir()]
    ['answer.txt']
    """
    target = Path(os.path.realpath(path))
    temporary = _hidden_beside(target)
    try:
        with _create(temporary, target) as file:
            yield file
            _sync(file)
        written = _group.get()
        if written is None:
            _rename([(temporary, target)])
        else:
            written.append((temporary, target))
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(temporary)):
            raise _about(error, path) from error
        raise


@contextmanager
def atomic_write_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    r"""The same for text, in UTF-8; lines end as they are written, in "\\n" on all systems.

    Parameters
    ----------
    path : path
    """
    with atomic_write(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        try:
            yield text
            text.flush()
        finally:
            with suppress(ValueError, OSError):  # an error while flushing was raised before, or the file goes anyway
                text.detach()


@contextmanager
def atomic_group() -> Iterator[None]:
    """All files written inside take their names together at the end, or none does.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     try:
    ...         with atomic_group():
    ...             with atomic_write_text(f"{folder}/clusters.csv") as file:
    ...                 _ = file.write("id,cluster")
    ...             raise OSError("no space for the second file")
    ...     except OSError:
    ...         print(list(Path(folder).iterdir()))
    []
    """
    if _group.get() is not None:  # a group inside a group is a part of it
        yield
        return
    written: _Written = []
    token = _group.set(written)
    try:
        yield
        _rename(written)
    finally:
        _group.reset(token)
        for temporary, _ in written:
            temporary.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise now the ``OSError`` that :func:`atomic_write` would raise after all the work.

    Parameters
    ----------
    path : path
    """
    target = Path(os.path.realpath(path))
    temporary = _hidden_beside(target)
    try:
        _create(temporary, target).close()
        temporary.unlink()
    except OSError as error:
        raise _about(error, path) from None


def _hidden_beside(target: Path) -> Path:
    """A name in the same folder, as only there a file can be renamed; short, as names have an end."""
    return target.with_name(f".likewise-{uuid4().hex[:16]}.tmp")


def _create(temporary: Path, target: Path) -> BinaryIO:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(temporary))
    if target.exists() and not target.is_file():  # a device or a pipe is not to be replaced by a file
        raise OSError(errno.EINVAL, "is not a regular file", str(temporary))
    if len(os.fsencode(target.name)) > 255:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(temporary))
    file = temporary.open("xb")
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o7777)
    return file


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())  # a disk that is full says so now at the latest
    size = os.fstat(file.fileno()).st_size
    if size < file.tell():  # C code may write to the descriptor without a look at errors: numpy's tofile does
        raise OSError(errno.ENOSPC, f"only {size:,} of {file.tell():,} bytes were written")


def _rename(written: _Written) -> None:
    """Give all their names; where one cannot have it, all are undone."""
    backups = {target: _backup(target) for _, target in written} if len(written) > 1 else {}
    try:
        for temporary, target in written:
            try:
                os.replace(temporary, target)
            except OSError as error:
                raise _about(error, target) from None
    except BaseException:
        for target, backup in backups.items():
            if backup is None:
                target.unlink(missing_ok=True)
            else:
                os.replace(backup, target)
        raise
    finally:
        for backup in backups.values():
            if backup is not None:
                backup.unlink(missing_ok=True)
    for folder in {target.parent for _, target in written}:
        _sync_folder(folder)


def _backup(target: Path) -> Path | None:
    """A second name of what is there now."""
    if not target.exists():
        return None
    backup = _hidden_beside(target)
    try:
        os.link(target, backup)
    except OSError:  # not every file system has links
        shutil.copy2(target, backup)
    return backup


def _sync_folder(folder: Path) -> None:
    """Make new names last through a power cut. They are there already, so a system that cannot do it may go on."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _about(error: OSError, path: str | os.PathLike[str]) -> OSError:
    """The same error about the file that is wanted, not about the temporary one."""
    return OSError(error.errno, error.strerror, os.fspath(path))
