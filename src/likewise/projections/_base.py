"""What every projection shares: validation, the solver, and the product with new rows."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._estimator import fit_inputs, validate_rows
from .._method import Method, Needs
from .._saved import Saved, check_shape
from .._sklearn import POSITIVE_INT, Interval, StrOptions, _fit_context
from ..constraints import Constraints
from ..linalg._products import product
from ..pencil import Pencil, solve_pencil

TOL = 1e-5
"""Residual at which the matrix-free route stops: quotients are then right to about ten digits."""

ROUGH_TOL = 0.02
"""The same for methods whose denominator involves every row, so that it can only be inverted roughly and each digit is
slow: on 18,846 texts the sum of 40 quotients is within half a percent of what ten times the steps reach."""

FLOATS = (np.float64, np.float32)

RIDGE = [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")]


def _check_components(model: Any) -> None:
    check_shape(model.components_, (model.n_components_, model.n_features_in_), "components_")


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A linear map to few dimensions, learned from constraints and from all of the data.

    A paper overrides :meth:`_pencil`, which states what it makes small and what it makes large. Everything else is
    written here once.

    Parameters
    ----------
    n_components : int, optional
        Number of directions. None: all there are.
    scaling : {"unit", "form", "share"}
        The length of each direction; see :func:`likewise.pencil.solve_pencil`.

    Attributes
    ----------
    components_ : (n_components_, n_features_in_) array
        One direction a row, best first.
    share_ : (n_components_,) array
        How much of push + pull is push along each direction; 1 is perfect. For methods with an indefinite form,
        the quotient that was solved.
    n_components_ : int
    n_perfect_ : int
        How many directions lie in the null space of the pull; they tie and are ordered by plain push.
    route_ : str
        How the pencil was solved; see :func:`likewise.pencil.choose_route`.
    """

    _method: ClassVar[Method] = Method("", needs=Needs.ANY_CONSTRAINT)
    _saved: ClassVar[Saved] = Saved(
        ("components_", "n_components_", "n_features_in_", "_n_features_out"),
        optional=("share_", "n_perfect_", "route_"),
        check=_check_components,
    )
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
        """The paper to the letter; the plain constructor has the defaults that were measured to work best.

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
        """The features that directions are made of: the data, unless a method maps it first."""
        return X

    def _components(self, X: Any, constraints: Constraints) -> np.ndarray:
        pencil = self._pencil(X, constraints)
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
        X : (n, f) array, sparse matrix or data frame
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown.
        constraints : Constraints, optional
            Must-links, cannot-links and partitions. With ``y``, both count.

        Returns
        -------
        self
        """
        rows, given = fit_inputs(
            self, X, y, constraints, needs=self._needs, accept_sparse="csr", dtype=FLOATS, ensure_min_samples=2
        )
        self.components_ = self._components(rows, given)
        self.n_components_ = self._n_features_out = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The rows of X along the learned directions: ``X @ components_.T``.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame

        Returns
        -------
        (n, r) array
        """
        check_is_fitted(self)
        return self._transform(X)

    def _transform(self, X: Any) -> np.ndarray:
        rows = self._new_rows(X, ensure_all_finite=False, summed=False)
        with np.errstate(invalid="ignore"):  # rows that are not finite are refused below
            image = product(rows, self.components_.T)
        if not self._shows_all(rows, image):
            self._new_rows(X, ensure_all_finite=True)
        return np.asarray(image, dtype=rows.dtype)

    def _new_rows(self, X: Any, **options: Any) -> Any:
        return validate_rows(self, X, accept_sparse=("csr", "csc"), dtype=FLOATS, reset=False, **options)

    def _shows_all(self, X: Any, image: np.ndarray) -> bool:
        """Whether X is finite, by its image: that is far smaller, so this is the faster check.

        A value that is not finite spoils every weighted sum it enters. Where all weights are zero it enters none: these
        columns of X are checked themselves.
        """
        if not np.isfinite(image).all():
            return False
        unseen = np.flatnonzero(~self.components_.any(axis=0))
        return not len(unseen) or bool(np.isfinite(_values(X[:, unseen])).all())

    def top_features(self, component: int, n: int = 10, feature_names: Any = None) -> list[tuple[str, float]]:
        """The features that weigh most in one direction, and how much: what the direction means.

        Parameters
        ----------
        component : int
            Which direction, counted from 0.
        n : int
            How many features; fewer come back when fewer have a weight.
        feature_names : list-like of str, optional
            One for each column of X, such as ``TextFeatures.get_feature_names_out()``. By default the column names
            of the frame that was fitted, else x0, x1, ...

        Returns
        -------
        list of (name, weight)
            Largest weight first, whatever its sign. Features of opposite signs pull a row in opposite directions.

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
        weights = self.components_[component]
        order = np.argsort(-np.abs(weights), kind="stable")[:n]
        return [(str(names[column]), float(weights[column])) for column in order if weights[column] != 0]

    @property
    def _needs(self) -> Needs:
        """What ``fit`` cannot do without; a method overrides this where it depends on a parameter."""
        return self._method.needs

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = bool(self._needs)
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
            f"feature_names has {len(names)} entries, the data of fit had {n_features} columns. "
            "Pass one name for each column, in their order."
        )
    return names
