"""Known classes for evaluation: scores of the clusters, and a warning about features that look like classes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..constraints._format import pluralize
from ..evaluation import adjusted_rand_index, matched_accuracy, normalized_mutual_information
from ..tables import RawTable, as_texts

if TYPE_CHECKING:
    from ..prepare import Rows

ANSWER = re.compile(
    r"(class(es)?|labels?|targets?|y|species|variety|diagnos[ie]s|outcome|(sub)?types?|cell[ _-]?types?|category|"
    r"ground[ _-]?truth|truth|cluster|disease|survived|churn(ed)?|(is_)?fraud|topic)",
    re.IGNORECASE,
)
"""Names of columns that often contain classes."""

MAX_CLASSES = 30


class Truth(NamedTuple):
    """Known classes that are neither features nor hints."""

    column: str
    classes: list[str | None]

    @classmethod
    def of(cls, column: str, cells: Any) -> Truth:
        """The classes in a column; -1 and empty cells are unknown."""
        classes = [None if text in (None, "-1") else text for text in as_texts(cells)]
        if len(set(classes) - {None}) < 2:
            raise ValueError(
                f"--truth {column}: the column has fewer than two classes. Name the column that holds them."
            )
        return cls(column, classes)

    @property
    def known(self) -> list[int]:
        """The rows whose class is known."""
        return [row for row, name in enumerate(self.classes) if name is not None]

    def scores(self, labels: Any) -> dict[str, float]:
        """How well clusters agree with the classes, over the rows whose class is known."""
        known = self.known
        classes = np.array([self.classes[row] for row in known])
        found = np.asarray(labels)[known]
        return {
            "nmi": normalized_mutual_information(classes, found),
            "ari": adjusted_rand_index(classes, found),
            "accuracy": matched_accuracy(classes, found),
        }

    def sentence(self, labels: Any, unsupervised: Any = None) -> str:
        """The scores in words, beside those of the result without hints if there is one."""
        rows = f"{pluralize(len(self.known), 'row')} of known class"
        text = f"compared with {self.column!r} ({rows}): {_words(self.scores(labels))}"
        return text if unsupervised is None else f"{text}; without hints: {_words(self.scores(unsupervised))}"


def _words(scores: dict[str, float]) -> str:
    return f"NMI {scores['nmi']:.2f}, ARI {scores['ari']:.2f}, accuracy {scores['accuracy']:.0%}"


def note_answer_columns(raw: RawTable, rows: Rows, chosen: Sequence[str] | None) -> None:
    """Warn if a feature looks like known classes, since it would determine the clusters."""
    if raw.matrix is not None or raw.images is not None or chosen is not None:
        return
    left_out = {*rows.features.left_out_, rows.id_column, rows.label_column}
    for name, cells in raw.columns.items():
        if name in left_out or not ANSWER.fullmatch(name.strip()):
            continue
        classes = {text for text in as_texts(cells) if text is not None}
        if 2 <= len(classes) <= min(MAX_CLASSES, raw.n // 2):
            warnings.warn(
                f"column {name!r} has {len(classes)} different values and is used as a feature. If it contains known "
                f"classes: --truth {name} compares the clusters with it, --label {name} uses it as hints, and "
                f"--ignore {name} leaves it out.",
                stacklevel=2,
            )
