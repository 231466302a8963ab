"""Choosing the number of clusters: what the constraints make likely."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax
from sklearn.metrics import silhouette_score

from .._arrays import FloatArray, IntArray
from .._progress import track
from .._threads import parallel_map
from ..clustering.kmeans._points import Points
from ..constraints import Constraints
from ._budget import Budget
from ._evidence import log_likelihoods, votes
from ._folds import Statements
from ._kmeans import kmeans_labels, reserve_stream
from ._unsupervised import Features

STEP = 1.2
"""Candidates grow by this factor, once they no longer grow by one."""

N_REPEATS = 2
"""Runs for each candidate in each of two spaces."""

PRIOR_POWER = 1.5
"""Small numbers are likelier: the prior of k, on a scale of log k, falls as k to minus this."""

CONSTRAINT_WEIGHT = 0.5
"""What a constraint counts, since constraints touch the same rows and the same partitions again and again."""

UNEVEN = 1.1
"""Two rows are in one of k clusters with chance 1.1/k: clusters are never quite even."""

MAX_FACTOR = 3.0
"""The share of must-links counts only if it suggests a number within this factor of what explains the constraints."""

SILHOUETTE_WEIGHT = 10.0
"""What a difference of 1 in the mean silhouette counts, in log-likelihood: constraints soon weigh more."""

MAX_SILHOUETTE_ROWS = 500

BUDGET_SHARE = 0.3
"""Of a budget, what choosing the number of clusters may have used when the last candidate is tried."""


def choose_n_clusters(
    features: Features,
    constraints: Constraints,
    rng: np.random.RandomState,
    budget: Budget | None = None,
    n_jobs: int | None = None,
) -> int:
    """A number of clusters that suits the constraints; without any, one that suits the data.

    The posterior mean of log k. A number is likely if its unsupervised partitions are compact and apart (silhouettes in
    linear features); if they explain the constraints; if as many of the constraints are must-links as would be among
    pairs drawn at random from k clusters; and if it is small. The third is left out where constraints are of one kind
    only, or so far from the rest that they cannot have been drawn at random. Never fewer than rows that are all
    different from each other.

    Without constraints the number with the largest mean silhouette.

    Where time is short, large numbers are not tried.
    """
    runs = _partitions(features, rng, budget or Budget(), n_jobs)
    candidates = list(runs)
    rows = rng.permutation(features.n)[:MAX_SILHOUETTE_ROWS]
    silhouettes = np.array([_silhouette(features.linear.F, runs[k], rows) for k in candidates])
    if constraints.is_empty:
        return candidates[int(np.argmax(silhouettes))]
    statements = _with_both_kinds(Statements.of(constraints, rng), features, rng)
    sizes = np.log(candidates)
    posterior = np.log(np.gradient(sizes)) if len(sizes) > 1 else np.zeros(1)  # its logarithm, up to a constant
    posterior = posterior - PRIOR_POWER * sizes + SILHOUETTE_WEIGHT * silhouettes
    posterior = posterior + CONSTRAINT_WEIGHT * np.array([_log_likelihood(runs[k], statements) for k in candidates])
    if constraints.n_must_link and constraints.n_cannot_link:
        share = constraints.n_must_link / (constraints.n_must_link + constraints.n_cannot_link)
        if abs(_mean(sizes, posterior) + np.log(share)) <= np.log(MAX_FACTOR):
            together = np.minimum(UNEVEN / np.array(candidates), 0.95)
            posterior = posterior + len(statements) * (share * np.log(together) + (1 - share) * np.log1p(-together))
    return at_least_clique(constraints, min(max(round(np.exp(_mean(sizes, posterior))), 2), features.n))


def _mean(values: FloatArray, posterior: FloatArray) -> float:
    """The mean of values under an unnormalized log posterior."""
    return float(softmax(posterior) @ values)


def at_least_clique(constraints: Constraints, n_clusters: int) -> int:
    """``n_clusters``, or as many as rows were found that are all different from each other."""
    kept, _ = constraints.drop_conflicts()
    while (clique := kept.clique(n_clusters)) is not None:
        n_clusters = len(clique)
    return n_clusters


def _candidates(n: int) -> list[int]:
    most = max(min(int(np.sqrt(2 * n)), n - 1), 2)
    candidates = [2]
    while candidates[-1] < most:
        candidates.append(max(candidates[-1] + 1, round(candidates[-1] * STEP)))
    return [k for k in candidates if k <= most]


def _partitions(
    features: Features, rng: np.random.RandomState, budget: Budget, n_jobs: int | None
) -> dict[int, list[IntArray]]:
    """Unsupervised partitions for each candidate, small numbers first; made once for the same features."""
    if features.partitions:
        return features.partitions
    candidates = _candidates(features.n)
    spaces = [Points(features.graph.F), Points(features.both.F)]
    for number, k in enumerate(track(candidates)):
        start = budget.elapsed
        runs = [(points, k, reserve_stream(rng, k)) for points in spaces for _ in range(N_REPEATS)]
        features.partitions[k] = parallel_map(lambda run: kmeans_labels(*run), runs, n_jobs)
        if number + 1 < len(candidates) and not budget.has_room(STEP * (budget.elapsed - start), BUDGET_SHARE):
            budget.left_out.append(f"numbers of clusters above {k}")
            break
    return features.partitions


def _log_likelihood(labelings: list[IntArray], statements: Statements) -> float:
    """The log-likelihood of the statements, by how many partitions put their rows together."""
    return float(statements.weight @ log_likelihoods(votes(labelings, statements.pairs), statements))


def _with_both_kinds(statements: Statements, features: Features, rng: np.random.RandomState) -> Statements:
    """Where one kind is missing: near rows stand for must-links, random rows for cannot-links."""
    if statements.same.any() and not statements.same.all():
        return statements
    count = len(statements)
    if statements.same.all():
        left = rng.randint(features.n, size=count)
        pairs = np.column_stack([left, (left + 1 + rng.randint(features.n - 1, size=count)) % features.n])
    else:
        near = features.to_graph.graph_.tocoo()
        drawn = rng.choice(near.nnz, size=count, p=near.data / near.data.sum())
        pairs = np.column_stack([near.row[drawn], near.col[drawn]])
    return Statements(
        np.concatenate([statements.pairs, pairs]),
        np.concatenate([statements.same, ~statements.same]),
        np.concatenate([statements.weight, np.full(count, statements.weight.mean())]),
    )


def _silhouette(L: FloatArray, labelings: list[IntArray], rows: IntArray) -> float:
    """The mean silhouette of some rows under several labelings; −1 where none of them tells these rows apart."""
    scores = [
        silhouette_score(L[rows], labels[rows]) for labels in labelings if 1 < len(np.unique(labels[rows])) < len(rows)
    ]
    return float(np.mean(scores)) if scores else -1.0
