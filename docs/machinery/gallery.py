"""How the gallery runs its examples: warnings are errors, and figures are shown."""

from __future__ import annotations

import warnings
from typing import Any

from sphinx_gallery.scrapers import figure_rst

from .figures import new_figures

ORDER = [
    "plot_digits.py",
    "plot_two_ways.py",
    "plot_wrong_hints.py",
    "plot_projection.py",
    "plot_text.py",
    "plot_genes.py",
    "plot_tracks.py",
    "plot_records.py",
    "plot_new_rows.py",
    "plot_what_to_ask.py",
    "plot_ask_next.py",
]
_usual_filters = list(warnings.filters)
_seen: dict[str, Any] = {}


def strictly(gallery_conf: dict[str, Any], name: str, when: str) -> None:
    """Before an example, make warnings errors; after it, as usual."""
    _seen.clear()
    warnings.filters[:] = _usual_filters  # type: ignore[index]
    if when == "before":
        warnings.simplefilter("error")


def scraped(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the figures that a block left in new names; returns what shows them."""
    names = dict(block_vars["example_globals"])
    paths = []
    for figure in new_figures(_seen, names):
        path = next(block_vars["image_path_iterator"])
        figure.savefig(path, dpi=130)
        paths.append(path)
    _seen.update(names)
    return figure_rst(paths, gallery_conf["src_dir"])


def reading_order(name: str) -> int:
    """Where an example stands in the gallery; new ones at the end."""
    return ORDER.index(name) if name in ORDER else len(ORDER)
