"""Creating, styling and saving figures. matplotlib is imported here, when something is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..._atomic import atomic_write

INK = "#222222"
FAINT = "#b8b8b8"
MUST_LINK = "#1b7837"
CANNOT_LINK = "#b2182b"


def new_figure(width: float, height: float) -> Any:
    """An empty figure of the given size in inches, without global state, so that it is thread-safe."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Any, path: str | Path, dpi: int = 130) -> Path:
    """Save a figure. The file is written atomically.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : str or Path
        The suffix determines the format: .png, .svg or .pdf. Missing folders are created.
    dpi : int
        Pixels per inch of a .png.

    Returns
    -------
    Path
        The file.
    """
    path = Path(path)
    known = figure.canvas.get_supported_filetypes()
    if path.suffix[1:].lower() not in known:
        raise ValueError(f"{path} ends in {path.suffix!r}, which is not an image format. Use .png or .svg.")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        figure.savefig(file, format=path.suffix[1:].lower(), dpi=dpi)
    return path


def saved(figure: Any, path: str | Path | None) -> Any:
    """The figure, which is saved if a path is given."""
    if path is not None:
        save(figure, path)
    return figure


def style_axis(axis: Any, title: str = "", x_label: str = "", y_label: str = "") -> None:
    """Set the title and labels of an axis, with a faint grid and no box."""
    axis.set_title(title, color=INK)
    axis.set_xlabel(x_label)
    axis.set_ylabel(y_label)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(color=FAINT, alpha=0.4, linewidth=0.5)
    axis.set_axisbelow(True)
