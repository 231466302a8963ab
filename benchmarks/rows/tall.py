"""Tall data: fits, relative to reading the rows once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow
from pyarrow import parquet
from scipy import linalg
from sklearn.base import clone

import likewise as lw
from likewise.chunked import InMemory, RowFiles
from likewise.clustering.kmeans._chunked import chunked_lloyd
from likewise.clustering.kmeans._lloyd import lloyd, plain
from likewise.clustering.kmeans._pck import penalized
from likewise.clustering.kmeans._points import Points

from ..earlier import Earlier, seconds_there
from ..harness import Bar, Contest, Skipped, Verdict, row
from ..measuring import held_gib, peak_beside

QUICK = {"n": 20_000, "f": 20, "pairs": 20, "r": 3}
BLOCK = 2**16

BEFORE = "70ed10db9e7682ade85a94ce36323a420ae015f1"
"""The last commit at which every fit iterated over all rows."""

FLOAT64_ROWS = 50_000
"""Number of rows on which directions are compared in double precision."""


def tall_rows(n: int, f: int) -> tuple[np.ndarray, np.ndarray]:
    """Clusters of several shapes in single precision, generated block by block."""
    rng = np.random.default_rng(0)
    centers, spread = rng.normal(size=(20, f)).astype(np.float32), rng.uniform(0.5, 2, size=f).astype(np.float32)
    X, y = np.empty((n, f), dtype=np.float32), rng.integers(20, size=n)
    for start in range(0, n, BLOCK):
        some = slice(start, min(start + BLOCK, n))
        rng.standard_normal(dtype=np.float32, out=X[some])
        X[some] *= spread
        X[some] += centers[y[some]]
    return X, y


def cross_product(X: np.ndarray) -> np.ndarray:
    """XᵀX by blocks of rows with numpy: one pass over the data, in its own precision."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for start in range(0, X.shape[0], BLOCK):
        block = X[start : start + BLOCK]
        total += block.T @ block
    return total


def angle_between(ours: np.ndarray, theirs: np.ndarray) -> float:
    """The largest principal angle between the spans of two sets of directions."""
    return float(linalg.subspace_angles(ours.T.astype(np.float64), theirs.T.astype(np.float64)).max())


def beside_cross_product(projection, n: int, f: int, pairs: int, r: int) -> Contest:
    """A projection, compared with one pass over the data; checked against the fit on all rows, and by its memory."""
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", pairs, random_state=0)

    def ours():
        return projection(r).fit(X, constraints=hints)

    def judge(model, product):
        held = peak_beside(ours) / X.nbytes
        angle = angle_between(model.components_, projection(r)._components(X, hints))
        few, known = X[:FLOAT64_ROWS].astype(np.float64), y[:FLOAT64_ROWS]
        known = lw.Constraints.sample(known, "equal", pairs, random_state=0)
        double = angle_between(
            projection(r).fit(few, constraints=known).components_, projection(r)._components(few, known)
        )
        return Verdict(
            f"angle with a fit on all rows {angle:.1e}, in double precision ({len(few):,} rows) {double:.1e}; "
            f"{held:.2f}× the data held",
            angle < 1e-6 and double < 1e-10 and held < 0.3,
        )

    return Contest(ours, lambda: cross_product(X), judge)


def beside_the_version_before(projection, n: int, f: int, pairs: int, r: int) -> Contest:
    """A projection, compared with the last commit at which it was fitted on all rows."""
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", pairs, random_state=0)
    before = Earlier(BEFORE, X, hints)

    def judge(model, theirs):
        before.close()
        angle = angle_between(model.components_, theirs[0])
        return Verdict(f"angle {angle:.1e}", angle < 1e-6)

    return Contest(
        lambda: projection(r).fit(X, constraints=hints),
        lambda: before.fit(projection.__name__, "components_", n_components=r),
        judge,
        theirs_clock=seconds_there,
    )


TALL = "{n:,} × {f} float32 in memory, {pairs} pairs of each kind, r = {r}"


def _rows(name: str, projection) -> None:
    @row(
        f"{name}-tall",
        f"{projection.__name__}, {TALL}",
        "XᵀX by blocks in numpy",
        Bar(slower=3, also="the directions of all rows to 1e-6 (float64: 1e-10), < 0.3× the data held"),
        **QUICK,
    )
    def beside_numpy(n=1_000_000, f=100, pairs=200, r=10) -> Contest:
        return beside_cross_product(projection, n, f, pairs, r)

    @row(
        f"{name}-before",
        f"{projection.__name__}, one pass instead of many, {TALL}",
        f"the version before, which reads all rows again and again ({BEFORE[:7]})",
        Bar(faster=10, also="the same directions to 1e-6"),
        **QUICK,
    )
    def beside_before(n=1_000_000, f=100, pairs=200, r=10) -> Contest:
        if n == QUICK["n"] and projection is not lw.Costco:
            raise Skipped("a quick run asks the version before about Costco alone.")
        return beside_the_version_before(projection, n, f, pairs, r)


for _name, _projection in (("costco", lw.Costco), ("ssdr", lw.SSDR), ("asp", lw.ASP), ("screen", lw.SCREEN)):
    _rows(_name, _projection)


def placing(name: str, method: str, n: int, f: int, **parameters: Any) -> Contest:
    """Assigning new rows by a model, compared with the same model of the earlier version."""
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", 50, random_state=0)
    before = Earlier(BEFORE, X, hints)
    model = getattr(lw, name)(**parameters).fit(X, constraints=hints)
    before.fit(name, "n_features_in_", **parameters)

    def judge(ours, theirs):
        before.close()
        same = float(np.isclose(ours, theirs[0], rtol=1e-3, atol=1e-3).mean())
        return Verdict(f"{same:.2%} the same", same > 0.999)

    return Contest(lambda: getattr(model, method)(X), lambda: before.apply(method), judge, theirs_clock=seconds_there)


PLACED = "{n:,} × {f} float32 rows"
THERE = f"the version of {BEFORE[:7]}"
NO_SLOWER = Bar(slower=1.1, also="the same answer")


@row("transform-before", f"Costco.transform of {PLACED}, r = 10", THERE, NO_SLOWER, n=3_000, f=10)
def transform_before(n=1_000_000, f=100) -> Contest:
    return placing("Costco", "transform", n, f, n_components=10)


@row("predict-before", f"PCKMeans.predict of {PLACED}, k = 20", THERE, NO_SLOWER, n=3_000, f=10)
def predict_before(n=500_000, f=50) -> Contest:
    return placing("PCKMeans", "predict", n, f, n_clusters=20, n_init=1, max_iter=3, random_state=0)


@row(
    "project-predict-before",
    f"ProjectThenCluster.predict of {PLACED}, k = 20",
    THERE,
    NO_SLOWER,
    n=3_000,
    f=10,
)
def project_predict_before(n=500_000, f=50) -> Contest:
    return placing("ProjectThenCluster", "predict", n, f, n_clusters=20, n_init=1, max_iter=3, random_state=0)


def costco(data, hints):
    """The projection of the rows below."""
    return lw.Costco(10).fit(data, constraints=hints)


def same_bits(ours, theirs) -> bool:
    return bool(np.array_equal(ours.components_, theirs.components_))


def in_files(X: np.ndarray, folder: str, suffix: str) -> RowFiles:
    """The rows in four files."""
    for part, rows in enumerate(np.array_split(X, 4)):
        path = Path(folder, f"{part}{suffix}")
        if suffix == ".npy":
            np.save(path, rows)
        else:
            parquet.write_table(pyarrow.table({f"c{j}": column for j, column in enumerate(rows.T)}), path)
    return RowFiles(Path(folder, f"*{suffix}"))


@row(
    "costco-mapped",
    "Costco, {n:,} × {f} float32 in four NumPy files",
    "the same in memory",
    Bar(slower=1.2, also="the same bits, < 1 GiB held beside mapped pages"),
    n=20_000,
    f=10,
)
def costco_mapped(n=20_000_000, f=50) -> Contest:
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", 50, random_state=0)
    folder = TemporaryDirectory()
    files = in_files(X, folder.name, ".npy")

    def judge(ours, theirs):
        with held_gib() as held:
            costco(files, hints)
        folder.cleanup()
        return Verdict(f"{held():.2f} GiB held", same_bits(ours, theirs) and held() < 1)

    return Contest(lambda: costco(files, hints), lambda: costco(X, hints), judge)


@row(
    "costco-parquet",
    "Costco, {n:,} × {f} float32 in four Parquet files, one pass",
    "the same in NumPy files",
    Bar(slower=6, also="the same bits"),
    n=20_000,
    f=10,
)
def costco_parquet(n=2_000_000, f=50) -> Contest:
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", 50, random_state=0)
    folder = TemporaryDirectory()
    parts, mapped = in_files(X, folder.name, ".parquet"), in_files(X, folder.name, ".npy")
    return _until_judged(folder, lambda: costco(parts, hints), lambda: costco(mapped, hints))


@row(
    "costco-spooled",
    "Costco, {n:,} × {f} float32 in four Parquet files, a pass after spooling",
    "the same in NumPy files",
    Bar(slower=1.5, also="the same bits"),
    n=20_000,
    f=10,
)
def costco_spooled(n=2_000_000, f=50) -> Contest:
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", 50, random_state=0)
    folder, stack = TemporaryDirectory(), ExitStack()
    parts, mapped = in_files(X, folder.name, ".parquet"), in_files(X, folder.name, ".npy")
    spool = stack.enter_context(parts.spooled())
    stack.callback(folder.cleanup)
    return _until_judged(stack, lambda: costco(spool, hints), lambda: costco(mapped, hints))


def _until_judged(opened: Any, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Contest:
    def judge(*found):
        opened.close() if hasattr(opened, "close") else opened.cleanup()
        return Verdict("", same_bits(*found))

    return Contest(ours, theirs, judge)


def iterations(n: int, f: int, kind: str) -> Contest:
    """Five iterations of k-means on rows in files and in memory, from the same centers; timed per iteration."""
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", 200, random_state=0)
    folder = TemporaryDirectory()
    files = in_files(X, folder.name, ".npy")
    rng = np.random.default_rng(0)
    cosine = kind == "SphericalKMeans"
    told, free, image = None, None, None
    rows: Any = files
    if kind == "ProjectThenCluster":
        model = lw.ProjectThenCluster(20, n_init=1, max_iter=2, random_state=0).fit(InMemory(X), constraints=hints)
        image = model._image(X)
        rows = model._image_of(files, model._image, X[:1000])
    Z = X if image is None else image
    points = Points(Z, cosine=cosine)
    centers = points.take(rng.choice(n, 20, replace=False))
    assign = plain(points)
    if kind == "PCKMeans":
        model = lw.PCKMeans(20, random_state=0)
        model.penalty_ = 10.0
        penalties = model._penalties(hints)
        assign, free = penalized(points, penalties, model.penalty_, np.random.RandomState(0)), penalties.free
        hinted = np.flatnonzero(hints.constrained_rows())
        told = model._hinted(hinted, X[hinted], hints.restrict(hinted), model, np.random.RandomState(0))

    def judge(ours, theirs):
        folder.cleanup()
        more = ours.objective / theirs.objective - 1
        return Verdict(f"objective {more:+.1e}", abs(more) < 1e-3)

    def by_iteration(seconds, run):
        return seconds / run.n_iter

    loop = {"max_iter": 5, "tol": 0.0}
    return Contest(
        lambda: chunked_lloyd(rows, centers, told, cosine=cosine, **loop)[0],
        lambda: lloyd(points, centers, assign, free=free, **loop),
        judge,
        by_iteration,
        by_iteration,
    )


for _name, _kind in (("pck", "PCKMeans"), ("spherical", "SphericalKMeans"), ("project", "ProjectThenCluster")):

    @row(
        f"{_name}-iteration",
        f"{_kind}, an iteration, {{n:,}} × {{f}} float32 in four NumPy files, k = 20",
        "an iteration in memory",
        Bar(slower=1.2, also="the same objective"),
        n=3_000,
        f=10,
    )
    def iteration(n=1_000_000, f=50, kind=_kind) -> Contest:
        return iterations(n, f, kind)


@row(
    "pck-files",
    "PCKMeans, {n:,} × {f} float32 in four NumPy files, k = 20, from a sample",
    "ten starts in memory",
    Bar(faster=3, also="objective within 0.5 %, passes ≤ 2 + iterations"),
    n=3_000,
    f=10,
)
def pck_files(n=500_000, f=50) -> Contest:
    return files_beside_memory(n, f, lw.PCKMeans(20, random_state=0))


@row(
    "spherical-files",
    "SphericalKMeans, {n:,} × {f} float32 in four NumPy files, k = 20, from a sample",
    "ten starts in memory",
    Bar(faster=3, also="objective within 0.5 %, passes ≤ 2 + iterations"),
    n=3_000,
    f=10,
)
def spherical_files(n=500_000, f=50) -> Contest:
    return files_beside_memory(n, f, lw.SphericalKMeans(20, random_state=0))


@row(
    "project-files",
    "ProjectThenCluster, {n:,} × {f} float32 in four NumPy files, k = 20, from a sample",
    "ten starts in memory",
    Bar(faster=3, also="objective within 0.5 %, passes ≤ 2 + iterations"),
    n=3_000,
    f=10,
)
def project_files(n=500_000, f=50) -> Contest:
    return files_beside_memory(n, f, lw.ProjectThenCluster(20, random_state=0))


def files_beside_memory(n: int, f: int, model: Any) -> Contest:
    """A clusterer on rows in files, compared with the same rows in memory."""
    X, y = tall_rows(n, f)
    hints = lw.Constraints.sample(y, "equal", 200, random_state=0) if model._method.uses_constraints else None
    folder = TemporaryDirectory()
    files = in_files(X, folder.name, ".npy")

    def ours():
        before = files.passes
        fitted = clone(model).fit(files, constraints=hints)
        return fitted, files.passes - before

    def judge(found, theirs):
        folder.cleanup()
        ours, passes = found
        more = ours.objective_ / theirs.objective_ - 1
        return Verdict(
            f"objective {more:+.2%}, {ours.n_iter_} iterations, {passes} passes",
            more < 0.005 and passes <= 2 + ours.n_iter_,
        )

    return Contest(ours, lambda: clone(model).fit(X, constraints=hints), judge)
