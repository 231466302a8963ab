"""Every estimator gives the same answer for the same rows: in another order, alone, in parts, twice, copied, saved.

    python tools/trials/consistency.py [--seeds 0,1,2] [--only KEY,KEY]

Prints each failure and how many were tried. Clusterings are the same if the same rows are together; projections, if all
distances between rows are the same but for rounding.
"""

from __future__ import annotations

import argparse
import copy
import pickle
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from estimators import CASES, PARTS, Case  # noqa: E402
from likewise import Constraints, Likewise, models  # noqa: E402
from likewise._method import uses_constraints  # noqa: E402


def data(seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(seed)
    y = np.arange(60) % 3
    blobs = 2.0 * rng.normal(size=(3, 6))[y] + rng.normal(size=(60, 6))
    wine = load_wine()
    some = rng.choice(178, 90, replace=False)
    return {"blobs": (blobs, y), "wine": (wine.data[some], wine.target[some])}


def fitted(case: Case, X: Any, hints: Constraints) -> Any:
    estimator = case.fresh()
    return estimator.fit(X, **({"constraints": hints} if uses_constraints(estimator) else {}))


def answer(model: Any, X: Any) -> np.ndarray:
    if hasattr(model, "labels_"):
        return np.asarray(model.labels_)
    found = model.transform(X)
    return found.toarray() if sparse.issparse(found) else np.asarray(found)


def distances(points: np.ndarray) -> np.ndarray:
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def same(found: np.ndarray, expected: np.ndarray) -> str:
    """What differs; empty if nothing does."""
    if found.shape != expected.shape:
        return f"shape {found.shape}, {expected.shape}"
    if found.ndim == 1:
        score = adjusted_rand_score(found, expected)
        return "" if score == 1 else f"agreement {score:.3f}"
    D, E = distances(found), distances(expected)
    off = abs(D - E).max() / E.max()
    return "" if off < 1e-4 else f"distances differ by {off:.2g}"


def ways(case: Case, X: np.ndarray, hints: Constraints, seed: int) -> dict[str, Callable[[], str]]:
    model = fitted(case, X, hints)
    expected = answer(model, X)
    order = np.random.default_rng(seed).permutation(len(X))
    back = np.argsort(order)
    swapped = Constraints(
        hints.n_samples,
        hints.must_link[::-1, ::-1],
        hints.cannot_link[::-1, ::-1],
        hints.must_weight[::-1],
        hints.cannot_weight[::-1],
    )
    found: dict[str, Callable[[], str]] = {
        "hints in another order": lambda: same(answer(fitted(case, X, swapped), X), expected),
        "hints twice": lambda: same(answer(fitted(case, X, hints | swapped), X), expected),
        "again": lambda: same(answer(fitted(case, X, hints), X), expected),
        "pickled": lambda: same(answer(pickle.loads(pickle.dumps(model)), X), expected),
        "copied": lambda: same(answer(copy.deepcopy(model), X), expected),
    }
    if "random_state" not in model.get_params():  # random starts are drawn by row, and so may find another answer
        found["rows in another order"] = lambda: same(
            answer(fitted(case, X[order], hints.restrict(order)), X[order])[back], expected
        )
        found["rows backward"] = lambda: same(
            answer(fitted(case, X[::-1].copy(), hints.restrict(np.arange(len(X))[::-1])), X[::-1])[::-1], expected
        )
    for method in ("predict", "transform"):
        place = getattr(model, method, None)
        if place is None:
            continue

        def whole(place: Any = place) -> np.ndarray:
            out = place(X)
            return out.toarray() if sparse.issparse(out) else np.asarray(out)

        def alone(place: Any = place, whole: Any = whole) -> str:
            rows = [place(X[i : i + 1]) for i in range(len(X))]
            rows = [row.toarray() if sparse.issparse(row) else np.asarray(row) for row in rows]
            return close(np.concatenate(rows), whole())

        def half(place: Any = place, whole: Any = whole) -> str:
            out = place(X[1::2])
            return close(out.toarray() if sparse.issparse(out) else np.asarray(out), whole()[1::2])

        found[f"{method}: rows alone"] = alone
        found[f"{method}: half of the rows"] = half
        found[f"{method}: sparse rows"] = lambda place=place, whole=whole: close_sparse(place, X, whole())
    if isinstance(model, Likewise):  # others assign new rows to the nearest center, whatever hints said of them
        found["predict: the rows of fit"] = lambda: close(model.predict(X), expected)
    if models.can_save(model):

        def saved() -> str:
            with tempfile.TemporaryDirectory() as folder:
                again = models.load(models.save(Path(folder, "m.likewise"), model))
            placed = again.place(X)
            return close(
                np.asarray(placed.toarray() if sparse.issparse(placed) else placed), models.SavedModel(model).place(X)
            )

        found["saved"] = saved
    return found


def close_sparse(place: Any, X: np.ndarray, expected: np.ndarray) -> str:
    try:
        out = place(sparse.csr_array(X))
    except (TypeError, ValueError) as error:
        return "" if "parse" in str(error) else f"{type(error).__name__}: {error}"
    return close(out.toarray() if sparse.issparse(out) else np.asarray(out), expected)


def close(found: Any, expected: Any) -> str:
    """What differs, for the same model: labels exactly, coordinates but for rounding."""
    found, expected = (each.toarray() if sparse.issparse(each) else np.asarray(each) for each in (found, expected))
    if found.ndim == 1:
        differ = int((found != expected).sum())
        return f"{differ} rows of {len(found)}" if differ else ""
    off = abs(found - expected).max() / max(abs(expected).max(), 1e-300)
    return "" if off < 1e-9 else f"coordinates differ by {off:.2g}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tried = failed = 0
    for key, case in (CASES | PARTS).items():
        if options.only and key not in options.only.split(","):
            continue
        for seed in map(int, options.seeds.split(",")):
            for name, (X, y) in data(seed).items():
                hints = Constraints.sample(y, "random_pairs", 40, random_state=seed)
                for way, compare in ways(case, X, hints, seed).items():
                    tried += 1
                    try:
                        said = compare()
                    except Exception as error:
                        said = f"{type(error).__name__}: {error}"
                    if said:
                        failed += 1
                        print(f"{key} | {name} {seed} | {way} | {said}", flush=True)
    print(f"{tried:,} tried, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
