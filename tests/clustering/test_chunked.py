"""Clusterers on rows in files: an iteration is one reading, and the answer is as good as that in memory."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import likewise as lw
from cases.data import blobs
from likewise import Constraints
from likewise.chunked import InMemory, LinearImage, Mapped, RowFiles, _files, _fold
from likewise.clustering.kmeans import _centers
from likewise.clustering.kmeans._chunked import assign_and_sum, chunked_lloyd, middle
from likewise.clustering.kmeans._lloyd import lloyd, plain
from likewise.clustering.kmeans._points import Points, nearest
from likewise.clustering.kmeans.mpck._chunked import HintedRows, chunked_mpck, read_first
from likewise.clustering.kmeans.mpck._cluster_metrics import Spread
from likewise.clustering.kmeans.mpck._violations import Violations
from likewise.linalg._unit_rows import unit_rows
from likewise.tables import read_raw

N = 1500
X, Y = blobs(N, 6, seed=2)
X = (X * 3 + 50).astype(np.float32)
HINTS = Constraints.sample(Y, "random_pairs", 60, random_state=0)
MODELS = [
    lw.PCKMeans(3, random_state=0),
    lw.PCKMeans(3, must_link="hard", metric="cosine", random_state=0),
    lw.COPKMeans(3, random_state=0),
    lw.COPKMeans(4, random_state=0),
    lw.SphericalKMeans(3, random_state=0),
    lw.MPCKMeans(3, random_state=0),
    lw.MPCKMeans(3, metric="full", shared=True, random_state=0),
    lw.ProjectThenCluster(3, random_state=0),
    lw.ProjectThenCluster(3, clusterer=lw.MPCKMeans(3), random_state=0),
    lw.ProjectThenCluster(3, lw.Costco(2), lw.MPCKMeans(3), random_state=0),
    lw.ProjectThenCluster(3, lw.SSDR(2), lw.SphericalKMeans(3), random_state=0),
]
IN_MEMORY = [lw.NormalizedCut(3), lw.KernelKMeans(3), lw.SubspaceMetricEnsemble(3)]
EVERY = pytest.mark.parametrize("model", MODELS, ids=repr)


@pytest.fixture(autouse=True)
def small_leaves(monkeypatch):
    monkeypatch.setattr(_fold, "LEAF", 256)
    monkeypatch.setattr(_files, "LEAF", 256)
    monkeypatch.setattr(_centers, "SAMPLE", 300)
    monkeypatch.setattr("likewise.clustering.kmeans.mpck._estimator.SAMPLE", 300)
    monkeypatch.setattr("likewise.clustering._project.SAMPLE", 300)


def hints_for(model):
    return None if isinstance(model, lw.SphericalKMeans) else HINTS


@pytest.fixture
def rows(tmp_path):
    for part, (start, stop) in enumerate(((0, 700), (700, 701), (701, N))):
        np.save(tmp_path / f"{part}.npy", X[start:stop])
    return RowFiles(tmp_path / "*.npy")


@EVERY
def test_as_good_as_in_memory(model, rows):
    there = model.fit(rows, constraints=hints_for(model))
    objective, labels = there.objective_, there.labels_.copy()
    here = model.fit(X, constraints=hints_for(model))
    # From a sample of 300 rows, the fourth cluster of three is found where chance puts it.
    margin = 0.005 if here.n_clusters == 3 else 0.03
    assert objective <= here.objective_ + margin * abs(here.objective_) + 1e-9
    assert here.n_clusters != 3 or lw.evaluation.rand_index(here.labels_, labels) > 0.95


@EVERY
def test_the_same_bits_from_files_and_from_memory(model, rows, monkeypatch):
    from_files = model.fit(rows, constraints=hints_for(model))
    labels, centers = from_files.labels_.copy(), from_files.cluster_centers_.copy()
    monkeypatch.setattr("likewise._threads.n_threads", lambda: 3)
    from_memory = model.fit(InMemory(X), constraints=hints_for(model))
    np.testing.assert_array_equal(from_memory.labels_, labels)
    np.testing.assert_array_equal(from_memory.cluster_centers_, centers)


class Elsewhere(InMemory):
    """Rows that other processes look at: what is looked for is sent there."""

    def looks(self, look):
        return super().looks(pickle.loads(pickle.dumps(look)))


@EVERY
def test_what_is_looked_for_can_be_sent_elsewhere(model):
    here = model.fit(InMemory(X), constraints=hints_for(model)).labels_.copy()
    np.testing.assert_array_equal(model.fit(Elsewhere(X), constraints=hints_for(model)).labels_, here)


@EVERY
def test_an_iteration_is_one_reading(model, rows):
    model.fit(rows, constraints=hints_for(model))
    more = 0
    if getattr(model, "metric", None) == "full":
        more = 2 * model.n_iter_  # for the two rows that are farthest apart
    elif isinstance(getattr(model, "clusterer", None), lw.MPCKMeans):
        more = 1  # for the variances after the projection
    assert rows.passes <= model.n_iter_ + 2 + more


FAR_OFF = np.concatenate([X[:3], np.full((3, 6), -1e4)]).astype(np.float64)
"""Centers, of which the last three are near no row."""


@pytest.mark.parametrize("cosine", [False, True])
@pytest.mark.parametrize("n_iter", [1, 2, 3, 6])
def test_empty_clusters_are_filled_as_in_memory(cosine, n_iter):
    rows = X.astype(np.float64)
    rows[9] = 0  # without direction
    start = unit_rows(FAR_OFF) if cosine else FAR_OFF
    points = Points(rows, cosine=cosine)
    here = lloyd(points, start, plain(points), max_iter=n_iter, tol=0)
    there, _ = chunked_lloyd(InMemory(rows), start, None, cosine=cosine, max_iter=n_iter, tol=0)
    np.testing.assert_allclose(there.history, here.history, rtol=1e-9)
    np.testing.assert_allclose(there.centers, here.centers, rtol=1e-7, atol=1e-9)
    assert n_iter == 1 or (points.means(here.labels, 6)[1]).all()


@pytest.mark.parametrize("metric", ["diagonal", "full"])
@pytest.mark.parametrize("shrink", [0.0, 0.7])
def test_metrics_from_files_are_those_in_memory(metric, shrink):
    """The same iterations from the same start, with hints."""
    rows = X.astype(np.float64)
    rows -= rows.mean(axis=0)
    start = rows[:6]
    wrong = Constraints.sample((Y + (np.arange(N) % 4 == 0)) % 3, "random_pairs", 80, random_state=1)
    model = lw.MPCKMeans(6, metric=metric, shrink=shrink, penalty=0.5, closure=False, tol=0, max_iter=6)
    full = metric == "full"
    metrics = model._metrics(rows, Spread.of(rows, full=full))
    violations = Violations(rows, wrong, 0.5, closed=False)
    here, learned = model._run(rows, Points(rows), violations, start, metrics, np.random.RandomState(0))

    chunked = InMemory(rows)
    hinted = np.flatnonzero(wrong.constrained_rows())
    _, (origin, spread) = read_first(chunked, hinted, 0, 0, full=full)
    np.testing.assert_allclose(spread.pooled, Spread.of(rows, full=full).pooled, rtol=1e-9, atol=1e-12)
    around = rows - origin
    metrics = model._metrics(InMemory(around), spread)
    hinted_rows = HintedRows(
        hinted,
        around[hinted],
        Violations(around[hinted], wrong.restrict(hinted), 0.5, closed=False),
        np.random.RandomState(0),
    )
    there, found, inertia = chunked_mpck(InMemory(around), start - origin, metrics, hinted_rows, max_iter=6, tol=0)
    np.testing.assert_allclose(there.history, here.history, rtol=1e-8)
    np.testing.assert_array_equal(there.labels, here.labels[hinted])
    np.testing.assert_allclose(found.values, learned.values, rtol=1e-5, atol=1e-8)
    lengths = learned.lengths(rows, here.centers)[np.arange(N), here.labels]
    assert inertia == pytest.approx(float(lengths.sum()), rel=1e-8)
    start = FAR_OFF - X.mean(axis=0, dtype=np.float64)  # with empty clusters
    filled, _, _ = chunked_mpck(InMemory(around), start - origin, metrics, hinted_rows, max_iter=2, tol=0)
    assert np.abs(filled.centers).max() < 1e3


def test_hints_hold_where_they_must(rows):
    model = lw.COPKMeans(3, random_state=0).fit(rows, constraints=HINTS)
    left, right = model.labels_[HINTS.must_link].T
    np.testing.assert_array_equal(left, right)
    left, right = model.labels_[HINTS.cannot_link].T
    assert (left != right).all()


def test_free_rows_are_at_their_nearest_center(rows):
    model = lw.PCKMeans(3, random_state=0).fit(rows, constraints=HINTS)
    free = ~HINTS.constrained_rows()
    np.testing.assert_array_equal(model.labels_[free], nearest(Points(X), model.cluster_centers_)[0][free])
    inside = np.square(X - model.cluster_centers_[model.labels_]).sum()
    assert model.inertia_ == pytest.approx(inside, rel=1e-4)


def test_rows_without_direction(rows, tmp_path):
    zeros = X.copy()
    zeros[5:9] = 0
    model = lw.SphericalKMeans(3, random_state=0)
    here, there = model.fit(zeros).inertia_, model.fit(InMemory(zeros)).inertia_
    assert there == pytest.approx(here, rel=1e-3)


def test_contradictions_name_rows_of_the_files(rows):
    wrong = Constraints(N, must_link=[(1400, 1401), (1401, 1402)], cannot_link=[(1400, 1402)])
    for model in (lw.COPKMeans(3), lw.PCKMeans(3)):
        with pytest.raises(lw.ConstraintConflictError, match=r"140[012]"):
            model.fit(rows, constraints=wrong)


@pytest.mark.parametrize("model", IN_MEMORY, ids=repr)
def test_what_stays_in_memory_names_what_to_use(model, rows):
    with pytest.raises(TypeError, match=r"works on rows in memory\. For rows in files use Likewise"):
        model.fit(rows)


def test_projections_that_look_at_each_row(rows):
    with pytest.raises(TypeError, match="For rows in files use Costco"):
        lw.GCDR(2).fit(rows, constraints=HINTS)


def test_new_rows_in_files_are_placed_into_a_file(rows, tmp_path):
    model = lw.PCKMeans(3, random_state=0).fit(rows, constraints=HINTS)
    project = lw.ProjectThenCluster(3, random_state=0).fit(rows, constraints=HINTS)
    with pytest.raises(TypeError, match=r"rows\.map_to"):
        project.transform(rows)
    for other in (model, project, lw.MPCKMeans(3, random_state=0).fit(rows, constraints=HINTS)):
        np.testing.assert_array_equal(other.predict(rows), other.predict(X))
    rows.map_to(tmp_path / "clusters.out.npy", model.predict)
    np.testing.assert_array_equal(np.load(tmp_path / "clusters.out.npy"), model.predict(X))


@EVERY
@pytest.mark.parametrize("suffix", [".csv", ".npy", ".parquet", ".jsonl"])
def test_clusters_go_into_a_file(model, suffix, rows, tmp_path):
    labels = model.fit(rows, constraints=hints_for(model)).labels_
    path = tmp_path / f"clusters.out{suffix}"
    model.fit_to(path, rows, constraints=hints_for(model))
    assert not hasattr(model, "labels_")
    found = np.load(path) if suffix == ".npy" else np.array(read_raw(path).columns["cluster"]).astype(int)
    np.testing.assert_array_equal(found, labels)
    again = type(model).load(model.save(tmp_path / "m.likewise"))
    np.testing.assert_array_equal(again.predict(X[:50]), model.predict(X[:50]))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array, pd.DataFrame], ids=str)
def test_clusters_of_rows_in_memory_go_into_a_file(kind, tmp_path):
    model = lw.PCKMeans(3, random_state=0).fit_to(tmp_path / "clusters.npy", kind(X), constraints=HINTS)
    labels = model.fit(InMemory(X), constraints=HINTS).labels_
    np.testing.assert_array_equal(np.load(tmp_path / "clusters.npy"), labels)
    bad = X.copy()
    bad[1400, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in row 1400"):
        model.fit_to(tmp_path / "clusters.npy", kind(bad), constraints=HINTS)
    np.testing.assert_array_equal(np.load(tmp_path / "clusters.npy"), labels)  # what was there stays


@pytest.mark.parametrize("model", [lw.SphericalKMeans(3), lw.RCA(2)], ids=repr)
def test_no_weights_for_rows_in_files(model, rows):
    with pytest.raises(ValueError, match="leave sample_weight out"):
        model.fit(rows, constraints=hints_for(model), sample_weight=np.ones(N))


@pytest.mark.parametrize("cosine", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_iteration_beside_a_direct_version(cosine, dtype):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(900, 5)).astype(dtype) + (0 if cosine else 30)
    rows[7] = 0
    centers = rows[[3, 50, 50, 80]]  # the second and the third are the same: rows go to the second
    if cosine:
        centers = centers / np.linalg.norm(centers, axis=1, keepdims=True)
    hinted = np.array([100, 101, 899 + 100])
    found = assign_and_sum(rows, 100, centers=centers, origin=middle(centers, cosine), cosine=cosine, hinted=hinted)
    seen = rows.astype(np.float64)[2:-1]
    if cosine:
        length = np.linalg.norm(seen, axis=1, keepdims=True)
        seen = np.divide(seen, length, out=np.zeros_like(seen), where=length > 0)
    distances = np.square(seen[:, None] - centers).sum(axis=2)
    labels = distances.argmin(axis=1)
    counted = (np.linalg.norm(seen, axis=1) > 0) | (not cosine)
    cost = np.where(counted, distances.min(axis=1), 2.0).sum()
    np.testing.assert_array_equal(found.sizes, np.bincount(labels[counted], minlength=4))
    assert found.sizes[2] == 0
    sums = np.stack([(seen - middle(centers, cosine))[counted & (labels == c)].sum(axis=0) for c in range(4)])
    np.testing.assert_allclose(found.sums, sums, rtol=1e-4, atol=1e-2 if dtype == np.float32 else 1e-9)
    assert found.cost + found.spread == pytest.approx(cost, rel=1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("width", [4, 6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_linear_image_need_not_be_made(width, dtype):
    """Rows compared as they are move the centers in their image as the image does."""
    rows = X.astype(dtype)
    directions = np.random.default_rng(0).normal(size=(width, 6)).astype(dtype)
    made = []

    def image(some):
        made.append(len(some))
        return some @ directions.T

    hinted = _centers.Hinted(np.array([5, 700]), Points(image(rows[[5, 700]])), *both_to_the_first())
    plainly, linear = Mapped(InMemory(rows), image, width), LinearImage(InMemory(rows), image, directions, rows[0])
    found = []
    for each in (plainly, linear):
        made.clear()
        run, _ = chunked_lloyd(each, image(rows[:4]), hinted, cosine=False, max_iter=5, tol=0)
        found.append((run, sum(made) - 4))
    (here, projected), (there, once) = found
    assert projected == here.n_iter * N
    assert once == N
    rtol = 1e-4 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(there.history, here.history, rtol=rtol)
    np.testing.assert_allclose(there.centers, here.centers, rtol=rtol)


def both_to_the_first():
    """How two rows with hints are assigned, and their points."""
    return lambda centers, labels: (np.zeros(2, dtype=np.int64), 1.0), np.array([0, 1])


def test_many_clusters_are_compared_in_the_image():
    rows, directions, made = X.astype(np.float64), np.ones((1, 6)), []

    def image(some):
        made.append(len(some))
        return some @ directions.T

    run, _ = chunked_lloyd(
        LinearImage(InMemory(rows), image, directions, rows[0]), image(rows[:3]), None, cosine=False, max_iter=3, tol=0
    )
    assert sum(made) - 3 == run.n_iter * N
