"""What every ``fit`` begins with: the rows, and labels and constraints as one :class:`Constraints`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import column_or_1d
from sklearn.utils.validation import validate_data

from ._method import Needs
from .constraints import Constraints
from .linalg._products import canonical


def fit_inputs(
    estimator: Any, X: Any, y: Any, constraints: Constraints | None, *, needs: Needs = Needs.NOTHING, **options: Any
) -> tuple[Any, Constraints]:
    """What ``fit(X, y, constraints=...)`` was given: the validated rows, and labels and constraints as one.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame
    y : (n,) array-like, optional
        Partial labels.
    constraints : Constraints, optional
    needs : Needs
        What the estimator cannot do without; an error names it.
    **options
        Those of :func:`sklearn.utils.validation.validate_data`.

    Returns
    -------
    rows : (n, f) array or sparse matrix
    constraints : Constraints
    """
    rows = validate_rows(estimator, X, **options)
    if not estimator.__sklearn_tags__().input_tags.pairwise:
        check_magnitude(rows)
    require_given(estimator, needs, y, constraints)
    given = as_constraints(rows.shape[0], y, constraints)
    missing = needs.missing(given)
    if missing:
        lacking = "none" if missing == needs else f"no {missing.words}"
        name = type(estimator).__name__
        raise ValueError(f"{name} learns from {needs.words}, and the constraints hold {lacking}: {given!r}.")
    return rows, given


def require_given(estimator: Any, needs: Needs, y: Any, constraints: Any) -> None:
    """Raise an error, in words that scikit-learn's checks look for, where a need is there and nothing was given."""
    if needs and y is None and constraints is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None, and so are the "
            f"constraints: it learns from {needs.words}. Pass constraints=Constraints(...) or partial labels as y."
        )


def validate_rows(estimator: Any, X: Any, *, summed: bool = True, **options: Any) -> Any:
    """``validate_data`` of scikit-learn; in sparse rows, each entry is then stored once and in order.

    A CSR or CSC matrix may hold an entry in several parts, which stand for their sum. Such a matrix is copied and
    summed up; the caller's stays as it is.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame
    summed : bool
        False leaves entries in parts as they are: products with them are right, and looking for them takes as long.
    **options
        Those of :func:`sklearn.utils.validation.validate_data`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from sklearn.decomposition import TruncatedSVD
    >>> halves = sparse.csr_array((np.array([0.5, 0.5]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    >>> validate_rows(TruncatedSVD(), halves, accept_sparse="csr").data
    array([1.])
    """
    try:
        rows = validate_data(estimator, X, **options)
    except ValueError:
        if names := _text_columns(X):
            raise ValueError(
                f"X has text in {', '.join(map(repr, names))}, and {type(estimator).__name__} compares numbers. Turn "
                "the table into numbers first: likewise.TableFeatures().fit_transform(X)."
            ) from None
        raise
    return canonical(rows) if summed else rows


def _text_columns(X: Any) -> list[str]:
    """The columns of a data frame that hold strings or categories."""
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return []
    return [name for name, dtype in frame.schema.items() if dtype in (nw.String, nw.Categorical, nw.Enum)]


def check_magnitude(X: Any) -> None:
    """Refuse values whose squares, summed over X, overflow or vanish: distances would be infinite or zero.

    >>> check_magnitude(np.array([[1e200, 1.0]]))
    Traceback (most recent call last):
    ValueError: the largest value of X is 1e+200, too large to be squared in float64. Divide X by it first.
    """
    values = X.data if sparse.issparse(X) else X
    if not values.size:
        return
    largest = float(max(values.max(), -values.min()))
    limits = np.finfo(values.dtype)
    if largest > np.sqrt(float(limits.max) / (X.shape[0] * X.shape[1])):
        size = "large"
    elif 0 < largest < np.sqrt(float(limits.tiny) / float(limits.eps)):
        size = "small"
    else:
        return
    raise ValueError(
        f"the largest value of X is {largest:.3g}, too {size} to be squared in {values.dtype}. Divide X by it first."
    )


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
