"""Model files of a stranger, with right checksums: an answer, or an error that names the file.

    python tools/trials/model_files.py [--seed N] [--tries N]

Values of the document are replaced by others, and arrays by arrays of other types, shapes and values, in the files of
several kinds of models. A failure is an error that is no ModelFileError, an error without the name of the file, a
traceback when new rows are placed, or an answer that is not finite. Ten tries in a hundred damage the bytes of the file
instead; of these, an answer must be the one of the whole file.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import resource
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

import likewise as lw
from likewise import Constraints, models
from likewise.models import ModelFileError

X, Y = load_iris(return_X_y=True)
NAME = "from a stranger.likewise"
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3,
    2**31,
    2**63,
    2**70,
    -(2**40),
    0.5,
    -1.5,
    1e300,
    float("inf"),
    float("nan"),
    "",
    "word",
    "euclidean",
    "\ud800",
    "x" * 10_000,
    [],
    [[]],
    [1, 2],
    ["a"],
    {},
    {"$array": "none"},
    {"$array": 3},
    {"$array": []},
    {"$sparse": "csr_array"},
    {"$sparse": "csr_array", "shape": [2**40, 2**40], "data": [], "indices": [], "indptr": []},
    {"$pairs": 3},
    {"$pairs": [[1, 2, 3]]},
    {"class": "KMeans"},
    {"class": "KMeans", "parameters": {}},
    {"dtype": "object"},
]


def fitted() -> dict[str, Any]:
    hints = Constraints.sample(Y[::3], "equal", 20, random_state=0)
    counts = sparse.csr_matrix(np.random.default_rng(0).poisson(0.6, size=(50, 40)) * 1.0)
    found = {
        "Likewise": lw.Likewise(3, random_state=0, verbose=False),
        "ProjectThenCluster": lw.ProjectThenCluster(3, random_state=0),
        "MPCKMeans": lw.MPCKMeans(3, random_state=0),
        "MPCKMeans full": lw.MPCKMeans(3, metric="full", random_state=0),
        "PCKMeans": lw.PCKMeans(3, random_state=0),
        "SKKMeans": lw.SKKMeans(3, random_state=0),
        "KernelKMeans": lw.KernelKMeans(3, random_state=0),
        "LPPSI": lw.LPPSI(2, kernel="rbf"),
        "Costco": lw.Costco(2),
        "XingMetric": lw.XingMetric(),
        "XingMetric full": lw.XingMetric("full"),
        "GraphFeatures": lw.GraphFeatures(n_components=3),
        "ChainedClusterer": lw.ChainedClusterer(3, steps=[lw.SSDR(2)], clusterer=KMeans(n_init=1), random_state=0),
    }
    for model in found.values():
        uses = getattr(getattr(model, "_method", None), "uses_constraints", True)
        model.fit(X[::3], **({"constraints": hints} if uses and not isinstance(model, lw.GraphFeatures) else {}))
    found["Likewise of text"] = lw.Likewise(2, random_state=0, verbose=False).fit(counts)
    found["TextFeatures"] = lw.TextFeatures().fit(
        ["red green blue", "green blue black", "black white gray", "gray red"] * 3
    )
    return {name: model for name, model in found.items() if models.can_save(model)}


def signed(document: dict[str, Any], arrays: dict[str, bytes]) -> bytes:
    document = {key: value for key, value in document.items() if key != "checksums"}
    inner = packed(arrays)
    text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode(errors="surrogatepass")
    sums = {"model.json": hashlib.sha256(text).hexdigest(), "arrays.npz": hashlib.sha256(inner).hexdigest()}
    whole = json.dumps({**document, "checksums": sums}, ensure_ascii=False, indent=1, sort_keys=True)
    return packed({"model.json": whole.encode(errors="surrogatepass"), "arrays.npz": inner})


def packed(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return out.getvalue()


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        document, inner = json.loads(file.read("model.json")), file.read("arrays.npz")
    with zipfile.ZipFile(io.BytesIO(inner)) as file:
        return document, {name: file.read(name) for name in file.namelist()}


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    found = [path] if path else []
    for key, value in children:
        found += places(value, (*path, key))
    return found


def other_array(array: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Another array in the place of this one."""
    way = int(rng.integers(14))
    if way == 0:
        return array[: len(array) // 2] if array.ndim else array
    if way == 1:
        return array.T.copy() if array.ndim > 1 else array[:, None] if array.ndim else array
    if way == 2:
        return array.ravel()
    if way == 3:
        return np.asarray(array.flat[0]) if array.size else np.asarray(0.0)
    if way == 4:
        return array.astype(rng.choice(["<U3", "S2", "complex128", "bool", "float16", "int8", "<M8[s]", ">f8"]))
    if way == 5:
        return np.zeros((0, *array.shape[1:]), dtype=array.dtype)
    if way == 6:
        return np.zeros((*array.shape, 1), dtype=array.dtype)
    changed = array.copy()
    if changed.size and changed.dtype.kind in "fiu":
        least = 0 if changed.dtype.kind == "u" else -1
        big = np.finfo(changed.dtype).max if changed.dtype.kind == "f" else np.iinfo(changed.dtype).max
        wrong = [np.nan, np.inf, -np.inf] if changed.dtype.kind == "f" else [2**20]
        value = [least, 0, big, 10**6, *wrong][int(rng.integers(4 + len(wrong)))]
        with np.errstate(over="ignore"):
            if way < 11:
                changed.flat[int(rng.integers(changed.size))] = value
            else:
                changed[...] = value
    return changed


def altered(data: bytes, rng: np.random.Generator) -> tuple[bytes, str]:
    """A file with one change, and what it was."""
    if rng.random() < 0.1:
        changed = bytearray(data)
        place = int(rng.integers(len(changed)))
        changed[place] ^= int(rng.integers(1, 256))
        return bytes(changed), "byte"
    document, arrays = unpacked(data)
    if arrays and rng.random() < 0.5:
        name = str(rng.choice(sorted(arrays)))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            new = other_array(np.load(io.BytesIO(arrays[name])), rng)
        out = io.BytesIO()
        np.lib.format.write_array(out, new, allow_pickle=False)
        arrays[name] = out.getvalue()
        return signed(document, arrays), f"{name}: {new.dtype}{new.shape}"
    key = "features" if document["features"] is not None and rng.random() < 0.3 else "model"
    paths = places(document[key]) or [()]
    path = (key, *paths[int(rng.integers(len(paths)))])
    node = document
    for step in path[:-1]:
        node = node[step]
    if rng.random() < 0.1:
        del node[path[-1]]
        return signed(document, arrays), f"{path} left out"
    node[path[-1]] = value = VALUES[int(rng.integers(len(VALUES)))]
    return signed(document, arrays), f"{path} = {value!r:.60}"


def outcome(path: Path, rows: Any) -> tuple[str, str, Any]:
    try:
        model = models.load(path)
    except ModelFileError as error:
        return ("refused" if NAME in str(error) else "no name"), str(error), None
    except BaseException as error:
        return "load failed", f"{type(error).__name__}: {error} {traceback.format_exc()[-300:]}", None
    try:
        found = model.place(rows)
        found = found.toarray() if sparse.issparse(found) else np.asarray(found)
    except ValueError as error:
        return "refused late", str(error), None
    except BaseException as error:
        return "place failed", f"{type(error).__name__}: {error} {traceback.format_exc()[-300:]}", None
    return ("fine" if np.isfinite(found).all() else "not finite"), "", found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tries", type=int, default=2000)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(options.seed)
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, NAME)
        files = {}
        for name, model in fitted().items():
            data = models.save(path, model).read_bytes()
            if name == "TextFeatures":
                rows: Any = ["red green", "gray"]
            else:
                rows = X[:5] if model.n_features_in_ == 4 else sparse.csr_matrix(np.eye(40)[:5])
            files[name] = data, rows, outcome(path, rows)[2]
        for number in range(options.tries):
            name = sorted(files)[number % len(files)]
            data, rows, expected = files[name]
            changed, what = altered(data, rng)
            path.write_bytes(changed)
            how, more, found = outcome(path, rows)
            if how == "fine" and what == "byte" and not np.array_equal(found, expected):
                how = "another answer"
            counts[how] += 1
            if how not in ("fine", "refused"):
                print(f"{name} | {what} | {how} | {more[:600]}", flush=True)
    failed = sum(count for how, count in counts.items() if how not in ("fine", "refused", "refused late"))
    print(f"{options.tries:,} tried, {failed} failed: {dict(counts)}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
