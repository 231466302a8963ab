"""Likewise: what it promises, on data small enough to run often."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

from likewise._method import CUT, NEIGHBORS
from likewise.constraints import ConstraintConflictError, Constraints
from likewise.evaluation import constraint_accuracy, normalized_mutual_information, rand_index
from likewise.front import Likewise, _members, cluster
from likewise.questions import Answer, Answers


@pytest.fixture(scope="module")
def blobs():
    return make_blobs(160, centers=4, n_features=5, cluster_std=1.0, random_state=3)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    hints = Constraints.sample(y, "random_pairs", 80, random_state=0)
    return X, y, hints, Likewise(3, random_state=0).fit(X, constraints=hints)


def test_hints_help(iris):
    _, y, _, model = iris
    without, with_hints = (
        normalized_mutual_information(y, each) for each in (model.unsupervised_labels_, model.labels_)
    )
    assert with_hints > without + 0.05
    assert model.report_.gain > 0


def test_the_same_seed_gives_the_same_answer(iris):
    X, _, hints, model = iris
    again = clone(model).fit(X, constraints=hints)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.embedding_, model.embedding_)


def test_strict_must_links_hold(iris):
    X, _, hints, _ = iris
    labels = Likewise(3, trust="strict", random_state=0).fit_predict(X, constraints=hints)
    assert (labels[hints.must_link[:, 0]] == labels[hints.must_link[:, 1]]).all()
    assert constraint_accuracy(labels, hints) > 0.95


def test_without_hints_the_result_is_the_unsupervised_one(blobs):
    X, y = blobs
    model = Likewise(4, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, model.unsupervised_labels_)
    assert normalized_mutual_information(y, model.labels_) > 0.95
    assert model.suspects_ == ()
    assert model.report_.trust == "none"


def test_with_few_hints_it_falls_back_to_the_unsupervised_result(iris):
    X, y, _, _ = iris
    hints = Constraints.sample(y, "random_pairs", 10, random_state=1)
    model = Likewise(3, random_state=0).fit(X, constraints=hints)
    assert model.report_.fallback == "fewer than 25 hints"
    assert "They apply to their own rows only" in model.report_.weight_in_words
    untouched = ~hints.constrained_rows()
    assert (model.labels_ == model.unsupervised_labels_)[untouched].mean() > 0.95


def test_two_labels_of_each_type_teach():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(9), 11)
    X = rng.normal(size=(9, 400))[y] * 0.5 + rng.normal(size=(99, 400))
    shared = np.repeat([0, 1], [5, 4])[y]  # a strong grouping that is not the one meant
    X[:, :40] += 4.0 * shared[:, None]
    labels = np.full(99, -1)
    labels[np.arange(99) % 11 < 2] = y[np.arange(99) % 11 < 2]
    model = Likewise(9, random_state=0).fit(X, constraints=Constraints.from_labels(labels))
    assert not model.report_.fallback
    assert 0 < model.report_.constraint_weight <= 1
    rest = labels < 0
    found, without = (
        normalized_mutual_information(y[rest], answer[rest]) for answer in (model.labels_, model.unsupervised_labels_)
    )
    assert found >= without
    assert sorted(model.cluster_names_) == [str(kind) for kind in range(9)]


def test_hints_that_count_little_come_with_advice(iris):
    X, y, _, _ = iris
    few = Likewise(3, random_state=0).fit(X, constraints=Constraints.sample(y, "random_pairs", 10, random_state=1))
    assert (
        few.report_.advice
        == "give up to 15 more hints: 25, counting pairs that follow from them, are enough to learn for all rows"
    )
    labels = np.where(np.isin(np.arange(len(y)), [0, 1, 60, 120]), y, -1)
    named = Likewise(3, random_state=0).fit(X, constraints=Constraints.from_labels(labels))
    assert named.report_.advice == "give 4 more labels: with 8 or more, clusterings learn from them for all rows"
    assert few.report_.ask_about == tuple(few.doubtful(5).tolist())
    assert str(few.report_.ask_about[0]) in str(few.report_)
    many = Likewise(3, random_state=0).fit(X, constraints=Constraints.sample(y, "random_pairs", 200, random_state=1))
    assert many.report_.advice == ""


def test_hints_that_cover_few_of_many_clusters_count_nothing():
    X, y = make_blobs(240, centers=12, n_features=6, random_state=0)
    hints = Constraints.sample(y, "random_pairs", 30, random_state=0)
    model = Likewise(12, random_state=0).fit(X, constraints=hints)
    assert not model.report_.fallback
    assert model.report_.constraint_weight == 0
    assert {family.name for family in model.report_.families if family.weight} == {"without hints"}
    assert normalized_mutual_information(y, model.labels_) > 0.9


def test_the_runs_without_hints_on_text_include_linear_ones():
    counts = sparse.random(60, 80, density=0.1, random_state=0, format="csr")
    text = Likewise(3, kind="text", random_state=0).fit(counts)._unsupervised
    assert len(text.labelings) == 45
    assert text.weights[:15].sum() == pytest.approx(0.5)
    table = Likewise(3, random_state=0).fit(counts.toarray())._unsupervised
    assert len(table.labelings) == 30
    assert table.weights.sum() == pytest.approx(1.0)


def test_wrong_hints_are_listed_first_and_do_little_harm(blobs):
    X, y = blobs
    hints = Constraints.sample(y, "random_pairs", 100, error_rate=0.1, random_state=0)
    model = Likewise(4, random_state=0).fit(X, constraints=hints)
    truth = [(y[i] == y[j]) == (suspect.kind == "must-link") for suspect in model.suspects_ for i, j in [suspect.rows]]
    assert len(truth) == 100
    assert sum(truth[:10]) <= 1
    assert model.suspects_[0].wrong > 0.5 > model.suspects_[-1].wrong
    assert "likely wrong" in str(model.suspects_[0])
    assert normalized_mutual_information(y, model.labels_) > 0.95
    assert model.report_.trust == "weighted"


def test_contradictions_are_an_error_in_strict_and_taken_in_auto(blobs):
    X, y = blobs
    same = np.flatnonzero(y == 0)[:3]
    right = Constraints.sample(y, "random_pairs", 40, random_state=0)
    wrong = Constraints(160, must_link=[same[:2], same[1:]], cannot_link=[same[[0, 2]]])
    with pytest.raises(ConstraintConflictError):
        Likewise(4, trust="strict").fit(X, constraints=right | wrong)
    model = Likewise(4, random_state=0).fit(X, constraints=right | wrong)
    assert model.report_.contradictions == 1
    assert normalized_mutual_information(y, model.labels_) > 0.9


def test_weights_are_used_or_refused(blobs):
    X, y = blobs
    hints = Constraints.sample(y, "random_pairs", 40, random_state=0)
    doubtful = Constraints(160, hints.must_link, hints.cannot_link, must_weight=0.5)
    with pytest.raises(ValueError, match="takes every hint as certain"):
        Likewise(4, trust="strict").fit(X, constraints=doubtful)
    for trust in ("auto", "weighted"):
        model = Likewise(4, trust=trust, random_state=0).fit(X, constraints=doubtful)
        assert model.report_.trust == "weighted"


def test_new_rows(iris):
    X, _, _, model = iris
    _, first, counts = np.unique(X, axis=0, return_index=True, return_counts=True)
    alone = first[counts == 1]  # of rows that coincide, one answers for all
    np.testing.assert_array_equal(model.predict(X[alone]), model.labels_[alone])
    np.testing.assert_array_equal(model.transform(X[alone]), model.embedding_[alone])
    moved = X + 1e-3
    assert (model.predict(moved) == model.labels_).mean() > 0.97
    assert np.einsum("ij,ij->i", model.transform(moved), model.embedding_).mean() > 0.97


def test_hints_can_be_added(iris):
    X, y, hints, _ = iris
    model = Likewise(3, random_state=0).fit(X).add_constraints(hints)
    assert set(model.report_.seconds) == {"hints"}
    assert normalized_mutual_information(y, model.labels_) > 0.85
    more = Constraints.sample(y, "random_pairs", 20, random_state=7)
    assert len(model.add_constraints(more).suspects_) >= 90


def test_answers_are_kept_as_they_were_given(iris):
    X, _, hints, _ = iris
    first, more = (Answers([Answer(rows, "same", chance=0.8)], 150) for rows in ((0, 1), (2, 3)))
    model = Likewise(3, random_state=0, verbose=False).fit(X, constraints=hints)
    assert model.answers_ is None
    model.add_constraints(Constraints(150, [(7, 8)]))
    assert model.answers_ is None
    model.add_constraints(first).add_constraints(more)
    assert [answer.rows for answer in model.answers_] == [(0, 1), (2, 3)]
    model.add_constraints(Constraints(150, [(9, 10)]))
    assert len(model.answers_) == 2


def test_with_more_hints_one_member_of_each_family_learns_again(iris, monkeypatch):
    X, y, hints, _ = iris
    model = Likewise(3, random_state=0).fit(X, constraints=hints)
    before, trained = model._consensus.members, []

    def noted(name, family):
        def train(data, task):
            trained.append((name, task.fold, task.repeat))
            return family.train(data, task)

        return replace(family, train=train)

    monkeypatch.setattr(_members, "FAMILIES", {name: noted(name, each) for name, each in _members.FAMILIES.items()})
    model.add_constraints(Constraints.sample(y, "random_pairs", 20, random_state=7))
    assert sorted(trained) == sorted((name, fold, 0) for name in _members.FAMILIES for fold in range(4))
    for old, new in zip(before, model._consensus.members, strict=True):
        assert (old is new) == (new.repeat > 0)


@pytest.mark.parametrize("method", ["predict", "transform", "predict_certainty"])
def test_a_model_that_was_not_fitted_says_so(method):
    with pytest.raises(NotFittedError, match="This Likewise instance is not fitted yet"):
        getattr(Likewise(3), method)([[0.0, 1.0]])


def test_what_is_not_fitted_cannot_learn_more():
    for learn in (Likewise().add_constraints, Likewise().set_constraints):
        with pytest.raises(NotFittedError, match="This Likewise instance is not fitted yet"):
            learn(Constraints(3, [(0, 1)]))


def test_attributes_that_are_not_there(iris):
    with pytest.raises(AttributeError, match="this Likewise has no suspects_ yet"):
        Likewise(3).suspects_  # noqa: B018
    with pytest.raises(AttributeError, match=r"suspect_\b(?!.*not kept)"):
        iris[3].suspect_  # noqa: B018


def test_a_model_of_one_cluster_can_be_saved(tmp_path, blobs):
    X, _ = blobs
    model = Likewise(1, random_state=0, verbose=False).fit(X)
    assert set(model.second_labels_) == {-1}
    again = Likewise.load(model.save(tmp_path / "m.likewise"))
    np.testing.assert_array_equal(again.predict(X), 0)


def test_a_report_without_hints_says_nothing_of_hints(blobs):
    report = Likewise(4, random_state=0, verbose=False).fit(blobs[0]).report_
    assert (report.contradictions, report.dropped, report.reversed, report.landmarks) == (0, 0, 0, 0)
    assert (report.constraint_weight, report.gain, report.gain_error, report.kept) == (0.0, 0.0, 0.0, 1.0)
    assert (report.fallback, report.advice, report.learned_from, report.broken) == ("", "", "", "")
    assert (report.families, report.left_out, report.moved.tolist(), report.interrupted) == ((), (), [], False)
    assert not {"trust", "contradictions", "hints kept", "landmarks"} & {name for name, _ in report.lines()}


def test_partial_labels_are_hints(iris):
    X, y, _, _ = iris
    some = np.where(np.arange(150) % 5 == 0, y, -1)
    model = Likewise(3, random_state=0).fit(X, some)
    assert normalized_mutual_information(y, model.labels_) > 0.8


def test_counts_are_read_as_text():
    rng = np.random.default_rng(0)
    topic = np.repeat([0, 1, 2], 40)
    rate = 0.1 + 1.5 * (np.arange(60) // 20 == topic[:, None])
    X = rng.poisson(rate).astype(float)
    model = Likewise(3, random_state=0).fit(sparse.csr_matrix(X))
    assert model.report_.preprocessing.startswith("counts: tf-idf")
    assert normalized_mutual_information(topic, model.labels_) > 0.9
    assert model.predict(sparse.csr_matrix(X[:3])).shape == (3,)


def test_the_report_can_be_read(iris):
    *_, model = iris
    text, html = str(model.report_), model.report_._repr_html_()
    for word in ("learned from hints", "relearned graph", "hints kept", "without hints"):
        assert word in text
        assert word in html
    assert model.certainty_.shape == (150,)
    assert set(model.report_.moved) == set(np.flatnonzero(model.labels_ != model.unsupervised_labels_))


@pytest.mark.parametrize("n_clusters", [1, 2, 6])
@pytest.mark.filterwarnings("ignore:there are fewer clusters:UserWarning")
def test_tiny_data(n_clusters):
    X = np.array([[0.0], [0.1], [5.0], [5.1], [9.0], [9.2]])
    labels = cluster(X, Constraints(6, must_link=[(0, 1)], cannot_link=[(0, 2)]), n_clusters, random_state=0)
    assert len(np.unique(labels)) <= n_clusters
    assert labels[0] == labels[1]


@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_few_rows_have_a_number_of_clusters(n):
    X = np.array([[0.0], [0.1], [5.0], [5.1]])[:n]
    assert Likewise(random_state=0, verbose=False).fit(X).n_clusters_ == 2


def test_rows_that_are_all_the_same():
    assert cluster(np.ones((8, 3)), n_clusters=2, random_state=0).shape == (8,)


def test_must_links_alone_are_worth_learning_from():
    # One cluster would keep them all: only beside pairs nobody spoke of does it show that something was learned.
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    X = np.column_stack([6.0 * rng.standard_normal((120, 3)), y + 0.25 * rng.standard_normal(120)])
    hints = Constraints.sample(y, "links", 150, random_state=0)
    model = Likewise(2, verbose=False, random_state=0).fit(X, constraints=hints)
    assert model.report_.fallback == ""
    assert rand_index(y, model.labels_) > 0.9 > rand_index(y, model.unsupervised_labels_)


def test_wrong_must_links_alone_do_not_merge_everything():
    # members that put all rows together keep every must-link, and prove nothing
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 60)
    X = rng.normal(size=(180, 20)) + 3 * rng.normal(size=(3, 20))[y]
    pairs = rng.integers(0, 180, size=(2000, 2))
    right = y[pairs[:, 0]] == y[pairs[:, 1]]
    pairs = np.concatenate([pairs[right & (pairs[:, 0] != pairs[:, 1])][:334], pairs[~right][:54]])
    model = Likewise(3, verbose=False, random_state=0).fit(X, constraints=Constraints(180, must_link=pairs))
    assert normalized_mutual_information(y, model.labels_) > 0.95


def test_wrong_must_links_alone_are_not_taken_as_certain():
    # closed, they join all clusters; members that learned from them find them right, runs without hints do not
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 40)
    X = rng.normal(size=(120, 4)) + 3 * rng.normal(size=(3, 4))[y]
    pairs = rng.integers(0, 120, size=(1000, 2))
    right = y[pairs[:, 0]] == y[pairs[:, 1]]
    pairs = np.concatenate([pairs[right & (pairs[:, 0] != pairs[:, 1])][:80], pairs[~right][:10]])
    model = Likewise(3, verbose=False, random_state=0).fit(X, constraints=Constraints(120, must_link=pairs))
    assert model.report_.trust == "weighted"
    assert normalized_mutual_information(y, model.labels_) > 0.95


@pytest.mark.parametrize(("size", "dtype"), [(1e30, np.float32), (1e160, np.float64), (1e300, np.float64)])
def test_values_whose_squares_overflow_are_refused(iris, size, dtype):
    X = iris[0] / iris[0].max()
    with pytest.raises(ValueError, match=f"too large to be squared in {np.dtype(dtype).name}"):
        Likewise(3).fit((size * X).astype(dtype))
    assert Likewise(3, random_state=0).fit((np.sqrt(size) / 1e3 * X).astype(dtype)).labels_.shape == (150,)


@pytest.mark.parametrize("trust", ["auto", "weighted"])
@pytest.mark.parametrize("n_wrong", [0, 6])
def test_overlapping_partitions_are_their_pairs(trust, n_wrong):
    X, y = load_wine(return_X_y=True)
    rng = np.random.default_rng(0)
    first, second = (np.where(rng.random(len(y)) < share, y, -1) for share in (0.3, 0.2))
    wrong = np.flatnonzero(first >= 0)[:n_wrong]
    first[wrong] = (first[wrong] + 1) % 3
    pairs = Constraints.sample(y, "random_pairs", 20, random_state=0)
    overlapping = [Constraints.from_labels(labels).partitions[0] for labels in (first, second)]
    constraints = Constraints(len(y), partitions=overlapping) | pairs
    model, written_out = (
        Likewise(3, trust=trust, verbose=False, random_state=0).fit(X, constraints=given)
        for given in (constraints, constraints.expand())
    )
    assert not model.report_.fallback
    np.testing.assert_array_equal(model.labels_, written_out.labels_)
    np.testing.assert_allclose(model.embedding_, written_out.embedding_, atol=1e-8)


def test_one_class_for_all_rows_is_one_cluster_and_says_so(blobs):
    X, _ = blobs
    with pytest.warns(UserWarning, match=r"fewer clusters \(1\) than n_clusters=3: the hints put .* 1 group\.") as seen:
        model = Likewise(3, random_state=0).fit(X, np.zeros(len(X)))
    assert seen[0].filename == __file__
    assert model.n_clusters_ == model.report_.n_clusters == 1
    assert "1 (requested: 3)" in str(model.report_)
    assert "the hints join all rows into one group: check where they come from" in str(model.report_)
    assert model.top_features(0) == []


def test_hints_that_are_not_kept_merge_no_clusters(blobs):
    X, _ = blobs
    chain = [(row, row + 1) for row in range(len(X) - 1)]
    model = Likewise(4, trust="weighted", random_state=0, verbose=False)
    model.fit(X, constraints=Constraints(len(X), chain, must_weight=1e-3))  # and no warning that there are too few
    assert model.n_clusters_ == 4


def test_warnings_name_the_line_of_the_user(blobs):
    X, y = blobs
    first = Likewise(2, random_state=0)
    with pytest.warns(UserWarning, match="share a cluster") as seen:
        first.fit(X, constraints=Constraints.from_labels(np.where(np.arange(len(X)) < 40, y, -1)))
    assert seen[0].filename == __file__
    with pytest.warns(UserWarning, match="share a cluster") as seen:
        first.add_constraints(Constraints(len(X), [(0, 1)]))
    assert seen[0].filename == __file__


@pytest.mark.parametrize("seed", [0, 1])
def test_withdrawn_hints_have_no_effect_on_a_number_of_clusters_that_is_chosen(seed):
    X, y = load_wine(return_X_y=True)
    X = (X - X.mean(0)) / X.std(0)
    hints = Constraints.sample(y, "random_pairs", 40, random_state=seed)
    alone = Likewise(random_state=0).fit(X)
    model = Likewise(random_state=0).fit(X, constraints=hints).set_constraints(Constraints(len(X)))
    assert adjusted_rand_score(model.labels_, alone.labels_) == 1.0


def test_hints_can_be_replaced_and_nothing_of_them_is_left(iris):
    X, _, hints, _ = iris
    model = Likewise(3, random_state=0).fit(X)
    alone = model.labels_
    model.set_constraints(hints)
    assert model.constraints_ == hints
    learned = model.labels_
    swapped = Constraints(len(X), hints.cannot_link, hints.must_link)  # all wrong
    model.set_constraints(swapped)
    np.testing.assert_array_equal(model.set_constraints(hints).labels_, learned)
    np.testing.assert_array_equal(model.set_constraints(Constraints(len(X))).labels_, alone)
    assert not model.suspects_


def test_clusters_keep_their_numbers(iris):
    X, y, hints, _ = iris
    model = Likewise(3, random_state=0).fit(X, constraints=hints)
    model.labels_ = (model.labels_ + 1) % 3  # as if they had been numbered so before
    before = model.labels_
    model.add_constraints(Constraints.sample(y, "random_pairs", 10, random_state=9))
    assert (model.labels_ == before).mean() > 0.9
    assert set(model.report_.moved) == set(np.flatnonzero(model.labels_ != model.unsupervised_labels_))
    assert (model.labels_ == model.unsupervised_labels_).mean() > 0.7


def test_clusters_that_vanish_leave_no_gap(iris):
    X, y, _, _ = iris
    model = Likewise(random_state=0).fit(X)
    found = [model.n_clusters_]
    for step in range(2):
        model.add_constraints(Constraints.sample(y, "equal", 15, random_state=step))
        found.append(model.n_clusters_)
        assert set(model.labels_) == set(model.unsupervised_labels_) == set(range(model.n_clusters_))
    assert found[0] >= 3  # 4 with most versions of scipy
    assert found[1:] == [3, 3]


def test_its_stated_cost_is_that_of_what_takes_longest():
    """Exact neighbors look at all pairs of landmarks, and k-means of k eigenvectors costs k²."""
    cost = Likewise._method.cost
    assert (cost.rows, cost.columns) == (NEIGHBORS.rows, NEIGHBORS.columns)
    assert cost.width == CUT.width
