"""Measured values, looked up by the name of a cell or by a pattern."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import translate
from re import compile as regular

import numpy as np

from .._arrays import FloatArray


class Results(dict[str, dict[int, float]]):
    """Measured values: a mapping of cell to seed to value.

    Examples
    --------
    >>> from likewise.evaluation import Results
    >>> found = Results({"t/10/a": {0: 0.5, 1: 0.7}, "t/20/a": {0: 0.8}})
    >>> found.mean("t/10/a")
    0.6
    >>> found.matching("t/*/a")
    {'10': 't/10/a', '20': 't/20/a'}
    """

    def values_of(self, cell: str) -> FloatArray:
        """The values of a cell.

        Parameters
        ----------
        cell : str

        Returns
        -------
        (n,) array
            In order of seed, without NaN.
        """
        values = np.array([value for _, value in sorted(self.get(cell, {}).items())], dtype=float)
        return values[~np.isnan(values)]

    def mean(self, cell: str) -> float:
        """The mean over seeds.

        Parameters
        ----------
        cell : str

        Returns
        -------
        float
            NaN where nothing was measured.
        """
        values = self.values_of(cell)
        return float(values.mean()) if values.size else float("nan")

    def deviation(self, cell: str) -> float:
        """The standard deviation over seeds.

        Parameters
        ----------
        cell : str

        Returns
        -------
        float
            0 for a single value.
        """
        values = self.values_of(cell)
        return float(values.std(ddof=1)) if values.size > 1 else 0.0

    def matching(self, pattern: str) -> dict[str, str]:
        """Cells that match a pattern.

        Parameters
        ----------
        pattern : str
            With at most one ``*``.

        Returns
        -------
        dict
            A mapping from the part that matches the star, sorted by the numbers in it, to the cell.
        """
        if "*" not in pattern:
            return {"": pattern} if pattern in self else {}
        before, after = pattern.split("*", 1)
        fits = regular(translate(pattern))
        stars = {cell[len(before) : len(cell) - len(after)]: cell for cell in self if fits.match(cell)}
        return {star: stars[star] for star in sorted(stars, key=_by_number)}

    def curve(self, pattern: str, at: Sequence[float]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Means along a sequence of cells.

        Parameters
        ----------
        pattern : str
            The name of a cell, with ``{}`` for the position.
        at : sequence of float

        Returns
        -------
        positions, means, deviations : arrays
            Of the cells that were measured.
        """
        known = [(x, pattern.format(x)) for x in at if len(self.values_of(pattern.format(x)))]
        return (
            np.array([x for x, _ in known], dtype=float),
            np.array([self.mean(cell) for _, cell in known]),
            np.array([self.deviation(cell) for _, cell in known]),
        )

    def with_values(self, more: Mapping[str, float]) -> Results:
        """Copy the results and add cells.

        Parameters
        ----------
        more : mapping of str to float
            One value for each further cell.

        Returns
        -------
        Results
        """
        return Results({**self, **{cell: {0: value} for cell, value in more.items()}})


def _by_number(star: str) -> tuple[float, str]:
    digits = "".join(sign for sign in star if sign.isdigit() or sign == ".")
    try:
        return float(digits), star
    except ValueError:
        return float("inf"), star
