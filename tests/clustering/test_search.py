"""scikit-learn splits constraints with the rows: searches and cross-validations."""

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

import likewise as lw
from cases.data import blobs
from estimators import CLUSTERERS
from likewise import Constraints
from likewise.evaluation import constraint_accuracy

X, Y = blobs(90, 4, seed=1)
HINTS = Constraints.from_labels(np.where(np.arange(90) % 2 == 0, Y, -1)) | Constraints.sample(
    Y, "random_pairs", 60, random_state=0
)
SPLIT = KFold(3, shuffle=True, random_state=0)


@pytest.fixture
def routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def asking(estimator):
    return estimator.set_fit_request(constraints=True).set_score_request(constraints=True)


def by_hand(estimator, train, test):
    fitted = clone(estimator).fit(X[train], constraints=HINTS.restrict(train))
    return constraint_accuracy(fitted.predict(X[test]), HINTS.restrict(test))


@pytest.mark.parametrize("estimator", [lw.Likewise(3, random_state=0), lw.ProjectThenCluster(3, random_state=0)])
def test_cross_validation_gives_each_side_its_constraints(routed, estimator):
    found = cross_validate(asking(estimator), X, params={"constraints": HINTS}, cv=SPLIT, error_score="raise")
    expected = [by_hand(estimator, train, test) for train, test in SPLIT.split(X)]
    np.testing.assert_array_equal(found["test_score"], expected)


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (lw.ProjectThenCluster(3, random_state=0), {"n_clusters": [2, 3, 6]}),
        (lw.Likewise(3, random_state=0), {"n_clusters": [3, 6]}),
    ],
)
def test_a_grid_over_the_number_of_clusters(routed, estimator, grid):
    search = GridSearchCV(asking(estimator), grid, cv=SPLIT, error_score="raise").fit(X, constraints=HINTS)
    expected = [
        np.mean([by_hand(clone(estimator).set_params(n_clusters=k), train, test) for train, test in SPLIT.split(X)])
        for k in grid["n_clusters"]
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], expected)
    assert search.best_params_["n_clusters"] == grid["n_clusters"][np.argmax(expected)]
    assert search.score(X, constraints=HINTS) > 0.9


def test_labels_need_no_routing():
    partial = np.where(np.arange(90) % 2 == 0, Y, -1)
    search = GridSearchCV(lw.PCKMeans(random_state=0), {"n_clusters": [2, 3]}, cv=SPLIT, error_score="raise")
    assert search.fit(X, partial).best_params_ == {"n_clusters": 3}


def test_without_routing_the_constraints_are_split_and_the_score_says_what_is_missing():
    search = GridSearchCV(lw.PCKMeans(random_state=0), {"n_clusters": [3]}, cv=SPLIT, error_score="raise")
    with pytest.raises(ValueError, match="set_score_request"):
        search.fit(X, constraints=HINTS)
    search.set_params(scoring=lambda fitted, rows, y=None: float(len(rows))).fit(X, constraints=HINTS)
    assert search.best_score_ == 30


def test_a_score_without_constraints_says_so():
    fitted = lw.PCKMeans(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="no constraint has all its rows among these 90"):
        fitted.score(X, constraints=Constraints(90))
    assert fitted.score(X, Y, constraints=HINTS) == constraint_accuracy(
        fitted.labels_, Constraints.from_labels(Y) | HINTS
    )


def test_what_places_no_rows_has_no_score():
    for key, case in CLUSTERERS.items():
        assert hasattr(case.estimator, "score") == hasattr(case.estimator, "predict"), key


def test_parts_of_constraints():
    rows = np.array([5, 1, 8])
    assert HINTS[rows] == HINTS[rows, ...] == HINTS.restrict(rows)
    assert HINTS[2:50:3] == HINTS.restrict(np.arange(2, 50, 3))
    mask = np.arange(90) < 20
    assert HINTS[mask] == HINTS[:20] == HINTS[mask.tolist()]
    assert HINTS.shape == (90,)
    for wrong in (3, (0, 1), "rows", np.zeros((2, 2), dtype=int)):
        with pytest.raises(TypeError, match="does not select rows"):
            HINTS[wrong]
    with pytest.raises(TypeError, match="not iterable"):
        list(HINTS)
