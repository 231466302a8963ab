"""H5AD files, as tools of today and of old write them."""

import h5py
import numpy as np
import pytest
from scipy import sparse

from likewise.tables import _h5ad, read_raw
from likewise.tables._h5ad import read_h5ad, read_here

X = np.array([[1.5, 0.0], [0.0, 2.5], [3.5, 0.0]])
TEXT = h5py.string_dtype()


def save(path, fill):
    with h5py.File(path / "t.h5ad", "w") as file:
        fill(file)
    return path / "t.h5ad"


def packed(file, form, **attributes):
    """A matrix in its parts, with its attributes."""
    matrix = sparse.csr_matrix(X).asformat(form)
    part = file.create_group("X")
    for name in ("data", "indices", "indptr"):
        part[name] = getattr(matrix, name)
    part.attrs.update(attributes)
    file.create_group("obs")


def test_columns_of_rows_and_names_of_columns(tmp_path):
    def fill(file):
        file["X"] = X
        file["obs/cell"] = np.array(["a", "b", "c"], dtype=TEXT)
        file["obs/n"], file["obs/flag"] = np.arange(3), np.array([True, False, True])
        file["obs/short"], file["obs/long"], file["obs/scalar"] = np.arange(2), np.arange(4), 7
        file["obs/pairs"] = np.zeros(3, dtype=[("one", "i4"), ("two", "i4")])
        file["obs/kind/categories"] = np.array([10, 20])
        file["obs/kind/codes"] = np.array([1, -1, 0], dtype=np.int8)
        file["obs/half/codes"] = np.arange(3)
        file["obs"].attrs["_index"] = "cell"
        file["var/gene"] = np.array(["g", "h"], dtype=TEXT)
        file["var"].attrs["_index"] = np.bytes_(b"gene")

    raw = read_here(save(tmp_path, fill))
    assert (raw.n, raw.id, raw.matrix_names) == (3, "cell", ("g", "h"))
    assert {name: list(cells) for name, cells in raw.columns.items()} == {
        "cell": ["a", "b", "c"],
        "n": [0, 1, 2],
        "flag": [True, False, True],
        "kind": [20, None, 10],
    }


@pytest.mark.parametrize("index", ["gone", ""])
def test_an_index_that_is_not_there_is_none(tmp_path, index):
    def fill(file):
        file["X"], file["obs/n"], file["var/n"] = X, np.arange(3), np.arange(2)
        file["obs"].attrs["_index"] = file["var"].attrs["_index"] = index

    raw = read_here(save(tmp_path, fill))
    assert (raw.n, raw.id, raw.matrix_names, list(raw.columns)) == (3, None, None, ["n"])


@pytest.mark.parametrize("index", ["index", "_index"])
def test_tables_of_old_are_arrays_of_records(tmp_path, index):
    def fill(file):
        file["X"] = X
        rows = np.zeros(3, dtype=[("n", "i4"), (index, "S2"), ("place", "f8", (2,))])
        rows["n"], rows[index] = [7, 8, 9], [b"a", b"b", b"c"]
        file["obs"] = rows
        file["var"] = np.array([(b"g",), (b"h",)], dtype=[("index", "S1")])

    raw = read_here(save(tmp_path, fill))
    assert {name: list(cells) for name, cells in raw.columns.items()} == {"n": [7, 8, 9], index: ["a", "b", "c"]}
    assert (raw.id, raw.matrix_names) == (index, ("g", "h"))


@pytest.mark.parametrize("length", [2, 4])
def test_records_of_another_number_of_rows_are_left_out(tmp_path, length):
    def fill(file):
        file["X"], file["obs"] = X, np.zeros(length, dtype=[("index", "S2"), ("n", "i4")])

    raw = read_here(save(tmp_path, fill))
    assert (raw.n, raw.id, raw.columns) == (3, None, {})


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(("kind", "shape"), [("encoding-type", "shape"), ("h5sparse_format", "h5sparse_shape")])
@pytest.mark.parametrize("as_bytes", [True, False])
def test_sparse_matrices_of_today_and_of_old(tmp_path, form, kind, shape, as_bytes):
    name = form if kind.startswith("h5") else f"{form}_matrix"
    written = {kind: np.bytes_(name.encode()) if as_bytes else name, shape: np.array([3, 2])}
    raw = read_here(save(tmp_path, lambda file: packed(file, form, **written)))
    assert sparse.issparse(raw.matrix)
    np.testing.assert_array_equal(raw.matrix.toarray(), X)


@pytest.mark.parametrize("kind", ["cs", "dense", "coo_matrix"])
def test_other_kinds_of_matrices_are_told(tmp_path, kind):
    path = save(tmp_path, lambda file: packed(file, "csr", **{"encoding-type": kind, "shape": (3, 2)}))
    with pytest.raises(ValueError, match=rf"t\.h5ad, X is written as '{kind}'\. Dense, CSR and CSC can be read"):
        read_here(path)


@pytest.mark.parametrize(("parts", "missing"), [((), "X"), (("obs",), "X"), (("X",), "obs"), (("Y", "Z"), "X")])
def test_what_an_h5ad_file_lacks_is_told(tmp_path, parts, missing):
    path = save(tmp_path, lambda file: [file.create_group(part) for part in parts])
    with pytest.raises(ValueError, match=rf"t\.h5ad has no '{missing}': .*\. It has: {', '.join(parts)}\.$"):
        read_here(path)


def test_a_matrix_that_is_none_is_told_by_its_place(tmp_path):
    def fill(file):
        file["X"] = np.zeros(3)
        file.create_group("obs")

    with pytest.raises(ValueError, match=r"t\.h5ad, X has the shape \(3,\)"):
        read_here(save(tmp_path, fill))


def test_what_cannot_be_opened_is_given_to_no_other_process(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(_h5ad, "read_apart", lambda *what: asked.append(what))
    with pytest.raises(IsADirectoryError):
        read_h5ad(tmp_path, None)
    assert not asked


def test_a_small_matrix_in_a_large_chunk_is_read(tmp_path):
    """HDF5 unpacks all of a chunk, which may be larger than what is in it."""

    def fill(file):
        chunks = (2**22, 2)  # 64 MiB
        file.create_dataset("X", data=X, maxshape=(None, 2), chunks=chunks, compression="gzip", compression_opts=1)
        file.create_group("obs")

    path = save(tmp_path, fill)
    assert path.stat().st_size < 2**20
    np.testing.assert_array_equal(read_raw(path).matrix, X)
