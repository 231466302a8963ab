"""Whether links indicate similarity, estimated from labels or constraints."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arrays import BoolArray, IntArray
from ...constraints import Constraints
from ...constraints._overlap import implies
from ...constraints._validate import encode_labels
from ._read import link_matrix, undirected_pairs

MIN_LINKS = 10
"""Minimum number of links between rows of known class for a verdict."""

Z = 1.96
"""Standard errors of a 95 % interval."""


@dataclass(frozen=True)
class Homophily:
    """How often links join documents of the same class.

    Attributes
    ----------
    share : float
        Share of links within a class, among those between documents of known class. NaN if there are none.
    chance : float
        The share expected for links that are independent of classes.
    n_links : int
        Number of links between documents of known class.
    low, high : float
        95 % confidence interval of the share (Wilson's).
    """

    share: float
    chance: float
    n_links: int
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """One word: "similar", "unrelated", "opposite", or "unknown" with fewer than 10 links to judge by."""
        if self.n_links < MIN_LINKS or not np.isfinite(self.chance):
            return "unknown"
        if self.low > self.chance:
            return "similar"
        return "opposite" if self.high < self.chance else "unrelated"

    def __str__(self) -> str:
        if self.n_links == 0:
            return "no link has two known ends: it is not known whether links indicate similarity"
        share, chance = f"{self.share:.0%} of {self.n_links:,} links", f"{self.chance:.0%} by chance"
        return f"{share} with two known ends join one class, {chance}: {self.verdict}"


def homophily(links: Any, known: Any, *, ids: Any = None, warn: bool = True) -> Homophily:
    """Estimate whether links indicate similarity, from the classes of a few documents.

    Call this before using links as must-links. Papers cite papers on their own subject (Cora: 81 % of the links, 17 %
    by chance), but the page of a course links to its teacher, not to other courses (WebKB: 14 %, 28 % by chance).

    Parameters
    ----------
    links : (m, 2) array-like, (n, n) sparse matrix, networkx graph, or path of a table
        See :func:`~likewise.sources.links.link_matrix`.
    known : Constraints, or (n,) array-like of labels
        Labels are −1, None or NaN where unknown. With constraints, a link is used if its documents are must-linked or
        cannot-linked, directly or by implication.
    ids : list-like, optional
        Ids of the documents, if the links name them.
    warn : bool
        Whether to warn (UserWarning) if links are unrelated to classes or join different classes.

    Returns
    -------
    Homophily
        With ``share``, ``chance``, ``n_links`` and a ``verdict``.

    Notes
    -----
    With labels, ``chance`` is the share expected if links were rewired at random while every document keeps its number
    of links (Newman's assortativity). With constraints, it is the share of must-links among their pairs, but at most
    one half, since must-links alone do not determine it.

    Examples
    --------
    >>> from likewise.sources.links import homophily
    >>> links = [(i, i + 2) for i in range(40)]
    >>> print(homophily(links, [i % 2 for i in range(42)]))
    100% of 40 links with two known ends join one class, 50% by chance: similar
    >>> homophily([(0, 1)], [3, -1]).verdict
    'unknown'
    """
    if isinstance(known, Constraints):
        pairs = undirected_pairs(link_matrix(links, known.n_samples, ids=ids))
        same, chance = _from_constraints(pairs, known)
    else:
        codes, _ = encode_labels(known)
        pairs = undirected_pairs(link_matrix(links, len(codes), ids=ids))
        same, chance = _from_labels(pairs, codes)
    result = _judged(same, chance)
    if warn and result.verdict in ("unrelated", "opposite"):
        warnings.warn(
            f"links do not indicate similarity here: {result}. Do not use them as must-links.",
            UserWarning,
            stacklevel=2,
        )
    return result


def _judged(same: BoolArray, chance: float) -> Homophily:
    m = len(same)
    if m == 0:
        return Homophily(np.nan, chance, 0, 0.0, 1.0)
    share = float(same.mean())
    middle = (share + Z**2 / (2 * m)) / (1 + Z**2 / m)
    reach = Z / (1 + Z**2 / m) * np.sqrt(share * (1 - share) / m + Z**2 / (4 * m**2))
    return Homophily(share, chance, m, float(middle - reach), float(middle + reach))


def _from_labels(pairs: IntArray, codes: IntArray) -> tuple[BoolArray, float]:
    ends = codes[pairs]
    ends = ends[(ends >= 0).all(axis=1)]
    if not len(ends):
        return np.empty(0, dtype=bool), np.nan
    per_class = np.bincount(ends.ravel()) / ends.size
    return ends[:, 0] == ends[:, 1], float(np.square(per_class).sum())


def _from_constraints(pairs: IntArray, constraints: Constraints) -> tuple[BoolArray, float]:
    partitions = constraints.partitions
    labels_alone = not len(constraints.must_link) and not len(constraints.cannot_link) and len(partitions) == 1
    if labels_alone and partitions[0].same_within and partitions[0].different_across:
        return _from_labels(pairs, partitions[0].codes)
    n_pairs = constraints.n_must_link + constraints.n_cannot_link
    chance = min(constraints.n_must_link / n_pairs, 0.5) if n_pairs else np.nan
    closure = constraints.drop_conflicts()[0].closure()
    ends = closure.groups[pairs]
    same = ends[:, 0] == ends[:, 1]
    differ = np.zeros(len(pairs), dtype=np.bool_)
    for partition in closure.between.partitions:
        differ |= implies(partition, "cannot", ends) & ~same
    n = closure.n_groups
    apart = closure.between.cannot_link
    differ |= np.isin(ends.min(axis=1) * n + ends.max(axis=1), apart[:, 0] * n + apart[:, 1])
    return same[same | differ], float(chance)
