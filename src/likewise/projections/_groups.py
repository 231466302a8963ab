"""Groups of must-linked rows."""

from __future__ import annotations

import numpy as np

from .._arrays import FloatArray
from ..constraints import Constraints

SINGLETONS = ("all", "none", "constrained", "auto")


def group_codes(constraints: Constraints, singletons: str, weight: FloatArray | None = None) -> np.ndarray:
    """The closed group of each row, −1 for rows left out.

    Parameters
    ----------
    singletons : {"all", "none", "constrained", "auto"}
        What becomes of groups of one row. "all" keeps them; "none" leaves them out; "constrained" keeps those that
        a cannot-link or label involves; "auto" is "none" once must-links join a tenth of the rows, and "all"
        before, when the few groups span too little.
    weight : (n,) array, optional
        How many rows each row counts as.
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
    """How many must-links join the groups if none is redundant: s − 1 for a group of s rows, however it is stated."""
    groups = constraints.groups()
    return len(groups) - int(groups.max(initial=-1)) - 1
