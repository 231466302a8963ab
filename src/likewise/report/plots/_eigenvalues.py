"""The eigenvalue of each direction of a projection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._figures import INK, new_figure, save, style_axis


def eigenvalue_share(projections: Any, *, path: str | Path | None = None) -> Any:
    """Draw the eigenvalue of each direction, largest first: directions after a clear drop add little.

    For most methods it is a share between 0 and 1: the part of all spread along the direction that is wanted. For those
    with an indefinite form (SSDR, GCDR, LPPSI) it is the quotient of the two forms, and has no such bounds.

    Parameters
    ----------
    projections : Projection, or mapping of name to one
        Fitted; anything with ``share_``.
    path : str or Path, optional
        Where to write it; the suffix names the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import RCA
    >>> X, y = load_iris(return_X_y=True)
    >>> len(eigenvalue_share(RCA(n_components=3).fit(X, y)).axes[0].lines)
    1
    """
    named = projections if isinstance(projections, Mapping) else {type(projections).__name__: projections}
    figure = new_figure(6.4, 4.0)
    axis = figure.subplots()
    bounded = True
    for number, (name, projection) in enumerate(named.items()):
        if not hasattr(projection, "share_"):
            raise TypeError(
                f"{name} is a {type(projection).__name__} without share_. Pass a fitted projection, such as Costco."
            )
        share = np.asarray(projection.share_, dtype=float)
        bounded &= bool(share.min(initial=0) >= 0 and share.max(initial=0) <= 1 + 1e-9)
        axis.plot(np.arange(1, len(share) + 1), share, marker="o", markersize=4, color=f"C{number % 10}", label=name)
    style_axis(axis, "", "direction", "share" if bounded else "eigenvalue")
    if bounded:
        axis.set_ylim(-0.02, 1.04)
    axis.xaxis.get_major_locator().set_params(integer=True)
    axis.legend(frameon=False, labelcolor=INK)
    return save(figure, path)
