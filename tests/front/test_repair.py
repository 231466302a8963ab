"""Labels that are repaired satisfy all cannot-links, at the least cost in squared distances."""

from itertools import product

import numpy as np
import pytest

from likewise.constraints import Constraints
from likewise.front._hard_constraints import repair_labels

Z = np.concatenate([np.linspace(-0.5, 0.5, 10), np.linspace(9.5, 10.5, 10), np.linspace(29.5, 30.5, 10)])[:, None]
Y = np.repeat([0, 1, 2], 10)


def cost(labels, k, y=Y):
    centers = np.array([Z[y == cluster].mean(axis=0) for cluster in range(k)])
    return float(np.square(Z - centers[labels]).sum())


def best(hints, k, y=Y):
    """The cheapest labels of the groups with cannot-links, by trying all."""
    groups = hints.groups()
    apart = groups[hints.cannot_link]
    touched = np.unique(apart)
    found = None
    for chosen in product(range(k), repeat=len(touched)):
        of_group = dict(zip(touched.tolist(), chosen, strict=True))
        if all(of_group[a] != of_group[b] for a, b in apart.tolist()):
            labels = np.array([of_group.get(int(group), own) for group, own in zip(groups, y, strict=True)])
            if found is None or cost(labels, k, y) < cost(found, k, y):
                found = labels
    return found


@pytest.mark.parametrize(
    ("must", "cannot"),
    [
        ([], [(0, 1)]),
        ([(0, 1)], [(0, 9)]),
        ([(10, 11), (11, 12)], [(10, 19), (0, 29)]),
        ([(0, 1), (8, 9)], [(0, 8), (8, 10), (0, 10)]),
    ],
)
def test_of_three_clusters_the_nearest_that_are_left_are_taken(must, cannot):
    hints = Constraints(30, must, cannot)
    before = Y.copy()
    labels, why = repair_labels(Z, Y, 3, hints, np.random.RandomState(0))
    assert why == ""
    assert (labels[hints.cannot_link[:, 0]] != labels[hints.cannot_link[:, 1]]).all()
    assert cost(labels, 3) == pytest.approx(cost(best(hints, 3), 3))
    np.testing.assert_array_equal(Y, before)


@pytest.mark.parametrize(("must", "cannot"), [([], [(0, 1), (1, 2)]), ([(0, 1), (1, 2)], [(2, 3), (3, 9)])])
def test_of_two_clusters_the_best_sides_are_taken(must, cannot):
    y = np.minimum(Y, 1)
    hints = Constraints(30, must, cannot)
    labels, why = repair_labels(Z, y, 2, hints, np.random.RandomState(0))
    assert why == ""
    np.testing.assert_array_equal(labels, best(hints, 2, y))


def test_labels_without_violations_stay_as_they_are():
    hints = Constraints(30, [(0, 1)], [(0, 10), (10, 20)])
    assert repair_labels(Z, Y, 3, hints, np.random.RandomState(0)) == (Y, "")


def test_labels_that_cannot_be_repaired_stay_with_the_reason():
    square = Constraints(30, cannot_link=[(i, j) for i in range(4) for j in range(i)])
    labels, why = repair_labels(Z, Y, 3, square, np.random.RandomState(0))
    assert labels is Y
    assert "3 clusters" in why
    y = np.minimum(Y, 1)
    triangle = Constraints(30, cannot_link=[(0, 1), (1, 2), (0, 2)])
    labels, why = repair_labels(Z, y, 2, triangle, np.random.RandomState(0))
    assert labels is y
    assert "odd cycle" in why
