"""Projections, and the transformation of new rows."""

from __future__ import annotations

import numpy as np
from scipy import linalg
from sklearn.base import clone
from sklearn.decomposition import TruncatedSVD

import likewise as lw

from ..data import NEWS, blobs, documents, news
from ..harness import Bar, Contest, Verdict, row
from ..measuring import peak_beside, timed


def direct_costco(X, pairs, n_components):
    """Costco by its equations: three f×f matrices and a generalized eigenproblem."""
    differences = X[pairs[:, 0]] - X[pairs[:, 1]]
    V = differences.T @ differences / len(pairs)
    U = np.cov(X.T, bias=True)
    J = np.diag(np.diag(U))
    beta = V.diagonal().max() / J.diagonal().max()
    f = X.shape[1]
    _, S = linalg.eigh(U, V + beta * J, subset_by_index=[f - n_components, f - 1])
    return S


@row(
    "costco-wide",
    "Costco, {n} × {f:,} dense, {links} must-links, r = {r}",
    "f×f matrices and scipy.linalg.eigh",
    Bar(faster=20, also="the same space"),
    n=60,
    f=200,
    links=30,
    r=5,
)
def costco_wide(n=300, f=4457, links=150, r=20) -> Contest:
    X, y = blobs(n, f, 6)
    X *= np.random.default_rng(1).gamma(2.0, size=f)
    hints = lw.Constraints.sample(y, "links", links, random_state=0)

    def judge(model, S):
        angle = linalg.subspace_angles(model.components_.T, S).max()
        return Verdict(f"largest principal angle {angle:.1e}", angle < 1e-6)

    return Contest(
        lambda: lw.Costco.as_published(r).fit(X, constraints=hints),
        lambda: direct_costco(X, hints.must_link, r),
        judge,
    )


def beside_svd(projection, X, hints) -> Contest:
    """A projection, compared with a truncated SVD of the same matrix with as many directions."""
    r = projection.n_components

    def judge(model, svd):
        route = getattr(model, "route_", "")
        return Verdict(
            f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / 1e6:.1f} M entries" + f", route {route}" * bool(route)
        )

    return Contest(lambda: projection.fit(X, constraints=hints), lambda: TruncatedSVD(r, random_state=0).fit(X), judge)


@row(
    "costco-text",
    "Costco, {n:,} × {f:,} sparse TF-IDF-like, {links} must-links, r = {r}",
    "TruncatedSVD({r})",
    Bar(slower=3, gib=2),
    n=200,
    f=600,
    links=40,
    r=5,
)
def costco_text(n=18_828, f=60_000, links=800, r=40) -> Contest:
    X, y = documents(n, f)
    return beside_svd(lw.Costco(r), X, lw.Constraints.sample(y, "links", links, random_state=0))


SMALL_NEWS = {"docs": 200, "hints": 40, "r": 5}


@row(
    "costco-news",
    "Costco, all of 20 Newsgroups ({docs:,} documents, all words), {hints} must-links, r = {r}",
    "TruncatedSVD({r})",
    Bar(slower=2, gib=2),
    **SMALL_NEWS,
)
def costco_news(docs=NEWS, hints=800, r=40) -> Contest:
    X, y = news(docs)
    return beside_svd(lw.Costco(r), X, lw.Constraints.sample(y, "links", hints, random_state=0))


@row(
    "asp-news",
    "ASP, all of 20 Newsgroups, {hints:,} must-links, r = {r}",
    "TruncatedSVD({r})",
    Bar(slower=1.5),
    **SMALL_NEWS,
)
def asp_news(docs=NEWS, hints=5000, r=100) -> Contest:
    X, y = news(docs)
    return beside_svd(lw.ASP(r), X, lw.Constraints.sample(y, "links", hints, random_state=0))


@row(
    "gcdr-news",
    "GCDR, all of 20 Newsgroups, {hints} pairs, half of each kind, r = {r}",
    "TruncatedSVD({r})",
    Bar(slower=4),
    **SMALL_NEWS,
)
def gcdr_news(docs=NEWS, hints=800, r=40) -> Contest:
    X, y = news(docs)
    return beside_svd(lw.GCDR(r), X, lw.Constraints.sample(y, "equal", hints // 2, random_state=0))


@row(
    "ssdr-news",
    "SSDR, all of 20 Newsgroups, {hints} pairs, half of each kind, r = {r}",
    "TruncatedSVD({r})",
    Bar(slower=4),
    **SMALL_NEWS,
)
def ssdr_news(docs=NEWS, hints=800, r=40) -> Contest:
    X, y = news(docs)
    return beside_svd(lw.SSDR(r), X, lw.Constraints.sample(y, "equal", hints // 2, random_state=0))


def in_single(projection, X, hints) -> Contest:
    """A projection of float32 data compared with float64, and the memory of each in addition to the data."""
    single = X.astype(np.float32)

    def fitted(data):
        return clone(projection).fit(data, constraints=hints)

    def judge(ours, theirs):
        held = [peak_beside(lambda data=data: fitted(data)) / 2**20 for data in (single, X)]
        angle = linalg.subspace_angles(ours.components_.T.astype(np.float64), theirs.components_.T).max()
        detail = "{:.0f} and {:.0f} MiB beside the data, largest principal angle {:.1e}".format(*held, angle)
        return Verdict(detail, held[0] < held[1])

    return Contest(lambda: fitted(single), lambda: fitted(X), judge)


@row(
    "ssdr-single",
    "SSDR, all of 20 Newsgroups in float32, {hints} pairs, half of each kind, r = {r}",
    "the same in float64",
    Bar(faster=1, also="less memory"),
    **SMALL_NEWS,
)
def ssdr_single(docs=NEWS, hints=800, r=40) -> Contest:
    X, y = news(docs)
    return in_single(lw.SSDR(r), X, lw.Constraints.sample(y, "equal", hints // 2, random_state=0))


@row(
    "rca-single",
    "RCA, {n:,} × {f} dense in float32, {hints} pairs, half of each kind, r = {r}",
    "the same in float64",
    Bar(slower=1.2, also="less memory"),
    n=3000,
    f=80,
    hints=60,
    r=5,
)
def rca_single(n=200_000, f=100, hints=400, r=5) -> Contest:
    X, y = blobs(n, f)
    return in_single(lw.RCA(r), X, lw.Constraints.sample(y, "equal", hints // 2, random_state=0))


@row(
    "asp-qr",
    "ASP-QR, {n:,} × {f:,} sparse, {links:,} must-links",
    "ASP-SVD",
    Bar(faster=1, also="cost falls as must-links grow"),
    n=120,
    f=400,
    links=60,
)
def asp_qr(n=3000, f=20_000, links=1500) -> Contest:
    X, y = documents(n, f, n_topics=20)
    amounts = (links // 3, links, links * 8 // 3)
    hints = {amount: lw.Constraints.sample(y, "links", amount, random_state=0) for amount in amounts}

    def fitted(basis, amount=links):
        return lw.ASP.as_published(basis=basis).fit(X, constraints=hints[amount])

    def judge(ours, theirs):
        times = [timed(lambda a=amount: fitted("qr", a), repeats=1)[0] for amount in amounts]
        steps = ", ".join(f"{amount}: {seconds:.2f} s" for amount, seconds in zip(amounts, times, strict=True))
        return Verdict(f"QR by must-links {steps}", times[0] > times[1] > times[2])

    return Contest(lambda: fitted("qr"), lambda: fitted("svd"), judge)


@row(
    "transform-dense",
    "Costco.transform of {n:,} × {f} new rows, dense, r = {r}",
    "X @ components_.T",
    Bar(slower=1.2),
    n=200,
    f=20,
    r=3,
)
def transform_dense(n=200_000, f=100, r=20) -> Contest:
    X, y = blobs(n, f)
    some = slice(0, 5000)
    model = lw.Costco(r).fit(X[some], constraints=lw.Constraints.sample(y[some], "links", 100, random_state=0))
    return Contest(lambda: model.transform(X), lambda: X @ model.components_.T, same_image)


@row(
    "transform-sparse",
    "Costco.transform of {n:,} × {f:,} new rows, sparse TF-IDF-like, r = {r}",
    "X @ components_.T",
    Bar(slower=1.2),
    n=200,
    f=500,
    r=3,
)
def transform_sparse(n=20_000, f=30_000, r=20) -> Contest:
    X, y = documents(n, f, n_topics=20)
    some = slice(0, n // 10)
    model = lw.Costco(r).fit(X[some], constraints=lw.Constraints.sample(y[some], "links", 10, random_state=0))
    return Contest(lambda: model.transform(X), lambda: X @ model.components_.T, same_image)


def same_image(ours, theirs) -> Verdict:
    gap = np.abs(ours - theirs).max()
    return Verdict(f"largest gap {gap:.1e}", gap <= 1e-9)
