"""Displaying the report in a notebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape


@dataclass(frozen=True)
class ReportPage:
    """A report that a notebook displays in an iframe.

    Parameters
    ----------
    html : str
        The HTML page.
    height : int
        The height of the iframe in pixels.

    Notes
    -----
    The iframe is sandboxed: scripts of the page have no access to the notebook.
    """

    html: str = field(repr=False)
    height: int = 720

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" title="likewise report" sandbox="allow-scripts allow-downloads" '
            f'allow="clipboard-write" '
            f'style="width:100%;height:{int(self.height)}px;border:1px solid #8886;border-radius:6px"></iframe>'
        )
