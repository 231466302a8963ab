"""What a file comes to: rows ready to be compared, and who they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ._recipe import Recipe


class Names(NamedTuple):
    """Who the rows of a file are, without what they are compared by."""

    ids: list[str]
    id_column: str | None
    labels: list[str | None] | None
    label_column: str | None
    columns: tuple[str, ...]
    """all that the file has"""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a data set of one's own.

    Attributes
    ----------
    X : (n, f) array or CSR matrix
        What is compared.
    ids : list of str
        The name of each row; its number, counted from 0, where the file names none.
    labels : list of str or None, or None
        The class of each row, None where it is unknown; None where the file has no classes.
    texts : list of str or None
        What each row says, if it says something.
    images : list of Path or None
        The picture of each row, if rows are pictures.
    feature_names : tuple of str
        One for each column of X.
    recipe : str
        How X came about, in a sentence.
    fitted : Recipe
        The same, to be applied to new data.
    id_column, label_column : str or None
        Where ids and labels were found.
    """

    X: Any
    ids: list[str]
    labels: list[str | None] | None
    texts: list[str] | None
    images: list[Path] | None
    feature_names: tuple[str, ...]
    recipe: str
    fitted: Recipe
    id_column: str | None = None
    label_column: str | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_labeled(self) -> int:
        """How many rows have a known class."""
        return 0 if self.labels is None else sum(label is not None for label in self.labels)
