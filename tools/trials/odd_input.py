"""Every estimator on odd rows and odd hints: an answer that is finite, or an error that says what is wrong.

    python tools/trials/odd_input.py [--seed N] [--only KEY,KEY]

Prints each failure and a table of what was tried. A failure is an answer that is not finite, one that differs where the
same rows were only stored otherwise, an error that this package did not put into words, or a warning of NumPy's.
"""

from __future__ import annotations

import argparse
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from estimators import CASES, PARTS  # noqa: E402
from likewise import Constraints, Partition  # noqa: E402
from likewise._method import uses_constraints  # noqa: E402

N, WIDTH = 60, 8
Trial = tuple[Any, Constraints]


def table(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Weighted counts of three classes: zeros, clear clusters, no ties."""
    y = np.arange(N) % 3
    rates = np.full((3, WIDTH), 0.4)
    rates[np.arange(WIDTH) % 3, np.arange(WIDTH)] = 4.0
    X = rng.poisson(rates[y]) * rng.uniform(0.5, 1.5, size=(N, WIDTH))
    X[:, 0] += rng.uniform(0.5, 1.5, size=N)
    return X, y


def halves(S: Any) -> Any:
    data, indices = np.repeat(S.data / 2, 2), np.repeat(S.indices, 2)
    return type(S)((data, indices, S.indptr * 2), shape=S.shape)


def backward(S: Any) -> Any:
    T = S.copy()
    for a, b in zip(S.indptr, S.indptr[1:], strict=False):
        T.indices[a:b], T.data[a:b] = S.indices[a:b][::-1], S.data[a:b][::-1]
    T.has_sorted_indices = False
    return T


def with_zeros(S: Any) -> Any:
    coo = S.tocoo()
    at = np.argwhere(S.toarray() == 0)[:20]
    row, col = np.append(coo.row, at[:, 0]), np.append(coo.col, at[:, 1])
    return sparse.csr_array((np.append(coo.data, np.zeros(len(at))), (row, col)), shape=S.shape)


def wide(S: Any) -> Any:
    T = S.copy()
    T.indices, T.indptr = T.indices.astype(np.int64), T.indptr.astype(np.int64)
    return T


def read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


def stored_otherwise(X: np.ndarray) -> dict[str, Callable[[], Any]]:
    """The same rows: answers must be the same."""
    S = sparse.csr_array(X)
    return {
        "Fortran order": lambda: np.asfortranarray(X),
        "read only": lambda: read_only(X),
        "big endian": lambda: X.astype(">f8"),
        "objects": lambda: X.astype(object),
        "lists": X.tolist,
        "every other row of twice as many": lambda: np.repeat(X, 2, axis=0)[::2],
        "pandas": lambda: pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])]),
        "polars": lambda: pl.DataFrame(X, schema=[f"c{j}" for j in range(X.shape[1])]),
        "sparse": lambda: S,
        "sparse, duplicate entries": lambda: halves(S),
        "sparse, unsorted": lambda: backward(S),
        "sparse, zeros stored": lambda: with_zeros(S),
        "sparse, int64 indices": lambda: wide(S),
        "sparse matrix": lambda: sparse.csr_matrix(X),
        "sparse by columns": lambda: sparse.csc_array(X),
        "sparse by columns, duplicate entries": lambda: halves(sparse.csc_array(X)),
        "sparse by coordinates, duplicate entries": lambda: sparse.coo_array(
            (np.repeat(S.tocoo().data / 2, 2), (np.repeat(S.tocoo().row, 2), np.repeat(S.tocoo().col, 2))), S.shape
        ),
    }


def odd_rows(X: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """Rows that are hard: a finite answer, or an error in words."""
    found: dict[str, Any] = {}

    def put(name: str, value: float, row: int = 3, column: int = 2, base: np.ndarray = X) -> None:
        found[name] = base.copy()
        found[name][row, column] = value

    for value in (np.nan, np.inf, -np.inf, 1e10, 1e15, 1e20, 1e30, -1e30, 1e60, 1e100, 1e150, 1e155, 1e200, 1e300):
        put(f"one value {value}", value)
    for exponent in rng.integers(11, 150, size=6).tolist():
        put(f"a value 1e{exponent}", 10.0**exponent, *rng.integers(X.shape).tolist())
    for size in (
        1e-300,
        1e-200,
        1e-160,
        1e-155,
        1e-150,
        1e-100,
        1e-30,
        1e-15,
        1e15,
        1e30,
        1e100,
        1e140,
        1e150,
        1e152,
        1e160,
        1e200,
    ):
        found[f"all times {size:g}"] = X * size
    for size in (1e-45, 1e-38, 1e-30, 1e-25, 1e-20, 1e-18, 1e-10, 1e10, 1e15, 1e17, 1e18, 1e19, 1e25, 1e37):
        found[f"float32 times {size:g}"] = (X * size).astype(np.float32)
    put("float32, one value 1e18", 1e18, base=X.astype(np.float32))
    put("float32, one value 1e30", 1e30, base=X.astype(np.float32))
    for value in (1e30, 1e100):
        found[f"one column times {value:g}"] = X * np.where(np.arange(X.shape[1]) == 1, value, 1)
        found[f"one row times {value:g}"] = X * np.where(np.arange(N) == 5, value, 1)[:, None]
        found[f"one column times {1 / value:g}"] = X * np.where(np.arange(X.shape[1]) == 1, 1 / value, 1)
    found["far from the origin"] = X + 1e8
    found["very far from the origin"] = X + 1e15
    found["equal rows"] = np.repeat(X[:1], N, axis=0)
    found["zeros"] = np.zeros_like(X)
    found["zeros, sparse"] = sparse.csr_array(X.shape)
    found["two kinds of rows"] = X[np.arange(N) % 2]
    found["three kinds of rows"] = X[np.arange(N) % 3]
    found["all but one equal"] = np.where(np.arange(N)[:, None] == 7, X + 5, X[:1])
    found["a constant column"] = np.where(np.arange(X.shape[1]) == 1, 3.0, X)
    found["all columns the same"] = np.repeat(X[:, :1], X.shape[1], axis=1)
    found["one column"] = X[:, :1]
    found["two columns"] = X[:, :2]
    found["more columns than rows"] = rng.normal(size=(N, 3 * N))
    found["whole numbers"] = np.rint(X).astype(np.int64)
    found["bytes"] = X.astype(np.uint8)
    found["binary"] = (X > 1).astype(float)
    found["bool"] = X > 1
    found["float16"] = X.astype(np.float16)
    found["empty rows"] = X * (np.arange(N) % 4 > 0)[:, None]
    found["empty rows, sparse"] = sparse.csr_array(X * (np.arange(N) % 4 > 0)[:, None])
    found["negative"] = -X
    found["on a line"] = np.outer(np.arange(N), np.ones(X.shape[1])).astype(float)
    found["correlated"] = X @ rng.normal(size=(X.shape[1], 2)) @ rng.normal(size=(2, X.shape[1]))
    found["heavy tails"] = rng.standard_cauchy(size=X.shape) ** 3
    found["a column name twice"] = pd.DataFrame(X, columns=["a", "a", *"cdefgh"])
    found["names that are numbers"] = pd.DataFrame(X)
    found["names of two kinds"] = pd.DataFrame(X, columns=["a", 1, *"cdefgh"])
    found["Float64 with NA"] = pd.DataFrame(X).astype("Float64").mask(pd.DataFrame(X) == 2)
    found["a column of text"] = pd.DataFrame(X).assign(text="x")
    found["complex"] = X.astype(complex)
    found["three dimensions"] = X.reshape(N, 2, -1)
    found["one dimension"] = X[:, 0]
    found["no columns"] = X[:, :0]
    found["strings"] = X.astype(str)
    found["sparse with NaN"] = sparse.csr_array(np.where(X.max() == X, np.nan, X))
    return found


def few_rows(X: np.ndarray) -> dict[str, Trial]:
    return {
        f"{n} rows": (X[:n], Constraints(n, [(0, 1)] if n > 1 else [], [(0, 2)] if n > 2 else [])) for n in range(6)
    }


def odd_hints(y: np.ndarray, hints: Constraints) -> dict[str, Constraints]:
    """Hints that are hard, about ordinary rows."""
    n = len(y)
    same, apart = hints.must_link, hints.cannot_link
    found = {
        "no hints": Constraints(n),
        "one hint": Constraints(n, [(0, 3)]),
        "one cannot-link": Constraints(n, [], [(0, 1)]),
    }
    for weight in (5e-324, 1e-300, 1e-100, 1e-14, 1e14, 1e100, 1e300):
        found[f"weights {weight:g}"] = Constraints(
            n, same, apart, must_weight=np.full(len(same), weight), cannot_weight=np.full(len(apart), weight)
        )
        mixed = np.where(np.arange(len(same)) % 2 == 0, weight, 1.0)
        found[f"some weights {weight:g}"] = Constraints(n, same, apart, must_weight=mixed)
    found["all labels"] = Constraints.from_labels(y)
    found["all one class"] = Constraints.from_labels(np.zeros(n, dtype=int))
    found["all different"] = Constraints(
        n, partitions=[Partition(np.arange(n), same_within=False, different_across=True)]
    )
    found["all cannot-linked within"] = Constraints(n, [], [(i, j) for i in range(8) for j in range(i)])
    found["contradiction"] = Constraints(n, [(0, 3), (3, 6)], [(0, 6), (0, 1)])
    found["a pair both ways"] = Constraints(n, [(0, 3)], [(0, 3), (0, 1)])
    found["long chain"] = Constraints(n, [(i, i + 1) for i in range(n - 1)])
    found["every pair wrong"] = Constraints(n, apart, same)
    return found


def answer(estimator: Any, X: Any, constraints: Constraints) -> np.ndarray:
    options = {"constraints": constraints} if uses_constraints(estimator) else {}
    estimator.fit(X, **options)
    if hasattr(estimator, "transform") and not hasattr(estimator, "labels_"):
        coordinates = estimator.transform(X)
        return coordinates.toarray() if sparse.issparse(coordinates) else np.asarray(coordinates)
    return np.asarray(estimator.labels_)


def clear(error: Exception) -> bool:
    """Whether the error was put into words for users, here or by scikit-learn's validation."""
    frames = traceback.extract_tb(error.__traceback__)
    where = frames[-1].filename
    here = "/likewise/" in where or "/sklearn/" in where
    return here and isinstance(error, (ValueError, TypeError)) and not isinstance(error, np.linalg.LinAlgError)


def distances(points: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(((points[:, None] - points[None]) ** 2).sum(axis=2), 0))


def same(found: np.ndarray, expected: np.ndarray) -> bool:
    if found.shape != expected.shape:
        return False
    if found.ndim == 1:
        return bool((found == expected).all())
    return bool(np.allclose(distances(found), distances(expected), rtol=1e-4, atol=1e-6 * distances(expected).max()))


def attempt(estimator: Any, X: Any, constraints: Constraints) -> tuple[str, str, np.ndarray | None]:
    """How it ended: "fine", "refused", or a kind of failure, and more about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = answer(estimator, X, constraints)
        except MemoryError:
            return "memory", "", None
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            said = f"{type(error).__name__}: {error} [{Path(last.filename).name}:{last.lineno}]"
            return ("refused" if clear(error) else "unclear"), said, None
    numpy = [str(each.message) for each in caught if issubclass(each.category, RuntimeWarning)]
    if not np.isfinite(found).all():
        return "not finite", "; ".join(numpy), found
    if numpy:
        return "warned", "; ".join(sorted(set(numpy))), found
    return "fine", "", found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    chosen = {k: case for k, case in (CASES | PARTS).items() if not options.only or k in options.only.split(",")}
    rng = np.random.default_rng(options.seed)
    X, y = table(rng)
    hints = Constraints.sample(y, "random_pairs", 40, random_state=options.seed)
    counts: Counter[str] = Counter()
    failures = 0

    def report(key: str, name: str, how: str, more: str) -> None:
        nonlocal failures
        counts[how] += 1
        if how not in ("fine", "refused"):
            failures += 1
            print(f"{key} | {name} | {how} | {more[:200]}", flush=True)
        elif how == "refused" and options.only:
            print(f"   {key} | {name} | {more[:200]}", flush=True)

    for key, case in chosen.items():
        how, more, expected = attempt(case.fresh(), X, hints)
        report(key, "as it is", how, more)
        for name, make in stored_otherwise(X).items():
            how, more, found = attempt(case.fresh(), make(), hints)
            if name == "sparse":  # Likewise takes sparse rows for text
                expected = found
            if how == "fine" and expected is not None and found is not None and not same(found, expected):
                how = "differs"
            report(key, name, how, more)
        for name, rows in odd_rows(X, rng).items():
            report(key, name, *attempt(case.fresh(), rows, hints)[:2])
        for name, (rows, few) in few_rows(X).items():
            report(key, name, *attempt(case.fresh(), rows, few)[:2])
        for name, odd in odd_hints(y, hints).items():
            report(key, name, *attempt(case.fresh(), X, odd)[:2])
    print(f"{sum(counts.values()):,} fits, {failures} failed: {dict(counts)}")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
