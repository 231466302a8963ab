"""The metric that hints ask for, and the one that knows no hints: the two ends of every metric learned here.

A diagonal metric is a weight for each feature, a full one a matrix; the sums it is learned from are weights or matrices
alike, and the number of their dimensions says which is meant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from ._diagonal import minimize
from ._full import maximize

Array = np.ndarray


@dataclass(frozen=True)
class Learned:
    """Two metrics, and how they were come by.

    Attributes
    ----------
    optimum, prior : arrays
        What the hints ask for, and what is taken without any, both with the same Σ_j a_j·variance_j (for matrices:
        the same trace of A·covariance).
    n_kept : int
        Features or directions with a weight at the optimum.
    n_iter : int
    residual : float
        What is left to gain.
    informed : bool
        Whether the hints say anything.
    """

    optimum: Array
    prior: Array
    n_kept: int = 0
    n_iter: int = 0
    residual: float = 0.0
    informed: bool = True

    def shrunk(self, shrink: float) -> Array:
        """The metric ``shrink`` of the way from the optimum to the prior."""
        return (1 - shrink) * self.optimum + shrink * self.prior


@dataclass(frozen=True)
class Learner:
    """What is known of the data before any pair is looked at.

    Parameters
    ----------
    spread : (f,) or (f, f) array
        Variances, for a diagonal metric; the covariance, for a full one.
    toward : {"variance", "equal"}
        The prior: 1/variance or equal weights. Constant features have none.
    max_iter : int
    """

    spread: Array
    toward: str = "variance"
    max_iter: int = 1000

    @property
    def variance(self) -> Array:
        """The variance of each feature."""
        return self.spread if self.spread.ndim == 1 else self.spread.diagonal()

    def learn(self, must: Array, D: Any, beliefs: Array, tol: float = 1e-6) -> Learned:
        """The two ends for a must-link sum of the shape of ``spread``, and differences of cannot-linked rows.

        Differences may be sparse for a diagonal metric, not for a full one.
        """
        varies = np.flatnonzero(self.variance)
        if len(varies) == len(self.spread):
            return self._learn(must, D, beliefs, tol)
        some = np.ix_(*(varies,) * self.spread.ndim)
        found = Learner(self.spread[some], self.toward, self.max_iter)._learn(must[some], D[:, varies], beliefs, tol)
        optimum, prior = np.zeros((2, *self.spread.shape))
        optimum[some], prior[some] = found.optimum, found.prior
        return replace(found, optimum=optimum, prior=prior)

    def _learn(self, must: Array, D: Any, beliefs: Array, tol: float) -> Learned:
        """The same for features that all vary."""
        full = self.spread.ndim == 2
        prior = 1 / self.variance if self.toward == "variance" else np.ones(len(self.spread))
        prior = np.diag(prior) if full else prior
        if not abs(D).sum() > 0:
            return Learned(prior, prior, informed=False)
        optimum, n_kept, n_iter, residual = (_full if full else _diagonal)(must, D, beliefs, tol, self.max_iter)
        prior *= np.vdot(optimum, self.spread) / np.vdot(prior, self.spread)
        return Learned(optimum, prior, n_kept, n_iter, residual)


def _diagonal(must: Array, D: Any, beliefs: Array, tol: float, max_iter: int) -> tuple[Array, int, int, float]:
    C = squares(D)
    C = C @ sparse.diags_array(1 / must) if sparse.issparse(C) else C / must
    found = minimize(C, beliefs, tol=tol, max_iter=max_iter)
    return found.weights / must, int(np.count_nonzero(found.weights)), found.n_iter, found.residual


def _full(must: Array, D: Any, beliefs: Array, tol: float, max_iter: int) -> tuple[Array, int, int, float]:
    found = maximize(must, D, beliefs, tol=tol, max_iter=max_iter)
    values = linalg.eigvalsh(found.metric)
    return found.metric, int(np.sum(values > 1e-9 * values[-1])), found.n_iter, found.gap


def squares(D: Any) -> Any:
    """The square of each entry; sparse stays sparse."""
    return D.power(2) if sparse.issparse(D) else np.square(D)
