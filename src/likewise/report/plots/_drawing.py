"""A sheet to draw on, and how it becomes a file. matplotlib loads here, when something is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..._atomic import atomic_write

INK, FAINT = "#222222", "#b8b8b8"
HINT_SAME, HINT_DIFFERENT = "#1b7837", "#b2182b"


def sheet(width: float, height: float) -> Any:
    """An empty figure of so many inches, with nothing global: pictures can be drawn in threads."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: str | Path, dpi: int = 130) -> Path:
    """Write a picture, complete or not at all; the suffix names the format (.png, .svg, .pdf)."""
    path = Path(path)
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ValueError(f"{path} ends in {path.suffix!r}, which names no format of pictures. Use .png or .svg.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=dpi)
    return path


def finished(figure: Any, path: str | Path | None) -> Any:
    """The figure, written first if a path is given."""
    if path is not None:
        save(figure, path)
    return figure


def tidy(axis: Any, title: str = "", along: str = "", up: str = "") -> None:
    """An axis with names, a faint grid and no box."""
    axis.set_title(title, color=INK)
    axis.set_xlabel(along)
    axis.set_ylabel(up)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color=FAINT, alpha=0.4, linewidth=0.5)
    axis.set_axisbelow(True)
