"""The rows of files that are clustered in memory, and what is told of all rows."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from likewise.chunked._fold import Picked
from likewise.constraints import Constraints
from likewise.front import Suspect, Suspects
from likewise.front import _from_files as files
from likewise.front import _landmarks as landmarks
from likewise.front._certainty import Assignment
from likewise.front._from_files import PLACE, Sample, Tally, report_on_files, suspects_in_files
from likewise.front._report import ClusterReport, Report
from likewise.prepare import DataKind


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(landmarks, "MAX_LANDMARKS", 10)
    monkeypatch.setattr(landmarks, "MAX_CONSTRAINED", 6)


class Files:
    """Rows that are drawn as by a hash: every row in an order of its own."""

    def __init__(self, n):
        self.shape, self.asked = (n, 1), []

    def take(self, rows, count=0, seed=0):
        self.asked.append((len(rows), count, seed))
        n = self.shape[0]
        order = np.argsort(files.hashes(np.arange(n), seed), kind="stable")[:count]
        numbers = np.union1d(rows, order).astype(np.int64)
        return Picked(numbers, numbers[:, None].astype(float))


@pytest.mark.usefixtures("few")
class TestSample:
    def test_up_to_the_limit_all_rows_are_read(self):
        X = Files(10)
        sample = Sample.of(X, Constraints(10, [(0, 1)]), 3)
        assert X.asked == [(10, 0, 0)]
        assert sample.numbers.tolist() == list(range(10))
        assert np.flatnonzero(~sample.drawn).tolist() == [0, 1]

    @pytest.mark.parametrize(("n_constrained", "n_drawn"), [(0, 10), (4, 6), (6, 4), (8, 4), (100, 0)])
    def test_a_few_more_are_drawn_than_are_wanted(self, n_constrained, n_drawn):
        """Their number varies by its root, and five times that is drawn in addition."""
        X = Files(100)
        codes = np.where(np.arange(100) < n_constrained, 0, -1)
        sample = Sample.of(X, Constraints.from_labels(codes), 3)
        share = n_drawn / (100 - n_constrained) if n_constrained < 100 else 0.0
        assert X.asked == [(n_constrained, int(share * 100 + 5 * np.sqrt(share * 100)) + 1, 3)]
        assert sample.drawn.sum() == n_drawn
        assert (~sample.drawn).sum() == n_constrained
        np.testing.assert_array_equal(sample.rows[:, 0], sample.numbers)
        order = np.argsort(files.hashes(np.arange(100), 3), kind="stable")
        expected = [row for row in order if row >= n_constrained][:n_drawn]
        assert sorted(sample.numbers[sample.drawn]) == sorted(expected)

    def test_where_few_rows_are_left_all_are_drawn(self):
        codes = np.where(np.arange(11) < 9, 0, -1)
        sample = Sample.of(Files(11), Constraints.from_labels(codes), 0)
        assert sample.numbers.tolist() == list(range(11))


def places(certainty, clusters=None):
    found = np.empty(len(certainty), dtype=PLACE)
    found["certainty"], found["second"] = certainty, -1
    found["cluster"] = np.zeros(len(certainty)) if clusters is None else clusters
    return found


def test_a_tally_counts_rows_and_doubts():
    tally = Tally(3)
    tally.add(places([0.7, 0.69, 0.71, 0.2], [0, 1, 1, 0]))
    tally.add(places([0.1, 1.0], [1, 1]))
    clusters = tuple(ClusterReport(str(number), 99, ()) for number in range(3))
    report = Report(6, 3, DataKind.TABLE, "", "", doubtful=50, clusters=clusters, seconds={"hints": 1.0})
    found = tally.complete(report, {"placing rows": 2.0})
    assert [cluster.rows for cluster in found.clusters] == [2, 4, 0]
    assert found.doubtful == 3
    assert list(found.seconds.items()) == [("hints", 1.0), ("placing rows", 2.0)]


@pytest.mark.parametrize("landmarks_", [0, 2])
def test_a_report_on_files_names_their_rows(landmarks_):
    sample = Sample(np.array([5, 8, 13]), None, None)
    report = Report(3, 2, DataKind.TABLE, "", "", landmarks=landmarks_, moved=np.array([0, 2]), ask_about=(1, 0))
    hints = Constraints(20, [(5, 8)])
    found = report_on_files(replace(report, seconds={"hints": 1.0}), sample, hints, {"reading rows": 2.0})
    assert (found.n_rows, found.constraints, found.in_files) == (20, hints.summary(), True)
    assert found.landmarks == (landmarks_ or 3)
    assert (found.moved.tolist(), found.ask_about) == ([5, 13], (8, 5))
    assert list(found.seconds.items()) == [("reading rows", 2.0), ("hints", 1.0)]
    suspects = Suspects([Suspect((0, 2), "must-link", 0.5, 0.5), Suspect((0, 1), "comparison", 0.5, 0.5, (2, 1))])
    first, second = suspects_in_files(suspects, sample)
    assert (first.rows, first.than, second.rows, second.than) == ((5, 13), None, (5, 8), (13, 8))


@pytest.mark.parametrize("batch", [1, 3, 10])
def test_rows_of_the_sample_keep_their_places(monkeypatch, batch):
    monkeypatch.setattr(landmarks, "BATCH_ROWS", batch)
    asked = []

    def predict_certainty(rows):
        asked.append(len(rows))
        labels = rows[:, 0].astype(np.int32)
        return Assignment(labels, labels + 1, np.full(len(rows), 0.5))

    model = SimpleNamespace(predict_certainty=predict_certainty)
    numbers = np.array([2, 11, 14, 30])
    known = places([0.1, 0.2, 0.3, 0.4], [7, 8, 9, 6])
    rows = np.arange(10.0, 20.0)[:, None]
    found = files.place(rows, 10, model=model, numbers=numbers, known=known)
    expected = np.arange(10, 20)
    expected[[1, 4]] = [8, 9]
    assert found["cluster"].tolist() == expected.tolist()
    assert sum(asked) == 10
    assert max(asked) <= batch
    np.testing.assert_allclose(found["certainty"][[1, 4, 5]], [0.2, 0.3, 0.5])
    asked.clear()
    every = files.place(rows[:2], 10, model=model, numbers=np.array([10, 11]), known=known)
    assert (every["cluster"].tolist(), asked) == ([7, 8], [])
