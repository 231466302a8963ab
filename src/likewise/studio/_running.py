"""Running a studio: the lock of its session, the links in the terminal, and shutdown."""

from __future__ import annotations

import json
import os
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..tables._cells import whole_number_of
from ._gate import Gate
from ._studio import Studio


@contextmanager
def locked(path: Path) -> Iterator[Callable[[str], None]]:
    """Lock a session; yields a function that records the address. Raises an error if another process has the lock."""
    lock = path.with_name(path.name + ".lock")
    handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _take(handle):
            held = _read(lock)
            where = f" at {held['address']}" if held.get("address") else ""
            raise ValueError(
                f"{path} is open already{where} (process {held.get('pid', 'unknown')}). Go on there, or close it; "
                "--session names another file."
            )

        def note(address: str) -> None:
            os.ftruncate(handle, 0)
            os.lseek(handle, 0, os.SEEK_SET)
            os.write(handle, json.dumps({"pid": os.getpid(), "address": address}).encode())

        yield note
    finally:
        os.close(handle)


def last_port(path: Path) -> int | None:
    """The port of the last start, so that pages that are still open can reconnect."""
    address = str(_read(path.with_name(path.name + ".lock")).get("address", ""))
    port = address.rstrip("/").rpartition(":")[2]
    number = whole_number_of(port)
    return number if number is not None and number < 2**16 else None


def _take(handle: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(handle, 2**20, os.SEEK_SET)  # beyond the bytes that other processes read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _read(lock: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        held = json.loads(lock.read_text(encoding="utf-8"))
        if isinstance(held, dict):
            return held
    return {}


def run(studio: Studio, *, port: int | None, preferred: int | None, browser: bool, note: Callable[[str], None]) -> None:
    """Serve a studio until Ctrl-C."""
    from ._serve import Application, Server, bind

    held = bind(port, preferred)
    gate = Gate(held.getsockname()[1])
    note(gate.address)
    server = Server(Application(studio, gate))
    studio.start()
    links = _say_links(studio, gate)
    if browser:
        webbrowser.open(links[0])
    if sys.stdin is not None and sys.stdin.isatty():
        threading.Thread(target=_say_again, args=(studio, gate), daemon=True).start()
    try:
        with suppress(KeyboardInterrupt):
            server.run(sockets=[held])
    finally:
        studio.close()
        held.close()


def _say_links(studio: Studio, gate: Gate) -> list[str]:
    links = []
    for who in studio.people or [""]:
        links.append(gate.link(who))
        print(f"open {links[-1]}" + (f"  ({who})" if who else ""), flush=True)
    return links


def _say_again(studio: Studio, gate: Gate) -> None:
    """Print a new link whenever the user presses Enter."""
    for _ in sys.stdin:
        _say_links(studio, gate)
