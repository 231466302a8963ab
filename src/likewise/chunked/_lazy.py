"""Dask arrays and data frames in the place of rows: lazy results of methods that look at each row by itself."""

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
    """Whether something is a Dask collection; Dask is not imported for it."""
    dask = sys.modules.get("dask")
    return dask is not None and bool(dask.is_dask_collection(X))


def is_chunked(X: Any) -> bool:
    """Whether rows come leaf by leaf: those in files, and those of a Dask collection."""
    return isinstance(X, Chunked) or is_dask(X)


def chunked_rows(X: Any) -> Chunked:
    """Rows that come leaf by leaf, also those of a Dask collection."""
    return X if isinstance(X, Chunked) else DaskRows(X)


def keep_columns(estimator: Any, rows: Chunked) -> None:
    """Note the number of columns, and their names where they come from a Dask data frame."""
    estimator.n_features_in_ = rows.shape[1]
    estimator.__dict__.pop("feature_names_in_", None)
    names = rows.columns if isinstance(rows, DaskRows) else None
    if names is not None and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)


def lazily(method: Method) -> Method:
    """Let ``method(self, X)`` of a fitted estimator return a Dask array where X is a Dask collection.

    The array has the chunks of X, and chunks are worked on when somebody asks for them. Each is cut into leaves, as
    rows in files are. The clusters of rows in files are one array: they are a number for each row.
    """

    @wraps(method)
    def on_any(self: Any, X: Any) -> Any:
        if isinstance(X, DaskRows) or is_dask(X):
            check_is_fitted(self)
            return _image(self, method.__name__, X)
        if isinstance(X, Chunked) and X.like is None and method.__name__ == "predict":
            check_is_fitted(self)
            return np.concatenate(list(X.map(partial(_predicted, model=_lean(self)))))
        return method(self, X)

    return cast(Method, on_any)


def _predicted(rows: Any, first: int, *, model: Any) -> Any:
    return model.predict(rows)


def _image(model: Any, name: str, X: Any) -> Any:
    from dask.array import map_blocks

    from dask import delayed

    if isinstance(X, DaskRows):
        rows = X.array
    else:
        rows, _ = row_array(X, getattr(model, "feature_names_in_", None))
    if (kind := _get_output_config("transform", model)["dense"]) != "default" and name == "transform":
        raise TypeError(
            f"what becomes of a Dask collection is a Dask array, not {kind}. Call set_output(transform='default'), and "
            ".to_dask_dataframe() on what comes back."
        )
    width = rows.shape[1]
    if width != model.n_features_in_:
        raise ValueError(f"X has {width} columns, the data of fit had {model.n_features_in_}.")
    model = _lean(model)
    # One row of zeros shows what comes out.
    zeros = np.zeros((1, width), dtype=rows.dtype)
    meta = getattr(model, name)(sparse.csr_matrix(zeros) if sparse.issparse(rows._meta) else zeros)[:0]
    flat = meta.ndim == 1
    return map_blocks(
        partial(_of_block, name=name, meta=meta, leaf=_fold.LEAF),
        rows,
        model=delayed(model, pure=False, name=f"likewise-model-{uuid4().hex}"),
        dtype=meta.dtype,
        chunks=(rows.chunks[0],) if flat else (rows.chunks[0], (meta.shape[1],)),
        drop_axis=[1] if flat else None,
        meta=meta,
        name=f"likewise-{name.replace('_', '-')}-{uuid4().hex}",
    )


def _lean(model: Any) -> Any:
    """A model without what arrays of new rows do not need: names of columns, and labels, as many as rows of ``fit``."""
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


def _of_block(block: Any, *, model: Any, name: str, meta: Any, leaf: int) -> Any:
    images = [getattr(model, name)(block[some]) for some in slices(block.shape[0], leaf)]
    return stacked(images) if images else meta
