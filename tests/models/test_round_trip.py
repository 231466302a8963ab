"""A model that went through a file answers bit for bit as before."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.exceptions import NotFittedError

from estimators import CLUSTERERS, METRICS, PARTS, PROJECTIONS, method_of
from likewise import clustering, front, metric, prepare, projections
from likewise._method import uses_constraints
from likewise.constraints import Constraints
from likewise.front import _landmarks as landmarks
from likewise.models import SavedModel, can_save, load, save
from likewise.models._format import encode
from likewise.models._state import known_classes
from likewise.prepare import read_like, read_table

X, Y = load_iris(return_X_y=True)
HINTS = Constraints.sample(Y, "equal", 20, random_state=0)
NEW = X + np.random.default_rng(1).normal(scale=0.1, size=X.shape)


def words(n, seed=0):
    rng = np.random.default_rng(seed)
    means = rng.gamma(0.3, size=(3, 150))
    return sparse.csr_matrix(rng.poisson(means[np.arange(n) % 3]).astype(float))


def again(tmp_path, model, **more):
    return load(save(tmp_path / "m.likewise", model, **more)).model


def check_same(model, other, rows):
    np.testing.assert_array_equal(model.predict(rows), SavedModel(other).place(rows))
    np.testing.assert_array_equal(model.labels_, other.labels_)
    if hasattr(model, "transform"):
        found, wanted = other.transform(rows), model.transform(rows)
        assert found.dtype == wanted.dtype
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    "rows",
    [X, X.astype(np.float32), X * [1, 10, 100, 1000], np.asfortranarray(X), words(90), words(90).toarray(),
     words(90).multiply(0.37).tocsr()],
    ids=["one scale", "float32", "table", "fortran", "counts", "dense counts", "text"],
)  # fmt: skip
def test_likewise(tmp_path, rows):
    n = rows.shape[0]
    hints = Constraints.sample(np.arange(n) % 3, "equal", 10, random_state=0)
    model = front.Likewise(3, random_state=0, verbose=False).fit(rows, constraints=hints)
    other = again(tmp_path, model)
    check_same(model, other, rows)
    check_same(model, other, rows[::3] * 1.01)
    assert other.get_params() == model.get_params()
    assert other.top_features(1, 3) == model.top_features(1, 3)


def test_likewise_with_landmarks_and_late_hints(tmp_path, monkeypatch):
    monkeypatch.setattr(landmarks, "MAX_LANDMARKS", 60)
    monkeypatch.setattr(landmarks, "MAX_CONSTRAINED", 20)
    model = front.Likewise(3, random_state=0, verbose=False).fit(X, constraints=HINTS)
    check_same(model, again(tmp_path, model), NEW)
    model.add_constraints(Constraints.sample(Y, "equal", 20, random_state=1))
    check_same(model, again(tmp_path, model), NEW)


def test_names_of_columns_are_kept(tmp_path):
    frame, y = load_iris(return_X_y=True, as_frame=True)
    model = front.Likewise(3, random_state=0, verbose=False).fit(frame)
    assert again(tmp_path, model).top_features(0, 2) == model.top_features(0, 2)
    projection = projections.RCA(2).fit(frame, y)
    assert again(tmp_path, projection).top_features(0, 2) == projection.top_features(0, 2)


TRANSFORMERS = PROJECTIONS | METRICS | {"graph features": PARTS["graph features"]}


@pytest.mark.filterwarnings("ignore:the optimum keeps:UserWarning")
@pytest.mark.parametrize("case", TRANSFORMERS.values(), ids=TRANSFORMERS)
def test_transformers(tmp_path, case):
    model = case.fresh()
    model.fit(X, **({"constraints": HINTS} if uses_constraints(model) else {}))
    other = again(tmp_path, model)
    assert other.transform(NEW).tobytes() == model.transform(NEW).tobytes()
    assert other.get_params() == model.get_params()
    np.testing.assert_array_equal(SavedModel(other).place(NEW), model.transform(NEW))


OTHERS = {
    "k-means": KMeans(3, n_init=2, random_state=0),
    "pck generator": clustering.PCKMeans(3, metric="cosine", random_state=np.random.RandomState(0)),
    "chain": clustering.ChainedClusterer(
        3, steps=[PCA(3), projections.Costco(2)], clusterer=KMeans(n_init=2), random_state=0
    ),
    "chain spherical": clustering.ChainedClusterer(
        3, steps=[metric.XingMetric()], clusterer=clustering.SphericalKMeans(), random_state=0
    ),
}
PLACING = {key: case.fresh() for key, case in CLUSTERERS.items() if method_of(key).places_new_rows} | OTHERS


@pytest.mark.parametrize("model", PLACING.values(), ids=PLACING)
def test_clusterers(tmp_path, model):
    model.fit(X, **({"constraints": HINTS} if uses_constraints(model) else {}))
    other = again(tmp_path, model)
    check_same(model, other, NEW)
    assert type(other) is type(model)


def test_a_chain_on_sparse_rows(tmp_path):
    rows = words(60)
    chain = clustering.ChainedClusterer(
        3, steps=[TruncatedSVD(5, random_state=0)], clusterer=KMeans(n_init=2), random_state=0
    )
    chain.fit(rows)
    check_same(chain, again(tmp_path, chain), words(30, seed=1))


def test_texts_and_their_links(tmp_path):
    texts = [
        "boats sail the sea",
        "a boat on the sea",
        "bake the bread",
        "bread to bake again",
        "sea boats",
        "baked bread",
    ]
    model = clustering.NetworkedDocuments(2, n_components=1, random_state=0)
    model.fit(texts, links=[(0, 1), (1, 4), (2, 3), (3, 5)])
    other = again(tmp_path, model)
    new = ["sailing a boat", "the bread", "nothing known"]
    np.testing.assert_array_equal(other.predict(new), model.predict(new))
    assert other.transform(new).tobytes() == model.transform(new).tobytes()
    assert other.text_features_.vocabulary_ == model.text_features_.vocabulary_


def test_text_features_of_any_setting(tmp_path):
    features = prepare.TextFeatures(
        language="porter", stop_words={"the", "a"}, sublinear_tf=True, min_df=1, dtype=np.float32
    )
    texts = ["the boats sail and sail", "a boat"]
    made = features.fit_transform(texts)
    other = again(tmp_path, features)
    found = other.transform(texts)
    assert found.dtype == np.float32
    assert (found != made).nnz == 0
    np.testing.assert_array_equal(other.get_feature_names_out(), features.get_feature_names_out())


def test_every_known_class_was_tried():
    """The other tests of this file save an object of each class that a model file may name."""
    tried = {type(model).__name__ for model in PLACING.values()}
    tried |= {type(case.estimator).__name__ for case in TRANSFORMERS.values()}
    tried |= {"TextFeatures", "TableFeatures", "PCA", "TruncatedSVD"}
    parts = {"Features", "EveryRow", "Landmarks", "Nearness", "LinearFeatures", "StandardScaler", "TfidfTransformer"}
    parts |= {"DiagonalMetrics", "FullMetrics", "Numbers", "Categories", "Dates", "Text", "Images"}
    assert set(known_classes()) - {"Projection"} == tried | parts


def test_the_features_of_a_table_go_with_the_model(tmp_path):
    path = tmp_path / "t.csv"
    lines = ["size,price,town,day,note"]
    lines += [f"{i % 7},{i * 40 % 93},{'AB'[i % 2]},{i + 1}.5.2021,{('cats and dogs', 'banks and loans')[i % 2]} go {i}"
              for i in range(30)]  # fmt: skip
    path.write_text("\n".join(lines))
    rows = read_table(path, missing="mean")
    model = clustering.ProjectThenCluster(2, random_state=0).fit(rows.X)
    meta = {"seed": 3, "ratio": np.float64(0.5), "$array": [1]}
    saved = load(save(tmp_path / "m.likewise", model, rows.features, meta))
    np.testing.assert_array_equal(read_like(path, saved.features).X, rows.X)
    assert saved.features.description_ == rows.description
    assert tuple(saved.features.get_feature_names_out()) == rows.feature_names
    assert saved.meta == {"seed": 3, "ratio": 0.5, "$array": [1]}
    assert set(saved.made_with) == {"likewise", "numpy", "scipy", "scikit-learn"}


def test_the_same_model_is_the_same_file(tmp_path):
    files = []
    for name in ("a", "b"):
        model = front.Likewise(3, random_state=0, verbose=False).fit(X, constraints=HINTS)
        files.append(save(tmp_path / name, model).read_bytes())
    assert files[0] == files[1]


def test_models_that_place_nothing_are_refused(tmp_path):
    for model in (clustering.NormalizedCut(3, random_state=0), clustering.lo_nc(3, random_state=0)):
        model.fit(X)
        assert not hasattr(model, "predict")
        assert not can_save(model)
        with pytest.raises(ValueError, match="cannot be kept in a model file"):
            save(tmp_path / "m.likewise", model)
    assert not can_save(SpectralClustering())
    assert list(tmp_path.iterdir()) == []


def test_what_was_not_fitted_and_swapped_arguments_are_refused(tmp_path):
    path = tmp_path / "m.likewise"
    with pytest.raises(NotFittedError, match="not fitted yet"):
        save(path, clustering.PCKMeans(3))
    with pytest.raises(TypeError, match=r"path is a KMeans, and the path .* first: save\(path, model\)"):
        save(KMeans(3), path)
    assert list(tmp_path.iterdir()) == []


def test_parameters_that_no_file_holds_are_refused(tmp_path):
    model = clustering.KernelKMeans(3, kernel=lambda a, b: float(a @ b), n_init=1, random_state=0).fit(X[:20])
    with pytest.raises(TypeError, match=r"model\.parameters\.kernel is a function"):
        save(tmp_path / "m.likewise", model)


def test_arrays_keep_their_order_in_memory():
    """Products of the other order differ in the last digit."""
    arrays = {}
    by_columns = np.asfortranarray(np.arange(24.0).reshape(4, 6))[::2]
    encode({"rows": by_columns.T, "columns": by_columns}, arrays, "m")
    assert arrays["m.columns"].flags.f_contiguous
    assert arrays["m.rows"].flags.c_contiguous
    np.testing.assert_array_equal(arrays["m.columns"], by_columns)
