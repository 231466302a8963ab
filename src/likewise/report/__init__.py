"""Results for a reader: one HTML page (``write_report``), and pictures for papers (``plots``).

What shows results belongs here, nothing that computes them. matplotlib loads when a picture is drawn, not before.
"""

from ._notebook import ReportPage as ReportPage
from ._page import report_page as report_page
from ._page import write_report as write_report
