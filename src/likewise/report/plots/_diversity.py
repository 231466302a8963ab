"""Members of an ensemble: how different they are, and how good."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ._figures import FAINT, INK, new_figure, save, style_axis


def diversity_quality(ensembles: Any, y: Any, *, path: str | Path | None = None) -> Any:
    """Draw a dot for each two members of an ensemble: the NMI between them against their mean NMI with the classes.

    Members should be good and differ: dots to the right, and low. A cross marks the mean.

    Parameters
    ----------
    ensembles : SubspaceMetricEnsemble, or mapping of name to one
        Fitted.
    y : (n,) labels
        The true classes.
    path : str or Path, optional
        Where to write it; the suffix names the format.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from likewise import Constraints, SubspaceMetricEnsemble
    >>> X, y = load_iris(return_X_y=True)
    >>> constraints = Constraints.sample(y, "equal", 20, random_state=0)
    >>> ensemble = SubspaceMetricEnsemble(3, n_subspaces=4, random_state=0).fit(X, constraints=constraints)
    >>> len(diversity_quality(ensemble, y).axes[0].collections[0].get_offsets())  # pairs of members
    6
    """
    named = ensembles if isinstance(ensembles, Mapping) else {type(ensembles).__name__: ensembles}
    figure = new_figure(6.4, 4.6)
    axis = figure.subplots()
    for number, (name, ensemble) in enumerate(named.items()):
        if not hasattr(ensemble, "diversity_quality"):
            raise TypeError(
                f"{name} is a {type(ensemble).__name__}, which has no members to compare. "
                "Pass a fitted SubspaceMetricEnsemble."
            )
        diversity, quality = ensemble.diversity_quality(y).T
        if not len(quality):
            raise ValueError(f"{name} has one member, and two are compared. Fit it with n_subspaces of 2 or more.")
        color = f"C{number % 10}"
        axis.scatter(quality, 1 - diversity, s=9, color=color, alpha=0.45, linewidths=0, label=name)
        axis.plot(quality.mean(), 1 - diversity.mean(), "+", color=INK, markersize=12, markeredgewidth=1.6)
    limits = np.array([axis.get_xlim(), axis.get_ylim()])
    low, high = limits[:, 0].min(), limits[:, 1].max()
    axis.plot([low, high], [low, high], color=FAINT, linewidth=0.8, zorder=0)
    style_axis(axis, "two members at a time", "quality: mean NMI with the classes", "NMI of the two with each other")
    axis.legend(frameon=False)
    return save(figure, path)
