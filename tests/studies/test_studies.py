from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from click.testing import CliRunner

from likewise.cli import main
from likewise.studies import Ledger, Results, Study, plan, run
from likewise.studies.claims import read_claims
from likewise.studies.statements import value_of, with_derived
from likewise.studies.verdicts import judge, scoreboard


@pytest.fixture
def study(papers):
    return Study.read(papers / "tiny")


@pytest.fixture
def ledger(papers):
    return Ledger(papers / "tiny" / "results.csv")


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


def test_results_do_not_depend_on_the_number_of_processes(study, ledger, papers):
    alone = finished(study, ledger)
    several = Ledger(papers / "several.csv")
    assert run(plan(study, several.read()), several, jobs=2) == []
    timeless = {cell: seeds for cell, seeds in several.read().items() if "refuses" not in cell}
    assert timeless == {cell: seeds for cell, seeds in alone.items() if "refuses" not in cell}


def test_one_cell_or_the_quick_ones_only(study, ledger):
    quick = plan(study, ledger.read(), quick=True)
    assert {(task.trial, task.methods) for task in quick.tasks} == {("table1/blobs/10", ("k-means",))}
    assert len(quick.tasks) == 2
    some = plan(study, ledger.read(), cell="table1/blobs/20")
    assert {task.trial for task in some.tasks} == {"table1/blobs/20"}
    with pytest.raises(ValueError, match="no cell of tiny is called 'table9'"):
        plan(study, ledger.read(), cell="table9")


def test_a_method_that_breaks_is_told_and_the_rest_goes_on(papers, ledger):
    script = papers / "tiny" / "run.py"
    script.write_text(script.read_text(encoding="utf-8").replace("refusals=(NoAnswer,),", ""), encoding="utf-8")
    study = Study.read(papers / "tiny")
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
        ("claim = [{id = 'a', published = 1, color = 2}]", "a key that means nothing"),
        ("claim = [{id = 'a', published = 1, above = ['b']}]", "takes two names"),
        ("claim = [{id = 'a', published = 1, above = ['b', 'c'], rises = 'd'}]", "in two ways"),
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


def test_the_command_writes_results_and_the_report(papers, tmp_path):
    out = tmp_path / "out"
    arguments = ["papers", "tiny", "--folder", str(papers), "--out", str(out), "--jobs", "1"]
    answer = CliRunner().invoke(main, arguments)
    assert answer.exit_code == 0, answer.output
    report = (out / "REPORT.md").read_text(encoding="utf-8")
    assert "| table1/blobs/10/k-means | 1 | 1.000 ± 0.000 | 3 | reproduced |" in report
    assert "`likewise` is at or above the published best in **2 of 2** rows" in report
    assert not (papers / "tiny" / "results.csv").exists()
    again = CliRunner().invoke(main, arguments)
    assert "every cell asked for is there" in again.output


def test_the_command_names_what_there_is(papers):
    answer = CliRunner().invoke(main, ["papers", "nothing", "--folder", str(papers)])
    assert answer.exit_code == 2
    assert "There are: tiny." in answer.output
    answer = CliRunner().invoke(main, ["papers", "--folder", str(papers / "tiny")])
    assert answer.exit_code == 2
    assert "--folder" in answer.output
