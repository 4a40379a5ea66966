"""Every measurement of wide data in one Parquet file, for internal use."""

from __future__ import annotations

import io

import pandas as pd
import pyarrow as pa

from sdcmetrics.report.measures import MANY
from sdcmetrics.review.measurement import COLUMNS, NUMBERS
from sdcmetrics.review.measurements import Measurements
from sdcmetrics.review.review import Review

_AT_ONCE = 100_000
"""Rows that are converted at a time: all of them take several times what the file has."""


def as_parquet(review: Review) -> bytes | None:
    """Return all measurements where the CSV file of that name does not list all tables.

    Names of keys and variables are lists. None where the CSV file has them all.
    """
    rows = review.measurements.means
    if len(rows) <= MANY:
        return None
    import pyarrow.parquet as pq  # large, with file systems: only for wide data

    schema = pa.Schema.from_pandas(_telling(rows), preserve_index=False)
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema) as writer:
        for part in rows.frames(_AT_ONCE):
            writer.write_table(
                pa.Table.from_pandas(part.drop(columns="synthesis"), schema, preserve_index=False)
            )
    return out.getvalue()


def _telling(rows: Measurements) -> pd.DataFrame:
    """Return rows that tell the type of each column: the first, and one with an entry in each."""
    columns = (rows.column(name) for name in COLUMNS if name not in NUMBERS)
    firsts = (next((i for i, entry in enumerate(c) if entry), 0) for c in columns if c is not None)
    telling = [rows.between(i, i + 1).frame() for i in sorted({0, *firsts})]
    return pd.concat([each.drop(columns="synthesis") for each in telling])
