"""A projection and a clusterer from outside the package are found everywhere, once they are registered."""

import json
import sys
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from benchmarks.scaling import axes, mathematics
from click.testing import CliRunner
from sklearn.datasets import load_iris
from sklearn.utils.validation import check_is_fitted, validate_data

import likewise
import test_estimators
from likewise import Constraints, _methods
from likewise.cli import main
from likewise.clustering import Clusterer
from likewise.forms import ridge, within_scatter
from likewise.methods import Cost, Method, Needs, Saved, all_methods, clusterer, method_named, reducer, register
from likewise.models import load, save
from likewise.pencil import Pencil
from likewise.projections import Projection

DOCS = Path(__file__).parents[1] / "docs"
X, Y = load_iris(return_X_y=True)
CONSTRAINTS = Constraints.sample(Y, "equal", 30, random_state=0)
COST = Cost("toys", "they are toys")


class ToyProjection(Projection):
    """Directions along which must-linked rows vary least."""

    _method: ClassVar[Method] = Method(
        "toy-projection", prefer="a test", paper="nobody 2000", needs=Needs.MUST_LINK, cost=COST
    )

    def _pencil(self, X, constraints):
        groups = constraints.groups()
        return Pencil(pull=within_scatter(groups) + ridge(1e-3), push=ridge(1.0))


class ToyClusterer(Clusterer):
    """Quantiles of the first column; no constraint is used."""

    _method: ClassVar[Method] = Method(
        "toy-clusterer", prefer="another test", paper="nobody 2001", uses_constraints=False, cost=COST
    )
    _saved: ClassVar[Saved] = Saved(("labels_", "cuts_", "n_features_in_"))

    def __init__(self, n_clusters=8):
        self.n_clusters = n_clusters

    def _cluster(self, X, constraints):
        self.cuts_ = np.quantile(X[:, 0], np.arange(1, self.n_clusters) / self.n_clusters)
        return np.searchsorted(self.cuts_, X[:, 0])

    def predict(self, X):
        check_is_fitted(self)
        return np.searchsorted(self.cuts_, validate_data(self, X, reset=False)[:, 0])


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(_methods, "_REGISTERED", [])
    register(ToyProjection)
    register(ToyClusterer)


@pytest.fixture
def table(tmp_path):
    """Flowers and what is known of some of them, as files."""
    lines = ["a,b,c,d,kind", *(",".join([*map(str, row), f"k{label}"]) for row, label in zip(X, Y, strict=True))]
    (tmp_path / "flowers.csv").write_text("\n".join(lines))
    CONSTRAINTS.write(tmp_path / "pairs.csv")
    return tmp_path


def run(*arguments):
    answer = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert answer.exit_code == 0, answer.output
    return answer.stdout


def test_nothing_is_left_behind(monkeypatch):
    monkeypatch.undo()
    assert not {"toy-projection", "toy-clusterer"} & {method.name for method in all_methods()}


def test_the_registry_and_what_it_builds():
    assert method_named("toy-projection").reduces
    names = [method.name for method in all_methods()]
    assert names.index("toy-projection") < names.index("lpp") < names.index("toy-clusterer")  # constraints first
    assert method_named("toy-clusterer").places_new_rows
    assert isinstance(reducer("toy-projection", X, 2), ToyProjection)
    chain = clusterer("toy-projection", X, 3, random_state=0).fit(X, constraints=CONSTRAINTS)
    assert chain.predict(X).tolist() == chain.labels_.tolist()
    assert clusterer("toy-clusterer", X, 3, random_state=0).fit(X).labels_.max() == 2


def test_likewise_methods():
    listed = {method["name"]: method for method in json.loads(run("methods", "--json"))["methods"]}
    assert listed["toy-projection"]["needs"] == "must-links"
    assert listed["toy-clusterer"]["prefer"] == "another test"
    assert "another test" in CliRunner(env={"COLUMNS": "300"}).invoke(main, ["methods"]).stdout


@pytest.mark.parametrize(("name", "hints"), [("toy-projection", True), ("toy-clusterer", False)])
def test_likewise_cluster_and_assign(table, name, hints):
    given = ["--hints", table / "pairs.csv"] if hints else []
    model = table / "m.likewise"
    run("cluster", table / "flowers.csv", "--columns", "a,b,c,d", *given, "--k", 3, "--method", name,
        "--out", table / "c.csv", "--model", model)  # fmt: skip
    run("assign", model, table / "flowers.csv", "--out", table / "d.csv")
    assert (table / "c.csv").read_text() == (table / "d.csv").read_text()


def test_likewise_reduce(table):
    run("reduce", table / "flowers.csv", "--columns", "a,b,c,d", "--hints", table / "pairs.csv", "--dims", 2,
        "--method", "toy-projection", "--out", table / "c.csv")  # fmt: skip
    assert (table / "c.csv").read_text().startswith("id,d1,d2\n")


def test_likewise_compare(table):
    names = "k-means,toy-projection,toy-clusterer"
    answer = run("compare", table / "flowers.csv", "--label", "kind", "--methods", names, "--amounts", 20,
                 "--repeats", 1, "--json")  # fmt: skip
    means = json.loads(answer)["means"]
    assert set(means) == {"20/k-means", "20/toy-projection", "20/toy-clusterer"}
    assert all(0 < value <= 1 for value in means.values())


def test_model_files(tmp_path):
    projection = ToyProjection(2).fit(X, constraints=CONSTRAINTS)
    again = load(save(tmp_path / "p.likewise", projection)).model
    assert type(again) is ToyProjection
    assert again.transform(X).tobytes() == projection.transform(X).tobytes()
    clusters = ToyClusterer(3).fit(X)
    np.testing.assert_array_equal(load(save(tmp_path / "c.likewise", clusters)).place(X), clusters.labels_)


def test_pages_of_the_documentation(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    from machinery import method_pages

    pages = method_pages.read(DOCS)
    entry = pages["method"]["toy-projection"]
    families = {family["title"]: family["methods"] for family in pages["family"]}
    assert "toy-projection" in families["Projections"]
    assert "toy-clusterer" in families["Further methods"]
    text = method_pages.page_text(entry)
    name = f"{ToyProjection.__module__}.ToyProjection"
    assert f".. autoclass:: {name}\n   :members: fit, load, save, top_features, transform" in text
    assert ":Needs: must-links" in text
    assert "ToyClusterer <toy-clusterer>" in method_pages.index_text(pages)


def test_curves_of_the_benchmarks():
    assert {"toy-projection", "toy-clusterer"} <= set(axes.methods())
    assert "toy-projection" in mathematics.families()["toys"]
    assert ("toy-clusterer", "rows") in axes.curves()
    assert ("toy-clusterer", "hints") not in axes.curves()
    assert mathematics.needed("toy-projection", "rows") == 1
    problem = axes.TINY
    rows, _ = problem.drawn()
    assert isinstance(problem.model("toy-projection", rows), ToyProjection)


def test_the_table_of_the_law_tests_misses_them():
    with pytest.raises(AssertionError, match="toy-"):
        test_estimators.test_every_method_has_a_case()


def test_names_of_the_package_are_not_changed():
    assert not hasattr(likewise, "ToyProjection")
    assert "ToyProjection" not in sys.modules["likewise.projections"].__dict__
