"""Constraints, the solver, and the projections."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from scipy.cluster.hierarchy import DisjointSet
from sklearn.decomposition import TruncatedSVD

import likewise as lw

from .data import documents
from .harness import Result, peak_gib, row, timed


def direct_costco(X, pairs, n_components):
    """Costco as its equations stand: three f×f matrices and a generalized eigenproblem."""
    differences = X[pairs[:, 0]] - X[pairs[:, 1]]
    V = differences.T @ differences / len(pairs)
    U = np.cov(X.T, bias=True)
    J = np.diag(np.diag(U))
    beta = V.diagonal().max() / J.diagonal().max()
    f = X.shape[1]
    _, S = linalg.eigh(U, V + beta * J, subset_by_index=[f - n_components, f - 1])
    return S


@row("costco-wide", "Costco, 300 × 4,457 dense, 150 must-links, r = 20", "f×f matrices and scipy.linalg.eigh", "≥ 20×")
def costco_wide() -> Result:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 300)
    X = rng.normal(size=(300, 4457)) * rng.gamma(2.0, size=4457) + rng.normal(size=(6, 4457))[y]
    hints = lw.Constraints.sample(y, "links", 150, random_state=0)
    ours, model = timed(lambda: lw.Costco.as_published(20).fit(X, constraints=hints))
    opponent, S = timed(lambda: direct_costco(X, hints.must_link, 20), repeats=1)
    angle = linalg.subspace_angles(model.components_.T, S).max()
    return Result(ours, opponent, f"largest principal angle {angle:.1e}", opponent / ours >= 20 and angle < 1e-6)


@row(
    "costco-text",
    "Costco, 18,828 × 60,000 sparse TF-IDF-like, 800 pairs, r = 40",
    "TruncatedSVD(40)",
    "≤ 3× its time, < 2 GiB",
)
def costco_text() -> Result:
    X, y = documents(18_828, 60_000)
    hints = lw.Constraints.sample(y, "links", 800, random_state=0)
    ours, model = timed(lambda: lw.Costco(40).fit(X, constraints=hints))
    peak = peak_gib()
    opponent, _ = timed(lambda: TruncatedSVD(40, random_state=0).fit(X))
    detail = f"{ours / opponent:.2f}× its time; {X.nnz / 1e6:.1f} M entries, route {model.route_}"
    return Result(ours, opponent, detail, ours <= 3 * opponent and peak < 2, peak)


@row("asp-qr", "ASP-QR, 3,000 × 20,000 sparse, 1,500 must-links", "ASP-SVD", "≥ 1×, cost falls as must-links grow")
def asp_qr() -> Result:
    X, y = documents(3000, 20_000, n_topics=20)
    times = {}
    for amount in (500, 1500, 4000):
        hints = lw.Constraints.sample(y, "links", amount, random_state=0)
        for basis in ("qr", "svd"):
            model = lw.ASP.as_published(basis=basis)
            times[basis, amount] = timed(lambda m=model, h=hints: m.fit(X, constraints=h), repeats=2)[0]
    falls = all(times[basis, 500] > times[basis, 1500] > times[basis, 4000] for basis in ("qr", "svd"))
    steps = ", ".join(f"{amount}: {times['qr', amount]:.2f} s" for amount in (500, 1500, 4000))
    ours, opponent = times["qr", 1500], times["svd", 1500]
    return Result(ours, opponent, f"QR by must-links {steps}", ours <= opponent and falls)


@row("closure", "closing 1,000,000 must-links over 1,000,000 rows", "scipy's DisjointSet", "about a second")
def closure() -> Result:
    n = 1_000_000
    pairs = np.random.default_rng(0).integers(0, n, size=(n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    build, hints = timed(lambda: lw.Constraints(n, must_link=pairs), repeats=1)
    ours, groups = timed(hints.groups)

    def disjoint_set():
        forest = DisjointSet(range(n))
        for left, right in hints.must_link.tolist():
            forest.merge(left, right)
        return forest.n_subsets

    opponent, n_subsets = timed(disjoint_set, repeats=1)
    same = n_subsets == groups.max() + 1
    return Result(ours, opponent, f"checking and sorting the pairs beforehand {build:.2f} s", ours < 1.5 and same)
