"""Every measurement of wide data in one Parquet file, for internal use."""

from __future__ import annotations

import io

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sdcmetrics.report.measures import MANY
from sdcmetrics.review.review import Review

_AT_ONCE = 100_000
"""Rows that are converted at a time: all of them take several times what the file has."""


def as_parquet(review: Review) -> bytes | None:
    """Return all measurements where the CSV file of that name does not list all tables.

    Names of keys and variables are lists. None where the CSV file has them all.
    """
    frame = review.mean_rows().drop(columns="synthesis")
    if len(frame) <= MANY:
        return None
    schema = pa.Schema.from_pandas(frame.iloc[_telling(frame)], preserve_index=False)
    out = io.BytesIO()
    with pq.ParquetWriter(out, schema) as writer:
        for start in range(0, len(frame), _AT_ONCE):
            part = frame.iloc[start : start + _AT_ONCE]
            writer.write_table(pa.Table.from_pandas(part, schema, preserve_index=False))
    return out.getvalue()


def _telling(frame: pd.DataFrame) -> list[int]:
    """Return rows that tell the type of each column: the first, and one with an entry in each."""
    columns = (frame[name] for name in frame.columns if frame[name].dtype == object)
    firsts = (next((i for i, entry in enumerate(column) if entry), 0) for column in columns)
    return sorted({0, *firsts})
