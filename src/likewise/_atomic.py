"""Atomic writing: a file is either written completely or left unchanged, whatever happens.

All writers of this package open files with :func:`atomic_write` or :func:`atomic_write_text`. Files that belong
together are written inside :func:`atomic_group`, so that either all of them are new or none is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, TextIO

from ._leftovers import Journal, Renaming, SecondName, hidden_name, hold, release, remove_leftovers, sync_folder

_Written = list[tuple[Renaming, int | None]]  # complete files, and the handles of their locks

PARTLY_RENAMED = "; some files were replaced already, and the next process that writes here will restore them"

_group: ContextVar[_Written | None] = ContextVar("likewise_atomic_group", default=None)


def check_path(path: object, call: str) -> None:
    """Raise an error if ``path`` is not a path, for example if arguments were swapped; ``call`` shows their order.

    >>> check_path([1, 2], "save(path, model)")
    Traceback (most recent call last):
    TypeError: path is a list, and the path of the file comes first: save(path, model).
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path is a {type(path).__name__}, and the path of the file comes first: {call}.")


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file for writing, which is renamed to ``path`` if the block succeeds, and removed otherwise.

    The temporary file is hidden, in the same folder. Errors, a full disk, Ctrl-C and kills leave an existing file
    unchanged; the temporary file of a killed process is removed by the next process that writes to the folder. A file
    that is replaced keeps its mode; for a symbolic link the target is replaced. An ``OSError`` names ``path``.

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
    remove_leftovers(target.parent)
    try:
        file, temporary, handle = _create(target)
    except OSError as error:
        raise _error_for(error, path) from error
    try:
        with file:
            yield file
            _sync(file)
        written = _group.get()
        if written is None:
            _rename([Renaming(temporary, target)])
        else:
            written.append((Renaming(temporary, target), handle))
            handle = None  # released by the group
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and error.errno is not None and error.filename in (None, str(temporary)):
            raise _error_for(error, path) from error
        raise
    finally:
        release(handle)


@contextmanager
def atomic_write_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    r"""The same for text in UTF-8; line ends are not converted, and are "\\n" on all systems.

    Parameters
    ----------
    path : path
    """
    with atomic_write(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()


@contextmanager
def atomic_group() -> Iterator[None]:
    """Rename all files written inside the block together at the end, or none of them.

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
        _rename([renaming for renaming, _ in written])
    finally:
        _group.reset(token)
        for renaming, handle in written:
            with suppress(OSError):
                renaming.temporary.unlink(missing_ok=True)
            release(handle)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise the ``OSError`` that :func:`atomic_write` would raise, before the work starts.

    Parameters
    ----------
    path : path
    """
    target = Path(os.path.realpath(path))
    remove_leftovers(target.parent)
    try:
        file, temporary, handle = _create(target)
        file.close()
        release(handle)
        temporary.unlink()
    except OSError as error:
        raise _error_for(error, path) from None


def _create(target: Path) -> tuple[BinaryIO, Path, int | None]:
    """A new hidden file in the same folder, where it can be renamed atomically, and its lock."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():  # a device or a pipe must not be replaced by a file
        raise OSError(errno.EINVAL, "is not a regular file")
    if len(os.fsencode(target.name)) > 255:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    temporary = target.with_name(hidden_name())
    file = temporary.open("xb")
    try:
        handle = hold(temporary)
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o7777)
    except FileNotFoundError:  # another writer considered it abandoned
        file.close()
        return _create(target)
    except BaseException:
        file.close()
        temporary.unlink(missing_ok=True)
        raise
    return file, temporary, handle


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())  # a full disk raises an error now at the latest
    size = os.fstat(file.fileno()).st_size
    if size < file.tell():  # C code may write to the descriptor without checking for errors, as numpy's tofile does
        raise OSError(errno.ENOSPC, f"only {size:,} of {file.tell():,} bytes were written")


def _rename(written: list[Renaming]) -> None:
    """Rename all files; if one fails, all are undone."""
    if len(written) < 2:
        for one in written:
            _rename_one(one)
        return
    journal = Journal(written)
    target = written[0].target
    try:
        journal.write()
        for one in written:
            target = one.target
            os.replace(one.temporary, target)
        journal.commit()
    except BaseException as error:
        undone = journal.undo()
        if isinstance(error, OSError):
            raise _error_for(error, target, "" if undone else PARTLY_RENAMED) from error
        raise


def _rename_one(one: Renaming) -> None:
    old = SecondName(one)
    try:
        os.replace(one.temporary, one.target)
        sync_folder(one.target.parent)
    except BaseException as error:
        old.restore()
        if isinstance(error, OSError):
            raise _error_for(error, one.target) from error
        raise
    finally:
        old.remove()


def _error_for(error: OSError, path: str | os.PathLike[str], more: str = "") -> OSError:
    """The same error for the target file instead of the temporary one."""
    return OSError(error.errno, f"{error.strerror}{more}", os.fspath(path))
