"""How many clusters, where nobody says: as many as the hints agree with best."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import silhouette_score

from ..clustering.points import Points
from ..constraints import Constraints
from .evidence import votes
from .folds import Statements
from .ground import Ground
from .kmeans import quick_labels
from .pace import Pace
from .streams import own_stream, side_by_side

Array = np.ndarray

STEP = 1.2
"""Candidates grow by this factor, once they no longer grow by one."""

REPEATS = 2
"""Runs for each candidate in each of two spaces."""

AS_GOOD = 0.02
"""Of numbers whose κ is within this of the best, the smallest is taken."""

FAR_OFF = 3.0
"""The share of must-links counts only if it speaks of a number of clusters within this factor of what agrees best."""

ROWS = 2000
"""Rows that a silhouette is taken over, at most."""

SHARE = 0.3
"""Of a budget, what finding the number of clusters may have used when the last candidate is tried."""


def choose_n_clusters(
    ground: Ground,
    hints: Constraints,
    rng: np.random.RandomState,
    pace: Pace | None = None,
    n_jobs: int | None = None,
) -> int:
    """A number of clusters that suits the hints; without any, one that suits the data.

    Two views are joined by a geometric mean. The number whose partitions without hints agree best with the hints
    (Cohen's κ); and, if hints were drawn at random, 1 / (share of must-links among them): two rows of k even clusters
    are in one with chance 1/k. The first weighs κ, from a half on, and the second the rest. The second is left out
    where hints are of one kind only, or where the views are so far apart that hints cannot have been drawn at random.
    Never fewer than rows that are all different from each other.

    Without hints the number with the largest mean silhouette in the linear features.

    Where time is short, large numbers are not tried.
    """
    runs = _tried(ground, rng, pace or Pace(), n_jobs)
    candidates = list(runs)
    if hints.is_empty:
        return max(candidates, key=lambda k: _silhouette(ground.L.F, runs[k], rng))
    statements = _with_both_kinds(Statements.of(hints, rng), ground, rng)
    kappas = np.array([_kappa(runs[k], statements) for k in candidates])
    best = float(candidates[int(np.argmax(kappas >= kappas.max() - AS_GOOD))])
    weight = float(np.clip(kappas.max(), 0.5, 1.0))
    if hints.n_must_link and hints.n_cannot_link:
        share = hints.n_must_link / (hints.n_must_link + hints.n_cannot_link)
        if max(1 / share / best, best * share) <= FAR_OFF:
            best = best**weight * (1 / share) ** (1 - weight)
    return least_clusters(hints, min(max(round(best), 2), ground.n))


def least_clusters(hints: Constraints, n_clusters: int) -> int:
    """``n_clusters``, or as many as rows were found that are all different from each other."""
    kept, _ = hints.drop_conflicts()
    while (clique := kept.clique(n_clusters)) is not None:
        n_clusters = len(clique)
    return n_clusters


def _candidates(n: int) -> list[int]:
    most = max(min(int(np.sqrt(2 * n)), n - 1), 2)
    candidates = [2]
    while candidates[-1] < most:
        candidates.append(max(candidates[-1] + 1, round(candidates[-1] * STEP)))
    return [k for k in candidates if k <= most]


def _tried(ground: Ground, rng: np.random.RandomState, pace: Pace, n_jobs: int | None) -> dict[int, list[Array]]:
    """Partitions without hints for each candidate, small numbers first; those of rows tried before are still there."""
    if ground.tried:
        return ground.tried
    candidates = _candidates(ground.n)
    spaces = [Points(ground.G.F), Points(ground.C.F)]
    for number, k in enumerate(candidates):
        start = pace.elapsed
        runs = [(points, k, own_stream(rng, k)) for points in spaces for _ in range(REPEATS)]
        ground.tried[k] = side_by_side(lambda run: quick_labels(*run), runs, n_jobs)
        pace.show("number of clusters", number + 1, len(candidates))
        if number + 1 < len(candidates) and not pace.room_for(STEP * (pace.elapsed - start), SHARE):
            pace.left_out.append(f"numbers of clusters above {k}")
            break
    return ground.tried


def _kappa(labelings: list[Array], statements: Statements) -> float:
    """Agreement of partitions and hints on which pairs are the same, beyond chance."""
    together, weight = votes(labelings, statements.pairs), statements.weight / statements.weight.sum()
    said, found = float(weight @ statements.same), float(weight @ together)
    agreed = float(weight @ np.where(statements.same, together, 1 - together))
    chance = said * found + (1 - said) * (1 - found)
    return (agreed - chance) / (1 - chance) if chance < 1 else 0.0


def _with_both_kinds(statements: Statements, ground: Ground, rng: np.random.RandomState) -> Statements:
    """Where one kind was never said: near rows stand for the same, rows drawn at random for different ones."""
    if statements.same.any() and not statements.same.all():
        return statements
    count = len(statements)
    if statements.same.all():
        left = rng.randint(ground.n, size=count)
        pairs = np.column_stack([left, (left + 1 + rng.randint(ground.n - 1, size=count)) % ground.n])
    else:
        near = ground.graph.graph_.tocoo()
        drawn = rng.choice(near.nnz, size=count, p=near.data / near.data.sum())
        pairs = np.column_stack([near.row[drawn], near.col[drawn]])
    return Statements(
        np.concatenate([statements.pairs, pairs]),
        np.concatenate([statements.same, ~statements.same]),
        np.concatenate([statements.weight, np.full(count, statements.weight.mean())]),
    )


def _silhouette(L: Array, labelings: list[Array], rng: np.random.RandomState) -> float:
    rows = rng.permutation(len(L))[:ROWS] if len(L) > ROWS else np.arange(len(L))
    scores = [
        silhouette_score(L[rows], labels[rows]) for labels in labelings if 1 < len(np.unique(labels[rows])) < len(rows)
    ]
    return float(np.mean(scores)) if scores else -1.0
