"""The bytes of a file, how many of them may be unpacked, and which text they are."""

import codecs
import gzip
import zlib

import pytest

from likewise.tables import _bytes, _limits, read_raw
from likewise.tables._bytes import check_regular, read_bytes, read_text


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_text_takes_eight_times_its_size(tmp_path, monkeypatch, name):
    def write(size):
        (tmp_path / name).write_bytes(gzip.compress(bytes(size)) if name.endswith("gz") else bytes(size))
        return tmp_path / name

    monkeypatch.setattr(_limits, "SMALL", 0)
    monkeypatch.setattr(_limits, "memory_left", lambda: 800)
    assert read_bytes(write(100)) == bytes(100)
    with pytest.raises(MemoryError, match="needs about 808 bytes, and there are 800 bytes"):
        read_bytes(write(101))


def test_a_packed_file_is_unpacked_in_pieces_until_it_is_too_large(tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(_bytes, "check_size", lambda path, needed, *, cost: sizes.append((needed, cost)))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(bytes(25)))
    monkeypatch.setattr(_bytes, "PIECE", 10)
    assert read_bytes(tmp_path / "t.csv.gz") == bytes(25)
    assert sizes == [(10, 8), (20, 8), (25, 8)]


def test_no_more_than_a_few_megabytes_are_unpacked_before_they_are_counted(tmp_path, monkeypatch):
    sizes = []
    monkeypatch.setattr(_bytes, "check_size", lambda path, needed, *, cost: sizes.append(needed))
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(bytes(9 * 2**20), 1))
    read_bytes(tmp_path / "t.csv.gz")
    assert sizes[-1] == 9 * 2**20
    assert 3 <= len(sizes) <= 1_000  # neither all at once, nor in crumbs


def test_suffixes_may_be_in_capitals(tmp_path):
    (tmp_path / "T.CSV.GZ").write_bytes(gzip.compress(b"a,b\n1,2\n"))
    (tmp_path / "T.CSV").write_bytes(b"a,b\n1,2\n")
    assert read_raw(tmp_path / "T.CSV.GZ").columns == read_raw(tmp_path / "T.CSV").columns == {"a": ["1"], "b": ["2"]}


def test_what_is_not_there_is_told_by_those_who_open_it(tmp_path):
    check_regular(tmp_path / "t.csv")
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "t.csv")
    with pytest.raises(ValueError, match="is not a file"):
        check_regular(tmp_path)


@pytest.mark.parametrize("spoilt", ["cut", "bits", "sum"])
def test_a_packed_file_that_is_damaged_is_named(tmp_path, spoilt):
    packed = bytearray(gzip.compress(bytes(range(256)) * 40))
    if spoilt == "cut":
        del packed[-9:]
    elif spoilt == "bits":
        packed[10:14] = b"\xff\xff\xff\xff"
        with pytest.raises(zlib.error):
            gzip.decompress(packed)
    else:
        packed[-8] ^= 1
    (tmp_path / "t.csv.gz").write_bytes(packed)
    with pytest.raises(ValueError, match=r"t\.csv\.gz is damaged: .*\. Get it again\."):
        read_bytes(tmp_path / "t.csv.gz")


@pytest.mark.parametrize("order", ["le", "be"])
def test_a_mark_of_two_bytes_says_that_it_is_utf_16(tmp_path, order):
    mark = codecs.BOM_UTF16_LE if order == "le" else codecs.BOM_UTF16_BE
    (tmp_path / "t.csv").write_bytes(mark + "a,é\n1,2\n".encode(f"utf-16-{order}"))
    assert read_text(tmp_path / "t.csv") == "a,é\n1,2\n"
    with pytest.raises(ValueError, match=r"byte 0x.. is not utf-8.*: --encoding utf-16"):
        read_text(tmp_path / "t.csv", "utf-8")


@pytest.mark.parametrize("encoding", [None, "utf-8", "UTF_8", "utf8"])
def test_a_mark_of_utf_8_is_no_part_of_the_text(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes(codecs.BOM_UTF8 + "é".encode())
    assert read_text(tmp_path / "t.csv", encoding) == "é"


@pytest.mark.parametrize("name", ["unicode_escape", "raw-unicode-escape", "idna", "punycode", "undefined", "rot13"])
def test_what_python_has_beside_encodings_is_none(tmp_path, name):
    (tmp_path / "t.csv").write_bytes(b"a")
    with pytest.raises(ValueError, match=f"there is no encoding '{name}'. Use utf-8"):
        read_text(tmp_path / "t.csv", name)


@pytest.mark.parametrize(("content", "line"), [(b"\xf6", 1), (b"\n\xf6", 2), (b"a\n\n\nb\xf6\n\xf6", 4)])
def test_the_line_of_a_byte_that_is_no_text(tmp_path, content, line):
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(ValueError, match=rf"t\.csv, line {line}: byte 0xf6 is not utf-8\. Save the file as UTF-8\."):
        read_text(tmp_path / "t.csv")


@pytest.mark.parametrize(("said", "line", "byte"), [(None, 1, "61"), (2, 2, "62"), (3, 2, "63"), (4, 2, "63")])
def test_where_an_encoding_gives_up_is_told_as_far_as_it_says_so(tmp_path, said, line, byte):
    """An encoding of somebody else may name no place, or one behind the end."""

    def decode(data, errors="strict"):
        if said is None:
            raise UnicodeError("no")
        raise UnicodeDecodeError("odd", bytes(data), said, said + 1, "no")

    def find(name):
        return codecs.CodecInfo(lambda text: (b"", 0), decode, name="odd") if name == "odd" else None

    codecs.register(find)
    try:
        (tmp_path / "t.csv").write_bytes(b"a\nbc")
        with pytest.raises(ValueError, match=f"line {line}: byte 0x{byte} is not odd"):
            read_text(tmp_path / "t.csv", "odd")
    finally:
        codecs.unregister(find)
