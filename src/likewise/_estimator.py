"""Input validation of every ``fit``: the rows, and labels and constraints combined into one :class:`Constraints`."""

from __future__ import annotations

import warnings
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.validation import validate_data

from ._devices import dispatches, refuse
from ._frames import repeated_name
from ._method import Needs
from ._parameters import described
from ._sklearn import _check_sample_weight
from ._wrong_rows import explain_rows
from .chunked import Chunked
from .chunked._lazy import is_chunked
from .constraints import Comparisons, Constraints, Partition, Preference
from .constraints._constraints import as_one
from .constraints._format import describe_comparisons, pluralize
from .linalg._products import canonical


def fit_inputs(
    estimator: Any,
    X: Any,
    y: Any,
    constraints: Constraints | None,
    *,
    needs: Needs = Needs.NOTHING,
    check_values: bool = True,
    **options: Any,
) -> tuple[Any, Constraints]:
    """Validate the inputs of ``fit(X, y, constraints=...)``, and combine labels and constraints.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame
    y : (n,) array-like, optional
        Partial labels.
    constraints : Constraints, optional
    needs : Needs
        The constraints that the estimator requires; an error is raised if they are missing.
    check_values : bool
        Whether to check that values are finite, and can be squared. False if the estimator checks them itself.
    **options
        Options of :func:`sklearn.utils.validation.validate_data`.

    Returns
    -------
    rows : (n, f) array or sparse matrix
    constraints : Constraints
    """
    rows = validate_rows(estimator, X, **options, **({} if check_values else {"ensure_all_finite": False}))
    if check_values and not estimator.__sklearn_tags__().input_tags.pairwise:
        check_magnitude(rows)
    return rows, checked_constraints(estimator, rows.shape[0], y, constraints, needs)


def checked_constraints(
    estimator: Any, n_samples: int, y: Any, constraints: Constraints | None, needs: Needs = Needs.NOTHING
) -> Constraints:
    """Labels and constraints combined, restricted to the kinds that the estimator uses.

    Raises an error if constraints that the estimator requires are missing.
    """
    require_given(estimator, needs, y, constraints)
    given = as_constraints(n_samples, y, constraints)
    check_weights(given)
    missing = needs.missing(given)
    if missing:
        lacking = "none" if missing == needs else f"no {missing.words}"
        name = type(estimator).__name__
        raise ValueError(
            f"{name} learns from {needs.words}, but the constraints contain {lacking}: {given!r}. {_instead(given)}"
        )
    uses_any = not hasattr(estimator, "_method") or estimator._method.uses_constraints
    return _check_used(estimator, given) if uses_any else given


MOST_WEIGHT = 1e12
"""The largest weight of a constraint; its reciprocal is the smallest. Sums of more extreme weights lose all digits."""


def check_weights(constraints: Constraints) -> None:
    """Raise an error if weights are so large or small that sums with other weights would lose all digits of one.

    >>> check_weights(Constraints(3, [(0, 1)], must_weight=[1e300]))
    Traceback (most recent call last):
    ValueError: must_weight ranges from 1e+300 to 1e+300, but must be between 1e-12 and 1e+12. ...
    """
    weights = {
        "must_weight": constraints.must_weight,
        "cannot_weight": constraints.cannot_weight,
        "the weight of partitions": [part.weight for part in constraints.partitions],
        "the weight of comparisons": constraints.comparisons.weight,
        "the weight of preferences": [each.weight for each in constraints.preferences],
    }
    for name, given in weights.items():
        values = np.asarray(given, dtype=np.float64)
        if len(values) and (values.max() > MOST_WEIGHT or values.min() < 1 / MOST_WEIGHT):
            raise ValueError(
                f"{name} ranges from {values.min():g} to {values.max():g}, but must be between {1 / MOST_WEIGHT:g} and "
                f"{MOST_WEIGHT:g}. Leave out hints that should not count; to make a hint certain, give the others "
                "smaller weights."
            )


def used_part(estimator: Any, constraints: Constraints) -> Constraints:
    """The kinds of constraints that an estimator, or one of its parts, uses.

    >>> from likewise import Comparisons, PCKMeans
    >>> used_part(PCKMeans(), Constraints(4, [(0, 1)]) | Comparisons(4, nearer=[(0, 2, 3)]))
    Constraints(4 rows: 1 must-link)
    """
    unused = _unused(estimator, constraints)
    if "comparisons" in unused:
        constraints = replace(constraints, comparisons=Comparisons(constraints.n_samples))
    return replace(constraints, preferences=()) if "preferences" in unused else constraints


def _unused(estimator: Any, constraints: Constraints) -> dict[str, str]:
    """The kinds of constraints that an estimator does not use, with their numbers in words."""
    if constraints.comparisons.is_empty and not constraints.preferences:
        return {}
    made_of = [value for value in estimator.get_params(deep=False).values() if value is not None]
    made_of += [step for value in made_of if isinstance(value, list | tuple) for step in value]
    facts = [part._method for part in (estimator, *made_of) if hasattr(part, "_method")]
    unused = {}
    if not (constraints.comparisons.is_empty or any(each.uses_comparisons for each in facts)):
        unused["comparisons"] = describe_comparisons(constraints.comparisons)
    if constraints.preferences and not any(each.uses_preferences for each in facts):
        unused["preferences"] = pluralize(len(constraints.preferences), "preference")
    return unused


def _check_used(estimator: Any, constraints: Constraints) -> Constraints:
    """The kinds of constraints that an estimator uses. Warns about the others; raises an error if nothing is left."""
    unused = _unused(estimator, constraints)
    if not unused:
        return constraints
    used = used_part(estimator, constraints)
    name, what = type(estimator).__name__, " and ".join(unused.values())
    if used.is_empty and not constraints.is_empty:
        raise ValueError(
            f"{name} does not use {what}, but the constraints contain nothing else: {constraints!r}. "
            f"{_instead(constraints)}"
        )
    warnings.warn(f"{name} does not use {what} of the constraints. Likewise does.", stacklevel=8)
    return used


def _instead(constraints: Constraints) -> str:
    """What to do if a method requires other constraints."""
    if len(constraints.comparisons):
        return (
            "Use Likewise, which learns from any; if the answers meant clusters, constraints.as_pairs() has them as "
            "must-links and cannot-links."
        )
    return "Add some, or use Likewise, which learns from any."


def require_given(estimator: Any, needs: Needs, y: Any, constraints: Any) -> None:
    """Raise an error, worded as scikit-learn's checks expect, if constraints are required and none are given."""
    if needs and y is None and constraints is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None, and so are the "
            f"constraints: it learns from {needs.words}. Pass constraints=Constraints(...) or partial labels as y."
        )


def validate_rows(estimator: Any, X: Any, *, summed: bool = True, **options: Any) -> Any:
    """``validate_data`` of scikit-learn, with sparse matrices converted to canonical format.

    A CSR or CSC matrix may contain duplicate entries, which represent their sum. Such a matrix is copied and its
    duplicates are summed; the caller's matrix is not changed.

    Parameters
    ----------
    estimator : estimator
    X : array-like, sparse matrix or data frame
    summed : bool
        Whether to sum duplicates. Not needed for products, which are correct with duplicates.
    **options
        Options of :func:`sklearn.utils.validation.validate_data`.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from sklearn.decomposition import TruncatedSVD
    >>> halves = sparse.csr_array((np.array([0.5, 0.5]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    >>> validate_rows(TruncatedSVD(), halves, accept_sparse="csr").data
    array([1.])
    """
    if is_chunked(X):
        if options.get("reset") is False:
            raise _new_rows_in_parts(X)
        raise in_memory_only(estimator, X)
    if dispatches(X):
        refuse(estimator, X)
    if (repeated := repeated_name(X)) is not None:
        raise repeated
    try:
        rows = validate_data(estimator, X, **options)
    except (TypeError, ValueError, RuntimeError):
        if (error := explain_rows(X, type(estimator).__name__)) is not None:
            raise error from None
        raise
    return canonical(rows) if summed else rows


def _new_rows_in_parts(X: Any) -> TypeError:
    """The error of a method that needs new rows in memory, with alternatives."""
    if isinstance(X, Chunked):
        return TypeError(
            "results for rows in files are written to a file, one part at a time: rows.map_to('places.npy', "
            "model.transform)."
        )
    return TypeError(
        "new rows of a Dask collection are placed by predict and transform. For anything else pass rows in memory: "
        "X.compute(), or a part of X."
    )


def in_memory_only(estimator: Any, X: Any) -> TypeError:
    """The error of an estimator that cannot read rows in files, which names some that can."""
    more = "" if isinstance(X, Chunked) else "; for a Dask collection that fits into it, pass X.compute()"
    return TypeError(
        f"{type(estimator).__name__} works on rows in memory{more}. For rows in files use Likewise, "
        "ProjectThenCluster, PCKMeans, MPCKMeans, COPKMeans or SphericalKMeans, or a projection such as Costco."
    )


def no_weights() -> ValueError:
    """The error for sample weights of rows that are read leaf by leaf."""
    return ValueError(
        "rows in files, of a Dask collection or of OnDevice have no weights: leave sample_weight out, or pass rows in "
        "memory."
    )


def counted_rows(sample_weight: Any, X: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
    """The nonzero weights, and the rows that have them (None if all do).

    >>> counted_rows([2, 0, 1], np.zeros((3, 1)))
    (array([2., 1.]), array([0, 2]))
    """
    if sample_weight is None:
        return None, None
    weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    counted = np.flatnonzero(weight)
    if not len(counted):
        raise ValueError("sample_weight is 0 for every row: nothing is left to learn from.")
    return (weight, None) if len(counted) == len(weight) else (weight[counted], counted)


def check_finite(estimator: Any, X: Any) -> None:
    """Raise an error if values are not finite, as :func:`validate_rows` does."""
    try:
        assert_all_finite(X, estimator_name=type(estimator).__name__, input_name="X")
    except ValueError:
        if (error := explain_rows(X, type(estimator).__name__)) is not None:
            raise error from None
        raise


def check_magnitude(X: Any) -> None:
    """Raise an error if the sum of squares of X overflows or underflows; distances would be infinite or zero.

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
    """Combine partial labels and constraints for the same rows; either may be None.

    Constraints without labels are returned as they are, so that their cached groups and closure are kept.

    >>> as_constraints(3, [0, -1, 0], Constraints(3, cannot_link=[(0, 1)]))
    Constraints(3 rows: 1 cannot-link, 2 labels of 1 class (1 pair))
    """
    if isinstance(y, Comparisons | Preference | Partition):
        y = as_one(y)
    if isinstance(y, Constraints):
        y, constraints = None, y if constraints is None else y | constraints
    labels = Constraints(n_samples)
    if y is not None:
        try:
            y = column_or_1d(y, warn=True)
        except ValueError:
            raise ValueError(
                f"y is {described(y)}, but must have one label for each row, −1 where unknown. Pass pairs of rows as "
                "constraints: fit(X, constraints=Constraints(len(X), must_link=..., cannot_link=...))."
            ) from None
        labels = Constraints.from_labels(y)
        if labels.n_samples != n_samples:
            raise ValueError(
                f"y has {labels.n_samples:,} labels, X has {n_samples:,} rows. Pass one label for each row, −1 where "
                "it is unknown."
            )
    if constraints is None:
        return labels
    if not isinstance(constraints, Constraints):
        constraints = getattr(constraints, "constraints", constraints)  # Answers have an attribute of that name
    if isinstance(constraints, Comparisons | Preference | Partition):
        constraints = as_one(constraints)
    if not isinstance(constraints, Constraints):
        raise TypeError(
            f"constraints must be a likewise.Constraints, got {described(constraints)}. {_remedy(constraints)}"
        )
    if constraints.n_samples != n_samples:
        raise ValueError(
            f"constraints were built for {constraints.n_samples} rows, X has {n_samples}. "
            "Restrict them to the same rows: constraints.restrict(train_rows)."
        )
    return labels | constraints


def _remedy(given: Any) -> str:
    """How to create constraints from what was given."""
    if isinstance(given, int):
        return f"Did you mean n_clusters={given}?"
    if isinstance(given, str | PathLike):
        return f"Read the file: Constraints.read({str(given)!r}, n_samples=len(X))."
    if hasattr(given, "columns"):
        return "Write Constraints.from_frame(frame, n_samples=len(X)); the frame has columns left, right and kind."
    if np.ndim(given) == 1 and not isinstance(given, dict | set):
        return "If these are labels, pass them as y, or as Constraints.from_labels(labels)."
    return "Build one: Constraints(len(X), must_link=[(0, 1)], cannot_link=[(0, 2)])."
