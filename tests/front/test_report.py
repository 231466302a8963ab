"""What a fitted model says of itself: top features, rules that hold or why not, pages in a notebook, dtypes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import NotFittedError

from likewise.constraints import Constraints
from likewise.evaluation import constraint_accuracy
from likewise.front import Likewise
from likewise.front import _members as members
from likewise.front._hard_constraints import repair_labels
from likewise.front._report import feature_differences, largest_differences
from likewise.prepare._linear import LinearFeatures


@pytest.fixture(scope="module")
def frame():
    X, y = load_iris(return_X_y=True, as_frame=True)
    hints = Constraints.sample(y, "random_pairs", 60, random_state=0)
    return X, y.to_numpy(), Likewise(3, random_state=0).fit(X, constraints=hints)


@pytest.mark.parametrize("scale", [1.0, np.array([1.0, 10.0, 100.0, 1e3, 1e4])], ids=["one scale", "table"])
def test_differences_of_a_table_are_in_standard_deviations(scale):
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(40, 5)) * scale, rng.integers(0, 3, size=40)
    linear = LinearFeatures()
    linear.fit_transform(X)
    found = feature_differences(X, labels, 4, linear)
    for cluster in range(3):
        inside = labels == cluster
        expected = (X[inside].mean(axis=0) - X[~inside].mean(axis=0)) / X.std(axis=0)
        np.testing.assert_allclose(found[cluster], expected, rtol=1e-9)
    assert not found[3].any()
    assert not feature_differences(X, np.zeros(40, dtype=int), 1, linear).any()


def test_features_have_the_names_of_the_frame(frame):
    *_, model = frame
    setosa = model.labels_[0]
    (first, difference), *_ = model.top_features(setosa, 2)
    assert first == "petal length (cm)"
    assert difference < -1
    assert len(model.top_features(setosa)) == 4
    assert "petal length (cm) -" in str(model.report_)
    assert model.report_.clusters[setosa].rows == (model.labels_ == setosa).sum()


def test_names_can_be_given():
    topic = np.repeat([0, 1], 30)
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(0.1 + 2.0 * (np.arange(4) // 2 == topic[:, None])).astype(float))
    model = Likewise(2, random_state=0).fit(X)
    words = ["goal", "match", "court", "judge"]
    top = model.top_features(model.labels_[0], 4, words)
    assert {name for name, value in top if value > 0} == {"goal", "match"}
    assert {name for name, value in top if value < 0} == {"court", "judge"}
    with pytest.raises(ValueError, match="length"):
        model.top_features(0, 2, words[:2])


@pytest.mark.parametrize("ask", [lambda model: model.top_features(0), Likewise.doubtful, Likewise.to_frame])
def test_a_model_that_is_not_fitted_says_so(ask):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(Likewise(3))


@pytest.mark.parametrize(("cluster", "n", "message"), [(3, 1, "numbered 0 to 2"), (-1, 1, "cluster=-1"), (0, 0, "n=0")])
def test_clusters_that_are_not_there(frame, cluster, n, message):
    with pytest.raises(ValueError, match=message):
        frame[2].top_features(cluster, n)


def test_a_report_of_many_clusters_is_cut():
    X = np.repeat(np.arange(25.0) * 10, 4)[:, None] + np.tile([0.0, 0.1, 0.2, 0.3], 25)[:, None]
    report = Likewise(25, random_state=0).fit(X).report_
    assert len(report.clusters) > 20
    assert "more; see top_features(cluster)" in str(report)


def test_pages_in_a_notebook(frame):
    *_, model = frame
    fresh = Likewise(3)
    assert "learned from hints" not in fresh._repr_html_()
    assert "Likewise" in fresh._repr_html_()
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert "learned from hints" in page
        assert "cluster 0" in page
        assert "petal length (cm)" in page


def test_strict_cannot_links_hold(frame):
    X, *_ = frame
    # pairs of neighbors that the data would put together
    hints = Constraints(150, must_link=[(0, 50), (1, 100)], cannot_link=[(2, 3), (0, 4), (60, 61), (61, 62), (60, 62)])
    auto, strict = (Likewise(3, trust=trust, random_state=0).fit(X, constraints=hints) for trust in ("auto", "strict"))
    assert constraint_accuracy(auto.labels_, hints) < 1
    assert constraint_accuracy(strict.labels_, hints) == 1
    assert strict.report_.broken == ""
    assert strict.report_.kept == 1


@pytest.mark.parametrize(("k", "reason"), [(2, "odd cycle"), (3, "no labeling with 3 clusters")])
def test_rules_that_cannot_hold_are_named(k, reason):
    X, _ = make_blobs(60, centers=3, random_state=0)
    if k == 2:
        apart = [(i, (i + 1) % 5) for i in range(5)]
    else:  # a wheel with five spokes needs four
        apart = [(i, (i + 1) % 5) for i in range(5)] + [(5, i) for i in range(5)]
    model = Likewise(k, trust="strict", random_state=0).fit(X, constraints=Constraints(60, cannot_link=apart))
    assert reason in model.report_.broken
    assert "not all kept" in str(model.report_)
    assert model.report_.kept < 1


def test_an_answer_that_keeps_the_rules_stays(frame):
    *_, model = frame
    hints = Constraints.sample(model.labels_, "random_pairs", 50, random_state=2)
    labels, why = repair_labels(model.embedding_, model.labels_, 3, hints, np.random.RandomState(0))
    assert labels is model.labels_
    assert why == ""


def test_single_precision_stays(frame):
    X, _, model = frame
    single = Likewise(3, random_state=0).fit(X.astype(np.float32), constraints=model.constraints_)
    assert single.embedding_.dtype == single.transform(X.astype(np.float32)).dtype == np.float32
    assert model.embedding_.dtype == model.transform(X).dtype == np.float64


def test_added_hints_go_on_from_what_was_learned(frame, monkeypatch):
    X, y, _ = frame
    hints, more = (Constraints.sample(y, "random_pairs", 40, random_state=seed) for seed in (0, 1))
    model = Likewise(n_clusters=None, random_state=0).fit(X, constraints=hints)
    runs, folds, learned = model._features.partitions, model._consensus.folds, model._consensus.members
    monkeypatch.setattr(members, "GraphFeatures", None)  # none is made again
    model.add_constraints(more)
    assert model._features.partitions is runs
    assert model._consensus.folds is folds
    repeats, before = ([m for m in all_ if m.repeat > 0] for all_ in (model._consensus.members, learned))
    assert repeats
    assert all(any(member is other for other in before) for member in repeats)  # the first of each family learns alone
    assert len(model.suspects_) >= 75
    assert model.report_.families


def test_features_without_a_difference_are_not_told():
    differences = np.array([0.5, 0.0, -2.0, -1.0])
    found = largest_differences(differences, 4, ["a", "b", "c", "d"])
    assert found == [("c", -2.0), ("d", -1.0), ("a", 0.5)]
    assert largest_differences(differences, 1, ["a", "b", "c", "d"]) == [("c", -2.0)]


def test_hints_count_by_what_they_explain_of_held_out_ones(frame):
    X, _, model = frame
    assert sum(family.weight for family in model.report_.families) == pytest.approx(1.0)
    assert model.report_.constraint_weight > 0.9
    assert model.report_.learned_from == ""  # from all of them
    nonsense = Constraints.sample(np.random.default_rng(1).integers(0, 3, len(X)), "random_pairs", 60, random_state=0)
    report = Likewise(3, random_state=0).fit(X, constraints=nonsense).report_
    assert not report.fallback
    assert report.constraint_weight < 0.5
    shares = {family.name: family.weight for family in report.families}
    assert sum(shares.values()) == pytest.approx(1.0)
    assert max(shares, key=shares.get) == "without hints"
    assert f"{report.constraint_weight:.0%}" in str(report)


def test_the_kind_of_data_is_in_the_report(frame):
    *_, model = frame
    counts = sparse.csr_array(np.random.default_rng(0).poisson(0.5, size=(40, 12)).astype(float))
    assert model.report_.kind == "table of one scale"
    assert Likewise(2, random_state=0).fit(counts).report_.kind == "counts"
