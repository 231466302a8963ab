"""Base classes of projections whose forms take weights of rows."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np

from .._arrays import FloatArray
from .._device_fit import fit_on_device
from .._devices import dispatches
from .._estimator import check_finite, check_magnitude, counted_rows, no_weights
from .._sklearn import _fit_context
from ..chunked._lazy import is_chunked
from ..constraints import Constraints
from ..pencil import Pencil
from ..pencil._pencil import DIRECT
from ._base import Projection
from ._sigma_points import WeightedRows


class WeightedForms(Projection):
    """A projection whose forms take weights of rows; a subclass implements :meth:`_weighted_pencil`."""

    @abstractmethod
    def _weighted_pencil(self, X: Any, constraints: Constraints, weight: FloatArray) -> Pencil:
        """The two forms of the method on weighted rows."""

    def _pencil(self, X: Any, constraints: Constraints) -> Pencil:
        return self._weighted_pencil(X, constraints, np.ones(X.shape[0]))

    def _components(self, X: Any, constraints: Constraints, weight: FloatArray | None = None) -> np.ndarray:
        weight = np.ones(X.shape[0]) if weight is None else weight
        return self._solved(X, self._weighted_pencil(X, constraints, weight))

    def _components_of_few(self, few: WeightedRows) -> np.ndarray:
        return self._components(few.points, few.constraints, few.weight)


class WeightedProjection(WeightedForms):
    """A projection that takes ``sample_weight``."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None, sample_weight: Any = None) -> Self:
        """Learn the directions.

        Parameters
        ----------
        X : (n, f) array, sparse matrix, data frame, RowFiles or Dask collection
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown.
        constraints : Constraints, optional
            Must-links, cannot-links and partitions, used in addition to ``y``.
        sample_weight : (n,) array-like, optional
            The weight of each row, such as the number of identical records that it represents. A row of weight 0 is
            ignored, with all constraints on it. The weights of constraints are not affected.

        Returns
        -------
        self
        """
        if dispatches(X):
            return fit_on_device(self, X, y, constraints=constraints, sample_weight=sample_weight, wide=DIRECT)
        if sample_weight is not None and is_chunked(X):
            raise no_weights()
        rows, given, checked = self._fit_inputs(X, y, constraints)
        if sample_weight is None:
            return self._keep(self._components_of(rows, given, checked), rows)
        if not checked:
            check_finite(self, rows)
            check_magnitude(rows)
        weight, counted = counted_rows(sample_weight, rows)
        if counted is not None:
            rows, given = rows[counted], given.restrict(counted)
        return self._keep(self._components(rows, given, weight), rows)
