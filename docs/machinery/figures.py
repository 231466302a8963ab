"""Figures that an example leaves in a name: shown behind it, on a page and in the gallery."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure


def new_figures(before: dict[str, Any], after: dict[str, Any]) -> list[Figure]:
    """Figures under names that were not there before, or held something else."""
    return [value for name, value in after.items() if isinstance(value, Figure) and before.get(name) is not value]


class FigureScraper:
    """Collects, for sphinx-gallery, the figures that a block of an example made."""

    def __init__(self) -> None:
        self._seen: dict[str, Any] = {}

    def __repr__(self) -> str:  # goes into what sphinx remembers of the settings, so it must not change
        return "FigureScraper()"

    def __call__(self, block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
        """Save new figures; returns what shows them."""
        from sphinx_gallery.scrapers import figure_rst

        names = dict(block_vars["example_globals"])
        if not set(self._seen) <= set(names):
            self._seen = {}  # another example
        paths = []
        for figure in new_figures(self._seen, names):
            path = next(block_vars["image_path_iterator"])
            figure.savefig(path, dpi=130)
            paths.append(path)
        self._seen = names
        return figure_rst(paths, gallery_conf["src_dir"])
