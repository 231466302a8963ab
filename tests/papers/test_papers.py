"""The papers of this repository: their claims and trials fit together, and some cells are measured again."""

import warnings

import numpy as np
import pytest
from papers.framework import Study, find_studies
from papers.framework.statements import with_derived
from papers.framework.verdicts import judge, scoreboard

from cases.real import FOLDER
from likewise.datasets import DatasetNotFoundError
from likewise.evaluation import Ledger
from likewise.evaluation.protocols import run_trial

MEASURED_AGAIN = [
    ("gcdr", "table1/iris", ("k-means", "gcdr")),
    ("gcdr", "figure3", ("1", "10")),
    ("dsp", "table4/iris/none", ("pca", "lpp")),
    ("thesis", "table5.1/cora", None),
]


@pytest.fixture(scope="module", params=find_studies("papers"))
def study(request):
    return Study.load(request.param)


def known_cells(study):
    return {cell for trial in study.trials.values() for method in trial.methods for cell in trial.cells(method)}


def named_by_methods(study):
    """Beginnings of cells whose last part the method itself names."""
    return {
        f"{trial.name}/{method}/" for trial in study.trials.values() for method in trial.methods if not trial.scores
    }


def is_measured(cell, cells, beginnings):
    return cell in cells or any(cell.startswith(beginning) for beginning in beginnings)


def test_every_claim_is_measured_derived_or_said_to_be_absent(study):
    cells, beginnings = known_cells(study), named_by_methods(study)
    orphans = [
        claim.id
        for claim in study.claims
        if not (claim.how or claim.absent or is_measured(claim.id, cells, beginnings))
    ]
    assert orphans == []


def test_results_belong_to_trials_and_every_claim_has_some(study):
    path = study.folder / "results.csv"
    results = Ledger(path).read()
    cells, beginnings = known_cells(study), named_by_methods(study)
    assert [cell for cell in results if not is_measured(cell, cells, beginnings)] == []
    missing = [claim.id for claim in study.claims if not (claim.how or claim.absent) and claim.id not in results]
    assert missing == []
    unmatched = [
        (claim.id, pattern) for claim in study.claims for pattern in claim.cells if not results.matching(pattern)
    ]
    assert unmatched == []


def test_some_cells_are_quick(study):
    assert study.quick_cells()


@pytest.mark.parametrize(("name", "trial", "methods"), MEASURED_AGAIN)
def test_measuring_again_gives_what_is_written(name, trial, methods, monkeypatch):
    monkeypatch.setenv("LIKEWISE_DATA", str(FOLDER))
    study = Study.load(f"papers.{name}")
    written = Ledger(study.folder / "results.csv").read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            values = run_trial(study.trials[trial], 0, methods)
        except DatasetNotFoundError as error:
            pytest.skip(str(error))
    assert values
    for cell, value in values.items():
        np.testing.assert_allclose(value, written[cell][0], rtol=1e-3, atol=2e-3, err_msg=cell)


def test_every_difference_has_its_reason(study):
    results = with_derived(study.claims, Ledger(study.folder / "results.csv").read())
    verdicts = {claim.id: judge(claim, study.claims, results) for claim in study.claims}
    unexplained = [name for name, verdict in verdicts.items() if verdict.word == "differs" and not verdict.why]
    assert unexplained == []


def test_every_row_we_do_not_reach_has_its_obstacle(study):
    rows = scoreboard(study, Ledger(study.folder / "results.csv").read())
    assert [row.name for row in rows if not row.reached("likewise") and not row.obstacle] == []
