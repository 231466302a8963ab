"""Base class of all clusterers: validation of data and constraints, and scoring."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._device_fit import fit_on_device
from .._devices import dispatches, to_numpy
from .._estimator import as_constraints, fit_inputs, in_memory_only, validate_rows
from .._method import Method
from .._parameters import SuggestsParameters
from .._saved import Saved
from .._shortcuts import SavesModels, ShowsReports
from .._sklearn import _fit_context
from ..chunked._lazy import is_chunked
from ..constraints import Constraints
from ..constraints._overlap import KINDS, Kind, pair_weights
from ..evaluation import constraint_accuracy


class Clusterer(SavesModels, ShowsReports, SuggestsParameters, ClusterMixin, BaseEstimator):
    """Base class of all clusterers: ``fit`` takes rows, partial labels and constraints.

    A subclass implements :meth:`_cluster`, which receives validated data and constraints, sets the fitted attributes
    and returns the labels.

    Attributes
    ----------
    labels_ : (n,) int array
    n_iter_ : int
    """

    _method: ClassVar[Method] = Method("")
    _saved: ClassVar[Saved | None] = None
    _published: ClassVar[dict[str, Any]] = {}
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    @classmethod
    def as_published(cls, n_clusters: int = 8, **params: Any) -> Self:
        """The method exactly as published. The defaults of the constructor are those that worked best in benchmarks.

        Parameters
        ----------
        n_clusters : int
        **params
            Other parameters of the constructor.

        Returns
        -------
        estimator
        """
        return cls(n_clusters, **{**cls._published, **params})

    @abstractmethod
    def _cluster(self, X: Any, constraints: Constraints) -> np.ndarray:
        """Set the fitted attributes, and return the label of each row."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame
            RowFiles or a Dask collection, for methods that can read rows in files.
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown. A method that does not use constraints ignores them, as
            scikit-learn's clusterers do. A Constraints object is accepted as well.
        constraints : Constraints, optional
            Must-links, cannot-links and other constraints, used in addition to ``y``.

        Returns
        -------
        self
        """
        if dispatches(X):
            return fit_on_device(self, X, y, constraints=constraints)
        if is_chunked(X):
            return self._fit_chunked(X, y, constraints)
        X, known = self._checked_inputs(X, y, constraints)
        self.labels_ = np.asarray(self._cluster(X, known), dtype=np.int32)
        return self

    def _fit_chunked(self, X: Any, y: Any, constraints: Constraints | None) -> Self:
        """Cluster rows that are read leaf by leaf; overridden by methods that support it."""
        raise in_memory_only(self, X)

    def _checked_inputs(self, X: Any, y: Any, constraints: Constraints | None) -> tuple[Any, Constraints]:
        """The validated rows, and the constraints after checking that the method can use them."""
        X, known = self._fit_inputs(X, y, constraints)
        self._check_usable(known)
        return X, known

    def _check_usable(self, known: Constraints) -> None:
        if not (self._method.uses_constraints or known.is_empty):
            raise ValueError(
                f"{type(self).__name__} does not use constraints, but was given {known!r}. Use PCKMeans, COPKMeans or "
                "ProjectThenCluster, or leave the constraints out."
            )
        if not self._method.uses_weights:
            self._refuse_weights(known)

    def fit_predict(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> np.ndarray:
        """Cluster the rows of X and return their labels.

        Parameters
        ----------
        X, y, constraints
            As for :meth:`fit`.

        Returns
        -------
        (n,) int array
        """
        return self.fit(X, y, constraints=constraints).labels_

    @available_if(lambda self: hasattr(self, "predict"))
    def score(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> float:
        """The weighted share of constraints on new rows that their predicted clusters satisfy.

        scikit-learn's searches and cross-validation use it to compare settings: they fit on some rows and the
        constraints among them, and score on the other rows and the constraints among those.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame
            Rows that were not in ``fit``.
        y : (n,) array-like, optional
            Partial labels of these rows; −1, None or NaN where unknown.
        constraints : Constraints, optional
            Constraints on these rows, used in addition to ``y``.

        Returns
        -------
        float
            In [0, 1]: :func:`likewise.evaluation.constraint_accuracy` of the predicted labels.
        """
        if y is None and constraints is None:
            raise ValueError(
                "there is nothing to score by: y and constraints are both None. Pass score(X, constraints=...); in a "
                "search or cross-validation, set sklearn.set_config(enable_metadata_routing=True) and call "
                "set_score_request(constraints=True)."
            )
        labels = to_numpy(self.predict(X))
        known = as_constraints(len(labels), to_numpy(y), constraints)
        if known.is_empty:
            raise ValueError(
                f"there is nothing to score by: no constraint has all its rows among these {len(labels):,}. Use "
                "fewer folds, or more constraints."
            )
        return constraint_accuracy(labels, known)

    def _fit_inputs(self, X: Any, y: Any, constraints: Constraints | None) -> tuple[Any, Constraints]:
        """The validated rows, and labels and constraints combined."""
        labels = y if self._method.uses_constraints or isinstance(y, Constraints) else None
        X, known = fit_inputs(self, X, labels, constraints, **self._accepts())
        self._check_number(X.shape[0])
        return X, known

    def _check_number(self, n_samples: int, which: str = "rows there are") -> None:
        n_clusters = getattr(self, "n_clusters", None) or 1
        if n_clusters > n_samples:
            raise ValueError(f"n_clusters={n_clusters} is more than the n_samples={n_samples} {which}. Use fewer.")

    def _new_rows(self, X: Any) -> Any:
        """Validate new rows."""
        check_is_fitted(self)
        return validate_rows(self, X, reset=False, **{**self._accepts(), "ensure_min_samples": 1})

    def _accepts(self) -> dict[str, Any]:
        return {"accept_sparse": "csr", "dtype": (np.float64, np.float32), "ensure_min_samples": 1}

    def _refuse_weights(self, constraints: Constraints) -> None:
        weight = uncertain_weight(constraints)
        if weight is not None:
            raise ValueError(
                f"{type(self).__name__} takes every hint as certain, but one has weight {weight:g}. Leave the "
                "weights out, or use a method that uses them (PCKMeans)."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts().get("accept_sparse", False) is not False
        return tags


def uncertain_weight(constraints: Constraints, kinds: tuple[Kind, ...] = KINDS) -> float | None:
    """The first weight other than 1; None if all weights are 1.

    >>> uncertain_weight(Constraints(3, must_link=[(0, 1)], must_weight=0.5)), uncertain_weight(Constraints(3))
    (0.5, None)
    """
    for kind in kinds:
        weights = pair_weights(constraints, kind)
        uncertain = weights[weights != 1]
        if len(uncertain):
            return float(uncertain[0])
    return None
