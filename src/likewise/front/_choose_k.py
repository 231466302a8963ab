"""How many clusters, where nobody says: what the hints make likely."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax
from sklearn.metrics import silhouette_score

from .._progress import track
from .._threads import parallel_map
from ..clustering.kmeans._points import Points
from ..constraints import Constraints
from ._budget import Budget
from ._evidence import explained, votes
from ._folds import Statements
from ._kmeans import quick_labels
from ._streams import own_stream
from ._unsupervised import Ground

Array = np.ndarray

STEP = 1.2
"""Candidates grow by this factor, once they no longer grow by one."""

REPEATS = 2
"""Runs for each candidate in each of two spaces."""

SMALL = 1.5
"""Small numbers are likelier: before any hint the chance of k, on a scale of log k, falls as k to minus this."""

OVERLAP = 0.5
"""What a hint counts, since hints speak of the same rows and of the same partitions again and again."""

UNEVEN = 1.1
"""Two rows are in one of k clusters with chance 1.1/k: clusters are never quite even."""

FAR_OFF = 3.0
"""The share of must-links counts only if it speaks of a number within this factor of what explains the hints."""

PLAIN = 10.0
"""What a difference of 1 in the mean silhouette counts, in log-likelihood: hints soon weigh more."""

ROWS = 500
"""Rows that a silhouette is taken over, at most."""

SHARE = 0.3
"""Of a budget, what finding the number of clusters may have used when the last candidate is tried."""


def choose_n_clusters(
    ground: Ground,
    hints: Constraints,
    rng: np.random.RandomState,
    budget: Budget | None = None,
    n_jobs: int | None = None,
) -> int:
    """A number of clusters that suits the hints; without any, one that suits the data.

    The mean of log k over what is believed of k after the hints, by Bayes' rule. A number is likely if its partitions
    without hints are compact and apart (silhouettes in linear features); if they explain the hints; if as many of the
    hints are must-links as would be among pairs drawn at random from k clusters; and if it is small. The third is left
    out where hints are of one kind only, or so far from the rest that they cannot have been drawn at random. Never
    fewer than rows that are all different from each other.

    Without hints the number with the largest mean silhouette.

    Where time is short, large numbers are not tried.
    """
    runs = _tried(ground, rng, budget or Budget(), n_jobs)
    candidates = list(runs)
    rows = rng.permutation(ground.n)[:ROWS]
    silhouettes = np.array([_silhouette(ground.L.F, runs[k], rows) for k in candidates])
    if hints.is_empty:
        return candidates[int(np.argmax(silhouettes))]
    statements = _with_both_kinds(Statements.of(hints, rng), ground, rng)
    sizes = np.log(candidates)
    belief = np.log(np.gradient(sizes)) if len(sizes) > 1 else np.zeros(1)
    belief = belief - SMALL * sizes + PLAIN * silhouettes
    belief = belief + OVERLAP * np.array([_explained(runs[k], statements) for k in candidates])
    if hints.n_must_link and hints.n_cannot_link:
        share = hints.n_must_link / (hints.n_must_link + hints.n_cannot_link)
        if abs(_mean(sizes, belief) + np.log(share)) <= np.log(FAR_OFF):
            together = np.minimum(UNEVEN / np.array(candidates), 0.95)
            belief = belief + len(statements) * (share * np.log(together) + (1 - share) * np.log1p(-together))
    return least_clusters(hints, min(max(round(np.exp(_mean(sizes, belief))), 2), ground.n))


def _mean(values: Array, belief: Array) -> float:
    """The mean of values, each believed as much as the exponential of its belief."""
    return float(softmax(belief) @ values)


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


def _tried(ground: Ground, rng: np.random.RandomState, budget: Budget, n_jobs: int | None) -> dict[int, list[Array]]:
    """Partitions without hints for each candidate, small numbers first; those of rows tried before are still there."""
    if ground.tried:
        return ground.tried
    candidates = _candidates(ground.n)
    spaces = [Points(ground.G.F), Points(ground.C.F)]
    for number, k in enumerate(track(candidates)):
        start = budget.elapsed
        runs = [(points, k, own_stream(rng, k)) for points in spaces for _ in range(REPEATS)]
        ground.tried[k] = parallel_map(lambda run: quick_labels(*run), runs, n_jobs)
        if number + 1 < len(candidates) and not budget.has_room(STEP * (budget.elapsed - start), SHARE):
            budget.left_out.append(f"numbers of clusters above {k}")
            break
    return ground.tried


def _explained(labelings: list[Array], statements: Statements) -> float:
    """The log-likelihood of the hints, by how many partitions put their rows together."""
    return float(statements.weight @ explained(votes(labelings, statements.pairs), statements))


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


def _silhouette(L: Array, labelings: list[Array], rows: Array) -> float:
    """The mean silhouette of some rows under several labelings; −1 where none of them tells these rows apart."""
    scores = [
        silhouette_score(L[rows], labels[rows]) for labels in labelings if 1 < len(np.unique(labels[rows])) < len(rows)
    ]
    return float(np.mean(scores)) if scores else -1.0
