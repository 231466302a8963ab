"""Models to files and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy
import sklearn

from ..front import Likewise
from ..prepare import Recipe
from ._coding import put_together, taken_apart
from ._container import damaged, read_container, write_container
from ._front import likewise_from, likewise_state
from ._parts import from_state, to_state


@dataclass(frozen=True)
class Saved:
    """What a model file holds.

    Attributes
    ----------
    model : fitted model
        Places new rows exactly as the one that was saved.
    recipe : Recipe or None
        How its data was prepared; new data must be, too (:func:`likewise.prepare.read_like`).
    meta : dict
        What else was written down: the method, the seed, the report.
    made_with : dict
        Versions of likewise, numpy, scipy and scikit-learn. With others the last digit may differ.
    """

    model: Any
    recipe: Recipe | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    made_with: dict[str, str] = field(default_factory=dict)


def save(
    path: str | os.PathLike[str], model: Any, recipe: Recipe | None = None, meta: Mapping[str, Any] | None = None
) -> Path:
    """Write a fitted model to a file that anyone may open safely; the file is whole or not there.

    Parameters
    ----------
    path : path
        By custom it ends in .likewise.
    model : fitted model
        :class:`likewise.Likewise`, a projection, a k-means of this package or scikit-learn's, ``ProjectThenCluster``,
        ``NetworkedDocuments``, or a chain of these.
    recipe : Recipe, optional
        ``Rows.fitted`` of the data.
    meta : mapping, optional
        Plain values to keep beside it.

    Notes
    -----
    The file holds the rows that new ones are compared with: whoever may not see the data must not see the file.
    """
    arrays: dict[str, np.ndarray] = {}
    state = likewise_state(model) if type(model) is Likewise else to_state(model)
    document = {
        "made_with": {"numpy": np.__version__, "scipy": scipy.__version__, "scikit-learn": sklearn.__version__},
        "class": state["class"],
        "model": taken_apart(state, arrays, "model"),
        "recipe": None if recipe is None else taken_apart(recipe.state(), arrays, "recipe"),
        "meta": taken_apart(dict(meta or {}), arrays, "meta"),
    }
    return write_container(path, document, arrays)


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a model file. Nothing in it is ever run, so a file from a stranger can do no harm.

    Raises
    ------
    ModelFileError
        If it is no model file, is damaged, or was written by a later version.
    """
    document, arrays = read_container(path)
    try:
        state = put_together(document["model"], arrays)
        model = likewise_from(state) if state["class"] == "Likewise" else from_state(state)
        recipe = document["recipe"]
        return Saved(
            model,
            None if recipe is None else Recipe.from_state(put_together(recipe, arrays)),
            put_together(document["meta"], arrays),
            {"likewise": str(document["likewise"]), **document["made_with"]},
        )
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
        raise damaged(path, f"its parts do not fit together ({type(error).__name__}: {error})") from None
