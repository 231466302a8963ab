"""The published equations, slow and direct: loops, dense n×n and f×f matrices, and scipy alone.

Each function returns directions as rows, best first, with the length that the paper gives them.
"""

import numpy as np
from scipy import linalg

from cases.forms import (
    members,
    outer_sum,
    pair_weights,
    slow_between,
    slow_degree,
    slow_neighbors,
    slow_total,
    slow_within,
)


def largest_over(numerator, denominator, null=1e-10):
    """All directions of the largest numerator / denominator on the range of the denominator, of form length 1."""
    size, frame = linalg.eigh(denominator)
    frame = frame[:, size > null * size[-1]]
    values, vectors = linalg.eigh(frame.T @ numerator @ frame, frame.T @ denominator @ frame)
    return (frame @ vectors[:, ::-1]).T, values[::-1]


def groups_of(hints):
    """Closed groups by repeated merging."""
    groups = np.arange(hints.n_samples)
    pairs = hints.expand().must_link
    while True:
        before = groups.copy()
        for i, j in pairs:
            groups[groups == max(groups[i], groups[j])] = min(groups[i], groups[j])
        if np.array_equal(before, groups):
            return groups


def chosen_groups(hints, singletons):
    groups = groups_of(hints)
    pairs = hints.expand()
    for row in range(hints.n_samples):
        alone = np.sum(groups == groups[row]) == 1
        met = row in pairs.cannot_link
        if alone and (singletons == "none" or (singletons == "constrained" and not met)):
            groups[row] = -1
    return groups


def asp(X, hints, singletons="all"):
    C = np.array([X[rows].mean(axis=0) for rows in members(chosen_groups(hints, singletons))])
    _, sizes, basis = linalg.svd(C, full_matrices=False)
    return basis[sizes > max(C.shape) * np.finfo(float).eps * sizes[0]]


def screen(X, hints, scatter="groups", singletons="all"):
    by_groups = slow_between(X, chosen_groups(hints, singletons))
    values, vectors = linalg.eigh(by_groups if scatter == "groups" else cannot_link_scatter(X, hints))
    return vectors[:, values > 1e-10 * values[-1]].T[::-1]


def apart(hints):
    """Pairs of closed groups that a cannot-link parts, with the largest weight."""
    groups, found = groups_of(hints), {}
    pairs = hints.expand()
    for (i, j), weight in zip(pairs.cannot_link, pairs.cannot_weight, strict=True):
        key = tuple(sorted((groups[i], groups[j])))
        found[key] = max(found.get(key, 0.0), weight)
    return groups, found


def cannot_link_scatter(X, hints):
    groups, found = apart(hints)
    S = np.zeros((X.shape[1],) * 2)
    for (g, h), weight in found.items():
        gap = X[groups == g].mean(axis=0) - X[groups == h].mean(axis=0)
        S += weight * np.outer(gap, gap) / sum(found.values())
    return S


def costco_parts(X, hints):
    pairs = hints.expand()
    V = outer_sum(X, pair_weights(pairs, "must")) / pairs.must_weight.sum()  # Eq. 5.10
    U = slow_total(X) / len(X)  # Eq. 5.12
    return V, U


def costco_beta(X, hints, regularizer="variance"):
    V, U = costco_parts(X, hints)
    J = np.diag(U) if regularizer == "variance" else np.ones(len(U))
    return np.diag(V).max() / J.max()  # Eq. 5.17


def costco(X, hints, beta, regularizer="variance"):
    V, U = costco_parts(X, hints)
    J = np.diag(np.diag(U)) if regularizer == "variance" else np.eye(len(U))  # Eq. 5.16
    return largest_over(U, V + beta * J)[0]


def gaussian(X, delta):
    n = len(X)
    return np.array([[np.exp(-np.sum((X[i] - X[j]) ** 2) / (2 * delta**2)) for j in range(n)] for i in range(n)])


def collapsed_kernel(K, hints):
    """K̂ (Eqs. 4–8) with one row of M for each must-link, cycles and all."""
    pairs = hints.expand().must_link
    M = np.zeros((len(pairs), len(K)))
    for t, (i, j) in enumerate(pairs):
        M[t, i], M[t, j] = 1.0, -1.0
    return K - (M @ K).T @ linalg.pinvh(M @ K @ M.T, rtol=1e-10) @ (M @ K)


def median_distance(X):
    return np.median([np.linalg.norm(X[i] - X[j]) for i in range(len(X)) for j in range(i)])


def extreme(distances, k, sign, before):
    """Pairs of each row and its k nearest or farthest; ties go by the distances before the collapse."""
    n = len(distances)
    edges = set()
    for i in range(n):
        ranked = sorted((sign * round(distances[i, j] * 1e6), sign * before[i, j], j) for j in range(n) if j != i)
        edges |= {(min(i, j), max(i, j)) for *_, j in ranked[:k]}
    return edges


def dsp_graphs(X, hints, delta, k=5):
    n = len(X)
    K = collapsed_kernel(gaussian(X, delta), hints)
    collapsed = np.sqrt(np.maximum(np.diag(K)[:, None] + np.diag(K) - 2 * K, 0.0))
    collapsed = collapsed / collapsed.max()
    plain = np.array([[np.linalg.norm(a - b) for b in X] for a in X])
    plain = plain / plain.max()
    S, R = np.zeros((n, n)), np.zeros((n, n))
    for i, j in extreme(collapsed, k, 1, plain):
        S[i, j] = S[j, i] = 1 - collapsed[i, j]
    for i, j in extreme(plain, k, -1, plain):
        R[i, j] = R[j, i] = 1 - plain[i, j]
    pairs = hints.expand()
    for (i, j), weight in zip(pairs.cannot_link, pairs.cannot_weight, strict=True):
        R[i, j] = R[j, i] = weight * (1 - plain[i, j])
    return S, R


def dsp(X, hints, delta, null_space="keep"):
    """Directions of smallest S over R, with ZᵀRZ = I; and the quotients λ."""
    S, R = (outer_sum(X, graph) for graph in dsp_graphs(X, hints, delta))
    Z, values = largest_over(-S, R)
    keep = -values > 1e-9 if null_space == "discard" else slice(None)
    return Z[keep], -values[keep]


def gcdr_weights(X, hints, k=5):
    """Positive and negative weights apart, after transitivity and entailment."""
    pairs = hints.expand(closed=True)
    same = pair_weights(pairs, "must")
    return np.eye(len(X)) + same + slow_neighbors(X, k, "mean"), pair_weights(pairs, "cannot")


def gcdr(X, hints, degree, ridge=0.0):
    positive, negative = gcdr_weights(X, hints)
    factor = 1.0
    if degree == "shrink":
        for plus, minus in zip(positive.sum(axis=1), negative.sum(axis=1), strict=True):
            if minus > 0:
                factor = min(factor, 0.999 * plus / minus)
    W = positive - factor * negative
    D = np.diag(np.abs(W).sum(axis=1) if degree == "absolute" else W.sum(axis=1))
    centered = X - X.mean(axis=0)
    denominator = centered.T @ D @ centered
    cost = ridge * np.trace(denominator) / len(denominator) * np.eye(len(denominator))
    numerator = centered.T @ (np.diag(W.sum(axis=1)) - W) @ centered
    return largest_over(-(numerator + cost), denominator + cost)[0], factor


def ssdr(X, hints, alpha=1.0, beta=20.0):
    n = len(X)
    S = np.full((n, n), 1.0 / n**2)
    pairs = hints.expand()
    if len(pairs.cannot_link):
        S += alpha * pair_weights(pairs, "cannot") / pairs.cannot_weight.sum()
    if len(pairs.must_link):
        S -= beta * pair_weights(pairs, "must") / pairs.must_weight.sum()
    _, vectors = linalg.eigh(outer_sum(X, S))
    return vectors.T[::-1]


def lpp(X, W, ridge=0.0):
    D = slow_degree(X, W)
    cost = ridge * np.trace(D) / len(D) * np.eye(len(D))
    return largest_over(-(outer_sum(X, W) + cost), D + cost)[0]


def closed_links(hints):
    """Must-links after transitivity."""
    groups = groups_of(hints)
    W = (groups[:, None] == groups) * 1.0
    np.fill_diagonal(W, 0.0)
    return W


def side_information(X, hints, k=5):
    W = slow_neighbors(X, k, "union")
    pairs = hints.expand()
    for kind, sign in (("must", 1.0), ("cannot", -1.0)):
        stated = pair_weights(pairs, kind)
        W = np.where(stated > 0, sign * stated, W)
    return W


def lppsi(features, W, ridge=0.0):
    plain = features.T @ features
    cost = ridge * np.trace(plain) / len(plain) * np.eye(len(plain))
    return largest_over(-(outer_sum(features, W) + cost), plain + cost)[0]


def rca(X, hints, ridge=0.0):
    codes = chosen_groups(hints, "none")
    weight = 1.0 / np.sum(codes >= 0)
    within = weight * slow_within(X, codes)
    total = within + weight * slow_between(X, codes)
    cost = ridge * np.trace(within) / len(within) * np.eye(len(within))
    return largest_over(total, within + cost)[0], within + cost


def dca(X, hints, ridge=0.0):
    codes = chosen_groups(hints, "constrained")
    within = slow_within(X, codes) / np.sum(codes >= 0)
    cost = ridge * np.trace(within) / len(within) * np.eye(len(within))
    return largest_over(cannot_link_scatter(X, hints), within + cost)[0]
