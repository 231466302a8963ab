"""What a model file keeps of a class, written once beside it: ``_saved = Saved(...)``. See :mod:`likewise.models`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from numbers import Real
from typing import Any

Classes = type | tuple[type, ...]


@dataclass(frozen=True)
class Saved:
    """The attributes of a fitted object that a model file keeps, besides the parameters of an estimator.

    Parameters
    ----------
    values : tuple of str
        Numbers, words, arrays, and lists and dictionaries of these. Tuples and sets come back as lists.
    parts : mapping of str to class or tuple of classes
        Attributes that are objects with a ``_saved`` of their own, and which classes they may be of; ``BaseEstimator``
        for any estimator that can be saved, ``NoneType`` among them where there may be none.
    lists : mapping of str to class or tuple of classes
        The same for attributes that are lists of such objects.
    optional : tuple of str
        Values that only some settings have.
    check : callable, optional
        Called with the object when all is set: completes what follows from the rest, and raises ValueError where
        things do not fit together. Files may come from strangers.
    """

    values: tuple[str, ...] = ()
    parts: Mapping[str, Classes] = field(default_factory=dict)
    lists: Mapping[str, Classes] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    check: Callable[[Any], None] | None = None

    def extended(
        self,
        *,
        values: tuple[str, ...] = (),
        parts: Mapping[str, Classes] | None = None,
        optional: tuple[str, ...] = (),
        check: Callable[[Any], None] | None = None,
    ) -> Saved:
        """The same and more, for a subclass.

        Parameters
        ----------
        values, parts, optional
            Added to those of this one.
        check : callable, optional
            Default: that of this one.

        Returns
        -------
        Saved

        Examples
        --------
        >>> Saved(values=("components_",)).extended(values=("width_",)).values
        ('components_', 'width_')
        """
        return replace(
            self,
            values=self.values + values,
            parts={**self.parts, **(parts or {})},
            optional=self.optional + optional,
            check=check or self.check,
        )

    @property
    def classes(self) -> set[type]:
        """The classes that parts may be of."""
        named = [*self.parts.values(), *self.lists.values()]
        return {made for classes in named for made in (classes if isinstance(classes, tuple) else (classes,))}


def check_positive(value: Any, name: str) -> None:
    """Refuse what is no finite number above 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < float(value) < inf:
        raise ValueError(f"{name} is {value!r}, which is no positive number")


def check_shape(array: Any, shape: tuple[int | None, ...], name: str, kinds: str = "f") -> None:
    """Refuse what is no array of this shape and kind of numbers; None stands for any length but 0.

    Parameters
    ----------
    array : anything
    shape : tuple of int or None
    name : str
        For the message.
    kinds : str
        Kinds of numpy types, such as "fi" for floats and whole numbers.
    """
    found = getattr(array, "shape", None)
    dtype = getattr(array, "dtype", None)
    fits = found is not None and len(found) == len(shape)
    if not fits or any(
        size == 0 if wanted is None else size != wanted for wanted, size in zip(shape, found or (), strict=True)
    ):
        wanted = " × ".join("any" if size is None else str(size) for size in shape)
        raise ValueError(f"{name} has the shape {found}, not {wanted}")
    if dtype is None or dtype.kind not in kinds:
        raise ValueError(f"{name} is of type {dtype}, which is no kind of number that it may hold")
