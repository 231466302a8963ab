"""The command line as a process of its own: silence in a pipe, Ctrl-C, and what a terminal shows."""

import os
import pty
import re
import signal
import subprocess
import sys

import pytest

LIKEWISE = [sys.executable, "-c", "from likewise.cli import main; main()"]
ALONE = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def test_silence_in_a_pipe(folder):
    command = [*LIKEWISE, "cluster", folder / "flowers.csv", "--k", "3", "--method", "pck", "--out", folder / "c.csv"]
    answer = subprocess.run(command, capture_output=True, text=True, env=ALONE, check=False)
    assert (answer.returncode, answer.stdout, answer.stderr) == (0, "", "")
    assert (folder.path / "c.csv").exists()


HALF_WRITTEN = """
import sys, time
from likewise.cli import main
from likewise._atomic import atomic_write_text
from likewise.tables._writing import WRITERS

def slowly(path, columns):
    with atomic_write_text(path) as file:
        file.write("id,clus")
        file.flush()
        print("half", flush=True)
        time.sleep(60)

WRITERS[".csv"] = slowly
main(sys.argv[1:])
"""


def test_ctrl_c_leaves_no_half_written_file(folder):
    before = folder.names()
    command = [sys.executable, "-c", HALF_WRITTEN, "cluster", folder / "flowers.csv", "--k", "3", "--method", "pck",
               "--out", folder / "c.csv"]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ALONE) as process:
        assert process.stdout.readline() == "half\n"
        assert len(folder.names()) == len(before) + 1
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == "Stopped. Nothing more was written.\n"
    assert folder.names() == before


SLOW = """
import sys, time
from likewise.cli import main
from likewise._progress_legacy import Fall
told = Fall.tell

def slowly(self, value):
    time.sleep(0.1)
    told(self, value)

Fall.tell = slowly
main(sys.argv[1:])
"""
"""Every step of k-means takes a tenth of a second."""


SLOW_CALL = """
import sys, time
from likewise import foresight
from likewise.cli import main
from likewise.pencil import dense
solved = dense._largest

def slowly(numerator, root, count):
    time.sleep(0.04 * len(numerator) ** 3)
    return solved(numerator, root, count)

dense._largest, foresight.LEAST = slowly, 1
main(sys.argv[1:])
"""
"""One call takes two and a half seconds for four columns, and one 64th of it for the sample."""


def seen_on_a_terminal(*arguments, program=SLOW):
    """What goes to standard error where that is a terminal; standard output is a pipe."""
    outside, inside = pty.openpty()
    command = [sys.executable, "-c", program, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=inside, env={**ALONE, "TERM": "xterm"}) as process:
        os.close(inside)
        shown = b""
        while True:
            try:
                piece = os.read(outside, 4096)
            except OSError:  # the other end is gone
                break
            if not piece:
                break
            shown += piece
        answer = process.stdout.read().decode()
    os.close(outside)
    assert process.returncode == 0
    return shown.decode(), answer


@pytest.mark.parametrize("method", ["pck", "project"])
def test_a_terminal_shows_how_long_a_method_will_take(folder, method):
    shown, answer = seen_on_a_terminal("cluster", folder / "flowers.csv", "--k", "3", "--method", method)
    assert f"clustering by {method}" in shown
    assert re.search(r"[0-9]+%  0:[0-9][0-9] left", shown)
    assert f"3 clusters by {method}" in shown
    assert answer.startswith("id,cluster\n")
    assert len(answer.splitlines()) == 151


def test_a_terminal_shows_how_long_a_single_call_will_take(folder):
    shown, answer = seen_on_a_terminal("reduce", folder / "flowers.csv", "--method", "ssdr", program=SLOW_CALL)
    assert len(set(re.findall(r"([0-9]+%)  0:0[0-9] left", shown))) > 3
    assert len(answer.splitlines()) == 151


@pytest.mark.parametrize("silence", ["--quiet", "--json"])
def test_silence_on_a_terminal(folder, silence):
    shown, answer = seen_on_a_terminal("cluster", folder / "flowers.csv", "--k", "3", "--method", "pck", silence)
    assert shown == ""
    assert answer


def test_comparing_shows_it_too(folder):
    classed = [f"{line},{'kind' if row == 0 else kind_of(row)}" for row, line in enumerate(folder.lines)]
    folder.write("classed.csv", "\n".join(classed))
    shown, answer = seen_on_a_terminal("compare", folder / "classed.csv", "--label", "kind", "--methods", "pck,mpck",
                                       "--repeats", "1", "--amounts", "10")  # fmt: skip
    assert "mpck, 10 hints" in shown
    assert re.search(r"50%  0:[0-9][0-9] left", shown)
    assert "mpck" in answer


def kind_of(row):
    return "abc"[(row - 1) // 50]
