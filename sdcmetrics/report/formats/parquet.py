"""Every measurement of wide data in one Parquet file, for internal use."""

from __future__ import annotations

from pathlib import Path

from sdcmetrics.report.measures import MANY
from sdcmetrics.review.review import Review

__all__ = ["write_parquet"]

_TEXTS = ("replica", "family", "metric", "scenario", "target", "unit", "reason", "model", "rule")
"""Columns of few different texts, which a dictionary holds in a tenth of the room."""


def write_parquet(review: Review, folder: Path) -> Path | None:
    """Write measurements.parquet where the CSV file of that name does not list all tables.

    Names of keys and variables are lists. Returns None where nothing was written.
    """
    frame = review.mean_rows().drop(columns="synthesis")
    if len(frame) <= MANY:
        return None
    frame = frame.astype({name: "category" for name in _TEXTS if name in frame})
    out = folder / "measurements.parquet"
    frame.to_parquet(out, index=False)
    return out
