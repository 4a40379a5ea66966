"""All measurements of a review as a Parquet file, for wide data: part by part."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa

from sdcmetrics.review.measurement import COLUMNS, NUMBERS
from sdcmetrics.review.measurements import Measurements
from sdcmetrics.review.review import Review

_AT_ONCE = 10_000
"""Rows that are converted at a time: all of them take several times what the file has."""


class _Parts(io.RawIOBase):
    """A file that is handed on as it is written."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._written.append(bytes(content))
        return len(self._written[-1])

    def taken(self) -> bytes:
        """Return what was written since this was last asked."""
        content = b"".join(self._written)
        self._written.clear()
        return content


def parquet_parts(review: Review) -> Iterator[bytes]:
    """Yield a Parquet file of all measurements, where names of keys and of variables are lists."""
    import pyarrow.parquet as pq  # large, with file systems: only for wide data

    rows = review.measurements.means
    schema = pa.Schema.from_pandas(_telling(rows), preserve_index=False)
    out = _Parts()
    with pq.ParquetWriter(out, schema) as writer:
        for start in range(0, len(rows), _AT_ONCE):
            part = rows.between(start, min(start + _AT_ONCE, len(rows)))
            columns = ((part.column(field.name), field.type) for field in schema)
            arrays = [
                pa.nulls(len(part), kind)
                if column is None
                else pa.array(column, kind, from_pandas=True)
                for column, kind in columns
            ]
            writer.write_table(pa.table(arrays, schema=schema))
            yield out.taken()
    yield out.taken()


def _telling(rows: Measurements) -> pd.DataFrame:
    """Return rows that tell the type of each column: one with an entry in each."""
    firsts = (rows.first(name) for name in COLUMNS if name not in NUMBERS)
    telling = [rows.between(i, i + 1).frame() for i in sorted({*firsts})]
    return pd.concat([each.drop(columns="synthesis") for each in telling])
