"""Peers: each of them clusters, and none of them can stop or mislead the comparison."""

import os
import shutil
import signal
import sys
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.accuracy import peers as module
from benchmarks.accuracy.peers import PYTHON, SCRIPT, PeerFailure, Peers, PeerTooSlow
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs

from likewise import Constraints
from likewise.evaluation import normalized_mutual_information
from likewise.evaluation.protocols import Case, case

METHODS = ("ITML", "MMC", "RCA", "COPKMeans", "PCKMeans", "MPCKMeans", "COBRAS")
HELLO = "import json, os, signal, sys; print(json.dumps({'methods': ['M']}), flush=True); sys.stdin.readline(); "


@pytest.fixture(scope="module")
def peers():
    if not PYTHON.exists():
        pytest.skip("the peers' environment is not built; make .venv-peers/.ready builds it")
    with Peers() as running:
        yield running


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    rows = np.arange(0, len(y), 2)
    return case(X, y, "random_pairs", 100, rows=rows, random_state=0)


@pytest.fixture(scope="module")
def asked(iris):
    return replace(iris, extra={"rows": np.arange(0, len(iris.y), 2)})


def fake(doing):
    """A process that serves one method M, and does as it is asked."""
    return Peers([sys.executable, "-c", HELLO + doing])


@pytest.fixture
def served(tmp_path):
    """The real server with one method M, whose body is given."""
    shutil.copy(SCRIPT, tmp_path)
    with Peers([sys.executable, tmp_path / "run.py", "--serve"]) as peers:

        def serve(body):
            source = f"import os, time\ndef method(data, seed):\n    {body.strip()}\n"
            (tmp_path / "methods.py").write_text(source + "LABELING, WEIGHTING = {'M': method}, {}\n")
            return peers

        yield serve


@pytest.mark.parametrize("method", METHODS)
def test_a_method_clusters_alike_with_the_same_seed(peers, asked, method):
    labels = peers.labels(method, asked, seed=1, limit_s=60)
    assert labels.shape == asked.y.shape
    assert normalized_mutual_information(asked.y, labels) > 0.6
    np.testing.assert_array_equal(labels, peers.labels(method, asked, seed=1, limit_s=60))


def test_a_seed_is_heard(peers, asked):
    drawn = [peers.labels("COPKMeans", asked, seed, limit_s=60).tolist() for seed in range(4)]
    assert any(labels != drawn[0] for labels in drawn[1:])


def test_the_limit_ends_a_method_and_not_the_process(peers):
    X, y = make_blobs(1500, 10, random_state=0)
    slow = case(X, y, "random_pairs", 100, random_state=0)
    process = peers._running()
    with pytest.raises(PeerTooSlow, match=r"MPCKMeans: it took more than 0\.2 s$"):
        peers.labels("MPCKMeans", slow, seed=0, limit_s=0.2)
    assert peers.labels("PCKMeans", slow, seed=0, limit_s=60).shape == y.shape
    assert peers._running() is process


def test_a_failure_says_what_the_peer_says(peers, iris):
    torn = replace(iris, constraints=Constraints(len(iris.y), [(0, 1), (1, 2)], [(0, 2)]))
    with pytest.raises(PeerFailure, match="PCKMeans: InconsistentConstraintsException: Inconsistent constraints"):
        peers.labels("PCKMeans", torn, seed=0, limit_s=60)
    with pytest.raises(PeerFailure, match="RCA learns from must-links alone"):
        peers.labels("RCA", replace(iris, constraints=Constraints(len(iris.y), [], [(0, 60)])), seed=0, limit_s=60)


def test_rca_copes_with_fewer_must_links_than_features(peers):
    X, y = make_blobs(120, 40, centers=3, random_state=0)
    few = case(np.hstack([X, np.ones((120, 1))]), y, "random_pairs", 40, random_state=0)
    assert len(few.constraints.must_link) < 40
    assert normalized_mutual_information(y, peers.labels("RCA", few, seed=0, limit_s=60)) > 0.5


def test_one_package_does_not_change_how_numpy_treats_another(peers, iris):
    tiny = replace(iris, X=iris.X * 1e-160)  # squares underflow, which one package has numpy raise on
    with pytest.raises(PeerFailure, match="FloatingPointError"):
        peers.labels("PCKMeans", tiny, seed=0, limit_s=60)
    try:
        peers.labels("MMC", tiny, seed=0, limit_s=60)
    except PeerFailure as failure:
        assert "FloatingPointError" not in str(failure)  # noqa: PT017  (it may fail, but not so)


def test_cobras_asks_about_its_rows_alone(peers, asked):
    hidden = asked.y.copy()
    hidden[1::2] = hidden[1::2][::-1] + 7
    first, second = (peers.labels("COBRAS", replace(asked, y=y), 0, 60) for y in (asked.y, hidden))
    np.testing.assert_array_equal(first, second)


def test_cobras_must_be_told_its_rows(peers, iris):
    with pytest.raises(ValueError, match=r"which rows it may ask about; case\.extra has"):
        peers.labels("COBRAS", iris, seed=0, limit_s=60)


def test_no_method_of_that_name(peers, iris):
    with pytest.raises(ValueError, match=r"no peer method 'KMeans'\. Use one of ITML, MMC"):
        peers.labels("KMeans", iris, seed=0, limit_s=60)


def test_what_a_peer_prints_is_no_answer(served, iris):
    peers = served("print('{}'); os.write(1, b'0'); return {'labels': data['X'][:, 0] > 5}")
    np.testing.assert_array_equal(peers.labels("M", iris, seed=0, limit_s=60), iris.X[:, 0] > 5)


def test_a_peer_that_swallows_the_limit_is_still_too_slow(served, iris):
    peers = served("""
    try:
        time.sleep(60)
    except:
        raise ValueError('no rows')""")
    process = peers._running()
    with pytest.raises(PeerTooSlow, match=r"M: it took more than 0\.1 s$"):
        peers.labels("M", iris, seed=0, limit_s=0.1)
    assert peers._running() is process


def test_sparse_rows_are_refused(iris):
    with fake("") as peers, pytest.raises(TypeError, match=r"X is a sparse csr_array of shape \(150, 4\)"):
        peers.labels("M", replace(iris, X=sparse.csr_array(iris.X)), seed=0, limit_s=60)


def test_a_process_that_hangs_is_ended_and_replaced(iris, monkeypatch):
    monkeypatch.setattr(module, "GRACE_S", 0.3)
    with fake("signal.pause()") as peers:
        pids = set()
        for _ in range(2):
            pids.add(peers._running()._child.pid)
            with pytest.raises(PeerTooSlow, match=r"it took more than 0\.1 s and had to be ended"):
                peers.labels("M", iris, seed=0, limit_s=0.1)
        assert len(pids) == 2
        for pid in pids:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)


def test_a_process_that_is_killed_is_a_failure_of_the_peer(iris):
    message = f"M: its process was ended by signal {int(signal.SIGKILL)}"
    with fake("os.kill(os.getpid(), signal.SIGKILL)") as peers, pytest.raises(PeerFailure, match=message):
        peers.labels("M", iris, seed=0, limit_s=60)


def test_a_process_that_leaves_is_a_fault_of_ours(iris):
    with (
        fake("sys.exit('no such file')") as peers,
        pytest.raises(RuntimeError, match="status 1: no such file") as error,
    ):
        peers.labels("M", iris, seed=0, limit_s=60)
    assert not isinstance(error.value, PeerFailure)


def test_labels_for_other_rows_are_refused(iris):
    doing = "print(json.dumps({'seconds': 0, 'labels': [0, 1]}), flush=True)"
    with fake(doing) as peers, pytest.raises(PeerFailure, match=r"shape \(2,\), not \(150,\)"):
        peers.labels("M", iris, seed=0, limit_s=60)


def test_an_environment_not_built_is_told(iris, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"Build the peers' environment: make \.venv-peers/\.ready"):
        Peers([tmp_path / "python"]).labels("M", iris, seed=0, limit_s=60)


def test_only_cobras_hears_the_truth(asked):
    assert isinstance(asked, Case)
    assert set(module.saved("MMC", asked)) == {"X", "must_link", "cannot_link", "n_clusters"}
    given = module.saved("COBRAS", asked)
    np.testing.assert_array_equal(given["said"] == 1, asked.y[:, None] == asked.y)
    assert given["budget"] == 100
    np.testing.assert_array_equal(given["rows"], asked.extra["rows"])
