"""Text: unit rows of tf-idf weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from .._saved import Saved
from ..tables import RawTable, is_missing_cell
from ._text import TextFeatures


@dataclass(eq=False)
class Text:
    """A column of texts through :class:`likewise.prepare.TextFeatures`.

    Attributes
    ----------
    column : str
    features : TextFeatures
        Fitted.
    impute : str or None
        Where this is not None, a missing text counts as one without words; else it is an error.
    alone : bool
        Whether this is the only text, so that its words need no name before them.
    """

    _saved: ClassVar[Saved] = Saved(("column", "impute", "alone"), parts={"features": TextFeatures})

    column: str
    features: TextFeatures
    impute: str | None = None
    alone: bool = True

    @classmethod
    def fit(cls, raw: RawTable, column: str, *, impute: str | None, language: str, alone: bool) -> tuple[Self, Any]:
        """Learn the words of a column, and return their weights."""
        block = cls(column, TextFeatures(language=language), impute, alone)
        try:
            return block, block.features.fit_transform(texts_of(raw, column, impute))
        except ValueError as error:
            raise ValueError(f"{raw.source}, column {column!r}: {error}") from None

    def transform(self, raw: RawTable) -> Any:
        """The same for new data."""
        return self.features.transform(texts_of(raw, self.column, self.impute))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features: words."""
        words = self.features.get_feature_names_out().tolist()
        return tuple(words) if self.alone else tuple(f"{self.column}:{word}" for word in words)

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        return f"texts in {self.column!r} as tf-idf weights of {len(self.features.stems_):,} words"


def texts_of(raw: RawTable, column: str, impute: str | None) -> list[str]:
    """The texts of a column. A text of a folder may be empty; a cell of a table only with ``impute``."""
    found = []
    for row, cell in enumerate(raw.column(column)):
        if cell is None or (raw.text != column and is_missing_cell(cell)):
            if impute is None:
                raise ValueError(
                    f"{raw.source}, {raw.where(row)}, column {column!r} has no text. Fill it in, leave the row out, "
                    f"let it count as a text without words with {raw.option('impute', 'zero')}, or choose other "
                    f"columns with {raw.option('columns')}."
                )
            cell = ""
        found.append(str(cell))
    return found
