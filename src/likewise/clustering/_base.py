"""What every clusterer shares: validation, constraints, and errors where it cannot use them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from .._estimator import fit_inputs, validate_rows
from .._method import Method
from .._saved import Saved
from .._sklearn import _fit_context
from ..constraints import Constraints
from ..constraints._overlap import KINDS, Kind, pair_weights


class Clusterer(ClusterMixin, BaseEstimator):
    """Base of all clusterers: ``fit`` takes rows, partial labels and constraints.

    A method overrides :meth:`_cluster`, which gets checked data and checked constraints, sets what it learned and
    returns the labels.

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
        """The paper to the letter; the plain constructor has the defaults that were measured to work best.

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
        """The label of each row; learned attributes are set on the way."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : (n, f) array, sparse matrix or data frame
        y : (n,) array-like, optional
            Partial labels; −1, None or NaN where unknown. A method that does not use constraints ignores them, as
            scikit-learn's own clusterers do.
        constraints : Constraints, optional
            Pairs, and anything else that is known. With ``y``, both count.

        Returns
        -------
        self
        """
        X, known = self._fit_inputs(X, y, constraints)
        if not (self._method.uses_constraints or known.is_empty):
            raise ValueError(
                f"{type(self).__name__} does not use constraints, but was given {known!r}. Use PCKMeans, COPKMeans or "
                "ProjectThenCluster, or leave the constraints out."
            )
        if not self._method.uses_weights:
            self._refuse_weights(known)
        self.labels_ = np.asarray(self._cluster(X, known), dtype=np.int32)
        return self

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

    def _fit_inputs(self, X: Any, y: Any, constraints: Constraints | None) -> tuple[Any, Constraints]:
        """The validated rows, and labels and constraints as one."""
        labels = y if self._method.uses_constraints else None
        X, known = fit_inputs(self, X, labels, constraints, **self._accepts())
        n_clusters = getattr(self, "n_clusters", None) or 1
        if n_clusters > X.shape[0]:
            raise ValueError(f"n_clusters={n_clusters} is more than the n_samples={X.shape[0]} rows there are.")
        return X, known

    def _new_rows(self, X: Any) -> Any:
        """Validated rows for a fitted clusterer."""
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
    """The first weight other than 1; None where all constraints are certain.

    >>> uncertain_weight(Constraints(3, must_link=[(0, 1)], must_weight=0.5)), uncertain_weight(Constraints(3))
    (0.5, None)
    """
    for kind in kinds:
        weights = pair_weights(constraints, kind)
        uncertain = weights[weights != 1]
        if len(uncertain):
            return float(uncertain[0])
    return None
