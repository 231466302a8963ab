"""Two forms, and the directions that tell them apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._arrays import FloatArray
from ..forms._form import Form
from ._routes import Route


@dataclass(frozen=True, eq=False)
class Pencil:
    """A form to shrink and a form to grow.

    Parameters
    ----------
    pull : Form
        Made small: what must stay together.
    push : Form
        Made large: what must stay apart.
    over : {"sum", "pull", "push"}, optional
        The denominator of the quotient that is solved.

        - ``"sum"``: maximize push / (push + pull), a share in [0, 1]; both forms positive semi-definite. A
          singular form does no harm. The default where it applies.
        - ``"pull"``: maximize push / pull on the range of pull. The default when push is indefinite.
        - ``"push"``: minimize pull / push on the range of push. The default when pull is indefinite.

    perfect : {"keep", "discard"}
        What becomes of directions that the pull does not feel at all: the best ones, or no answer.
    """

    pull: Form
    push: Form
    over: str | None = None
    perfect: str = "keep"

    def __post_init__(self) -> None:
        psd = {"pull": self.pull.psd, "push": self.push.psd, "sum": self.pull.psd and self.push.psd}
        over = self.over or next((name for name in ("sum", "pull", "push") if psd[name]), None)
        if over is None:
            raise ValueError("both forms of the pencil are indefinite: no quotient of them has a maximum.")
        if over not in psd:
            raise ValueError(f"over={over!r} is not one of 'sum', 'pull', 'push'.")
        if not psd[over]:
            raise ValueError(f"over={over!r} divides by a form that is indefinite; divide by the other one.")
        if self.perfect not in ("keep", "discard"):
            raise ValueError(f"perfect={self.perfect!r} is neither 'keep' nor 'discard'.")
        object.__setattr__(self, "over", over)

    @property
    def psd(self) -> bool:
        """Whether both forms are positive semi-definite."""
        return self.pull.psd and self.push.psd

    @property
    def numerator(self) -> Form:
        """What is maximized above :attr:`denominator`."""
        return -self.pull if self.over == "push" else self.push

    @property
    def denominator(self) -> Form:
        """What the quotient divides by."""
        if self.over == "sum":
            return self.pull + self.push
        return self.push if self.over == "push" else self.pull

    def is_translation_invariant(self) -> bool:
        """Whether adding a constant to a column of the data changes nothing."""
        return all(form.rows is None or form.rows.ignores_shifts() for form in (self.pull, self.push))


@dataclass(frozen=True, eq=False)
class Directions:
    """What :func:`solve_pencil` found.

    Attributes
    ----------
    components : (r, f) array
        One direction a row, best first.
    share : (r,) array
        push / (push + pull) along each; for a pencil with an indefinite form, the quotient that was solved.
    route : Route
        How it was solved.
    rank : int or None
        How many directions there are in all; None where the route does not find out (matrix-free).
    n_perfect : int
        How many directions the pull does not feel at all. They tie, and are ordered by plain push.
    """

    components: NDArray[np.float32] | FloatArray
    share: FloatArray
    route: Route
    rank: int | None
    n_perfect: int

    def __repr__(self) -> str:
        r, f = self.components.shape
        return f"Directions({r} of {self.rank or 'unknown rank'} in {f} features, route={self.route!s})"


def small_quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """``numerator / denominator`` with 0/0 = 0."""
    quotient = np.zeros_like(numerator)
    np.divide(numerator, denominator, out=quotient, where=denominator != 0)
    return quotient
