"""Where cross-tables are compared: every variable, every pair, ..."""

from __future__ import annotations

from sdcmetrics.measures.measure import Kind

__all__ = ["CROSSTABLES", "ONE_WAY"]

ONE_WAY = Kind(
    "one-way tables, numbers rounded", "`TablePairs`; one value per table", per="variable"
)
CROSSTABLES = Kind("cross-tables", "`TablePairs`; one value per table", per="table")
