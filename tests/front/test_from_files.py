"""Likewise on rows in files. Here 150 rows come into memory, so that it can be tested."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_blobs

from likewise import Comparisons, ConstraintConflictError, Constraints, Likewise
from likewise.chunked import InMemory, RowFiles, _files, _fold
from likewise.evaluation import constraint_accuracy, normalized_mutual_information
from likewise.front import _landmarks
from likewise.front import _likewise as module
from likewise.front._from_files import Sample
from likewise.questions import Answer, Answers, Dialogue
from likewise.tables import read_raw

N = 700
SAID = {True: "same", False: "different"}
X, Y = make_blobs(N, centers=4, n_features=5, cluster_std=1.5, random_state=3)
X = X.astype(np.float32)
HINTS = Constraints.sample(Y, "random_pairs", 40, random_state=0)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    for name, value in (("MAX_LANDMARKS", 150), ("MAX_CONSTRAINED", 100), ("BATCH_ROWS", 64)):
        monkeypatch.setattr(_landmarks, name, value)
    monkeypatch.setattr(module, "MAX_LANDMARKS", 150)
    monkeypatch.setattr(_fold, "LEAF", 128)
    monkeypatch.setattr(_files, "LEAF", 128)


@pytest.fixture
def rows(tmp_path):
    for part, (start, stop) in enumerate(((0, 300), (300, 301), (301, N))):
        keys = [f"r{row}" for row in range(start, stop)]
        columns = {"key": keys, **{f"c{column}": X[start:stop, column] for column in range(5)}}
        pq.write_table(pa.table(columns), tmp_path / f"part{part}.parquet")
    return RowFiles(tmp_path / "part*.parquet", key="key")


@pytest.fixture
def model(rows):
    return Likewise(4, random_state=0).fit(rows, constraints=HINTS)


def test_all_rows_are_placed_in_two_passes(model, rows):
    assert rows.passes == 2
    assert model.labels_.shape == model.certainty_.shape == model.second_labels_.shape == (N,)
    assert normalized_mutual_information(Y, model.labels_) > 0.95
    here = Likewise(4, random_state=0).fit(X, constraints=HINTS)
    of_memory = normalized_mutual_information(Y, here.labels_)
    assert normalized_mutual_information(Y, model.labels_) > of_memory - 0.02
    assert constraint_accuracy(model.labels_, HINTS) > 0.95
    assert np.isin(np.flatnonzero(HINTS.constrained_rows()), model.landmarks_).all()
    assert len(model.landmarks_) == 150
    np.testing.assert_array_equal(model.labels_[model.landmarks_], model.landmark_model_.labels_)


def test_the_same_bits_from_files_from_memory_and_with_threads(model, monkeypatch):
    monkeypatch.setattr("likewise._threads.n_threads", lambda: 3)
    other = Likewise(4, random_state=0).fit(InMemory(X), constraints=HINTS)
    for name in ("labels_", "second_labels_", "certainty_", "landmarks_"):
        np.testing.assert_array_equal(getattr(other, name), getattr(model, name))


def test_few_rows_are_clustered_as_in_memory():
    few, hints = X[:150], HINTS.restrict(np.arange(150))
    there = Likewise(random_state=1).fit(InMemory(few), constraints=hints)
    here = Likewise(random_state=1).fit(few, constraints=hints)
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_allclose(there.certainty_, here.certainty_, atol=1e-7)


def test_which_rows_come_into_memory():
    sample = Sample.of(InMemory(X), HINTS, 7)
    assert len(sample.numbers) == 150
    np.testing.assert_array_equal(sample.drawn, ~HINTS.constrained_rows()[sample.numbers])
    np.testing.assert_array_equal(sample.rows, X[sample.numbers])
    assert (np.diff(sample.numbers) > 0).all()
    many = Constraints.from_labels(np.where(np.arange(N) % 3 == 0, Y, -1))
    sample = Sample.of(InMemory(X), many, 7)  # all rows that hints name, and half as many landmarks as there can be
    assert sample.drawn.sum() == 50
    assert (~sample.drawn).sum() == many.constrained_rows().sum()


def test_another_seed_draws_other_rows():
    first, again, other = (
        Likewise(4, random_state=seed, verbose=False).fit(InMemory(X), constraints=HINTS).landmarks_
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert 0 < np.isin(first, other).mean() < 1


@pytest.mark.parametrize("every", [3, 1])
def test_labels_of_many_rows(every, rows):
    known = np.where(np.arange(N) % every == 0, Y, -1)
    model = Likewise(4, random_state=0).fit(rows, known)
    assert normalized_mutual_information(Y, model.labels_) > 0.95
    assert model.cluster_names_[model.labels_[0]] == str(Y[0])
    assert "hints" in model.report_.learned_from


def test_comparisons_bring_their_rows_home(rows):
    compared = Comparisons(N, nearer=[(int(a), int(b), int(c)) for a, b, c in np.arange(120).reshape(-1, 3)])
    model = Likewise(4, random_state=0).fit(rows, constraints=compared)
    assert np.isin(np.arange(120), model.landmarks_).all()


def test_the_report(model):
    report = model.report_
    assert (report.n_rows, report.landmarks, report.in_files) == (N, 150, True)
    assert sum(cluster.rows for cluster in report.clusters) == N
    assert report.doubtful == (model.certainty_ < np.float32(0.7)).sum()
    assert "of the landmarks" in str(report)
    assert "c0" in str(report)  # the names of columns
    assert set(report.ask_about) <= set(model.landmarks_.tolist())
    assert {"reading rows", "placing rows"} <= set(report.seconds)
    for suspect in model.suspects_:
        i, j = suspect.rows
        assert (Y[i] == Y[j]) == (suspect.kind == "must-link")
    assert model.top_features(0, 1)[0][0] in {f"c{column}" for column in range(5)}
    assert len(model.to_frame()) == N
    assert len(model.doubtful(3)) == 3


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".npy"])
def test_places_go_into_a_file(suffix, model, rows, tmp_path):
    path = tmp_path / f"out{suffix}"
    other = Likewise(4, random_state=0).fit_to(path, rows, constraints=HINTS)
    if suffix == ".npy":
        np.testing.assert_array_equal(np.load(path), model.labels_)
    else:
        table = read_raw(path).columns
        assert list(table) == ["id", "cluster", "second", "certainty"]
        assert list(table["id"]) == [f"r{row}" for row in range(N)]
        np.testing.assert_array_equal(np.array(table["cluster"]).astype(int), model.labels_)
        np.testing.assert_allclose(np.array(table["certainty"]).astype(float), model.certainty_, atol=1e-4)
    assert other.report_.clusters == model.report_.clusters
    for name in ("labels_", "certainty_", "second_labels_"):
        with pytest.raises(AttributeError, match="fit_to wrote"):
            getattr(other, name)


def test_names_go_into_the_file(rows, tmp_path):
    Likewise(4, random_state=0).fit_to(tmp_path / "out.parquet", rows, np.where(np.arange(N) % 9 == 0, Y, -1))
    table = pq.read_table(tmp_path / "out.parquet").to_pydict()
    assert list(table) == ["id", "cluster", "name", "second", "second_name", "certainty"]
    assert np.mean(np.array(table["name"]) == Y.astype(str)) > 0.95


def test_new_rows_and_model_files(model, rows, tmp_path):
    rows.map_to(tmp_path / "placed.npy", model.predict)
    assert (np.load(tmp_path / "placed.npy") == model.labels_).mean() > 0.99  # rows beside each other share products
    again = Likewise.load(model.save(tmp_path / "m.likewise"))
    np.testing.assert_array_equal(again.predict(X[:60] + 0.01), model.predict(X[:60] + 0.01))
    np.testing.assert_array_equal(again.transform(X[:9]), model.transform(X[:9]))
    assert (tmp_path / "m.likewise").stat().st_size < 2_000_000


def test_what_a_model_of_files_cannot_do(model, tmp_path):
    for name in ("embedding_", "unsupervised_labels_"):
        with pytest.raises(AttributeError, match=rf"landmark_model_\.{name}"):
            getattr(model, name)
        assert len(getattr(model.landmark_model_, name)) == 150
    with pytest.raises(ValueError, match="a copy of a model of rows in files cannot learn more"):
        pickle.loads(pickle.dumps(model)).add_constraints(HINTS)
    with pytest.raises(ValueError, match=r"landmark_model_\.write_report"):
        model.write_report(tmp_path / "r.html")
    assert model.landmark_model_.write_report(tmp_path / "r.html").exists()


def test_questions_about_rows_in_files_are_about_those_in_memory(rows):
    model = Likewise(4, random_state=0).fit(rows)
    among = model.landmarks_[::2]
    asked = model.ask(6, among=among)
    assert len(asked) == 6
    assert np.isin([question.rows for question in asked], among).all()
    landmarks = list(model.landmarks_)
    inside = np.isin(np.arange(len(landmarks)), np.arange(0, len(landmarks), 2))
    for one, here in zip(asked, model.landmark_model_.ask(6, among=inside), strict=True):
        assert one.rows == tuple(landmarks[row] for row in here.rows)
        assert one.chances == here.chances
    said = [SAID[bool(Y[one.rows[0]] == Y[one.rows[1]])] for one in asked]
    model.add_constraints(asked.answered([None, None, None, *said[3:]]))
    assert len(model.answers_) == 6
    assert len(model.landmark_model_.answers_) == 6
    again = {frozenset(question.rows) for question in model.ask(40)}
    assert not again & {frozenset(question.rows) for question in asked}
    with pytest.raises(TypeError, match="a dialogue needs rows in memory"):
        Dialogue(rows, 4)


def test_more_hints_about_landmarks_and_about_others(model, rows):
    before, passes = model.labels_.copy(), rows.passes
    here = model.landmarks_
    pairs = [(int(a), int(b)) for a, b in zip(here[:40:2], here[1:40:2], strict=True) if Y[a] == Y[b]]
    model.add_constraints(Constraints(N, must_link=pairs))
    assert rows.passes == passes + 1  # to place them
    left, right = model.labels_[pairs].T
    assert (left == right).mean() > 0.9
    assert (model.labels_ == before).mean() > 0.95  # clusters keep their numbers
    assert len(model.constraints_.must_link) == len(HINTS.must_link) + len(pairs)
    others = np.setdiff1d(np.arange(N), here)[:30]
    pairs = [(int(a), int(b)) for a, b in zip(others[::2], others[1::2], strict=True) if Y[a] == Y[b]]
    passes = rows.passes
    model.set_constraints(HINTS | Constraints(N, must_link=pairs))
    assert rows.passes == passes + 2
    assert np.isin(pairs, model.landmarks_).all()
    assert (model.labels_ == before).mean() > 0.95
    assert model.report_.n_rows == N


def test_answers_about_rows_in_files_are_known_as_answers(rows, monkeypatch):
    seen = []
    learn = module.apply_constraints
    monkeypatch.setattr(
        module, "apply_constraints", lambda *given, chosen: seen.append(chosen) or learn(*given, chosen)
    )
    first, more = (
        Answers([Answer((row, row + 1), SAID[bool(Y[row] == Y[row + 1])], screen=row) for row in some], N)
        for some in (range(0, 60, 2), range(100, 104, 2))
    )
    model = Likewise(4, random_state=0).fit(rows, constraints=first)
    here = model.landmarks_[:2].tolist()
    model.add_constraints(Answers([Answer(tuple(here), SAID[bool(Y[here[0]] == Y[here[1]])], chance=0.5)], N))
    model.add_constraints(more)
    assert len(model.answers_) == 33
    model.set_constraints(first.constraints)
    assert model.answers_ is None
    assert seen == [True, True, True, False]


def test_hints_about_landmarks_are_learned_from(rows):
    model = Likewise(4, trust="strict", random_state=0).fit(rows)
    first, second = (model.landmarks_[model.landmark_model_.labels_ == cluster][:3].tolist() for cluster in (0, 1))
    joined = Constraints(N, must_link=list(zip(first, second, strict=True)))
    model.add_constraints(joined)
    assert constraint_accuracy(model.labels_, joined) == 1
    assert model.landmark_model_.constraints_ == joined.restrict(model.landmarks_)


def test_a_fit_in_memory_afterward_knows_nothing_of_files(model):
    model.fit(X[:200])
    assert model.embedding_.shape[0] == len(model.labels_) == 200
    assert not hasattr(model, "landmark_model_")
    assert not model.report_.in_files


def test_a_fit_on_files_afterward_knows_nothing_of_memory(rows):
    frame = pd.DataFrame(X[:200], columns=[f"f{column}" for column in range(5)])
    model = Likewise(4, random_state=0, verbose=False).fit(frame)
    assert model.feature_names_in_.tolist() == list(frame)
    model.fit(rows)
    assert not hasattr(model, "feature_names_in_")
    assert (model.n_features_in_, model.answers_, len(model.labels_)) == (5, None, N)
    for name in ("embedding_", "unsupervised_labels_"):
        with pytest.raises(AttributeError, match="landmark_model_"):
            getattr(model, name)
    with pytest.raises(ValueError, match="has no report page of all rows"):
        model.write_report("r.html")


def test_contradictions_name_rows_of_the_files(rows):
    wrong = Constraints(N, must_link=[(600, 601), (601, 602)], cannot_link=[(600, 602)])
    with pytest.raises(ConstraintConflictError, match=r"60[012]"):
        Likewise(4, trust="strict").fit(rows, constraints=wrong)


def test_contradictions_that_come_later_name_rows_of_the_files(rows):
    model = Likewise(4, trust="strict", random_state=0).fit(rows)
    first, second, third = model.landmarks_[[100, 120, 140]].tolist()
    wrong = Constraints(N, must_link=[(first, second), (second, third)], cannot_link=[(first, third)])
    with pytest.raises(ConstraintConflictError, match=str(second)):
        model.add_constraints(wrong)


@pytest.mark.parametrize("known", [True, False])
def test_names_are_written_where_some_clusters_have_one(tmp_path, known):
    names = ["kind 0" if known and label == 0 and row % 9 == 0 else None for row, label in enumerate(Y)]
    hints = Constraints.from_labels(names) if known else HINTS
    Likewise(4, random_state=0, verbose=False).fit_to(tmp_path / "c.csv", InMemory(X), constraints=hints)
    columns = read_raw(tmp_path / "c.csv").columns
    assert ("name" in columns) == known
    if known:
        labeled = [name for name, own in zip(columns["name"], names, strict=True) if own is not None]
        assert labeled.count("kind 0") > 0.9 * len(labeled)
        assert len(set(columns["name"])) > 1
