"""The links themselves as hints, and beliefs in which no hub drowns the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...constraints import Constraints
from ._read import link_matrix, undirected_pairs


def linked_pairs(links: Any, n_samples: int | None = None, *, ids: Any = None) -> Constraints:
    """Every link a must-link, believed alike.

    On Cora this is hard to beat: 81 % of its links join papers of one class.

    >>> linked_pairs([(0, 1), (1, 0), (2, 1)], 4)
    Constraints(4 rows: 2 must-links)
    """
    matrix = link_matrix(links, n_samples, ids=ids)
    return Constraints(matrix.shape[0], undirected_pairs(matrix))


def balanced(pairs: Constraints) -> Constraints:
    """The same must-links with every document counting about alike: w_ij / √(d_i d_j), d the sum of its beliefs.

    A hub is in thousands of core pairs and its words drown those of all others. On Cora, Costco with local core pairs
    and cosine k-means reach an NMI of 0.43 as they are, 0.50 balanced.

    >>> balanced(Constraints(4, must_link=[(0, 1), (0, 2), (0, 3)])).must_weight.round(2).tolist()
    [0.58, 0.58, 0.58]
    """
    ends, belief = pairs.must_link, pairs.must_weight
    degree = np.bincount(ends.ravel(), weights=np.repeat(belief, 2), minlength=pairs.n_samples)
    weight = belief / np.sqrt(degree[ends[:, 0]] * degree[ends[:, 1]])
    return Constraints(pairs.n_samples, ends, pairs.cannot_link, weight, pairs.cannot_weight, pairs.partitions)
