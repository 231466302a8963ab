"""Groups of must-linked rows."""

from __future__ import annotations

import numpy as np

from .._arrays import FloatArray
from ..constraints import Constraints

SINGLETONS = ("all", "none", "constrained", "auto")


def group_codes(constraints: Constraints, singletons: str, weight: FloatArray | None = None) -> np.ndarray:
    """The must-link group of each row; −1 for rows left out.

    Parameters
    ----------
    singletons : {"all", "none", "constrained", "auto"}
        How to treat groups of one row. "all" keeps them; "none" leaves them out; "constrained" keeps those with a
        cannot-link or label; "auto" is "none" if at least a tenth of the rows have must-links, and "all" otherwise,
        since the few groups would span too little.
    weight : (n,) array, optional
        The weight of each row.
    """
    groups = constraints.groups()
    if singletons == "all":
        return groups
    grouped = np.bincount(groups)[groups] > 1
    if singletons == "auto":
        return groups if np.average(grouped, weights=weight) < 0.1 else np.where(grouped, groups, -1)
    kept = grouped | constraints.constrained_rows() if singletons == "constrained" else grouped
    return np.where(kept, groups, -1)


def n_independent_links(constraints: Constraints) -> int:
    """The number of must-links that do not follow from others: s − 1 for a group of s rows."""
    groups = constraints.groups()
    return len(groups) - int(groups.max(initial=-1)) - 1
