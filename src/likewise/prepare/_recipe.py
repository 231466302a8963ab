"""The recipe: how columns become numbers that can be compared, learned once and applied to new data alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from .._progress import stage
from .._saved import Saved
from ..tables import RawTable
from ._categories import Categories
from ._images import Images
from ._numbers import Numbers
from ._roles import Roles
from ._text_column import Text


def _check_blocks(recipe: Any) -> None:
    recipe.weights = [float(weight) for weight in recipe.weights]
    if len(recipe.blocks) != len(recipe.weights) or not recipe.blocks:
        raise ValueError(f"a recipe of {len(recipe.blocks)} blocks has {len(recipe.weights)} weights")


@dataclass(eq=False)
class Recipe:
    """What was made of a file.

    Columns of one kind form a block:

    ===========  ==========================================================================================
    numbers      alone: as they are where their ranges are alike, tf-idf where they are counts, else each
                 column with mean 0 and variance 1; beside other kinds always the last
    categories   one column of zeros and ones for each level
    text         unit rows of tf-idf weights, by :class:`likewise.prepare.TextFeatures`
    images       32 × 32 pixels
    ===========  ==========================================================================================

    Several blocks stand side by side, each divided by the root of its total variance: no kind of column drowns another
    because it comes as more columns. They make a sparse matrix, whose rows methods compare by their direction; the
    columns of a dense one they would scale one by one, and undo this.

    Attributes
    ----------
    blocks : list
    weights : list of float
        What each block is multiplied by.
    id : str or None
        The column of ids.
    left_out : dict of str to str
        Columns that are not used, and why.
    """

    _saved: ClassVar[Saved] = Saved(
        ("weights", "id", "left_out"), parts={"blocks": (Numbers, Categories, Text, Images)}, check=_check_blocks
    )

    blocks: list[Any]
    weights: list[float]
    id: str | None = None
    left_out: dict[str, str] = field(default_factory=dict)

    @classmethod
    def learn(
        cls,
        raw: RawTable,
        roles: Roles,
        *,
        impute: str | None = None,
        language: str = "english",
    ) -> tuple[Self, Any]:
        """Learn from a file, and return what it comes to."""
        made: list[tuple[Any, Any]] = []
        mixed = bool(roles.categories or roles.texts)
        if raw.images is not None:
            made.append(Images.learn(raw))
        if raw.matrix is not None:
            made.append(Numbers.learn(raw, None, impute=impute, mixed=False))
        if roles.numbers:
            made.append(Numbers.learn(raw, tuple(roles.numbers), impute=impute, mixed=mixed))
        if roles.categories:
            made.append(Categories.learn(raw, tuple(roles.categories), impute=impute))
        for column in roles.texts:
            alone = len(roles.texts) == 1
            with stage(f"words of {column}"):
                made.append(Text.learn(raw, column, impute=impute, language=language, alone=alone))
        if not made:
            why = "; ".join(f"{name!r} ({reason})" for name, reason in roles.left_out.items()) or "nothing else"
            raise ValueError(
                f"{raw.source} has no column to compare rows by: no numbers, no categories, no texts, only {why}. "
                "Name a column of texts with --text."
            )
        weights = [1.0] if len(made) == 1 else [_equal_weight(X) for _, X in made]
        recipe = cls([block for block, _ in made], weights, roles.id, roles.left_out)
        return recipe, recipe._joined([X for _, X in made])

    def apply(self, raw: RawTable) -> Any:
        """What new data comes to: the same columns, levels, words, means and weights."""
        parts = [block.apply(raw) for block in self.blocks]
        return self._joined(parts)

    def _joined(self, parts: list[Any]) -> Any:
        if len(parts) == 1:
            return parts[0]
        scaled = [sparse.csr_matrix(part * weight) for part, weight in zip(parts, self.weights, strict=True)]
        return sparse.csr_matrix(sparse.hstack(scaled))

    @property
    def feature_names(self) -> tuple[str, ...]:
        """One for each column."""
        return tuple(name for block in self.blocks for name in block.names)

    @property
    def text(self) -> str | None:
        """The first column of texts."""
        return next((block.column for block in self.blocks if isinstance(block, Text)), None)

    def __str__(self) -> str:
        said = [block.sentence for block in self.blocks]
        if len(self.blocks) > 1:
            said.append("all parts brought to the same total variance")
        if self.left_out:
            said.append("left out: " + ", ".join(f"{name!r} ({why})" for name, why in self.left_out.items()))
        return "; ".join(said)


def _equal_weight(X: Any) -> float:
    """What brings the total variance to 1; a block that does not vary stays as it is."""
    if sparse.issparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        total = float(X.multiply(X).sum()) / X.shape[0] - float(mean @ mean)
    else:
        total = float(X.var(axis=0).sum())
    return 1.0 / np.sqrt(total) if total > 1e-12 else 1.0
