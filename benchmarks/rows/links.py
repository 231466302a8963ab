"""Hints from links."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from likewise.sources.links import global_core_pairs, hitting_times, link_matrix, local_core_pairs
from likewise.sources.links._walks import unit_documents, walk_graph

from ..data import documents
from ..harness import Bar, Contest, Verdict, row
from ..measuring import peak_gib, timed


def citations(n: int, n_links: int, seed: int = 0) -> np.ndarray:
    """Papers in temporal order that cite earlier ones: half of the links at random, half by copying a citation.

    Copying is preferential attachment, as in real citation graphs: a few papers are cited thousands of times.
    """
    rng = np.random.default_rng(seed)
    left = np.sort(rng.integers(1, n, n_links))
    right = (rng.random(n_links) * left).astype(np.int64)
    copies = rng.random(n_links) < 0.5
    for place in np.flatnonzero(copies[1:]) + 1:
        right[place] = min(right[int(rng.random() * place)], left[place] - 1)
    return np.column_stack([left, right])


def unblocked(links: np.ndarray, n: int) -> int:
    """Both matrix products at once, in the direct implementation; returns the number of pairs."""
    cites = link_matrix(links, n)
    total = sparse.csr_array((n, n))
    for left in (cites, sparse.csr_array(cites.T)):
        common = sparse.coo_array(left @ left.T)
        sizes = np.diff(left.indptr)
        jaccard = common.data / (sizes[common.row] + sizes[common.col] - common.data)
        total = total + 0.5 * sparse.csr_array((jaccard, (common.row, common.col)), shape=(n, n))
    return sparse.triu(total, k=1).nnz


@row(
    "links-local",
    "local core pairs, random citation graph, {n:,} papers, {links:,} links, θ = {theta}",
    "scipy's products L Lᵀ and Lᵀ L, unblocked",
    Bar(seconds=30, gib=2),
    n=300,
    links=900,
)
def links_local(n=200_000, links=1_000_000, theta=0.1) -> Contest:
    cited = citations(n, links)
    hub = np.bincount(cited[:, 1]).max()

    def judge(pairs, n_pairs):
        detail = f"{len(pairs.must_link):,} of {n_pairs:,} pairs, a hub is cited {hub:,} times"
        return Verdict(f"{detail}; unblocked {peak_gib():.2f} GiB")

    return Contest(lambda: local_core_pairs(cited, n, theta=theta), lambda: unblocked(cited, n), judge)


def by_fundamental_matrix(W: np.ndarray) -> np.ndarray:
    """Hitting times by the textbook formula: (Z_jj − Z_ij)/π_j with Z = (I − P + 1πᵀ)⁻¹."""
    degree = W.sum(axis=1)
    stationary = degree / degree.sum()
    Z = np.linalg.inv(np.eye(len(W)) - W / degree[:, None] + stationary)
    return (Z.diagonal() - Z) / stationary


@row(
    "links-global",
    "global core pairs from links and words, {n:,} × {f:,}, {links:,} links (the size of Cora)",
    "numpy's inverse of I − P + 1πᵀ, hitting times alone",
    Bar(seconds=5, also="by commute times, too; the same hitting times"),
    n=100,
    f=80,
    links=200,
)
def links_global(n=2708, f=1433, links=5429) -> Contest:
    X, _ = documents(n, f, n_topics=7, length=18)
    cited = citations(n, links)
    W = walk_graph(link_matrix(cited, n), unit_documents(X), 5).toarray()

    def judge(ours, slow):
        literal, _ = timed(lambda: global_core_pairs(cited, X, score="commute"))
        alone, times = timed(lambda: hitting_times(W))
        gap = np.abs(times - slow).max() / slow.max()
        detail = f"commute {literal:.2f} s; hitting times alone {alone:.2f} s, largest gap {gap:.1e}"
        return Verdict(detail, literal < 5 and gap < 1e-9)

    return Contest(lambda: global_core_pairs(cited, X), lambda: by_fundamental_matrix(W), judge)
