"""Hidden files of writers: locked while their writer lives, and cleared away by the next one if it was killed.

Three kinds lie in the folder of a file that is being written, each beginning with ``.likewise-``:

- ``*.tmp``: a file that is not complete yet, or a folder of temporary files.
- ``*.old``: a second name of a file that is being replaced together with others.
- ``*.undo``: which files take their names together. While it is there they have not all taken them, and whoever finds
  it without its writer gives the old files their names back.
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
"""Errors of a disk; others say that a file system cannot do what was asked."""

OLD_S = 86_400.0
"""Where files cannot be locked, those that were not touched for this long have no writer any more."""


def hidden_name(suffix: str = ".tmp") -> str:
    """A name that no other file has, short, as names have an end."""
    return f"{PREFIX}{uuid4().hex[:16]}{suffix}"


def hold(path: Path) -> int | None:
    """Lock a hidden file or folder that was just made, until the handle is closed or the process ends.

    Returns
    -------
    int or None
        The handle; None where there are no locks.

    Raises
    ------
    FileNotFoundError
        If another writer has cleared the file away before it was locked; make another.
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
    """Lock an open file as soon as no other process has; a file system without locks is taken as it is."""
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)


def release(handle: int | None) -> None:
    """Close a handle of :func:`hold`."""
    if handle is not None:
        os.close(handle)


@contextmanager
def _abandoned(path: Path) -> Iterator[bool]:
    """Whether the writer of a hidden file or folder has ended without removing it; if so, it is locked meanwhile."""
    handle = None
    try:
        if fcntl is None:
            abandoned = time.time() - path.lstat().st_mtime > OLD_S
        else:
            handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            abandoned = _taken(handle)
    except OSError:  # gone, or not ours
        abandoned = False
    try:
        yield abandoned
    finally:
        release(handle)


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return time.time() - os.fstat(handle).st_mtime > OLD_S
    return True


def remove_leftovers(folder: Path) -> None:
    """Clear away what writers that were killed have left in a folder.

    What cannot be removed stays: it is in nobody's way.
    """
    with suppress(OSError):
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.startswith(PREFIX))
        for name in names:
            if name.endswith(".undo"):
                with _abandoned(folder / name) as abandoned:
                    if abandoned:
                        _undone(folder / name)
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
    """A complete temporary file, and the name that it is to take."""

    temporary: Path
    target: Path


class SecondName:
    """A second name of a file that is about to be replaced, where the file system has such names.

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
        """Have the file again as it was, as far as that is possible."""
        with suppress(OSError):
            if _identity(self._target) != self._new:
                return
            if not self._was_there:
                self._target.unlink()
            elif self._old is not None:
                os.replace(self._old, self._target)

    def remove(self) -> None:
        """Give the name up."""
        if self._old is not None:
            _remove(self._old)


class Journal:
    """What lets several files take their names together: the next writer can undo them if this one is killed.

    Each folder has a journal of its own files, which names no file elsewhere. The first one decides: while it is there
    nothing is settled, and the others are to be undone; its removal makes all files new at once.

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
        """Note all files, and keep second names of those that will be replaced."""
        for path in self._paths:
            self._handles.append(_create_and_hold(path))
        for one, old in zip(self._renamings, self._old, strict=True):
            if one.target.exists():
                _give_second_name(one.target, old)
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
        """Settle: all files are new."""
        for folder in self._folders:
            sync_folder(folder)
        self._paths[0].unlink()
        for path in (*self._paths[1:], *self._old):
            _remove(path)
        self._release()
        for folder in self._folders:
            sync_folder(folder)

    def undo(self) -> bool:
        """Give the old files their names back; False if that must be left to the next writer."""
        undone = [_undone(path) for path in reversed(self._paths)]
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
        except FileNotFoundError:  # another writer took it for abandoned
            continue


def _undone(path: Path) -> bool:
    """Undo what a journal notes, and remove it; False if that did not work, or others must be undone before."""
    try:
        noted = _noted(path)
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
    if not replaced:  # it had not come to that, or somebody has written it since
        return
    if file["old"] is None:
        target.unlink()
    elif (folder / file["old"]).exists():
        os.replace(folder / file["old"], target)


def _noted(path: Path) -> dict[str, Any]:
    """What a journal says, as far as it is one: of files in its own folder alone."""
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
    """What a file keeps when it is renamed, and no other file has."""
    found = path.lstat()
    return [found.st_ino, found.st_mtime_ns, found.st_size]


def _give_second_name(target: Path, name: Path) -> None:
    try:
        os.link(target, name)
    except OSError as error:
        if error.errno in FAILURES:
            raise
        shutil.copy2(target, name)  # not every file system has links
        with name.open("rb") as file:
            os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make names last through a power cut, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows opens no folders, and keeps names by itself
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
    """Have errors about hidden files in a folder name the folder."""
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
