"""Tables in memory become numbers, in one way for all kinds of frames."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from likewise import ASP, PCKMeans, TableFeatures
from likewise.models import load, save
from likewise.prepare import DataKind, read_table

N = 12
HALF = np.arange(N) % 2
COLUMNS = {
    "age": [30 + 20 * half + row for row, half in enumerate(HALF.tolist())],
    "income": [1000.0 * (row % 5) for row in range(N)],
    "town": [("Rome", "Oslo")[half] for half in HALF],
    "member": [bool(half) for half in HALF],
    "comment": [("the cat and the dog sleep", "the bank lends money")[half] + f" word{row % 4}"
                for row, half in enumerate(HALF)],
    "code": [f"X{row}" for row in range(N)],
    "since": [f"2020-01-{row + 1:02d}" for row in range(N)],
    "empty": [None] * N,
}  # fmt: skip
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table, "dictionary": dict}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_frames_of_all_packages_give_the_same(frame):
    features = TableFeatures()
    X = features.fit_transform(frame(COLUMNS))
    names = features.get_feature_names_out().tolist()
    assert names[:7] == ["age", "income", "town=Oslo", "town=Rome", "member=False", "member=True", "since"]
    assert "bank" in names
    assert features.left_out_["empty"] == "empty"
    assert "ids: another short string in every row; text='code'" in features.left_out_["code"]
    assert set(features.left_out_) == {"code", "empty"}
    assert features.n_features_in_ == len(COLUMNS)
    assert features.feature_names_in_.tolist() == list(COLUMNS)
    np.testing.assert_allclose(X, TableFeatures().fit_transform(COLUMNS))
    np.testing.assert_array_equal(features.transform(frame(COLUMNS)), X)
    np.testing.assert_array_equal(features.fit(frame(COLUMNS)).transform(frame(COLUMNS)), X)


def test_a_file_and_its_frame_give_the_same(tmp_path):
    frame = pd.DataFrame(COLUMNS).drop(columns="empty")
    frame.to_csv(tmp_path / "t.csv", index=False)
    rows = read_table(tmp_path / "t.csv", id="code")
    features = TableFeatures()
    np.testing.assert_allclose(features.fit_transform(frame.drop(columns="code")), rows.X)
    assert tuple(features.get_feature_names_out()) == rows.feature_names


def test_categories_dates_and_numbers_with_gaps():
    day = datetime.date(2020, 1, 1)
    frame = pd.DataFrame(
        {
            "size": pd.array([1, None, 3, 7], dtype="Int64"),
            "town": pd.Categorical(["Rome", "Oslo", None, "Rome"]),
            "day": pd.to_datetime([day, day, None, datetime.date(2021, 5, 5)]),
        }
    )
    with pytest.raises(ValueError, match=r"X, row 1, column 'size' is empty\..*missing='median', mean or zero"):
        TableFeatures(missing="refuse").fit(frame)
    features = TableFeatures()
    X = features.fit_transform(frame)
    assert features.get_feature_names_out().tolist()[:4] == ["size", "town=Oslo", "town=Rome", "day"]
    assert not X[2, 1:].any()  # no level, and an average date
    assert features.filled_ == {"size": 1, "town": 1, "day": 1}
    expected = "3 empty cells in 3 columns filled (numbers: median, categories: no level, dates: average)"
    assert expected in features.description_
    assert features.blocks_[0].fill[0] == 3
    for other in (frame, pl.from_pandas(frame)):
        assert TableFeatures(missing="mean").fit(other).blocks_[0].fill[0] == pytest.approx(11 / 3)


def test_new_rows_with_gaps_are_filled_as_the_old_ones_were():
    features = TableFeatures(columns=["age", "town"]).fit(COLUMNS)
    assert features.filled_ == {}
    assert "empty" not in features.description_
    new = features.transform({"age": [None, float(np.median(COLUMNS["age"]))], "town": [None, "Rome"]})
    assert new[0, 0] == new[1, 0]
    assert not new[0, 1:].any()
    strict = TableFeatures(columns=["age", "town"], missing="refuse").fit(COLUMNS)
    with pytest.raises(ValueError, match=r"X, row 1, column 'town' is empty\."):
        strict.transform({"age": [1, 2], "town": ["Rome", None]})


def test_constants_and_ids_are_left_out_and_named():
    rng = np.random.default_rng(0)
    table = {
        "nr": range(1, 31),
        "wine_id": rng.permutation(np.arange(500, 530)),
        "PassengerId": [f"P{row}" for row in range(30)],
        "planet": ["Earth"] * 29 + [None],
        "year": np.full(30, 2020),
        "rating": rng.integers(1, 6, 30),
        "town": rng.choice(["Rome", "Oslo"], 30),
    }
    features = TableFeatures().fit(table)
    assert features.get_feature_names_out().tolist() == ["rating", "town=Oslo", "town=Rome"]
    assert features.left_out_ == {
        "nr": "row numbers from 1 to 30",
        "wine_id": "ids: another number in every row",
        "PassengerId": "ids: another short string in every row; text='PassengerId' would use their words",
        "planet": "it is 'Earth' in every row",
        "year": "it is '2020' in every row",
    }
    assert "left out: 'nr' (row numbers from 1 to 30), 'wine_id' (ids" in features.description_
    chosen = TableFeatures(columns=["nr", "wine_id"]).fit(table)
    assert chosen.get_feature_names_out().tolist() == ["nr", "wine_id"]


def test_rare_levels_share_no_level():
    towns = [f"town {row % 40}" for row in range(400)] + [f"village {row}" for row in range(60)]
    features = TableFeatures()
    X = features.fit_transform({"town": towns, "size": np.arange(460) % 7})
    assert X.shape == (460, 41)
    assert not X[400:, 1:].any()
    assert (X[:, 1:] * features.weights_[1]).var(axis=0).sum() == pytest.approx(1, abs=0.05)
    assert "town" in TableFeatures().fit({"town": towns[:10] + towns[400:], "size": range(3, 73)}).left_out_


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"size": [1.0, 2.0, float("inf"), 3.0]}, r"X, row 2, column 'size' is inf\. Correct it"),
        ({"size": [1, 2, "many", *range(20)]}, r"X, row 2: column 'size' holds numbers, but here it is 'many'.*empty"),
        (
            {"day": [f"2020-01-{row:02d}" for row in range(1, 30)] + ["soon"]},
            r"X, row 29: column 'day' holds dates \(year-month-day\), but here it is 'soon'",
        ),
        ({"code": list("abcd")}, r"no column to compare rows by.*'code' \(ids: another short string.*with text"),
        ({"size": []}, "X has no rows"),
        ({"a": [1, 2], "b": [1]}, "columns of X have different lengths"),
    ],
)
def test_errors_name_column_and_row(columns, message):
    with pytest.raises(ValueError, match=message):
        TableFeatures().fit(columns)


def test_new_rows_need_the_same_columns():
    features = TableFeatures(columns=["age", "town"]).fit(COLUMNS)
    assert features.get_feature_names_out().tolist() == ["age", "town=Oslo", "town=Rome"]
    with pytest.raises(ValueError, match=r"X has no column 'town'\. It has: age"):
        features.transform({"age": [1, 2]})
    with pytest.raises(ValueError, match="X, row 1: column 'age' must hold numbers, but here it is 'old'"):
        features.transform({"age": [1, "old"], "town": ["Rome", "Oslo"]})
    other = features.transform({"town": ["Bern"], "age": [40]})
    assert not other[0, 1:].any()  # a town that nobody had belongs to none


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"missing": "mode"}, "'missing' parameter"),
        ({"columns": "age"}, "'columns' parameter"),
        ({"columns": ["size"]}, "X has no column 'size'"),
        ({"text": "note"}, "X has no column 'note'"),
    ],
)
def test_wrong_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        TableFeatures(**parameters).fit(COLUMNS)


def test_what_is_no_table():
    with pytest.raises(TypeError, match=r"X is a LazyFrame.*Pass X\.collect\(\)"):
        TableFeatures().fit(pl.DataFrame(COLUMNS).lazy())
    for wrong in (3, [1.0, 2.0, 3.0], ["one text", "another"]):
        with pytest.raises(ValueError, match=r"Expected 2D array|could not convert"):
            TableFeatures().fit(wrong)
    with pytest.raises(ValueError, match="2 columns called 'a'"):
        TableFeatures().fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]))
    with pytest.raises(NotFittedError):
        TableFeatures().transform(COLUMNS)
    with pytest.raises(ValueError, match="X is a matrix: text and columns choose"):
        TableFeatures(columns=["a"]).fit(np.eye(3))


@pytest.mark.parametrize("as_matrix", [np.asarray, sparse.csr_array])
def test_matrices(as_matrix):
    X = as_matrix(np.random.default_rng(0).uniform(size=(9, 3)) + 1)
    features = TableFeatures()
    Z = features.fit_transform(X)
    assert sparse.issparse(Z) == sparse.issparse(X)
    assert features.get_feature_names_out().tolist() == ["x0", "x1", "x2"]
    assert features.n_features_in_ == 3
    with pytest.raises(ValueError, match="X has 2 features, but TableFeatures is expecting 3"):
        features.transform(X[:, :2])


def test_embeddings_in_a_column():
    vectors = [[float(row**2), 2.0 * row % 7] for row in range(N)]
    for frame in (pd.DataFrame({"v": vectors}), pl.DataFrame({"v": vectors})):
        assert TableFeatures().fit(frame).get_feature_names_out().tolist() == ["v[0]", "v[1]"]
    arrays = pd.DataFrame({"v": [np.array(vector) for vector in vectors]})
    assert TableFeatures().fit(arrays).get_feature_names_out().tolist() == ["v[0]", "v[1]"]


def test_in_a_pipeline_and_as_a_frame():
    frame = pd.DataFrame(COLUMNS, index=[f"row {row}" for row in range(N)])
    labels = make_pipeline(TableFeatures(), KMeans(2, n_init=1, random_state=0)).fit_predict(frame)
    assert len(set(zip(labels, HALF, strict=True))) == 2
    out = TableFeatures().set_output(transform="pandas").fit_transform(frame)
    assert out.columns[0] == "age"
    assert out.index[0] == "row 0"
    copy = clone(TableFeatures(text=["since"], missing="zero"))
    assert copy.get_params() == {"columns": None, "missing": "zero", "language": "english", "text": ["since"]}
    assert "2020" in copy.fit(frame).get_feature_names_out()[-1] or copy.blocks_[-1].column == "since"


def test_a_frame_is_not_changed():
    columns = {name: list(cells) for name, cells in COLUMNS.items()}
    frame = pd.DataFrame(COLUMNS)
    TableFeatures().fit(columns)
    TableFeatures().fit(frame)
    assert columns == COLUMNS
    pd.testing.assert_frame_equal(frame, pd.DataFrame(COLUMNS))


def test_model_files_keep_them(tmp_path):
    features = TableFeatures().fit({**COLUMNS, "age": [None, *COLUMNS["age"][1:]]})
    model = KMeans(2, n_init=1, random_state=0).fit(features.transform(COLUMNS))
    again = load(save(tmp_path / "m.likewise", model, features)).features
    assert isinstance(again, TableFeatures)
    assert again.kind_ is DataKind.MIXED
    assert again.left_out_ == features.left_out_
    assert again.description_ == features.description_
    np.testing.assert_array_equal(again.transform(COLUMNS), features.transform(COLUMNS))


@parametrize_with_checks([TableFeatures(), TableFeatures(missing="refuse")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("estimator", [PCKMeans(2), ASP()])
def test_estimators_say_who_takes_a_table_with_text(frame, estimator):
    table = frame({"age": [1.0, 2.0, 3.0, 4.0], "town": ["Rome", "Oslo", "Rome", "Oslo"]})
    message = rf"X has text in 'town', and {type(estimator).__name__} compares numbers.*TableFeatures"
    with pytest.raises(ValueError, match=message):
        estimator.fit(table)
