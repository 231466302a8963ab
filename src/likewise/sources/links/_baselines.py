"""Links beside words without core pairs: the baselines of the papers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..._arrays import FloatArray
from ...linalg._unit_rows import unit_rows
from ._read import link_matrix, undirected
from ._walks import unit_documents


def links_only(links: Any, n_samples: int | None = None, *, ids: Any = None) -> sparse.csr_array:
    """Documents described by their links alone: row i has the neighbors of i, and i, at unit length.

    Cluster the rows by cosine ("Links" of the thesis), or take ``A @ A.T`` as their similarity: the cosine of who is
    linked with whom. A document counts as its own neighbor, so that linked ones are similar even if they share no
    third.

    Parameters
    ----------
    links : links
        See :func:`~likewise.sources.links.link_matrix`.
    n_samples : int, optional
        Number of documents; needed where the links do not show it.
    ids : list-like, optional
        Ids of the documents, if the links name them.

    Returns
    -------
    (n, n) csr_array

    Examples
    --------
    >>> from likewise.sources.links import links_only
    >>> A = links_only([(0, 1), (2, 3)], 4)
    >>> (A @ A.T).toarray().round(2)
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """
    matrix = undirected(link_matrix(links, n_samples, ids=ids))
    return sparse.csr_array(unit_rows(sparse.csr_array(matrix + sparse.eye_array(matrix.shape[0]))))


def augmented(X: Any, links: Any, *, weight: float = 1.0, ids: Any = None) -> sparse.csr_array:
    """Words and links side by side ("Augmented"): the columns of X, then one column for each document linked with.

    Cluster the rows by (cosine) k-means.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    links : links
        See :func:`~likewise.sources.links.link_matrix`.
    weight : float
        Length of the part of the links; that of the words is 1. Rows are not scaled again.
    ids : list-like, optional
        Ids of the documents, if the links name them.

    Returns
    -------
    (n, f + n) csr_array

    References
    ----------
    S. Yan, PhD thesis, Pennsylvania State University, 2010, Section 5.7.2 (after Modha and Spangler 2000).

    Examples
    --------
    >>> from likewise.sources.links import augmented
    >>> augmented([[3.0, 4.0], [1.0, 0.0]], [(0, 1)]).toarray().round(2)
    array([[0.6 , 0.8 , 0.71, 0.71],
           [1.  , 0.  , 0.71, 0.71]])
    """
    if not weight >= 0:
        raise ValueError(f"weight must be 0 or more, got {weight!r}.")
    words = sparse.csr_array(unit_documents(X))
    return sparse.csr_array(sparse.hstack([words, weight * links_only(links, words.shape[0], ids=ids)]))


def linear_combination(X: Any, links: Any, weight: float = 0.5, *, ids: Any = None) -> FloatArray:
    """Similarity of words and of links in one ("L-Comb"): (1 − weight)·cosine of words + weight·cosine of links.

    An affinity for a normalized cut: ``NormalizedCut(k, affinity="precomputed")``. Dense (n, n), for the sizes that
    the thesis compares.

    Parameters
    ----------
    X : (n, f) array or sparse matrix
    links : links
        See :func:`~likewise.sources.links.link_matrix`.
    weight : float in [0, 1]
        The share of the links.
    ids : list-like, optional
        Ids of the documents, if the links name them.

    Returns
    -------
    (n, n) array

    References
    ----------
    S. Yan, PhD thesis, Pennsylvania State University, 2010, Section 5.7.2 (after He et al. 2002, Neville et al. 2003).

    Examples
    --------
    >>> from likewise.sources.links import linear_combination
    >>> linear_combination([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], [(0, 1)], weight=0.5).round(2)
    array([[1. , 0.8, 0. ],
           [0.8, 1. , 0.4],
           [0. , 0.4, 1. ]])
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"weight must be in [0, 1], got {weight!r}: it is the share of the links.")
    unit = unit_documents(X)
    words = unit @ unit.T
    words = words.toarray() if sparse.issparse(words) else np.asarray(words)
    who = links_only(links, len(words), ids=ids)
    combined = (1.0 - weight) * words
    combined += weight * (who @ who.T).toarray()
    return combined
