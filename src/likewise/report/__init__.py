"""What was found, for a reader: one HTML file (``write_report``), and pictures for papers (``plots``).

Here belongs what shows results and computes none. matplotlib loads when a picture is drawn, not before.
"""

from ._writing import write_report as write_report
from .plots import before_and_after as before_and_after
from .plots import curves as curves
