"""Static pictures: what they show, and that they become files."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from likewise import SSDR, Constraints, Costco, SubspaceMetricEnsemble
from likewise.report import plots
from likewise.report._facts import Facts


@pytest.fixture(scope="module")
def data():
    X, y = load_wine(return_X_y=True)
    return scale(X), y, Constraints.sample(y, "random_pairs", 60, error_rate=0.1, random_state=0)


@pytest.fixture(scope="module")
def ensemble(data):
    X, _, hints = data
    return SubspaceMetricEnsemble(3, n_subspaces=6, random_state=0).fit(X, constraints=hints)


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("deep/a.svg", b"<?xml")])
def test_the_suffix_names_the_format(data, tmp_path, name, start):
    X, y, hints = data
    figure = plots.scatter(X[:, :2], X[:, 2:4], y, constraints=hints, path=tmp_path / name)
    assert isinstance(figure, Figure)
    assert (tmp_path / name).read_bytes().startswith(start)
    assert plots.save(figure, tmp_path / "again.png") == tmp_path / "again.png"


def test_an_unknown_suffix_is_told_and_nothing_is_left(data, tmp_path):
    X, y, _ = data
    with pytest.raises(ValueError, match=r"a\.xyz ends in '\.xyz', which is not an image format"):
        plots.scatter(X[:, :2], X[:, 2:4], y, path=tmp_path / "a.xyz")
    assert not list(tmp_path.iterdir())


def test_hints_are_lines_on_the_left_alone(data):
    X, y, hints = data
    left, right = plots.scatter(X[:, :2], X[:, 2:4], y, constraints=hints).axes
    drawn = [len(collection.get_segments()) for collection in left.collections[1:]]
    assert drawn == [len(hints.must_link), len(hints.cannot_link)]
    assert len(right.collections) == 1
    assert np.unique(left.collections[0].get_facecolors(), axis=0).shape[0] == 3


def test_the_heat_map_counts_hints(data):
    _, y, hints = data
    must, cannot = plots.constraints_kept(y, hints).axes
    wrong = np.flatnonzero(y[hints.must_link[:, 0]] != y[hints.must_link[:, 1]])
    assert must.get_title() == f"must-links: {len(hints.must_link) - len(wrong)} of {len(hints.must_link)} kept"
    assert len(wrong) > 0
    shade = must.images[0].get_array()
    assert (np.diag(shade) > 0).all()
    assert shade.min() < 0, "broken ones are red"
    numbers = sum(int(text.get_text()) for text in cannot.texts)
    inside = sum(y[i] == y[j] for i, j in hints.cannot_link)
    assert numbers == 2 * len(hints.cannot_link) - inside


def test_learning_curves_have_a_line_for_each_method():
    lines = {"none": ([], [], []), "k-means": ([0], [0.5], [0.1]), "likewise": ([10, 20], [0.5, 0.7], [0.1, 0.1])}
    figure = plots.learning_curve({"one": lines, "two": lines}, log="xy")
    assert [len(axis.lines) for axis in figure.axes] == [2, 2]
    assert figure.axes[0].get_xscale() == figure.axes[0].get_yscale() == "log"
    with pytest.raises(ValueError, match="panels is empty"):
        plots.learning_curve({})


def test_diversity_against_quality(data, ensemble):
    _, y, _ = data
    (axis,) = plots.diversity_quality({"members": ensemble}, y).axes
    pairs = ensemble.diversity_quality(y)
    np.testing.assert_allclose(axis.collections[0].get_offsets(), np.column_stack([pairs[:, 1], 1 - pairs[:, 0]]))
    with pytest.raises(TypeError, match="has no members to compare"):
        plots.diversity_quality(Costco(), y)
    alone = SubspaceMetricEnsemble(3, n_subspaces=1, random_state=0).fit(data[0])
    with pytest.raises(ValueError, match="has one member, and two are compared"):
        plots.diversity_quality(alone, y)


def test_eigenvalue_share_is_that_of_the_projection(data):
    X, _, hints = data
    costco, ssdr = Costco(4).fit(X, constraints=hints), SSDR(4).fit(X, constraints=hints)
    (axis,) = plots.eigenvalue_share(costco).axes
    np.testing.assert_allclose(axis.lines[0].get_ydata(), costco.share_)
    assert axis.get_ylabel() == "share"
    (axis,) = plots.eigenvalue_share({"Costco": costco, "SSDR": ssdr}).axes
    assert len(axis.lines) == 2
    with pytest.raises(TypeError, match="a Costco without share_"):
        plots.eigenvalue_share(Costco())


def test_before_and_after_are_the_maps_of_the_report(data, ensemble):
    X, y, hints = data
    figure = plots.before_after(ensemble, X, y, constraints=hints)
    left, right = figure.axes[:2]
    layout = Facts(ensemble, X).layout
    for axis, points in ((left, layout.before), (right, layout.after)):
        np.testing.assert_allclose(axis.collections[0].get_offsets(), points)
    assert len(left.collections) == 3  # rows, must-links, cannot-links
    with pytest.raises(ValueError, match="groups has 3 entries, and X has 178 rows"):
        plots.before_after(ensemble, X, y[:3])
