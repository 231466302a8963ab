"""Errors for unknown parameters, with a suggestion.

>>> from likewise import Constraints, Likewise
>>> Likewise(k=3)
Traceback (most recent call last):
TypeError: Likewise has no parameter 'k'. Did you mean 'n_clusters'?
>>> Constraints(3, must_links=[(0, 1)])
Traceback (most recent call last):
TypeError: Constraints has no parameter 'must_links'. Did you mean 'must_link'?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ._suggest import suggest

P = ParamSpec("P")
R = TypeVar("R")

ELSEWHERE = {
    "k": ("n_clusters",),
    "clusters": ("n_clusters",),
    "n": ("n_clusters", "n_samples"),
    "nclust": ("n_clusters",),
    "num_clusters": ("n_clusters",),
    "d": ("n_components",),
    "dim": ("n_components",),
    "dims": ("n_components",),
    "dimensions": ("n_components",),
    "n_dims": ("n_components",),
    "seed": ("random_state",),
    "rng": ("random_state",),
    "threads": ("n_jobs",),
    "n_threads": ("n_jobs",),
    "workers": ("n_jobs",),
    "timeout": ("budget_s",),
    "time_limit": ("budget_s",),
    "hints": ("constraints",),
    "pairs": ("constraints", "must_link", "cannot_link"),
    "must_link": ("constraints",),
    "must_links": ("constraints",),
    "cannot_link": ("constraints",),
    "cannot_links": ("constraints",),
    "ml": ("must_link", "constraints"),
    "must": ("must_link", "constraints"),
    "same": ("must_link", "constraints"),
    "cl": ("cannot_link", "constraints"),
    "cannot": ("cannot_link", "constraints"),
    "different": ("cannot_link", "constraints"),
    "weight": ("must_weight", "cannot_weight"),
    "weights": ("must_weight", "cannot_weight"),
    "labels": ("y", "partitions"),
    "triplets": ("nearer",),
    "triples": ("nearer",),
    "quadruplets": ("pairs",),
    "quadruples": ("pairs",),
    "impute": ("missing",),
    "imputation": ("missing",),
    "imputer": ("missing",),
    "data": ("X",),
    "n_rows": ("n_samples",),
    "noise": ("error_rate",),
    "wrong": ("error_rate",),
}
"""Names of parameters in other packages and on the command line."""


def suggestion(name: str, known: Iterable[str]) -> str:
    """A suggestion of the intended parameter, or a list of all.

    >>> suggestion("n_cluster", ["n_clusters", "trust"]), suggestion("seed", ["trust", "random_state"])
    ("Did you mean 'n_clusters'?", "Did you mean 'random_state'?")
    >>> suggestion("color", ["trust", "kind"])
    'There are: trust, kind.'
    """
    known = list(known)
    meant = [other for other in ELSEWHERE.get(name.lower(), ()) if other in known]
    elsewhere = f"Did you mean {' or '.join(map(repr, meant))}?" if meant else f"There are: {', '.join(known)}."
    return suggest(name, known, most=1).strip() or elsewhere


def suggests_parameters(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function such that an unknown keyword is an error with a suggestion.

    Parameters
    ----------
    function : callable
        A function, a method, or what a class method is made of.
    """
    parameters = signature(function).parameters.values()
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters):
        return function
    names = [parameter.name for parameter in parameters if parameter.name not in ("self", "cls")]
    keywords = frozenset(names)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not keywords.issuperset(kwargs):
            wrong = next(name for name in kwargs if name not in keywords)
            raise TypeError(f"{_called(function, args)} has no parameter {wrong!r}. {suggestion(wrong, names)}")
        return function(*args, **kwargs)

    return call


def _called(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """The name of what the user called: a class for a constructor, else a class and a method."""
    if "." not in function.__qualname__ or "<locals>" in function.__qualname__ or not args:
        return function.__name__
    owner = args[0] if isinstance(args[0], type) else type(args[0])
    return owner.__name__ if function.__name__ == "__init__" else f"{owner.__name__}.{function.__name__}"


class SuggestsParameters:
    """Mixin of estimators: an unknown parameter of the constructor or of ``fit`` is an error with a suggestion.

    The signature of the constructor, which scikit-learn inspects, is not changed.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("__init__", "fit", "fit_predict", "fit_transform"):
            if name in vars(cls):
                setattr(cls, name, suggests_parameters(vars(cls)[name]))

    def __getattr__(self, name: str) -> Any:
        from sklearn.exceptions import NotFittedError  # hints are read without scikit-learn

        try:
            return super().__getattribute__(name)  # again, so that what is there under conditions keeps its own error
        except NotFittedError:
            raise
        except AttributeError:
            if not name.endswith("_") or name.startswith("_") or any(own.endswith("_") for own in vars(self)):
                raise
            raise AttributeError(f"this {type(self).__name__} has no {name} yet. Call fit(X) first.") from None

    def _validate_params(self) -> None:
        for name in ("n_clusters", "n_components"):
            value = getattr(self, name, None)
            if getattr(value, "shape", ()):
                made = type(self).__name__
                raise TypeError(f"{name} of {made} is {described(value)}. Data goes to fit: {made}({name}=...).fit(X).")
        super()._validate_params()  # type: ignore[misc]


def described(value: Any) -> str:
    """A short description of a value of any size.

    >>> import numpy as np
    >>> described(np.zeros((40, 3))), described([(0, 1)]), described("3")
    ('an array of shape (40, 3)', 'a list of 1 item', "'3'")
    """
    shape = getattr(value, "shape", None)
    if isinstance(value, np.ndarray) and shape:
        return f"an array of shape {shape}"
    if isinstance(shape, tuple) and shape:
        return f"a {type(value).__name__} of shape {shape}"
    if isinstance(value, list | tuple | set | dict):
        return f"a {type(value).__name__} of {len(value):,} item{'' if len(value) == 1 else 's'}"
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:80]}… (a {type(value).__name__})"
