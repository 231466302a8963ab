"""More rows that all differ than there are clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._arrays import BoolArray, IntArray
from ._conflicts import ConstraintConflictError
from ._validate import whole_number
from ._wording import counted, listed

if TYPE_CHECKING:
    from ._constraints import Constraints

_STARTS = 64  # greedy searches, from the groups with most cannot-links on


def find_clique(constraints: Constraints, n_clusters: int) -> tuple[int, ...] | None:
    """Look for more than `n_clusters` rows that are all different from each other."""
    n_clusters = whole_number(n_clusters, "n_clusters", least=1)
    closure = constraints.closure()
    clique = _from_partitions(closure.between, n_clusters)
    if clique is None:
        clique = _greedy(closure.between, n_clusters)
    if clique is None:
        return None
    _, first_row = np.unique(closure.groups, return_index=True)
    return tuple(sorted(first_row[clique].tolist()))


def raise_clique(constraints: Constraints, n_clusters: int) -> None:
    """Raise an error that names rows which `n_clusters` cannot hold, if any are found."""
    clique = find_clique(constraints, n_clusters)
    if clique is not None:
        raise ConstraintConflictError(
            f"rows {listed(clique, ', ')} are all different from each other, so "
            f"{counted(n_clusters, 'cluster')} cannot hold them; ask for at least {len(clique):,}.",
            clique=clique,
        )


def _from_partitions(between: Constraints, n_clusters: int) -> IntArray | None:
    """Take a clique that a partition states: one group of each block, or all groups of one block."""
    for partition in between.partitions:
        known = np.flatnonzero(partition.codes >= 0)
        if partition.different_across:
            _, one_each = np.unique(partition.codes[known], return_index=True)
            clique = known if partition.different_within else known[one_each]
        else:
            clique = np.flatnonzero(partition.codes == partition.block_sizes.argmax())
        if len(clique) > n_clusters:
            return clique
    return None


def _greedy(between: Constraints, n_clusters: int) -> IntArray | None:
    """Grow cliques group by group, always by the candidate with most cannot-links."""
    n_groups = between.n_samples
    degree = np.bincount(between.cannot_link.ravel(), minlength=n_groups)
    for partition in between.partitions:
        sizes = np.append(partition.block_sizes, 0)[partition.codes]
        implied = (partition.n_known - sizes) * partition.different_across + (sizes - 1) * partition.different_within
        degree += np.where(partition.codes >= 0, implied, 0)
    # a member of such a clique differs from n_clusters others at least
    candidates = np.flatnonzero(degree >= n_clusters)
    candidates = candidates[np.argsort(-degree[candidates], kind="stable")]
    both = np.concatenate([between.cannot_link, between.cannot_link[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    bounds = np.searchsorted(both[:, 0], np.arange(n_groups + 1))

    def differ(group: int, others: IntArray) -> BoolArray:
        stated = both[bounds[group] : bounds[group + 1], 1]
        mask = np.isin(others, stated)
        for partition in between.partitions:
            code, theirs = partition.codes[group], partition.codes[others]
            if code >= 0 and partition.different_across:
                mask |= (theirs >= 0) & (theirs != code)
            if code >= 0 and partition.different_within:
                mask |= (theirs == code) & (others != group)
        return mask

    for start in candidates[:_STARTS]:
        clique, left = [start], candidates[differ(start, candidates)]
        while left.size:
            clique.append(left[0])
            left = left[differ(left[0], left)]
        if len(clique) > n_clusters:
            return np.array(clique)
    return None
