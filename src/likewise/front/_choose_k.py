"""Choosing the number of clusters by the structure of the data and the constraints."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.special import softmax
from sklearn.metrics import adjusted_rand_score, silhouette_score

from .._arrays import FloatArray, IntArray
from .._progress import track
from .._threads import parallel_map
from ..clustering.kmeans._points import Points
from ..constraints import Constraints
from ._budget import Budget
from ._evidence import log_likelihoods, votes
from ._folds import Statements, random_pairs
from ._kmeans import kmeans_labels, open_stream, reserve_stream
from ._unsupervised import Features

STEP = 1.2
"""Factor between large candidates; small candidates differ by one."""

N_REPEATS = 2
"""Number of runs for each candidate in each of two spaces."""

PRIOR_POWER = 1.5
"""The prior density of log k is proportional to k to the power of minus this, so small numbers are preferred."""

CONSTRAINT_WEIGHT = 0.5
"""Weight of a constraint in the log-likelihood; below 1 because constraints on the same rows are not independent."""

UNEVEN = 1.1
"""Two random rows share one of k clusters with probability 1.1/k, since clusters differ in size."""

MAX_FACTOR = 3.0
"""The share of must-links is used only if it suggests a number within this factor of the estimate without it."""

STRUCTURE_WEIGHT = 5.0
"""Weight of the structure score in units of log-likelihood; a moderate number of constraints outweighs it."""

READABLE = 20
"""Beyond this number of clusters the structure score is capped at its maximum below, so only constraints favor more."""

MAX_SILHOUETTE_ROWS = 500

BUDGET_SHARE = 0.3
"""Share of the time budget within which candidates are tried."""


def choose_n_clusters(
    features: Features,
    constraints: Constraints,
    rng: np.random.RandomState,
    budget: Budget | None = None,
    n_jobs: int | None = None,
) -> int:
    """Choose the number of clusters k as the exponential of the posterior mean of log k.

    The posterior combines four terms:

    - the structure of unsupervised partitions into k clusters: the agreement of repeated runs and their silhouette,
    - the likelihood of the constraints given these partitions,
    - the likelihood of the share of must-links if pairs are drawn at random from k clusters,
    - a prior that prefers small numbers.

    The third term is omitted if all constraints are of one kind, or if it disagrees so much with the second that the
    pairs were probably not drawn at random. The result is at least the size of any set of rows that were found to be
    all cannot-linked with each other. If time is short, large numbers are not tried.
    """
    runs = _partitions(features, rng, budget or Budget(), n_jobs)
    candidates = list(runs)
    rows = rng.permutation(features.n)[:MAX_SILHOUETTE_ROWS]
    structure = STRUCTURE_WEIGHT * np.array([_structure(features.graph.F, runs[k], rows) for k in candidates])
    many = np.array(candidates) > READABLE
    structure[many] = np.minimum(structure[many], structure[~many].max())
    sizes = np.log(candidates)
    posterior = np.log(np.gradient(sizes)) if len(sizes) > 1 else np.zeros(1)  # logarithm, up to a constant
    posterior = posterior - PRIOR_POWER * sizes
    if constraints.has_pairs:
        own = open_stream(rng.get_state(legacy=False))  # what follows does not depend on constraints
        posterior = posterior + _constraint_evidence(posterior, sizes, runs, constraints, features, own)
    chosen = round(np.exp(_mean(sizes, posterior + structure)))
    return at_least_clique(constraints, chosen)


def _constraint_evidence(
    prior: FloatArray,
    sizes: FloatArray,
    runs: dict[int, list[IntArray]],
    constraints: Constraints,
    features: Features,
    rng: np.random.RandomState,
) -> FloatArray:
    """The log-likelihood of the constraints for each candidate, given its partitions and the share of must-links."""
    statements = _with_both_kinds(Statements.of(constraints, rng), features, rng)
    evidence = CONSTRAINT_WEIGHT * np.array([_log_likelihood(labelings, statements) for labelings in runs.values()])
    if constraints.n_must_link and constraints.n_cannot_link:
        share = constraints.n_must_link / (constraints.n_must_link + constraints.n_cannot_link)
        if abs(_mean(sizes, prior + evidence) + np.log(share)) <= np.log(MAX_FACTOR):
            together = UNEVEN / np.exp(sizes)
            evidence = evidence + len(statements) * (share * np.log(together) + (1 - share) * np.log1p(-together))
    return evidence


def _mean(values: FloatArray, posterior: FloatArray) -> float:
    """The mean of values under an unnormalized log-posterior."""
    return float(softmax(posterior) @ values)


def at_least_clique(constraints: Constraints, n_clusters: int) -> int:
    """``n_clusters``, or the size of a larger set of rows that are all cannot-linked with each other."""
    kept, _ = constraints.drop_conflicts()
    while (clique := kept.clique(n_clusters)) is not None:
        n_clusters = len(clique)
    return n_clusters


def _candidates(n: int) -> list[int]:
    most = int(np.sqrt(2 * n))  # less than n, but for two rows
    candidates = [2]
    while candidates[-1] < most:
        candidates.append(max(candidates[-1] + 1, round(candidates[-1] * STEP)))
    return [k for k in candidates if k <= most]


def _partitions(
    features: Features, rng: np.random.RandomState, budget: Budget, n_jobs: int | None
) -> dict[int, list[IntArray]]:
    """Unsupervised partitions for each candidate, in ascending order; cached in ``features``."""
    if features.partitions:
        for k in features.partitions:  # draw as the first time, so that what follows does not depend on the cache
            for _ in range(2 * N_REPEATS):
                reserve_stream(rng, k)
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
    """The log-likelihood of the statements, given the share of partitions in which their rows share a cluster."""
    return float(statements.weight @ log_likelihoods(votes(labelings, statements.pairs), statements))


def _with_both_kinds(statements: Statements, features: Features, rng: np.random.RandomState) -> Statements:
    """The statements; if all are of one kind, with neighbors as must-links or random pairs as cannot-links."""
    if statements.same.any() and not statements.same.all():
        return statements
    count = len(statements)
    if statements.same.all():
        pairs = random_pairs(features.n, count, rng)
    else:
        near = features.to_graph.graph_.tocoo()
        drawn = rng.choice(near.nnz, size=count, p=near.data / near.data.sum())
        pairs = np.column_stack([near.row[drawn], near.col[drawn]])
    return Statements(
        np.concatenate([statements.pairs, pairs]),
        np.concatenate([statements.same, ~statements.same]),
        np.concatenate([statements.weight, np.full(count, statements.weight.mean())]),
    )


def _structure(G: FloatArray, labelings: list[IntArray], rows: IntArray) -> float:
    """Mean adjusted Rand index between labelings plus their mean silhouette."""
    agreement = np.mean([adjusted_rand_score(*pair) for pair in combinations(labelings, 2)])
    return float(agreement) + _silhouette(G, labelings[:N_REPEATS], rows)


def _silhouette(G: FloatArray, labelings: list[IntArray], rows: IntArray) -> float:
    """The mean silhouette of some rows under several labelings; −1 if it is undefined for all of them."""
    scores = [
        silhouette_score(G[rows], labels[rows]) for labels in labelings if 1 < len(np.unique(labels[rows])) < len(rows)
    ]
    return float(np.mean(scores)) if scores else -1.0
