"""Where disclosure is measured: every scenario and target."""

from __future__ import annotations

from sdcmetrics.measures.measure import Kind

__all__ = ["KEYS"]

KEYS = Kind(
    "key combinations by target levels", "`KeyTargetCounts`; a number or a Share", per="target"
)
