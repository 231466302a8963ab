"""What long work reports of itself, and what a terminal shows of it."""

import sys
import threading
import warnings

import numpy as np
import pytest

import likewise
from likewise import Constraints, Likewise, _progress_bar
from likewise._progress import Progress, is_observed, observe, report, stage, track
from likewise._progress_bar import Status, progress_bar


def reported_by(work):
    """What a piece of work reports."""
    found = []
    with observe(found.append):
        work()
    return found


def test_nobody_observes_unless_asked_to():
    report(1, 2)
    with stage("nothing"):
        assert list(track(iter("ab"))) == ["a", "b"]
    assert not is_observed()


def test_stages_have_the_name_of_the_innermost_and_go_back():
    def work():
        with stage("outer"):
            report(1)
            with stage("inner"):
                report(2, 3)
            report(4)

    assert reported_by(work) == [
        Progress("outer"),
        Progress("outer", 1),
        Progress("inner"),
        Progress("inner", 2, 3),
        Progress("outer"),
        Progress("outer", 4),
        Progress(),
    ]


def test_of_nested_loops_the_outermost_is_counted():
    def work():
        for _ in track(range(2)):
            with stage("unseen"):
                for _ in track("abc"):
                    report(7)

    assert reported_by(work) == [Progress("", done, 2) for done in range(3)]


def test_an_item_that_is_made_late_belongs_to_its_turn():
    def made():
        for number in range(2):
            report(5)
            yield number

    assert reported_by(lambda: list(track(made()))) == [Progress("", done) for done in range(3)]


def test_a_loop_that_is_left_early_or_fails_no_longer_counts():
    def work():
        for _ in track(range(4)):
            break
        with pytest.raises(ZeroDivisionError):
            [1 / number for number in track(range(4))]
        report(3)

    assert reported_by(work) == [Progress("", 0, 4), Progress("", 0, 4), Progress("", 3)]


def test_observers_can_be_silenced_and_other_threads_are_not_observed():
    def work():
        with observe(None):
            report(1, 2)
        thread = threading.Thread(target=report, args=(1, 2))
        thread.start()
        thread.join()

    assert reported_by(work) == []


def test_time_left_is_linear_in_the_count_of_a_loop_of_known_length():
    status = Status("clustering", now=0.0)
    assert (status.description, status.counts(now=3.0)) == ("clustering", "0:03")
    status.update(Progress("solving", 5), now=4.0)
    assert (status.description, status.counts(now=4.0)) == ("clustering: solving", "step 5  0:04")
    status.update(Progress("training", 0, 8), now=10.0)
    assert status.counts(now=12.0) == "0 of 8  0:12"
    for done in range(1, 4):
        status.update(Progress("training", done, 8), now=10.0 + 2 * done)
        assert "left" not in status.counts(now=10.0 + 2 * done)  # too early to tell
    status.update(Progress("training", 4, 8), now=18.0)
    assert status.counts(now=18.0) == "4 of 8  0:18, about 0:08 left"
    assert status.counts(now=20.0) == "4 of 8  0:20, about 0:06 left"
    assert status.counts(now=99.0) == "4 of 8  1:39"  # longer than expected: nobody knows
    status.update(Progress("training", 0, 8), now=100.0)  # another loop
    assert status.counts(now=104.0) == "0 of 8  1:44"


ITEMS = 60
COSTS = {
    "constant": [1.0] * ITEMS,
    "noisy": list(np.random.default_rng(0).gamma(2.0, 0.5, ITEMS)),
    "growing": [0.05 * (item + 1) for item in range(ITEMS)],
    "shrinking": [0.05 * (ITEMS - item) for item in range(ITEMS)],
    "exploding": [1.1**item for item in range(ITEMS)],
    "a slow first item": [100.0] + [0.3] * (ITEMS - 1),
    "a quick first item": [0.01] + [2.0] * (ITEMS - 1),
    "cheap families first": [1.0] * 20 + [2.0] * 20 + [4.0] * 20,
    "expensive families first": [4.0] * 20 + [2.0] * 20 + [1.0] * 20,
    "a break": [1.0] * 30 + [20.0] + [1.0] * 29,
}


@pytest.mark.parametrize("name", COSTS)
def test_time_left_is_never_wrong_by_a_factor_of_four(name):
    costs = COSTS[name]
    status = Status(now=0.0)
    status.update(Progress("training", 0, ITEMS), now=0.0)
    ends = np.cumsum(costs)
    told = 0
    for done, end in enumerate(ends[:-1], start=1):
        status.update(Progress("training", done, ITEMS), now=end)
        left = status._seconds_left(end, done, ITEMS)
        if left is not None:
            told += 1
            assert 1 / 4 < left / (ends[-1] - end) < 4, f"{done} done"
    assert told > 0 or name in ("growing", "exploding")
    if name == "constant":
        assert told > ITEMS / 2


def test_a_bar_needs_a_terminal(monkeypatch):
    with progress_bar("work"):
        assert not is_observed()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress_bar("work", visible=False):
        assert not is_observed()
    with progress_bar("work"):
        assert is_observed()
    assert not is_observed()


def test_where_somebody_observes_there_is_no_second_bar(monkeypatch):
    monkeypatch.setattr(_progress_bar, "_on_terminal", lambda: True)
    monkeypatch.setattr(_progress_bar, "_display", None)

    def work():
        with progress_bar("inner"):
            report(1, 2)

        with stage("outer"), progress_bar():  # without a title the stage outside keeps its name
            report(3)

    assert reported_by(work) == [
        Progress("inner"),
        Progress("inner", 1, 2),
        Progress(),
        Progress("outer"),
        Progress("outer", 3),
        Progress(),
    ]


def test_what_is_quick_is_not_shown(monkeypatch, capsys):
    monkeypatch.setattr(_progress_bar, "_on_terminal", lambda: True)
    with progress_bar("work"):
        report(1, 2)
    assert capsys.readouterr().err == ""


def small_case():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(3, 8))[y] + rng.normal(size=(90, 8))
    return X, Constraints.sample(y, "labeled_items", 30, random_state=0)


def test_a_fit_names_its_stages_and_counts_what_it_can():
    X, constraints = small_case()
    found = reported_by(lambda: Likewise(random_state=0).fit(X, constraints=constraints))
    names = list(dict.fromkeys(progress.stage for progress in found))
    steps = ["features", "number of clusters", "without hints", "hints", "learning from hints"]
    assert [name for name in names if name in steps] == steps
    for name in ("number of clusters", "without hints", "learning from hints"):
        counts = [progress for progress in found if progress.stage == name and progress.total]
        assert counts[-1].done == counts[-1].total > 1, name


MODELS = [
    likewise.COPKMeans(3, random_state=0),
    likewise.PCKMeans(3, random_state=0),
    likewise.MPCKMeans(3, random_state=0),
    likewise.ProjectThenCluster(3, random_state=0),
    likewise.SubspaceMetricEnsemble(3, random_state=0),
    likewise.Costco(),
    likewise.DSP(),
    likewise.XingMetric(),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_counts_go_forward_and_stay_within_their_total(model):
    X, constraints = small_case()

    def work():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, constraints=constraints)

    previous = Progress()
    for progress in reported_by(work):
        if progress.total is not None:
            assert 0 <= progress.done <= progress.total
        if progress.done and progress.stage == previous.stage and progress.total == previous.total:
            assert progress.done >= (previous.done or 0) or progress.done <= 1  # a new loop begins at its beginning
        previous = progress
