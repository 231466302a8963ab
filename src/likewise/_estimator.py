"""What every ``fit`` begins with: the rows, and labels and constraints as one :class:`Constraints`."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from .constraints import Constraints


def validate_rows(estimator: Any, X: Any, **options: Any) -> Any:
    """``validate_data`` of scikit-learn; in sparse rows, each entry is then stored once and in order.

    A CSR or CSC matrix may hold several values at one place, which stand for their sum. Squares, counts and comparisons
    of stored values would be wrong, so such a matrix is copied and summed up; the caller's stays as it is.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame
    **options
        Those of :func:`sklearn.utils.validation.validate_data`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.decomposition import TruncatedSVD
    >>> halves = sparse.csr_array((np.array([0.5, 0.5]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    >>> validate_rows(TruncatedSVD(), halves, accept_sparse="csr").data
    array([1.])
    """
    rows = validate_data(estimator, X, **options)
    if sparse.issparse(rows) and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def as_constraints(n_samples: int, y: Any, constraints: Constraints | None) -> Constraints:
    """Partial labels and constraints, either or both or none, for the same rows.

    Constraints that come alone are returned as they are, with the groups and the closure they have already worked out.

    >>> as_constraints(3, [0, -1, 0], Constraints(3, cannot_link=[(0, 1)]))
    Constraints(3 rows: 1 cannot-link, 1 partition of 1 block over 2 rows)
    """
    labels = Constraints(n_samples)
    if y is not None:
        labels = Constraints.from_labels(column_or_1d(y, warn=True))
        _check_n_samples(labels, n_samples, "y has labels")
    if constraints is None:
        return labels
    if not isinstance(constraints, Constraints):
        raise TypeError(
            f"constraints must be a likewise.Constraints, got {type(constraints).__name__}. "
            "Build one with Constraints(n_samples, must_link=..., cannot_link=...)."
        )
    _check_n_samples(constraints, n_samples, "constraints were built")
    return labels | constraints


def _check_n_samples(constraints: Constraints, n_samples: int, subject: str) -> None:
    if constraints.n_samples != n_samples:
        raise ValueError(
            f"{subject} for {constraints.n_samples} rows, X has {n_samples}. "
            "Split them too: constraints.restrict(train_rows)."
        )
