"""What was found, for a reader: one HTML file (``write_report``), and pictures for papers (``plots``).

Here belongs what shows results and computes none. matplotlib loads when a picture is drawn, not before.
"""

from .plots import before_and_after, curves
from .writing import write_report

__all__ = ["before_and_after", "curves", "write_report"]
