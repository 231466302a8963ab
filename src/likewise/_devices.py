"""Arrays of libraries other than NumPy, such as torch and CuPy, on any device, by the array API standard.

As in scikit-learn, such arrays are used on their device with ``sklearn.set_config(array_api_dispatch=True)``, and
fitted attributes are on the same device. Everything that depends on the library is in this module.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator

from ._arrays import IntArray
from ._sklearn import _max_precision_float_dtype

SUPPORTED = (
    "PCKMeans, COPKMeans and SphericalKMeans; the projections Costco, SSDR, SCREEN, ASP, RCA, DCA, SLPP, and GCDR with "
    "n_neighbors=0; ProjectThenCluster of these; Likewise with likewise.chunked.OnDevice(X), which assigns rows there"
)
"""The estimators that can be fitted on a device."""

SMALL = 2**20
"""Arrays of fewer bytes are copied to a device asynchronously."""

WORK = 2**27
"""Number of intermediate values computed at once on a device: half a gigabyte to a gigabyte."""


def is_foreign(X: Any) -> bool:
    """Whether X is an array of a library other than NumPy.

    >>> is_foreign(np.zeros(3)), is_foreign([1, 2])
    (False, False)
    """
    return not isinstance(X, np.ndarray) and hasattr(X, "__dlpack_device__") and hasattr(X, "shape")


def sparse_elsewhere(X: Any) -> TypeError | None:
    """The error for a sparse array of torch or CuPy, with advice; None if X is not one."""
    library = type(X).__module__.partition(".")[0]
    if library == "torch" and str(X.layout) != "torch.strided":
        dense, scipy = "X.to_dense()", "scipy.sparse.csr_array(X.to_dense().cpu().numpy())"
    elif library == "cupyx":
        dense, scipy = "X.toarray()", "X.get()"
    else:
        return None
    return TypeError(
        f"X is a sparse array of {library}, and rows on a device must be dense. Pass {dense} if that fits there, or "
        f"sparse rows in host memory: {scipy}."
    )


def dispatches(X: Any) -> bool:
    """Whether X is such an array, and scikit-learn's array API dispatch is enabled."""
    return is_foreign(X) and bool(get_config()["array_api_dispatch"])


def namespace(X: Any) -> Any:
    """The array API namespace of X."""
    try:
        from array_api_compat import array_namespace
    except ImportError:
        raise ImportError(
            f"X is {place(X)}, which needs array-api-compat: pip install 'likewise[gpu]'. Or pass a NumPy array."
        ) from None
    return array_namespace(X)


def device_of(X: Any) -> Any:
    """The device of X."""
    return getattr(X, "device", "cpu")


def place(X: Any) -> str:
    """The library and the device of an array, in words."""
    return f"an array of {type(X).__module__.split('.')[0]} on {device_of(X)}" if is_foreign(X) else "a NumPy array"


def to_numpy(X: Any) -> Any:
    """Convert an array of another library to NumPy; other objects are returned unchanged."""
    if not is_foreign(X):
        return X
    if hasattr(X, "detach"):  # torch
        return X.detach().cpu().numpy()
    if hasattr(X, "get"):  # CuPy
        return X.get()
    xp = X.__array_namespace__()
    return np.asarray(xp.asarray(X, device=xp.Device("CPU_DEVICE")) if hasattr(xp, "Device") else X)


def follow(values: np.ndarray, like: Any) -> Any:
    """Convert a NumPy array to the library and device of another array, in double precision if supported."""
    xp = namespace(like)
    if values.dtype == np.float64 and double_of(like) == xp.float32:
        values = values.astype(np.float32)
    # torch requires writable arrays, which rows of memory-mapped files are not
    values = np.require(values, requirements=["C", "W"])
    if getattr(like, "is_cuda", False) and values.nbytes < SMALL:  # asynchronous
        return xp.asarray(values).pin_memory().to(like.device, non_blocking=True)
    return xp.asarray(values, device=device_of(like))


def double_of(X: Any) -> Any:
    """The dtype for sums on the device of X: double precision if supported."""
    return _max_precision_float_dtype(namespace(X), device_of(X))


def numpy_dtype(X: Any) -> np.dtype[Any]:
    """The dtype of X as a NumPy dtype."""
    return np.dtype(str(X.dtype).rpartition(".")[2])


def rows_at(X: Any, numbers: IntArray) -> Any:
    """Some rows of X, as a NumPy array if X is of another library."""
    if not is_foreign(X):
        return X[numbers]
    if not len(numbers):
        return np.empty((0, X.shape[1]), numpy_dtype(X))
    return to_numpy(namespace(X).take(X, follow(np.asarray(numbers, dtype=np.int64), X), axis=0))


def set_to_zero(X: Any, numbers: IntArray) -> Any:
    """X with some rows set to zero, in place if the library supports that."""
    if not len(numbers):
        return X
    if hasattr(X, "index_fill_"):  # torch
        return X.index_fill_(0, follow(np.asarray(numbers, dtype=np.int64), X), 0)
    kept = np.ones(X.shape[0], dtype=bool)
    kept[numbers] = False
    return namespace(X).where(follow(kept, X)[:, None], X, 0 * X[:1, :])


def sum_is_finite(X: Any) -> bool:
    """Whether the sum of all values is finite; if so, all of them are."""
    xp = namespace(X)
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(xp.isfinite(xp.sum(X)))


def unit_rows_on_device(X: Any) -> Any:
    """Rows divided by their length, on their device; zero rows stay zero."""
    return X * inverse_lengths(X)[:, None]


def inverse_lengths(X: Any) -> Any:
    """1 / ‖x‖ of each row; 0 for zero rows."""
    xp = namespace(X)
    length = xp.sqrt(xp.sum(X * X, axis=1))
    return xp.where(length > 0, 1 / xp.where(length > 0, length, xp.ones_like(length)), xp.zeros_like(length))


def move_fitted(estimator: BaseEstimator, like: Any) -> None:
    """Move all fitted attributes to the library and device of an array."""
    parameters = estimator.get_params(deep=False)
    for name, value in list(vars(estimator).items()):
        if name in parameters:
            continue
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            setattr(estimator, name, follow(value, like))
        elif isinstance(value, BaseEstimator):
            move_fitted(value, like)


def check_same_place(estimator: Any, X: Any, attribute: str, method: str) -> None:
    """Raise an error if new rows are of another library, or on another device, than those of ``fit``."""
    fitted = getattr(estimator, attribute, None)  # labels may be in a file
    fitted_foreign, new_foreign = is_foreign(fitted), is_foreign(X)
    dispatch = get_config()["array_api_dispatch"]
    if not fitted_foreign and not (new_foreign and dispatch):  # scikit-learn converts X to NumPy, or raises an error
        return
    if fitted_foreign and new_foreign and dispatch and type(fitted) is type(X) and device_of(fitted) == device_of(X):
        return
    if not dispatch:
        advice = "Turn scikit-learn's dispatch on, as it was in fit: sklearn.set_config(array_api_dispatch=True)."
    else:
        advice = (
            "Move X to that device, or the model to the device of X: "
            "sklearn.utils._array_api.move_estimator_to(model, *get_namespace_and_device(X)[::2])."
        )
    raise ValueError(
        f"Inputs passed to {type(estimator).__name__}.{method}() must use the same namespace and the same device as "
        f"those passed to fit(): X is {place(X)}, and {attribute} is {place(fitted)}. {advice}"
    )


def kernels_for(X: Any) -> Any:
    """The Triton kernels for float32 rows, if X is a torch tensor on a GPU and Triton is installed.

    Returns
    -------
    module or None
    """
    if not getattr(X, "is_cuda", False) or str(X.dtype) != "torch.float32" or not X.is_contiguous():
        return None
    return _kernels_of(X.device)


@cache
def _kernels_of(device: Any) -> Any:
    try:
        import torch

        from . import _kernels
    except ImportError:
        return None
    return _kernels if torch.cuda.get_device_capability(device) >= (8, 0) else None


def kept_rows(X: Any, out: IntArray) -> Any:
    """A mask of the rows of a tensor without those in ``out``; None if all are kept."""
    if not len(out):
        return None
    xp = namespace(X)
    kept = xp.ones(X.shape[0], dtype=xp.uint8, device=X.device)
    return kept.index_fill_(0, follow(np.asarray(out, dtype=np.int64), X), 0)


def refuse(estimator: Any, X: Any) -> None:
    """Raise an error for an estimator that does not support such arrays, with alternatives."""
    if (error := sparse_elsewhere(X)) is not None:
        raise error
    raise TypeError(
        f"{type(estimator).__name__} does not support the array API, and X is {place(X)}. Pass {_numpy_code(X)}, or "
        f"use an estimator that does: {SUPPORTED}."
    )


def explain_foreign(X: Any) -> Exception | None:
    """The error for an array that cannot be converted to NumPy, with advice; None if X is not such an array."""
    if (error := sparse_elsewhere(X)) is not None:
        return error
    if not is_foreign(X):
        return None
    try:
        np.asarray(X)
    except (TypeError, RuntimeError, ValueError):
        return TypeError(
            f"X is {place(X)}. Pass {_numpy_code(X)}, or use X on its device: set the environment "
            "variable SCIPY_ARRAY_API=1 before Python starts, and sklearn.set_config(array_api_dispatch=True)."
        )
    return None


def _numpy_code(X: Any) -> str:
    """The expression that converts X to a NumPy array."""
    return "X.cpu().numpy()" if hasattr(X, "cpu") else "X.get()" if hasattr(X, "get") else "numpy.asarray(X)"


def blocks_on_device(width: int) -> int:
    """Number of rows processed at once on a device: a power of two up to a million, by the number of columns alone."""
    return 2 ** min(max(10, (WORK // max(width, 1)).bit_length() - 1), 20)


def free_bytes(X: Any) -> int | None:
    """Free memory on the device of X in bytes; None if unknown."""
    library = type(X).__module__.split(".")[0]
    if library == "torch" and X.is_cuda:
        import torch

        free, total = torch.cuda.mem_get_info(X.device)
        reserved, share = torch.cuda.memory_reserved(X.device), 1.0
        if hasattr(torch.cuda, "get_per_process_memory_fraction"):
            share = torch.cuda.get_per_process_memory_fraction(X.device)
        free = min(free, int(share * total) - reserved)
        return max(int(free + reserved - torch.cuda.memory_allocated(X.device)), 0)
    if library == "cupy":
        import cupy

        return int(cupy.cuda.runtime.memGetInfo()[0] + cupy.get_default_memory_pool().free_bytes())
    return None


@contextmanager
def explained_memory(X: Any, wanted_per_row: int = 0) -> Iterator[None]:
    """Convert out-of-memory errors of a device to errors that say how many rows fit, and what to use instead.

    Parameters
    ----------
    X : (n, f) array
        Rows on the device.
    wanted_per_row : int
        Bytes of the result for each row.
    """
    try:
        yield
    except Exception as error:
        if type(error).__name__ != "OutOfMemoryError":
            raise
        raise MemoryError(_memory_advice(X, wanted_per_row)) from error


def _memory_advice(X: Any, wanted_per_row: int) -> str:
    n, f = X.shape
    size = numpy_dtype(X).itemsize
    left = free_bytes(X)
    fit = ""
    if left is not None:
        # leave room for the intermediate values of a block
        room = left + n * f * size - 2 * 8 * min(WORK, n * f)
        fit = f" About {max(room // (f * size + wanted_per_row), 0):,} rows fit there."
    return (
        f"X is {place(X)} with {n:,} rows of {f:,} columns, and the device has too little memory.{fit} Keep the "
        "rows in host memory or in files, from which they are copied to the device in parts: "
        "fit(likewise.chunked.OnDevice(rows, like=X[:1])), and rows.map_to('result.npy', model.transform)."
    )
