"""Fields of a model file that a stranger changed, with right checksums: refused when the file is opened, by name."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris

from likewise import GraphFeatures, KernelKMeans, PCKMeans, XingMetric
from likewise.models import save
from models.test_strangers import _array, altered, refused

X, Y = load_iris(return_X_y=True)
X, Y = X[::5], Y[::5]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fields")
    made = {
        "PCKMeans": PCKMeans(3, random_state=0).fit(X),
        "KernelKMeans": KernelKMeans(3, random_state=0).fit(X),
        "XingMetric": XingMetric(shrink=1.0).fit(X, Y),
        "GraphFeatures": GraphFeatures(n_components=3).fit(X),
    }
    return {name: save(folder / f"{name}.likewise", model).read_bytes() for name, model in made.items()}


def with_array(data, name, values):
    return altered(data, lambda document: None, lambda arrays: arrays.update({f"model.{name}.npy": _array(values)}))


def with_learned(data, **learned):
    return altered(data, lambda document: document["model"]["learned"].update(learned))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_values_that_no_model_has(tmp_path, files, value):
    centers = np.zeros((3, 4))
    centers[1, 2] = value
    said = refused(tmp_path, with_array(files["PCKMeans"], "learned.cluster_centers_", centers))
    assert "array model.learned.cluster_centers_.npy has a value that is not finite, or too large" in said


def test_large_values_that_can_be_squared_are_read(tmp_path, files):
    from likewise.models import load

    path = tmp_path / "m.likewise"
    path.write_bytes(with_array(files["PCKMeans"], "learned.cluster_centers_", np.full((3, 4), 1e150)))
    assert load(path).model.cluster_centers_.max() == 1e150


@pytest.mark.parametrize("dtype", ["complex128", "S3", "<M8[s]", "float16"])
def test_types_that_no_model_has(tmp_path, files, dtype):
    said = refused(tmp_path, with_array(files["PCKMeans"], "learned.cluster_centers_", np.zeros((3, 4)).astype(dtype)))
    assert "array model.learned.cluster_centers_.npy is of type" in said


@pytest.mark.parametrize("width", [0, -1, True, 4.0, "4", None])
def test_a_number_of_columns_that_is_none(tmp_path, files, width):
    said = refused(tmp_path, with_learned(files["PCKMeans"], n_features_in_=width))
    assert f"n_features_in_ of PCKMeans is {width!r}" in said


def test_parameters_are_checked(tmp_path, files):
    said = refused(tmp_path, altered(files["KernelKMeans"], lambda d: d["model"]["parameters"].update(kernel="music")))
    assert "'kernel' parameter of KernelKMeans" in said


def test_a_kernel_without_its_width(tmp_path, files):
    assert "delta_" in refused(tmp_path, altered(files["KernelKMeans"], lambda d: d["model"]["learned"].pop("delta_")))


def test_no_center_at_all(tmp_path, files):
    said = refused(tmp_path, with_array(files["PCKMeans"], "learned.cluster_centers_", np.zeros((0, 4))))
    assert "cluster_centers_ has the shape (0, 4), not any × 4" in said


def test_rows_of_another_shape(tmp_path, files):
    said = refused(tmp_path, with_array(files["KernelKMeans"], "learned._X", X[:, :3]))
    assert "_X has the shape (30, 3), not 30 × 4" in said
    said = refused(tmp_path, with_array(files["GraphFeatures"], "parts._near.learned._rows", X[:, :3]))
    assert "_rows has the shape (30, 3), not 30 × 4" in said


def test_negative_weights(tmp_path, files):
    said = refused(tmp_path, with_array(files["XingMetric"], "learned.weights_", np.array([1.0, -2.0, 1.0, 1.0])))
    assert "weights_ has -2.0" in said


def test_text_that_is_no_unicode(tmp_path, files):
    data = altered(files["PCKMeans"], lambda document: document["model"].update(more="MARK"))
    assert data.count(b"MARK") == 1
    from models.test_strangers import packed, parts

    members = parts(data)
    members["model.json"] = members["model.json"].replace(b'"MARK"', b'"\\ud800"')
    assert "model.json cannot be written as it was" in refused(tmp_path, packed(members))


def test_a_sparse_matrix_with_wrong_parts(tmp_path):
    rows = sparse.csr_matrix(np.random.default_rng(0).poisson(0.5, size=(30, 12)) * 1.0)
    data = save(tmp_path / "m.likewise", KernelKMeans(2, kernel="linear", random_state=0).fit(rows)).read_bytes()
    name = "learned._X"
    for part, values in (("indptr", np.zeros(3, dtype=np.int32)), ("data", np.zeros(2)), ("indices", np.full(2, 99))):
        refused(tmp_path, with_array(data, f"{name}.{part}", values))
    for shape in ([2**40, 2**40], ["a", 2], [30], None):
        refused(tmp_path, altered(data, lambda d, s=shape: d["model"]["learned"]["_X"].update(shape=s)))


@pytest.mark.parametrize("width", [1e300, 1e-300])
def test_a_kernel_whose_width_cannot_be_squared(tmp_path, files, width):
    assert f"delta_ is {width!r}" in refused(tmp_path, with_learned(files["KernelKMeans"], delta_=width))
