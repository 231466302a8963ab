"""Files that hypothesis makes: right in form, odd in content."""

from __future__ import annotations

import io
import json
import tempfile
from datetime import timedelta
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

CELLS = st.one_of(
    st.sampled_from(
        [
            "",
            "NA",
            "1",
            "2.5",
            "-1e300",
            "inf",
            "nan",
            "1_0",
            "2024-01-31",
            "31.12.2020",
            "a b c d",
            "ann",
            "$3",
            "5%",
            "1,5",
            "#",
            '"',
        ]
    ),
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(repr),
    st.text(max_size=8),
)
NAMES = st.one_of(
    st.sampled_from(["id", "label", "text", "x", "", "1", "2", "3.5", "sample", "class", "none"]), st.text(max_size=6)
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**30), 10**30), st.floats(), st.text(max_size=6), CELLS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)),
    max_leaves=8,
)
ROWS = st.one_of(
    st.integers(-2, 9), st.sampled_from(["ann", "bob", "cy", "zoe", "0", "1", "", None, 99999999999, 1.5, True])
)
HINTS = st.sampled_from(
    [
        *("same", "different", "must-link", "no", "1", "?", "", "nearer", "odd", "unsure", "rating:3", "rating:x"),
        *("partition:same", "partition:same,across", "clustering", "better", "maybe", None, 0, 1, True),
    ]
)
ENDS = st.one_of(ROWS, st.sampled_from(["p0:A", "p0:B", "x0:1", "x1:2", "x0", "x1", ":", "p:"]))


def _quoted(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',;"\n\r\t') else text


def _lines(rows: list[list[object]]) -> bytes:
    return "\n".join(",".join(map(_quoted, row)) for row in rows).encode("utf-8", "surrogatepass")


@cache
def csv() -> st.SearchStrategy[bytes]:
    @st.composite
    def table(draw):
        width = draw(st.integers(1, 5))
        names = draw(st.lists(NAMES, min_size=width, max_size=width))
        columns = [
            draw(
                st.lists(
                    draw(st.sampled_from([CELLS, st.floats().map(repr), st.integers().map(str), st.text(max_size=30)])),
                    min_size=6,
                    max_size=6,
                )
            )
            for _ in names
        ]
        return _lines([names, *map(list, zip(*columns, strict=True))])

    return table()


@cache
def jsonl() -> st.SearchStrategy[bytes]:
    records = st.lists(st.one_of(st.dictionaries(NAMES, JSON, max_size=4), JSON), min_size=1, max_size=6)
    return records.map(lambda found: "\n".join(map(json.dumps, found)).encode())


def hint_lines(draw):
    width = draw(st.sampled_from([3, 3, 3, 4, 6]))
    names = ["left", "right", "kind", "third", "fourth", "weight"][:width]
    return names, [
        [draw(ROWS), draw(ENDS), draw(HINTS), draw(ROWS), draw(ROWS), draw(st.one_of(st.floats(), CELLS))][:width]
        for _ in range(draw(st.integers(0, 6)))
    ]


@cache
def hints_csv() -> st.SearchStrategy[bytes]:
    @st.composite
    def table(draw):
        names, lines = hint_lines(draw)
        return _lines([names, *lines])

    return table()


@cache
def hints_jsonl() -> st.SearchStrategy[bytes]:
    @st.composite
    def table(draw):
        names, lines = hint_lines(draw)
        return "\n".join(json.dumps(dict(zip(names, line, strict=True))) for line in lines).encode()

    return table()


@cache
def hints_json() -> st.SearchStrategy[bytes]:
    pair = st.fixed_dictionaries(
        {"left": ROWS, "right": ENDS, "kind": HINTS},
        optional={"weight": JSON, "third": ROWS, "fourth": ROWS, "wieght": JSON},
    )
    part = st.fixed_dictionaries(
        {"kind": HINTS, "blocks": st.one_of(JSON, st.lists(st.lists(ROWS, max_size=3), max_size=3))},
        optional={"weight": JSON, "names": JSON},
    )
    whole = st.fixed_dictionaries(
        {},
        optional={
            "n_samples": st.one_of(st.integers(-1, 10), JSON, st.just(10**15)),
            "pairs": st.one_of(st.lists(st.one_of(pair, JSON), max_size=4), JSON),
            "partitions": st.one_of(st.lists(st.one_of(part, JSON), max_size=3), JSON),
            "pair": JSON,
        },
    )
    return st.one_of(whole, JSON).map(lambda found: json.dumps(found).encode())


@cache
def links() -> st.SearchStrategy[bytes]:
    rows = st.lists(st.tuples(ROWS, ROWS).map(list), max_size=6)
    return st.tuples(st.sampled_from([[["source", "target"]], []]), rows).map(
        lambda found: _lines([*found[0], *found[1]])
    )


TYPES = st.one_of(
    hnp.floating_dtypes(),
    hnp.integer_dtypes(),
    hnp.unsigned_integer_dtypes(),
    hnp.boolean_dtypes(),
    hnp.unicode_string_dtypes(max_len=4),
    hnp.byte_string_dtypes(max_len=4),
    hnp.complex_number_dtypes(),
    hnp.datetime64_dtypes(),
    hnp.array_dtypes(),
)
ARRAYS = hnp.arrays(TYPES, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6))
NUMBERS = hnp.arrays(hnp.floating_dtypes(), st.tuples(st.integers(0, 6), st.integers(0, 4)))


def _saved(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


@cache
def npy() -> st.SearchStrategy[bytes]:
    return st.one_of(ARRAYS, NUMBERS).map(_saved)


@cache
def npz() -> st.SearchStrategy[bytes]:
    def saved(arrays):
        stream = io.BytesIO()
        np.savez(stream, **arrays)
        return stream.getvalue()

    keys = st.sampled_from(["X", "y", "ids", "text", "feature_names", "other", "data", "shape"])
    return st.dictionaries(keys, st.one_of(ARRAYS, NUMBERS), max_size=5).map(saved)


@cache
def sparse_npz() -> st.SearchStrategy[bytes]:
    def saved(parts):
        stream = io.BytesIO()
        np.savez(stream, **parts)
        return stream.getvalue()

    numbers = hnp.arrays(
        np.int64, st.integers(0, 8), elements=st.one_of(st.integers(-2, 8), st.sampled_from([2**31, 2**62, -(2**63)]))
    )
    return st.fixed_dictionaries(
        {
            "format": st.sampled_from([b"csr", b"csc", b"coo", b"bsr", b"dia", b"xyz", "csr"]).map(np.array),
            "shape": st.one_of(st.just(np.array([3, 4])), numbers),
            "data": st.one_of(ARRAYS, hnp.arrays(np.float64, st.integers(0, 8))),
            "indices": numbers,
            "indptr": st.one_of(st.just(np.array([0, 1, 2, 3])), numbers),
        },
        optional={"row": numbers, "col": numbers, "offsets": numbers, "_is_array": st.just(np.array(True))},
    ).map(saved)


@cache
def mtx() -> st.SearchStrategy[bytes]:
    numbers = st.one_of(
        st.floats().map(repr),
        st.integers().map(str),
        st.sampled_from(["1E-", ".", "-", "1e999", "0x1", "nan", "1 2", ""]),
    )
    place = st.one_of(st.integers(-1, 5).map(str), st.sampled_from(["2147483648", "99999999999999999999", "1.5", "x"]))

    @st.composite
    def file(draw):
        form, field, shape = (
            draw(st.sampled_from(["coordinate", "array", "vector"])),
            draw(st.sampled_from(["real", "integer", "pattern", "complex", "double", "unsigned-integer"])),
            draw(st.sampled_from(["general", "symmetric", "skew-symmetric", "hermitian"])),
        )
        count = draw(st.integers(0, 6))
        lines = [
            f"%%MatrixMarket matrix {form} {field} {shape}",
            *draw(st.lists(st.sampled_from(["%", "% x", ""]), max_size=2)),
        ]
        lines.append(
            " ".join(
                [draw(place), draw(place)]
                + ([str(draw(st.sampled_from([count, count, 0, 3, 10**12])))] if form != "array" else [])
            )
        )

        def entry():
            words = [draw(place), draw(place)] if form != "array" else []
            n_values = {"pattern": 0, "complex": 2}.get(field, 1)
            return " ".join([*words, *(draw(numbers) for _ in range(n_values))])

        lines += [entry() for _ in range(count)]
        return draw(st.sampled_from(["\n", "\r\n", "\n"])).join(lines).encode()

    return file()


@cache
def parquet() -> st.SearchStrategy[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = st.one_of(
        st.lists(st.one_of(st.none(), st.floats()), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.text(max_size=5)), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.binary(max_size=5)), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.lists(st.floats(), max_size=3)), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.dates()), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.datetimes()), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.timedeltas(-timedelta(9999), timedelta(9999))), min_size=5, max_size=5),
        st.lists(
            st.one_of(
                st.none(),
                st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9),
            ),
            min_size=5,
            max_size=5,
        ),
        st.lists(st.one_of(st.none(), st.times()), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.booleans()), min_size=5, max_size=5),
        st.lists(st.one_of(st.none(), st.fixed_dictionaries({"a": st.integers(0, 3)})), min_size=5, max_size=5),
    )

    def written(named):
        stream = io.BytesIO()
        table = pa.table(list(named.values()), names=list(named)) if named else pa.table({})
        pq.write_table(table, stream)
        return stream.getvalue()

    names = st.one_of(
        st.sampled_from(["id", "label", "text", "x", ""]), st.text(st.characters(codec="utf-8"), max_size=5)
    )
    return st.dictionaries(names, columns, max_size=4).map(written)


@cache
def hints_parquet() -> st.SearchStrategy[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    @st.composite
    def table(draw):
        names, lines = hint_lines(draw)
        cells = list(zip(*lines, strict=True)) or [()] * len(names)
        stream = io.BytesIO()
        columns = {}
        for name, column in zip(names, cells, strict=True):
            try:
                columns[name] = pa.array(column)
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                columns[name] = pa.array(
                    [None if cell is None else str(cell).encode("utf-8", "replace").decode() for cell in column]
                )
        pq.write_table(pa.table(columns), stream)
        return stream.getvalue()

    return table()


@cache
def h5ad() -> st.SearchStrategy[bytes]:
    import h5py

    folder = tempfile.mkdtemp(prefix="likewise-fuzz-")

    def written(parts):
        path = Path(folder, "made.h5ad")
        with h5py.File(path, "w") as file:
            for name, value in parts.items():
                try:
                    if isinstance(value, dict):
                        group = file.create_group(name)
                        for inner, array in value.items():
                            if inner.startswith("@"):
                                group.attrs[inner[1:]] = array
                            else:
                                group[inner] = array
                    else:
                        file[name] = value
                except (TypeError, ValueError):
                    continue
        return path.read_bytes()

    numbers = hnp.arrays(
        np.int64, st.integers(0, 8), elements=st.one_of(st.integers(-2, 8), st.sampled_from([2**31, 2**62]))
    )
    words = st.one_of(st.sampled_from(["csr_matrix", "csc_matrix", "_index", "name", ""]), st.integers(), ARRAYS)
    packed = st.fixed_dictionaries(
        {"@encoding-type": words, "@shape": st.one_of(numbers, st.just((5, 3)))},
        optional={"data": ARRAYS, "indices": numbers, "indptr": numbers},
    )
    table = st.fixed_dictionaries(
        {"@_index": words}, optional={"name": ARRAYS, "categories": ARRAYS, "codes": ARRAYS, "x": NUMBERS}
    )
    return st.fixed_dictionaries(
        {},
        optional={
            "X": st.one_of(ARRAYS, NUMBERS, packed),
            "obs": st.one_of(table, ARRAYS),
            "var": st.one_of(table, ARRAYS),
        },
    ).map(written)
