"""The command line as a process of its own: silence in a pipe, Ctrl-C, and what a terminal shows."""

import os
import pty
import signal
import subprocess
import sys

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
from likewise.files import writing

def slowly(path, columns):
    with path.open("x") as file:
        file.write("id,clus")
        file.flush()
        print("half", flush=True)
        time.sleep(60)

writing.WRITERS[".csv"] = slowly
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
from likewise.cli import main, cluster
read = cluster.read_source

def slowly(source, reading, progress):
    for step in range(40):
        progress("reading flowers", step, 40)
        time.sleep(0.05)
    return read(source, reading, progress)

cluster.read_source = slowly
main(sys.argv[1:])
"""


def test_a_terminal_shows_how_long_it_will_take(folder):
    outside, inside = pty.openpty()
    command = [sys.executable, "-c", SLOW, "cluster", folder / "flowers.csv", "--k", "3", "--method", "pck", "--out",
               folder / "c.csv"]  # fmt: skip
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
    os.close(outside)
    assert process.returncode == 0
    text = shown.decode()
    assert "reading flowers" in text
    assert "0:00:0" in text
    assert "3 clusters by pck" in text
