import builtins
import json
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraints.strategies import hints
from likewise.constraints import Constraints, Partition, UnknownIdError, _io
from likewise.constraints._io import names_in

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".parquet")
HINTS = Constraints(
    6,
    [(0, 2)],
    [(1, 3), (0, 5)],
    [1 / 3],
    [1e-300, 0.1],
    [Partition([0, 0, 1, -1, -1, 2], different_across=True)],
)

in_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=5)


@pytest.mark.filterwarnings("ignore:.* (contains no hints|says the opposite)")  # as some do
@pytest.mark.parametrize("suffix", SUFFIXES)
@in_folder
@given(hints=hints())
def test_round_trip_loses_nothing(tmp_path, suffix, hints):
    path = tmp_path / f"hints{suffix}"
    hints.write(path)
    read = Constraints.read(path, n_samples=hints.n_samples)
    assert read == hints
    assert [p.weight for p in read.partitions] == [p.weight for p in hints.partitions]
    if suffix == ".json":  # holds the number of rows
        assert Constraints.read(path) == hints


@pytest.mark.filterwarnings("ignore:.* (contains no hints|says the opposite)")  # as some do
@pytest.mark.parametrize("suffix", SUFFIXES)
@in_folder
@given(hints=hints(), data=st.data())
def test_round_trip_by_record_ids(tmp_path, suffix, hints, data):
    n = hints.n_samples
    ids = data.draw(st.lists(texts | st.integers(), min_size=n, max_size=n, unique_by=str))
    path = tmp_path / f"hints{suffix}"
    hints.write(path, ids=ids)
    assert Constraints.read(path, ids=ids) == hints
    # the rows may come in another order, among others
    shuffled = [*data.draw(st.permutations(ids)), "someone else"]
    read = Constraints.read(path, ids=shuffled)
    assert read.restrict([shuffled.index(name) for name in ids]) == hints


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, pd.Index, pl.Series])
def test_ids_come_in_many_shapes(tmp_path, container):
    ids = container(["f", "e", "d", "c", "b", "a"])
    HINTS.write(tmp_path / "hints.csv", ids=ids)
    assert Constraints.read(tmp_path / "hints.csv", ids=ids) == HINTS
    assert "f,d,must-link,0.3333333333333333" in (tmp_path / "hints.csv").read_text()


def test_the_documented_layout(tmp_path):
    HINTS.write(tmp_path / "hints.csv")
    assert (tmp_path / "hints.csv").read_text().splitlines()[:5] == [
        "left,right,kind,weight",
        "0,2,must-link,0.3333333333333333",
        "0,5,cannot-link,0.1",
        "1,3,cannot-link,1e-300",
        '0,p0:0,"partition:same,across",1.0',
    ]
    certain = Constraints(6, [(0, 2)], [(1, 3)])
    certain.write(tmp_path / "certain.csv")
    assert (tmp_path / "certain.csv").read_text() == "left,right,kind\n0,2,must-link\n1,3,cannot-link\n"
    HINTS.write(tmp_path / "hints.json")
    content = json.loads((tmp_path / "hints.json").read_text())
    assert content["n_samples"] == 6
    assert content["partitions"] == [{"kind": "partition:same,across", "weight": 1.0, "blocks": [[0, 1], [2], [5]]}]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".jsonl"])
def test_other_programs_read_tables_as_they_are(tmp_path, suffix):
    path = tmp_path / f"hints{suffix}"
    HINTS.write(path)
    read = {
        ".csv": pd.read_csv,
        ".tsv": lambda path: pd.read_csv(path, sep="\t"),
        ".parquet": pd.read_parquet,
        ".jsonl": lambda path: pd.read_json(path, lines=True),
    }[suffix]
    frame = read(path)
    assert list(frame.columns) == ["left", "right", "kind", "weight"]
    assert frame.kind.tolist()[:3] == ["must-link", "cannot-link", "cannot-link"]
    assert frame.weight.tolist()[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    "text",
    [
        "left,right,kind\n0,2,same\n3,1,different\n",
        "\ufeffleft,right,kind,weight\r\n0,2,Same,\r\n\r\n3,1,CANNOT-LINK,1\r\n",
        "left;right;kind;weight\n0;2;same;1,0\n3;1;different;\n",
        "# by hand\n# n_samples=4\nleft\tright\tkind\n0\t2\tsame\n3\t1\tdifferent\n",
        "# by hand\n\nnote,Kind,Right,Left\nx,must-link,2,0\n,different, 3 ,1\n",
    ],
)
def test_tables_that_people_write(tmp_path, text):
    path = tmp_path / "hints.csv"
    path.write_bytes(text.encode())
    assert Constraints.read(path) == Constraints(4, [(0, 2)], [(1, 3)])
    if "n_samples" in text:
        with pytest.raises(ValueError, match="the file is for 4 rows, but n_samples = 9"):
            Constraints.read(path, n_samples=9)
    else:
        assert Constraints.read(path, n_samples=9).n_samples == 9


def test_parquet_that_people_write(tmp_path):
    path = tmp_path / "hints.parquet"
    table = pl.DataFrame({"left": [0, 3], "right": [2, 1], "kind": ["same", "different"], "weight": [None, 0.5]})
    table.write_parquet(path)
    assert Constraints.read(path) == Constraints(4, [(0, 2)], [(1, 3)], cannot_weight=[0.5])


HEAD = "left,right,kind,weight\n0,1,same,1\n"


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (HEAD + "0,2,maybe,1\n", r"hints.csv, line 3: kind 'maybe' is not known. Write same"),
        (HEAD + "0,2,partition:near,1\n", "line 3: kind 'partition:near' is not known"),
        (HEAD + '0,p:2,"partition:same,within",1\n', "line 3: kind 'partition:same,within' is both same and different"),
        (HEAD + "0,x,same,1\n", "line 3: 'x' is not a row number. Pass ids="),
        (HEAD + "0,1.5,same,1\n", "line 3: '1.5' is not a row number"),
        (HEAD + "0,-1,same,1\n", "line 3: row -1 is outside the rows"),
        ("# n_samples=2\n" + HEAD + "\n0,2,same,1\n", "line 5: row 2 is outside the rows, 0 to 1"),
        (HEAD + "0,2,same,heavy\n", "line 3: weight 'heavy' is not a finite number above 0"),
        (HEAD + "0,2,same,nan\n", "line 3: weight 'nan'"),
        (HEAD + "0,2,same,-1\n", "line 3: weight '-1'"),
        (HEAD + "2,2,same,1\n", "line 3: 2 is linked to itself"),
        (HEAD + "0,2,same\n", "line 3: 3 cells where the header has 4 columns"),
        (HEAD + '0,"2,same,1\n', "line 3: unexpected end of data. Check the quotes"),
        (HEAD + '0,"2"x,same,1\n', "line 3: .*Check the quotes"),
        (HEAD + "0,b,partition:same,1\n", "line 3: 'b' is not a block. Write partition:block"),
        (HEAD + "0,p:b,partition:same,1\n1,p:b,partition:same,2\n", "line 4: kind or weight differs"),
        (HEAD + "0,p:b,partition:same,1\n0,p:c,partition:same,1\n", "line 4: 0 is in two blocks"),
        ("left,right,c,d\n0,4,0.5,1\n", "line 2: '0.5' in column 'c' says neither same nor different. A file of hints"),
        ("left,right\n0,4\n", "hints need three columns, .*: left, right, kind. Found left, right"),
        ("left,right\n", "hints need three columns, .* Found left, right"),
        ("0,4\n1,3\n", "hints need three columns, .* Found 1, 2"),
        ("", r"hints\.csv is empty"),
        ("# n_samples=many\n" + HEAD, "n_samples = 'many' is not a number of rows"),
        (f"# n_samples={'9' * 5000}\n" + HEAD, "n_samples = '9999999999.* is not a number of rows"),
        (HEAD.encode() + b"0,\xff,same,1\n", "line 3: byte 0xff is not utf-8. Save the file as UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_its_reason(tmp_path, content, match):
    path = tmp_path / "hints.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=match):
        Constraints.read(path)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        ('{"pairs": [\n}', "line 2: not JSON"),
        ("[]", "line 1: expected an object"),
        ('{"pairs": 3}', "pairs: expected a list, found 3"),
        ('{"pairs": [{"left": 0}]}', r"pairs\[0\]: expected"),
        ('{"pairs": [{"left": 0, "right": true, "kind": "same"}]}', r"pairs\[0\]: True is not a row number"),
        ('{"partitions": [{"kind": "partition:same"}]}', r"partitions\[0\]: expected"),
        ('{"partitions": [{"kind": "partition:same", "blocks": [3]}]}', r"blocks\[0\]: expected a list"),
        ('{"n_samples": -3}', "n_samples = -3 is not a number of rows"),
    ],
)
def test_bad_json_is_named_with_its_reason(tmp_path, content, match):
    path = tmp_path / "hints.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=match):
        Constraints.read(path)


def test_bad_parquet(tmp_path):
    path = tmp_path / "hints.parquet"
    path.write_bytes(b"no parquet at all")
    with pytest.raises(ValueError, match="is not a Parquet file"):
        Constraints.read(path)
    pl.DataFrame({"left": [0], "right": [1]}).write_parquet(path)
    with pytest.raises(ValueError, match=r"hints need three columns, .* Found left, right"):
        Constraints.read(path)
    pl.DataFrame({"left": [0, 1], "right": [1, 1], "kind": ["same", "same"]}).write_parquet(path)
    with pytest.raises(ValueError, match="row 1: 1 is linked to itself"):
        Constraints.read(path)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *arguments, **keywords):
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "likewise\[io\]"'):
        HINTS.write(tmp_path / "hints.parquet")
    assert list(tmp_path.iterdir()) == []


def test_ids_and_numbers_that_do_not_fit(tmp_path):
    path = tmp_path / "hints.csv"
    with pytest.raises(ValueError, match=r"ids\[0\] and ids\[2\] are both '1'"):
        HINTS.write(path, ids=[1, 2, "1", 4, 5, 6])
    with pytest.raises(ValueError, match="ids has 2 entries, but there are 6 rows"):
        HINTS.write(path, ids=["a", "b"])
    HINTS.write(path, ids=list("abcdef"))
    with pytest.raises(UnknownIdError, match="line 2: id 'a' is not among the 3 ids") as unknown:
        Constraints.read(path, ids=list("bcd"))
    assert unknown.value.id == "a"
    copied = pickle.loads(pickle.dumps(unknown.value))
    assert (str(copied), copied.id) == (str(unknown.value), "a")
    with pytest.raises(ValueError, match="ids has 6 entries, but n_samples = 7"):
        Constraints.read(path, ids=list("abcdef"), n_samples=7)
    HINTS.write(tmp_path / "hints.json")
    with pytest.raises(ValueError, match="the file is for 6 rows, but n_samples = 7"):
        Constraints.read(tmp_path / "hints.json", n_samples=7)
    with pytest.raises(ValueError, match=r"'.xls' is not a known format of hints. Use one of .csv, .tsv, .json"):
        Constraints.read("hints.xls")
    with pytest.raises(FileNotFoundError):
        Constraints.read(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, suffix):
    path = tmp_path / f"hints{suffix}"
    HINTS.write(path)
    before = path.read_bytes()
    with pytest.raises(UnicodeEncodeError):
        HINTS.write(path, ids=["\ud800", *"bcdef"])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_rows_that_a_file_names(tmp_path, suffix):
    path = tmp_path / f"hints{suffix}"
    HINTS.write(path, ids=list("abcdef"))
    assert sorted(names_in(path)) == ["a", "b", "c", "d", "f"]
    HINTS.write(path)
    assert sorted(names_in(path)) == ["0", "1", "2", "3", "5"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"pair": []}', r"'pair' is not a known key\. Did you mean 'pairs'"),
        ('{"pairs": [{"left": 0, "right": 1, "kind": "same", "wieght": 2}]}', r"pairs\[0\]: 'wieght' .* 'weight'"),
        ('{"partitions": [{"kind": "partition:same", "blocks": [[0, 1]], "name": []}]}', r"'name' .* 'names'"),
        ("[" * 100_000, "nested too deeply"),
        ('{"n_samples": 99999999999}', "refers to 99,999,999,999 rows"),
    ],
)
@pytest.mark.filterwarnings("ignore:.* contains no hints")
def test_json_that_says_something_else_than_was_meant(tmp_path, content, message):
    (tmp_path / "h.json").write_text(content)
    with pytest.raises(ValueError, match=rf"h\.json.*{message}"):
        Constraints.read(tmp_path / "h.json")


def test_other_keys_of_a_pair_are_as_other_columns(tmp_path):
    (tmp_path / "h.json").write_text('{"pairs": [{"left": 0, "right": 1, "kind": "same", "asked_by": "ann"}]}')
    assert Constraints.read(tmp_path / "h.json").n_must_link == 1


@pytest.mark.parametrize("name", ["h.csv", "h.json", "h.jsonl"])
def test_a_file_without_hints_is_told(tmp_path, name):
    (tmp_path / name).write_text({"h.csv": "left,right,kind\n", "h.json": "{}", "h.jsonl": ""}[name])
    with pytest.warns(UserWarning, match=f"{name} contains no hints"):
        assert Constraints.read(tmp_path / name, n_samples=3).is_empty


@pytest.mark.parametrize(("left", "fits"), [(2 * 3 * 8, True), (2 * 3 * 8 - 1, False), (None, True)])
def test_partitions_that_the_memory_can_hold(tmp_path, monkeypatch, left, fits):
    monkeypatch.setattr(_io, "memory_left", lambda: left)
    (tmp_path / "h.csv").write_text(
        "left,right,kind\n0,p:a,partition:same\n2,p:a,partition:same\n1,q:b,partition:same\n"
    )
    if fits:
        assert Constraints.read(tmp_path / "h.csv").n_must_link == 1
    else:
        with pytest.raises(MemoryError, match=r"h\.csv: 2 partitions of 3 rows do not fit into memory"):
            Constraints.read(tmp_path / "h.csv")


def test_a_row_number_that_cannot_be_one_is_refused(tmp_path):
    (tmp_path / "h.csv").write_text("left,right,kind\n0,99999999999,same\n")
    with pytest.raises(ValueError, match=r"h\.csv refers to 100,000,000,000 rows"):
        Constraints.read(tmp_path / "h.csv")
    assert Constraints.read(tmp_path / "h.csv", ids=["0", "99999999999"]).n_must_link == 1


def test_row_numbers_with_a_point_are_whole(tmp_path):
    path = tmp_path / "hints.csv"
    path.write_text("left,right,kind\n3.0,1,same\n2.,0.00,different\n")
    assert Constraints.read(path, n_samples=4) == Constraints(4, [(1, 3)], [(0, 2)])
    path.write_text("left,right,kind\n3.5,1,same\n")
    with pytest.raises(ValueError, match=r"line 2: '3.5' is not a row number"):
        Constraints.read(path, n_samples=4)
    with pytest.raises(ValueError, match=r"0: 3.5 is not a row number"):
        Constraints.from_frame({"left": np.array([3.5]), "right": np.array([1.0]), "kind": ["same"]}, n_samples=4)
