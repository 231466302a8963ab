"""What long work tells of itself: shares that never go back and end at 1, and what is made of them."""

import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from likewise import Constraints, Costco, Likewise
from likewise import _foresight as foresight
from likewise._progress_bar import time_left
from likewise._progress_legacy import Fall, each, heard, listening, part, tell
from likewise.clustering.kmeans._starts import fit_starts
from likewise.front._budget import Pace
from likewise.front._unsupervised import Ground
from likewise.pencil import solve_pencil
from likewise.studies import methods


def told_by(work):
    """The shares that a piece of work tells."""
    shares = []
    with listening(shares.append):
        work()
    return np.array(shares)


def test_nobody_listens_unless_asked_to():
    tell(1, 2)
    assert not heard()
    assert list(each(iter("ab"))) == ["a", "b"]


def test_slices_lie_in_each_other():
    def work():
        for _ in each(range(2)):
            with part(0.5, 1):
                tell(1, 2)

    assert told_by(work).tolist() == [0.375, 0.5, 0.5, 0.875, 1.0, 1.0]


def test_an_item_that_is_made_late_is_made_in_its_own_slice():
    def made():
        for number in range(2):
            tell(1, 2)
            yield number

    assert told_by(lambda: list(each(made(), 2))).tolist() == [0.25, 0.5, 0.75, 1.0]


def test_what_is_left_early_is_not_done_and_its_slice_is_closed():
    def work():
        for _ in each(range(4)):
            break
        tell(1, 10)
        with pytest.raises(ZeroDivisionError), part(0.5, 1):
            raise ZeroDivisionError
        tell(2, 10)

    assert told_by(work).tolist() == [0.1, 0.2]


def test_one_can_refuse_to_hear_and_other_threads_are_not_heard():
    def work():
        with listening(None):
            tell(1, 2)
        thread = threading.Thread(target=tell, args=(1, 2))
        thread.start()
        thread.join()

    assert not len(told_by(work))


def test_a_fall_takes_nothing_back_and_ends_at_its_end():
    def work():
        falling = Fall(to=1e-2)
        for value in (1.0, 0.1, 0.5, 0.0):
            falling.tell(value)

    assert told_by(work).tolist() == [0.0, 0.5, 0.5, 1.0]


def test_each_needs_a_length_once_somebody_listens():
    with pytest.raises(TypeError, match="number of items"):
        told_by(lambda: list(each(iter("ab"))))


def test_the_rest_takes_as_long_as_the_last_half():
    slow_then_fast = [(0.0, 0.0), (10.0, 0.1), (11.0, 0.2), (13.0, 0.4)]
    assert time_left(slow_then_fast, 13.0) == pytest.approx(6.0)
    assert time_left(slow_then_fast, 15.0) == pytest.approx(4.0)
    assert time_left(slow_then_fast, 20.0) == pytest.approx(30.0)  # overdue: as all did so far
    assert time_left([(0.0, 0.0)], 3.0) is None


def test_starts_one_by_one_give_the_answer_of_all_at_once():
    rng = np.random.default_rng(0)
    for seed in range(3):
        X = rng.normal(size=(200, 3))
        whole = KMeans(4, n_init=8, random_state=seed).fit(X)
        shares, single = [], KMeans(4, n_init=8, random_state=seed)
        with listening(shares.append):
            assert fit_starts(single, X) is single
        assert len(shares) == 8
        np.testing.assert_array_equal(single.labels_, whole.labels_)
        np.testing.assert_allclose(single.cluster_centers_, whole.cluster_centers_)
        np.testing.assert_array_equal(single.predict(X), whole.predict(X))
        assert single.get_params() == whole.get_params()


def small_case(text):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    if not text:
        return rng.normal(size=(3, 8))[y] + rng.normal(size=(90, 8)), hints_about(y)
    return sparse.csr_array(rng.poisson(rng.gamma(0.3, size=(3, 200))[y] / 4).astype(float)), hints_about(y)


def hints_about(y):
    return Constraints.sample(y, "labeled_items", 30, random_state=0)


@pytest.mark.parametrize("text", [False, True], ids=["table", "text"])
@pytest.mark.parametrize("name", [name for name in methods.METHODS if name != "umap"])  # another package's
def test_every_method_tells_shares_that_never_go_back_and_end_at_1(name, text):
    X, hints = small_case(text)
    told = {} if name in ("k-means", "pca", "lpp", "nc") else {"constraints": hints}
    model = Likewise(3, random_state=0) if name == "likewise" else methods.clusterer(name, X, 3, 0)

    def work():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fit_starts(model, X) if isinstance(model, KMeans) else model.fit(X, **told)

    shares = told_by(work)
    assert np.any((shares > 0) & (shares < 1)), shares
    assert np.all(np.diff(shares) >= -1e-9), shares
    assert shares[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("name", methods.PROJECTIONS)
def test_every_projection_tells_how_far_it_is(name):
    X, hints = small_case(text=False)
    model = methods.PROJECTIONS[name](n_components=2)
    shares = told_by(lambda: model.fit(X, **({} if name == "lpp" else {"constraints": hints})))
    assert np.all(np.diff(shares) >= -1e-9), shares
    assert shares[-1] == pytest.approx(1.0)
    assert np.any((shares > 0) & (shares < 1))


@pytest.mark.parametrize(
    ("shape", "text", "calls"),
    [
        ((700, 600), False, 3),  # two forms as matrices, and their eigenproblem
        ((700, 600), True, 1),
        ((600, 700), False, 4),  # first, rows are brought to their own space
        ((600, 700), True, 4),
    ],
)
def test_a_full_eigenproblem_is_foreseen(shape, text, calls, monkeypatch):
    foretold, real = [], foresight.expected
    monkeypatch.setattr(foresight, "expected", lambda seconds: foretold.append(seconds) or real(seconds))
    X = np.random.default_rng(0).normal(size=shape)
    X = sparse.csr_array(np.where(X > 2, X, 0)) if text else X
    hints = Constraints(shape[0], must_link=[(row, row + 1) for row in range(0, 20, 2)])
    pencil = Costco()._pencil(X, hints)
    plain = solve_pencil(X, pencil, 5).components
    assert not foretold
    found = []
    shares = told_by(lambda: found.append(solve_pencil(X, pencil, 5)))
    np.testing.assert_array_equal(found[0].components, plain)
    assert len(foretold) == calls
    assert np.all(np.diff(shares) >= -1e-9)


def test_features_tell_how_far_they_are():
    def work():
        with Pace(parts=["features"]).shown() as pace:
            Ground.of(small_case(text=False)[0], pace)
            tell(1)  # of which nobody hears

    shares = told_by(work)
    assert np.any((shares > 0) & (shares < 1))
    assert np.all(np.diff(shares) >= 0)
    assert shares[-1] == 1.0


def test_the_matrix_free_route_tells_how_far_its_residual_has_fallen():
    rng = np.random.default_rng(0)
    X = sparse.random_array((300, 2000), density=0.05, rng=rng, format="csr")
    hints = Constraints(300, must_link=[(row, row + 1) for row in range(0, 20, 2)])
    pencil = Costco()._pencil(X, hints)
    shares = told_by(lambda: solve_pencil(X, pencil, 5, route="matrix-free"))
    assert np.sum((shares > 0) & (shares < 1)) > 2
    assert np.all(np.diff(shares) >= 0)
