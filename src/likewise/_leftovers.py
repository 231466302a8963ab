"""Hidden temporary files: locked while their writer is running, and removed by the next writer if it was killed.

There are three kinds, in the folder of the file that is being written; their names start with ``.likewise-``:

- ``*.tmp``: an incomplete file, or a folder of temporary files.
- ``*.old``: a second name (hard link) of a file that is being replaced together with others.
- ``*.undo``: a journal of files that are renamed together. While it exists, the renaming is not complete; a process
  that finds it without a lock restores the old files.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = ".likewise-"

FAILURES = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS)
"""Errors of a disk; other errors mean that a file system does not support an operation."""

OLD_S = 86_400.0
"""If files cannot be locked, those that were not changed for this long are considered abandoned."""


def hidden_name(suffix: str = ".tmp") -> str:
    """A short unique name."""
    return f"{PREFIX}{uuid4().hex[:16]}{suffix}"


def hold(path: Path) -> int | None:
    """Lock a new hidden file or folder, until the handle is closed or the process ends.

    Returns
    -------
    int or None
        The handle; None if locks are not supported.

    Raises
    ------
    FileNotFoundError
        If another writer removed the file before it was locked; create another one.
    """
    if fcntl is None:
        return None
    handle = os.open(path, os.O_RDONLY)
    try:
        wait_for(handle)
        os.stat(path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def wait_for(handle: int) -> None:
    """Wait for the lock of an open file; does nothing on file systems without locks."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)


def release(handle: int | None) -> None:
    """Close a handle of :func:`hold`."""
    if handle is not None:
        os.close(handle)


@contextmanager
def _abandoned(path: Path) -> Iterator[bool]:
    """Whether a hidden file or folder is abandoned by its writer; if so, it is locked inside the block."""
    handle = None
    try:
        if fcntl is None:
            abandoned = time.time() - path.lstat().st_mtime > OLD_S
        else:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            abandoned = _try_lock(handle)
    except OSError:  # removed, or of another user
        abandoned = False
    try:
        yield abandoned
    finally:
        release(handle)


def _try_lock(handle: int) -> bool:
    """Lock an open file; False if another process has locked it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return time.time() - os.fstat(handle).st_mtime > OLD_S
    return True


def remove_leftovers(folder: Path) -> None:
    """Undo and remove the hidden files that killed processes have left in a folder.

    Files that cannot be removed are ignored.
    """
    with suppress(OSError):
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.startswith(PREFIX))
        for name in names:
            if name.endswith(".undo"):
                with _abandoned(folder / name) as abandoned:
                    if abandoned:
                        _undo(folder / name)
        for name in names:
            if name.endswith(".tmp"):
                with _abandoned(folder / name) as abandoned:
                    if abandoned:
                        _remove(folder / name)
            elif name.endswith(".old") and not (folder / f"{name.rpartition('-')[0]}.undo").exists():
                _remove(folder / name)


def _remove(path: Path) -> None:
    with suppress(OSError):
        if stat.S_ISDIR(path.lstat().st_mode):
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


@dataclass(frozen=True)
class Renaming:
    """A complete temporary file, and its target."""

    temporary: Path
    target: Path


class SecondName:
    """A second name (hard link) of a file that is about to be replaced, if the file system supports it.

    Parameters
    ----------
    renaming : Renaming
    """

    def __init__(self, renaming: Renaming) -> None:
        self._target = renaming.target
        self._new = _identity(renaming.temporary)
        self._old: Path | None = renaming.target.with_name(hidden_name("-0.old"))
        self._was_there = True
        try:
            os.link(renaming.target, self._old)
        except FileNotFoundError:
            self._was_there = False
        except OSError:
            self._old = None

    def restore(self) -> None:
        """Restore the old file, as far as possible."""
        with suppress(OSError):
            if _identity(self._target) != self._new:
                return
            if not self._was_there:
                self._target.unlink()
            elif self._old is not None:
                os.replace(self._old, self._target)

    def remove(self) -> None:
        """Remove the second name."""
        if self._old is not None:
            _remove(self._old)


class Journal:
    """A journal for renaming several files together, which the next writer can undo if this process is killed.

    Each folder has a journal of its own files. The first journal decides: while it exists, all files are to be undone;
    its removal commits all of them at once.

    Parameters
    ----------
    renamings : sequence of Renaming
    """

    def __init__(self, renamings: Sequence[Renaming]) -> None:
        key = hidden_name("")
        self._folders = list(dict.fromkeys(one.target.parent for one in renamings))
        self._paths = [folder / f"{key}.undo" for folder in self._folders]
        self._renamings = renamings
        self._old = [one.target.with_name(f"{key}-{place}.old") for place, one in enumerate(renamings)]
        self._handles: list[int | None] = []

    def write(self) -> None:
        """Write the journals, and create second names of the files that will be replaced."""
        for path in self._paths:
            self._handles.append(_create_and_hold(path))
        for one, old in zip(self._renamings, self._old, strict=True):
            if one.target.exists():
                _create_second_name(one.target, old)
        for folder, path in reversed(list(zip(self._folders, self._paths, strict=True))):
            first = path == self._paths[0]
            noted = {
                "first": None if first else str(self._paths[0]),
                "others": [str(other) for other in self._paths[1:]] if first else [],
                "files": [
                    {
                        "name": one.target.name,
                        "new": _identity(one.temporary),
                        "old": old.name if old.exists() else None,
                    }
                    for one, old in zip(self._renamings, self._old, strict=True)
                    if one.target.parent == folder
                ],
            }
            with path.open("wb") as file:
                file.write(json.dumps(noted).encode())
                file.flush()
                os.fsync(file.fileno())
            sync_folder(folder)

    def commit(self) -> None:
        """Commit all files."""
        for folder in self._folders:
            sync_folder(folder)
        self._paths[0].unlink()
        for path in (*self._paths[1:], *self._old):
            _remove(path)
        self._release()
        for folder in self._folders:
            sync_folder(folder)

    def undo(self) -> bool:
        """Restore the old files; False if that must be left to the next writer."""
        undone = [_undo(path) for path in reversed(self._paths)]
        self._release()
        if all(undone):
            for path in self._old:
                _remove(path)
        return all(undone)

    def _release(self) -> None:
        while self._handles:
            release(self._handles.pop())


def _create_and_hold(path: Path) -> int | None:
    while True:
        path.open("xb").close()
        try:
            return hold(path)
        except FileNotFoundError:  # another writer considered it abandoned
            continue


def _undo(path: Path) -> bool:
    """Undo a journal, and remove it; False if that failed, or if others must be undone first."""
    try:
        noted = _read_journal(path)
        if noted["first"] is None or noted["first"].exists():
            for file in noted["files"]:
                _undo_one(path.parent, file)
            with suppress(OSError):
                sync_folder(path.parent)
        if any(other.exists() for other in noted["others"]):
            return False
        path.unlink()
    except OSError:
        return False
    return True


def _undo_one(folder: Path, file: dict[str, Any]) -> None:
    target = folder / file["name"]
    try:
        replaced = _identity(target) == file["new"]
    except FileNotFoundError:
        return
    if not replaced:  # it was not replaced yet, or was written by another process since
        return
    if file["old"] is None:
        target.unlink()
    elif (folder / file["old"]).exists():
        os.replace(folder / file["old"], target)


def _read_journal(path: Path) -> dict[str, Any]:
    """The contents of a journal, restricted to files in its own folder; empty if it is invalid."""
    nothing: dict[str, Any] = {"first": None, "others": [], "files": []}
    try:
        noted = json.loads(path.read_bytes())
        files = [{key: file[key] for key in ("name", "new", "old")} for file in noted["files"]]
        names = [name for file in files for name in (file["name"], file["old"]) if name is not None]
        if any("\0" in name or name in (".", "..") or name != Path(name).name for name in names):
            return nothing
        first = None if noted["first"] is None else Path(noted["first"])
        return {"first": first, "others": [Path(other) for other in noted["others"]], "files": files}
    except (ValueError, KeyError, TypeError, RecursionError):  # killed before it was written: nothing was renamed
        return nothing


def _identity(path: Path) -> list[int]:
    """The identity of a file, which is unique and does not change when it is renamed."""
    found = path.lstat()
    return [found.st_ino, found.st_mtime_ns, found.st_size]


def _create_second_name(target: Path, name: Path) -> None:
    try:
        os.link(target, name)
    except OSError as error:
        if error.errno in FAILURES:
            raise
        shutil.copy2(target, name)  # the file system does not support hard links
        with name.open("rb") as file:
            os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that renames survive a power failure, if the system supports it."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows cannot open folders, and syncs renames itself
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno in FAILURES:
            raise
    finally:
        os.close(handle)


@contextmanager
def errors_about(folder: Path) -> Iterator[None]:
    """Replace the names of hidden files in errors by the folder."""
    try:
        yield
    except OSError as error:
        if error.errno is None or PREFIX not in str(error.filename):
            raise
        raise OSError(error.errno, error.strerror, str(folder.absolute())) from error


@contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """A hidden folder in ``parent``, removed at the end, or by the next writer if this process is killed.

    Parameters
    ----------
    parent : Path

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as there:
    ...     with temporary_folder(Path(there)) as folder:
    ...         print(folder.is_dir())
    ...     list(Path(there).iterdir())
    True
    []
    """
    remove_leftovers(parent)
    while True:
        path = parent / hidden_name()
        with errors_about(parent):
            path.mkdir(mode=0o700)
        try:
            handle = hold(path)
            break
        except FileNotFoundError:
            continue
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        release(handle)
