"""Columns that have nothing to do with others count less; those that do keep their weight and their proportions."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from likewise import Likewise, TableFeatures
from likewise.evaluation import normalized_mutual_information
from likewise.prepare import read_table
from likewise.prepare._relatedness import FLOOR, classes_of_levels, classes_of_numbers, common_scale, relatedness


def noise(rng, n):
    """One irrelevant column of each kind."""
    days = np.datetime64("2019-01-01") + rng.integers(0, 900, n)
    return {
        "region": rng.choice(["north", "south", "east", "west"], n),
        "price": 1000 * rng.lognormal(size=n),
        "answer": rng.integers(1, 6, n),
        "code": [f"code {number}" for number in np.minimum(rng.zipf(1.5, n), 30)],
        "day": days.astype(str).tolist(),
        "note": [
            " ".join(rng.choice(["dark", "ripe", "oak", "plum", "smoke", "honey", "dry", "round"], 6)) for _ in range(n)
        ],
    }


def table_of(load):
    data = load()
    return {str(name): data.data[:, place] for place, name in enumerate(data.feature_names)}, data.target


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize(
    "kinds", [["region"], ["price", "answer"], ["code"], ["day"], ["note"], ["region", "price", "day"]]
)
def test_columns_that_do_not_matter_fade(load, kinds):
    columns, y = table_of(load)
    added = noise(np.random.default_rng(1), len(y))
    features = TableFeatures().fit({**columns, **{name: added[name] for name in kinds}})
    faded = features.column_weights_
    assert set(kinds) <= set(faded)
    assert all(faded[name] < 0.6 for name in kinds)
    assert len(faded) <= len(kinds) + 1
    assert f"'{kinds[0]}' (0." in features.description_


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_clusters_are_those_without_the_columns_that_do_not_matter(load):
    columns, y = table_of(load)
    fit = Likewise(3, random_state=0, verbose=False).fit
    alone = normalized_mutual_information(y, fit(columns).labels_)
    for names in (["region"], ["price", "region", "day"]):
        added = noise(np.random.default_rng(0), len(y))
        labels = fit({**columns, **{name: added[name] for name in names}}).labels_
        assert normalized_mutual_information(y, labels) > alone - 0.06


def test_a_category_that_matters_is_kept():
    columns, y = table_of(load_wine)
    rng = np.random.default_rng(0)
    grape = np.where(rng.random(len(y)) < 0.8, y, rng.integers(0, 3, len(y)))
    features = TableFeatures().fit({**columns, "grape": np.array(["a", "b", "c"])[grape]})
    assert "grape" not in features.column_weights_
    few = {"noise": rng.normal(size=len(y)), "grape": np.array(["a", "b", "c"])[grape], "alcohol": columns["alcohol"]}
    assert set(TableFeatures().fit(few).column_weights_) == {"noise"}


def test_tables_of_categories_alone():
    columns, y = table_of(load_wine)
    words = np.array(["low", "middle", "high"])
    binned = {name: words[np.searchsorted(np.quantile(v, [1 / 3, 2 / 3]), v)] for name, v in columns.items()}
    rng = np.random.default_rng(0)
    binned["town"] = rng.choice(["Rome", "Oslo", "Bern", "Bonn"], len(y))
    model = Likewise(3, random_state=0, verbose=False).fit(binned)
    assert model.report_.kind == "mixed"
    assert model.table_features_.column_weights_["town"] == pytest.approx(FLOOR, abs=0.2)
    assert normalized_mutual_information(y, model.labels_) > 0.75


def test_numbers_in_one_unit_keep_their_proportions():
    columns, y = table_of(load_iris)
    features = TableFeatures()
    X = features.fit_transform({**columns, "region": noise(np.random.default_rng(0), len(y))["region"]})
    assert "4 columns of numbers, standardized, those in one unit together" in features.description_
    own = np.column_stack(list(columns.values())).std(axis=0)
    np.testing.assert_allclose(X[:, :4].std(axis=0) / X[:, 0].std(), own / own[0])
    assert np.square(X[:, :4].std(axis=0)).mean() == pytest.approx(1)
    weights = np.array([1.0, 1.0, FLOOR])
    scale = common_scale(np.column_stack([columns["petal length (cm)"], columns["petal width (cm)"], 1e6 * y]), weights)
    assert scale[0] > 2 * scale[1]
    assert scale[2] == 1
    np.testing.assert_array_equal(common_scale(np.eye(3) * [1, 1, 9], np.ones(3)), 1)


def test_few_rows_and_single_columns_count_fully():
    rng = np.random.default_rng(0)
    assert (relatedness([rng.integers(0, 3, 39), rng.integers(0, 3, 39)]) == 1).all()
    assert (relatedness([rng.integers(0, 3, 99)]) == 1).all()
    constant, column = np.zeros(99, dtype=int), rng.integers(0, 3, 99)
    np.testing.assert_allclose(relatedness([constant, column, column]), [FLOOR, 1, 1])


def test_weights_do_not_depend_on_units_or_order():
    columns, y = table_of(load_wine)
    X = np.column_stack([*columns.values(), np.random.default_rng(0).normal(size=len(y))])
    weights = relatedness([classes_of_numbers(column) for column in X.T])
    assert weights[-1] == pytest.approx(FLOOR)
    again = relatedness([classes_of_numbers(column) for column in np.exp(X.T[::-1] / X.max())])
    np.testing.assert_allclose(again[::-1], weights)


def test_rare_levels_are_one_class():
    codes = np.array([0] * 60 + [1] * 60 + list(range(2, 22)))
    assert len(np.unique(classes_of_levels(codes))) == 3


def test_wide_tables_look_at_some_columns():
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 3, 200)
    columns = [classes_of_numbers(hidden + 0.5 * rng.normal(size=200)) for _ in range(150)]
    columns += [classes_of_numbers(rng.normal(size=200)) for _ in range(150)]
    weights = relatedness(columns)
    assert weights[:150].min() == 1
    assert np.median(weights[150:]) == pytest.approx(FLOOR)


def test_new_rows_get_the_same_weights(tmp_path):
    columns, y = table_of(load_iris)
    table = {**columns, **noise(np.random.default_rng(0), len(y))}
    features = TableFeatures()
    X = features.fit_transform(table)
    np.testing.assert_allclose(features.transform({name: cells[:5] for name, cells in table.items()}), X[:5])
    lines = [",".join(table), *(",".join(map(str, cells)) for cells in zip(*table.values(), strict=True))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    np.testing.assert_allclose(read_table(tmp_path / "t.csv").X, X)
