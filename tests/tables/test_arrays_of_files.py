"""NPY and NPZ files, at the edges of what they may hold."""

import re
import zipfile

import numpy as np
import pytest
from scipy import sparse

from likewise.tables import _limits, _numpy, read_raw
from likewise.tables._numpy import check_sparse_shape, checked_matrix, mapped_array, read_arrays

X = np.array([[0.5, 10.0], [1.5, 90.0], [2.5, 40.0]])


def npy(path, descr, shape, data=b""):
    """An NPY file that says what it likes."""
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": shape})
        file.write(data)
    return path


# -- NPY ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"1,2\n", b"PK\x03", b"\x93NUM", b"\xff" * 20])
def test_what_is_neither_kind_of_array_is_damaged(tmp_path, content):
    for name, kind in (("t.npy", "an NPY file of plain values"), ("t.npz", "an NPZ file of plain arrays")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=rf"{name} is not {kind} \(numbers or strings\), or is damaged"):
            read_raw(tmp_path / name)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<f8", ">f4", "<i2", "?"])
def test_an_array_is_mapped_as_it_is_stored(tmp_path, order, dtype):
    values = np.asarray(np.arange(12).reshape(4, 3) % 5, dtype=dtype, order=order)
    np.save(tmp_path / "t.npy", values)
    found = mapped_array(tmp_path / "t.npy")
    assert isinstance(found, np.memmap)
    assert found.dtype == values.dtype
    assert not found.flags.writeable
    np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(read_raw(tmp_path / "t.npy").matrix, values)


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,)])
def test_an_array_of_nothing_is_not_mapped(tmp_path, shape):
    np.save(tmp_path / "t.npy", np.zeros(shape, dtype=np.float32))
    found = mapped_array(tmp_path / "t.npy")
    assert found.shape == shape
    assert found.dtype == np.float32


def test_an_array_that_is_cut_is_not_mapped(tmp_path):
    npy(tmp_path / "t.npy", "<f8", (3, 2), X.tobytes()[:-1])
    with pytest.raises(ValueError, match=r"it says that it has the shape \(3, 2\), and ends before that"):
        mapped_array(tmp_path / "t.npy")


@pytest.mark.parametrize("descr", ["<U0", "|S0", "|V4", "[('a', '<f8')]"])
def test_arrays_that_are_neither_numbers_nor_strings(tmp_path, descr):
    npy(tmp_path / "t.npy", [("a", "<f8")] if descr.startswith("[") else descr, (2, 2), bytes(100))
    with pytest.raises(ValueError, match=r"t\.npy is not an NPY file .*: it holds .*, neither numbers nor strings"):
        read_raw(tmp_path / "t.npy")


def test_the_last_character_there_is(tmp_path):
    for dtype in ("<U1", ">U1"):
        last = np.array([0x10FFFF, 0x41], dtype=dtype[0] + "u4").tobytes()
        path = npy(tmp_path / "t.npy", dtype, (2,), last)
        with path.open("rb") as file:
            assert _numpy.read_array(file, path.stat().st_size).tolist() == ["\U0010ffff", "A"]
        beyond = np.array([0x41, 0x110000], dtype=dtype[0] + "u4").tobytes()
        with pytest.raises(ValueError, match="its strings are not made of characters"):
            read_raw(npy(path, dtype, (2,), beyond))


@pytest.mark.parametrize("values", [np.array([], dtype="<U3"), np.array("ab"), np.array(7), np.array(["é", ""])])
def test_arrays_of_one_cell_and_of_none(tmp_path, values):
    np.savez(tmp_path / "t.npz", it=values)
    found = read_arrays(tmp_path / "t.npz")["it"]
    assert (found.shape, found.dtype) == (values.shape, values.dtype)
    np.testing.assert_array_equal(found, values)


def test_bytes_are_read_as_text(tmp_path):
    np.savez(tmp_path / "t.npz", text=np.array(["é".encode(), b"ab"]))
    assert read_raw(tmp_path / "t.npz").columns["text"].tolist() == ["é", "ab"]


# -- matrices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (3,), (2, 2, 2)])
def test_a_matrix_has_two_dimensions(shape):
    with pytest.raises(ValueError, match=re.escape(f"X has the shape {shape}. It needs two dimensions: rows and c")):
        checked_matrix(np.zeros(shape), "X")


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1)])
def test_one_row_or_column_is_enough(shape):
    np.testing.assert_array_equal(checked_matrix(np.ones(shape), "X"), np.ones(shape))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_matrix_of_floats_is_not_copied(dtype):
    matrix = X.astype(dtype)
    assert checked_matrix(matrix, "X") is matrix


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(np.float64).max, reason="long doubles are doubles here")
def test_a_number_too_large_for_64_bits_is_infinite():
    matrix = np.array([[np.finfo(np.longdouble).max, 1]])
    np.testing.assert_array_equal(checked_matrix(matrix, "X"), [[np.inf, 1]])


@pytest.mark.parametrize("dtype", [np.complex64, "M8[s]", "m8[s]", "U1"])
def test_what_is_no_real_number_is_not_compared(dtype):
    with pytest.raises(ValueError, match=r"X has the type .*\. Only real numbers can be compared"):
        checked_matrix(np.zeros((2, 2), dtype=dtype), "X")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_sparse_matrices_become_rows_of_floats(form):
    matrix = sparse.random(6, 4, density=0.4, format=form, random_state=0)
    found = checked_matrix(matrix.astype(np.int8), "X")
    assert (found.format, found.dtype) == ("csr", np.float64)
    np.testing.assert_array_equal(found.toarray(), matrix.toarray().astype(np.int8))


def test_each_line_of_a_sparse_matrix_takes_64_bytes_and_each_entry_16(tmp_path, monkeypatch):
    (tmp_path / "t").touch()
    monkeypatch.setattr(_limits, "SMALL", 64 * 7 + 16 * 10)
    check_sparse_shape(tmp_path / "t", (3, 4), 10)
    for shape, n_entries in (((4, 4), 10), ((3, 5), 10), ((3, 4), 11)):
        with pytest.raises(ValueError, match=r"far more than its 0 bytes can"):
            check_sparse_shape(tmp_path / "t", shape, n_entries)


# -- NPZ ---------------------------------------------------------------------------------------------------------------


def read(path, **arrays):
    np.savez(path / "t.npz", **arrays)
    return read_raw(path / "t.npz")


def test_arrays_as_long_as_the_matrix_are_columns(tmp_path):
    raw = read(
        tmp_path,
        X=X,
        size=np.array([1, 2, 3]),
        short=np.array([1, 2]),
        long=np.array([1, 2, 3, 4]),
        scalar=np.array(3),
        table=np.zeros((3, 2)),
        text=np.array(["a", "b", "c"]),
        feature_names=np.array(["one", "two"]),
    )
    assert list(raw.columns) == ["size", "text"]
    assert (raw.n, raw.id, raw.label, raw.text, raw.matrix_names) == (3, None, None, None, ("one", "two"))


def test_names_of_features_are_no_column_even_if_there_are_as_many_rows(tmp_path):
    raw = read(tmp_path, X=X[:2], ids=np.array(["a", "b"]), y=np.array([0, 1]), feature_names=np.array(["one", "two"]))
    assert list(raw.columns) == ["ids", "y"]
    assert (raw.id, raw.label, raw.matrix_names) == ("ids", "y", ("one", "two"))


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"], [["a", "b"]]])
def test_names_of_another_number_of_features_are_none(tmp_path, names):
    raw = read(tmp_path, X=X, feature_names=np.array(names))
    assert raw.matrix_names is None
    assert ("feature_names" in raw.columns) == (len(names) == 3)


def test_the_only_table_is_the_matrix_whatever_it_is_called(tmp_path):
    raw = read(tmp_path, deep=np.zeros((2, 2, 2)), A=X, row=np.zeros(5))
    np.testing.assert_array_equal(raw.matrix, X)
    with pytest.raises(ValueError, match="array 'A' has the type"):
        read(tmp_path, A=np.array([["a"]]))


def test_texts_without_a_matrix(tmp_path):
    raw = read(tmp_path, text=np.array(["a b", "c"]), y=np.array([0, 1]), more=np.zeros(3))
    assert (raw.n, raw.text, raw.label, raw.matrix, list(raw.columns)) == (2, "text", "y", None, ["text", "y"])


@pytest.mark.parametrize(
    ("arrays", "there"),
    [({}, "nothing"), ({"text": np.array("a")}, "text"), ({"a": np.zeros(3), "b": np.zeros(2)}, "a, b")],
)
def test_what_an_npz_file_lacks_is_told(tmp_path, arrays, there):
    with pytest.raises(ValueError, match=rf"t\.npz has no array 'X', only {there}\. Save it with X="):
        read(tmp_path, **arrays)


def test_an_array_that_is_there_twice_is_refused(tmp_path):
    np.save(tmp_path / "X.npy", X)
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as packed:
        packed.write(tmp_path / "X.npy", "X.npy")
        packed.writestr("notes.txt", "no array")
        packed.writestr("more.txt", "no array")
    assert list(read_arrays(tmp_path / "t.npz")) == ["X"]
    with zipfile.ZipFile(tmp_path / "t.npz", "a") as packed, pytest.warns(UserWarning, match="Duplicate name"):
        packed.write(tmp_path / "X.npy", "X.npy")
    with pytest.raises(ValueError, match="an array is there twice"):
        read_raw(tmp_path / "t.npz")


def test_arrays_take_twice_their_size(tmp_path, monkeypatch):
    np.savez(tmp_path / "t.npz", X=X, y=np.zeros(3))
    with zipfile.ZipFile(tmp_path / "t.npz") as packed:
        size = sum(entry.file_size for entry in packed.infolist())
    assert size > X.nbytes + 24
    monkeypatch.setattr(_limits, "SMALL", 0)
    monkeypatch.setattr(_limits, "memory_left", lambda: 2 * size)
    assert read_raw(tmp_path / "t.npz").n == 3
    monkeypatch.setattr(_limits, "memory_left", lambda: 2 * size - 1)
    with pytest.raises(MemoryError, match=r"t\.npz needs about"):
        read_raw(tmp_path / "t.npz")


# -- sparse matrices in NPZ files --------------------------------------------------------------------------------------

PARTS = {
    "format": np.array(b"csr"),
    "shape": np.array([2, 2]),
    "data": np.ones(1),
    "indices": np.array([1]),
    "indptr": np.array([0, 1, 1]),
}


@pytest.mark.parametrize("missing", ["indices", "indptr"])
def test_a_sparse_matrix_without_a_part(tmp_path, missing):
    parts = {name: part for name, part in PARTS.items() if name != missing}
    with pytest.raises(ValueError, match=f"t.npz is not a sparse matrix: it has no '{missing}'"):
        read(tmp_path, **parts)
    with pytest.raises(ValueError, match=r"t\.npz is not a sparse matrix: it has no 'indices'"):
        read(tmp_path, **{name: PARTS[name] for name in ("format", "shape", "data")})


@pytest.mark.parametrize("form", [np.array(["csr", "csr"]), np.array([], dtype="U3"), np.array("dia"), np.array(3)])
def test_a_sparse_matrix_of_an_unknown_format(tmp_path, form):
    said = form.item() if form.size == 1 else "?"
    with pytest.raises(ValueError, match=rf"of the format '{re.escape(str(said))}'\. Save it as one of csr, csc, bsr"):
        read(tmp_path, **{**PARTS, "format": form})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shape": np.array([0, 2]), "indptr": np.array([0]), "data": np.ones(0), "indices": PARTS["indices"][:0]},
         "has no rows. It needs one for each item"),
        ({"shape": np.array([2, 0]), "indptr": np.zeros(3, int), "data": np.ones(0), "indices": PARTS["indices"][:0]},
         "has no columns"),
        ({"data": np.ones(1, dtype=complex)}, "it holds complex128, not numbers"),
        ({"indices": np.array(1)}, "its indices are no row of whole numbers"),
        ({"shape": np.array([1, -1])}, r"its shape is \[1, -1\]"),
        ({"indptr": np.array([0, 1])}, "is not a sparse matrix"),
        ({"indptr": np.zeros(0, int)}, "is not a sparse matrix"),
    ],
)  # fmt: skip
def test_sparse_matrices_that_are_none(tmp_path, changed, message):
    with pytest.raises(ValueError, match=rf"t\.npz.* {message}"):
        read(tmp_path, **{**PARTS, **changed})


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo"])
@pytest.mark.parametrize("dtype", [np.float32, np.int16, bool])
def test_a_sparse_matrix_without_entries(tmp_path, form, dtype):
    sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix((3, 4), dtype=dtype).asformat(form))
    found = read_raw(tmp_path / "t.npz").matrix
    assert (found.shape, found.nnz) == ((3, 4), 0)


@pytest.mark.parametrize("error", [ValueError, IndexError, TypeError, OverflowError])
@pytest.mark.parametrize("form", ["csr", "coo"])
def test_whatever_scipy_raises_names_the_file(tmp_path, monkeypatch, form, error):
    def fails(*parts, **shape):
        raise error("no")

    sparse.save_npz(tmp_path / "t.npz", sparse.csr_matrix(X).asformat(form))
    monkeypatch.setitem(_numpy.SPARSE, form, fails)
    monkeypatch.setattr(_numpy.sparse, "coo_matrix", fails)
    with pytest.raises(ValueError, match=r"t\.npz is not a sparse matrix: no\. Save it with scipy\.sparse\.save_npz\."):
        read_raw(tmp_path / "t.npz")
