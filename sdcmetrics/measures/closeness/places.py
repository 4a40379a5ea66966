"""Where distances to the closest records are compared: every synthesis."""

from __future__ import annotations

from sdcmetrics.measures.measure import Kind

__all__ = ["CLOSEST"]

CLOSEST = Kind(
    "distances to the closest records", "`ClosestRecord`; a number or a Share", holdout=True
)
