"""Labels and constraints given to an estimator."""

import pytest

from likewise import Constraints
from likewise._estimator import as_constraints


def test_constraints_alone_are_returned_as_they_are():
    constraints = Constraints(3, must_link=[(0, 1)])
    assert as_constraints(3, None, constraints) is constraints
    assert as_constraints(3, [-1, -1, -1], constraints) is constraints
    assert as_constraints(3, None, None) == Constraints(3)


def test_fitting_keeps_the_groups_that_were_worked_out(monkeypatch):
    from sklearn.datasets import load_iris

    from likewise import COPKMeans

    X, y = load_iris(return_X_y=True)
    constraints = Constraints.sample(y, "equal", 5, random_state=0)
    groups = constraints.groups()
    seen = []
    monkeypatch.setattr(COPKMeans, "_cluster", lambda self, X, given, weight: seen.append(given) or y)
    COPKMeans(3).fit(X, constraints=constraints)
    assert seen[0].groups() is groups


def test_both_count():
    both = as_constraints(3, [0, -1, 0], Constraints(3, cannot_link=[(0, 1)]))
    assert (both.n_must_link, both.n_cannot_link) == (1, 1)


def test_other_rows_and_other_things():
    with pytest.raises(ValueError, match="constraints were built for 2 rows, X has 3"):
        as_constraints(3, None, Constraints(2))
    with pytest.raises(ValueError, match="y has 2 labels, X has 3 rows"):
        as_constraints(3, [0, 1], None)
    with pytest.raises(TypeError, match=r"must be a likewise\.Constraints, got a list of 1 item"):
        as_constraints(3, None, [(0, 1)])
