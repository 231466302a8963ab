"""The kind of data is decided once, and everybody goes by it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.preprocessing import normalize

from likewise import Likewise, ProjectThenCluster
from likewise._methods import clusterer
from likewise.prepare import DataKind, TableFeatures, kind_of, read_table
from likewise.prepare._linear import LinearFeatures, share_of_two_valued

rng = np.random.default_rng(0)
WIDTHS = [1, 10, 100, 1000]
DATA = {
    DataKind.COUNTS: rng.poisson(0.2, size=(30, 8)).astype(float),
    DataKind.TEXT: normalize(rng.uniform(size=(30, 4)) * WIDTHS),
    DataKind.ONE_SCALE: rng.uniform(size=(30, 4)),
    DataKind.TABLE: rng.uniform(size=(30, 4)) * WIDTHS,
}


@pytest.mark.parametrize("kind", DATA)
def test_files_and_matrices_are_taken_alike(tmp_path, kind):
    X = DATA[kind]
    assert kind_of(X) is kind
    np.save(tmp_path / "t.npy", X)
    rows = read_table(tmp_path / "t.npy")
    from_file, from_matrix = LinearFeatures(rows.kind), LinearFeatures()
    L = from_file.fit_transform(rows.X)[1]
    np.testing.assert_allclose(np.abs(L), np.abs(from_matrix.fit_transform(X)[1]), atol=1e-10)
    assert from_file.metric == from_matrix.metric == kind.metric
    made = {DataKind.COUNTS: DataKind.TEXT, DataKind.TABLE: DataKind.ONE_SCALE}  # tf-idf weights, and one scale, by now
    assert rows.kind is made.get(kind, kind)
    guessed = LinearFeatures()
    guessed.fit_transform(rows.X)
    assert guessed.metric == kind.metric


def test_dense_unit_rows_of_a_file_are_compared_by_cosine(tmp_path):
    # they were standardized by the command line, and taken by their direction in Python
    X = DATA[DataKind.TEXT]
    np.save(tmp_path / "t.npy", X)
    rows = read_table(tmp_path / "t.npy")
    np.testing.assert_array_equal(rows.X, X)
    assert "compared by their direction, as they are" in rows.description


def test_sparse_data_is_text_unless_the_kind_is_given():
    X = sparse.random(40, 20, density=0.3, random_state=0, format="csr")
    assert kind_of(X) is DataKind.TEXT
    features = LinearFeatures(DataKind.MIXED)
    L = features.fit_transform(X)[1]
    assert features.metric == "euclidean"
    dense = LinearFeatures(DataKind.MIXED).fit_transform(X.toarray())[1]
    np.testing.assert_allclose(L @ L.T, dense @ dense.T, atol=1e-8)
    np.testing.assert_allclose(features.transform(X[:5])[1], L[:5], atol=1e-10)


def test_sparse_mixed_data_that_is_wide():
    X = sparse.random(30, 60, density=0.2, random_state=0, format="csr")
    L = LinearFeatures(DataKind.MIXED).fit_transform(X)[1]
    assert L.shape[1] == 29
    same = LinearFeatures(DataKind.MIXED).fit_transform(sparse.csr_matrix(np.ones((5, 3))))[1]
    assert same.shape == (5, 3)


def test_pixels_of_two_values_are_no_counts():
    X = (rng.uniform(size=(30, 16)) > 0.8).astype(float)
    assert kind_of(X) is DataKind.COUNTS
    features = LinearFeatures(DataKind.IMAGES)
    features.fit_transform(X)
    assert features.metric == "euclidean"


@pytest.fixture
def frame():
    pd = pytest.importorskip("pandas")
    n = 90
    group = np.arange(n) % 3
    return pd.DataFrame(
        {
            "age": 20.0 + 15 * group + rng.normal(size=n),
            "income": 1000.0 * (3 - group) + rng.normal(size=n),
            "town": np.array(["Rome", "Oslo", "Bern"])[group],
        }
    )


def test_a_mixed_table_is_no_text(frame):
    features = TableFeatures()
    X = features.fit_transform(frame)
    assert isinstance(X, np.ndarray)
    assert features.kind_ is DataKind.MIXED
    model = Likewise(3, kind=features.kind_, random_state=0, verbose=False).fit(X)
    assert model.report_.kind is DataKind.MIXED
    assert "neighbors by euclidean distance" in model.report_.preprocessing
    assert ProjectThenCluster(3, random_state=0).fit(X).metric_ == "euclidean"
    differences = dict(model.top_features(int(model.labels_[0]), 5, features.get_feature_names_out()))
    assert differences["age"] < 0 < differences["income"]  # columns, above and below the others


def test_a_large_mixed_table_is_sparse_and_compared_alike(frame, monkeypatch):
    small = TableFeatures()
    X = small.fit_transform(frame)
    monkeypatch.setattr("likewise.prepare._table_features.MAX_DENSE", 10)
    large = TableFeatures()
    S = large.fit_transform(frame)
    assert sparse.issparse(S)
    assert sparse.issparse(large.transform(frame[:2]))
    np.testing.assert_allclose(S.toarray(), X)
    models = [Likewise(3, kind=DataKind.MIXED, random_state=0, verbose=False).fit(rows) for rows in (X, S)]
    np.testing.assert_array_equal(models[0].labels_, models[1].labels_)
    for cluster in range(3):
        first, second = (model.top_features(cluster, 5) for model in models)
        assert [name for name, _ in first] == [name for name, _ in second]
        np.testing.assert_allclose([value for _, value in first], [value for _, value in second])


def test_methods_by_name_go_by_the_kind_that_is_given():
    X = sparse.random(40, 20, density=0.3, random_state=0, format="csr")
    for kind, metric in ((None, "auto"), (DataKind.TEXT, "cosine"), (DataKind.MIXED, "euclidean")):
        assert clusterer("project", X, 3, data_kind=kind).metric == metric


def test_categories_alone_are_no_counts():
    levels = [f"level {level}" for level in range(5)]
    features = TableFeatures()
    X = features.fit_transform({"a": levels * 6, "b": (levels[::-1] + levels) * 3})
    assert kind_of((X > 0).astype(float)) is DataKind.COUNTS  # zeros and ones, mostly zeros
    assert features.kind_ is DataKind.MIXED


def test_the_kind_is_a_parameter_of_likewise():
    X = load_wine().data
    by_itself = Likewise(3, random_state=0, verbose=False).fit(X)
    given = Likewise(3, kind="table", random_state=0, verbose=False).fit(X)
    assert by_itself.report_.kind == "table"
    np.testing.assert_array_equal(by_itself.labels_, given.labels_)
    with pytest.raises(ValueError, match="'kind' parameter"):
        Likewise(3, kind="tables").fit(X)


@pytest.mark.parametrize("seed", range(5))
def test_the_share_of_two_valued_columns_is_that_of_a_loop(seed):
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 0.0, 2.0], p=[0.1, 0.6, 0.3], size=(12, 8))
    X[:, 0], X[:, 1] = rng.choice([1.0, 3.0], size=12), 5.0
    variance = X.var(axis=0)
    expected = sum(variance[j] for j in range(8) if len(set(X[:, j])) == 2) / variance.sum()
    assert share_of_two_valued(X) == pytest.approx(expected)
    assert share_of_two_valued(sparse.csr_array(X)) == pytest.approx(expected)


def test_categories_are_two_valued_and_numbers_are_not():
    rng = np.random.default_rng(0)
    categories = np.eye(4)[rng.integers(4, size=50)]
    numbers = rng.normal(size=(50, 2))
    for X, expected in ((categories, True), (numbers, False), (np.hstack([categories, 9 * numbers]), False)):
        features = LinearFeatures(DataKind.MIXED)
        features.fit_transform(X)
        assert features.two_valued is expected
    assert share_of_two_valued(np.ones((4, 2))) == 0.0
