"""Figures that an example leaves in a name: shown behind it, on a page and in the gallery."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure


def new_figures(before: dict[str, Any], after: dict[str, Any]) -> list[Figure]:
    """Figures under names that were not there before, or held something else."""
    return [value for name, value in after.items() if isinstance(value, Figure) and before.get(name) is not value]
