"""Presentation of results: an HTML report (``write_report``), and static figures (``plots``).

This package displays results and does not compute them. matplotlib is imported only when a figure is drawn.
"""

from ._notebook import ReportPage as ReportPage
from ._page import report_page as report_page
from ._page import write_report as write_report
