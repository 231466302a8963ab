"""LAPACK without Python's lock: other threads, such as one that shows how far it is, go on meanwhile.

SciPy's own wrappers hold the lock until a routine is done. The routines are those that SciPy offers to Cython, so the
answers are the same.
"""

from __future__ import annotations

from ctypes import CFUNCTYPE, PYFUNCTYPE, byref, c_char_p, c_double, c_int, c_void_p, py_object, pythonapi
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cython_lapack

FloatArray = NDArray[np.float64]


def divided(numerator: FloatArray, root: FloatArray) -> FloatArray:
    """``root⁻¹ · numerator · root⁻ᵀ`` for a lower triangular root; only the lower triangle is filled."""
    size, inner = len(numerator), np.array(numerator, dtype=np.float64, order="F")
    _call("dsygst", 1, b"L", size, inner, size, np.asfortranarray(root, dtype=np.float64), size)
    return inner


def solved(root: FloatArray, right: FloatArray) -> FloatArray:
    """``root⁻ᵀ · right`` for a lower triangular root."""
    size, answer = len(root), np.array(right, dtype=np.float64, order="F")
    root = np.asfortranarray(root, dtype=np.float64)
    _call("dtrtrs", b"L", b"T", b"N", size, answer.shape[1], root, size, answer, size)
    return answer


def inverse(matrix: FloatArray) -> FloatArray:
    """The inverse of a symmetric, positive definite matrix.

    Examples
    --------
    >>> inverse(np.array([[2.0, 1.0], [1.0, 1.0]])).round(9).tolist()
    [[1.0, -1.0], [-1.0, 2.0]]
    """
    size, left = len(matrix), np.array(matrix, dtype=np.float64, order="F")
    _call("dpotrf", b"L", size, left, size)
    _call("dpotri", b"L", size, left, size)
    left = np.tril(left)
    return np.asarray(left + np.tril(left, -1).T)


def largest_eigenpairs(matrix: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """The ``count`` largest eigenvalues of a symmetric matrix, rising, and their vectors; its lower triangle is read.

    Examples
    --------
    >>> largest_eigenpairs(np.diag([3.0, 1.0, 2.0]), 2)[0].tolist()
    [2.0, 3.0]
    """
    size, left = len(matrix), np.array(matrix, dtype=np.float64, order="F")
    values, vectors = np.empty(size), np.empty((size, count), order="F")
    found, support = np.zeros(1, dtype=np.intc), np.empty(2 * max(count, 1), dtype=np.intc)
    work, integers, lengths = np.empty(1), np.empty(1, dtype=np.intc), (-1, -1)
    for _ in range(2):  # the first call only asks how much room it needs
        _call("dsyevr", b"V", b"I", b"L", size, left, size, 0.0, 0.0, size - count + 1, size, 0.0, found, values,
              vectors, size, support, work, lengths[0], integers, lengths[1])  # fmt: skip
        lengths = int(work[0]), int(integers[0])
        work, integers = np.empty(lengths[0]), np.empty(lengths[1], dtype=np.intc)
    return values[:count], vectors


def _call(name: str, *arguments: bytes | float | np.ndarray[Any, Any]) -> None:
    """Call a routine by reference, as Fortran has it: letters are bytes, and an array is where its numbers begin."""
    failed = c_int(0)
    _routine(name)(*map(_reference, arguments), byref(failed))
    if failed.value:
        raise LinAlgError(f"LAPACK's {name} stopped with code {failed.value}: look for NaN or infinity in the data.")


def _reference(argument: bytes | float | np.ndarray[Any, Any]) -> Any:
    if isinstance(argument, np.ndarray):
        return c_void_p(argument.ctypes.data)
    if isinstance(argument, bytes):
        return c_char_p(argument)
    return byref(c_int(argument) if isinstance(argument, int) else c_double(argument))


@cache
def _routine(name: str) -> Any:
    capsule = cython_lapack.__pyx_capi__[name]
    signature = PYFUNCTYPE(c_char_p, py_object)(("PyCapsule_GetName", pythonapi))(capsule)
    address = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))(capsule, signature)
    return CFUNCTYPE(None)(address)  # unlike PYFUNCTYPE, a call that lets go of the lock
