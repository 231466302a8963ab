"""Measure what runs on a GPU against its opponents, and write the page.

    SCIPY_ARRAY_API=1 PYTHONPATH=src python -m benchmarks.gpu --out benchmarks/GPU.md

needs torch on a machine with a GPU; CuPy and flash-kmeans where they are installed. ``--device cpu --rows 50000`` tries
the script without a GPU.
"""

import argparse
import gc
import hashlib
import importlib.metadata
import os
import platform
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import sklearn
import torch
from sklearn.decomposition import PCA

from likewise import Constraints, Costco, Likewise, PCKMeans, ProjectThenCluster, SphericalKMeans
from likewise._devices import to_numpy
from likewise.chunked import OnDevice, moments
from likewise.chunked._device import DeviceRows
from likewise.clustering.kmeans._chunked import assign_and_sum, middle, nearest_centers
from likewise.front._from_files import as_places, place_on_device

CLUSTERS, COMPONENTS, HINTS, SEED = 20, 10, 200, 0
COLUMNS = "| what | ours | opponent | ratio | bar | kept |\n|---|---|---|---|---|---|"


class Bench:
    """The data, and the lines of the page."""

    def __init__(self, rows: int, columns: int, device: str) -> None:
        self.device = torch.device(device)
        self.lines: list[str] = []
        self.notes: list[str] = []
        generator = torch.Generator(self.device).manual_seed(SEED)
        make = partial(torch.randn, generator=generator, device=self.device)
        centers = 0.8 * make(CLUSTERS, columns) + 2
        truth = torch.randint(CLUSTERS, (rows,), generator=generator, device=self.device)
        self.X = make(rows, columns)
        for start in range(0, rows, 2**20):
            self.X[start : start + 2**20] += centers[truth[start : start + 2**20]]
        self.truth = truth.cpu().numpy()
        rng = np.random.default_rng(SEED)
        left = rng.integers(rows, size=200 * HINTS)
        right = rng.integers(rows, size=200 * HINTS)
        same = np.flatnonzero((self.truth[left] == self.truth[right]) & (left != right))[:HINTS]
        self.hints = Constraints(rows, must_link=np.column_stack([left[same], right[same]]))
        self.copy = self._copy_speed()
        self.reading = self.X.nbytes / self.copy

    def wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def seconds(self, work, repeats: int = 5) -> float:
        """The median of some runs, after two warm-up runs."""
        times = []
        for number in range(repeats + 2):
            self.wait()
            start = time.perf_counter()
            work()
            self.wait()
            if number > 1:
                times.append(time.perf_counter() - start)
        return sorted(times)[repeats // 2]

    def in_turns(self, ours, theirs, repeats: int = 5) -> tuple[float, float]:
        """The medians of two works that alternate."""
        found = [(self.seconds(ours, 1), self.seconds(theirs, 1)) for _ in range(repeats)]
        return tuple(sorted(times)[repeats // 2] for times in zip(*found, strict=True))

    def _copy_speed(self) -> float:
        size = min(2**30, self.X.numel())
        source = torch.empty(size, device=self.device)
        target = torch.empty_like(source)
        return 2 * source.nbytes / self.seconds(lambda: target.copy_(source))

    def row(self, what: str, ours: str, theirs: str, ratio: str, bar: str, kept: bool | None) -> None:
        line = (
            f"| {what} | {ours} | {theirs} | {ratio} | {bar} | {'' if kept is None else 'yes' if kept else '**no**'} |"
        )
        self.lines.append(line)
        print(line, flush=True)

    def share(self, what: str, seconds: float, moved: float, bar: float) -> None:
        """A row about the share of the memory bandwidth that is reached."""
        share = moved / self.copy / seconds
        copying = f"copying as many bytes: {ms(moved / self.copy)}"
        self.row(what, ms(seconds), copying, f"{share:.0%} of copy speed", f"≥ {bar:.0%}", share >= bar)

    def note(self, text: str) -> None:
        self.notes.append(text)
        print(text, flush=True)


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def bits(model) -> str:
    digest = hashlib.sha256()
    for key, value in sorted(vars(model).items()):
        if isinstance(value, np.ndarray | torch.Tensor):
            digest.update(key.encode() + to_numpy(value).tobytes())
    return digest.hexdigest()[:12]


def costco(bench: Bench) -> None:
    X, hints = bench.X, bench.hints
    ours, theirs = bench.in_turns(
        lambda: Costco(COMPONENTS).fit(X, constraints=hints),
        lambda: PCA(COMPONENTS, svd_solver="covariance_eigh").fit(X),
    )
    what = f"Costco, {COMPONENTS} directions, {HINTS} must-links"
    bench.row(
        what, ms(ours), f"PCA(covariance_eigh) of scikit-learn: {ms(theirs)}", f"{ours / theirs:.1f}×", "≤ 3×",
        ours <= 3 * theirs,
    )  # fmt: skip
    part = slice(min(len(X), 2_000_000))
    inside = Constraints(part.stop, must_link=hints.must_link[(hints.must_link < part.stop).all(axis=1)])
    there = Costco(COMPONENTS).fit(X[part], constraints=inside)
    here = Costco(COMPONENTS).fit(X[part].cpu().numpy(), constraints=inside)
    a, b = (np.linalg.qr(model.T.astype(np.float64))[0] for model in (to_numpy(there.components_), here.components_))
    angle = np.arcsin(min(1.0, np.linalg.norm(a - b @ (b.T @ a), 2)))
    bench.note(f"Costco on {part.stop:,} of the rows there and in host memory: the angle between them is {angle:.1e}.")


def moments_and_images(bench: Bench) -> None:
    X = bench.X
    rows = DeviceRows(X)
    rows._finite = True
    origin = X[:256].double().mean(dim=0).cpu().numpy()
    for precision in (np.float32, np.float64):
        name = "single" if precision == np.float32 else "double"
        seconds = bench.seconds(
            lambda precision=precision: rows.fold(partial(moments, origin=origin, precision=precision))
        )
        bar = 0.25 if precision == np.float32 else None
        share = bench.reading / seconds
        bench.row(
            f"number, sums and scatter of all rows, products in {name} precision", ms(seconds),
            f"copying as many bytes: {ms(bench.reading)}", f"{share:.0%} of copy speed", "≥ 25%" if bar else "",
            share >= bar if bar else None,
        )  # fmt: skip
    for r in (4, 16):
        model = Costco(r).fit(X, constraints=bench.hints)
        seconds = bench.seconds(lambda model=model: model.transform(X))
        bench.share(f"transform to {r} directions", seconds, X.nbytes * (1 + r / X.shape[1]), 0.5)


def lloyd(bench: Bench) -> None:
    X = bench.X
    rows = DeviceRows(X)
    rows._finite = True
    places = torch.from_numpy(np.linspace(0, len(X) - 1, CLUSTERS).astype(np.int64)).to(X.device)
    centers = X[places].cpu().numpy()
    none = np.empty(0, dtype=np.int64)
    look = partial(assign_and_sum, centers=centers, origin=middle(centers, False), cosine=False, hinted=none)
    ours = bench.seconds(lambda: rows.fold(look))
    try:
        import flash_kmeans

        several, one = (
            bench.seconds(
                lambda n=n: flash_kmeans.batch_kmeans_Euclid(X[None], CLUSTERS, max_iters=n, tol=-1.0), repeats=3
            )
            for n in (11, 1)
        )
        theirs, opponent = (several - one) / 10, f"flash-kmeans {importlib.metadata.version('flash-kmeans')} (TF32)"
    except ImportError:
        opponent = "torch.cdist, argmin, index_add_"

        def plain() -> None:
            there = torch.from_numpy(centers).to(X.device)
            total = torch.zeros_like(there)
            for start in range(0, len(X), 2**20):
                part = X[start : start + 2**20]
                total.index_add_(0, torch.cdist(part, there).argmin(dim=1), part)

        theirs = bench.seconds(plain)
    bench.row(
        f"a Lloyd iteration, k = {CLUSTERS}, exact labels", ms(ours), f"{opponent}: {ms(theirs)}",
        f"{ours / theirs:.1f}×", "≤ 3×", ours <= 3 * theirs,
    )  # fmt: skip
    part = X[:1_000_000]
    labels = nearest_centers(part, 0, centers=centers, origin=middle(centers, False), cosine=False)
    exact = torch.cdist(part.double(), torch.from_numpy(centers).double().to(X.device)).argmin(dim=1)
    bench.note(
        f"Labels of {len(part):,} rows that are those of double precision: {(labels == exact).double().mean():.5%}."
    )


def same_bits(bench: Bench) -> None:
    for make in (
        lambda: Costco(COMPONENTS),
        lambda: PCKMeans(CLUSTERS, n_init=1, max_iter=5, random_state=SEED),
        lambda: SphericalKMeans(CLUSTERS, max_iter=5, random_state=SEED),
        lambda: ProjectThenCluster(CLUSTERS, n_init=1, max_iter=5, random_state=SEED),
    ):
        found, name, seconds = [], "", []
        for _ in range(2):
            model = make()
            name = type(model).__name__
            start = time.perf_counter()
            model.fit(bench.X, constraints=bench.hints if model._method.uses_constraints else None)
            bench.wait()
            seconds.append(time.perf_counter() - start)
            found.append(bits(getattr(model, "clusterer_", model)) + bits(model))
        same = len(set(found)) == 1
        bench.row(f"{name}: a whole fit, twice", ms(min(seconds)), "itself", "the same bits", "the same bits", same)


def placing(bench: Bench) -> None:
    few, many = 10_000, min(2**20, len(bench.X) - 10_000)
    host = bench.X[: few + 20_000].cpu().numpy()
    rng = np.random.default_rng(SEED)
    pairs = rng.integers(few, size=(400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = bench.truth[pairs[:, 0]] == bench.truth[pairs[:, 1]]
    hints = Constraints(few, must_link=pairs[same], cannot_link=pairs[~same])
    model = Likewise(CLUSTERS, budget_s=20, verbose=False, random_state=SEED).fit(host[:few], constraints=hints)
    new = bench.X[few : few + many]
    there = bench.seconds(lambda: place_on_device(new, model), 3) / many
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:2])
    try:
        from threadpoolctl import threadpool_limits

        with threadpool_limits(2):
            count = min(8_192, len(host) - few)
            start = time.perf_counter()
            here = model.predict_certainty(host[few : few + count])
            on_cpu = (time.perf_counter() - start) / count
    finally:
        os.sched_setaffinity(0, cores)
    ratio = on_cpu / there
    bench.row(
        f"Likewise: placing rows among {few:,} landmarks", f"{there * 1e6:.2f} µs a row",
        f"the same in host memory, two cores: {on_cpu * 1e6:.0f} µs a row", f"{ratio:.0f}× faster", "≥ 50×",
        ratio >= 50,
    )  # fmt: skip
    found = as_places(place_on_device(new[:count], model))
    agree = (found["cluster"] == here.labels).mean()
    bench.note(f"Of {count:,} rows that Likewise placed there and in host memory, {agree:.2%} are in the same cluster.")


def streaming(bench: Bench) -> None:
    n = min(len(bench.X), 4_000_000)
    host = bench.X[:n].cpu().numpy()
    inside = Constraints(n, must_link=bench.hints.must_link[(bench.hints.must_link < n).all(axis=1)])
    rows = OnDevice(host, like=bench.X[:1])
    seconds = bench.seconds(lambda: Costco(COMPONENTS).fit(rows, constraints=inside), 3)
    bench.note(
        f"Rows that stay in host memory and come to the device leaf by leaf (`OnDevice`): Costco on {n:,} rows takes "
        f"{ms(seconds)}, {host.nbytes / seconds / 1e9:.1f} GB/s."
    )
    if bench.device.type != "cuda":
        return
    total = torch.cuda.get_device_properties(bench.device).total_memory
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_allocated() + 2**29) / total)
    try:
        model = PCKMeans(CLUSTERS, n_init=1, max_iter=2, random_state=SEED)
        model.fit(bench.X, constraints=bench.hints)
        bench.note("Half a gigabyte beside X is enough for a fit of PCKMeans.")
    except MemoryError as error:
        bench.note(f"With half a gigabyte left beside X, PCKMeans says: “{error}”")
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)


def on_cupy(bench: Bench) -> None:
    try:
        import cupy
    except ImportError:
        bench.note("CuPy is not installed: not measured.")
        return
    if bench.device.type != "cuda":
        return
    n = min(len(bench.X), 5_000_000)
    tensor = bench.X[:n]
    inside = Constraints(n, must_link=bench.hints.must_link[(bench.hints.must_link < n).all(axis=1)])
    for make in (lambda: Costco(COMPONENTS), lambda: PCKMeans(CLUSTERS, n_init=1, max_iter=5, random_state=SEED)):
        seconds, models = [], []
        for X in (tensor, cupy.from_dlpack(tensor)):
            models.append(make().fit(X, constraints=inside))
            seconds.append(bench.seconds(lambda X=X, make=make: make().fit(X, constraints=inside), 1))
        name = "components_" if hasattr(models[0], "components_") else "cluster_centers_"
        a, b = (to_numpy(getattr(model, name)) for model in models)
        bench.note(
            f"{type(models[0]).__name__} on {n:,} rows: torch {ms(seconds[0])}, CuPy {ms(seconds[1])}; `{name}` "
            f"differ by {np.abs(a - b).max() / np.abs(a).max():.0e} of the largest."
        )


def page(bench: Bench, command: str) -> str:
    packages = ["torch", "triton", "cupy-cuda13x", "flash-kmeans", "scikit-learn", "scipy", "numpy", "array-api-compat"]
    versions = []
    for name in packages:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    machine = torch.cuda.get_device_name() if bench.device.type == "cuda" else "no GPU"
    n, f = bench.X.shape
    return "\n".join(
        [
            "# On a GPU",
            "",
            "Made by `benchmarks/gpu/`, which says what each line measures. Opponents run on the same GPU in the same "
            "run; times are medians, after two runs that do not count.",
            "",
            f"    {command}",
            "",
            f"{machine}; {os.cpu_count()} CPU cores; Python {platform.python_version()}; {', '.join(versions)}.",
            "",
            f"X: {n:,} × {f} float32, {bench.X.nbytes / 1e9:.2f} GB. Copying runs at {bench.copy / 1e12:.2f} TB/s "
            f"(read and written), so that one reading of X is {ms(bench.reading)}.",
            "",
            COLUMNS,
            *bench.lines,
            "",
            *(f"- {note}" for note in bench.notes),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--columns", type=int, default=128)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "GPU.md")
    parser.add_argument("--only", nargs="*", help="some of the parts")
    given = parser.parse_args()
    parts = {
        each.__name__: each for each in (costco, moments_and_images, lloyd, same_bits, placing, streaming, on_cupy)
    }
    chosen = given.only or list(parts)
    with sklearn.config_context(array_api_dispatch=True):
        bench = Bench(given.rows, given.columns, given.device)
        for name in chosen:
            start = time.perf_counter()
            try:
                parts[name](bench)
            except Exception as error:  # what was measured before must not be lost
                import traceback

                traceback.print_exc()
                bench.note(f"{name} failed: {type(error).__name__}: {error}")
            print(f"    ({name}: {time.perf_counter() - start:.0f} s)", flush=True)
            command = (
                f"SCIPY_ARRAY_API=1 PYTHONPATH=src python -m benchmarks.gpu --rows {given.rows} --out benchmarks/GPU.md"
            )
            given.out.write_text(page(bench, command))


if __name__ == "__main__":
    main()
