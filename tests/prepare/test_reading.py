"""Which column of a file is what, and what is made of it: once, and again for new data."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_wine

from likewise import Likewise
from likewise.evaluation import normalized_mutual_information
from likewise.prepare import TableFeatures, read_like, read_table

HEADER = "id,age,income,town,comment,code,since"
PETS = "the cat and the dog sleep by the fire"
MONEY = "the bank and the fund lend money to the market"


def mixed(n=12, header=HEADER):
    rng = np.random.default_rng(0)
    lines = [header]
    for row in range(n):
        half = row % 2
        cells = (f"r{row}", 30 + 20 * half + rng.integers(9), 1000 * rng.integers(9), ("Rome", "Oslo")[half],
                 (PETS, MONEY)[half] + f" word{row % 4}", f"X{row}", f"2020-01-{row + 1:02d}")  # fmt: skip
        lines.append(",".join(map(str, cells)))
    return lines


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "mixed.csv"
    path.write_text("\n".join(mixed()), encoding="utf-8")
    return path


def test_columns_find_their_kind(table):
    rows = read_table(table)
    kinds = [type(block).__name__ for block in rows.features.blocks_]
    assert kinds == ["Numbers", "Categories", "Dates", "Text"]
    assert rows.feature_names[:4] == ("age", "income", "town=Oslo", "town=Rome")
    assert "bank" in rows.feature_names
    assert rows.texts[0].startswith(PETS)
    assert rows.id_column == "id"
    assert set(rows.features.left_out_) == {"code"}
    assert "date 'since' (year-month-day: age)" in rows.description
    assert "'code' (ids: another short string in every row; --text code would use their words)" in rows.description


def test_each_column_counts_once_and_texts_as_much_as_all_others(table):
    rows = read_table(table)
    variance = dict.fromkeys(("Numbers", "Categories", "Dates", "Text"), 0.0)
    start = 0
    for block in rows.features.blocks_:
        stop = start + len(block.names)
        variance[type(block).__name__] += rows.X[:, start:stop].var(axis=0).sum()
        start = stop
    assert start == rows.X.shape[1]
    assert variance == pytest.approx({"Numbers": 2.0, "Categories": 1.0, "Dates": 1.0, "Text": 4.0})


def test_an_irrelevant_category_does_not_outweigh_the_numbers():
    data = load_wine(as_frame=True)
    regions = np.random.default_rng(0).choice(["north", "south", "west"], len(data.data))
    features = TableFeatures()
    X = features.fit_transform(data.data.assign(region=regions))
    labels = Likewise(3, kind=features.kind_, verbose=False, random_state=0).fit(X).labels_
    assert normalized_mutual_information(data.target, labels) > 0.7
    assert normalized_mutual_information(regions, labels) < 0.1


def test_what_is_named_is_taken_at_its_word(table):
    rows = read_table(table, id="code", text="since", columns=["age"])
    assert rows.ids[0] == "X0"
    assert [block.column for block in rows.features.blocks_ if hasattr(block, "column")] == ["since"]
    assert rows.feature_names[0] == "age"
    assert rows.texts[0] == "2020-01-01"
    assert read_table(table, id="none").ids[:2] == ["0", "1"]


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"id": "name"}, "has no column 'name'. It has: id, age, income"),
        ({"text": "note"}, "has no column 'note'"),
        ({"label": "kind"}, "has no column 'kind'"),
        ({"columns": ["age", "size"]}, "has no column 'size'"),
        ({"id": "town"}, "line 2 and line 4 are both 'Rome'"),
        ({"columns": ["code"]}, "no column to compare rows by"),
    ],
)
def test_columns_that_are_not_there(table, how, message):
    with pytest.raises(ValueError, match=r"mixed\.csv") as error:
        read_table(table, **how)
    assert message in str(error.value)


def test_ids_are_found_by_name_or_in_the_first_column(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("plant,size\noak,3\nelm,40\nash,5\n")
    rows = read_table(path)
    assert rows.ids == ["oak", "elm", "ash"]
    assert "'plant' (taken as ids, since it has another short string in every row)" in rows.description
    path.write_text("size,plant,key\n1,oak,7\n20,elm,8\n3,ash,9\n")
    assert read_table(path).ids == ["7", "8", "9"]
    path.write_text("index,size,id\n1,3,a\n1,40,b\n2,5,c\n")
    rows = read_table(path)
    assert rows.ids == ["a", "b", "c"]
    assert "'index' (it is called like a column of ids, but its values repeat)" in rows.description


def test_ids_that_repeat_are_an_error(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,size\n7,3\n8,40\n7,5\n")
    with pytest.raises(ValueError, match=r"column 'id': line 2 and line 4 are both '7'.*--id none"):
        read_table(path)
    assert read_table(path, id="none").ids == ["0", "1", "2"]
    path.write_text("id,size\n7,3\n,40\n9,5\n")
    with pytest.raises(ValueError, match="line 3: column 'id' holds ids, but here there is none"):
        read_table(path)


def test_a_complete_column_of_classes_is_never_compared(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,target\n" + "1,20,x\n3,90,y\n" * 4)
    rows = read_table(path)
    assert rows.label_column == "target"
    assert rows.labels[:2] == ["x", "y"]
    assert rows.feature_names == ("a", "b")


def gaps(tmp_path, cell="", column="age"):
    lines = mixed()
    cells = lines[3].split(",")
    cells[HEADER.split(",").index(column)] = cell
    lines[3] = ",".join(cells)
    path = tmp_path / "gaps.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("column", ["age", "town", "comment"])
def test_what_is_missing_is_filled_and_said_or_refused(tmp_path, column):
    path = gaps(tmp_path, column=column)
    with pytest.raises(ValueError, match=f"line 4, column '{column}' is empty.*--missing median"):
        read_table(path, missing="refuse")
    rows = read_table(path)
    assert np.isfinite(rows.X).all()
    assert "1 empty cell in 1 column filled" in rows.description


@pytest.mark.parametrize(("missing", "expected"), [("mean", 2.0), ("median", 1.0), ("zero", 0.0)])
def test_missing_numbers_are_filled_in(tmp_path, missing, expected):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,5\n?,5\n1,2\n4,NA\n")
    features = read_table(path, missing=missing).features
    assert features.blocks_[0].fill[0] == expected
    assert f"(numbers: {missing.replace('zero', '0')})" in features.description_


def test_missing_numbers_of_sparse_data(tmp_path):
    X = sparse.csr_matrix([[1.5, 0], [np.nan, 2.5], [0, 1.5], [1.5, 0]])
    sparse.save_npz(tmp_path / "t.npz", X)
    with pytest.raises(ValueError, match="row 1, column 0 is NaN"):
        read_table(tmp_path / "t.npz", missing="refuse")
    assert read_table(tmp_path / "t.npz", missing="mean").X[1, 0] == 1.0
    assert read_table(tmp_path / "t.npz").X[1, 0] == 1.5
    assert "1 empty cell in 1 column filled (numbers: median)" in read_table(tmp_path / "t.npz").description


def test_a_number_that_is_none_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "1,2\n" * 20 + "1,many\n")
    with pytest.raises(ValueError, match="line 22: column 'b' holds numbers, but here it is 'many'"):
        read_table(path)
    path.write_text("a,b\n1,2\n1,inf\n3,4\n")
    with pytest.raises(ValueError, match=r"column 'b' is inf\. Correct it"):
        read_table(path, missing="mean")


def test_the_features_is_the_same_for_new_data(table, tmp_path):
    rows = read_table(table)
    again = read_like(table, rows.features)
    np.testing.assert_array_equal(again.X, rows.X)
    assert again.ids == rows.ids
    new = tmp_path / "new.csv"
    lines = mixed(3)
    new.write_text("\n".join([lines[0], lines[1], lines[2].replace("Oslo", "Bern")]), encoding="utf-8")
    placed = read_like(new, rows.features)
    np.testing.assert_array_equal(placed.X[0], rows.X[0])
    assert not placed.X[1, 2:4].any()  # a town that nobody had belongs to none


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (HEADER.replace("income", "wage"), "has no column 'income'"),
        (HEADER.replace("town,", "city,"), "has no column 'town'"),
        (HEADER.replace("comment", "words"), "has no column 'comment'"),
    ],
)
def test_new_data_must_have_the_same_columns(table, tmp_path, header, message):
    new = tmp_path / "new.csv"
    new.write_text("\n".join(mixed(header=header)), encoding="utf-8")
    with pytest.raises(ValueError, match=r"new\.csv") as error:
        read_like(new, read_table(table).features)
    assert message in str(error.value)


def test_new_data_must_hold_numbers_where_there_were(table, tmp_path):
    features = read_table(table, missing="refuse").features
    with pytest.raises(ValueError, match="column 'age' must hold numbers, but here it is 'old'"):
        read_like(gaps(tmp_path, "old"), features)
    with pytest.raises(ValueError, match="line 4, column 'age' is empty"):
        read_like(gaps(tmp_path), features)


def test_matrices_must_be_as_wide(tmp_path):
    np.save(tmp_path / "a.npy", np.random.default_rng(0).normal(size=(9, 4)))
    np.save(tmp_path / "b.npy", np.zeros((2, 3)))
    features = read_table(tmp_path / "a.npy").features
    with pytest.raises(ValueError, match="has 3 columns, the data of the model had 4"):
        read_like(tmp_path / "b.npy", features)
    (tmp_path / "c.csv").write_text("x0,x1,x2,x3\n1,2,3,4\n")
    with pytest.raises(ValueError, match="is a table, but the model was made from a matrix"):
        read_like(tmp_path / "c.csv", features)


def test_named_columns_of_a_matrix_may_come_in_another_order(tmp_path):
    X = np.random.default_rng(0).normal(size=(6, 3)) * [1, 10, 100]
    np.savez(tmp_path / "a.npz", X=X, feature_names=np.array(["a", "b", "c"]))
    np.savez(tmp_path / "b.npz", X=X[:, ::-1], feature_names=np.array(["c", "b", "a"]))
    np.savez(tmp_path / "d.npz", X=X, feature_names=np.array(["a", "b", "d"]))
    rows = read_table(tmp_path / "a.npz")
    np.testing.assert_array_equal(read_like(tmp_path / "b.npz", rows.features).X, rows.X)
    with pytest.raises(ValueError, match="has no column 'c'"):
        read_like(tmp_path / "d.npz", rows.features)


@pytest.mark.parametrize("column", ["id", "comment"])
def test_half_a_character_is_refused_when_it_is_read(tmp_path, column):
    records = [{"id": f"r{row}", "comment": f"{PETS} word{row % 3}"} for row in range(6)]
    records[2][column] += " \ud800"
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)))
    with pytest.raises(ValueError, match=rf"t\.jsonl, line 3: column '{column}' holds .*no valid text"):
        read_table(tmp_path / "t.jsonl")


def test_the_name_of_a_file_that_is_no_text(tmp_path):
    for name in (b"a.txt", b"b\xff.txt"):
        (tmp_path / os.fsdecode(name)).write_text("some words of a text")
    with pytest.raises(ValueError, match=r"row 1: column 'file' holds .*no valid text"):
        read_table(tmp_path)


def test_columns_left_out_for_one_reason_are_listed_together():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 9.0], **{f"c{number}": [7] * 4 for number in range(20)}})
    said = TableFeatures().fit(frame).description_
    assert said.count("(") == 2, said
    assert "'c0', 'c1', 'c2', 'c3', 'c4', 'c5', … (14 more) (" in said
