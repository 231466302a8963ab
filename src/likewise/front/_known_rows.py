"""Recognizing rows of ``fit`` among new rows, by hashes of their values.

The last bits of the features of a row depend on the other rows of the batch, because BLAS rounds matrix products
differently for different shapes. So raw values are compared instead of features.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .._arrays import IntArray, slices

Hashes = NDArray[np.uint64]

BLOCK_ENTRIES = 1 << 20
"""Number of entries of a dense array that are hashed at once."""


def hash_rows(X: Any, dtype: Any) -> Hashes:
    """A 64-bit hash of each row, the same for rows with the same values, dense or sparse.

    Parameters
    ----------
    X : (n, f) array or CSR matrix without duplicate entries
    dtype : float dtype
        The precision with which values are compared.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -0.0]])
    >>> first, second, third = hash_rows(X, X.dtype)
    >>> bool(first == third), bool(first == second)
    (True, False)
    >>> bool((hash_rows(sparse.csr_array(X), X.dtype) == hash_rows(X, X.dtype)).all())
    True
    """
    factors = _mixed(np.arange(1, X.shape[1] + 1, dtype=np.uint64)) | np.uint64(1)
    if sparse.issparse(X):
        sums = np.zeros(X.nnz + 1, dtype=np.uint64)
        np.cumsum(_codes(X.data, dtype) * factors[X.indices], out=sums[1:])
        return sums[X.indptr[1:]] - sums[X.indptr[:-1]]  # correct modulo 2⁶⁴, in spite of overflow
    hashes = np.empty(len(X), dtype=np.uint64)
    for rows in slices(len(X), max(BLOCK_ENTRIES // max(X.shape[1], 1), 1)):
        hashes[rows] = (_codes(X[rows], dtype) * factors).sum(axis=1)
    return hashes


def find_rows(asked: Hashes, known: Hashes) -> IntArray:
    """For each hash in ``asked``, the position of its first occurrence in ``known``, or −1.

    >>> find_rows(np.array([7, 3, 5], dtype=np.uint64), np.array([5, 7, 7], dtype=np.uint64))
    array([ 1, -1,  0])
    """
    unique, place = np.unique(asked, return_inverse=True)
    where = np.minimum(np.searchsorted(unique, known), len(unique) - 1)
    found = np.flatnonzero(unique[where] == known)
    first = np.full(len(unique), -1)
    first[where[found][::-1]] = found[::-1]  # in reverse, so that the first of equal rows is written last
    return first[place]


def _codes(values: Any, dtype: Any) -> Hashes:
    """A hash of the bits of each value; 0 for zeros of either sign."""
    with np.errstate(over="ignore"):  # a value that overflows is not a value of a known row
        rounded = np.ascontiguousarray(values, dtype=dtype) + np.zeros((), dtype=dtype)
    return _mixed(rounded.view(np.uint64 if rounded.itemsize == 8 else np.uint32).astype(np.uint64))


def _mixed(bits: Hashes) -> Hashes:
    """The finalizer of MurmurHash3: each bit of the input changes about half of the output bits; 0 maps to 0."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits = (bits ^ (bits >> np.uint64(33))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(33))
