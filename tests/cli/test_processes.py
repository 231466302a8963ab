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


def test_a_summary_and_no_progress_in_a_pipe(folder):
    command = [*LIKEWISE, "cluster", folder / "flowers.csv", "--k", "3", "--method", "pck", "--out", folder / "c.csv"]
    answer = subprocess.run(command, capture_output=True, text=True, env=ALONE, check=False)
    assert (answer.returncode, answer.stdout) == (0, "")
    assert [line.split()[0] for line in answer.stderr.splitlines()] == ["150", "3", "0", "1", "2", "wrote"]
    assert "\x1b" not in answer.stderr
    assert (folder.path / "c.csv").exists()


EARLY = """
import sys

class Numpy:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            sys.meta_path.remove(self)
            print("<numpy>", file=sys.stderr, flush=True)

sys.meta_path.insert(0, Numpy())
from likewise.cli import main
main(sys.argv[1:])
"""
"""Says when the first of the heavy packages is imported."""


def test_there_is_a_sign_of_life_before_anything_heavy_is_imported(folder):
    shown, _ = seen_on_a_terminal("cluster", folder / "nothing.csv", code=EARLY, returns=2)
    assert "likewise is starting" in shown.partition("<numpy>")[0]
    assert shown.rstrip().splitlines()[-1].endswith("and the folder you are in.")


HALF_WRITTEN = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell makes background jobs ignore it
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
    assert errors.endswith("Interrupted. No file was changed.\n")
    assert folder.names() == before


SLOW = """
import sys, time
from likewise._progress import track
from likewise.cli import main
from likewise.clustering import PCKMeans
fit = PCKMeans.fit

def slowly(self, *given, **more):
    for _ in track(range(20)):
        time.sleep(0.2)
    return fit(self, *given, **more)

PCKMeans.fit = slowly
main(sys.argv[1:])
"""
"""PCKMeans takes four seconds longer."""


def seen_on_a_terminal(*arguments, code=SLOW, returns=0):
    """What goes to standard error where that is a terminal; standard output is a pipe."""
    outside, inside = pty.openpty()
    command = [sys.executable, "-c", code, *arguments]
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
    assert process.returncode == returns
    return shown.decode(), answer


def test_a_terminal_shows_progress_and_a_summary(folder):
    shown, answer = seen_on_a_terminal("cluster", folder / "flowers.csv", "--k", "3", "--method", "pck")
    assert "clustering by pck" in shown
    assert re.search(r"[0-9]+ of 20  0:[0-9][0-9], about 0:[0-9][0-9] left", shown)
    assert "3 clusters by pck" in shown
    assert answer.startswith("id,cluster\n")
    assert len(answer.splitlines()) == 151


@pytest.mark.parametrize("silence", ["--quiet", "--json"])
def test_silence_on_a_terminal(folder, silence):
    shown, answer = seen_on_a_terminal("cluster", folder / "flowers.csv", "--k", "3", "--method", "pck", silence)
    assert shown == ""
    assert answer


def test_comparing_shows_progress(folder):
    classed = [f"{line},{'kind' if row == 0 else kind_of(row)}" for row, line in enumerate(folder.lines)]
    folder.write("classed.csv", "\n".join(classed))
    shown, answer = seen_on_a_terminal("compare", folder / "classed.csv", "--label", "kind", "--methods", "k-means,pck",
                                       "--repeats", "1", "--amounts", "10")  # fmt: skip
    assert "comparing methods" in shown
    assert "1 of 2" in shown
    assert "pck" in answer


def kind_of(row):
    return "abc"[(row - 1) // 50]
