"""scikit-learn's k-means for those who wait for it: start by start."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from ..._progress_legacy import each, heard


def fit_starts(model: KMeans, X: Any) -> KMeans:
    """``model`` fitted to X; where somebody listens its starts run one by one, with the same answer.

    Parameters
    ----------
    model : KMeans
        Its ``n_init`` is a number.
    X : (n, f) array or CSR matrix
    """
    if not heard() or model.n_init == 1:
        return model.fit(X)
    rng = check_random_state(model.random_state)
    best = None
    for _ in each(range(model.n_init)):
        run = clone(model).set_params(n_init=1, random_state=rng).fit(X)
        # of the same clustering, met twice, the first counts: the other names its clusters in another order
        if best is None or (run.inertia_ < best.inertia_ and not same_clusters(run.labels_, best.labels_)):
            best = run
    asked = model.get_params()
    vars(model).update({name: value for name, value in vars(best).items() if name not in asked})
    return model


def same_clusters(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two labelings differ in the names of clusters only.

    >>> same_clusters(np.array([0, 0, 1]), np.array([1, 1, 0]))
    True
    """
    pairs = len(np.unique(np.column_stack([left, right]), axis=0))
    return pairs == len(np.unique(left)) == len(np.unique(right))
