"""``likewise.compare``, and methods in files of one's own: ``--with mine.py:Class``."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import BaseEstimator
from sklearn.cluster import BisectingKMeans
from sklearn.datasets import load_iris

import likewise
from likewise import RCA, PCKMeans, _methods
from likewise._methods import comparable_methods, facts_of
from likewise._outside import load_method
from likewise.cli import main

X, Y = load_iris(return_X_y=True)
GUIDE = Path(__file__).parents[1] / "docs" / "add-a-paper.md"


@pytest.fixture(autouse=True)
def registry(monkeypatch):
    monkeypatch.setattr(_methods, "_REGISTERED", [])


@pytest.fixture
def mine(tmp_path):
    """The class of docs/add-a-paper.md as a file, and a plain one without metadata."""
    code = re.search(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)[1]
    path = tmp_path / "mine.py"
    path.write_text(
        code
        + """

class EveryThird:
    def __init__(self, n_clusters=3):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = [row % self.n_clusters for row in range(X.shape[0])]
        return self


number = 3
""",
        encoding="utf-8",
    )
    return path


def test_names_classes_estimators_and_functions_are_methods():
    methods = {
        "by name": "k-means",
        "a class": PCKMeans,
        "an estimator": PCKMeans(99, tol=1e-3),
        "a projection": RCA(2),
        "of scikit-learn": BisectingKMeans,
        "a function": lambda case, seed: case.y,
    }
    found = likewise.compare(X, Y, methods, [40], repeats=2, verbose=False)
    assert found.methods == tuple(methods)
    assert found.best(40) == "a function"
    assert found.failures == {}
    assert found.results.mean("40/a class") > 0.6
    assert found.ranked().methods[0] == "a function"
    lines = str(found).splitlines()
    assert lines[0].split() == ["nmi", "40", "hints"]
    assert "a function       1.000 ± 0.000 *" in lines
    assert "<td><b>1.000 ± 0.000</b></td>" in found._repr_html_()


def test_a_list_names_methods_after_themselves():
    found = likewise.compare(X, Y, ["k-means", BisectingKMeans, RCA()], [30], repeats=1, score="ari", verbose=False)
    assert found.methods == ("k-means", "bisecting-k-means", "rca")
    frame = found.to_frame(backend="pandas")
    assert list(frame.columns) == ["method", "hints", "seed", "ari"]
    assert len(frame) == 3
    with pytest.raises(ValueError, match="two methods are called 'pck'"):
        likewise.compare(X, Y, [PCKMeans(), PCKMeans(tol=0.1)], [30])


def test_a_frame_is_prepared_as_everywhere():
    frame = pd.DataFrame(X).rename(columns=str).assign(town=np.where(Y == 0, "Rome", "Oslo"))
    found = likewise.compare(frame, Y, "k-means", [20], repeats=1, verbose=False)
    assert found.results.mean("20/k-means") > 0.6


def test_a_method_that_fails_is_told():
    found = likewise.compare(X, Y, {"costco": "costco", "k-means": "k-means"}, [0], repeats=1, verbose=False)
    assert "costco had no answer at least once: " in str(found)
    assert found.ranked().methods == ("k-means", "costco")
    assert "—" in str(found)
    assert "costco had no answer" in found._repr_html_()


@pytest.mark.parametrize(
    ("methods", "error", "message"),
    [
        ("kmeans", ValueError, "Did you mean 'k-means'?"),
        ({"three": 3}, TypeError, "3 is no method"),
        ({"no k": type("NoK", (BaseEstimator,), {"fit": lambda self, X: self})}, None, "has no parameter n_clusters"),
    ],
)
def test_what_is_no_method(methods, error, message):
    if error is None:
        found = likewise.compare(X, Y, methods, [20], repeats=1, verbose=False)
        assert message in found.failures["no k"]
        return
    with pytest.raises(error, match=message):
        likewise.compare(X, Y, methods, [20])


def test_all_methods_are_those_that_need_rows_alone():
    names = {method.name for method in comparable_methods()}
    assert {"likewise", "pck", "rl-nc", "rca", "k-means"} <= names


def run(*arguments):
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, [str(argument) for argument in arguments])


def test_a_class_of_ones_own_on_the_command_line(mine):
    answer = run("compare", "iris", "--methods", "k-means", "--with", f"{mine}:FarAndNear", "--with",
                 f"{mine}:EveryThird", "--amounts", "30", "--repeats", 1, "--json")  # fmt: skip
    assert answer.exit_code == 0, answer.output
    means = json.loads(answer.stdout)["means"]
    assert set(means) == {"30/k-means", "30/far-and-near", "30/every-third"}
    assert means["30/far-and-near"] > 0.5 > means["30/every-third"]
    assert [method.name for method in comparable_methods()].count("far-and-near") == 1


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("{mine}", "names a file and no class. Write FILE.py:CLASS"),
        ("{mine}:FarAndNea", "has no class 'FarAndNea'. Did you mean 'FarAndNear'?"),
        ("{mine}:number", "number of"),
        ("{mine}x:Mine", "does not exist"),
    ],
)
def test_addresses_that_are_wrong(mine, address, message):
    answer = run("compare", "iris", "--with", address.format(mine=mine))
    assert answer.exit_code != 0
    assert message in " ".join(answer.output.split())


def test_a_file_that_cannot_be_run_is_named(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text("import nothing_like_this\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"broken\.py could not be run: ModuleNotFoundError: No module named"):
        load_method(f"{path}:Mine")


def test_facts_come_from_the_class_where_it_says_nothing():
    assert facts_of(PCKMeans).name == "pck"
    assert facts_of(BisectingKMeans).name == "bisecting-k-means"
    assert not facts_of(BisectingKMeans).uses_constraints
