"""The chapter on known classes: a contingency table of classes and clusters, and scores with and without hints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import BoolArray, IntArray
from ..evaluation import adjusted_rand_index, normalized_mutual_information
from ._facts import Facts
from ._markup import Html, element, joined, plain, table

ROOMY = 4
"""Maximum number of columns with complete cluster names."""

MAX_SHOWN = 30
"""Maximum number of classes and of clusters in the table, by size."""

SHADES = 4
"""Number of shades of the table."""


class Score(NamedTuple):
    """The agreement of clusters and classes."""

    nmi: float
    ari: float


class Scores(NamedTuple):
    """Scores with and without hints, and the number of rows with a known class."""

    after: Score
    before: Score | None
    untouched: Score | None
    """The score over rows without hints."""
    rows: int
    rows_untouched: int


def class_scores(facts: Facts) -> Scores | None:
    """The scores over the rows whose class is known; None if fewer than two classes are known."""
    codes = facts.class_codes
    if codes is None:
        return None
    known = codes >= 0
    if len(np.unique(codes[known])) < 2:
        return None
    untouched = known & ~facts.hinted
    some = not facts.constraints.is_empty and len(np.unique(codes[untouched])) > 1
    return Scores(
        _score(codes, facts.labels, known),
        None if facts.unsupervised is None else _score(codes, np.asarray(facts.model.unsupervised_labels_), known),
        _score(codes, facts.labels, untouched) if some else None,
        int(known.sum()),
        int(untouched.sum()),
    )


def classes(facts: Facts) -> Html | None:
    """The chapter; None if fewer than two classes are known."""
    scores = class_scores(facts)
    if scores is None:
        return None
    lines = [("all rows with a class", f"{scores.rows:,}", *_cells(scores.after))]
    if scores.untouched is not None:
        lines.append(("rows without a hint", f"{scores.rows_untouched:,}", *_cells(scores.untouched)))
    if scores.before is not None:
        lines.append(("all rows with a class, clustered without hints", f"{scores.rows:,}", *_cells(scores.before)))
    note = "Both scores are 1 if clusters and classes are the same, and about 0 if they have nothing in common."
    return joined(
        [
            element("p", "Known classes were not used to find the clusters, except those given as hints."),
            table(("", "rows", "NMI", "ARI"), lines),
            element("p", note, class_="note"),
            element("h3", "Which class is in which cluster"),
            _confusion(facts),
        ]
    )


def _confusion(facts: Facts) -> Html:
    """The contingency table of classes and clusters, both sorted by size."""
    codes = facts.class_codes
    assert codes is not None
    known = codes >= 0
    counts = np.zeros((len(facts.class_names), facts.n_clusters), dtype=np.int64)
    np.add.at(counts, (codes[known], facts.labels[known]), 1)
    columns = facts.by_size[:MAX_SHOWN].tolist()
    lines = np.argsort(-counts.sum(axis=1), kind="stable")[:MAX_SHOWN].tolist()
    head = ["", *(element("span", plain(facts.titles[number], 40), class_=f"chip c{number}") for number in columns)]
    rows = []
    for line in lines:
        most = max(int(counts[line].sum()), 1)
        cells = [plain(facts.class_names[line], 40)]
        for column in columns:
            count = int(counts[line, column])
            shade = -(-SHADES * count // most)
            cells.append(element("span", f"{count:,}" if count else "·", class_=f"heat n{shade}"))
        rows.append(cells)
    left_out = len(counts) - len(lines) + facts.n_clusters - len(columns)
    more = element("p", "Only the largest classes and clusters are shown.", class_="note") if left_out else None
    return joined([table(head, rows, kind="square roomy" if len(columns) <= ROOMY else "square"), more])


def _score(codes: IntArray, labels: IntArray, rows: BoolArray) -> Score:
    return Score(
        float(normalized_mutual_information(codes[rows], labels[rows])),
        float(adjusted_rand_index(codes[rows], labels[rows])),
    )


def _cells(score: Score) -> tuple[str, str]:
    return f"{score.nmi:.2f}", f"{score.ari:.2f}"
