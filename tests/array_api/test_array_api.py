"""Estimators on arrays of other libraries: as on NumPy arrays, with the same bits each time, or a clear error."""

import hashlib
import warnings
from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.utils import estimator_checks

import likewise as lw
from estimators import CASES, PARTS
from likewise import Constraints, _devices
from likewise._devices import is_foreign, to_numpy
from likewise.chunked import InMemory, OnDevice, RowFiles
from likewise.clustering.kmeans._chunked import _assigned, far_rows

PROJECTIONS = (lw.Costco(2), lw.SSDR(2), lw.SCREEN(2), lw.ASP(2), lw.RCA(2), lw.DCA(2), lw.SLPP(2))
PROJECTIONS += (lw.SCREEN(2, scatter="cannot"), lw.GCDR(2, n_neighbors=0))
CLUSTERERS = (
    lw.PCKMeans(3, n_init=1, random_state=0),
    lw.PCKMeans(3, must_link="hard", metric="cosine", n_init=1, random_state=0),
    lw.COPKMeans(3, n_init=1, random_state=0),
    lw.SphericalKMeans(3, random_state=0),
    lw.ProjectThenCluster(3, n_init=1, random_state=0),
    lw.ProjectThenCluster(3, lw.RCA(2), lw.SphericalKMeans(3), metric="cosine", n_init=1, random_state=0),
)
N = 5_000
SUPPORTED = {
    key: case.for_checks()
    for key, case in CASES.items()
    if case.tiny is not None and case.for_checks().__sklearn_tags__().array_api_support
}


def name(estimator):
    return " ".join(repr(estimator).split())


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=N)
    X = rng.normal(size=(N, 5)) + 4 * np.eye(5)[y] + 10
    return X, Constraints.sample(y, "random_pairs", 60, random_state=0)


def used(estimator, hints):
    return hints if estimator._method.uses_constraints else None


def bits(estimator):
    digest = hashlib.sha256()
    for key, value in sorted(vars(estimator).items()):
        if is_foreign(value) or isinstance(value, np.ndarray):
            digest.update(key.encode() + to_numpy(value).tobytes())
    return digest.hexdigest()


def relative(found, wanted):
    return np.abs(to_numpy(found) - wanted).max() / np.abs(wanted).max()


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("estimator", PROJECTIONS, ids=name)
@pytest.mark.usefixtures("few")
def test_projections_are_those_of_numpy(estimator, dtype, data, xp):
    X, hints = data[0].astype(dtype), data[1]
    wanted, found = (clone(estimator).fit(rows, constraints=hints) for rows in (X, xp.asarray(X)))
    tolerance = 1e-9 if dtype == "float64" else 2e-5
    assert type(found.components_) is type(xp.asarray(X))
    assert to_numpy(found.components_).dtype == wanted.components_.dtype
    assert relative(found.components_, wanted.components_) < tolerance
    image = found.transform(xp.asarray(X))
    assert type(image) is type(xp.asarray(X))
    assert relative(image, wanted.transform(X)) < tolerance


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("estimator", CLUSTERERS, ids=name)
@pytest.mark.usefixtures("few")
def test_clusterers_are_those_of_rows_in_files(estimator, dtype, data, xp):
    X, hints = data[0].astype(dtype), used(estimator, data[1])
    wanted, found = (clone(estimator).fit(rows, constraints=hints) for rows in (InMemory(X), xp.asarray(X)))
    assert (to_numpy(found.labels_) == wanted.labels_).mean() > (0.9999 if dtype == "float64" else 0.998)
    assert found.objective_ == pytest.approx(wanted.objective_, rel=1e-9 if dtype == "float64" else 1e-4)
    labels = found.predict(xp.asarray(X))
    assert type(labels) is type(found.labels_) is type(xp.asarray(X))
    assert to_numpy(labels).dtype == to_numpy(found.labels_).dtype == np.int32
    assert (to_numpy(labels) == wanted.predict(X)).mean() > 0.998


@pytest.mark.parametrize("estimator", [*PROJECTIONS[:1], *CLUSTERERS[:1], *CLUSTERERS[-2:]], ids=name)
@pytest.mark.usefixtures("few")
def test_the_same_bits_twice(estimator, data, xp):
    X, hints = xp.asarray(data[0].astype("float32")), used(estimator, data[1])
    assert bits(clone(estimator).fit(X, constraints=hints)) == bits(clone(estimator).fit(X, constraints=hints))


@pytest.mark.parametrize("estimator", [lw.Costco(2), *CLUSTERERS[:1], CLUSTERERS[4]], ids=name)
def test_rows_that_stay_in_host_memory_or_in_files(estimator, data, xp, tmp_path):
    X, hints = np.concatenate([data[0]] * 20), data[1]  # more than a leaf
    hints = Constraints(len(X), hints.must_link, hints.cannot_link)
    np.save(tmp_path / "rows.npy", X)
    wanted = clone(estimator).fit(InMemory(X), constraints=hints)
    like = xp.asarray(np.zeros(1))
    for rows in (OnDevice(X, like=like), OnDevice(RowFiles(tmp_path / "rows.npy"), like=like)):
        assert rows.n_leaves == 2
        found = clone(estimator).fit(rows, constraints=hints)
        attribute = "components_" if hasattr(wanted, "components_") else "cluster_centers_"
        assert type(getattr(found, attribute)) is type(like)
        assert relative(getattr(found, attribute), getattr(wanted, attribute)) < 1e-9
        place = found.transform if hasattr(found, "transform") else found.predict
        rows.map_to(tmp_path / "image.npy", place)
        assert relative(place(xp.asarray(X)), np.load(tmp_path / "image.npy")) < 1e-12


@pytest.mark.usefixtures("few")
def test_far_from_zero_no_digits_are_lost(data, xp):
    X = (data[0] + 3_000).astype("float32")
    near, hints = X.astype("float64") - 3_000, data[1]
    wanted = lw.PCKMeans(3, n_init=1, random_state=0).fit(InMemory(near), constraints=hints)
    found = lw.PCKMeans(3, n_init=1, random_state=0).fit(xp.asarray(X), constraints=hints)
    assert (to_numpy(found.labels_) == wanted.labels_).mean() > 0.998
    assert found.inertia_ == pytest.approx(wanted.inertia_, rel=1e-3)
    costco = lw.Costco(2).fit(xp.asarray(X), constraints=hints)
    assert relative(costco.components_, lw.Costco(2).fit(near, constraints=hints).components_) < 1e-4


@pytest.mark.parametrize("cosine", [False, True])
def test_empty_clusters_take_the_farthest_rows(data, xp, cosine):
    X, rng = data[0], np.random.default_rng(1)
    centers, origin = rng.normal(10, 3, (3, 5)), np.zeros(5) if cosine else X.mean(axis=0)
    look = partial(
        far_rows,
        assign=partial(_assigned, centers=centers, origin=origin, cosine=cosine),
        centers=centers,
        origin=origin,
        cosine=cosine,
        hinted=np.array([3, 77, 4000]),
        count=4,
    )
    wanted, found = look(X, 0), look(xp.asarray(X), 0)
    assert found.labels.tolist() == wanted.labels.tolist()
    np.testing.assert_allclose(found.distances, wanted.distances, rtol=1e-9)
    np.testing.assert_allclose(found.rows, wanted.rows, rtol=1e-9)


@pytest.mark.usefixtures("few")
def test_labels_and_weights_may_lie_elsewhere(data, xp):
    X, y = data[0][:300], np.arange(300) % 3
    weight = 1.0 + np.arange(300) % 4
    wanted = lw.Costco(2).fit(X, y, sample_weight=weight)
    found = lw.Costco(2).fit(xp.asarray(X), xp.asarray(y), sample_weight=xp.asarray(weight))
    assert relative(found.components_, wanted.components_) < 1e-9


@pytest.mark.parametrize("estimator", [lw.Costco(2), lw.RCA(2), lw.PCKMeans(3, n_init=1, random_state=0)], ids=name)
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.usefixtures("few")
def test_values_that_are_not_finite_are_named(estimator, value, data, xp):
    X, hints = data[0].copy(), data[1]
    X[4321, 3] = value
    with pytest.raises(ValueError, match=rf"X is {value} in row 4321, column 3"):
        clone(estimator).fit(xp.asarray(X), constraints=hints)
    model = clone(estimator).fit(xp.asarray(data[0]), constraints=hints)
    with pytest.raises(ValueError, match=rf"X is {value} in row 4321, column 3"):
        (model.transform if hasattr(model, "transform") else model.predict)(xp.asarray(X))


@pytest.mark.usefixtures("few")
def test_a_value_that_enters_no_direction_is_looked_at_too(xp, data):
    X = np.hstack([data[0], np.ones((N, 1))])  # a constant column has no weight
    model = lw.Costco(2).fit(xp.asarray(X), constraints=data[1])
    assert not to_numpy(model.components_)[:, -1].any()
    X[77, -1] = np.nan
    with pytest.raises(ValueError, match="row 77, column 5"):
        model.transform(xp.asarray(X))


class OutOfMemoryError(RuntimeError):
    """Named as those of torch and CuPy."""


@pytest.mark.usefixtures("few")
def test_too_little_memory_says_how_many_rows_fit_and_what_else_to_do(data, xp, monkeypatch):
    def fails(*_):
        raise OutOfMemoryError

    monkeypatch.setattr("likewise.chunked._moments.moments_on_device", fails)
    monkeypatch.setattr(_devices, "free_bytes", lambda X: 1_000_000)
    room = 1_000_000 + N * 5 * 8 - 16  # and a row takes 40 bytes
    with pytest.raises(MemoryError, match=rf"About {room // 40:,} rows fit.*likewise.chunked.OnDevice"):
        lw.Costco(2).fit(xp.asarray(data[0]), constraints=data[1])


def test_other_errors_stay_as_they_are(data, xp, monkeypatch):
    def fails(*_):
        raise RuntimeError("something else")

    monkeypatch.setattr("likewise._device_fit.LEAST_ROWS", 1)
    monkeypatch.setattr("likewise.chunked._moments.moments_on_device", fails)
    with pytest.raises(RuntimeError, match="something else"):
        lw.Costco(2).fit(xp.asarray(data[0]), constraints=data[1])


@pytest.mark.parametrize("key", sorted((CASES | PARTS).keys() - SUPPORTED.keys()))
def test_every_other_estimator_says_what_to_do(key, data):
    strict = pytest.importorskip("array_api_strict")
    estimator = (CASES | PARTS)[key].fresh()
    if estimator.__sklearn_tags__().array_api_support:
        pytest.skip("a variant that scikit-learn's checks are not run on")
    with pytest.raises(TypeError, match=r"does not support the array API.*numpy\.asarray\(X\).*PCKMeans"):
        estimator.fit(strict.asarray(data[0][:60]), np.arange(60) % 3)


@pytest.mark.parametrize("estimator", [lw.MPCKMeans(3), lw.ProjectThenCluster(3, clusterer=lw.MPCKMeans(3))], ids=name)
def test_what_reads_files_but_not_on_a_device(estimator, data, xp):
    with pytest.raises(TypeError, match=r"does not support the array API.*PCKMeans, COPKMeans and SphericalKMeans"):
        estimator.fit(OnDevice(xp.asarray(data[0])), constraints=data[1])


class SparseTensor:
    """What is seen of a sparse tensor of torch."""

    layout, shape, dtype, device = "torch.sparse_csr", (N, 5), "torch.float64", "cuda:0"
    __module__ = "torch"

    def __dlpack_device__(self):
        return (2, 0)


class SparseMatrix:
    """What is seen of a sparse matrix of CuPy."""

    shape = (N, 5)
    __module__ = "cupyx.scipy.sparse._csr"


@pytest.mark.parametrize("dispatched", [True, False])
@pytest.mark.parametrize(("X", "advice"), [(SparseTensor(), r"X\.to_dense\(\)"), (SparseMatrix(), r"X\.toarray\(\)")])
@pytest.mark.parametrize("estimator", [lw.Costco(2), lw.PCKMeans(3), lw.MPCKMeans(3), lw.Likewise(3)], ids=name)
def test_sparse_rows_on_a_device_are_refused(estimator, X, advice, dispatched, data):
    with (
        sklearn.config_context(array_api_dispatch=dispatched),
        pytest.raises(TypeError, match=rf"X is a sparse array of \w+, .* must be dense\. Pass {advice}"),
    ):
        clone(estimator).fit(X, constraints=data[1])


def test_sparse_rows_are_not_brought_to_a_device():
    with pytest.raises(TypeError, match="must be dense"):
        OnDevice(SparseTensor())


def test_complex_numbers_are_refused(data, xp):
    X = xp.asarray(data[0] + 1j)
    with pytest.raises(ValueError, match="Complex data not supported"):
        lw.Costco(2).fit(X, constraints=data[1])


@pytest.mark.usefixtures("few")
def test_clusters_go_into_a_file_and_the_model_stays_on_the_device(data, xp, tmp_path):
    X, hints = xp.asarray(data[0]), data[1]
    model = lw.PCKMeans(3, random_state=0)
    labels = to_numpy(model.fit(X, constraints=hints).labels_)
    for rows in (X, OnDevice(X)):
        model.fit_to(tmp_path / "clusters.npy", rows, constraints=hints)
        np.testing.assert_array_equal(np.load(tmp_path / "clusters.npy"), labels)
        assert type(model.cluster_centers_) is type(X)


def test_tables_of_other_libraries_are_refused(data, xp):
    with pytest.raises(TypeError, match="TableFeatures does not support the array API"):
        lw.TableFeatures().fit(xp.asarray(data[0]))


def test_new_rows_must_lie_where_those_of_fit_did(data, xp):
    X, hints = data[0], data[1]
    here, there = (lw.PCKMeans(3, n_init=1, random_state=0).fit(rows, constraints=hints) for rows in (X, xp.asarray(X)))
    for model, rows in ((here, xp.asarray(X)), (there, X)):
        with pytest.raises(ValueError, match=r"PCKMeans.predict\(\) must use the same namespace"):
            model.predict(rows)
    with sklearn.config_context(array_api_dispatch=False), pytest.raises(ValueError, match="dispatch on"):
        there.predict(xp.asarray(X))


def test_without_dispatch_an_array_elsewhere_is_explained(data):
    strict = pytest.importorskip("array_api_strict")
    X = strict.asarray(data[0], device=strict.Device("device1"))
    with sklearn.config_context(array_api_dispatch=False), pytest.raises(TypeError, match="SCIPY_ARRAY_API=1"):
        lw.Costco(2).fit(X, constraints=data[1])


def test_models_are_saved_as_those_of_numpy(data, xp, tmp_path):
    X, hints = data[0], data[1]
    model = lw.ProjectThenCluster(3, n_init=1, random_state=0).fit(xp.asarray(X), constraints=hints)
    model.save(tmp_path / "model.likewise")
    saved = lw.models.load(tmp_path / "model.likewise").model
    assert isinstance(saved.cluster_centers_, np.ndarray)
    assert (saved.predict(X) == to_numpy(model.predict(xp.asarray(X)))).mean() > 0.999


def test_what_is_given_as_like_must_be_an_array_elsewhere(data):
    with pytest.raises(TypeError, match="like is 'cuda'"):
        OnDevice(data[0], like="cuda")
    strict = pytest.importorskip("array_api_strict")
    with pytest.raises(TypeError, match="dtype int64"):
        OnDevice(np.arange(4).reshape(2, 2), like=strict.zeros(1))


@pytest.mark.parametrize("kind", ["table", "counts"])
def test_likewise_places_rows_on_the_device(kind, data, xp):
    X = data[0][:700] if kind == "table" else np.round(np.abs(data[0][:700] * 3))
    model = lw.Likewise(3, kind=kind, verbose=False, random_state=0).fit(X[:300])
    wanted, found = (model.predict_certainty(rows) for rows in (X[300:], xp.asarray(X[300:])))
    assert (found.labels == wanted.labels).mean() > 0.99
    assert np.median(np.abs(found.certainty - wanted.certainty)) < 1e-5
    known = model.predict_certainty(xp.asarray(X[:300]))
    assert (known.labels == model.labels_).mean() > 0.99
    with pytest.raises(TypeError, match=r"OnDevice\(X\)"):
        lw.Likewise(3, verbose=False).fit(xp.asarray(X))


def test_likewise_learns_in_host_memory_and_places_on_the_device(data, xp, monkeypatch):
    monkeypatch.setattr("likewise.front._landmarks.MAX_LANDMARKS", 300)
    monkeypatch.setattr("likewise.front._likewise.MAX_LANDMARKS", 300)
    X, hints = data[0][:2_000], data[1]
    hints = Constraints(2_000, *(pairs[(pairs < 2_000).all(axis=1)] for pairs in (hints.must_link, hints.cannot_link)))
    here, there = (
        lw.Likewise(3, verbose=False, random_state=0).fit(rows, constraints=hints)
        for rows in (InMemory(X), OnDevice(xp.asarray(X)))
    )
    assert isinstance(there.labels_, np.ndarray)
    assert (here.labels_ == there.labels_).mean() > 0.99


def checks():
    """scikit-learn's own, for what says that it supports arrays of other libraries."""
    for key, estimator in SUPPORTED.items():
        for check in estimator_checks._yield_array_api_checks(estimator):
            given = check.keywords
            library = given.get("array_namespace") or given["X_ns_and_device"].xp
            if library in ("array_api_strict", "torch") and given.get("device_name") not in ("cuda", "xpu", "mps"):
                yield pytest.param(estimator, check, id=f"{key} {check.func.__name__} {library}")


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
@pytest.mark.usefixtures("few")
def test_scikit_learn_checks_where_arrays_lie(estimator, check):
    # the same checks as of all estimators, whose 30 rows would be fitted in host memory
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # labels of other numbers of classes than there are clusters
        check(type(estimator).__name__, estimator)
