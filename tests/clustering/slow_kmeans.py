"""Slow direct versions: one pair, one row, one cluster at a time."""

import numpy as np


def slow_means(X, labels, centers, weight=None):
    weight = np.ones(len(X)) if weight is None else weight
    return np.array(
        [
            np.average(X[labels == h], axis=0, weights=weight[labels == h]) if np.any(labels == h) else centers[h]
            for h in range(len(centers))
        ]
    )


def pair_lists(pairs):
    """(kind, i, j, weight) of expanded constraints."""
    must = zip(pairs.must_link.tolist(), pairs.must_weight.tolist(), strict=True)
    cannot = zip(pairs.cannot_link.tolist(), pairs.cannot_weight.tolist(), strict=True)
    return [("must", i, j, b) for (i, j), b in must] + [("cannot", i, j, b) for (i, j), b in cannot]


def broken(hints, labels):
    """The weight of all constraints that labels violate."""
    return sum(b for kind, i, j, b in hints if (labels[i] == labels[j]) == (kind == "cannot"))


def slow_pck(X, centers, hints, penalty, rng, n_iter):
    """J at each iteration; `hints` as from `pair_lists`."""
    constrained = sorted({row for _, i, j, _ in hints for row in (i, j)})
    k, labels, history = len(centers), None, []

    def cost(i, c, labels):
        changed = labels.copy()
        changed[i] = c
        mine = [hint for hint in hints if i in hint[1:3]]
        return np.sum((X[i] - centers[c]) ** 2) + penalty * broken(mine, changed)

    for _ in range(n_iter):
        near = np.array([np.argmin([np.sum((x - c) ** 2) for c in centers]) for x in X])
        before, labels = labels, near.copy()
        if before is not None:
            labels[constrained] = before[constrained]
        costs = [[cost(i, c, labels) for c in range(k)] for i in constrained]
        misplaced = [t for t, i in enumerate(constrained) if min(costs[t]) < costs[t][labels[i]] - 1e-12]
        for t in rng.permutation(misplaced).tolist() if misplaced else []:
            i = constrained[t]
            options = [cost(i, c, labels) for c in range(k)]
            if min(options) < options[labels[i]] - 1e-12:
                labels[i] = int(np.argmin(options))
        spread = sum(np.sum((x - centers[label]) ** 2) for x, label in zip(X, labels, strict=True))
        history.append(spread + penalty * broken(hints, labels))
        centers = slow_means(X, labels, centers)
    return history
