"""Metadata of a method, declared on its class: ``_method = Method(...)``.

The command line, comparisons, model files, documentation, benchmarks and tests read it through
:mod:`likewise._methods`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, Flag, auto
from inspect import isclass, signature
from typing import Any, TypeVar, cast

from sklearn.base import ClusterMixin
from sklearn.utils.validation import has_fit_parameter

from ._parameters import suggests_parameters
from ._sklearn import make_constraint
from .constraints import Constraints

Made = TypeVar("Made", bound=Callable[..., Any])


class Needs(Flag):
    """What a method requires in addition to the data."""

    NOTHING = 0
    MUST_LINK = auto()
    CANNOT_LINK = auto()
    ANY_CONSTRAINT = auto()
    """Must-links or cannot-links."""
    LINKS = auto()
    """Links between rows, such as citations."""
    COMPARISONS = auto()
    """Comparisons, must-links or cannot-links."""

    @property
    def words(self) -> str:
        """The requirements in words; empty if there are none.

        >>> (Needs.MUST_LINK | Needs.CANNOT_LINK).words
        'must-links and cannot-links'
        """
        return " and ".join(_WORDS[need] for need in self)

    def missing(self, constraints: Constraints) -> Needs:
        """The requirements that constraints do not meet.

        Parameters
        ----------
        constraints : Constraints

        Returns
        -------
        Needs

        Examples
        --------
        >>> Needs.MUST_LINK.missing(Constraints(3, cannot_link=[(0, 1)]))
        <Needs.MUST_LINK: 1>
        """
        lacking = Needs.NOTHING
        if not constraints.n_must_link:
            lacking |= self & Needs.MUST_LINK
        if not constraints.n_cannot_link:
            lacking |= self & Needs.CANNOT_LINK
        if not constraints.n_must_link + constraints.n_cannot_link:
            lacking |= self & Needs.ANY_CONSTRAINT
        if not len(constraints.comparisons) + constraints.n_must_link + constraints.n_cannot_link:
            lacking |= self & Needs.COMPARISONS
        return lacking


_WORDS = {
    Needs.MUST_LINK: "must-links",
    Needs.CANNOT_LINK: "cannot-links",
    Needs.ANY_CONSTRAINT: "must-links or cannot-links",
    Needs.LINKS: "links between rows",
    Needs.COMPARISONS: "comparisons, must-links or cannot-links",
}


class MethodKind(Enum):
    """What a method computes for rows."""

    CLUSTERER = "clusters"
    """Cluster labels."""
    PROJECTION = "projects"
    """A chosen number of coordinates."""
    METRIC = "measures"
    """Coordinates whose number the method determines."""


@dataclass(frozen=True)
class Cost:
    """How the running time grows: its exponent in each size, and the dominant part.

    Parameters
    ----------
    family : str
        Name shared by methods whose running time grows alike.
    reason : str
        The dominant part of the running time.
    rows, columns, constraints, width : float
        Exponents; ``width`` is the number of directions or of clusters.
    """

    family: str
    reason: str
    rows: float = 1.0
    columns: float = 1.0
    constraints: float = 1.0
    width: float = 1.0


PRODUCTS = Cost(
    "projections",
    "products with X; an eigenproblem of the smaller side of X, which stays as it is while the other side grows",
)
NEIGHBORS = Cost(
    "projections on neighbors",
    "exact neighbors in more than 12 columns look at all pairs of rows; DSP factors the kernel of the linked rows",
    rows=2.0,
)
LLOYD = Cost("k-means", "rows × columns × clusters an iteration, and each constraint once")
CUT = Cost(
    "normalized cuts",
    "exact neighbors look at all pairs of rows; k-means of k eigenvectors costs k²",
    rows=2.0,
    width=2.0,
)
ALL_PAIRS = Cost(
    "all distances",
    "a number for each pair of rows; SKK-means factors the kernel of the linked rows",
    rows=2.0,
    width=2.0,
)


@dataclass(frozen=True)
class Method:
    """Metadata of a method. Properties that follow from its class are derived from it.

    Parameters
    ----------
    name : str
        Name for ``--method``. Empty for a base class, which is not listed.
    prefer : str
        When to prefer it: a short phrase for tables.
    paper : str
        Authors and year.
    needs : Needs
        What it requires in addition to the data.
    uses_constraints : bool
        Whether must-links and cannot-links affect the result.
    uses_comparisons, uses_preferences : bool
        Whether comparisons of rows, and preferences between clusterings, affect the result.
    uses_weights : bool
        Whether it supports constraints with weights other than 1.
    chooses_n_clusters : bool
        Whether the number of clusters is optional.
    keeps_all_components : bool
        Whether a k-means after the projection should use all directions, instead of one fewer than clusters.
    cost : Cost, optional
        How its running time grows. If None, there are no scaling benchmarks.
    extra : str
        The optional dependency group (extra) that it needs, if any.
    module : str
        The module that this extra provides.
    places : bool, optional
        Whether it can cluster or project new rows. By default, whether it has ``predict`` or ``transform``.
    kind : MethodKind, optional
        By default determined from the class or function.
    make : class or function, optional
        The class or function that the metadata describe; set by :mod:`likewise._methods`.
    build : callable, optional
        For methods outside of this package: a function of the data, the number of clusters or directions, a random
        state and, for clusterers, the kind of data, which returns an unfitted estimator.
    """

    name: str
    prefer: str = ""
    paper: str = ""
    needs: Needs = Needs.NOTHING
    uses_constraints: bool = True
    uses_comparisons: bool = False
    uses_preferences: bool = False
    uses_weights: bool = True
    chooses_n_clusters: bool = False
    keeps_all_components: bool = False
    cost: Cost | None = None
    extra: str = ""
    module: str = ""
    places: bool | None = None
    kind: MethodKind | None = None
    make: Any = None
    build: Callable[..., Any] | None = None

    def of(self, make: Any) -> Method:
        """A copy bound to the class or function that it describes.

        Parameters
        ----------
        make : class or function

        Returns
        -------
        Method
        """
        return replace(self, make=make, kind=self.kind or _kind_of(make))

    @property
    def clusters(self) -> bool:
        """Whether it can cluster. Every method can; a projection or metric is followed by k-means."""
        return self.kind is not None

    @property
    def reduces(self) -> bool:
        """Whether it can reduce rows to a chosen number of dimensions."""
        return self.kind is MethodKind.PROJECTION

    @property
    def places_new_rows(self) -> bool:
        """Whether it can cluster or project rows that were not seen in ``fit``."""
        if self.places is not None:
            return self.places
        return self.kind is not MethodKind.CLUSTERER or hasattr(self.make(), "predict")

    @property
    def needs_words(self) -> str:
        """The requirements in words, for tables.

        >>> Method("toy", needs=Needs.MUST_LINK, kind=MethodKind.CLUSTERER).needs_words
        'k, must-links'
        """
        given = ["k"] if self.kind is MethodKind.CLUSTERER and not self.chooses_n_clusters else []
        given += [self.needs.words] if self.needs else []
        given += [] if self.uses_constraints else ["no constraints"]
        given += [f"the extra {self.extra}"] if self.extra else []
        return ", ".join(given) or "nothing"

    def takes(self, parameter: str, value: Any) -> bool:
        """Whether its constructor has the parameter, and accepts the value.

        Parameters
        ----------
        parameter : str
        value : object

        Returns
        -------
        bool
        """
        if self.make is None or parameter not in signature(self.make).parameters:
            return False
        rules = getattr(self.make, "_parameter_constraints", {}).get(parameter)
        return rules is None or any(make_constraint(rule).is_satisfied_by(value) for rule in rules)


def method(facts: Method) -> Callable[[Made], Made]:
    """Attach metadata to a function that creates a clusterer; a class has them as its attribute ``_method``."""

    def attach(make: Made) -> Made:
        made = suggests_parameters(make)
        made._method = facts  # type: ignore[attr-defined]
        return cast("Made", made)

    return attach


def uses_constraints(estimator: Any) -> bool:
    """Whether an estimator, of this package or another, accepts constraints in ``fit``."""
    facts = getattr(estimator, "_method", None)
    return has_fit_parameter(estimator, "constraints") and (facts is None or facts.uses_constraints)


def _kind_of(make: Any) -> MethodKind:
    if not isclass(make) or issubclass(make, ClusterMixin) or not hasattr(make, "transform"):
        return MethodKind.CLUSTERER
    return MethodKind.PROJECTION if "n_components" in signature(make).parameters else MethodKind.METRIC
