"""Every format gives the same rows, and says clearly what is wrong with a file."""

import errno
import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from PIL import Image
from scipy import io, sparse

from likewise._progress import observe
from likewise.cli import main
from likewise.prepare import read_table
from likewise.tables import FORMATS, MissingExtraError, _market, as_numbers, extra, read_raw
from likewise.tables._damage import reading
from likewise.tables._h5ad import read_here
from likewise.tables._json import parse_json
from likewise.tables._numpy import checked_matrix
from likewise.tables._raw import RawTable
from likewise.tables._transposed import transposed

X = np.array([[0.5, 10.0], [1.5, 90.0], [2.5, 40.0], [0.25, 70.0]])
IDS = ["a", "b", "c", "d"]
KINDS = ["x", "y", "", "x"]
STANDARD = (X - X.mean(axis=0)) / X.std(axis=0)


def as_csv(path, delimiter=","):
    lines = [delimiter.join(["id", "one", "two", "label"])]
    lines += [delimiter.join([*map(str, row)]) for row in zip(IDS, X[:, 0], X[:, 1], KINDS, strict=True)]
    path.write_text("\n".join(lines), encoding="utf-8")


def write(path):
    """The four rows in the format of the suffix."""
    frame = pd.DataFrame({"id": IDS, "one": X[:, 0], "two": X[:, 1], "label": [kind or None for kind in KINDS]})
    suffix = path.suffix
    if suffix == ".csv":
        as_csv(path)
    elif suffix == ".tsv":
        as_csv(path, "\t")
    elif suffix == ".gz":
        as_csv(path.with_suffix(""))
        path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))
    elif suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".npz":
        np.savez(path, X=X, ids=np.array(IDS), y=np.array([0, 1, -1, 0]), feature_names=np.array(["one", "two"]))
    elif suffix == ".npy":
        np.save(path, X)
    elif suffix == ".mtx":
        io.mmwrite(path, X)
    else:
        as_h5ad(path, X)
    return path


def as_h5ad(path, matrix, *, sparse_as=None):
    with h5py.File(path, "w") as file:
        if sparse_as is None:
            file["X"] = matrix
        else:
            part = file.create_group("X")
            packed = sparse.csr_matrix(matrix) if sparse_as == "csr_matrix" else sparse.csc_matrix(matrix)
            part.attrs["encoding-type"], part.attrs["shape"] = sparse_as, matrix.shape
            for name in ("data", "indices", "indptr"):
                part[name] = getattr(packed, name)
        for table, index in (("obs", IDS), ("var", ["one", "two"])):
            group = file.create_group(table)
            group.attrs["_index"] = "name"
            group["name"] = np.array(index, dtype=h5py.string_dtype())
        label = file["obs"].create_group("label")
        label["categories"] = np.array(["x", "y"], dtype=h5py.string_dtype())
        label["codes"] = np.array([0, 1, -1, 0], dtype=np.int8)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.jsonl", "t.parquet", "t.npz", "t.h5ad"])
def test_the_same_rows_from_every_format(tmp_path, name):
    rows = read_table(write(tmp_path / name))
    np.testing.assert_allclose(rows.X, STANDARD)
    assert rows.ids == IDS
    assert rows.feature_names == ("one", "two")
    assert [label is None for label in rows.labels] == [False, False, True, False]
    assert rows.labels[0] == rows.labels[3] != rows.labels[1]
    assert rows.n_labeled == 3
    assert rows.description.startswith("2 columns of numbers, standardized")


@pytest.mark.parametrize("name", ["t.npy", "t.mtx"])
def test_a_bare_matrix_has_row_numbers_for_ids(tmp_path, name):
    rows = read_table(write(tmp_path / name))
    np.testing.assert_allclose(rows.X, STANDARD)
    assert rows.ids == ["0", "1", "2", "3"]
    assert rows.labels is None
    assert rows.feature_names == ("x0", "x1")


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_matrix"])
def test_a_sparse_h5ad_stays_sparse(tmp_path, kind):
    M = X * np.array([[1, 0], [0, 1], [1, 1], [0, 1]])
    as_h5ad(tmp_path / "t.h5ad", M, sparse_as=kind)
    rows = read_table(tmp_path / "t.h5ad")
    assert sparse.issparse(rows.X)
    np.testing.assert_allclose(rows.X.toarray(), M)
    assert rows.feature_names == ("one", "two")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.ndjson", "t.mtx"])
def test_a_packed_file_is_read_as_the_plain_one(tmp_path, name):
    path = tmp_path / name
    write(path if name != "t.ndjson" else tmp_path / "t.jsonl")
    if name == "t.ndjson":
        (tmp_path / "t.jsonl").rename(path)
    plain = read_raw(path)
    spoil(tmp_path / f"{name}.gz", gzip.compress(path.read_bytes()))
    packed = read_raw(tmp_path / f"{name}.gz")
    assert packed.n == plain.n == 4
    assert packed.columns == plain.columns
    np.testing.assert_array_equal(packed.matrix, plain.matrix)


@pytest.mark.parametrize("name", ["t.tsv", "t.tsv.gz"])
def test_tabs_separate_the_cells_of_a_tsv_file_whatever_its_names_hold(tmp_path, name):
    content = b"a,b,c\td\n1\t2\n"
    path = spoil(tmp_path / name, gzip.compress(content) if name.endswith("gz") else content)
    assert read_raw(path).columns == {"a,b,c": ["1"], "d": ["2"]}


@pytest.mark.parametrize("name", ["t.xlsx", "t.parquet", "t.npy", "t.npz", "t.h5ad"])
def test_formats_that_are_packed_already_are_not_packed_again(tmp_path, name):
    path = spoil(tmp_path / f"{name}.gz", gzip.compress(b"anything"))
    with pytest.raises(ValueError, match=r"ends in '\.gz', which is not a known format"):
        read_raw(path)


def test_counts_become_tf_idf(tmp_path):
    counts = sparse.random(30, 12, density=0.2, random_state=0, data_rvs=lambda size: np.ones(size))
    sparse.save_npz(tmp_path / "t.npz", counts.tocsr())
    io.mmwrite(tmp_path / "t.mtx", counts)
    for name in ("t.npz", "t.mtx"):
        rows = read_table(tmp_path / name)
        lengths = sparse.linalg.norm(rows.X, axis=1)
        np.testing.assert_allclose(lengths[lengths > 0], 1.0)
        assert "counts, as unit rows of tf-idf weights" in rows.description


def test_embeddings_in_a_list_are_columns(tmp_path):
    records = [{"id": name, "vector": row.tolist()} for name, row in zip(IDS, X, strict=True)]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    pd.DataFrame(records).to_parquet(tmp_path / "t.parquet")
    for name in ("t.jsonl", "t.parquet"):
        rows = read_table(tmp_path / name)
        assert rows.feature_names == ("vector[0]", "vector[1]")
        np.testing.assert_allclose(rows.X, STANDARD)


def test_a_column_of_lists_that_are_not_all_lists_is_left_out(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"a": 1, "v": [1, 2]}\n{"a": 2, "v": null}\n')
    raw = read_raw(tmp_path / "t.jsonl")
    assert list(raw.columns) == ["a"]
    assert raw.left_out == {"v": "lists or objects of different kinds"}
    (tmp_path / "t.jsonl").write_text('{"a": 1, "v": []}\n{"a": 2, "v": []}\n')
    raw = read_raw(tmp_path / "t.jsonl")
    assert list(raw.columns) == ["a"]
    assert list(raw.left_out) == ["v"]


def test_semicolons_and_a_byte_order_mark(tmp_path):
    as_csv(tmp_path / "t.csv", ";")
    text = (tmp_path / "t.csv").read_text(encoding="utf-8")
    (tmp_path / "t.csv").write_text(text, encoding="utf-8-sig")
    assert read_table(tmp_path / "t.csv").ids == IDS


@pytest.mark.parametrize("mark", [";", ",", "\t", "|"])
def test_a_first_line_for_excel_says_what_separates_cells(tmp_path, mark):
    path = spoil(tmp_path / "t.csv", "\r\n".join([f"sep={mark}", *(mark.join(row) for row in ("ab", "12", "34"))]))
    raw = read_raw(path)
    assert {name: list(cells) for name, cells in raw.columns.items()} == {"a": ["1", "3"], "b": ["2", "4"]}
    assert raw.where(1) == "line 4"


def test_semicolons_with_thousands_and_decimal_commas(tmp_path):
    path = spoil(
        tmp_path / "t.csv", "id;price;width;note\nW-1;1.065,00;1,5;3,5 of 5\nW-2;735,00;2;2,25\nW-3;-;0,5;no\n"
    )
    rows = read_table(path, missing="zero")
    assert rows.table.columns["width"] == ["1.5", "2", "0.5"]
    assert read_raw(path).columns["note"] == ["3,5 of 5", "2,25", "no"]
    assert rows.feature_names[:2] == ("price", "width")
    price = rows.X[:, 0]
    assert (price[0] - price[2]) / (price[1] - price[2]) == pytest.approx(1065 / 735)


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["Wines, as of 2024;;", "", "id;price;hue", "a;1,5;2", "b;2,5;3"], 3),
        (["Wines", "by price", "id;price;hue", "a;1,5;2", "b;2,5;3"], 3),
        (["Wines, 2024", "id;price;hue", "a;1,5;2", "b;2,5;3"], 2),
        (["sep=;", "Wines;;", "id;price;hue", "a;1,5;2", "b;2,5;3", ";;", ";;"], 3),
        (["# unit=EUR", "Wines", "", "id,price", "a,1.5", "b,2.5"], 4),
        (["Wines;;", ";;", "id;price;hue", "a;1,5;2", "b;2,5;3"], 3),
        (["Wines,", "id,price", "a,1.5", "b,2.5"], 2),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_title_above_the_names_is_passed_over(tmp_path, lines, line, end):
    path = spoil(tmp_path / "t.csv", end.join([*lines, ""]))
    with pytest.warns(UserWarning, match=f"'.*Wines.*' is taken as a title, and line {line} as the names"):
        raw = read_raw(path)
    assert list(raw.columns)[:2] == ["id", "price"]
    assert [list(cells) for cells in raw.columns.values()][:2] == [["a", "b"], ["1.5", "2.5"]]
    assert raw.where(0) == f"line {line + 1}"


@pytest.mark.parametrize(
    "content",
    [
        '"a name\nof two lines",b,c\n1,2,3\n4,5,6\n',
        ",x,y\n0,1,2\n1,3,4\n",
        "a,b\n1,\n2,3\n",
        "text\none\ntwo\n",
    ],
)
def test_names_are_no_title(tmp_path, content, recwarn):
    raw = read_raw(spoil(tmp_path / "t.csv", content))
    assert raw.n == 2
    assert not recwarn


def test_a_text_with_a_comma_is_no_title(tmp_path):
    with pytest.raises(ValueError, match=r"line 2: 2 cells, but the first line, 'text', has one"):
        read_raw(spoil(tmp_path / "t.csv", "text\none, two\nthree, four\n"))


def test_what_separates_cells_may_be_said_above_comments(tmp_path):
    path = spoil(tmp_path / "t.csv", "sep=;\n# by hand\na|b|c;d\n1;2\n")
    assert read_raw(path).columns == {"a|b|c": ["1"], "d": ["2"]}


def test_very_long_cells_are_read(tmp_path):
    long = "word and another " * 20_000
    (tmp_path / "t.csv").write_text(f'id,text\n1,"{long}"\n2,"{long} more word"\n3,"word, or not"\n', encoding="utf-8")
    rows = read_table(tmp_path / "t.csv", text="text")
    assert len(rows.texts[0]) == len(long)


def test_a_folder_of_texts(tmp_path):
    for folder, words in (("pets", "cat dog"), ("money", "bank loan")):
        (tmp_path / folder).mkdir()
        for number in range(3):
            (tmp_path / folder / f"{number}.txt").write_text(f"{words} {number}", encoding="utf-8")
    (tmp_path / ".hidden").write_text("no", encoding="utf-8")
    (tmp_path / "notes.pdf").write_bytes(b"%PDF")
    rows = read_table(tmp_path)
    assert rows.ids == [f"{folder}/{n}.txt" for folder in ("money", "pets") for n in range(3)]
    assert rows.texts[0] == "bank loan 0"
    assert rows.labels is None
    assert "'1 other file' (neither texts nor images)" in rows.description
    assert read_table(tmp_path, label="folder").labels == ["money"] * 3 + ["pets"] * 3


@pytest.mark.parametrize("color", [True, False])
def test_a_folder_of_images(tmp_path, color):
    for number in range(4):
        pixels = np.full((40, 60, 3), 60 * number, dtype=np.uint8)
        pixels[..., 0] += 9 * color
        Image.fromarray(pixels).save(tmp_path / f"{number}.png")
    rows = read_table(tmp_path)
    assert rows.X.shape == (4, 32 * 32 * (3 if color else 1))
    np.testing.assert_allclose(rows.X[3].max(), (180 + 9 * color) / 255)
    assert [path.name for path in rows.images] == rows.ids == ["0.png", "1.png", "2.png", "3.png"]
    assert ("in color" in rows.description) == color


def spoil(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.xls", "", "ends in '.xls', which is not a known format"),
        ("t.csv", "", "is empty"),
        ("t.csv", "a,b\n", "has no rows"),
        ("t.csv", "a,b\n1,2\n3\n", "line 3: 1 cells where the header has 2"),
        (
            "t.csv",
            "Sales 2020\na,b\n1,2\n",
            "line 2: 2 cells, but the first line, 'Sales 2020', has one. If that is a t",
        ),
        ("t.csv", "a,a\n1,2\n", "2 columns are called 'a'"),
        ("t.csv", "5.1,3.5\n4.9,3.0\n", "line 1 looks like data: '5.1' is a number"),
        ("t.csv", 'a,b\n1,"2\n', "Check the quotes"),
        ("t.csv", "name,ö\nx,1\n".encode("latin-1"), "line 1: byte 0xf6 is not utf-8"),
        ("t.csv", b"a,b\n1,2\n\xf6,3\n", "line 3: byte 0xf6 is not utf-8"),
        (
            "t.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 x 4\n",
            "'3 x 4' should be three numbers: rows, col",
        ),
        ("t.mtx", "%%MatrixMarket matrix array real general\n3 4 5\n", "'3 4 5' should be two numbers: rows, columns"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16"), "--encoding utf-16"),
        ("t.csv.gz", b"not packed", "is damaged"),
        ("t.jsonl", '{"a": 1}\n{oops\n', "line 2: not JSON"),
        ("t.jsonl", "[1, 2]\n", "Write an object"),
        ("t.parquet", "PAR0", "is not a Parquet file"),
        ("t.npy", "nothing", "not an NPY file of plain values"),
        ("t.npy", "nothing", "damaged: its header cannot be read (ValueError)"),
        ("t.npz", b"PK\x03\x04 broken", "not an NPZ file of plain arrays"),
        ("t.npz", np.lib.format.magic(1, 0), "holds one array only. Call it t.npy."),
        ("t.npy", b"PK\x03\x04 packed", "holds several arrays. Call it t.npz."),
        ("t.mtx", "%%NotMarket\n", "is not a Matrix Market file"),
        ("t.mtx", "%%MatrixMarket matrix array real general", "it does not say how many rows and columns it has"),
        ("t.h5ad", "nothing", "is not an H5AD file"),
    ],
)
def test_a_file_that_is_not_what_it_should_be(tmp_path, name, content, message):
    with pytest.raises(ValueError, match=r"t\.") as error:
        read_table(spoil(tmp_path / name, content))
    assert message in str(error.value)
    assert name in str(error.value)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.array(["a", "b"])}, "Only real numbers can be compared"),
        ({"X": np.zeros(3)}, "has the shape (3,)"),
        ({"X": np.zeros((0, 3))}, "array 'X' has no rows. It needs one for each item"),
        ({"X": np.zeros((3, 0))}, "array 'X' has no columns"),
        ({"A": np.zeros((3, 2)), "B": np.zeros((3, 2))}, "has no array 'X', only A, B"),
        ({"X": np.array([[1, None]], dtype=object)}, "damaged: it holds pickled objects, which are never read"),
    ],
)
def test_arrays_that_are_no_rows(tmp_path, arrays, message):
    np.savez(tmp_path / "t.npz", **arrays)
    with pytest.raises(ValueError, match=r"t\.npz") as error:
        read_table(tmp_path / "t.npz")
    assert message in str(error.value)


def test_a_sparse_matrix_that_says_it_is_huge_is_named_once(tmp_path):
    M = sparse.csr_matrix(np.eye(3))
    parts = {"data": M.data, "indices": M.indices, "indptr": M.indptr, "shape": np.array([2**40, 2**40])}
    np.savez(tmp_path / "t.npz", format=np.array(b"csr"), **parts)
    with pytest.raises(ValueError, match=r"t\.npz") as error:
        read_table(tmp_path / "t.npz")
    assert str(error.value).count("t.npz") == 1


def test_an_index_beyond_a_sparse_matrix_is_refused():
    M = sparse.csr_matrix(np.eye(3))
    M.indices[1] = 99
    with pytest.raises(ValueError, match="X is not a sparse matrix"):
        checked_matrix(M, "X")


def test_rows_of_an_h5ad_file_are_those_of_its_matrix(tmp_path):
    as_h5ad(tmp_path / "t.h5ad", X)
    assert read_raw(tmp_path / "t.h5ad").n == len(X) != X.shape[1]


def test_an_h5_file_of_another_kind(tmp_path):
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["data"] = X
    with pytest.raises(ValueError, match="has no 'X': it is not an H5AD file"):
        read_table(tmp_path / "t.h5ad")


@pytest.mark.parametrize(
    ("written", "said"), [({"encoding-type": "dia_matrix"}, "'dia_matrix'"), ({}, "'an unknown kind'")]
)
def test_a_matrix_of_an_h5ad_file_of_another_kind(tmp_path, written, said):
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file.create_group("X").attrs.update({"shape": (3, 2), **written})
        file.create_group("obs")
    for read in (read_raw, read_here):
        with pytest.raises(ValueError, match=rf"t\.h5ad, X is written as {said}\. Dense, CSR and CSC can be read"):
            read(tmp_path / "t.h5ad")


def test_folders_that_hold_nothing_or_two_kinds(tmp_path):
    with pytest.raises(ValueError, match="It holds nothing"):
        read_table(tmp_path)
    for number, suffix in enumerate(["pdf", "doc", "doc", "exe", "zip", "mp3", "mp4", "mp4"]):
        (tmp_path / f"{number}.{suffix}").touch()
    most = r"It holds 2 \.doc, 2 \.mp4(, 1 \.\w+){3}\.$"
    with pytest.raises(ValueError, match=most):
        read_table(tmp_path)
    (tmp_path / "a.txt").write_text("word")
    (tmp_path / "b.png").write_bytes(b"no image")
    (tmp_path / "c.md").write_text("word")
    (tmp_path / "d.jpg").write_bytes(b"no image")
    with pytest.raises(ValueError, match=r"2 images and 2 texts, such as b\.png and a\.txt\. Keep one kind"):
        read_table(tmp_path)
    for name in ("a.txt", "c.md"):
        (tmp_path / name).unlink()
    with pytest.raises(ValueError, match=r"b\.png is not an image, or is damaged"):
        read_table(tmp_path)


def test_another_encoding(tmp_path):
    path = spoil(tmp_path / "t.csv", "id;größe\né;1,5\nb;2\n".encode("latin-1"))
    with pytest.raises(ValueError, match="there is no encoding 'klingon'"):
        read_table(path, encoding="klingon")
    rows = read_table(path, encoding="latin-1")
    assert rows.ids == ["é", "b"]
    assert rows.X.ravel().tolist() == [1.5, 2.0]


@pytest.mark.parametrize(("suffix", "module"), [(".parquet", "pyarrow"), (".h5ad", "h5py")])
def test_a_missing_extra_is_named(tmp_path, monkeypatch, suffix, module):
    path = write(tmp_path / f"t{suffix}")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf'need {module}.*pip install "likewise\[io\]"'):
        read_table(path)


def test_progress_is_reported(tmp_path):
    seen = []
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n3,9\n" * 6_000)
    with observe(seen.append):
        read_table(tmp_path / "t.csv")
    assert seen[0].stage == seen[1].stage == "reading t.csv"
    assert 0 < seen[1].done < seen[1].total


def test_progress_of_json_lines_is_reported_in_batches(tmp_path):
    seen = []
    (tmp_path / "t.jsonl").write_text('{"a": 1}\n' * 2_500)
    with observe(seen.append):
        read_raw(tmp_path / "t.jsonl")
    assert [each.done for each in seen if each.done is not None] == [1_000, 2_000]
    seen.clear()
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 2_500)
    with observe(seen.append):
        read_raw(tmp_path / "t.csv")
    done = [each.done for each in seen if each.done is not None]
    assert len(done) == 2
    assert 0 < done[0] < done[1] < 10_004


def test_ids_of_64_bits_stay_what_they_are(tmp_path):
    large = [2**62 + row for row in range(4)]
    pd.DataFrame({"id": large, "one": X[:, 0], "flag": [True, False, True, True]}).to_parquet(tmp_path / "t.parquet")
    rows = read_table(tmp_path / "t.parquet")
    assert rows.ids == [str(name) for name in large]
    assert rows.feature_names == ("one", "flag=False", "flag=True")


def test_comments_at_the_top_are_metadata(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("\n# n_samples=12\n# made by hand\nleft,right\na,b\n\nc,d\n")
    raw = read_raw(path)
    assert raw.columns == {"left": ["a", "c"], "right": ["b", "d"]}
    assert raw.metadata == {"n_samples": "12"}
    assert [raw.where(row) for row in range(raw.n)] == ["line 5", "line 7"]
    path.write_text("# n_samples=12\n# made by hand\nleft,right\na\n")
    with pytest.raises(ValueError, match="line 4: 1 cells where the header has 2"):
        read_raw(path)


def test_rows_of_json_lines_are_named_by_their_lines(tmp_path):
    (tmp_path / "t.jsonl").write_text('\n{"a": 1}\n\n{"a": 2}\n')
    raw = read_raw(tmp_path / "t.jsonl")
    assert [raw.where(row) for row in range(raw.n)] == ["line 2", "line 4"]


@pytest.mark.parametrize(
    ("n_columns", "listed"),
    [(12, "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11."), (25, "c9, c10, c11, … (13 more).")],
)
def test_a_column_that_is_not_there_is_told_with_those_that_are(tmp_path, n_columns, listed):
    (tmp_path / "t.csv").write_text(",".join(f"c{place}" for place in range(n_columns)) + "\n")
    with pytest.raises(ValueError, match=r"t\.csv has no column 'town'\. It has: c0, ") as error:
        read_raw(tmp_path / "t.csv").column("town")
    assert str(error.value).endswith(listed)


def test_of_a_transposed_table_all_texts_but_the_names_are_left_out(tmp_path):
    (tmp_path / "t.csv").write_text("gene,S1,S2,zone,arm\nBRCA1,0.5,2,north,p\nTP53,1,3,south,q\n")
    raw = transposed(read_raw(tmp_path / "t.csv"))
    assert raw.columns["sample"] == ["S1", "S2"]
    assert raw.left_out == dict.fromkeys(["zone", "arm"], "not numbers, so it is not transposed")


def test_rows_of_one_name_are_numbered_when_they_become_columns(tmp_path):
    (tmp_path / "t.csv").write_text("gene,S1,S2\nA,1,2\nB,3,4\nA,5,6\n,7,8\nA,9,10\n")
    columns = transposed(read_raw(tmp_path / "t.csv"), "gene").columns
    assert list(columns) == ["sample", "A", "B", "A (2)", "row 3", "A (3)"]
    assert columns["A (3)"].tolist() == [9, 10]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gene,S1,zone\nA,1,x\nB,2,y\n", "has 1 columns of numbers, .* It needs two or more. Its columns: gene, S1, z"),
        ("gene,S1,S2\nA,1,2\nsample,3,4\n", "has a row called 'sample', which would be a column of ids. Rename it"),
    ],
)
def test_tables_that_cannot_be_transposed(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=rf"t\.csv {message}"):
        transposed(read_raw(tmp_path / "t.csv"))


@pytest.mark.parametrize("header", ["#id,one", "# rooms,price"])
def test_a_header_may_begin_with_the_sign_of_comments(tmp_path, header):
    path = tmp_path / "t.csv"
    path.write_text(f"# a comment\n{header}\na,1\nb,2\n")
    assert list(read_raw(path).columns) == header.split(",")


def test_a_delimiter_inside_quotes_does_not_count(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a,x,y,z";b\n1;2\n')
    assert read_raw(path).columns == {"a,x,y,z": ["1"], "b": ["2"]}


def test_metadata_of_parquet(tmp_path):
    table = pa.table({"left": ["a"]}).replace_schema_metadata({"n_samples": "7"})
    pq.write_table(table, tmp_path / "t.parquet")
    assert read_raw(tmp_path / "t.parquet").metadata["n_samples"] == "7"


def test_nested_columns_of_parquet_are_left_out(tmp_path):
    columns = {"one": [1.0, 2.0], "struct": [{"k": 0}, {"k": 1}], "ragged": [[1.0], [1.0, 2.0]], "raw": [b"a", b"b"]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    raw = read_raw(tmp_path / "t.parquet")
    assert list(raw.columns) == ["one"]
    assert set(raw.left_out) == {"struct", "ragged", "raw"}


READ = """
import sys
from pathlib import Path
from likewise.tables import read_raw
try:
    read_raw(sys.argv[1])
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize("end", ["3 3 1E", "3 3 1.5E-", "3 3 1\0", "3 3 1.5 x"])
def test_a_matrix_market_file_cut_short_does_not_crash(tmp_path, end):
    # scipy read beyond the end of these; where that comes back it ends the interpreter, so take another one
    path = tmp_path / "t.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1.5\n2 2 2.0\n{end}")
    done = subprocess.run([sys.executable, "-c", READ, str(path)], capture_output=True, text=True)
    assert done.returncode == 0
    assert "t.mtx is not a Matrix Market file: line 5 is" in done.stdout


@pytest.mark.parametrize("piece", [4, _market.PIECE])
@pytest.mark.parametrize(
    ("kind", "lines", "message"),
    [
        ("real", ["1 1 1.5", "2 2"], "line 5 is '2 2', which is no entry of 3 numbers"),
        ("real", ["1 1 1.5", "2 2 x", "3 3 2"], "line 5 is '2 2 x', which is no entry of 3 numbers"),
        ("real", ["1 1 1.5", "2 2 1e", "3 3 2"], "line 5 is '2 2 1e', which is no entry of 3 numbers"),
        ("real", ["", "1 1 1.5", "2 2 1e"], "line 6 is '2 2 1e', which is no entry of 3 numbers"),
        ("pattern", ["1 1", "2 2 1"], "line 5 is '2 2 1', which is no entry of 2 numbers"),
        ("real", ["1 1 1.5"], "it says that it has 2 entries, and has 1"),
        ("complex", ["1 1 1.5 2", "2 2 1 1"], "its numbers are complex, and only real numbers can be compared"),
    ],
)
def test_an_entry_of_a_matrix_market_file_that_is_none_is_named(tmp_path, monkeypatch, piece, kind, lines, message):
    monkeypatch.setattr(_market, "PIECE", piece)
    head = [f"%%MatrixMarket matrix coordinate {kind} general", "% by hand", "3 3 2"]
    (tmp_path / "t.mtx").write_text("\n".join([*head, *lines, ""]))
    with pytest.raises(ValueError, match=rf"t\.mtx is not a Matrix Market file: {message}\."):
        read_raw(tmp_path / "t.mtx")


@pytest.mark.parametrize("kind", ["real", "double", "integer", "unsigned-integer"])
def test_a_matrix_market_file_may_have_tabs_and_spaces_between_numbers(tmp_path, kind):
    head = f"%%MatrixMarket matrix coordinate {kind} general\n2 3 3\n"
    (tmp_path / "t.mtx").write_text(f"{head}1\t1\t4\r\n  2 3  5\n\n1 \t2 6")
    assert read_raw(tmp_path / "t.mtx").matrix.toarray().tolist() == [[4, 6, 0], [0, 0, 5]]


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_npy_files_of_every_version(tmp_path, version):
    with (tmp_path / "t.npy").open("wb") as file:
        np.lib.format.write_array(file, X, version=version)
    np.testing.assert_array_equal(read_raw(tmp_path / "t.npy").matrix, X)


def npy(shape, data):
    """An NPY file whose header is written as it is given."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return np.lib.format.magic(1, 0) + len(header).to_bytes(2, "little") + header.encode() + data


def test_an_array_of_a_matrix_market_file_has_kinds_of_numbers_alone(tmp_path):
    path = spoil(tmp_path / "t.mtx", "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n")
    np.testing.assert_array_equal(read_raw(path).matrix, [[1, 3], [2, 4]])
    spoil(path, "%%MatrixMarket matrix array pattern general\n2 2\n")
    with pytest.raises(ValueError, match="it is 'array pattern general', which is not a known kind"):
        read_raw(path)


def test_a_long_line_is_shown_in_part(tmp_path):
    long = "1 1 " + "9" * 100 + "x"
    path = spoil(tmp_path / "t.mtx", f"%%MatrixMarket matrix coordinate real general\n3 3 1\n{long}\n")
    with pytest.raises(ValueError, match="is not a Matrix Market file") as caught:
        read_raw(path)
    assert f"line 3 is {long[:60]!r}, which" in str(caught.value)
    with pytest.raises(ValueError, match=r"t\.jsonl, line 1") as caught:
        read_raw(spoil(tmp_path / "t.jsonl", json.dumps("a" * 100)))
    assert repr('"' + "a" * 39) + ". Write an object" in str(caught.value)
    with pytest.raises(ValueError, match=r"t\.csv, line 2") as caught:
        read_raw(spoil(tmp_path / "t.csv", "T" * 100 + "\n1,2\n"))
    assert f"the first line, {'T' * 60!r}, has one" in str(caught.value)


def test_a_matrix_market_array_that_says_it_is_huge_is_refused(tmp_path):
    path = spoil(tmp_path / "t.mtx", "%%MatrixMarket matrix array real general\n3 900000000\n1\n")
    with pytest.raises(ValueError, match=r"says that it holds 20\.1 GiB, far more than"):
        read_raw(path)
    path = spoil(tmp_path / "t.mtx", "%%MatrixMarket matrix array real general\n9 9\n" + "1\n" * 81)
    assert read_raw(path).matrix.shape == (9, 9)


def test_headers_that_python_2_wrote(tmp_path):
    path = spoil(tmp_path / "t.npy", npy("(4L, 2L)", X.tobytes()))
    np.testing.assert_array_equal(read_raw(path).matrix, X)


def test_bytes_behind_an_array_are_passed_over_as_numpy_does(tmp_path):
    path = spoil(tmp_path / "t.npy", npy("(4, 2)", X.tobytes() + b"more"))
    np.testing.assert_array_equal(read_raw(path).matrix, np.load(path))


@pytest.mark.parametrize("shape", ["(-4, 2)", "(-1, 2)", "(-4, -2)", "(4, 3)"])
def test_an_npy_file_of_another_shape_than_it_says(tmp_path, shape):
    path = spoil(tmp_path / "t.npy", npy(shape, X.tobytes()))
    with pytest.raises(ValueError, match=re.escape(f"it says that it has the shape {shape}, and ends before that")):
        read_raw(path)


def test_cells_of_parquet_that_its_types_cannot_have_are_refused(tmp_path):
    stored = np.array([15, 0, 9_999, 0], dtype=np.int64).tobytes()  # 1.5, and 999.9 of three digits
    prices = pa.Array.from_buffers(pa.decimal128(3, 1), 2, [None, pa.py_buffer(stored)])
    pq.write_table(pa.table({"price": prices}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet is not a Parquet file, or is damaged: .*9999"):
        read_raw(tmp_path / "t.parquet")


@pytest.mark.parametrize("name", ["t.mtx.gz", "t.npy", "t.npz"])
def test_a_file_cut_short_is_named(tmp_path, name):
    if name == "t.mtx.gz":
        io.mmwrite(tmp_path / "t.mtx", X)
        (tmp_path / name).write_bytes(gzip.compress((tmp_path / "t.mtx").read_bytes()))
    else:
        write(tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    for size in range(1, len(whole), 7):
        (tmp_path / name).write_bytes(whole[:size])
        with pytest.raises(ValueError, match=re.escape(name)):
            read_table(tmp_path / name)


def test_an_extra_that_does_not_load_is_not_said_to_be_missing(tmp_path, monkeypatch):
    (tmp_path / "broken_extra.py").write_text("raise ImportError('wants another numpy')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingExtraError, match=r"cannot be imported \(wants another numpy\)"):
        extra("broken_extra", "Tests")


def test_every_format_is_documented():
    help_text = " ".join(CliRunner().invoke(main, ["cluster", "--help"]).output.split())
    for name in {file_format.name for file_format in FORMATS.values()}:
        assert name in " ".join(read_table.__doc__.split())
        assert name in help_text


@pytest.mark.parametrize(
    ("first", "shown"),
    [
        ("1,2,3", "1, 2, 3"),
        ("7,7,9", "7, 7, 9"),
        ("2019,2020,2021", "2019, 2020, 2021"),
        ("5", "5"),
        ("0", "0"),
        ("-1;2;3", "-1, 2, 3"),
        ("1,2,3,4,5", "1, 2, 3, 4, 5"),
        ("1,2,3,4,5,6", "1, 2, 3, 4, 5, …"),
    ],
)
def test_a_table_without_names_does_not_lose_its_first_row(tmp_path, first, shown):
    (tmp_path / "t.csv").write_text(f"{first}\n" * 4)
    with pytest.raises(ValueError, match=rf"t\.csv, line 1 looks like data: {shown} are numbers"):
        read_raw(tmp_path / "t.csv")


def test_names_that_count_from_zero_are_told(tmp_path):
    (tmp_path / "t.csv").write_text("0,1\n3,4\n5,6\n")
    with pytest.warns(UserWarning, match="0, 1, is taken as the names"):
        assert read_raw(tmp_path / "t.csv").n == 2


def test_numbers_that_only_python_reads_are_not_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("id,x,y,z\n" + "".join(f"{n},{n}_000,３{n},{n}\n" for n in range(1, 5)))
    raw = read_raw(tmp_path / "t.csv")
    assert [len(as_numbers(raw.columns[name]).wrong) for name in "xyz"] == [4, 4, 0]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"a": 1, "a": 2}', "'a' is there twice in one object"),
        ('{"a": 1' + "0" * 5000 + "}", "a whole number of thousands of digits"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
    ],
)
def test_json_that_python_would_take_or_fail_at(tmp_path, line, why):
    (tmp_path / "t.jsonl").write_text('{"b": 1}\n' + line)
    with pytest.raises(ValueError, match=rf"t\.jsonl, line 2.*{why}"):
        read_raw(tmp_path / "t.jsonl")


@pytest.mark.parametrize("value", ["1e200", "-1e151"])
def test_a_number_that_cannot_be_squared_is_refused(tmp_path, value):
    (tmp_path / "t.csv").write_text(f"x,y\n1,2\n2,{value}\n3,3\n4,5\n")
    with pytest.raises(ValueError, match=r"t\.csv, line 3, column 'y' is .*, too large a number to be squared"):
        read_table(tmp_path / "t.csv")


def test_large_numbers_of_single_precision_stay_apart(tmp_path):
    values = np.array([[1, 2], [3e30, 1], [1e30, 3], [2e30, 5]], dtype=np.float32)
    np.save(tmp_path / "t.npy", values)
    np.testing.assert_allclose(read_table(tmp_path / "t.npy").X.std(axis=0), 1)


@pytest.mark.parametrize("rows", ["0 0", "0 3", "3 0"])
def test_a_matrix_of_no_rows_does_not_crash(tmp_path, rows):
    (tmp_path / "t.mtx").write_text(f"%%MatrixMarket matrix array real general\n{rows}\n")
    with pytest.raises(ValueError, match=r"t\.mtx is not a Matrix Market file: it has"):
        read_raw(tmp_path / "t.mtx")


def test_half_of_a_symmetric_matrix_is_read_as_the_whole(tmp_path):
    path = tmp_path / "t.mtx"
    path.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 1 7\n")
    np.testing.assert_array_equal(read_raw(path).matrix.toarray(), [[5, 7], [7, 0]])


@pytest.mark.parametrize(
    ("kind", "entries", "expected"),
    [
        ("symmetric", "1 2 3 4 5 6", [[1, 2, 3], [2, 4, 5], [3, 5, 6]]),
        ("skew-symmetric", "1 2 3", [[0, -1, -2], [1, 0, -3], [2, 3, 0]]),
    ],
)
def test_half_of_an_array_is_read_as_the_whole(tmp_path, kind, entries, expected):
    lines = ["%%MatrixMarket matrix array real " + kind, "3 3", *entries.split()]
    path = spoil(tmp_path / "t.mtx", "\n".join(lines))
    np.testing.assert_array_equal(read_raw(path).matrix, expected)
    spoil(path, "\n".join([*lines, "7"]))
    count = len(entries.split())
    with pytest.raises(ValueError, match=f"it says that it has {count} entries, and has {count + 1}"):
        read_raw(path)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, np.int64, np.uint8, bool])
def test_numbers_of_any_type_become_floats_of_64_bits(tmp_path, dtype):
    values = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    np.save(tmp_path / "t.npy", values)
    found = read_raw(tmp_path / "t.npy").matrix
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, values)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f8", ">f8"])
def test_floats_stay_as_precise_as_they_are(tmp_path, dtype):
    np.save(tmp_path / "t.npy", X.astype(dtype))
    found = read_raw(tmp_path / "t.npy").matrix
    assert found.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(found, X)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1,\n\n oops}', 6, "line 8: not JSON: Expecting property name"),
        ('[{"a": 1, "b": 2, "b": 3}]', 6, "line 6: 'b' is there twice"),
        ("[1" + "0" * 5000 + "]", 6, "line 6 has a whole number of thousands of digits"),
    ],
)
def test_json_is_told_by_the_line_of_its_file(text, line, message):
    with pytest.raises(ValueError, match=rf"t\.json, {message}"):
        parse_json(text, Path("t.json"), line)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_transposed_matrix_has_columns_for_rows(tmp_path, kind):
    matrix = X if kind == "dense" else sparse.csr_matrix(X)
    named = transposed(RawTable("t", 4, {"id": IDS}, matrix=matrix, matrix_names=("one", "two"), id="id"))
    bare = transposed(RawTable("t", 4, {}, matrix=matrix))
    assert (named.n, named.id, named.columns, named.matrix_names) == (2, "sample", {"sample": ["one", "two"]}, (*IDS,))
    assert (bare.columns, bare.matrix_names) == ({"sample": ["column 0", "column 1"]}, ("x0", "x1", "x2", "x3"))
    for found in (named.matrix, bare.matrix):
        np.testing.assert_array_equal(found.toarray() if kind == "sparse" else found, X.T)
    assert named.matrix.format == "csr" if kind == "sparse" else named.matrix.flags.c_contiguous


@pytest.mark.parametrize(
    "raw", [RawTable("t", 1, {}, images=[Path("a.png")]), RawTable("t", 1, {"a": ["b"]}, text="a")]
)
def test_texts_and_images_are_not_transposed(raw):
    with pytest.raises(ValueError, match="t holds texts or images, which cannot be transposed"):
        transposed(raw)


def test_an_error_of_the_disk_stays_one_and_names_the_file():
    with pytest.raises(PermissionError, match=r"t\.xlsx") as caught, reading(Path("t.xlsx"), "an Excel file"):
        raise OSError(errno.EACCES, "not yours", "another")
    assert (caught.value.errno, caught.value.filename) == (errno.EACCES, "t.xlsx")
    for damage in (OSError("no such block"), OSError(errno.EINVAL, "no such block")):
        with pytest.raises(ValueError, match=r"is damaged: .*no such block"), reading(Path("t.xlsx"), "an Excel file"):
            raise damage


def test_a_long_story_of_a_library_is_cut():
    with pytest.raises(ValueError, match="damaged") as caught, reading(Path("t"), "it", "Save it again."):
        raise RuntimeError("no " * 500)
    said = str(caught.value)
    assert said.startswith("t is not it, or is damaged: no no")
    assert said.endswith("no. Save it again.")
    assert len(said) < 260
    with pytest.raises(ValueError, match=r"^t is not it, or is damaged: KeyError\.$"), reading(Path("t"), "it"):
        raise KeyError


@pytest.mark.parametrize("shape", ["2 3", "3 2"])
def test_a_symmetric_matrix_that_is_no_square_is_refused(tmp_path, shape):
    path = tmp_path / "t.mtx"
    path.write_text(f"%%MatrixMarket matrix coordinate real symmetric\n{shape} 1\n1 1 5\n")
    rows, columns = shape.split()
    with pytest.raises(ValueError, match=f"t.mtx .* it is symmetric, and has {rows} rows and {columns} columns"):
        read_raw(path)


def test_a_sparse_matrix_in_h5ad_of_more_rows_than_it_can_hold_is_refused(tmp_path):
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        part = file.create_group("X")
        part.attrs["encoding-type"], part.attrs["shape"] = "csc_matrix", [900_000_000, 3]
        part["data"], part["indices"], part["indptr"] = np.ones(1), np.zeros(1, dtype=int), np.array([0, 1, 1, 1])
        file.create_group("obs")
    with pytest.raises(ValueError, match=r"t\.h5ad says that it holds .*, far more than"):
        read_here(tmp_path / "t.h5ad")


@pytest.mark.parametrize("shape", [None, [4], [4, 2, 1]])
def test_a_sparse_matrix_in_h5ad_without_two_sizes_is_refused(tmp_path, shape):
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        part = file.create_group("X")
        part.attrs["encoding-type"] = "csr_matrix"
        if shape is not None:
            part.attrs["shape"] = shape
        for name in ("data", "indices", "indptr"):
            part[name] = np.zeros(5, dtype=int)
        file.create_group("obs")
    with pytest.raises(ValueError, match="X is written as 'csr_matrix'"):
        read_here(tmp_path / "t.h5ad")


@pytest.mark.parametrize(("byte", "guess"), [(b"\xe9", "cp1252"), (b"\x81", "latin-1")])
def test_the_encoding_that_is_suggested_can_decode_the_file(tmp_path, byte, guess):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,caf" + byte + b"\n")
    with pytest.raises(ValueError, match=f"line 2: byte .* name its encoding: --encoding {guess}"):
        read_raw(path, "utf-8")
    assert read_raw(path, guess).columns["b"] == ["caf" + byte.decode(guess)]


def test_memory_that_a_library_lacks_names_the_file(tmp_path):
    with (
        pytest.raises(MemoryError, match=r"t\.xlsx needs more memory than there is"),
        reading(tmp_path / "t.xlsx", "it"),
    ):
        raise MemoryError


class OddError(ValueError):
    """What a library might derive from ValueError."""


@pytest.mark.parametrize("kind", [OddError, RuntimeError, KeyError])
def test_an_error_of_a_library_is_put_into_our_words_even_if_it_names_the_file(kind):
    said = r"is not an Excel file, or is damaged: .*oops"
    with pytest.raises(ValueError, match=said) as caught, reading(Path("t.xlsx"), "an Excel file"):
        raise kind("t.xlsx: oops")
    assert type(caught.value) is ValueError


def test_what_else_one_can_do_without_an_extra_ends_the_message():
    with pytest.raises(MissingExtraError, match=r"\[io\]\"\. Save it as CSV\.$"):
        extra("no_such_module", "Such files", otherwise="Save it as CSV.")
    with pytest.raises(MissingExtraError, match=r"\[io\]\"$"):
        extra("no_such_module", "Such files")


def test_an_empty_cell_of_a_single_column_is_a_row(tmp_path):
    assert read_raw(spoil(tmp_path / "t.csv", "text\none\n \n")).columns == {"text": ["one", " "]}


def test_only_the_last_suffixes_say_what_separates_cells(tmp_path):
    assert list(read_raw(spoil(tmp_path / "a.tsv.b.csv", "x,y\n1,2\n")).columns) == ["x", "y"]


def test_columns_of_one_name_in_parquet_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="has several columns called 'a'"):
        read_raw(tmp_path / "t.parquet")
