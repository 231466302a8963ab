"""Rows in many files, from the command line."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris

from likewise import Constraints, Costco
from likewise.chunked import InMemory
from likewise.cli import main
from likewise.tables import read_raw

X, Y = load_iris(return_X_y=True)
COLUMNS = ["a", "b", "c", "d"]


@pytest.fixture
def parts(tmp_path):
    for part, (start, stop) in enumerate(((0, 60), (60, 100), (100, 150))):
        ids = [f"f{row}" for row in range(start, stop)]
        columns = {"id": ids, "note": ["x"] * len(ids), **dict(zip(COLUMNS, X[start:stop].T, strict=True))}
        pq.write_table(pa.table(columns), tmp_path / f"part{part}.parquet")
    lines = [
        f"f{a},f{b},{'same' if Y[a] == Y[b] else 'different'}" for a, b in ((0, 40), (60, 90), (70, 140), (3, 120))
    ]
    (tmp_path / "hints.csv").write_text("left,right,kind\n" + "\n".join(lines))
    return tmp_path


def run(folder, *options):
    before = {path.name for path in folder.iterdir()}
    result = CliRunner().invoke(main, ["cluster", str(folder / "part*.parquet"), *map(str, options)])
    return result, {path.name for path in folder.iterdir()} - before


@pytest.mark.parametrize("method", ["likewise", "project", "pck", "cop", "mpck"])
def test_clusters_by_id(method, parts):
    options = ("--hints", parts / "hints.csv", "--k", 3, "--out", parts / "out.csv", "--method", method)
    result, new = run(parts, *options, "--model", parts / "m.likewise")
    assert result.exit_code == 0, result.output
    assert new == {"out.csv", "m.likewise"}  # nothing else is left
    lines = (parts / "out.csv").read_text().splitlines()
    assert lines[0] == "id,cluster" + (",second,certainty" if method == "likewise" else "")
    assert [line.split(",")[0] for line in lines[1:]] == [f"f{row}" for row in range(150)]
    assert "150 rows of 3 files, 4 columns" in result.output
    assert "left out, since they are not numeric: note" in result.output


def test_other_formats_and_json(parts):
    result, _ = run(parts, "--out", parts / "out.parquet", "--columns", "a,b", "--json")
    facts = json.loads(result.stdout)
    assert sum(facts["sizes"]) == facts["rows"] == 150
    assert facts["method"] == "likewise"
    found = pq.read_table(parts / "out.parquet")
    assert found.column_names == ["id", "cluster", "second", "certainty"]
    assert found.num_rows == 150
    result, _ = run(parts, "--k", 3, "--out", parts / "out.npy", "--ignore", "d", "--method", "spherical")
    assert np.load(parts / "out.npy").shape == (150,)


def test_labels_and_a_page_of_landmarks(parts):
    known = ["setosa", "versicolor", "virginica"]
    for part, (start, stop) in enumerate(((0, 60), (60, 100), (100, 150))):
        table = pq.read_table(parts / f"part{part}.parquet")
        labels = [known[Y[row]] if row % 10 == 0 else None for row in range(start, stop)]
        pq.write_table(table.append_column("kind", pa.array(labels, pa.string())), parts / f"part{part}.parquet")
    options = ("--label", "kind", "--out", parts / "out.csv", "--report", parts / "r.html")
    result, new = run(parts, *options)
    assert result.exit_code == 0, result.output
    assert new == {"out.csv", "r.html"}
    head, *lines = (line.split(",") for line in (parts / "out.csv").read_text().splitlines())
    assert head == ["id", "cluster", "name", "second", "second_name", "certainty"]
    assert np.mean([line[2] == known[kind] for line, kind in zip(lines, Y, strict=True)]) > 0.85
    assert "f149" in (parts / "r.html").read_text()
    assert "15 labels of 3 classes" in result.output


@pytest.mark.parametrize("method", ["likewise", "project"])
def test_new_files_are_assigned(method, parts):
    model, out = parts / "m.likewise", parts / "new.csv"
    run(parts, "--k", 3, "--out", parts / "out.csv", "--model", model, "--method", method)
    result = CliRunner().invoke(main, ["assign", str(model), str(parts / "part*.parquet"), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert out.read_text() == (parts / "out.csv").read_text()
    (parts / "other").mkdir()
    pq.write_table(pa.table({"id": ["n"], "a": [1.0]}), parts / "other" / "1.parquet")
    result = CliRunner().invoke(main, ["assign", str(model), str(parts / "other/*.parquet"), "--out", str(out)])
    assert "has no column 'b'" in result.output


def reduced(folder, *options):
    before = {path.name for path in folder.iterdir()}
    result = CliRunner().invoke(main, ["reduce", str(folder / "part*.parquet"), *map(str, options)])
    return result, {path.name for path in folder.iterdir()} - before


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet", ".npy"])
def test_coordinates_by_id(suffix, parts):
    out, model, again = parts / f"z{suffix}", parts / "p.likewise", parts / f"again{suffix}"
    result, new = reduced(parts, "--hints", parts / "hints.csv", "--out", out, "--model", model)
    assert result.exit_code == 0, result.output
    assert new == {out.name, model.name}
    assert "2 dimensions by costco, learned from " in result.output
    pairs = [(0, 40), (60, 90)], [(70, 140), (3, 120)]
    expected = Costco(2).fit(InMemory(X), constraints=Constraints(150, *pairs)).transform(X)
    if suffix == ".npy":
        found = np.load(out)
    else:
        columns = read_raw(out).columns
        assert list(columns) == ["id", "d1", "d2"]
        assert list(columns["id"]) == [f"f{row}" for row in range(150)]
        found = np.column_stack([np.asarray(columns[name], dtype=float) for name in ("d1", "d2")])
    np.testing.assert_allclose(found, expected, atol=1e-6)
    result = CliRunner().invoke(main, ["assign", str(model), str(parts / "part*.parquet"), "--out", str(again)])
    assert result.exit_code == 0, result.output
    assert "150 rows of" in result.output
    assert "in 2 dimensions" in result.output
    assert again.read_bytes() == out.read_bytes()


def test_coordinates_in_json(parts):
    result, _ = reduced(parts, "--out", parts / "z.npy", "--columns", "a,b,c", "--dims", 3, "--json")
    facts = json.loads(result.stdout)
    assert (facts["rows"], facts["files_read"], facts["dimensions"], facts["method"]) == (150, 3, 3, "ssdr")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "--out coordinates.parquet"),
        (("--out", "z.csv", "--method", "lpp"), "use one of "),
        (("--out", "z.csv", "--method", "rca"), "needs must-links"),
        (("--out", "z.csv", "--dims", 5), "--dims 5 is more than the 4 columns"),
        (("--out", "z.csv", "--text", "note"), "--text works on rows in memory"),
        (("--out", "z.txt"), "is not a known format"),
    ],
)
def test_wrong_use_of_reduce(options, said, parts):
    result, new = reduced(parts, *options)
    assert result.exit_code == 2
    assert said in result.output
    assert not new


def test_files_of_two_kinds(parts):
    np.save(parts / "part9.npy", X)
    result = CliRunner().invoke(main, ["cluster", str(parts / "part*"), "--k", "3", "--out", str(parts / "o.csv")])
    assert result.exit_code == 2
    assert "part9.npy is an array, and" in result.output


def test_contradictions_name_keys(parts):
    (parts / "hints.csv").write_text("left,right,kind\nf1,f2,same\nf2,f90,same\nf1,f90,different\n")
    result, new = run(parts, "--hints", parts / "hints.csv", "--k", 3, "--out", parts / "out.csv", "--method", "cop")
    assert "'f1' and 'f90' are different, but" in result.output
    assert not new


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--k", 3), "--out clusters.parquet"),
        (("--out", "o.csv", "--method", "pck"), "needs the number of clusters: --k"),
        (("--k", 3, "--out", "o.csv", "--method", "nc"), "use one of likewise, project, "),
        (("--k", 3, "--out", "o.csv", "--truth", "note"), "--truth works on rows in memory"),
        (("--k", 3, "--out", "o.csv", "--method", "pck", "--report", "r.html"), "--report shows rows in memory"),
        (("--k", 3, "--out", "o.csv", "--method", "pck", "--jobs", 2), "--jobs has no effect with --method pck"),
        (("--k", 3, "--out", "o.txt"), "is not a known format"),
    ],
)
def test_wrong_use(options, said, parts):
    result, new = run(parts, *options)
    assert result.exit_code == 2
    assert said in result.output
    assert not new


def test_a_hint_about_nobody(parts):
    (parts / "hints.csv").write_text("left,right,kind\nf1,nobody,same\n")
    result, new = run(parts, "--hints", parts / "hints.csv", "--k", 3, "--out", parts / "out.csv")
    assert result.exit_code == 2
    assert "1 id was not found in 'id': 'nobody'" in result.output
    assert not new


def test_a_bad_value_leaves_nothing_behind(parts):
    pq.write_table(
        pa.table({"id": ["n"], "note": ["x"], **{name: [float("nan")] for name in COLUMNS}}), parts / "part9.parquet"
    )
    result, new = run(parts, "--k", 3, "--out", parts / "out.csv")
    assert result.exit_code == 2
    assert "part9.parquet, row 0 (counted from 0): 'a' is nan" in result.output
    assert not new


@pytest.mark.parametrize("method", ["likewise", "pck"])
def test_ctrl_c_leaves_nothing_behind(method, parts, monkeypatch):
    from likewise.clustering import _from_files

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(_from_files, "with_ids", interrupted)  # when rows are copied, and clusters about to be written
    result, new = run(parts, "--k", 3, "--out", parts / "out.csv", "--method", method, "--model", parts / "m.likewise")
    assert result.exit_code == 130
    assert not new


def test_no_files(tmp_path):
    result, _ = run(tmp_path, "--k", 3, "--out", tmp_path / "out.csv")
    assert "no file matches" in result.output
