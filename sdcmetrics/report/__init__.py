"""Reports on a review: HTML, PDF, JSON and CSV, for internal eyes or to hand out.

Everything is written from one safe structure (`safety.safe.SafeReport`). In release mode
the finished files are scanned before anything is written.
"""

from __future__ import annotations

from sdcmetrics.report.formats.write import write_all, write_csv, write_html, write_json, write_pdf
from sdcmetrics.report.source import judged

__all__ = ["judged", "write_all", "write_csv", "write_html", "write_json", "write_pdf"]
