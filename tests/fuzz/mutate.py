"""Changes to the bytes of a valid file."""

from __future__ import annotations

import gzip
import io
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence

NUMBER = re.compile(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?")
ODD_NUMBERS = (
    *(b"0", b"-1", b"-0", b"1e309", b"-1e308", b"5e-324", b"1E-", b"1e", b"NaN", b"inf", b"-Infinity", b"0x10", b"1_0"),
    *(b"127", b"128", b"255", b"256", b"32768", b"65536", b"2147483647", b"2147483648", b"4294967295", b"4294967296"),
    *(b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"99999999999", b"1000000000"),
    *(b"9" * 40, b"1" * 400, b"1" * 5000, b"0." + b"3" * 400, "٣".encode(), "３".encode(), b"1,5", b"--1", b"1.2.3"),
)
ODD_SIZES = (0, 1, 2, 7, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1)
ODD_BYTES = (
    *(
        b"\0",
        b"\xff",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\t",
        b" ",
        b'"',
        b"'",
    ),
    *(
        b",",
        b";",
        b"|",
        b":",
        b"#",
        b"%",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\\",
        b"\\ud800",
        "\u2028".encode(),
        b"\x1a",
        b"\x0b",
    ),
    *(
        "é".encode("latin-1"),
        "日本".encode(),
        "😀".encode(),
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"null",
        b"true",
        b"{}",
        b"[]",
    ),
)
MOST = 200_000
"""Bytes of an input; what is larger is cut."""

Change = Callable[[random.Random, bytearray, Sequence[bytes], Sequence[bytes]], bytearray]


def _place(rng: random.Random, data: bytearray) -> int:
    """Somewhere, and often near an end: headers and footers say most."""
    n = len(data)
    if rng.random() < 0.3:
        return rng.randrange(min(n, 64) + 1)
    if rng.random() < 0.2:
        return max(0, n - rng.randrange(min(n, 64) + 1))
    return rng.randrange(n + 1)


def _span(rng: random.Random, data: bytearray) -> tuple[int, int]:
    start = _place(rng, data)
    longest = rng.choice((4, 16, 64, 256, max(len(data), 1)))
    return start, min(len(data), start + rng.randrange(1, longest + 1))


def flip(rng, data, seeds, words):
    if data:
        data[min(_place(rng, data), len(data) - 1)] ^= 1 << rng.randrange(8)
    return data


def set_byte(rng, data, seeds, words):
    if data:
        data[min(_place(rng, data), len(data) - 1)] = rng.randrange(256)
    return data


def cut(rng, data, seeds, words):
    return data[: _place(rng, data)]


def remove(rng, data, seeds, words):
    start, stop = _span(rng, data)
    del data[start:stop]
    return data


def repeat(rng, data, seeds, words):
    start, stop = _span(rng, data)
    data[start:start] = data[start:stop] * rng.choice((1, 1, 2, 5, 50))
    return data


def move(rng, data, seeds, words):
    start, stop = _span(rng, data)
    piece = data[start:stop]
    del data[start:stop]
    where = _place(rng, data)
    data[where:where] = piece
    return data


def insert(rng, data, seeds, words):
    where = _place(rng, data)
    data[where:where] = rng.choice(ODD_BYTES) if rng.random() < 0.8 else rng.randbytes(rng.randrange(1, 16))
    return data


def overwrite(rng, data, seeds, words):
    where, piece = _place(rng, data), rng.choice(ODD_BYTES)
    data[where : where + len(piece)] = piece
    return data


def word(rng, data, seeds, words):
    if words:
        where, piece = _place(rng, data), rng.choice(words)
        stop = where + (len(piece) if rng.random() < 0.5 else 0)
        data[where:stop] = piece
    return data


def size(rng, data, seeds, words):
    """Overwrite an integer of some width, as sizes and offsets are written."""
    width, form = rng.choice(((1, "B"), (2, "H"), (4, "I"), (8, "Q")))
    where = _place(rng, data)
    value = rng.choice(ODD_SIZES) if rng.random() < 0.7 else rng.randrange(2 ** (8 * width))
    data[where : where + width] = struct.pack(rng.choice("<>") + form, value % 2 ** (8 * width))
    return data


def number(rng, data, seeds, words):
    """Replace a number that is written out."""
    found = list(NUMBER.finditer(bytes(data[:MOST])))
    if found:
        place = rng.choice(found)
        data[place.start() : place.end()] = rng.choice(ODD_NUMBERS)
    return data


def line(rng, data, seeds, words):
    lines = bytes(data).split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.4:
        lines[i], lines[j] = lines[j], lines[i]
    elif rng.random() < 0.5:
        lines.insert(i, lines[j])
    else:
        del lines[i]
    return bytearray(b"\n".join(lines))


def splice(rng, data, seeds, words):
    other = rng.choice(seeds)
    return data[: _place(rng, data)] + other[_place(rng, bytearray(other)) :]


CHANGES: tuple[Change, ...] = (
    *(flip, flip, set_byte, set_byte, cut, remove, repeat, move, insert, overwrite, word, word),
    *(size, size, number, number, line, splice),
)


def mutated(rng: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """A valid file with one to eight changes."""
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        data = rng.choice(CHANGES)(rng, data, seeds, words)
    return bytes(data[:MOST])


# -- inside of what is packed: the damage goes behind checksums -----------------------------------------------------


def mutated_gzip(rng: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """What was packed is changed, and packed again."""
    return gzip.compress(mutated(rng, [gzip.decompress(seed) for seed in seeds], words), 1, mtime=0)


def mutated_zip(rng: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Members are changed, exchanged, renamed, dropped or doubled, and packed again with right checksums."""
    with zipfile.ZipFile(io.BytesIO(rng.choice(seeds))) as file:
        members = [(entry.filename, file.read(entry)) for entry in file.infolist()]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if not members:
            break
        place = rng.randrange(len(members))
        name, data = members[place]
        what = rng.random()
        if what < 0.75:
            members[place] = name, mutated(rng, [data], words)
        elif what < 0.8:
            members[place] = name, rng.choice(members)[1]
        elif what < 0.85:
            members[place] = mutated(rng, [name.encode()], words).decode("latin-1").replace("\0", "")[:60000], data
        elif what < 0.95:
            del members[place]
        else:
            members.append((name, data))
    packed = io.BytesIO()
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name twice
        with zipfile.ZipFile(packed, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as file:
            for name, data in members:
                file.writestr(zipfile.ZipInfo(name or "x", (1980, 1, 1, 0, 0, 0)), data)
    return packed.getvalue()


def mutated_png(rng: random.Random, seeds: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """Chunks are changed, and their checksums made right again; pixels are changed before they are packed."""
    data = rng.choice([seed for seed in seeds if seed.startswith(b"\x89PNG")])
    chunks, place = [], 8
    while place + 8 <= len(data):
        length = struct.unpack(">I", data[place : place + 4])[0]
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + length]))
        place += 12 + length
    for _ in range(rng.choice((1, 1, 2, 3))):
        i = rng.randrange(len(chunks))
        name, body = chunks[i]
        what = rng.random()
        if name == b"IDAT" and what < 0.5:
            body = zlib.compress(mutated(rng, [zlib.decompress(body)], words), 1) if _inflates(body) else body
            chunks[i] = name, body
        elif what < 0.8:
            chunks[i] = name, mutated(rng, [body], words)
        elif what < 0.9:
            chunks.insert(rng.randrange(len(chunks) + 1), chunks[i])
        else:
            chunks.insert(
                i, (rng.choice((b"tEXt", b"zTXt", b"iTXt", b"iCCP", b"PLTE", b"tRNS", b"eXIf", b"acTL")), body)
            )
    packed = b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )
    return data[:8] + packed


def _inflates(body: bytes) -> bool:
    try:
        zlib.decompress(body)
    except zlib.error:
        return False
    return True
