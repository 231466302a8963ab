"""Forms, each with its definition written out slowly: one more form is one more line of the table."""

import numpy as np

from cases.data import blobs, consistent_hints, counts, labels_partition, partial_labels
from likewise import Constraints, Partition
from likewise.forms import (
    Form,
    between_scatter,
    centroid_scatter,
    degree,
    laplacian,
    ridge,
    total_scatter,
    within_scatter,
)
from likewise.graphs import RowMatrix, cannot_link_graph, must_link_graph, neighbor_graph

N = 24
LABELS = np.arange(N) % 4
PARTIAL = partial_labels(LABELS, 0.6)
HINTS = consistent_hints(LABELS, weighted=True)
LABELED = Constraints(N, partitions=[labels_partition(PARTIAL, weight=0.5)])
FRAMES = Constraints(N, partitions=[Partition(np.arange(N) // 3, False, False, True)])

DATA = {
    "dense": blobs(N, 5)[0],
    "sparse": counts(N, 7),
    "wide": blobs(N, 30, seed=2)[0],
    "one feature": blobs(N, 1)[0],
}


def outer_sum(X, weights):
    """Σ over i < j of weight (xᵢ − xⱼ)(xᵢ − xⱼ)ᵀ."""
    M = np.zeros((X.shape[1],) * 2)
    for i in range(len(X)):
        for j in range(i):
            M += weights[i, j] * np.outer(X[i] - X[j], X[i] - X[j])
    return M


def pair_weights(hints, kind):
    W = np.zeros((hints.n_samples,) * 2)
    pairs, weights = getattr(hints, f"{kind}_link"), getattr(hints, f"{kind}_weight")
    for (i, j), weight in zip(pairs, weights, strict=True):
        W[i, j] = W[j, i] = weight
    return W


def slow_neighbors(X, k, symmetry):
    n = len(X)
    directed = np.zeros((n, n))
    for i in range(n):
        others = [(np.linalg.norm(X[i] - X[j]), j) for j in range(n) if j != i]
        for _, j in sorted(others)[:k]:
            directed[i, j] = 1.0
    return np.maximum(directed, directed.T) if symmetry == "union" else (directed + directed.T) / (2 * k)


def slow_total(X):
    mean = X.mean(axis=0)
    return sum(np.outer(x - mean, x - mean) for x in X)


def members(codes):
    return [np.flatnonzero(codes == code) for code in np.unique(codes[codes >= 0])]


def slow_within(X, codes):
    M = np.zeros((X.shape[1],) * 2)
    for rows in members(codes):
        for x in X[rows]:
            M += np.outer(x - X[rows].mean(axis=0), x - X[rows].mean(axis=0))
    return M


def slow_between(X, codes):
    mean, M = X[codes >= 0].mean(axis=0), np.zeros((X.shape[1],) * 2)
    for rows in members(codes):
        M += len(rows) * np.outer(X[rows].mean(axis=0) - mean, X[rows].mean(axis=0) - mean)
    return M


def slow_centroids(X, codes):
    return sum(np.outer(X[rows].mean(axis=0), X[rows].mean(axis=0)) for rows in members(codes))


def slow_degree(X, W):
    return sum(W[i].sum() * np.outer(X[i], X[i]) for i in range(len(X)))


def _signed_graph():
    return must_link_graph(HINTS) - cannot_link_graph(HINTS)


def _slow_signed():
    return pair_weights(HINTS, "must") - pair_weights(HINTS, "cannot")


COSTS = np.arange(1.0, 40.0)

CASES = {
    # name: (form of X, its f×f matrix by definition)
    "must-links": (
        lambda X: laplacian(must_link_graph(HINTS)),
        lambda X: outer_sum(X, pair_weights(HINTS, "must")),
    ),
    "cannot-links": (
        lambda X: laplacian(cannot_link_graph(HINTS)),
        lambda X: outer_sum(X, pair_weights(HINTS, "cannot")),
    ),
    "labels, same": (
        lambda X: laplacian(must_link_graph(LABELED)),
        lambda X: outer_sum(X, pair_weights(LABELED.expand(), "must")),
    ),
    "labels, different": (
        lambda X: laplacian(cannot_link_graph(LABELED)),
        lambda X: outer_sum(X, pair_weights(LABELED.expand(), "cannot")),
    ),
    "frames, different": (
        lambda X: laplacian(cannot_link_graph(FRAMES)),
        lambda X: outer_sum(X, pair_weights(FRAMES.expand(), "cannot")),
    ),
    "neighbors, union": (
        lambda X: laplacian(neighbor_graph(X, 3)),
        lambda X: outer_sum(X, slow_neighbors(X, 3, "union")),
    ),
    "neighbors, mean": (
        lambda X: laplacian(neighbor_graph(X, 3, symmetry="mean")),
        lambda X: outer_sum(X, slow_neighbors(X, 3, "mean")),
    ),
    "degree of neighbors": (
        lambda X: degree(neighbor_graph(X, 3)),
        lambda X: slow_degree(X, slow_neighbors(X, 3, "union")),
    ),
    "degree of labels": (
        lambda X: degree(must_link_graph(LABELED)),
        lambda X: slow_degree(X, pair_weights(LABELED.expand(), "must")),
    ),
    "degree of signed": (lambda X: degree(_signed_graph()), lambda X: slow_degree(X, _slow_signed())),
    "signed": (
        lambda X: laplacian(_signed_graph(), signed=True),
        lambda X: outer_sum(X, _slow_signed()),
    ),
    "total scatter": (lambda X: total_scatter(N), slow_total),
    "within scatter": (lambda X: within_scatter(PARTIAL), lambda X: slow_within(X, PARTIAL)),
    "between scatter": (lambda X: between_scatter(PARTIAL), lambda X: slow_between(X, PARTIAL)),
    "between, codes with gaps": (
        lambda X: between_scatter(np.where(PARTIAL == 1, 9, PARTIAL)),
        lambda X: slow_between(X, PARTIAL),
    ),
    "between, one group": (
        lambda X: between_scatter(np.zeros(N, dtype=int)),
        lambda X: np.zeros((X.shape[1],) * 2),
    ),
    "within, singletons": (
        lambda X: within_scatter(np.arange(N)),
        lambda X: np.zeros((X.shape[1],) * 2),
    ),
    "centroid scatter": (lambda X: centroid_scatter(PARTIAL), lambda X: slow_centroids(X, PARTIAL)),
    "identity": (lambda X: ridge(1.0), lambda X: np.eye(X.shape[1])),
    "ridge of each feature": (
        lambda X: ridge(COSTS[: X.shape[1]]),
        lambda X: np.diag(COSTS[: X.shape[1]]),
    ),
    "sum with ridges": (
        lambda X: total_scatter(N) * 0.5 + ridge(COSTS[: X.shape[1]]) + 2.0 * ridge(1.0),
        lambda X: slow_total(X) / 2 + np.diag(COSTS[: X.shape[1]]) + 2 * np.eye(X.shape[1]),
    ),
    "difference of scatters": (
        lambda X: between_scatter(PARTIAL) - within_scatter(PARTIAL),
        lambda X: slow_between(X, PARTIAL) - slow_within(X, PARTIAL),
    ),
    "centered degree": (
        lambda X: Form(RowMatrix.diag(1.0 + LABELS).centered()),
        lambda X: slow_degree(X - X.mean(axis=0), np.diag(1.0 + LABELS)),
    ),
    "centered links": (
        lambda X: Form(must_link_graph(HINTS).centered(), psd=False),
        lambda X: (X - X.mean(0)).T @ pair_weights(HINTS, "must") @ (X - X.mean(0)),
    ),
}
