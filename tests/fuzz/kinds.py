"""The kinds of files: valid ones to begin with, and what reads them."""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from scipy.io import mmwrite

import likewise
from likewise.chunked import RowFiles
from likewise.cli._beside import Beside
from likewise.constraints import Constraints
from likewise.constraints._io import names_in
from likewise.datasets._files import read as read_dataset
from likewise.evaluation import Ledger
from likewise.models import load, save
from likewise.prepare._reading import names_of, rows_of
from likewise.questions._files import read_asked, read_sheet
from likewise.report._thumbnails import small_jpeg
from likewise.sources.links import link_matrix
from likewise.studio import Session
from likewise.studio._log import EventLog
from likewise.tables import RawTable, read_raw
from likewise.tables._transposed import transposed

from . import made
from .mutate import mutated, mutated_gzip, mutated_png, mutated_zip

IDS = ["ann", "bob", "cy", "dan", "eve", "fay", "gus", "hal"]
X = np.round(np.random.default_rng(0).normal(size=(8, 3)), 3)

Mutate = Callable[[Any, Sequence[bytes], Sequence[bytes]], bytes]


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of files."""

    name: str
    file: str
    """what the file is called; what stands before a slash is a folder that is read"""
    seeds: Callable[[], list[bytes]]
    read: Callable[[Path], Any]
    words: tuple[bytes, ...] = ()
    ways: tuple[Mutate, ...] = (mutated,)
    made: Callable[[], Any] | None = None
    """a strategy of hypothesis that makes files"""

    @cached_property
    def valid(self) -> list[bytes]:
        """Valid files, made once."""
        return self.seeds()


# -- what reads them ---------------------------------------------------------------------------------------------------


def each_tried(path: Path, works: Sequence[Callable[[], Any]]) -> None:
    """Try all, also where one is refused; the refusal of the last is raised, or one that does not name the file."""
    refusal: Exception | None = None
    for work in works:
        refusal = None
        try:
            work()
        except (ValueError, OSError) as error:
            refusal = error
            if str(path) not in str(error):
                raise
    if refusal is not None:
        raise refusal


def data(path: Path) -> None:
    """As DATA on the command line: columns, names of rows, features; also with rows and columns exchanged."""
    raw = read_raw(path)
    each_tried(path, [lambda: names_of(raw), lambda: transposed(raw), lambda: rows_of(raw)])


def pictures(path: Path) -> None:
    """As data, and for the report."""
    data(path)
    for file in sorted(path.iterdir()):
        small_jpeg(file, 32)


def dataset(path: Path) -> None:
    read_dataset(path, "tiny")


def hints(path: Path) -> None:
    """By row numbers, for a known number of rows, and by ids."""

    def read(**given: Any) -> None:
        found = Constraints.read(path, **given)
        found.conflicts()
        found.summary()

    each_tried(path, [read, lambda: names_in(path), lambda: read(n_samples=8), lambda: read(ids=IDS)])


def answers(path: Path) -> None:
    read_sheet(path, 8, IDS)
    read_asked(path, 8, IDS)


def links(path: Path) -> None:
    each_tried(path, [lambda: link_matrix(path, ids=IDS), lambda: link_matrix(path)])


def beside(path: Path) -> None:
    Beside.read(path, RawTable("data", 8, {"id": IDS}), "utf-8")


def model(path: Path) -> None:
    load(path).model.predict(X)


def session(path: Path) -> None:
    found = Session(path)
    found.constraints.summary()
    found.history()
    repr(found)


def row_files(path: Path) -> None:
    rows = RowFiles(path)
    rows.take(np.arange(min(3, rows.shape[0])))
    list(rows.map(lambda some, first: some.sum()))


def keyed_rows(path: Path) -> None:
    rows = RowFiles(path, columns=["one", "two"], key="id")
    list(rows.map(lambda some, first: some.sum()))
    list(rows.ids())


def ledger(path: Path) -> None:
    Ledger(path).read()


# -- valid files -------------------------------------------------------------------------------------------------------


def csv_files() -> list[bytes]:
    numbers = "id,one,two,label\n" + "\n".join(
        f"{name},{a},{b},{'uv'[k % 2]}" for k, (name, (a, b, _)) in enumerate(zip(IDS, X, strict=True))
    )
    mixed = 'name;size;when;color\n"Ann; A";1,5;2024-01-31;red\n"Bob ""B""";2,5;2023-12-01;blue\n"Cy";;2022-01-01;\n'
    notes = "# source=lab\n\nid,text,price\n1,the quick brown fox,3\n2,jumps over the lazy dog,NA\n3,and runs away,?\n"
    bare = "\n".join(",".join(map(str, row)) for row in X.tolist())
    return [
        each.encode() for each in (numbers, mixed, notes, "x,y\n" + bare.replace(",", ",", 1), "a\tb\n1\t2\n3\t4\n")
    ]


def jsonl_files() -> list[bytes]:
    records = [
        {"id": name, "v": row, "k": k % 2, "t": "some words here"}
        for k, (name, row) in enumerate(zip(IDS, X.tolist(), strict=True))
    ]
    flat = [
        {"id": 1, "x": 1.5, "ok": True, "none": None},
        {"id": 2, "x": -3, "o": {"a": [1]}},
        {"id": 3, "s": "é\u2028"},
    ]
    return ["\n".join(json.dumps(one) for one in each).encode() for each in (records, flat)]


def xlsx_files() -> list[bytes]:
    import datetime

    import openpyxl

    found = []
    for title in (None, "A title"):
        book = openpyxl.Workbook()
        sheet = book.active
        if title:
            sheet.append([title])
        sheet.append(["id", "one", "when", "ok"])
        for k, name in enumerate(IDS):
            sheet.append([name, float(X[k, 0]), datetime.date(2024, 1, k + 1), k % 2 == 0])
        book.create_sheet("empty")
        stream = io.BytesIO()
        book.save(stream)
        found.append(stream.getvalue())
    return found


def hints_xlsx() -> list[bytes]:
    import openpyxl

    book = openpyxl.Workbook()
    for line in (["left", "right", "kind"], ["ann", "bob", "same"], ["cy", "dan", "different"]):
        book.active.append(line)
    stream = io.BytesIO()
    book.save(stream)
    return [stream.getvalue()]


def _arrow_tables() -> list[Any]:
    import pyarrow as pa

    plain = pa.table(
        {"id": IDS, "one": X[:, 0], "two": X[:, 1].astype("f4"), "n": list(range(8)), "ok": [True, None] * 4}
    )
    nested = pa.table(
        {
            "v": X.tolist(),
            "s": [{"k": k} for k in range(8)],
            "d": pa.array([f"c{k % 3}" for k in range(8)]).dictionary_encode(),
            "t": pa.array(np.arange(8), pa.timestamp("us")),
            "b": [b"\xff\0"] * 8,
        }
    )
    return [plain, nested]


def parquet_files() -> list[bytes]:
    import pyarrow.parquet as pq

    found = []
    for table in _arrow_tables():
        for options in (
            {},
            {"compression": "gzip", "data_page_version": "2.0"},
            {"compression": "none", "use_dictionary": False},
        ):
            stream = io.BytesIO()
            pq.write_table(table, stream, **options)
            found.append(stream.getvalue())
    return found


def keyed_parquet() -> list[bytes]:
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(_arrow_tables()[0].select(["id", "one", "two"]), stream)
    return [stream.getvalue()]


def keyed_arrow() -> list[bytes]:
    import pyarrow as pa

    found = []
    table = _arrow_tables()[0].select(["id", "one", "two"])
    for options in ({}, {"compression": "lz4"}, {"compression": "zstd"}):
        stream = io.BytesIO()
        with pa.ipc.new_file(stream, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as file:
            file.write_table(table)
        found.append(stream.getvalue())
    return found


def _npy(array: Any, **options: Any) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asanyarray(array), allow_pickle=False, **options)
    return stream.getvalue()


def npy_files() -> list[bytes]:
    return [
        _npy(X),
        _npy(np.asfortranarray(X)),
        _npy(X.astype(">f4"), version=(2, 0)),
        _npy(np.arange(24).reshape(8, 3)),
        _npy(X > 0),
    ]


def npz_files() -> list[bytes]:
    found = []
    for write in (np.savez, np.savez_compressed):
        stream = io.BytesIO()
        write(stream, X=X, y=np.arange(8) % 2, ids=np.array(IDS), feature_names=np.array(["one", "two", "three"]))
        found.append(stream.getvalue())
    stream = io.BytesIO()
    np.savez(stream, text=np.array(["some words here"] * 8), y=np.arange(8) % 2)
    return [*found, stream.getvalue()]


def sparse_npz_files() -> list[bytes]:
    found = []
    for made_of, compressed in (
        (sparse.csr_matrix, True),
        (sparse.csc_matrix, False),
        (sparse.coo_matrix, False),
        (sparse.csr_array, True),
    ):
        stream = io.BytesIO()
        sparse.save_npz(stream, made_of(X * (X > 0)), compressed=compressed)
        found.append(stream.getvalue())
    return found


def mtx_files() -> list[bytes]:
    found = []
    counts = (X * 3).astype(int)
    square = X[:3] @ X[:3].T
    for matrix in (
        sparse.coo_matrix(X * (X > 0)),
        X,
        sparse.coo_matrix(counts),
        sparse.coo_matrix(square),
        sparse.coo_matrix(X * 1j),
    ):
        stream = io.BytesIO()
        mmwrite(stream, matrix)
        found.append(stream.getvalue())
    pattern = b"%%MatrixMarket matrix coordinate pattern general\n% words\n%\n4 3 3\n1 1\n2 3\n4 2\n"
    small = b"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1.5\n2 1 -2.0e+3\n3 3 1E-3\n"
    return [*found, pattern, small]


def h5ad_files() -> list[bytes]:
    import h5py

    found = []
    for layout in ("dense", "csr_matrix", "csc_matrix", "packed"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "t.h5ad")
            with h5py.File(path, "w") as file:
                if layout == "dense":
                    file["X"] = X
                elif layout == "packed":
                    file.create_dataset("X", data=X.astype("f4"), chunks=(4, 3), compression="gzip")
                else:
                    part = file.create_group("X")
                    packed = (sparse.csr_matrix if layout == "csr_matrix" else sparse.csc_matrix)(X * (X > 0))
                    part.attrs["encoding-type"], part.attrs["shape"] = layout, X.shape
                    for name in ("data", "indices", "indptr"):
                        part[name] = getattr(packed, name)
                for table, index in (("obs", IDS), ("var", ["one", "two", "three"])):
                    group = file.create_group(table)
                    group.attrs["_index"] = "name"
                    group["name"] = np.array(index, dtype=h5py.string_dtype())
                label = file["obs"].create_group("label")
                label["categories"] = np.array(["x", "y"], dtype=h5py.string_dtype())
                label["codes"] = np.array([0, 1, -1, 0, 1, 1, 0, 0], dtype=np.int8)
                file["obs"]["n"] = np.arange(8)
            found.append(path.read_bytes())
    return found


def texts() -> list[bytes]:
    return [
        b"the quick brown fox jumps over the lazy dog\n",
        "Füße, naïve café: 日本 😀\n".encode(),
        "\ufeffwords and more words".encode("utf-16"),
    ]


def images() -> list[bytes]:
    from PIL import Image

    found = []
    pixels = np.random.default_rng(0).integers(0, 255, (6, 5, 4)).astype(np.uint8)
    for mode, form in (
        *(("RGB", "PNG"), ("RGBA", "PNG"), ("L", "PNG"), ("P", "PNG"), ("1", "PNG"), ("I;16", "PNG"), ("RGB", "JPEG")),
        *(("P", "GIF"), ("RGB", "BMP"), ("RGB", "TIFF"), ("RGB", "WEBP"), ("RGB", "PPM"), ("L", "TIFF")),
    ):
        image = Image.fromarray(pixels, "RGBA").convert("RGB" if mode == "P" else "L" if mode == "I;16" else mode)
        if mode == "P":
            image = image.quantize(8)
        if mode == "I;16":
            image = Image.fromarray(np.arange(30, dtype=np.uint16).reshape(6, 5) * 999)
        stream = io.BytesIO()
        image.save(stream, form, **({"compression": "tiff_lzw"} if form == "TIFF" and mode == "L" else {}))
        found.append(stream.getvalue())
    return found


def hints_csv() -> list[bytes]:
    files = (
        "left,right,kind,weight\n0,1,must-link,1\n2,3,cannot-link,0.5\n4,5,same,\n6,7,?,1\n",
        "left,right,kind\nann,bob,same\ncy,dan,different\neve,fay,yes\n",
        "# n_samples=8\nleft,right,kind,weight\n"
        '0,p0:A,"partition:same,across",1\n1,p0:A,"partition:same,across",1\n2,p0:B,"partition:same,across",1\n',
        "left,right,kind,third,fourth,weight\nann,bob,nearer,cy,,1\nann,bob,nearer,cy,dan,0.5\nann,bob,odd,cy,,\nann,bob,unsure,cy,,\n",
        "left,right,kind\nann,x0:1,clustering\nbob,x0:2,clustering\nann,x1:1,clustering\nbob,x1:1,clustering\nx0,x1,better\ncy,dan,rating:4\n",
        "0 1 same\n1 2 different\n",
        "0;1;1\n2;3;0\n",
    )
    return [each.encode() for each in files]


def hints_json() -> list[bytes]:
    pairs = {
        "n_samples": 8,
        "pairs": [
            {"left": 0, "right": 1, "kind": "must-link", "weight": 1.0},
            {"left": 2, "right": 3, "kind": "cannot-link"},
        ],
    }
    parts = {
        "n_samples": 8,
        "partitions": [{"kind": "partition:same,across", "weight": 1.0, "blocks": [[0, 1], [2]], "names": ["A", "B"]}],
    }
    compared = {
        "pairs": [
            {"left": "ann", "right": "bob", "kind": "nearer", "third": "cy"},
            {"left": "ann", "right": "bob", "kind": "rating:4"},
        ]
    }
    return [
        json.dumps(each, indent=indent).encode()
        for each, indent in ((pairs, None), (parts, 1), (compared, 1), ({}, None))
    ]


def hints_jsonl() -> list[bytes]:
    lines = [{"left": 0, "right": 1, "kind": "same", "weight": 1}, {"left": "ann", "right": "cy", "kind": "different"}]
    return [b"\n".join(json.dumps(one).encode() for one in each) for each in (lines, lines[:1], lines[1:])]


def hints_parquet() -> list[bytes]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        constraints = Constraints(8, [(0, 1), (2, 3)], [(0, 2)]) | Constraints.from_labels(
            [0, 0, 1, -1, -1, -1, -1, -1]
        )
        for ids in (None, IDS):
            constraints.write(Path(folder, "h.parquet"), ids=ids)
            found.append(Path(folder, "h.parquet").read_bytes())
    return found


def answer_sheets() -> list[bytes]:
    sheet = "left,right,kind,chance,votes,why,screen\nann,bob,same,0.7,0.5,near,0\n"
    sheet += "cy,dan,different,0.2,0.1,far,1\neve,fay,can't say,0.5,0.5,,2\n"
    return [sheet.encode(), b"left,right,kind,question\nann,bob,,1\ncy,dan,refuted same,2\n"]


def links_csv() -> list[bytes]:
    return [b"source,target\nann,bob\nbob,cy\ndan,ann\n", b"0 1\n1 2\n3 0\n", b"0,1\n5,6\n", b"citing\tcited\n0\t1\n"]


def model_files() -> list[bytes]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for estimator in (likewise.PCKMeans(2, random_state=0), likewise.Likewise(2, random_state=0)):
            estimator.fit(X, constraints=Constraints(8, [(0, 1)], [(0, 2)]))
            save(Path(folder, "m.likewise"), estimator)
            found.append(Path(folder, "m.likewise").read_bytes())
    return found


def session_files() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.studio")
        log = EventLog(path)
        log.set_once("seed", "3")
        log.add_data({"name": "t.csv", "id_column": "id"}, IDS, None)
        log.ask([{"kind": "pair", "ids": ["ann", "bob"]}], "")
        for number, (kind, body) in enumerate(
            (
                ("grouped", {"hints": [["ann", "bob", "same", 1.0]], "words": "grouped"}),
                ("named", {"name": "birds", "anchors": ["ann", "bob"], "replaces": [], "words": ""}),
                ("clusters", {"n_clusters": 3}),
                ("separated", {"hints": [["ann", "cy", "different", 1.0]], "words": "separated"}),
            )
        ):
            log.append(kind, body, who="", key=f"key-{number}")
        log.append("undone", {"words": ""}, who="", key="key-u", of=3)
        log.close()
        return [path.read_bytes()]


def dataset_npz() -> list[bytes]:
    stream = io.BytesIO()
    np.savez_compressed(stream, X=X, y=np.arange(8) % 2, target_names=np.array(["u", "v"]), ids=np.array(IDS))
    return [stream.getvalue()]


def dataset_jsonl() -> list[bytes]:
    return ["\n".join(json.dumps({"id": name, "text": "some words", "label": None}) for name in IDS).encode()]


def ledger_files() -> list[bytes]:
    return [b"cell,seed,value\ntable/iris/method,0,0.5\ntable/iris/method,1,0.25\n"]


def packed(files: Callable[[], list[bytes]]) -> Callable[[], list[bytes]]:
    return lambda: [gzip.compress(each, mtime=0) for each in files()]


HINT_WORDS = (
    *(
        b"same",
        b"different",
        b"nearer",
        b"odd",
        b"unsure",
        b"rating:9",
        b"partition:same",
        b"partition:within,same",
        b"better",
    ),
    *(
        b"clustering",
        b"x0:1",
        b"p0:A",
        b"0",
        b"1",
        b"7",
        b"8",
        b"ann",
        b"kind",
        b"left",
        b"weight",
        b"n_samples",
        b"99999999999",
    ),
)
MTX_WORDS = (
    b"array",
    b"coordinate",
    b"pattern",
    b"complex",
    b"integer",
    b"symmetric",
    b"hermitian",
    b"skew-symmetric",
    b"%",
    b"%%MatrixMarket",
    b"vector",
)
NPY_WORDS = (
    b"'<f8'",
    b"'|O'",
    b"'<U9'",
    b"(8, 3)",
    b"(2**40,)",
    b"True",
    b"'|V0'",
    b"'<M8[ns]'",
    b"'>c16'",
    b"[('a','<f8')]",
    b"\x93NUMPY\x01\0",
)
PACKED = (mutated, mutated_gzip, mutated_gzip)
ZIPPED = (mutated, mutated_zip, mutated_zip)

KINDS = {
    kind.name: kind
    for kind in (
        Kind("csv", "t.csv", csv_files, data, made=made.csv),
        Kind("tsv", "t.tsv", csv_files, data),
        Kind("csv.gz", "t.csv.gz", packed(csv_files), data, ways=PACKED),
        Kind("jsonl", "t.jsonl", jsonl_files, data, made=made.jsonl),
        Kind(
            "xlsx",
            "t.xlsx",
            xlsx_files,
            data,
            ways=ZIPPED,
            words=(b"XFD1048576", b'r="9999999"', b"<c>", b"<v>", b't="s"', b't="d"', b't="e"'),
        ),
        Kind("parquet", "t.parquet", parquet_files, data, made=made.parquet),
        Kind("npy", "t.npy", npy_files, data, NPY_WORDS, made=made.npy),
        Kind("npz", "t.npz", npz_files, data, NPY_WORDS, ZIPPED, made=made.npz),
        Kind(
            "npz-sparse",
            "t.npz",
            sparse_npz_files,
            data,
            (*NPY_WORDS, b"csr", b"coo", b"bsr", b"dia"),
            ZIPPED,
            made=made.sparse_npz,
        ),
        Kind("mtx", "t.mtx", mtx_files, data, MTX_WORDS, made=made.mtx),
        Kind("mtx.gz", "t.mtx.gz", packed(mtx_files), data, MTX_WORDS, PACKED),
        Kind("h5ad", "t.h5ad", h5ad_files, data, made=made.h5ad),
        Kind("texts", "folder/t.txt", texts, data),
        Kind("png", "folder/t.png", images, pictures, ways=(mutated, mutated_png, mutated_png)),
        Kind("pictures", "folder/t.jpg", images, pictures),
        Kind("hints-csv", "h.csv", hints_csv, hints, HINT_WORDS, made=made.hints_csv),
        Kind("hints-txt", "h.txt", hints_csv, hints, HINT_WORDS),
        Kind("hints-json", "h.json", hints_json, hints, HINT_WORDS, made=made.hints_json),
        Kind("hints-jsonl", "h.jsonl", hints_jsonl, hints, HINT_WORDS, made=made.hints_jsonl),
        Kind("hints-parquet", "h.parquet", hints_parquet, hints, made=made.hints_parquet),
        Kind("hints-xlsx", "h.xlsx", hints_xlsx, hints, HINT_WORDS, ZIPPED),
        Kind("answers", "a.csv", answer_sheets, answers, HINT_WORDS),
        Kind("links", "l.csv", links_csv, links, HINT_WORDS, made=made.links),
        Kind("links-parquet", "l.parquet", keyed_parquet, links),
        Kind("beside", "b.txt", texts, beside),
        Kind("model", "m.likewise", model_files, model, NPY_WORDS, ZIPPED),
        Kind("session", "s.studio", session_files, session),
        Kind("rows-npy", "r.npy", npy_files, row_files, NPY_WORDS),
        Kind("rows-parquet", "r.parquet", keyed_parquet, keyed_rows),
        Kind("rows-arrow", "r.arrow", keyed_arrow, keyed_rows),
        Kind("dataset-npz", "d.npz", dataset_npz, dataset, NPY_WORDS, ZIPPED),
        Kind("dataset-jsonl", "d.jsonl.gz", packed(dataset_jsonl), dataset, ways=PACKED),
        Kind("ledger", "results.csv", ledger_files, ledger),
    )
}
