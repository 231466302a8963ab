"""The model itself: what it keeps, warns of and refuses, and how certain its clusters are."""

import warnings
from copy import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.utils import get_tags

from likewise._warnings import InterruptedWarning
from likewise.constraints import Comparisons, Constraints, Partition, Preference
from likewise.front import Likewise, _members, cluster
from likewise.front import _likewise as module
from likewise.front._certainty import membership
from likewise.front._evidence import unsupervised_members
from likewise.front._from_files import PLACE
from likewise.front._likewise import _check_rows, _most_classes, _Result
from likewise.front._report import largest_differences
from likewise.front._unsupervised import Unsupervised
from likewise.questions import Answer, Answers

N = 48
SAID = {True: "same", False: "different"}
X, Y = make_blobs(N, 4, centers=3, cluster_std=2.5, random_state=0)
HINTS = Constraints.sample(Y, "random_pairs", 40, random_state=0)
LABELS = Constraints.from_labels([("a", "b", "c")[kind] if row < 12 else None for row, kind in enumerate(Y)])


def model_of(k=3, **params):
    return Likewise(k, random_state=0, verbose=False, **params)


@pytest.fixture(scope="module")
def plain():
    return model_of().fit(X)


@pytest.fixture(scope="module")
def hinted():
    return model_of().fit(X, constraints=HINTS)


@pytest.fixture(scope="module")
def labeled():
    return model_of().fit(X, constraints=LABELS)


def test_clusters_are_numbered_as_before_without_gaps():
    run = np.array([0, 0, 1, 1, 2, 2])
    placement = SimpleNamespace(rows=np.arange(4), vote=lambda labels: np.append(labels, labels[-2:]))
    unsupervised = Unsupervised(3, run[:4], np.zeros((4, 3)), [], np.zeros(0))
    result = _Result(None, placement, run, None, run, unsupervised)
    found = result.numbered_as(np.array([2, 2, 0, 0, 0, 0]))
    assert found.labels.tolist() == [2, 2, 0, 0, 1, 1]
    assert found.unsupervised.labels.tolist() == [2, 2, 0, 0]
    assert found.unsupervised_labels.tolist() == [2, 2, 0, 0, 0, 0]
    apart = result.numbered_as(np.array([0, 0, 5, 5, 0, 0]))
    assert sorted(set(apart.labels)) == [0, 1, 2]
    assert (result.broken, result.consensus) == ("", None)


@pytest.mark.parametrize("fit", ["plain", "hinted", "labeled"])
def test_certainty_is_the_share_of_votes(fit, request):
    model = request.getfixturevalue(fit)
    members, consensus = unsupervised_members(model._unsupervised), model._consensus
    weights = {"without hints": 1.0}
    if consensus is not None:
        members, weights = [*members, *consensus.members], consensus.weights
    assert model.n_iter_ == len(members)
    shares = membership(members, weights, model.labels_, model.n_clusters_)
    confirmed = np.zeros(N, dtype=bool)
    if fit == "labeled" and consensus.closed:
        confirmed[:12] = model.cluster_names_[model.labels_[:12]] == np.array(["a", "b", "c"])[Y[:12]]
        assert confirmed.any()
    expected = np.where(confirmed, 1.0, shares[np.arange(N), model.labels_])
    np.testing.assert_allclose(model.certainty_, expected)
    others = np.where(np.eye(model.n_clusters_, dtype=bool)[model.labels_], 0.0, shares)
    second = np.where(others.max(axis=1) > 0, others.argmax(axis=1), -1)
    np.testing.assert_array_equal(model.second_labels_, np.where(confirmed, -1, second))
    assert (model._shares[confirmed].max(axis=1, initial=1.0) == 1.0).all()
    assert (model.second_labels_.dtype, model.labels_.dtype, model.unsupervised_labels_.dtype) == (np.int32,) * 3


def test_rows_in_doubt_are_ten_unless_more_are_asked_for(plain, labeled):
    order = np.argsort(plain.certainty_, kind="stable")
    np.testing.assert_array_equal(plain.doubtful(), order[:10])
    np.testing.assert_array_equal(plain.doubtful(1), order[:1])
    assert plain.report_.ask_about == tuple(order[:5].tolist())
    assert labeled.doubtful(N).min() >= 12
    assert len(labeled.doubtful(N)) == N - 12
    with pytest.raises(ValueError, match="n=-1: ask for none or more, or for all with n=None"):
        plain.doubtful(-1)


def test_top_features_are_the_largest_differences(plain):
    inside = plain.labels_ == 2
    differences = (X[inside].mean(axis=0) - X[~inside].mean(axis=0)) / X.std(axis=0)
    found = plain.top_features(2)
    assert found == [(name, pytest.approx(value)) for name, value in largest_differences(
        differences, 10, [f"x{column}" for column in range(4)])]  # fmt: skip
    assert plain.top_features(2, 1) == found[:1]
    names = {f"x{column}": letter for column, letter in enumerate("abcd")}
    assert plain.top_features(2, 3, list("abcd")) == [(names[name], value) for name, value in found[:3]]
    for wrong, words in (
        ({"cluster": 3}, "cluster=3, but clusters are numbered 0 to 2. Use one of labels_"),
        ({"cluster": -1}, "cluster=-1"),
        ({"cluster": 0, "n": 0}, "n=0: ask for at least one"),
    ):
        with pytest.raises(ValueError, match=words):
            plain.top_features(**wrong)
    wide = model_of(2).fit(np.random.default_rng(0).normal(size=(30, 14)))
    assert len(wide.top_features(0)) == 10


def test_a_frame_of_all_rows(labeled):
    frame = labeled.to_frame(backend="polars").to_dict(as_series=False)
    assert frame["id"] == list(range(N))
    assert frame["cluster"] == labeled.labels_.tolist()
    assert frame["name"] == labeled.cluster_names_[labeled.labels_].tolist()
    assert frame["second"] == labeled.second_labels_.tolist()
    assert frame["certainty"] == labeled.certainty_.tolist()
    named = labeled.to_frame(ids=[f"r{row}" for row in range(N)], backend="polars")
    assert named["id"][1] == "r1"
    for count in (N - 1, N + 1):
        with pytest.raises(ValueError, match=f"ids has {count} entries, but there are 48 rows. Pass one id for each"):
            labeled.to_frame(ids=list(range(count)))


def test_new_rows_have_the_direction_of_those_near_them(hinted):
    new = X[:6] + 1e-3
    near = hinted._placement.near.of(hinted._features.transform(new)).toarray()
    mean = near @ hinted.embedding_
    np.testing.assert_allclose(hinted.transform(new), mean / np.linalg.norm(mean, axis=1)[:, None], atol=1e-6)
    votes = np.array([[row[hinted.labels_ == k].sum() for k in range(3)] for row in near])
    found = hinted.predict_certainty(new)
    np.testing.assert_array_equal(found.labels, votes.argmax(axis=1))
    shares = near @ hinted._shares / near.sum(axis=1)[:, None]
    np.testing.assert_allclose(found.certainty, shares[np.arange(6), found.labels], atol=1e-5)
    np.testing.assert_array_equal(hinted.predict(new), found.labels)
    both = hinted.predict_certainty(np.concatenate([X[:2], new[:1]]))
    np.testing.assert_array_equal(both.certainty[:2], hinted.certainty_[:2])
    np.testing.assert_array_equal(hinted.transform(X[:1]), hinted.embedding_[:1])


def test_rows_without_words_have_no_certainty():
    words = sparse.csr_array(np.random.default_rng(0).poisson(0.6, size=(40, 9)) + np.eye(40, 9))
    model = model_of(2).fit(words)
    model._near = lambda rows: sparse.csr_array((rows.shape[0], 40))
    labels, second, certainty = model.predict_certainty(sparse.csr_array(np.full((2, 9), 50.0)))
    assert (labels.tolist(), second.tolist(), certainty.tolist()) == ([0, 0], [-1, -1], [0.0, 0.0])


def test_columns_of_a_file_of_clusters():
    places = np.array([(0, -1, 1.0), (1, 0, 0.123456), (0, 1, 0.99996)], dtype=PLACE)
    model = Likewise()
    model._has_labels = False
    model._keep_places(places)
    assert (model.labels_.tolist(), model.second_labels_.tolist()) == ([0, 1, 0], [-1, 0, 1])
    assert model.certainty_.dtype == np.float64
    found = model._columns(places)
    assert list(found) == ["cluster", "second", "certainty"]
    assert found["cluster"].tolist() == [0, 1, 0]
    assert found["second"].tolist() == [None, 0, 1]
    assert found["certainty"].tolist() == [1.0, 0.1235, 1.0]
    model._has_labels, model.cluster_names_ = True, np.array(["a", "b"])
    named = model._columns(places)
    assert list(named) == ["cluster", "name", "second", "second_name", "certainty"]
    assert (named["name"], named["second_name"]) == (["a", "b", "a"], [None, "a", "b"])
    assert named["second"].tolist() == [None, 0, 1]


# ---- hints that come later -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["same", "more", "less", "other"])
def test_members_start_from_the_previous_ones_if_hints_are_only_added(hinted, monkeypatch, kind):
    calls = []
    monkeypatch.setattr(Likewise, "_relearn", lambda self, given, *_, **options: calls.append((given, options)) or self)
    fewer = Constraints(N, HINTS.must_link[1:], HINTS.cannot_link)
    more = HINTS | Constraints(N, [(0, 1)])
    given = {"same": HINTS, "more": more, "less": fewer, "other": fewer | more.only("cannot")}[kind]
    hinted.set_constraints(given)
    assert calls == [(given, {"warm_start": kind in ("same", "more")})]
    calls.clear()
    hinted.add_constraints(Constraints(N, [(0, 1)]))
    assert calls == [(more, {})]


def test_a_model_learns_again_only_what_hints_change(monkeypatch):
    model = model_of().fit(X, constraints=HINTS)
    runs, features, previous = model._unsupervised, model._features, model._consensus
    seen = []
    learn = module.apply_constraints
    monkeypatch.setattr(module, "apply_constraints", lambda *given, **how: seen.append(given) or learn(*given, **how))
    monkeypatch.setattr(module, "cluster_unsupervised", None)
    model.add_constraints(Constraints(N, [(0, 1)]))
    assert seen[0][0].unsupervised is runs
    assert seen[0][3] is previous
    assert model._features is features
    assert model._consensus is not previous
    model.set_constraints(HINTS)  # one hint less
    assert seen[1][3] is None
    model.set_constraints(Constraints(N))
    assert len(seen) == 2
    assert model._consensus is None
    np.testing.assert_array_equal(model.labels_, model.unsupervised_labels_)


def test_the_model_knows_which_hints_are_answers(monkeypatch):
    seen = []
    learn = module.apply_constraints
    monkeypatch.setattr(
        module, "apply_constraints", lambda *given, chosen: seen.append(chosen) or learn(*given, chosen)
    )
    few, many = (
        Answers([Answer((row, row + 1), SAID[bool(Y[row] == Y[row + 1])], screen=row) for row in rows], N)
        for rows in (range(0, 40, 2), range(1, 41, 2))
    )
    model = model_of().fit(X, constraints=few)
    model.add_constraints(many)
    model.add_constraints(Constraints(N, [(46, 47)]))  # no answer
    assert model.answers_ is not None
    assert len(model.answers_) == len(few) + len(many)
    model.set_constraints(few)
    model.set_constraints(HINTS)
    model.set_constraints(few.with_constraints(few.constraints | HINTS))
    assert list(model.answers_) == list(few)
    assert model.constraints_ == few.constraints | HINTS
    model.set_constraints(Answers([replace(answer, screen=0) for answer in few], N))  # piles, for example
    model.set_constraints(Answers([], N))
    assert seen == [True, True, True, True, False, True, False]


def test_another_number_of_clusters_starts_again(monkeypatch):
    model = model_of(None).fit(X, constraints=HINTS)
    seen = []
    learn = module.apply_constraints
    monkeypatch.setattr(module, "apply_constraints", lambda *given, **how: seen.append(given) or learn(*given, **how))
    monkeypatch.setattr(module, "choose_n_clusters", lambda *given: 5)
    model.add_constraints(Constraints(N, [(0, 1)]))
    trainer, known, trust, previous = seen[0]
    assert (trainer.n_clusters, trainer.unsupervised.n_clusters, trust, previous) == (5, 5, "auto", None)
    assert {"number of clusters", "without hints", "hints"} == set(model.report_.seconds)
    assert len(known.must_link) == len(model.constraints_.must_link)


@pytest.mark.parametrize(("chosen", "n_clusters"), [(2, 4), (4, 4), (6, 6)])
def test_there_is_a_cluster_for_each_class(monkeypatch, chosen, n_clusters):
    monkeypatch.setattr(module, "choose_n_clusters", lambda *given: chosen)
    many = Constraints.from_labels(np.where(np.arange(N) < 8, np.arange(N) % 4, -1))
    model = model_of(None).fit(X, constraints=many)
    assert model._unsupervised.n_clusters == n_clusters


def test_classes_are_those_of_the_largest_set_of_labels():
    two, three = (Partition(np.arange(9) % k, different_across=True) for k in (2, 3))
    groups = Partition(np.arange(9) % 5)
    assert _most_classes(Constraints(9, partitions=[two, three, groups])) == 3
    assert _most_classes(Constraints(9, partitions=[groups])) == 0
    assert _most_classes(Constraints(9, [(0, 1)])) == 0


# ---- warnings and errors -------------------------------------------------------------------------------------------


def test_as_many_clusters_as_classes_are_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model_of(3).fit(X, constraints=LABELS)
        three_groups = Constraints(N, partitions=[Partition(Y)])
        assert model_of(3, trust="strict").fit(X, constraints=three_groups).n_clusters_ == 3
        assert model_of(None).fit(X[:6], np.zeros(6)).n_clusters_ == 1
    with pytest.warns(UserWarning, match="the labels name 3 classes, but n_clusters=2: some classes will share a clu"):
        model_of(2).fit(X, constraints=LABELS)


@pytest.mark.parametrize(("n_groups", "words"), [(1, "1 group."), (2, "2 groups.")])
def test_groups_of_all_rows_leave_fewer_clusters(n_groups, words):
    joined = Constraints(N, partitions=[Partition(np.minimum(Y, n_groups - 1))])
    with pytest.warns(UserWarning, match=f"fewer clusters \\({n_groups}\\) than n_clusters=3") as caught:
        model = model_of(3, trust="strict").fit(X, constraints=joined)
    assert str(caught[0].message).endswith(f"the hints put all rows into {words}")
    assert model.n_clusters_ == model.report_.n_clusters == n_groups
    assert caught[0].filename == __file__


def test_interruptions_name_the_line_of_the_user(monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(_members.FAMILIES, "both", module.replace(_members.FAMILIES["both"], train=stop))
    with pytest.warns(InterruptedWarning) as caught:
        model = model_of().fit(X, constraints=HINTS)
    assert caught[0].filename == __file__
    assert str(caught[0].message).startswith(f"interrupted: the result is based on {30 + 4} clusterings, those")
    assert model.n_iter_ == 34
    with pytest.warns(InterruptedWarning) as caught:
        model.add_constraints(Constraints(N, [(0, 1)]))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("hints", "words"),
    [
        (Comparisons(N, nearer=[(0, 1, 2)]), "a comparison only says what is more alike: there is 1 comparison. Use "
         "trust='auto', or read them as pairs (as_pairs)."),
        (Comparisons(N, nearer=[(0, 1, 2), (3, 4, 5)]), "there are 2 comparisons. Use trust='auto', or read them"),
        (Preference(Y, np.arange(N) % 2), "a preference only says which of two clusterings is better: there is 1 "
         "preference. Use trust='auto', or leave them out."),
    ],
)  # fmt: skip
def test_what_cannot_be_certain_is_refused_by_strict_trust(hints, words):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        model_of(trust="strict").fit(X, constraints=Constraints(N) | hints)
    assert words in str(caught.value)
    assert str(caught.value).startswith("trust='strict' takes every hint as certain, and a ")


@pytest.mark.parametrize(
    "wrong",
    [{"n_clusters": 0}, {"trust": "none"}, {"kind": "sounds"}, {"budget_s": 0}, {"budget_s": -1.0}, {"n_jobs": 1.5}],
    ids=str,
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ValueError, match=f"The '{next(iter(wrong))}' parameter of Likewise must be"):
        Likewise(**wrong).fit(X)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("labels_", np.float64),
        ("_row_hashes", np.int64),
        ("embedding_", np.int64),
        ("certainty_", np.int64),
        ("second_labels_", np.float64),
        ("cluster_names_", np.int64),
        ("_shares", np.int64),
    ],
)
def test_arrays_of_a_file_fit_together(labeled, name, kind):
    _check_rows(labeled)
    for wrong in (getattr(labeled, name)[1:], np.zeros(getattr(labeled, name).shape, dtype=kind)):
        model = copy(labeled)
        setattr(model, name, wrong)
        with pytest.raises(ValueError, match=rf"{name} (has the shape|is of type)"):
            _check_rows(model)


@pytest.mark.parametrize("method", ["add_constraints", "set_constraints"])
def test_misspelled_parameters_are_suggested(plain, method):
    with pytest.raises(TypeError, match="Did you mean 'constraints'"):
        getattr(plain, method)(constraint=HINTS)


def test_names_of_features_fit_the_table_that_was_made():
    frame = {"size": X[:, 0].tolist(), "kind": [("u", "v", "w")[kind] for kind in Y]}
    model = model_of().fit(frame)
    names = model.table_features_.get_feature_names_out()
    assert {name for name, _ in model.top_features(0)} <= set(names)
    given = [f"column {number}" for number in range(len(names))]
    assert {name for name, _ in model.top_features(0, feature_names=given)} <= set(given)
    for wrong in (given[1:], [*given, "more"]):
        with pytest.raises(ValueError, match=f"feature_names has {len(wrong)} names, but there are {len(names)} feat"):
            model.top_features(0, feature_names=wrong)
    assert model.report_.preprocessing == f"{model.table_features_.description_}; {model._features.to_linear}"
    assert (model.n_features_in_, model.feature_names_in_.tolist()) == (2, ["size", "kind"])
    assert model.fit(X).table_features_ is None


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="minimum of 2 is required"):
        Likewise(1).fit(X[:1])
    assert get_tags(Likewise()).transformer_tags.preserves_dtype == ["float64", "float32"]
    assert (Likewise._method.chooses_n_clusters, cluster(X[:2], random_state=0, verbose=False).tolist()) in (
        (True, [0, 1]),
        (True, [1, 0]),
    )


@pytest.mark.parametrize("verbose", [None, True, False])
def test_progress_is_shown_unless_it_is_not_wanted(monkeypatch, verbose):
    shown = []
    bar = module.progress_bar
    monkeypatch.setattr(module, "progress_bar", lambda *, visible: shown.append(visible) or bar(visible=False))
    params = {} if verbose is None else {"verbose": verbose}
    Likewise(2, random_state=0, **params).fit(X[:12]).add_constraints(Constraints(12, [(0, 1)]))
    assert shown == [verbose is not False] * 2


def test_attributes_that_a_model_file_does_not_have(plain, tmp_path):
    again = Likewise.load(plain.save(tmp_path / "m.likewise"))
    for name in ("report_", "constraints_", "answers_", "suspects_"):
        with pytest.raises(AttributeError, match=f"can predict, but {name} is not saved in the file. Fit it again"):
            getattr(again, name)
    with pytest.raises(ValueError, match="a model read from a file can predict, but not learn more"):
        again.add_constraints(HINTS)
    assert again.doubtful(3).tolist() == plain.doubtful(3).tolist()
    assert "learned from hints" not in again._repr_html_()


def test_the_kind_of_data_can_be_given(plain):
    assert model_of(kind="table").fit(X).report_.kind == "table"
    assert plain._data_kind() is None
    assert plain.report_.preprocessing == str(plain._features.to_linear)
