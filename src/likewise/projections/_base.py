"""Base class of all projections: validation, solving, and projecting new rows."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._device_fit import fit_on_device, new_rows_on_device
from .._devices import (
    dispatches,
    explained_memory,
    kernels_for,
    move_fitted,
    namespace,
    numpy_dtype,
    sum_is_finite,
    to_numpy,
)
from .._estimator import check_finite, check_magnitude, checked_constraints, fit_inputs, validate_rows
from .._method import Method, Needs
from .._parameters import SuggestsParameters
from .._saved import Saved, check_shape
from .._shortcuts import SavesModels
from .._sklearn import POSITIVE_INT, Interval, StrOptions, _fit_context
from .._threads import blas_threads_for
from ..chunked import Chunked, InMemory, moments
from ..chunked._device import DeviceRows, check_finite_on_device
from ..chunked._lazy import chunked_rows, is_chunked, keep_columns, lazily
from ..constraints import ConstraintConflictError, Constraints
from ..linalg._products import product
from ..pencil import Pencil, solve_pencil
from ..pencil._pencil import DIRECT
from ._sigma_points import (
    FirstPass,
    WeightedRows,
    dense_double,
    is_tall,
    read_once,
    with_placeholders,
    with_sigma_points,
)

TOL = 1e-5
"""Tolerance of the matrix-free route; quotients are then accurate to about ten digits."""

ROUGH_TOL = 0.02
"""The same for methods whose denominator involves every row. It can only be inverted approximately then, and
convergence is slow. On 18,846 texts, the sum of 40 quotients is within half a percent of that after ten times as many
steps."""

Unconstrained = Literal["each", "moments", "ignored"]
"""How unconstrained rows enter both forms: individually, only through their number, mean and scatter, or not at all."""

FLOATS = (np.float64, np.float32)

RIDGE = [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")]


def _check_components(model: Any) -> None:
    check_shape(model.components_, (model.n_components_, model.n_features_in_), "components_")


class Projection(SavesModels, SuggestsParameters, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Base class of linear projections that are learned from constraints and from all rows.

    A subclass implements :meth:`_pencil`, which returns the form to make small and the form to make large.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. If None, all that exist.
    scaling : {"unit", "form", "share"}
        The length of each direction; see :func:`likewise.pencil.solve_pencil`.

    Attributes
    ----------
    components_ : (n_components_, n_features_in_) array
        One direction per row, best first.
    share_ : (n_components_,) array
        push / (push + pull) along each direction; 1 is perfect. For methods with an indefinite form, the quotient that
        was maximized.
    n_components_ : int
        Number of directions found.
    n_perfect_ : int
        Number of directions in the null space of the pull. They are tied, and ordered by the value of the push.
    route_ : str
        How the pencil was solved; see :func:`likewise.pencil.choose_route`.
    """

    _method: ClassVar[Method] = Method("", needs=Needs.ANY_CONSTRAINT)
    _saved: ClassVar[Saved] = Saved(
        ("components_", "n_components_", "n_features_in_", "_n_features_out"),
        optional=("share_", "n_perfect_", "route_"),
        check=_check_components,
    )
    _unconstrained: ClassVar[Unconstrained] = "each"
    _tol: ClassVar[float] = TOL
    _published: ClassVar[dict[str, Any]] = {}
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [POSITIVE_INT, None],
        "scaling": [StrOptions({"unit", "form", "share"})],
    }

    def __init__(self, n_components: int | None = None, *, scaling: str = "unit") -> None:
        self.n_components = n_components
        self.scaling = scaling

    @classmethod
    def as_published(cls, n_components: int | None = None, **params: Any) -> Self:
        """The method exactly as published. The defaults of the constructor are those that worked best in benchmarks.

        Parameters
        ----------
        n_components : int, optional
        **params
            Other parameters of the constructor.

        Returns
        -------
        estimator
        """
        return cls(n_components=n_components, **{**cls._published, **params})

    @abstractmethod
    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        """The two forms of the method."""

    def _features(self, X: Any) -> Any:
        """The features that directions refer to: X itself, unless a method maps it first."""
        return X

    def _components(self, X: Any, constraints: Constraints) -> np.ndarray:
        return self._solved(X, self._pencil(X, constraints))

    def _solved(self, X: Any, pencil: Pencil) -> np.ndarray:
        found = solve_pencil(self._features(X), pencil, self.n_components, scaling=self.scaling, tol=self._tol)
        self.share_ = found.share
        self.n_perfect_ = found.n_perfect
        self.route_ = str(found.route)
        return found.components

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Learn the directions.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame, RowFiles or Dask collection
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown.
        constraints : Constraints, optional
            Must-links, cannot-links and partitions, used in addition to ``y``.

        Returns
        -------
        self
        """
        if dispatches(X):
            return fit_on_device(self, X, y, constraints=constraints, wide=DIRECT)
        rows, given, checked = self._fit_inputs(X, y, constraints)
        return self._keep(self._components_of(rows, given, checked), rows)

    def _fit_inputs(self, X: Any, y: Any, constraints: Constraints | None) -> tuple[Any, Constraints, bool]:
        """The validated rows and constraints, and whether the values of the rows were checked to be finite."""
        if is_chunked(X):
            if not self._reads_once:
                raise self._needs_memory()
            far = chunked_rows(X)
            keep_columns(self, far)
            return far, checked_constraints(self, far.shape[0], y, constraints, self._needs), True
        one_pass = self._unconstrained == "moments" and isinstance(X, np.ndarray) and X.ndim == 2 and is_tall(X.shape)
        rows, given = fit_inputs(
            self,
            X,
            y,
            constraints,
            needs=self._needs,
            check_values=not one_pass,
            accept_sparse="csr",
            dtype=FLOATS,
            ensure_min_samples=2,
        )
        return rows, given, not one_pass

    def _fit_read(self, X: Chunked, constraints: Constraints, read: FirstPass | None) -> Self:
        """Fit on rows in files, reusing the results of a pass over them."""
        rows, given, checked = self._fit_inputs(X, None, constraints)
        return self._keep(self._components_of(rows, given, checked, read), rows)

    def _components_of(
        self, X: Any, constraints: Constraints, checked: bool, read: FirstPass | None = None
    ) -> np.ndarray:
        """The directions; tall data are replaced by a few weighted rows if the method allows."""
        in_files = isinstance(X, Chunked)
        if not self._reads_once:
            return self._components(X, constraints)
        hinted = np.flatnonzero(constraints.constrained_rows())
        rows = X if isinstance(X, Chunked) else InMemory(X, check=False)
        if in_files and X.shape[0] < 4 * X.shape[1] + 2 * len(hinted):  # few rows: they fit into memory
            return self._components(X.take(np.arange(X.shape[0])).rows, constraints)
        if not (in_files or is_tall(X.shape, len(hinted))):
            if not checked:
                check_finite(self, X)
                check_magnitude(X)
            return self._components(X, constraints)
        if self._unconstrained == "moments":
            read = read_once(rows, hinted) if read is None else read
            others, origin, hinted_rows = read.others, read.origin, read.hinted_rows(hinted)
            if not (checked or (others + moments(hinted_rows, 0, origin=origin)).shows_all(origin, X.dtype)):
                check_finite(self, X)
                check_magnitude(X)
            few = with_sigma_points(hinted_rows, others, origin, constraints, hinted)
        else:
            hinted_rows = dense_double(rows.take(hinted).rows if in_files else X[hinted])
            few = with_placeholders(hinted_rows, constraints, hinted)
        try:
            with blas_threads_for(X.shape[1]):
                return self._components_of_few(few).astype(X.dtype, copy=False)
        except ConstraintConflictError:
            constraints.check()  # raises the same error, with the row numbers of X
            raise

    @property
    def _reads_once(self) -> bool:
        """Whether one pass over the rows is enough, so that they may be in files."""
        return self._unconstrained != "each"

    def _needs_memory(self) -> TypeError:
        return TypeError(
            f"{self!r} needs repeated access to all rows, so they must be in memory. For rows in files use "
            "Costco, SSDR, SCREEN or RCA."
        )

    def _components_of_few(self, few: WeightedRows) -> np.ndarray:
        return self._components(few.points, few.constraints)

    def _keep(self, components: np.ndarray, rows: Any = None) -> Self:
        self.components_ = components
        self.n_components_ = self._n_features_out = len(components)
        if isinstance(rows, Chunked) and rows.like is not None:
            move_fitted(self, rows.like)
        return self

    @lazily
    def transform(self, X: Any) -> np.ndarray:
        """Project the rows of X onto the learned directions: ``X @ components_.T``.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame or Dask collection

        Returns
        -------
        (n, r) array
        """
        check_is_fitted(self)
        rows = new_rows_on_device(self, X, "components_", "transform")
        return self._transform(X) if rows is None else self._transform_on_device(rows)

    def _transform_on_device(self, X: Any) -> Any:
        """Project an array on its device."""
        xp = namespace(X)
        with explained_memory(X, wanted_per_row=self.n_components_ * numpy_dtype(X).itemsize):
            directions = xp.permute_dims(xp.astype(self.components_, X.dtype, copy=False), (1, 0))
            kernels, (f, r) = kernels_for(X), directions.shape
            if kernels is not None and f <= kernels.MOST_COLUMNS and r <= kernels.MOST_DIRECTIONS:
                image, finite = kernels.image(X, directions)
            else:
                with np.errstate(invalid="ignore"):
                    image = xp.matmul(X, directions)
                finite = sum_is_finite(image)
        # A value that is not finite shows in the projection, unless all weights of its column are zero.
        unseen = ~xp.any(directions != 0, axis=1)
        if bool(xp.any(unseen)) or not bool(finite):
            for rows, first in DeviceRows(X).leaves():
                check_finite_on_device(rows, first)
        return image

    def _transform(self, X: Any) -> np.ndarray:
        rows = self._new_rows(X, ensure_all_finite=False, summed=False)
        with np.errstate(invalid="ignore"):  # values that are not finite raise an error below
            image = product(rows, self.components_.T)
        if not self._is_finite(rows, image):
            self._new_rows(X, ensure_all_finite=True)
        return np.asarray(image, dtype=rows.dtype)

    def _new_rows(self, X: Any, **options: Any) -> Any:
        return validate_rows(self, X, accept_sparse=("csr", "csc"), dtype=FLOATS, reset=False, **options)

    def _is_finite(self, X: Any, image: np.ndarray) -> bool:
        """Whether X is finite, judged by its projection, which is much smaller than X.

        A value that is not finite makes every weighted sum that contains it not finite. Only the columns of X whose
        weights are all zero are checked themselves.
        """
        if not np.isfinite(image).all():
            return False
        unseen = np.flatnonzero(~self.components_.any(axis=0))
        return not len(unseen) or bool(np.isfinite(_values(X[:, unseen])).all())

    def top_features(self, component: int, n: int = 10, feature_names: Any = None) -> list[tuple[str, float]]:
        """The features with the largest weights in one direction, to interpret it.

        Parameters
        ----------
        component : int
            Index of the direction.
        n : int
            Maximum number of features. Features of weight zero are left out.
        feature_names : list-like of str, optional
            One for each column of X, such as ``TextFeatures.get_feature_names_out()``. By default the column names
            of the data frame passed to ``fit``, else x0, x1, ...

        Returns
        -------
        list of (name, weight)
            In decreasing order of magnitude. Features with weights of opposite sign move a row in opposite directions.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from likewise import RCA
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> rca = RCA(n_components=2).fit(X, y)
        >>> [name for name, weight in rca.top_features(0, 2)]
        ['petal width (cm)', 'petal length (cm)']
        """
        check_is_fitted(self)
        for name, value, least in (("component", component, 0), ("n", n, 1)):
            if isinstance(value, bool) or not isinstance(value, Integral):
                raise TypeError(f"{name} must be a whole number, got {value!r}.")
            if value < least:
                raise ValueError(f"{name} must be at least {least}, got {value}.")
        if component >= self.n_components_:
            raise ValueError(
                f"component={component}, but there are {self.n_components_} directions, counted from 0. "
                f"The last one is {self.n_components_ - 1}."
            )
        names = _input_features(self, feature_names)
        weights = to_numpy(self.components_)[component]
        order = np.argsort(-np.abs(weights), kind="stable")[:n]
        return [(str(names[column]), float(weights[column])) for column in order if weights[column] != 0]

    @property
    def _needs(self) -> Needs:
        """The constraints that ``fit`` requires; overridden by methods where this depends on a parameter."""
        return self._method.needs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = bool(self._needs)
        tags.array_api_support = self._reads_once
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _values(X: Any) -> np.ndarray:
    return X.data if sparse.issparse(X) else X


def _input_features(projection: Projection, feature_names: Any) -> list[Any]:
    n_features = projection.n_features_in_
    if feature_names is None:
        return list(getattr(projection, "feature_names_in_", (f"x{column}" for column in range(n_features))))
    names = list(feature_names)
    if isinstance(feature_names, str) or len(names) != n_features:
        raise ValueError(
            f"feature_names has {len(names)} entries, but the data passed to fit had {n_features} columns. "
            "Pass one name for each column, in the same order."
        )
    return names
