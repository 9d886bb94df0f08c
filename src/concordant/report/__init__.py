"""The report: one HTML page that shows a consensus, how good it is, and how to check it."""

from concordant.report.page import html, write
from concordant.report.source import Source

__all__ = ["Source", "html", "write"]
