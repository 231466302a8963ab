"""What files may ask for: memory, time, and trust."""

import gzip
import os
import resource
import struct
import subprocess
import sys
import zipfile
import zlib
from contextlib import nullcontext
from types import SimpleNamespace

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from likewise.constraints import Constraints
from likewise.prepare import read_table
from likewise.tables import _h5ad, _limits, read_raw
from likewise.tables._h5ad import read_here
from likewise.tables._numpy import check_sparse_shape
from likewise.tables._parquet import check_parquet_size

REFUSED = "far more than its .* can"


def npz_bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file, file.open("X.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (2**21, 8)})
        for _ in range(2**27 // 2**20):
            member.write(bytes(2**20))


def npz_of_small_parts(path):
    np.savez_compressed(path, X=np.zeros((2**20, 5)), y=np.zeros((2**20, 5)))  # neither is too large by itself


def gzip_bomb(path):
    with gzip.open(path, "wb") as file:
        for _ in range(100):
            file.write(b"1,2\n" * 2**18)


def parquet_bomb(path):
    pq.write_table(pa.table({"a": np.zeros(2**24)}), path, compression="zstd")


def parquet_of_small_groups(path):
    lists = pa.FixedSizeListArray.from_arrays(np.zeros(2**20), 2**10)
    table = pa.table({"a": pa.chunked_array([lists] * 10)})
    pq.write_table(table, path, row_group_size=2**10)  # 8 MiB in each, which is little of a file by itself


def market_bomb(path):
    path.write_text("%%MatrixMarket matrix coordinate real general\n900000000 3 1\n1 1 1.5\n")


def wide_market_bomb(path):
    path.write_text("%%MatrixMarket matrix coordinate real general\n3 900000000 1\n1 1 1.5\n")


def h5ad_bomb(path):
    with h5py.File(path, "w") as file:
        file.create_dataset("X", (2**33, 1), dtype="f8")
        file.create_group("obs")


def h5ad_of_small_parts(path):
    with h5py.File(path, "w") as file:
        for part in ("X", "obs/n", "var/n"):  # none of them is too large by itself
            file.create_dataset(part, (3_000_000, 1), dtype="f8")


def xlsx_bomb(path):
    book = openpyxl.Workbook()
    book.active["A1"] = "x"
    book.save(path.with_suffix(".plain"))
    rows = b"".join(b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (row, row) for row in range(1, 2000))
    with zipfile.ZipFile(path.with_suffix(".plain")) as plain, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for entry in plain.infolist():
            data = plain.read(entry)
            if entry.filename.endswith("sheet1.xml"):
                data = data.replace(b"</sheetData>", rows + b"</sheetData>")
            file.writestr(entry.filename, data)


BOMBS = {
    "t.npz": npz_bomb,
    "parts.npz": npz_of_small_parts,
    "t.csv.gz": gzip_bomb,
    "t.parquet": parquet_bomb,
    "groups.parquet": parquet_of_small_groups,
    "t.mtx": market_bomb,
    "wide.mtx": wide_market_bomb,
    "t.h5ad": h5ad_bomb,
    "parts.h5ad": h5ad_of_small_parts,
    "t.xlsx": xlsx_bomb,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_file_that_says_it_holds_far_more_than_it_can_is_refused(tmp_path, name):
    path = tmp_path / name
    BOMBS[name](path)
    with pytest.raises(ValueError, match=REFUSED) as refusal:
        read_raw(path)
    assert str(path) in str(refusal.value)


def test_the_memory_that_a_reader_may_take_grows_with_all_that_is_read(tmp_path, monkeypatch):
    limits = []
    monkeypatch.setattr(_h5ad, "limit_memory", limits.append)
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = np.eye(3)
        file["obs/n"], file["var/n"] = np.arange(3), np.arange(3)
    read_here(tmp_path / "t.h5ad")
    assert limits == [_h5ad.OVERHEAD + 4 * 8 * (9 + 3 + 3)]


def test_texts_in_h5ad_count_as_what_python_takes_for_them(tmp_path, monkeypatch):
    limits = []
    monkeypatch.setattr(_h5ad, "limit_memory", limits.append)
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = np.eye(3)
        file["obs/n"] = np.array(["a", "b", "c"], dtype=h5py.string_dtype())
    read_here(tmp_path / "t.h5ad")
    assert limits == [_h5ad.OVERHEAD + 4 * (8 * 9 + 64 * 3)]


@pytest.mark.parametrize(("n_bytes", "n_rows", "is_read"), [(100, 10, True), (2**40, 10, False), (100, 2**40, False)])
def test_a_parquet_file_is_refused_for_its_bytes_and_for_its_rows(tmp_path, n_bytes, n_rows, is_read):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1")
    group = SimpleNamespace(total_byte_size=n_bytes, num_rows=n_rows)
    metadata = SimpleNamespace(num_row_groups=1, num_rows=10, num_columns=2, row_group=lambda place: group)
    with nullcontext() if is_read else pytest.raises(ValueError, match=REFUSED):
        check_parquet_size(path, metadata)


@pytest.mark.parametrize(
    ("shape", "n_entries", "is_read"),
    [((3, 4), 10, True), ((3, 4), 2**30, False), ((2**30, 4), 1, False), ((4, 2**30), 1, False)],
)
def test_a_sparse_matrix_is_refused_for_its_entries_and_for_its_lines(tmp_path, shape, n_entries, is_read):
    (tmp_path / "t").touch()
    with nullcontext() if is_read else pytest.raises(ValueError, match=REFUSED):
        check_sparse_shape(tmp_path / "t", shape, n_entries)


def test_a_parquet_file_takes_twice_what_it_holds(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    path.write_bytes(bytes(2**20))
    group = SimpleNamespace(total_byte_size=70 * 2**20, num_rows=10)
    metadata = SimpleNamespace(num_row_groups=1, num_rows=10, num_columns=2, row_group=lambda place: group)
    monkeypatch.setattr(_limits, "memory_left", lambda: 150 * 2**20)
    check_parquet_size(path, metadata)
    monkeypatch.setattr(_limits, "memory_left", lambda: 130 * 2**20)
    with pytest.raises(MemoryError, match="needs about 140 MiB, and there are 130 MiB"):
        check_parquet_size(path, metadata)


def test_a_packed_file_of_an_honest_size_is_read(tmp_path):
    np.savez_compressed(tmp_path / "t.npz", X=np.tile(np.arange(1000.0), (20, 1)))
    assert read_raw(tmp_path / "t.npz").matrix.shape == (20, 1000)


def test_a_text_that_comes_a_million_times_is_kept_once(tmp_path):
    text = "word " * 200
    pq.write_table(pa.table({"text": [text] * 10_000}), tmp_path / "t.parquet")
    cells = read_raw(tmp_path / "t.parquet").columns["text"]
    assert len(cells) == 10_000
    assert len({id(cell) for cell in cells}) == 1
    assert cells[0] == text
    pq.write_table(pa.table({"text": [text] * 100_000}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=REFUSED):
        read_raw(tmp_path / "t.parquet")


def test_a_file_larger_than_the_memory_is_refused_before_it_is_read(tmp_path, monkeypatch):
    np.save(tmp_path / "t.npy", np.ones((100, 2)))
    np.savez(tmp_path / "t.npz", X=np.ones((100, 2)))
    (tmp_path / "t.csv").write_text("x,y\n1,2\n")
    monkeypatch.setattr(_limits, "memory_left", lambda: 7)
    monkeypatch.setattr(_limits, "SMALL", 0)
    for name in ("t.npz", "t.csv"):
        with pytest.raises(MemoryError, match=rf"{name} needs about .*, and there are 7 bytes"):
            read_raw(tmp_path / name)


@pytest.mark.parametrize(
    ("size", "needed", "is_read"),
    [(1, 2**26, True), (1, 2**26 + 1, False), (10**6, 2 * 10**8, True), (10**6, 2 * 10**8 + 1, False)],
)
def test_how_much_larger_than_itself_a_file_may_become(tmp_path, monkeypatch, size, needed, is_read):
    monkeypatch.setattr(_limits, "memory_left", lambda: 10**9)
    (tmp_path / "t").write_bytes(bytes(size))
    with nullcontext() if is_read else pytest.raises(ValueError, match=REFUSED):
        _limits.check_size(tmp_path / "t", needed)


def test_a_small_file_is_read_however_little_memory_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(_limits, "memory_left", lambda: 7)
    (tmp_path / "t").write_bytes(bytes(10**6))
    _limits.check_size(tmp_path / "t", 2**26)
    with pytest.raises(MemoryError, match="t needs about 128 MiB, and there are 7 bytes"):
        _limits.check_size(tmp_path / "t", 2**26, cost=2.0)
    with pytest.raises(MemoryError, match=r"t needs about 64\.0 MiB, and there are 7 bytes"):
        _limits.check_size(tmp_path / "t", 2**26 + 1)


@pytest.mark.parametrize(("cost", "needed"), [(None, 100), (1.0, 100), (2.0, 50), (0.5, 200)])
def test_the_memory_may_be_filled_and_no_more(tmp_path, monkeypatch, cost, needed):
    monkeypatch.setattr(_limits, "SMALL", 0)
    (tmp_path / "t").write_bytes(bytes(10))
    given = {} if cost is None else {"cost": cost}
    monkeypatch.setattr(_limits, "memory_left", lambda: 100)
    _limits.check_size(tmp_path / "t", needed, **given)
    monkeypatch.setattr(_limits, "memory_left", lambda: None)
    _limits.check_size(tmp_path / "t", needed, **given)
    monkeypatch.setattr(_limits, "memory_left", lambda: 99)
    with pytest.raises(MemoryError, match="t needs about 100 bytes, and there are 99 bytes"):
        _limits.check_size(tmp_path / "t", needed, **given)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (2**10 - 1, "1023 bytes"),
        (2**10, "1.0 KiB"),
        (1741, "1.7 KiB"),
        (100 * 2**10 - 1, "100.0 KiB"),
        (100 * 2**10, "100 KiB"),
        (2**20 - 1, "1,024 KiB"),
        (2**20, "1.0 MiB"),
        (100 * 2**20 - 1, "100.0 MiB"),
        (100 * 2**20, "100 MiB"),
        (2**30 - 1, "1,024 MiB"),
        (2**30, "1.0 GiB"),
        (100 * 2**30 - 1, "100.0 GiB"),
        (100 * 2**30, "100 GiB"),
        (5 * 2**40, "5,120 GiB"),
    ],
)
def test_numbers_of_bytes_in_words(size, words):
    assert _limits.in_words(size) == words


UNLIMITED = -1
PAGE = 4096


@pytest.mark.parametrize(
    ("available_kib", "container", "limit", "left"),
    [
        (5, None, UNLIMITED, 5 * 1024),
        (5, ("9000", "2000"), UNLIMITED, 5 * 1024),
        (9, ("9000", "2000"), UNLIMITED, 7000),
        (9, ("max", "2000"), UNLIMITED, 9 * 1024),
        (9, ("1000", "2000"), UNLIMITED, 0),
        (9, ("9000", "2000"), 3 * PAGE + 600, 600),
        (9, ("9000", "2000"), 2 * PAGE, 0),
        (None, None, 3 * PAGE + 600, 600),
        (None, ("9000", "2000"), UNLIMITED, 7000),
        (None, None, UNLIMITED, None),
    ],
)
def test_the_memory_that_is_left_is_the_least_of_what_there_is(
    tmp_path, monkeypatch, available_kib, container, limit, left
):
    """Of the machine, of the container, and of the process, which has three pages here."""
    written = {"proc/self/statm": "3 2 1 1 0 1 0\n"}
    if available_kib is not None:
        written["proc/meminfo"] = f"MemTotal: 77 kB\nMemAvailable: {available_kib} kB\nCached: 1 kB\n"
    if container is not None:
        written["sys/fs/cgroup/memory.max"], written["sys/fs/cgroup/memory.current"] = (f"{n}\n" for n in container)
    for name, text in written.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(_limits, "Path", lambda *parts: tmp_path.joinpath("/".join(parts).lstrip("/")))
    hard = UNLIMITED if limit != UNLIMITED else 5 * PAGE  # which nobody is held to
    monkeypatch.setattr(resource, "getrlimit", lambda which: (limit, hard))
    monkeypatch.setattr(resource, "RLIM_INFINITY", UNLIMITED)
    monkeypatch.setattr(resource, "getpagesize", lambda: PAGE)
    assert _limits.memory_left() == left


def test_the_memory_that_is_left_follows_the_limit_of_the_process():
    code = (
        "import resource; from likewise.tables._limits import memory_left; before = memory_left();"
        "resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31)); assert memory_left() < min(before, 2**31)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def png(width, height, body):
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


@pytest.mark.parametrize(("side", "why"), [(10_000, "more than an image should"), (6_000, "more than .* can hold")])
def test_a_picture_that_says_it_is_huge_is_refused(tmp_path, side, why):
    (tmp_path / "a.png").write_bytes(png(side, side, zlib.compress(bytes(100))))
    with pytest.raises(ValueError, match=rf"a\.png .*{why}"):
        read_table(tmp_path)


def test_a_large_picture_is_read_in_strips_to_the_same_pixels(tmp_path):
    from PIL import Image

    from likewise.prepare import _images

    pixels = np.random.default_rng(0).integers(0, 255, (512, 768, 4)).astype(np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    whole = _images._pixels(tmp_path / "a.png", True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_images, "LARGE_PIXELS", 1000)
        np.testing.assert_allclose(_images._pixels(tmp_path / "a.png", True), whole, atol=0.02)


# -- sparse files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_sparse_files_of_every_form_with_entries_twice(tmp_path, form):
    values = np.array([1.0, 2.0, 4.0, 5.0])
    by_rows, by_columns = ([1, 1, 0, 3], [0, 2, 4]), ([1, 0, 0, 1], [0, 1, 3, 3, 4])
    matrix = {
        "csr": lambda: sparse.csr_matrix((values, *by_rows), shape=(2, 4)),
        "csc": lambda: sparse.csc_matrix((values[[2, 0, 1, 3]], *by_columns), shape=(2, 4)),
        "coo": lambda: sparse.coo_matrix((values, ([0, 0, 1, 1], by_rows[0])), shape=(2, 4)),
        "bsr": lambda: sparse.bsr_matrix((values.reshape(4, 1, 1), *by_rows), shape=(2, 4)),
    }[form]()
    assert matrix.nnz == 4
    sparse.save_npz(tmp_path / "t.npz", matrix)
    found = read_raw(tmp_path / "t.npz").matrix
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), [[0, 3, 0, 0], [4, 0, 0, 5]])


def test_indices_beyond_a_sparse_matrix_are_refused(tmp_path):
    for index in (7, -1, 2**40):
        parts = {"data": np.ones(1), "indices": np.array([index]), "indptr": np.array([0, 1, 1])}
        np.savez(tmp_path / "t.npz", format=np.array(b"csc"), shape=np.array([2, 2]), **parts)
        with pytest.raises(ValueError, match=r"t\.npz is not a sparse matrix"):
            read_raw(tmp_path / "t.npz")


@pytest.mark.parametrize("indptr", [[0, 9, 0], [0, -3, 1], [0, 1, -1], [0, 2, 1]])
@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_bounds_that_fall_are_refused(tmp_path, form, indptr):
    data = np.ones((1, 1, 1) if form == "bsr" else 1)
    parts = {"data": data, "indices": np.array([0]), "indptr": np.array(indptr), "shape": np.array([2, 2])}
    np.savez(tmp_path / "t.npz", format=np.array(form.encode()), **parts)
    with pytest.raises(ValueError, match=r"t\.npz is not a sparse matrix: "):
        read_raw(tmp_path / "t.npz")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"indices": np.array([0.0])}, "its indices are no row of whole numbers"),
        ({"indptr": np.array([[0, 1, 1]])}, "its indptr are no row of whole numbers"),
        ({"indptr": np.array([False, True, True])}, "its indptr are no row of whole numbers"),
        ({"shape": np.array([2.0, 2.0])}, r"its shape is \[2.0, 2.0\]"),
        ({"shape": np.array([-1, 2])}, r"its shape is \[-1, 2\]"),
        ({"shape": np.array([2, 2, 2])}, r"its shape is \[2, 2, 2\]"),
        ({"shape": np.array(2)}, "its shape is 2"),
        ({"data": np.ones((1, 1))}, r"its data has the shape \(1, 1\)"),
        ({"format": np.array(b"bsr")}, r"its data has the shape \(1,\)"),
        ({"format": np.array(b"bsr"), "data": np.ones((1, 0, 1))}, r"its data has the shape \(1, 0, 1\)"),
        ({"format": np.array(b"coo")}, "it has no 'row'"),
        ({"data": np.array(["a"])}, "it holds <U1, not numbers"),
    ],
)
def test_parts_of_a_sparse_matrix_that_are_none(tmp_path, changed, message):
    parts = {"data": np.ones(1), "indices": np.array([1]), "indptr": np.array([0, 1, 1]), "shape": np.array([2, 2])}
    np.savez(tmp_path / "t.npz", **{"format": np.array(b"csr"), **parts, **changed})
    with pytest.raises(ValueError, match=rf"t\.npz is not a sparse matrix: {message}\."):
        read_raw(tmp_path / "t.npz")


@pytest.mark.parametrize("name", ["t.csv", "t.json", "t.npy", "t.parquet"])
def test_a_pipe_is_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(ValueError, match=rf"{name} is not a file"):
        (Constraints.read if name == "t.json" else read_raw)(tmp_path / name)


def test_a_picture_for_which_another_program_would_run_is_refused(tmp_path):
    (tmp_path / "a.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n")
    with pytest.raises(ValueError, match=r"a\.png is not an image"):
        read_table(tmp_path)


def test_what_another_process_reads_is_what_this_one_would(tmp_path):
    path = tmp_path / "t.h5ad"
    with h5py.File(path, "w") as file:
        file["X"] = np.eye(3)[:, :2]
        file.create_group("obs")["n"] = np.arange(3)
        file.create_group("obs/another")  # neither an array nor categories
        file["obs/table"] = np.eye(3)
        file["obs/short"] = np.arange(2)
        file["obs/kind/categories"] = np.array(["x", "y"], dtype=h5py.string_dtype())
        file["obs/kind/codes"] = np.array([1, -1, 0], dtype=np.int8)
    for raw in (read_raw(path), read_here(path)):
        np.testing.assert_array_equal(raw.matrix, np.eye(3)[:, :2])
        np.testing.assert_array_equal(raw.columns["n"], [0, 1, 2])
        assert raw.columns["kind"] == ["y", None, "x"]
        assert set(raw.columns) == {"n", "kind"}


def test_an_h5ad_file_takes_three_times_what_it_holds(tmp_path, monkeypatch):
    costs = []
    monkeypatch.setattr(_h5ad, "limit_memory", lambda _: None)
    monkeypatch.setattr(_h5ad, "check_size", lambda _path, needed, *, cost: costs.append((needed, cost)))
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"], file["obs/n"] = np.eye(3), np.arange(3)
    read_here(tmp_path / "t.h5ad")
    assert costs == [(8 * (9 + 3), 3.0)]
