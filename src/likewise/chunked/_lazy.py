"""Lazy ``predict`` and ``transform`` for Dask arrays and data frames."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from typing import Any, TypeVar, cast
from uuid import uuid4

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .._arrays import slices
from .._sklearn import _get_output_config
from . import _fold
from ._dask import DaskRows, row_array
from ._fold import Chunked, stacked

Method = TypeVar("Method", bound=Callable[..., Any])


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection, without importing Dask."""
    dask = sys.modules.get("dask")
    return dask is not None and bool(dask.is_dask_collection(X))


def is_chunked(X: Any) -> bool:
    """Whether rows are read leaf by leaf: a :class:`Chunked`, or a Dask collection."""
    return isinstance(X, Chunked) or is_dask(X)


def chunked_rows(X: Any) -> Chunked:
    """X as a :class:`Chunked`; a Dask collection is wrapped in :class:`DaskRows`."""
    return X if isinstance(X, Chunked) else DaskRows(X)


def keep_columns(estimator: Any, rows: Chunked) -> None:
    """Set ``n_features_in_``, and ``feature_names_in_`` if the rows are from a Dask data frame."""
    estimator.n_features_in_ = rows.shape[1]
    estimator.__dict__.pop("feature_names_in_", None)
    names = rows.columns if isinstance(rows, DaskRows) else None
    if names is not None and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)


def lazily(method: Method) -> Method:
    """Decorate ``method(self, X)`` of a fitted estimator to return a Dask array if X is a Dask collection.

    The array has the chunks of X, which are computed lazily and split into leaves, as rows in files are. For rows in
    files, ``predict`` returns a NumPy array.
    """

    @wraps(method)
    def wrapper(self: Any, X: Any) -> Any:
        if isinstance(X, DaskRows) or is_dask(X):
            check_is_fitted(self)
            return _lazy_result(self, method.__name__, X)
        if isinstance(X, Chunked) and X.like is None and method.__name__ == "predict":
            check_is_fitted(self)
            return np.concatenate(list(X.map(partial(_predicted, model=_lean(self)))))
        return method(self, X)

    return cast(Method, wrapper)


def _predicted(rows: Any, first: int, *, model: Any) -> Any:
    return model.predict(rows)


def _lazy_result(model: Any, name: str, X: Any) -> Any:
    from dask.array import map_blocks

    from dask import delayed

    if isinstance(X, DaskRows):
        rows = X.array
    else:
        rows, _ = row_array(X, getattr(model, "feature_names_in_", None))
    if (kind := _get_output_config("transform", model)["dense"]) != "default" and name == "transform":
        raise TypeError(
            f"the result for a Dask collection is a Dask array, not {kind}. Call set_output(transform='default'), and "
            ".to_dask_dataframe() on the result."
        )
    width = rows.shape[1]
    if width != model.n_features_in_:
        raise ValueError(f"X has {width} columns, the data of fit had {model.n_features_in_}.")
    model = _lean(model)
    # Transform a row of zeros to find the shape and dtype of the result.
    zeros = np.zeros((1, width), dtype=rows.dtype)
    meta = getattr(model, name)(sparse.csr_matrix(zeros) if sparse.issparse(rows._meta) else zeros)[:0]
    flat = meta.ndim == 1
    return map_blocks(
        partial(_block_result, name=name, meta=meta, leaf=_fold.LEAF),
        rows,
        model=delayed(model, pure=False, name=f"likewise-model-{uuid4().hex}"),
        dtype=meta.dtype,
        chunks=(rows.chunks[0],) if flat else (rows.chunks[0], (meta.shape[1],)),
        drop_axis=[1] if flat else None,
        meta=meta,
        name=f"likewise-{name.replace('_', '-')}-{uuid4().hex}",
    )


def _lean(model: Any) -> Any:
    """A copy without attributes that are not needed for new rows: column names, and labels of the rows of ``fit``."""
    if hasattr(model, "_to_place"):
        return model._to_place()
    lean = copy(model)
    lean.__dict__.pop("feature_names_in_", None)
    if "labels_" in vars(lean):
        lean.labels_ = lean.labels_[:0]
    for name, value in vars(lean).items():
        if name.endswith("_") and hasattr(value, "labels_"):
            setattr(lean, name, _lean(value))
    return lean


def _block_result(block: Any, *, model: Any, name: str, meta: Any, leaf: int) -> Any:
    results = [getattr(model, name)(block[some]) for some in slices(block.shape[0], leaf)]
    return stacked(results) if results else meta
