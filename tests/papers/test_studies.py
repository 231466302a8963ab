import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from papers.framework import Study, find_studies, plan, read_claims, run
from papers.framework.command import run_papers
from papers.framework.statements import value_of, with_derived
from papers.framework.verdicts import judge, scoreboard

from likewise.evaluation import Ledger, Results


@pytest.fixture
def study(papers):
    return Study.load(f"{papers}.tiny")


@pytest.fixture
def ledger(study):
    return Ledger(study.folder / "results.csv")


def finished(study, ledger, **options):
    failures = run(plan(study, ledger.read(), **options), ledger)
    assert failures == []
    return ledger.read()


def test_every_cell_is_filled_for_every_seed(study, ledger):
    results = finished(study, ledger)
    assert set(results["table1/blobs/10/k-means"]) == {0, 1, 2}
    assert results.mean("table1/blobs/10/k-means") == 1.0
    assert np.isnan(results.mean("table1/blobs/10/refuses"))
    assert results.mean("table2/blobs/timed/width") == 2.0


def test_a_second_run_has_nothing_to_do(study, ledger):
    results = finished(study, ledger)
    assert plan(study, results).tasks == ()


def test_a_stopped_run_goes_on_where_it_was(study, ledger):
    class Stopped(Exception):
        pass

    done = []

    def stop_after_three(task):
        done.append(task)
        if len(done) == 3:
            raise Stopped

    everything = plan(study, ledger.read())
    with pytest.raises(Stopped):
        run(everything, ledger, advance=stop_after_three)
    rest = plan(study, ledger.read())
    assert rest.tasks == everything.tasks[3:]


def test_a_line_cut_short_is_dropped(study, ledger):
    finished(study, ledger)
    text = ledger.path.read_text(encoding="utf-8")
    ledger.path.write_text(text[:-4], encoding="utf-8")
    mended = Ledger(ledger.path)
    assert mended.path.read_text(encoding="utf-8") == text[: text.rindex("\n", 0, -1) + 1]
    assert len(plan(study, mended.read()).tasks) == 1


def test_results_do_not_depend_on_the_number_of_processes(study, ledger, tmp_path):
    alone = finished(study, ledger)
    several = Ledger(tmp_path / "several.csv")
    assert run(plan(study, several.read()), several, jobs=2) == []
    timeless = {cell: seeds for cell, seeds in several.read().items() if "refuses" not in cell}
    assert timeless == {cell: seeds for cell, seeds in alone.items() if "refuses" not in cell}


KILLED = """
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import getpid

from papers.framework.running import end_with_parent

if __name__ == "__main__":
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
        print(pool.submit(getpid).result(), flush=True)
        time.sleep(60)
"""


def test_workers_end_with_a_process_that_is_killed(tmp_path):
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment) as process:
        worker = int(process.stdout.readline())
        os.kill(worker, 0)  # it is there
        process.kill()
    for _ in range(100):
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{worker}/stat").read_text().split(")")[1].split()[0] == "Z":
            return
        time.sleep(0.1)
    raise AssertionError("the worker is still running")


def test_one_cell_or_the_quick_ones_only(study, ledger):
    quick = plan(study, ledger.read(), quick=True)
    assert {(task.trial, task.methods) for task in quick.tasks} == {("table1/blobs/10", ("k-means",))}
    assert len(quick.tasks) == 2
    some = plan(study, ledger.read(), cell="table1/blobs/20")
    assert {task.trial for task in some.tasks} == {"table1/blobs/20"}
    assert plan(study, ledger.read(), cell="table1/blobs/20", quick=True).tasks == ()
    with pytest.raises(ValueError, match="no cell of tiny is called 'table9'"):
        plan(study, ledger.read(), cell="table9")


def test_a_method_that_fails_is_reported_and_the_rest_goes_on(papers, tmp_path):
    folder = Path(import_module(f"{papers}.tiny").__path__[0])
    script = folder / "run.py"
    script.write_text(script.read_text(encoding="utf-8").replace("refusals=(NoAnswer,),", ""), encoding="utf-8")
    study, ledger = Study.load(f"{papers}.tiny"), Ledger(folder / "results.csv")
    failures = run(plan(study, ledger.read()), ledger)
    assert {failure.what for failure in failures} == {"table1/blobs/10/refuses", "table1/blobs/20/refuses"}
    assert failures[0].error == "NoAnswer: cannot be done"
    assert len(ledger.read()["table1/blobs/20/k-means"]) == 3


def test_statements_are_shares():
    results = Results(
        {f"t/{n}/{m}": {0: v} for n, m, v in [(5, "a", 1), (10, "a", 2), (20, "a", 1), (5, "b", 2), (10, "b", 1)]}
    )
    claims = {"above": ["t/*/a", "t/*/b"], "rises": "t/*/a", "gain": ["t/*/a", "t/*/b"], "saving": ["t/*/a", "t/*/b"]}
    expected = {"above": 0.5, "rises": 0.5, "gain": 25.0, "saving": -25.0}
    for how, cells in claims.items():
        [claim] = read_claims_from(f"claim = [{{id = 'x', published = 1, {how} = {cells!r}}}]")
        assert value_of(claim, results) == expected[how]


def read_claims_from(text):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "claims.toml"
        path.write_text(text, encoding="utf-8")
        return read_claims(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("claim = [{id = 'a'}]", "needs an id and what was published"),
        ("claim = [{id = 'a', published = 1}, {id = 'a', published = 2}]", "states 'a' twice"),
        ("claim = [{id = 'a', published = 1, color = 2}]", "an unknown key"),
        ("claim = [{id = 'a', published = 1, above = ['b']}]", "takes two names"),
        ("claim = [{id = 'a', published = 1, above = ['b', 'c'], rises = 'd'}]", "in two ways"),
        ("[[table]]\ncells = '{row}'\nvalues = [['a', 1]]", "needs cells, columns and values"),
        ("[[table]]\ncells = '{row}'\ncolumns = ['b', 'c']\nvalues = [['a', 1]]", "1 values for 2 columns"),
        ("claim = [", "is not TOML"),
    ],
)
def test_claims_that_make_no_sense_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        read_claims_from(text)


def test_verdicts(study, ledger):
    results = with_derived(study.claims, finished(study, ledger))
    words = {claim.id: judge(claim, study.claims, results).word for claim in study.claims}
    assert words == {
        "table1/blobs/10/k-means": "reproduced",
        "table1/blobs/20/k-means": "better",
        "table1/blobs/10/refuses": "no answer",
        "table2/blobs/timed/seconds": "time",
        "table2/blobs/timed/width": "differs",
        "figure1/steady": "reproduced",
        "figure1/best": "reproduced",
    }
    rows = scoreboard(study, results)
    assert [(row.name, row.published, row.method) for row in rows] == [
        ("table1/blobs/10", 1.0, "k-means"),
        ("table1/blobs/20", 0.5, "k-means"),
    ]
    assert all(row.reached("likewise") for row in rows)


GRID = """
[[table]]
cells = "t/{row}/{column}"
columns = ["a", "b"]
values = [
  ["x", 0.5, nan],
  ["y", 0.7, 30],
]
quick = ["*/x/*"]
lower_is_better = ["*/b"]
unit = {"*/b" = "s"}
wilcoxon = ["{row}/*/{column}", "{row}/*/c"]
"""


def test_a_table_is_a_claim_for_each_cell_that_is_not_empty():
    claims = read_claims_from(GRID)
    assert [(claim.id, claim.published) for claim in claims] == [("t/x/a", 0.5), ("t/y/a", 0.7), ("t/y/b", 30.0)]
    assert [(claim.quick, claim.lower_is_better, claim.unit) for claim in claims] == [
        (True, False, ""),
        (False, False, ""),
        (False, True, "s"),
    ]
    assert claims.claims[2].cells == ("y/*/b", "y/*/c")


def test_the_command_writes_results_and_the_report(papers, tmp_path, capsys):
    out = tmp_path / "out"
    assert run_papers(papers, "tiny", out=out, jobs=1)
    report = (out / "REPORT.md").read_text(encoding="utf-8")
    assert "| table1/blobs/10/k-means | 1 | 1.000 ± 0.000 | 3 | reproduced |" in report
    assert "`likewise` is at or above the published best in **2 of 2** rows" in report
    assert not (Study.load(f"{papers}.tiny").folder / "results.csv").exists()
    capsys.readouterr()
    assert run_papers(papers, "tiny", out=out, jobs=1)
    assert "nothing to run" in capsys.readouterr().out


def test_an_unknown_study_is_refused_with_the_names_of_all(papers):
    with pytest.raises(ValueError, match=r"no study 'nothing' .* There are: tiny\."):
        find_studies(papers, "nothing")
