"""The suite of benchmarks: every row still runs, and what is said of times, bars and memory is what was measured."""

import operator
import os
import subprocess
import sys
import time
from pathlib import Path

import benchmarks.__main__ as command
import numpy as np
import pytest
from benchmarks.accuracy.peers import PYTHON
from benchmarks.apart import _answer, run_apart
from benchmarks.data import NEWS, PENDIGITS, news, pendigits, real, texts
from benchmarks.harness import ROWS, Bar, Contest, Skipped, Verdict, row
from benchmarks.measuring import measured, peak_gib, repeats_for
from click.testing import CliRunner

from benchmarks import harness, measuring, profiling, writing
from likewise.cli import bench

HOME = Path(__file__).parents[2]
FILES = [HOME / "benchmarks" / name for name in ("RESULTS.md", "PROFILES.md", "SCALING.md", "scaling.csv")]


def contents():
    return [file.read_bytes() if file.exists() else None for file in FILES]


@pytest.mark.parametrize("words", [["--quick"], ["scaling", "--quick"]], ids=["rows", "curves"])
def test_everything_still_runs_and_a_quick_run_keeps_nothing(words):
    before = contents()
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment.pop("LIKEWISE_DATA", None)
    command = [sys.executable, "-m", "benchmarks", *words]
    answer = subprocess.run(command, cwd=HOME, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    skipped = {line.split(":")[0] for line in answer.stderr.splitlines() if ": skipped: " in line}
    allowed = set() if PYTHON.exists() else {"cop", "pck", "mpck", "xing"}
    allowed |= {name for name in skipped if name.endswith("-before")}  # a checkout may lack the history
    assert skipped <= allowed
    assert contents() == before


def test_a_profile_names_what_takes_the_time(monkeypatch):
    monkeypatch.setattr(harness, "ROWS", dict(ROWS))

    @row("sorting", "sorting {n:,} numbers", "nobody", n=400_000)
    def sorting(n=1) -> Contest:
        numbers = np.random.default_rng(0).random(n).tolist()
        return Contest(lambda: sorted(numbers), lambda: None)

    monkeypatch.setattr(profiling, "ROWS", harness.ROWS)
    found = profiling.profiled("sorting", quick=True)
    share, label = found["shares"][0]
    assert (share > 0.5, label) == (True, "builtins.sorted")
    words = profiling.line(harness.ROWS["sorting"], found)
    assert words[0] == "sorting 1 numbers"
    assert words[2].startswith(f"`builtins.sorted` {share:.0%}")


def test_profiles_are_kept_beside_others(tmp_path):
    path, first, second = tmp_path / "PROFILES.md", *list(ROWS.values())[:2]
    for each, seconds in ((first, 1.0), (second, 2.0), (first, 3.0)):
        line = profiling.line(each, {"seconds": seconds, "shares": [(0.25, "a.b")]})
        writing.write([line], path, profiling.COLUMNS, profiling.INTRODUCTION)
    kept = writing.read(path.read_text(), profiling.COLUMNS)
    assert [kept[each.work][1][1:] for each in (first, second)] == [["3", "`a.b` 25%"], ["2", "`a.b` 25%"]]


@pytest.fixture
def log(monkeypatch):
    """A row that writes down what it does."""
    monkeypatch.setattr(harness, "ROWS", dict(ROWS))
    monkeypatch.setattr(measuring, "repeats_for", lambda seconds: 5)
    done = []

    @row("two", "{n:,} things of {size}", "nobody with {n}", Bar(faster=2, also="right"), n=3)
    def two(n=5000, size="ours") -> Contest:
        done.append(n)
        clock = {"ours": lambda seconds, found: 1.0, "theirs": lambda seconds, found: float(done.count("theirs"))}
        return Contest(
            lambda: done.append("ours"),
            lambda: done.append("theirs") or np.ones(60_000_000),
            lambda ours, theirs: Verdict("fine", len(theirs) > 0),
            clock["ours"],
            clock["theirs"],
        )

    monkeypatch.setitem(ROWS, "two", harness.ROWS["two"])
    return done


def test_works_take_turns_and_the_median_counts(log):
    result = measured("two")
    assert log == [5000, *["ours", "theirs"] * 5]
    assert result["ours"] == [1.0] * 5
    assert result["theirs"] == [1, 2, 3, 4, 5]
    assert result["met"] is True
    assert result["detail"] == "fine"


def test_our_peak_is_not_the_opponents(log):
    ours = measured("two", quick=True)["peak_gib"]
    assert 0 < ours < peak_gib() - 0.3


def test_a_quick_row_is_tiny_and_runs_once(log):
    measured("two", quick=True)
    assert log == [3, "ours", "theirs"]


def test_the_words_of_a_row_hold_its_real_sizes(log):
    assert ROWS["two"].work == "5,000 things of ours"
    assert ROWS["two"].opponent == "nobody with 5000"


def test_two_rows_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two benchmarks called 'cop'"):
        row("cop", "", "")(lambda: None)


def test_no_two_rows_say_the_same():
    assert len({one.work for one in ROWS.values()}) == len(ROWS)


@pytest.mark.parametrize(
    ("bar", "words", "ours", "theirs", "peak", "also", "met"),
    [
        (Bar(faster=10), "≥ 10×", 1.0, 10.0, 9.0, True, True),
        (Bar(faster=10), "≥ 10×", 1.0, 9.9, 9.0, True, False),
        (Bar(slower=1.5), "≤ 1.5× its time", 1.5, 1.0, 9.0, True, True),
        (Bar(slower=1.5), "≤ 1.5× its time", 1.6, 1.0, 9.0, True, False),
        (Bar(seconds=180, gib=6), "< 180 s, < 6 GiB", 179.0, 1.0, 5.9, True, True),
        (Bar(seconds=180, gib=6), "< 180 s, < 6 GiB", 179.0, 1.0, 6.0, True, False),
        (Bar(seconds=180, gib=6), "< 180 s, < 6 GiB", 180.0, 1.0, 5.9, True, False),
        (Bar(faster=1, also="Rand no lower"), "≥ 1×, Rand no lower", 1.0, 1.0, 9.0, False, False),
        (Bar(), "", 1.0, 1.0, 9.0, True, None),
    ],
)
def test_a_bar_says_and_judges_the_same(bar, words, ours, theirs, peak, also, met):
    assert str(bar) == words
    assert bar.met(ours, theirs, peak, also) is met


def test_short_work_is_repeated():
    assert [repeats_for(seconds) for seconds in (0.1, 5.0, 20.0)] == [7, 3, 1]


def test_a_process_apart_gives_what_its_work_gave():
    assert run_apart(operator.add, 2, 3).value == 5
    assert run_apart(os.getpid).value != os.getpid()


def test_a_process_apart_is_ended_at_its_limits():
    start = time.monotonic()
    late = run_apart(time.sleep, 60, limit_s=0.3)
    assert (late.ended, late.why) == ("time", "it takes more than 0.3 s")
    assert time.monotonic() - start < 30
    large = run_apart(operator.mul, b"x", 3 * 10**9, limit_gib=0.6)
    assert (large.ended, large.why) == ("memory", "it needs more than 0.6 GiB")


def test_a_process_apart_that_fails_says_how():
    failed = run_apart(operator.truediv, 1, 0)
    assert (failed.ended, failed.why) == ("error", "ZeroDivisionError: division by zero")
    assert run_apart(os._exit, 3).why == "its process ended with exit code 3"


def test_a_row_that_cannot_run_here_is_skipped_with_its_reason():
    sent = []

    class Sender:
        send = staticmethod(sent.append)

    def work():
        raise Skipped("no data")

    _answer(Sender, work, ())
    assert (sent[0].ended, sent[0].why) == ("skipped", "no data")


def test_data_that_is_not_there_is_told(monkeypatch, tmp_path):
    monkeypatch.delenv("LIKEWISE_DATA", raising=False)
    with pytest.raises(Skipped, match=r"pendigits\.npz is looked for in LIKEWISE_DATA, which is not set"):
        pendigits(PENDIGITS)
    monkeypatch.setenv("LIKEWISE_DATA", str(tmp_path))
    with pytest.raises(Skipped, match=r"newsgroups\.jsonl\.gz is not in LIKEWISE_DATA="):
        news(NEWS)
    with pytest.raises(Skipped):
        real("newsgroups")


def test_made_texts_are_words():
    documents, topics = texts(5, 300)
    assert len(documents) == len(topics) == 5
    assert all(word.isalpha() for text in documents for word in text.split())


def line_of(name, value):
    result = {"ours": [value], "theirs": [2.0, 4.0, 3.0], "peak_gib": 0.5, "met": True, "detail": "so"}
    return writing.cells(ROWS[name], result)


def test_results_stay_under_the_machine_they_were_measured_on(tmp_path, monkeypatch):
    path = tmp_path / "RESULTS.md"
    monkeypatch.setattr(writing, "machine", lambda: "old")
    writing.write([line_of("cop", 1.0), line_of("pck", 1.0)], path)
    monkeypatch.setattr(writing, "machine", lambda: "new")
    writing.write([line_of("pck", 0.5)], path)
    found = writing.read(path.read_text(encoding="utf-8"))
    assert {where: line[2:5] for where, line in found.values()} == {
        "old": ["1 s (1 run)", "3 s (2–4, 3 runs)", "3×"],
        "new": ["0.5 s (1 run)", "3 s (2–4, 3 runs)", "6×"],
    }


def test_wrong_use_is_told():
    run = CliRunner().invoke
    assert "no benchmark called 'copp'" in run(command.rows, ["copp"]).output
    assert "--jobs goes with --quick only" in run(command.rows, ["--jobs", "2"]).output
    listed = run(command.rows, ["--list"])
    assert listed.exit_code == 0
    assert [line.split(":")[0] for line in listed.output.splitlines()] == list(ROWS)


def test_outside_the_checkout_it_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert bench.main() == 2
    assert "clone it, run make setup there" in capsys.readouterr().err


def test_inside_the_checkout_words_are_passed_on(monkeypatch):
    monkeypatch.chdir(HOME / "src" / "likewise")
    monkeypatch.setattr(sys, "argv", ["likewise-bench", "scaling", "--quick"])
    asked = []
    monkeypatch.setattr(os, "execve", lambda program, words, env: asked.append((words[1:], env["PYTHONPATH"])))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    bench.main()
    assert asked == [(["-P", "-m", "benchmarks", "scaling", "--quick"], str(HOME))]
