"""Files that fail: two scenarios at every third operation; ``make faults`` tries all of them, everywhere."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from layer import why_not
from run import wrong_order

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "files can fail")


@pytest.fixture(scope="module")
def tried():
    """What was found, by the name of the scenario."""
    program = Path(__file__).with_name("run.py")
    options = ["--kinds", "dies,broken once", "--every", "3", "--json"]
    command = [sys.executable, program, "apart", "session", "in-place", *options]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert answer.returncode == 1, answer.stderr
    return {found["name"]: found for found in map(json.loads, answer.stdout.splitlines())}


@pytest.mark.parametrize("name", ["apart", "session"])
def test_whatever_fails_files_are_old_or_new(tried, name):
    assert tried[name]["failed"] == []
    assert tried[name]["tried"] > 20


def test_a_writer_that_writes_in_place_is_noticed(tried):
    """Trials that cannot fail show nothing."""
    assert any("neither old" in line for line in tried["in-place"]["failed"])


def test_files_that_a_power_cut_would_lose_are_noticed():
    right = ["write /t", "sync /t", "rename /a of /t", "sync ", "unlink /j.undo"]
    assert wrong_order(right) == []
    assert wrong_order(["write /t", "rename /a of /t", "sync "]) == ["rename /a of /t: not synced before"]
    assert wrong_order(["sync /t", "write /t", *right[2:]]) == ["rename /a of /t: not synced before"]
    assert wrong_order(right[:3]) == ["rename /a of /t: the name is not synced"]
    assert wrong_order([*right[:3], right[4], right[3]]) == ["unlink /j.undo: before the names were synced"]
