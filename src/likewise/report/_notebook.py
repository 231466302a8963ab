"""The report inside a notebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class ReportPage:
    """A report that a notebook shows, in a frame of its own.

    Parameters
    ----------
    html : str
        The whole page.
    height : int
        Of the frame, in pixels.

    Notes
    -----
    The frame is a sandbox: scripts of the page run in it and reach nothing outside of it.
    """

    html: str = field(repr=False)
    height: int = 720

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="likewise report" sandbox="allow-scripts allow-downloads" '
            f'allow="clipboard-write" '
            f'style="width:100%;height:{int(self.height)}px;border:1px solid #8886;border-radius:6px"></iframe>'
        )
