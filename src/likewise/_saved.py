"""The attributes of a class that model files store, declared on it: ``_saved = Saved(...)``; see
:mod:`likewise.models`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

Classes = type | tuple[type, ...]


@dataclass(frozen=True)
class Saved:
    """The attributes of a fitted object that a model file stores, in addition to the parameters of an estimator.

    Parameters
    ----------
    values : tuple of str
        Attributes that are numbers, strings, arrays, or lists and dictionaries of these. Tuples and sets are restored
        as lists.
    parts : mapping of str to class or tuple of classes
        Attributes that are objects with a ``_saved`` of their own, and the allowed classes: ``BaseEstimator`` for any
        estimator that can be saved, and ``NoneType`` if the attribute may be None.
    lists : mapping of str to class or tuple of classes
        The same for attributes that are lists of such objects.
    optional : tuple of str
        Values that exist only with some settings.
    check : callable, optional
        Called with the object after all attributes are set. It sets derived attributes, and raises ValueError if
        attributes are inconsistent, since files are not trusted.
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
        """A copy with more attributes, for a subclass.

        Parameters
        ----------
        values, parts, optional
            Attributes to add.
        check : callable, optional
            Replaces the check. Default: keep it.

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
        """The allowed classes of parts."""
        named = [*self.parts.values(), *self.lists.values()]
        return {made for classes in named for made in (classes if isinstance(classes, tuple) else (classes,))}


WIDTHS = (1e-150, 1e150)
"""The smallest and the largest width of a kernel: its square can be computed in double precision."""


def check_width(value: Any, name: str) -> None:
    """Raise an error unless a value is a valid width of a kernel."""
    smallest, largest = WIDTHS
    if isinstance(value, bool) or not isinstance(value, Real) or not smallest <= float(value) <= largest:
        raise ValueError(f"{name} is {value!r}, which is no number from {smallest:g} to {largest:g}")


def check_shape(array: Any, shape: tuple[int | None, ...], name: str, kinds: str = "f") -> None:
    """Raise an error unless an array has this shape and kind of dtype; None means any length but 0.

    Parameters
    ----------
    array : anything
    shape : tuple of int or None
    name : str
        For the message.
    kinds : str
        Kinds of NumPy dtypes, such as "fi" for floats and integers.
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
