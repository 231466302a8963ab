"""Runs of k-means for the ensemble: where they end, and clusters without rows."""

import numpy as np

from likewise.constraints import Constraints
from likewise.front import _kmeans


def test_quick_runs_come_to_an_end_of_their_own():
    Z = np.concatenate([np.linspace(0, 1, 60), np.linspace(2.0, 2.5, 20)])[:, None]
    points = _kmeans.Points(Z)
    start = (np.arange(80) >= 8).astype(int)  # far from the best split, step by step toward it
    labels = _kmeans.kmeans_labels(points, 2, None, start)
    means = np.array([Z[labels == cluster].mean() for cluster in (0, 1)])
    nearest = np.abs(Z - means).argmin(axis=1)
    assert (labels == nearest).mean() > 0.97
    assert _kmeans.kmeans_labels(points, 200, _kmeans.reserve_stream(np.random.RandomState(0), 80)).max() < 80


def test_the_final_k_means_is_exact():
    Z = np.concatenate([np.linspace(0, 1, 60), np.linspace(2.0, 2.5, 20)])[:, None]
    start = (np.arange(80) >= 8).astype(int)
    rng = np.random.RandomState(0)
    labels = _kmeans.constrained_kmeans(Z, 2, Constraints(80), rng, closed=False, starts=[start])
    means = np.array([Z[labels == cluster].mean() for cluster in (0, 1)])
    np.testing.assert_array_equal(labels, np.abs(Z - means).argmin(axis=1))


def test_clusters_without_rows_get_a_center():
    Z = np.concatenate([np.zeros((10, 2)), np.full((10, 2), 5.0)]) + np.random.default_rng(0).normal(size=(20, 2)) / 10
    stream = _kmeans.reserve_stream(np.random.RandomState(0), 2)
    labels = _kmeans.kmeans_labels(_kmeans.Points(Z), 2, stream, np.zeros(20, dtype=int))
    assert len(np.unique(labels[:10])) == len(np.unique(labels[10:])) == 1
    assert labels[0] != labels[-1]
    more = _kmeans.constrained_kmeans(
        Z[:3], 5, Constraints(3), np.random.RandomState(0), closed=False, starts=[np.zeros(3, dtype=int)]
    )
    assert sorted(more) == [0, 1, 2]


def test_groups_stay_together_only_where_they_are_closed():
    Z = np.array([[0.0], [0.1], [5.0], [5.1]])
    y = np.array([0, 0, 1, 1])
    hints = Constraints(4, [(0, 1), (1, 2)], must_weight=1e-3)
    rng = np.random.RandomState(0)
    closed = _kmeans.constrained_kmeans(Z, 2, hints, rng, closed=True, starts=[y])
    assert closed[0] == closed[1] == closed[2]
    np.testing.assert_array_equal(_kmeans.constrained_kmeans(Z, 2, hints, rng, closed=False, starts=[y]), y)
