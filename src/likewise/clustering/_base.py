"""What every clusterer shares: validation, hints, and what it says when it cannot use them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags

from .._estimator import as_constraints, validate_rows
from .._method import Method
from .._saved import Saved
from .._sklearn import _fit_context
from ..constraints import Constraints
from ..constraints._overlap import pair_weights


class Clusterer(ClusterMixin, BaseEstimator):
    """Clusters rows, heeding hints.

    A method overrides :meth:`_cluster`, which gets checked data and checked hints and sets what it learned; everything
    a user touches is written here once.

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
        """The paper to the letter; the plain constructor has the defaults that were measured to work best."""
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
            Partial labels; −1, None or NaN where unknown. A method that hears no hints ignores them, as
            scikit-learn's own clusterers do.
        constraints : Constraints, optional
            Pairs, and anything else that is known. With ``y``, both count.
        """
        X = validate_rows(self, X, **self._accepts())
        n_clusters = getattr(self, "n_clusters", None) or 1
        if n_clusters > X.shape[0]:
            raise ValueError(f"n_clusters={n_clusters} is more than the n_samples={X.shape[0]} rows there are.")
        hints = self._hints(X.shape[0], y, constraints)
        if not (self._method.uses_constraints or hints.is_empty):
            raise ValueError(
                f"{type(self).__name__} hears no hints, but was given {hints!r}. Use PCKMeans, COPKMeans or "
                "ProjectThenCluster, or leave the constraints out."
            )
        if not self._method.uses_weights:
            self._refuse_beliefs(hints)
        self.labels_ = np.asarray(self._cluster(X, hints), dtype=np.int32)
        return self

    def fit_predict(self, X: Any, y: Any = None, *, constraints: Constraints | None = None) -> np.ndarray:
        """Cluster the rows of X and return their labels; everything as for :meth:`fit`."""
        return self.fit(X, y, constraints=constraints).labels_

    def _hints(self, n_samples: int, y: Any, constraints: Constraints | None) -> Constraints:
        return as_constraints(n_samples, y if self._method.uses_constraints else None, constraints)

    def _accepts(self) -> dict[str, Any]:
        return {"accept_sparse": "csr", "dtype": (np.float64, np.float32), "ensure_min_samples": 1}

    def _refuse_beliefs(self, hints: Constraints) -> None:
        told = np.concatenate([pair_weights(hints, "must"), pair_weights(hints, "cannot")])
        if np.any(told != 1):
            raise ValueError(
                f"{type(self).__name__} takes every hint as certain and has no place for degrees of belief, but one "
                f"weighs {told[told != 1][0]:g}. Leave the weights out, or use a method that weighs hints (PCKMeans)."
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._accepts().get("accept_sparse", False) is not False
        return tags
