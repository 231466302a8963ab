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
    alone : bool
        Whether this is the only text, so that its words need no name before them.
    """

    _saved: ClassVar[Saved] = Saved(("column", "alone"), parts={"features": TextFeatures})

    column: str
    features: TextFeatures
    alone: bool = True

    @classmethod
    def fit(cls, raw: RawTable, column: str, *, language: str, alone: bool) -> tuple[Self, Any]:
        """Learn the words of a column, and return their weights."""
        block = cls(column, TextFeatures(language=language), alone)
        try:
            return block, block.features.fit_transform(texts_of(raw, column))
        except ValueError as error:
            raise ValueError(f"{raw.source}, column {column!r}: {error}") from None

    def transform(self, raw: RawTable) -> Any:
        """The same for new data."""
        return self.features.transform(texts_of(raw, self.column))

    @property
    def columns(self) -> tuple[str, ...]:
        """The column, as other blocks have several."""
        return (self.column,)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features: words."""
        words = self.features.get_feature_names_out().tolist()
        return tuple(words) if self.alone else tuple(f"{self.column}:{word}" for word in words)

    @property
    def sentence(self) -> str:
        """What was done, in words."""
        return f"texts in {self.column!r} as tf-idf weights of {len(self.features.stems_):,} words"


def texts_of(raw: RawTable, column: str) -> list[str]:
    """The texts of a column; a missing one has no words."""
    keep = raw.text == column  # a folder of texts: what a file says is its text, be it "NA"
    cells = raw.column(column)
    return ["" if cell is None or (not keep and is_missing_cell(cell)) else str(cell) for cell in cells]
