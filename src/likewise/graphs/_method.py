"""The rule that chooses how neighbors are looked for."""

from __future__ import annotations

from enum import StrEnum

TREE = 12
"""Up to so many features a tree of boxes is the quickest."""

WORK = 10**12
"""So many multiplications are half a minute on two cores."""

SELECTION = 64
"""What it takes to rank one distance, as multiplications."""


class Way(StrEnum):
    """How neighbors are looked for."""

    TREE = "tree"
    """A tree of boxes (k-d tree). Exact."""
    BLOCKS = "blocks"
    """Every row with every other, a block at a time. Exact."""
    APPROXIMATE = "approximate"
    """Only among rows that are likely: cells around for the nearest, rows far out for the farthest. Recall is known."""
    FAISS = "faiss"
    """Only among rows that are likely, as the package faiss finds them. Recall is known."""


def choose_search(
    search: str,
    n_queries: int,
    n_rows: int,
    width: int,
    *,
    boxes: bool = True,
    dense: bool = True,
    plain: bool = True,
) -> Way:
    """The way that a search takes: a pure function of sizes and of what the distances allow.

    Parameters
    ----------
    search : {"auto", "exact", "approximate", "faiss"}
    n_queries, n_rows : int
    width : int
        Features, and coordinates of a correction if there is one.
    boxes : bool
        Whether a tree would do: Euclidean distances, nearest rows.
    dense : bool
        Whether rows are dense, without which nothing is approximated.
    plain : bool
        Whether faiss would do: nearest rows, by Euclidean or cosine distances.

    Notes
    -----
    =================================================  ===========
    dense rows, boxes, width ≤ 12                      tree
    n_queries · n_rows · (width + 64) ≤ 10¹²           blocks
    more, and rows are dense                           approximate
    more, and sparse, or search="exact"                blocks
    search="approximate"                               approximate; an error for sparse rows
    search="faiss"                                     faiss; an error for sparse rows, or where it would not do
    =================================================  ===========

    Examples
    --------
    >>> print(choose_search("auto", 10_000, 10_000, 16))
    blocks
    >>> print(choose_search("auto", 200_000, 200_000, 64))
    approximate
    """
    if search in (Way.APPROXIMATE, Way.FAISS):
        if not dense:
            raise ValueError(
                f'search="{search}" takes dense rows, and these are sparse. Reduce them first, for example with '
                'TruncatedSVD, or use search="exact".'
            )
        if search == Way.FAISS and not plain:
            raise ValueError(
                'search="faiss" finds nearest rows by Euclidean or cosine distances. Farthest rows, and distances '
                'after must-links collapsed, are not for it; DSP asks for both. Use search="approximate".'
            )
        return Way(search)
    if boxes and dense and width <= TREE:
        return Way.TREE
    if search == "auto" and dense and n_queries * n_rows * (width + SELECTION) > WORK:
        return Way.APPROXIMATE
    return Way.BLOCKS
