"""The session file: append-only, one event for each key, and nothing lost."""

import os
import sqlite3
import stat
import zlib

import pytest

from likewise.studio import Session
from likewise.studio._log import BLOCK, EventLog, Events, NotKeptError, SessionFileError


@pytest.fixture
def log(tmp_path):
    made = EventLog(tmp_path / "s.studio")
    made.add_data({"name": "d"}, ["a", "b"], None)
    yield made
    made.close()


def test_an_event_is_there_again_after_the_file_is_opened_again(log):
    event, new = log.append("named", {"name": "ä"}, who="Anna", key="key-1")
    log.close()
    again = EventLog(log.path)
    assert new
    assert again.events() == [event]
    assert again.data(1) == (["a", "b"], None)
    again.close()


def test_sent_twice_is_one_event(log):
    first, new = log.append("named", {"name": "a"}, key="key-1")
    second, again = log.append("named", {"name": "b"}, key="key-1")
    assert (new, again) == (True, False)
    assert second == first
    assert len(log.events()) == 1


@pytest.mark.parametrize("table", ["event", "question", "data", "session"])
@pytest.mark.parametrize("what", ["UPDATE {} SET {} = {}", "DELETE FROM {}"])
def test_lines_are_never_changed_nor_removed(log, table, what):
    log.append("named", {}, key="key-1")
    log.ask([{"rows": []}], "")
    log.set_once("seed", "3")
    column = {"session": "value"}.get(table, "at")
    other = sqlite3.connect(log.path)
    with pytest.raises(sqlite3.IntegrityError, match="never"):
        other.execute(what.format(table, column, column))
    other.close()


def test_a_full_disk_is_said_and_nothing_is_half_kept(log):
    pages = log._connection.execute("PRAGMA page_count").fetchone()[0]
    log._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(NotKeptError, match="full"):
        log.append("named", {"name": "x" * 200_000}, key="key-1")
    assert log.events() == []
    log._connection.execute("PRAGMA max_page_count = 100000")
    assert log.append("named", {"name": "x" * 200_000}, key="key-1")[1]


@pytest.mark.skipif(os.name == "nt", reason="modes of files are those of POSIX")
def test_only_its_owner_reads_the_file(log):
    assert stat.S_IMODE(log.path.stat().st_mode) == 0o600


def test_settings_stay_as_they_were_first(log):
    assert log.set_once("seed", "3") == "3"
    assert log.set_once("seed", "4") == "3"


def test_other_files_are_refused(tmp_path):
    text = tmp_path / "text.studio"
    text.write_text("this is no database, but long enough to be one" * 30)
    with pytest.raises(SessionFileError, match="cannot be read as a session"):
        EventLog(text)
    other = tmp_path / "other.studio"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE t (a)")
    connection.close()
    with pytest.raises(SessionFileError, match="no session of the studio"):
        EventLog(other)
    with pytest.raises(SessionFileError, match="does not exist"):
        EventLog(tmp_path / "none.studio", read_only=True)


def test_a_later_version_is_refused(log):
    log._connection.execute("PRAGMA user_version = 99")
    with pytest.raises(SessionFileError, match="later version"):
        EventLog(log.path)


def test_a_start_that_was_killed_before_the_tables_were_there_is_no_obstacle(tmp_path):
    path = tmp_path / "s.studio"
    path.touch()
    log = EventLog(path)
    assert log.events() == []
    log.close()


def test_questions_are_numbered_and_remembered(log):
    asked = log.ask([{"rows": ["a"]}, {"rows": ["b"]}], "Anna")
    assert [one.number for one in asked] == [1, 2]
    assert log.question(2).body == {"rows": ["b"]}
    assert log.question(3) is None
    assert log.last_questions("Anna", 1) == [asked[1]]
    assert log.n_questions("Ben") == 0


def test_a_session_whose_tables_were_changed_is_refused(tmp_path):
    path = tmp_path / "s.studio"
    EventLog(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE question")
        connection.execute(
            "CREATE VIEW question AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT * FROM n"
        )
    connection.close()
    with pytest.raises(SessionFileError, match="its tables are others"):
        EventLog(path, read_only=True)


@pytest.mark.parametrize("packed", [b"no", zlib.compress(b"0" * 2**27), zlib.compress(b"[1")])
def test_a_session_with_damaged_lines_is_an_error_that_names_it(tmp_path, packed):
    path = tmp_path / "s.studio"
    log = EventLog(path)
    log.add_data({"name": "t"}, ["a", "b"], None)
    log._connection.execute("DROP TRIGGER data_no_update")
    log._connection.execute("UPDATE data SET ids = ?", (packed,))
    log.close()
    with pytest.raises(SessionFileError, match=r"s\.studio is damaged"):
        Session(path)


def test_events_in_memory_are_the_events_of_the_log(log):
    held = Events()
    for number in range(3 * BLOCK + 5):
        body = {"rows": ["r1", "ü\U0001f600"], "chances": [number / 7], "n_clusters": None, "deep": {"a": [1, "b"]}}
        event, _ = log.append("answered", body, who="Anna", key=f"key-{number}", of=number or None)
        held.append(event)
        assert held[-1] == event
    events = log.events()
    assert list(held) == events
    assert list(Events(events)) == events
    assert list(reversed(held)) == events[::-1]
    assert [held[place] for place in range(len(events))] == events
    assert held[-3] == events[-3]
    assert held[BLOCK - 2 : 2 * BLOCK + 3 : 2] == events[BLOCK - 2 : 2 * BLOCK + 3 : 2]
    with pytest.raises(IndexError):
        held[len(events)]
