"""The scores as their definitions say them: one loop over all pairs, fractions, no table."""

from collections import Counter
from fractions import Fraction
from itertools import combinations


def count_pairs(y_true, y_pred):
    """Counter over (same class, placed together)."""
    return Counter((y_true[i] == y_true[j], y_pred[i] == y_pred[j]) for i, j in combinations(range(len(y_true)), 2))


def slow_rand(y_true, y_pred):
    c = count_pairs(y_true, y_pred)
    return share(c[True, True] + c[False, False], c.total(), 1)


def slow_pair_f(y_true, y_pred):
    c = count_pairs(y_true, y_pred)
    if not (c[True, True] or c[True, False] or c[False, True]):
        return 1.0, 1.0, 1.0
    precision = share(c[True, True], c[True, True] + c[False, True], 0)
    recall = share(c[True, True], c[True, True] + c[True, False], 0)
    f = 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)
    return float(f), float(precision), float(recall)


def slow_scaled_rand(y_true, y_pred):
    c = count_pairs(y_true, y_pred)
    halves = [
        share(c[same, same], c[same, True] + c[same, False], 1)
        for same in (True, False)
        if c[same, True] + c[same, False]
    ]
    return sum(halves) / len(halves) if halves else Fraction(1)


def slow_purity(y_true, y_pred):
    right = sum(
        Counter(t for t, p in zip(y_true, y_pred, strict=True) if p == cluster).most_common(1)[0][1]
        for cluster in set(y_pred)
    )
    return Fraction(right, len(y_true))


def slow_constraint_accuracy(labels, constraints):
    hints = [(i, j, True, w) for (i, j), w in zip(constraints.must_link, constraints.must_weight, strict=True)]
    hints += [(i, j, False, w) for (i, j), w in zip(constraints.cannot_link, constraints.cannot_weight, strict=True)]
    for part in constraints.partitions:
        for i, j in combinations(range(constraints.n_samples), 2):
            if part.codes[i] < 0 or part.codes[j] < 0:
                continue
            alike = part.codes[i] == part.codes[j]
            hints += [(i, j, True, part.weight)] * bool(alike and part.same_within)
            hints += [(i, j, False, part.weight)] * bool(alike and part.different_within)
            hints += [(i, j, False, part.weight)] * bool(not alike and part.different_across)
    once = {}
    for i, j, together, w in hints:
        once[i, j, together] = max(once.get((i, j, together), 0.0), w)
    kept = sum(w for (i, j, together), w in once.items() if (labels[i] == labels[j]) == together)
    return kept / sum(once.values())


def share(part, whole, empty):
    return Fraction(part, whole) if whole else Fraction(empty)
