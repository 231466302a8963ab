"""Nyström approximation of a kernel, by its values between all rows and some rows, the landmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..._arrays import FloatArray, IntArray, evenly_spaced
from ..._threads import parallel_map
from ...constraints import Constraints
from ...graphs._kernel import must_link_differences
from ._points import blocks

NULL = {"float64": 1e-10, "float32": 1e-6}
"""Eigenvalues below this fraction of the largest count as zero, by precision of X."""

PARALLEL = 1e-5
"""Singular values of must-link differences below this fraction of the largest count as zero."""

SAMPLE = 1000
"""Number of evenly spaced rows on which the error is measured."""

Kernel = Callable[[Any, Any], FloatArray]
"""(rows, rows) → their kernel."""


@dataclass
class Nystrom:
    """Coordinates F such that F Fᵀ ≈ K, exact between landmarks (Williams and Seeger 2001).

    With L the landmarks, K ≈ K(·, L) K(L, L)⁺ K(L, ·), so F = K(·, L) M with M Mᵀ = K(L, L)⁺, an n × |L| array.

    Attributes
    ----------
    landmarks : (p,) ints
    F : (n, r) array
    M : (p, r) array
    off : float
        Frobenius norm ‖K − F Fᵀ‖ before the collapse, on at most 1,000 rows.

    Examples
    --------
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> bool(Nystrom.of(rbf_kernel, X, np.arange(0, 50, 7)).error < 1e-6)
    True
    """

    landmarks: IntArray
    F: FloatArray
    M: FloatArray
    off: float

    @classmethod
    def of(cls, kernel: Kernel, X: Any, landmarks: IntArray) -> Self:
        """The coordinates of the rows of X, in the precision of X."""
        chosen, n = X[landmarks], X.shape[0]
        values, vectors = np.linalg.eigh(kernel(chosen, chosen).astype(np.float64))
        kept = values > NULL[str(X.dtype)] * values[-1]
        M = vectors[:, kept] / np.sqrt(values[kept])
        F = np.empty((n, M.shape[1]), dtype=X.dtype)

        def fill(some: slice) -> None:
            F[some] = kernel(X[some], chosen) @ M

        parallel_map(fill, blocks(n, len(landmarks)), report=True)
        some = evenly_spaced(n, SAMPLE)
        off = np.linalg.norm(kernel(X[some], X[some]) - F[some] @ F[some].T)
        return cls(landmarks, F, M, float(off))

    @property
    def error(self) -> float:
        """‖K − F Fᵀ‖ / ‖F Fᵀ‖ on the sample; after a collapse, relative to the norm that is left."""
        some = self.F[evenly_spaced(len(self.F), SAMPLE)]
        return self.off / float(np.linalg.norm(some @ some.T))

    def collapse(self, constraints: Constraints) -> None:
        """Project onto the null space of all must-link differences, so that must-linked rows coincide."""
        linked, differences = must_link_differences(constraints)
        if len(linked):
            moves = differences @ self.F[linked].astype(np.float64)
            _, lengths, directions = np.linalg.svd(moves, full_matrices=False)
            B = directions[lengths > PARALLEL * lengths[0]].astype(self.F.dtype)

            def project(some: slice) -> None:
                self.F[some] -= (self.F[some] @ B.T) @ B

            parallel_map(project, blocks(len(self.F), self.F.shape[1]), report=True)


def random_landmarks(count: int, constraints: Constraints, rng: np.random.RandomState) -> IntArray:
    """Landmarks: must-linked rows, for at most half of them, and random rows."""
    n = constraints.n_samples
    linked = must_link_differences(constraints)[0]
    if len(linked) > count // 2:
        linked = rng.choice(linked, count // 2, replace=False)
    others = np.setdiff1d(np.arange(n), linked)
    return np.sort(np.concatenate([linked, rng.choice(others, count - len(linked), replace=False)]))
