"""The session file: an append-only log of user actions, in SQLite."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from sys import intern
from typing import Any, overload

APPLICATION = 1818848101
VERSION = 1

SCHEMA = """
CREATE TABLE session (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE data (
    generation INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL,
    about TEXT NOT NULL CHECK (json_valid(about)), ids BLOB NOT NULL, digests BLOB
);
CREATE TABLE event (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, who TEXT NOT NULL, key TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL, body TEXT NOT NULL CHECK (json_valid(body)), of INTEGER REFERENCES event (seq),
    generation INTEGER NOT NULL REFERENCES data (generation)
);
CREATE TABLE question (
    number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, who TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)), generation INTEGER NOT NULL REFERENCES data (generation)
);
"""
TABLES = ("session", "data", "event", "question")


class SessionFileError(ValueError):
    """The file is not a session file, or was written by a later version."""


class NotKeptError(OSError):
    """Data could not be stored; the file is unchanged."""


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Convert exceptions caused by damaged rows of a session file to an error that names the file."""
    try:
        yield
    except (SessionFileError, MemoryError):
        raise
    except (sqlite3.Error, zlib.error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError,
            RecursionError) as error:  # fmt: skip
        raise SessionFileError(
            f"{path} is damaged, or was changed by another program: {str(error) or type(error).__name__}. Open a copy "
            "of it that is older."
        ) from None


@dataclass(frozen=True, slots=True)
class Event:
    """A user action, or an action of the program.

    Attributes
    ----------
    seq : int
        Number of the event, from 1.
    at : float
        Unix time in seconds.
    who : str
        The person; "" if there is only one, "*" for the program.
    key : str
        Idempotency key: an event that is sent twice is stored once.
    kind : str
    body : dict
    of : int or None
        The event that is undone or redone.
    generation : int
        The version of the data that the ids refer to.
    """

    seq: int
    at: float
    who: str
    key: str
    kind: str
    body: dict[str, Any]
    of: int | None = None
    generation: int = 1


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was shown: the ids of its rows, and the predictions at that time."""

    number: int
    at: float
    who: str
    body: dict[str, Any]
    generation: int = 1


BLOCK = 128
"""Number of events that are compressed together."""


class Events(Sequence[Event]):
    """The events of a session in memory. Older ones are compressed: they are only read by undo and the history.

    Parameters
    ----------
    events : iterable of Event
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._packed: list[bytes] = []
        self._recent: list[Event] = []
        for event in events:
            self.append(event)

    def append(self, event: Event) -> None:
        """Add an event; the last `BLOCK` events, and up to as many before them, are not compressed."""
        self._recent.append(event)
        if len(self._recent) == 2 * BLOCK:
            lines = [[getattr(each, name) for name in Event.__slots__] for each in self._recent[:BLOCK]]
            self._packed.append(zlib.compress(json.dumps(lines).encode()))
            del self._recent[:BLOCK]

    def _block(self, number: int) -> list[Event]:
        """Events `BLOCK * number` to `BLOCK * (number + 1)`, as read from the log."""
        if number >= len(self._packed):
            start = BLOCK * (number - len(self._packed))
            return self._recent[start : start + BLOCK]
        return [_event(line, _shared_body(line[5])) for line in json.loads(zlib.decompress(self._packed[number]))]

    def __len__(self) -> int:
        return BLOCK * len(self._packed) + len(self._recent)

    @overload
    def __getitem__(self, place: int) -> Event: ...
    @overload
    def __getitem__(self, place: slice) -> list[Event]: ...
    def __getitem__(self, place: int | slice) -> Event | list[Event]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        number, inside = divmod(range(len(self))[place], BLOCK)
        return self._block(number)[inside]

    def __iter__(self) -> Iterator[Event]:
        for number in range(-(-len(self) // BLOCK)):
            yield from self._block(number)

    def __reversed__(self) -> Iterator[Event]:
        for number in reversed(range(-(-len(self) // BLOCK))):
            yield from reversed(self._block(number))


class EventLog:
    """An open session file. Not thread-safe.

    Parameters
    ----------
    path : Path
    read_only : bool
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        if not read_only and not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if not path.is_file():
            raise SessionFileError(f"{path} does not exist. `likewise studio DATA --session {path}` makes it.")
        address = path.resolve().as_uri() + ("?mode=ro" if read_only else "?mode=rw")
        self._connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        try:
            self._open(read_only)
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            self._connection.close()
            raise SessionFileError(f"{path} cannot be read as a session: {error}. Name another file.") from None
        except BaseException:
            self._connection.close()
            raise

    def _open(self, read_only: bool) -> None:
        run = self._connection.execute
        run("PRAGMA busy_timeout = 5000")
        found = run("PRAGMA application_id").fetchone()[0]
        version = run("PRAGMA user_version").fetchone()[0]
        empty = run("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
        if found != APPLICATION and not (empty and not read_only):
            raise SessionFileError(f"{self.path} is a database, but no session of the studio. Name another file.")
        if version > VERSION:
            raise SessionFileError(f"{self.path} was written by a later version of likewise. Update likewise.")
        if not empty:
            self._check_tables()
        if read_only:
            return
        # network file systems may not support a write-ahead log; the default journal mode is equally safe
        run("PRAGMA journal_mode = WAL").fetchone()
        run("PRAGMA synchronous = FULL")
        run("PRAGMA foreign_keys = ON")
        if empty:
            with self._transaction():
                for statement in SCHEMA.split(";"):
                    if statement.strip():
                        run(statement)
                for table in TABLES:
                    for what, done in (("UPDATE", "changed"), ("DELETE", "removed")):
                        run(
                            f"CREATE TRIGGER {table}_no_{what.lower()} BEFORE {what} ON {table} "
                            f"BEGIN SELECT RAISE(ABORT, '{table}: lines are never {done}'); END"
                        )
                run(f"PRAGMA application_id = {APPLICATION}")
                run(f"PRAGMA user_version = {VERSION}")

    def _check_tables(self) -> None:
        """Refuse a file whose tables are not those of a session, because a view could compute forever."""
        made = {_plain(statement) for statement in SCHEMA.split(";") if statement.strip()}
        names = ", ".join(f"'{name}'" for name in TABLES)
        found = self._connection.execute(f"SELECT sql FROM sqlite_master WHERE name IN ({names})")
        if {_plain(str(sql)) for (sql,) in found} != made:
            raise SessionFileError(f"{self.path} is damaged, or was changed by another program: its tables are others.")

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Store all changes of the block in the file, or none of them."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise NotKeptError(f"{self.path}: {error}") from error
            raise

    # -- writing -----------------------------------------------------------------------------------------------------
    def append(
        self,
        kind: str,
        body: dict[str, Any],
        *,
        who: str = "*",
        key: str,
        of: int | None = None,
        generation: int = 1,
    ) -> tuple[Event, bool]:
        """Append an event; it is synced to disk when this returns.

        Returns
        -------
        (Event, bool)
            The event, and whether it is new: an event with an existing key is not added again.
        """
        found = self.with_key(key)
        if found is not None:
            return found, False
        at = time.time()
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        with self._transaction():
            seq = self._connection.execute(
                "INSERT INTO event (at, who, key, kind, body, of, generation) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (at, who, key, kind, text, of, generation),
            ).lastrowid
        assert seq is not None
        return Event(seq, at, who, key, kind, body, of, generation), True

    def ask(self, bodies: Sequence[dict[str, Any]], who: str, generation: int = 1) -> list[Asked]:
        """Store questions and assign their numbers before they are shown.

        They are not synced: they need not survive a power failure until they are answered, and the answer syncs them.
        """
        at = time.time()
        asked = []
        self._connection.execute("PRAGMA synchronous = NORMAL")
        try:
            with self._transaction():
                for body in bodies:
                    number = self._connection.execute(
                        "INSERT INTO question (at, who, body, generation) VALUES (?, ?, ?, ?)",
                        (at, who, json.dumps(body, ensure_ascii=False, separators=(",", ":")), generation),
                    ).lastrowid
                    assert number is not None
                    asked.append(Asked(number, at, who, body, generation))
        finally:
            self._connection.execute("PRAGMA synchronous = FULL")
        return asked

    def add_data(self, about: dict[str, Any], ids: Sequence[str], digests: bytes | None) -> int:
        """Store the ids and digests of new data; returns its generation."""
        packed = zlib.compress(json.dumps(list(ids), ensure_ascii=False).encode(), 1)
        with self._transaction():
            generation = self._connection.execute(
                "INSERT INTO data (at, about, ids, digests) VALUES (?, ?, ?, ?)",
                (time.time(), json.dumps(about, ensure_ascii=False), packed, digests),
            ).lastrowid
        assert generation is not None
        return generation

    def set_once(self, key: str, value: str) -> str:
        """Store a value for the whole session, unless it is set already; returns the stored value."""
        found = self.get(key)
        if found is not None:
            return found
        with self._transaction():
            self._connection.execute("INSERT INTO session (key, value) VALUES (?, ?)", (key, value))
        return value

    # -- reading -----------------------------------------------------------------------------------------------------
    def get(self, key: str) -> str | None:
        """A value of the session."""
        found = self._connection.execute("SELECT value FROM session WHERE key = ?", (key,)).fetchone()
        return None if found is None else str(found[0])

    def with_key(self, key: str) -> Event | None:
        """The event with a key, or None."""
        found = self._connection.execute(f"SELECT {EVENT} FROM event WHERE key = ?", (key,)).fetchone()
        return None if found is None else _event(found, _body(found[5]))

    def events(self, after: int = 0) -> list[Event]:
        """All events after the event with number `after`, in order."""
        return [
            _event(line, _body(line[5]))
            for line in self._connection.execute(f"SELECT {EVENT} FROM event WHERE seq > ? ORDER BY seq", (after,))
        ]

    def question(self, number: int) -> Asked | None:
        """A question by its number, or None."""
        found = self._connection.execute(
            "SELECT number, at, who, body, generation FROM question WHERE number = ?", (number,)
        ).fetchone()
        return None if found is None else _asked(found)

    def last_questions(self, who: str, n: int) -> list[Asked]:
        """The last `n` questions for a person, in order."""
        found = self._connection.execute(
            "SELECT number, at, who, body, generation FROM question WHERE who = ? ORDER BY number DESC LIMIT ?",
            (who, n),
        ).fetchall()
        return [_asked(line) for line in reversed(found)]

    def n_questions(self, who: str) -> int:
        """The number of questions that were shown to a person."""
        return int(self._connection.execute("SELECT count(*) FROM question WHERE who = ?", (who,)).fetchone()[0])

    def generations(self) -> list[tuple[int, dict[str, Any]]]:
        """All versions of the data, in order: number and description."""
        found = self._connection.execute("SELECT generation, about FROM data ORDER BY generation")
        return [(int(number), _body(about)) for number, about in found]

    def data(self, generation: int) -> tuple[list[str], bytes | None]:
        """The ids of the rows of a generation, and their digests."""
        packed, digests = self._connection.execute(
            "SELECT ids, digests FROM data WHERE generation = ?", (generation,)
        ).fetchone()
        return [str(name) for name in json.loads(_unpacked(packed))], digests

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _plain(statement: str) -> str:
    return " ".join(statement.split())


def _unpacked(packed: bytes) -> bytes:
    """Decompress data, and raise an error if it expands too much."""
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(packed, max(2**26, 200 * len(packed)))
    if not unpacking.eof:
        raise ValueError("the ids of the rows are cut, or far too large")
    return found


EVENT = "seq, at, who, key, kind, body, of, generation"


def _event(line: Sequence[Any], body: dict[str, Any]) -> Event:
    seq, at, who, key, kind, _, of, generation = line
    return Event(seq, at, _shared(who), key, _shared(kind), body, of, generation)


def _asked(line: tuple[Any, ...]) -> Asked:
    number, at, who, body, generation = line
    return Asked(number, at, who, _body(body), generation)


def _body(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(f"{text[:40]!r} is not what a line holds")
    return _shared_body(found)


def _shared_body(body: dict[str, Any]) -> dict[str, Any]:
    return {intern(name): _shared(value) for name, value in body.items()}


def _shared(value: Any) -> Any:
    """The same value with interned strings, because ids and words are repeated in many rows of the log."""
    if isinstance(value, str):
        return intern(value)
    return [_shared(each) for each in value] if isinstance(value, list) else value
