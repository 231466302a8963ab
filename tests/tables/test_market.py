"""Matrix Market files: every line of them."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from likewise.tables import _limits, _market, read_raw
from likewise.tables._market import _header, _words_by_line

REAL = "%%MatrixMarket matrix coordinate real general"


def market(path, *lines, end="\n"):
    path = path / "t.mtx"
    path.write_bytes(("\n".join(lines) + end).encode())
    return path


@pytest.mark.parametrize(
    ("first", "sizes", "header"),
    [
        ("coordinate pattern general", "2 3 4", (True, 0, True, (2, 3), 4)),
        ("coordinate real symmetric", "3 3 4", (True, 1, False, (3, 3), 4)),
        ("coordinate double general", "12 1 0", (True, 1, True, (12, 1), 0)),
        ("coordinate integer skew-symmetric", "1 1 1", (True, 1, False, (1, 1), 1)),
        ("coordinate unsigned-integer general", "1 12 7", (True, 1, True, (1, 12), 7)),
        ("coordinate complex hermitian", "2 2 1", (True, 2, False, (2, 2), 1)),
        ("array real general", "2 5", (False, 1, True, (2, 5), 10)),
        ("array real symmetric", "4 4", (False, 1, False, (4, 4), 10)),
        ("array integer skew-symmetric", "4 4", (False, 1, False, (4, 4), 6)),
        ("array complex hermitian", "4 4", (False, 2, False, (4, 4), 10)),
        ("Array DOUBLE General", "  1\t1 ", (False, 1, True, (1, 1), 1)),
    ],
)
@pytest.mark.parametrize("between", ["", "% by hand\n", "\n% one\n\n  \n%two\n"])
def test_what_the_first_lines_say(first, sizes, header, between):
    text = f"%%MatrixMarket matrix {first}\n{between}{sizes}".encode()
    assert _header(text) == (*header, len(text))
    assert _header(text + b"\n") == (*header, len(text) + 1)
    assert _header(text + b"\n1 1\n2 2 2\n") == (*header, len(text) + 1)


@pytest.mark.parametrize(
    "first",
    [
        "",
        "%%MatrixMarket matrix coordinate real",
        "%%MatrixMarket matrix coordinate real general also",
        "%MatrixMarket matrix coordinate real general",
        "%%MatrixMarket vector coordinate real general",
        "%%MatrixMarket matrix list real general",
        "% %MatrixMarket matrix coordinate real general",
    ],
)
def test_another_first_line(first):
    for text in (first, first + "\n2 2 0\n"):
        with pytest.raises(ValueError, match="it does not begin with '%%MatrixMarket matrix coordinate real general'"):
            _header(text.encode())


@pytest.mark.parametrize("kind", ["coordinate whole general", "array real diagonal", "array pattern general"])
def test_an_unknown_kind_is_told(kind):
    with pytest.raises(ValueError, match=f"it is '{kind}', which is not a known kind"):
        _header(f"%%MatrixMarket matrix {kind}\n2 2\n".encode())


@pytest.mark.parametrize("rest", ["", "\n", "\n% only\n", "\n\n%", "\n  \n% two\n \n"])
def test_a_matrix_without_sizes(rest):
    with pytest.raises(ValueError, match="it does not say how many rows and columns it has"):
        _header((REAL + rest).encode())


@pytest.mark.parametrize(
    ("kind", "sizes", "asked"),
    [
        ("coordinate", "3", "three numbers: rows, columns, entries"),
        ("coordinate", "3 3", "three numbers: rows, columns, entries"),
        ("coordinate", "3 3 1 1", "three numbers: rows, columns, entries"),
        ("coordinate", "-3 3 1", "three numbers: rows, columns, entries"),
        ("coordinate", "3 3 1.5", "three numbers: rows, columns, entries"),
        ("coordinate", "3 3 1" + "0" * 18, "three numbers: rows, columns, entries"),
        ("array", "3", "two numbers: rows, columns"),
        ("array", "3 3 9", "two numbers: rows, columns"),
        ("array", "3 x", "two numbers: rows, columns"),
        ("array", "3 " + "9" * 100, "two numbers: rows, columns"),
    ],
)
def test_sizes_that_are_none(kind, sizes, asked):
    with pytest.raises(ValueError, match=f"^'{sizes[:60]}' should be {asked}$"):
        _header(f"%%MatrixMarket matrix {kind} real general\n{sizes}\n".encode())
    most = "9" * 18
    assert _header(f"{REAL}\n1 1 {most}".encode()).n_entries == int(most)


@pytest.mark.parametrize(
    ("kind", "sizes", "message"),
    [
        ("coordinate real general", "0 3 1", "it has 0 rows and 3 columns"),
        ("array real general", "3 0", "it has 3 rows and 0 columns"),
        ("array real symmetric", "3 4", "it is symmetric, and has 3 rows and 4 columns"),
        ("coordinate real skew-symmetric", "4 3 1", "it is skew-symmetric, and has 4 rows and 3 columns"),
        ("coordinate real hermitian", "300 301 1", "it is hermitian, and has 300 rows and 301 columns"),
    ],
)
def test_sizes_that_no_matrix_has(kind, sizes, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        _header(f"%%MatrixMarket matrix {kind}\n{sizes}\n".encode())


@pytest.mark.parametrize(
    ("piece", "counts"),
    [
        (b"\n", [0]),
        (b"1\n", [1]),
        (b" 1\t22\r\n\n3 4 5\n  \n6\r7\n", [2, 0, 3, 0, 2]),
        (b"1.5e-7 -2\t\t+3 \n1\n", [3, 1]),
    ],
)
def test_words_of_each_line(piece, counts):
    assert _words_by_line(piece).tolist() == counts


@pytest.mark.parametrize("end", ["\n", "", "\r\n", "\n\n \n"])
@pytest.mark.parametrize("piece", [1, 7, _market.PIECE])
def test_entries_to_the_last_line(tmp_path, monkeypatch, end, piece):
    monkeypatch.setattr(_market, "PIECE", piece)
    path = market(tmp_path, REAL, "% two", "3 2 3", "1 1 1.5", "", "3 2 -2e1", "2 1 7", end=end)
    np.testing.assert_array_equal(read_raw(path).matrix.toarray(), [[1.5, 0], [7, 0], [0, -20]])


@pytest.mark.parametrize("end", ["\n", ""])
def test_a_matrix_without_entries(tmp_path, end):
    raw = read_raw(market(tmp_path, REAL, "2 3 0", end=end))
    assert (raw.matrix.shape, raw.matrix.nnz, raw.n) == ((2, 3), 0, 2)


def test_entries_without_a_number_are_ones(tmp_path):
    path = market(tmp_path, "%%MatrixMarket matrix coordinate pattern symmetric", "2 2 2", "1 1", "2 1")
    np.testing.assert_array_equal(read_raw(path).matrix.toarray(), [[1, 1], [1, 0]])


def test_hundreds_of_entries(tmp_path):
    matrix = sparse.random(300, 300, density=0.01, random_state=0, format="coo")
    entries = [f"{row + 1} {column + 1} {value!r}" for row, column, value in zip(*index(matrix), strict=True)]
    path = market(tmp_path, REAL, f"300 300 {len(entries)}", *entries)
    np.testing.assert_array_equal(read_raw(path).matrix.toarray(), matrix.toarray())
    path = market(tmp_path, REAL.replace("general", "symmetric"), "300 300 300", *(f"{n} {n} 2" for n in range(1, 301)))
    np.testing.assert_array_equal(read_raw(path).matrix.toarray(), 2 * np.eye(300))
    for said, there in ((len(entries) - 1, len(entries)), (1_234, len(entries))):
        path = market(tmp_path, REAL, f"300 300 {said}", *entries)
        with pytest.raises(ValueError, match=f"it says that it has {said:,} entries, and has {there:,}"):
            read_raw(path)


def index(matrix):
    return matrix.row.tolist(), matrix.col.tolist(), matrix.data.tolist()


@pytest.mark.parametrize("piece", [1, 12, _market.PIECE])
@pytest.mark.parametrize(
    ("lines", "number", "shown"),
    [
        (["1 1", "2 2 1", "3 3 1"], 4, "1 1"),
        (["1 1 1", "2 2", "3 3"], 5, "2 2"),
        (["1 1 1", "2 2 1 1", "3 3"], 5, "2 2 1 1"),
        (["", "", "3 3 x", "2 y 1"], 6, "3 3 x"),
        (["1 1 1", "2 2 1e", "3 3 2-"], 5, "2 2 1e"),
        (["2 2 1E", "1 1 1"], 4, "2 2 1E"),
        (["1 1 1", "2 2 2", "3 3 +"], 6, "3 3 +"),
        (["1 1 1 " + "1" * 80], 4, "1 1 1 " + "1" * 54),
    ],
)
def test_the_first_line_that_is_no_entry_is_named(tmp_path, monkeypatch, piece, lines, number, shown):
    monkeypatch.setattr(_market, "PIECE", piece)
    path = market(tmp_path, REAL, "% two", "3 3 3", *lines)
    with pytest.raises(ValueError, match="Matrix Market") as caught:
        read_raw(path)
    said = f"line {number} is {shown!r}, which is no entry of 3 numbers"
    assert str(caught.value) == f"{path} is not a Matrix Market file: {said}."


@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-INF"])
def test_numbers_that_are_words(tmp_path, value):
    found = read_raw(market(tmp_path, REAL, "1 2 1", f"1 2 {value}")).matrix.toarray()
    np.testing.assert_array_equal(found, [[0, float(value)]])


def test_an_array_takes_eight_bytes_for_each_number(tmp_path, monkeypatch):
    path = market(tmp_path, "%%MatrixMarket matrix array real general", "2 5", *"1234567890")
    monkeypatch.setattr(_limits, "RATIO", 0)
    monkeypatch.setattr(_limits, "SMALL", path.stat().st_size)
    assert 80 > path.stat().st_size > 64
    with pytest.raises(ValueError, match="says that it holds 80 bytes, far more than"):
        read_raw(path)
    monkeypatch.setattr(_limits, "SMALL", 80)
    np.testing.assert_array_equal(read_raw(path).matrix, [[1, 3, 5, 7, 9], [2, 4, 6, 8, 0]])


@pytest.mark.parametrize("error", [ValueError, EOFError, OverflowError])
def test_whatever_scipy_raises_names_the_file(tmp_path, monkeypatch, error):
    def fails(file, **how):
        raise error("no such number.")

    monkeypatch.setattr(_market, "io", SimpleNamespace(mmread=fails))
    with pytest.raises(ValueError, match=r"t\.mtx is not a Matrix Market file: no such number\.$"):
        read_raw(market(tmp_path, REAL, "1 1 1", "1 1 1"))


@pytest.mark.parametrize("entry", ["3 1 1", "0 1 1", "1 3 1"])
def test_an_entry_beyond_the_matrix_is_refused(tmp_path, entry):
    with pytest.raises(ValueError, match=r"t\.mtx is not a Matrix Market file"):
        read_raw(market(tmp_path, REAL, "2 2 1", entry))


def test_a_whole_number_too_large_is_refused(tmp_path):
    path = market(tmp_path, "%%MatrixMarket matrix coordinate integer general", "2 2 1", "1 1 " + "9" * 30)
    with pytest.raises(ValueError, match=r"t\.mtx is not a Matrix Market file"):
        read_raw(path)
