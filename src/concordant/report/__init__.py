"""The report: one page that says what a consensus is, how good it is, and how to check it."""

from concordant.report.page import html, write
from concordant.report.source import Source

__all__ = ["Source", "html", "write"]
