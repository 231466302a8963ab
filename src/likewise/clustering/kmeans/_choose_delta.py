"""The width of SKK-means' kernel, chosen by cannot-links."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ...constraints import Constraints
from ...graphs import cannot_link_graph
from ...graphs._kernel import median_distance
from ._kernel import SKKMeans
from ._penalties import Penalties

GRID = (0.25, 0.5, 2**-0.5, 1.0, 2**0.5, 2.0, 4.0)
"""The widths that :func:`choose_delta` tries, in units of the median distance between rows."""


def choose_delta(
    X: Any,
    constraints: Constraints,
    n_clusters: int,
    grid: Sequence[float] | None = None,
    *,
    n_init: int = 10,
    random_state: Any = None,
) -> float:
    """The kernel width at which SKK-means keeps most cannot-links apart; of equals the middle one.

    This is how the DSP paper sets δ. Must-links shape the kernel, cannot-links judge it. The median distance between
    rows is the safer choice when cannot-links are few.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    constraints : Constraints
    n_clusters : int
    grid : floats, optional
        Widths to try. Default: ¼, ½, 1/√2, 1, √2, 2 and 4 times the median distance between rows.
    n_init, random_state
        For each SKK-means.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from likewise import Constraints
    >>> from likewise.clustering import choose_delta
    >>> X = np.array([[0.0], [0.2], [5.0], [5.3], [5.1]])
    >>> hints = Constraints(5, must_link=[(0, 1)], cannot_link=[(0, 2), (1, 3)])
    >>> choose_delta(X, hints, 2, grid=[1.0, 2.0, 4.0], random_state=0)
    2.0
    """
    widths = np.sort(np.asarray([m * median_distance(X) for m in GRID] if grid is None else grid, dtype=float))
    if not len(widths) or widths[0] <= 0:
        raise ValueError(f"grid must hold widths above 0, got {widths.tolist()}.")
    if constraints.n_cannot_link == 0:
        raise ValueError(
            f"choose_delta judges by cannot-links, and the constraints hold none: {constraints!r}. Use delta='median'."
        )
    apart = Penalties(cannot_link_graph(constraints))
    rng = check_random_state(random_state)
    seed = rng.randint(2**31 - 1)
    broken = []
    for delta in widths:
        model = SKKMeans(n_clusters, delta=float(delta), n_init=n_init, random_state=seed)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "delta=.* is less than half")  # that is for the cannot-links to judge
            broken.append(apart.total(model.fit(X, constraints=constraints).labels_))
    best = np.flatnonzero(np.isclose(broken, min(broken), rtol=1e-9, atol=1e-9))
    return float(widths[best[(len(best) - 1) // 2]])
