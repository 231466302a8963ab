"""New rows among the clusters of a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..clustering import ChainedClusterer


def place(model: Any, X: Any) -> np.ndarray:
    """The cluster of each new row, or where it lies if the model is a projection.

    Parameters
    ----------
    model : fitted model
        One that :func:`likewise.models.can_save` says yes to.
    X : (n, f) array or sparse matrix

    Returns
    -------
    (n,) ints, or (n, r) floats
    """
    if isinstance(model, ChainedClusterer):
        for step in model.steps_:
            X = step.transform(X)
        return np.asarray(model.clusterer_.predict(X), dtype=np.int32)
    return model.predict(X) if hasattr(model, "predict") else model.transform(X)
