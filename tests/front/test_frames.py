"""Data frames with more than numbers in them: Likewise prepares them as the command line prepares files."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris

import likewise
from likewise import Constraints, Likewise, TableFeatures
from likewise.evaluation import normalized_mutual_information
from likewise.models import load, save

N = 90
KIND = np.arange(N) % 3


def messy():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "nr": np.arange(1, N + 1),
            "size": np.where(np.arange(N) % 10 == 4, np.nan, 5.0 * KIND + rng.normal(size=N)),
            "weight": 100 * KIND + 30 * rng.normal(size=N),
            "town": np.where(np.arange(N) % 15 == 7, None, np.array(["Rome", "Oslo", "Bern"])[KIND]),
            "member": KIND == 1,
            "grade": pd.Categorical(rng.choice(["a", "b"], N)),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 400, N), "D"),
        }
    )


FRAMES = {"pandas": messy, "polars": lambda: pl.from_pandas(messy()), "arrow": lambda: pa.Table.from_pandas(messy()),
          "dictionary": lambda: messy().to_dict("list")}  # fmt: skip


@pytest.fixture(scope="module")
def model():
    hints = Constraints.sample(KIND, "random_pairs", 40, random_state=0)
    return Likewise(3, random_state=0, verbose=False).fit(messy(), constraints=hints)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_frames_of_all_packages_are_taken(frame):
    labels = likewise.cluster(frame(), n_clusters=3, random_state=0, verbose=False)
    assert normalized_mutual_information(KIND, labels) > 0.95


def test_it_is_what_table_features_make(model):
    features = TableFeatures()
    X = features.fit_transform(messy())
    same = Likewise(3, kind=features.kind_, random_state=0, verbose=False).fit(X, constraints=model.constraints_)
    np.testing.assert_array_equal(same.labels_, model.labels_)
    assert model.feature_names_in_.tolist() == list(messy())
    assert model.n_features_in_ == 7
    assert model.top_features(0, 3) == same.top_features(0, 3, features.get_feature_names_out())
    text = str(model.report_)
    assert "15 empty cells in 2 columns filled (numbers: median, categories: no level)" in " ".join(text.split())
    assert "'nr' (row numbers from 1 to 90)" in text


def test_new_rows_are_frames_too(model, tmp_path):
    frame = messy()
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    new = frame.iloc[:6].assign(size=[None, *frame["size"][1:6]], town="Bonn")
    assert model.transform(new).shape == (6, 3)
    again = load(save(tmp_path / "m.likewise", model)).model
    for rows in (frame, new, pl.from_pandas(new)):
        np.testing.assert_array_equal(again.predict(rows), model.predict(rows))
    with pytest.raises(ValueError, match=r"X is a ndarray, but the model was fitted on a data frame.*'nr', 'size'"):
        model.predict(np.zeros((2, 7)))
    with pytest.raises(ValueError, match="X has no column 'town'"):
        model.predict(frame.drop(columns="town"))
    with pytest.raises(ValueError, match="X, row 1: column 'size' must hold numbers, but here it is 'big'"):
        model.predict(frame.astype({"size": object}).assign(size=[1.0, "big", *[2.0] * (N - 2)]))


def test_frames_of_numbers_are_matrices_with_names():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = Likewise(3, random_state=0, verbose=False).fit(X)
    assert model.table_features_ is None
    np.testing.assert_array_equal(model.labels_, Likewise(3, random_state=0, verbose=False).fit(X.to_numpy()).labels_)
    gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.02)
    labels = likewise.cluster(gaps, n_clusters=3, random_state=0, verbose=False)
    assert normalized_mutual_information(y, labels) > 0.55
    with pytest.raises(ValueError, match="NaN"):
        Likewise(3).fit(gaps.to_numpy())


def test_errors_name_the_column():
    frame = messy().astype({"weight": object})
    frame.loc[3, "weight"] = "heavy"
    with pytest.raises(ValueError, match="X, row 3: column 'weight' holds numbers, but here it is 'heavy'"):
        likewise.cluster(frame)
    with pytest.raises(TypeError, match=r"LazyFrame.*collect"):
        likewise.cluster(pl.from_pandas(messy()).lazy())


@pytest.mark.parametrize("n_columns", [12, 13])
def test_of_many_columns_the_first_twelve_are_named(n_columns):
    frame = messy().assign(**{f"n{number}": np.random.default_rng(number).normal(size=N) for number in range(6)})
    frame = frame[list(frame)[:n_columns]]
    model = Likewise(3, random_state=0, verbose=False).fit(frame)
    with pytest.raises(ValueError, match="fitted on a data frame") as caught:
        model.predict(np.zeros((3, n_columns)))
    named = ", ".join(map(repr, list(frame)[:12]))
    assert str(caught.value).endswith(f"with the columns {named}{', …' if n_columns > 12 else ''}.")
