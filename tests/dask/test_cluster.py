"""On a cluster of processes: a worker or a client that is killed changes no bit of the result."""

import os
import signal
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from benchmarks.studio.dask_fits import PATIENCE
from dask.utils import key_split
from distributed import Client, LocalCluster, get_task_stream

import dask
import likewise as lw
from dask_parts import WATCHED, F, N, array, csr, data, digest, readings
from likewise.chunked import DaskRows, InMemory, _fold

X, Y = data()
HINTS = lw.Constraints.sample(Y, "random_pairs", 60, random_state=0)
LABELS = lw.Constraints.from_labels(np.where(np.arange(N) % 50 == 0, Y, -1))
MODELS = [
    (lw.Costco(2), HINTS),
    (lw.SSDR(2), HINTS),
    (lw.ASP(2), LABELS),
    (lw.SCREEN(2), LABELS),
    (lw.RCA(2), HINTS),
    (lw.DCA(2), HINTS),
    (lw.SLPP(2), LABELS),
    (lw.GCDR(2, n_neighbors=0), HINTS),
    (lw.PCKMeans(3, random_state=0), HINTS),
    (lw.COPKMeans(3, random_state=0), HINTS),
    (lw.SphericalKMeans(3, random_state=0), None),
    (lw.MPCKMeans(3, random_state=0), HINTS),
    (lw.ProjectThenCluster(3, random_state=0), HINTS),
    (lw.Likewise(3, verbose=False, random_state=0), HINTS),
]
EVERY = pytest.mark.parametrize(("model", "hints"), MODELS, ids=[type(model).__name__ for model, _ in MODELS])
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")  # sockets of workers that were killed


@contextmanager
def cluster(n_workers=2, **options):
    options = {"memory_limit": "1GiB", "dashboard_address": ":0", "death_timeout": "600s", **options}
    with (
        dask.config.set(PATIENCE),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, processes=True, **options) as workers,
        Client(workers) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with cluster() as client:
        yield client


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(_fold, "LEAF", 256)
    monkeypatch.setattr("likewise.clustering.kmeans._centers.SAMPLE", 300)
    monkeypatch.setattr("likewise.clustering._project.SAMPLE", 300)
    for name, value in (("MAX_LANDMARKS", 200), ("MAX_CONSTRAINED", 150)):
        monkeypatch.setattr(f"likewise.front._landmarks.{name}", value)
    monkeypatch.setattr("likewise.front._likewise.MAX_LANDMARKS", 200)


def order(folder, reading, who="self"):
    """Have the chunk that is watched end a process at a reading."""
    Path(folder, f"end-{reading}-{who}").touch()


def executed(folder):
    return len(list(Path(folder).glob("ended-*")))


@EVERY
def test_a_worker_that_is_killed_in_each_kind_of_pass(model, hints, client, tmp_path):
    here = digest(model.fit(InMemory(X), constraints=hints))
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    calm.mkdir()
    rough.mkdir()
    assert digest(model.fit(array(calm), constraints=hints)) == here
    passes = readings(calm)
    # A sample, what a projection needs, an iteration, and labels at last. A reading that was killed is done again.
    kinds = sorted({*range(1, min(passes, 4 if isinstance(model, lw.ProjectThenCluster) else 3)), passes})
    for killed, reading in enumerate(kinds):
        order(rough, reading + killed)
    assert digest(model.fit(array(rough), constraints=hints)) == here
    assert executed(rough) == len(kinds)
    assert readings(rough) >= passes + len(kinds)


@pytest.mark.parametrize("name", ["transform", "predict"])
def test_a_worker_that_is_killed_while_it_places_rows(name, client, tmp_path):
    model = lw.ProjectThenCluster(3, random_state=0).fit(InMemory(X), constraints=HINTS)
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    calm.mkdir()
    rough.mkdir()
    undisturbed = getattr(model, name)(array(calm)).compute()
    order(rough, 1)
    np.testing.assert_array_equal(getattr(model, name)(array(rough)).compute(), undisturbed)
    assert executed(rough) == 1


@pytest.mark.parametrize("kind", [np.asarray, csr])
def test_a_worker_that_is_killed_while_it_holds_results(kind, client, tmp_path):
    model = lw.PCKMeans(3, random_state=0)
    here = digest(model.fit(InMemory(kind(X)), constraints=HINTS))
    order(tmp_path, "any", "other")
    assert digest(model.fit(array(tmp_path, kind=kind), constraints=HINTS)) == here
    assert executed(tmp_path) == 1


def test_rows_that_workers_keep_are_read_again_when_one_is_lost(client, tmp_path):
    model = lw.PCKMeans(3, random_state=0)
    here = digest(model.fit(InMemory(X), constraints=HINTS))
    kept = array(tmp_path).persist()
    assert digest(model.fit(kept, constraints=HINTS)) == here
    assert readings(tmp_path) == 1
    holders = client.who_has()
    held = {worker for workers in holders.values() for worker in workers}
    processes = client.run(os.getpid)
    lost = processes[min(held)]
    os.kill(lost, signal.SIGKILL)
    assert digest(model.fit(kept, constraints=HINTS)) == here
    assert lost not in client.run(os.getpid).values()


CLIENT = """
import os
import sys
from pathlib import Path
from distributed import Client, LocalCluster
import likewise as lw
from dask_parts import array, data, digest
from likewise.chunked import DaskRows, _fold
import likewise.clustering.kmeans._centers as centers

if __name__ == "__main__":
    noted, folder = sys.argv[1:]
    Path(noted, "client").write_text(str(os.getpid()))
    _fold.LEAF, centers.SAMPLE = 256, 300
    hints = lw.Constraints.sample(data()[1], "random_pairs", 60, random_state=0)
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        model = lw.PCKMeans(3, random_state=0)
        model.fit(DaskRows(array(noted), checkpoint=folder), constraints=hints)
        print(digest(model))
"""


def environment():
    """What a process of its own needs to import what this one has."""
    path = os.pathsep.join([str(Path(__file__).parents[1]), *(entry for entry in sys.path if entry)])
    return {**os.environ, "PYTHONPATH": path}


def run_client(folder, *arguments):
    script = folder / "client.py"
    script.write_text(CLIENT)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    return subprocess.run([sys.executable, script, *arguments], env=environment(), **streams)


def test_a_client_that_is_killed_goes_on_after_its_last_pass(tmp_path):
    here = digest(lw.PCKMeans(3, random_state=0).fit(InMemory(X), constraints=HINTS))
    noted, folder = tmp_path / "noted", tmp_path / "kept"
    noted.mkdir()
    order(noted, 3, "client")  # in the third pass, the second iteration
    killed = run_client(tmp_path, noted, folder)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(folder.glob("pass-*.npz"))) == 2
    before = readings(noted)
    again = run_client(tmp_path, noted, folder)
    assert again.stdout.strip() == str(here)
    passes = len(list(folder.glob("pass-*.npz"))) + 1  # labels are not kept
    assert readings(noted) - before == 1 + passes - 2  # one to compare


def greedy(block):
    """Take memory until the nanny ends the worker."""
    taken = []
    while True:
        taken.append(np.ones(2**22))


def test_workers_that_run_out_of_memory(tmp_path):
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        cluster(1, memory_limit="300MiB", silence_logs=50),
    ):
        rows = da.from_array(X, chunks=(1000, -1)).map_blocks(greedy, dtype=X.dtype, meta=X[:0])
        with pytest.raises(RuntimeError, match=r"were killed one after another.*1,000 rows .*rechunk\(\{0: 250\}\)"):
            lw.Costco(2).fit(rows, constraints=HINTS)


def too_large(block):
    return np.ones(2**45)


def test_a_chunk_that_cannot_be_held(client):
    rows = da.from_array(X, chunks=(1000, -1)).map_blocks(too_large, dtype=X.dtype, meta=X[:0])
    with pytest.raises(MemoryError, match=r"did not fit into memory .*The largest chunk has 1,000 rows"):
        lw.Costco(2).fit(rows, constraints=HINTS)


def test_a_scheduler_that_goes_away(tmp_path):
    def start(*arguments):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([sys.executable, "-m", *arguments], env=environment(), **quiet)

    file = tmp_path / "scheduler.json"
    where = ["--scheduler-file", str(file)]
    scheduler = start("distributed.cli.dask_scheduler", *where, "--port", "0", "--no-dashboard")
    worker = start("distributed.cli.dask_worker", *where, "--no-dashboard", "--nthreads", "1", "--no-nanny")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            client = Client(scheduler_file=str(file), timeout="120s", set_as_default=True)
            client.wait_for_workers(1)
            order(tmp_path, 2, str(scheduler.pid))
            with (
                client.as_current(),
                pytest.raises(ConnectionError, match="connection to the Dask scheduler was lost"),
            ):
                lw.PCKMeans(3, random_state=0).fit(array(tmp_path), constraints=HINTS)
            client.close(timeout=1)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()


def test_tasks_are_named_after_what_they_do(client, tmp_path):
    with get_task_stream(client) as stream:
        model = lw.PCKMeans(3, random_state=0).fit(array(tmp_path), constraints=HINTS)
        model.predict(array(tmp_path)).compute()
    seen = {key_split(task["key"]) for task in stream.data}
    words = "pick", "assign-and-sum", "nearest-centers", "predict", "add", "piece"
    assert {f"likewise-{word}" for word in words} <= seen


def test_a_client_of_threads(tmp_path):
    here = digest(lw.PCKMeans(3, random_state=0).fit(InMemory(X), constraints=HINTS))
    with Client(processes=False, n_workers=1, threads_per_worker=4, dashboard_address=":0"):
        assert digest(lw.PCKMeans(3, random_state=0).fit(array(tmp_path), constraints=HINTS)) == here


def test_dask_s_pool_of_processes(tmp_path):
    here = digest(lw.Costco(2).fit(InMemory(X), constraints=HINTS))
    with dask.config.set(scheduler="processes", num_workers=2):
        assert digest(lw.Costco(2).fit(array(tmp_path), constraints=HINTS)) == here


def test_rows_of_a_cluster_can_be_brought_here(client, tmp_path):
    rows = DaskRows(array(tmp_path))
    np.testing.assert_array_equal(np.concatenate([leaf for leaf, _ in rows.leaves()]), X)
    assert [first for _, first in rows.leaves()] == list(range(0, N, 256))
    assert rows.take(np.array([0, N - 1])).rows.shape == (2, F)
    assert len(array(tmp_path).chunks[0]) > WATCHED
