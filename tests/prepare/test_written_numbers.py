"""Numbers with units and separators: what is read as a number, in which notation, and what is not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import Likewise, TableFeatures
from likewise.prepare import read_table
from likewise.prepare._row_values import RowValues
from likewise.prepare._written_numbers import NOTATIONS, PREFIXES, UNITS, Notation, find_notation, read_written
from likewise.report._columns import Columns


def written(value, notation, *, unit_first=False):
    """A number in a notation, as a spreadsheet writes it."""
    whole, _, decimals = f"{abs(value):,.2f}".partition(".")
    text = whole.replace(",", notation.thousands) + notation.decimal + decimals
    if notation.unit:
        text = f"{notation.unit} {text}" if unit_first else f"{text} {notation.unit}"
    return f"-{text}" if value < 0 else text


@given(
    values=st.lists(st.integers(-(10**9), 10**9).map(lambda cents: cents / 100), min_size=1, max_size=20),
    separators=st.sampled_from(NOTATIONS),
    unit=st.sampled_from(["", *sorted(UNITS)]),
    unit_first=st.booleans(),
)
def test_what_is_written_is_read(values, separators, unit, unit_first):
    notation = Notation(unit, *separators)
    cells = [written(value, notation, unit_first=unit_first and unit in PREFIXES) for value in values]
    assert read_written(cells, notation).values.tolist() == values
    cells.append(written(1234567.25, notation))  # decides between the notations
    found = find_notation(cells)
    assert found is not None
    assert read_written(cells, found).values.tolist() == [*values, 1234567.25]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["12,5", "3,25", "1.000,75"], [12.5, 3.25, 1000.75]),
        (["1,234", "999", "12,000"], [1234, 999, 12000]),
        (["0,123", "0,5"], [0.123, 0.5]),
        (["3.5%", "12%", "n/a"], [3.5, 12, np.nan]),
        (["$1,200", "-$3", "($4.50)", "$ 7"], [1200, -3, -4.5, 7]),
        (["1 234,5 zł", "17 zł"], [1234.5, 17]),
        (["1’234.50", "12"], [1234.5, 12]),
        (["10 kg", "12.5 kg", "7"], [10, 12.5, 7]),
        (["−4 °C", "+12 °C"], [-4, 12]),
        (["%5", "%7.5", "–"], [5, 7.5, np.nan]),
        (["10 m2", "12,000 m2"], [10, 12000]),
    ],
)
def test_notations(cells, values):
    notation = find_notation(cells)
    assert notation is not None
    found = read_written(cells, notation)
    np.testing.assert_array_equal(found.values, values)
    assert not found.wrong


@pytest.mark.parametrize(
    "cells",
    [
        ["K-0001", "K-0002"],
        ["W-0001", "W-0002"],
        ["m1", "m2"],
        ["A12", "B7"],
        ["10 kg", "10 lb"],
        ["5 apples", "7 apples"],
        ["030 123 456", "040 555 777"],
        ["192.168.1.17", "10.0.0.1"],
        ["1.2.3", "1.10.0"],
        ["1,23,456", "7,8,9"],
        ["31.12.2019", "01.02.2020"],
        ["(5", "6)"],
        ["- 5 -", "--5"],
        ["", None, "NA"],
        ["yes", "no"],
        ["9" * 50],
        ["３", "１,２３４"],  # digits of other scripts
        ["4３ kg", "٣ kg"],
    ],
)
def test_what_is_no_number(cells):
    assert find_notation(cells) is None


def prices(n=60):
    rng = np.random.default_rng(0)
    group = np.arange(n) % 3
    price = np.array([12.5, 450.0, 12300.0])[group] * rng.uniform(0.9, 1.1, n)
    share = np.array([3.0, 30.0, 70.0])[group] + rng.normal(size=n)
    numbers = pd.DataFrame({"price": price.round(2), "share": share.round(2)})
    german = Notation("€", ".", ",")
    texts = pd.DataFrame(
        {"price": [written(value, german) for value in numbers["price"]], "share": [f"{s}%" for s in numbers["share"]]}
    )
    return numbers, texts


def test_columns_with_units_are_columns_of_numbers(tmp_path):
    numbers, texts = prices()
    features = TableFeatures().fit(texts)
    assert "('price' in €, 'share' in %)" in features.description_
    assert "one unit" not in features.description_
    plain = TableFeatures().fit(numbers)
    np.testing.assert_allclose(
        features.transform(texts) / features.weights_, plain.transform(numbers) / plain.weights_, atol=1e-12
    )
    model = Likewise(3, random_state=0, verbose=False).fit(texts)
    model.save(tmp_path / "model.likewise")
    again = Likewise.load(tmp_path / "model.likewise")
    np.testing.assert_array_equal(again.predict(texts), model.labels_)
    np.testing.assert_array_equal(again.predict(numbers), model.labels_)  # plain numbers are numbers, too


def test_a_cell_that_is_no_number_is_named():
    _, texts = prices()
    texts.loc[7, "price"] = "on request"
    with pytest.raises(ValueError, match=r"column 'price' holds numbers \(such as 1\.234,5 €\), but here it is 'on r"):
        TableFeatures().fit(texts)
    _, texts = prices()
    features = TableFeatures().fit(texts)
    texts.loc[7, "price"] = "12,00 $"
    with pytest.raises(ValueError, match=r"must hold numbers \(such as 1\.234,5 €\), but here it is '12,00 \$'"):
        features.transform(texts)


def test_thousands_among_plain_numbers():
    """Below 1,000 there is nothing to separate."""
    values = [*range(10, 990, 10), 1500, 12000]
    features = TableFeatures().fit({"pay": [f"{value:,}" for value in values], "x": list(range(len(values)))})
    assert "pay" in features.get_feature_names_out()


def test_reports_and_cards_read_them_as_numbers(tmp_path):
    _, texts = prices()
    columns = Columns.of_table(texts, np.arange(10))
    assert columns.names == ("price", "share")
    assert columns.numbers.shape == (10, 2)
    texts.to_csv(tmp_path / "prices.csv", index=False)
    rows = read_table(tmp_path / "prices.csv")
    assert [(name, differs) for name, _, differs in RowValues(rows).of([0, 2])] == [("price", True), ("share", True)]
    assert [differs for _, _, differs in RowValues(rows).of([0, 3])] == [False, False]


def test_dates_differ_by_standard_deviations(tmp_path):
    path = tmp_path / "t.csv"
    days = [f"{1 + day % 28:02d}.{1 + day // 28:02d}.2024" for day in range(60)]
    path.write_text("\n".join(["day,size", *(f"{day},{row % 7}" for row, day in enumerate(days))]))
    values = RowValues(read_table(path))
    for other, differs in ((1, False), (50, True)):
        assert next(marked for name, _, marked in values.of([0, other]) if name == "day") is differs
