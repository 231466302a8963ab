"""Reading and writing comparisons and preferences in tables of hints; the format is described in `Constraints.read`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._arrays import FloatArray, IntArray, is_missing
from ._comparisons import Comparisons, as_questions, is_answered, two_pairs
from ._preference import Preference

if TYPE_CHECKING:
    from ._constraints import Constraints
    from ._io import Lines

Rows = Callable[[Sequence[Any], IntArray], IntArray]
"""Maps the cells of a column and line numbers to the rows on these lines."""

Line = dict[str, Any]


def read_comparisons(
    lines: Lines, meaning: Sequence[Any], left: IntArray, weights: FloatArray, rows: Rows
) -> tuple[IntArray, FloatArray, IntArray]:
    """The comparisons of a table as two pairs each, their weights, and the unanswered questions."""
    third = lines.third
    has_third = [False] * len(meaning) if third is None else [not is_missing(cell) for cell in third]
    chosen = [
        line
        for line, kind in enumerate(meaning)
        if kind in ("nearer", "odd") or (kind == "undecided" and has_third[line])
    ]
    for line in chosen:
        if not has_third[line]:
            what = {"nearer": "left is more like right than third", "odd": "of left, right and third it is the odd one"}
            raise ValueError(f'{lines.where(line)}: "{meaning[line]}" needs a third row: {what[meaning[line]]}.')
        if meaning[line] == "odd" and lines.fourth is not None and not is_missing(lines.fourth[line]):
            raise ValueError(f'{lines.where(line)}: "odd" has three rows, left, right and third. Leave fourth empty.')
    where: IntArray = np.array(chosen, dtype=np.int64)
    quads = np.empty((len(where), 4), dtype=np.int64)
    if not len(where) or third is None:
        return quads, np.empty(0), quads
    a, b, c = left[where], rows(lines.right, where), rows(third, where)
    quads[:] = np.column_stack([a, b, a, c])
    if lines.fourth is not None:
        four = np.flatnonzero([not is_missing(lines.fourth[line]) for line in chosen])
        quads[four, 2], quads[four, 3] = c[four], rows(lines.fourth, where[four])
    kinds = np.array([meaning[line] for line in chosen])
    odd = np.flatnonzero(kinds == "odd")
    _check_lines(lines, where, quads, distinct=odd)
    # the other two are more similar to each other than either of them is to the odd one
    other = np.column_stack([a, b, b, c])[odd]
    answered, undecided = np.flatnonzero(kinds != "undecided"), np.flatnonzero(kinds == "undecided")
    compared, answers = np.concatenate([quads[answered], other]), where[np.concatenate([answered, odd])]
    _refuse_answered(lines, where[undecided], quads[undecided], answers, compared)
    return compared, weights[answers], quads[undecided]


def _check_lines(lines: Lines, where: IntArray, quads: IntArray, distinct: IntArray) -> None:
    """Raise an error for comparisons of a row or pair with itself."""
    near, far = np.sort(quads[:, :2], axis=1), np.sort(quads[:, 2:], axis=1)
    itself = (near[:, 0] == near[:, 1]) | (far[:, 0] == far[:, 1])
    itself[distinct] |= quads[distinct, 1] == quads[distinct, 3]
    for wrong, what in ((itself, "a row with itself"), ((near == far).all(axis=1), "a pair with itself")):
        if wrong.any():
            line = int(where[int(wrong.argmax())])
            raise ValueError(f"{lines.where(line)}: compares {what}. Remove the line, or correct one of its rows.")


def _refuse_answered(lines: Lines, asked: IntArray, unsure: IntArray, answers: IntArray, compared: IntArray) -> None:
    """Raise an error if another line answers an unanswered question; `asked` and `answers` are line numbers."""
    unsure, compared = as_questions(two_pairs(unsure)), as_questions(two_pairs(compared))
    twice = np.flatnonzero(is_answered(unsure, compared))
    if twice.size:
        answer = answers[int((compared == unsure[twice[0]]).all(axis=1).argmax())]
        raise ValueError(
            f"{lines.where(int(asked[twice[0]]))}: the question is answered in {lines.place(int(answer))}. Remove one "
            "of the two lines."
        )


def read_preferences(
    lines: Lines, meaning: Sequence[Any], left: IntArray, weights: FloatArray, n_samples: int
) -> list[Preference]:
    """The preferences of a table, each between two clusterings of the same table."""
    codes: dict[str, IntArray] = {}
    clusters: dict[str, dict[str, int]] = {}
    for line, kind in enumerate(meaning):
        if kind != "clustering":
            continue
        name, colon, cluster = str(lines.right[line]).partition(":")
        if not colon or not cluster.strip():
            raise ValueError(
                f"{lines.where(line)}: {lines.right[line]!r} is not a cluster. Write clustering:cluster, such as x0:2."
            )
        labels = codes.setdefault(name.strip(), np.full(n_samples, -1, dtype=np.int64))
        known = clusters.setdefault(name.strip(), {})
        code = known.setdefault(cluster, len(known))
        if labels[left[line]] not in (-1, code):
            raise ValueError(
                f"{lines.where(line)}: {lines.left[line]!s} is in two clusters of {name.strip()}. Remove one of them."
            )
        labels[left[line]] = code
    found = []
    for line, kind in enumerate(meaning):
        if kind != "better":
            continue
        names = [str(cell).strip() for cell in (lines.left[line], lines.right[line])]
        for name in names:
            if name not in codes:
                raise ValueError(
                    f"{lines.where(line)}: {name!r} is not a clustering in this file. Define it by one line for each "
                    f"row: row, {name}:cluster, clustering."
                )
        try:
            found.append(Preference(codes[names[0]], codes[names[1]], float(weights[line])))
        except ValueError as error:
            raise ValueError(f"{lines.where(line)}: {error}") from None
    return found


def other_lines(constraints: Constraints, names: Sequence[Any]) -> list[Line]:
    """The lines of comparisons, unanswered questions and preferences, as dicts."""
    comparisons = constraints.comparisons
    lines: list[Line] = [
        {"kind": "nearer", "weight": weight, **_cells(pairs, names)}
        for pairs, weight in zip(_two_pairs(comparisons), comparisons.weight.tolist(), strict=True)
    ]
    lines += [{"kind": "unsure", "weight": 1.0, **_cells(pairs, names)} for pairs in comparisons.unsure.tolist()]
    called: dict[bytes, str] = {}
    for preference in constraints.preferences:
        for codes in (preference.better, preference.worse):
            if codes.tobytes() in called:
                continue
            name = called[codes.tobytes()] = f"x{len(called)}"
            for row in np.flatnonzero(codes >= 0).tolist():
                lines.append({"left": names[row], "right": f"{name}:{codes[row]}", "kind": "clustering", "weight": 1.0})
    for preference in constraints.preferences:
        first, second = called[preference.better.tobytes()], called[preference.worse.tobytes()]
        lines.append({"left": first, "right": second, "kind": "better", "weight": preference.weight})
    return lines


def _two_pairs(comparisons: Comparisons) -> list[list[int]]:
    pairs: list[list[int]] = np.column_stack([comparisons.near, comparisons.far]).tolist()
    return pairs


def _cells(pairs: list[int], names: Sequence[Any]) -> Line:
    """The cells of a comparison: if its pairs share a row, three rows with the shared one first."""
    a, b, c, d = pairs
    shared = {a, b} & {c, d}
    if not shared:
        return {"left": names[a], "right": names[b], "third": names[c], "fourth": names[d]}
    first = shared.pop()
    return {"left": names[first], "right": names[a + b - first], "third": names[c + d - first]}
