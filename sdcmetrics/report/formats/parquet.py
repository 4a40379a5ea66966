"""Every measurement of wide data in one Parquet file, for internal use."""

from __future__ import annotations

import io

from sdcmetrics.report.measures import MANY
from sdcmetrics.review.review import Review


def as_parquet(review: Review) -> bytes | None:
    """Return all measurements where the CSV file of that name does not list all tables.

    Names of keys and variables are lists. None where the CSV file has them all.
    """
    frame = review.mean_rows().drop(columns="synthesis")
    if len(frame) <= MANY:
        return None
    out = io.BytesIO()
    frame.to_parquet(out, index=False)
    return out.getvalue()
