"""Frames that are computed when they are read: polars LazyFrames, and whatever streams Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import BATCH, Records


def is_lazy(value: Any) -> bool:
    """Whether it is a polars LazyFrame."""
    return type(value).__module__.startswith("polars.") and hasattr(value, "collect_batches")


def scan_lazy(frame: Any, source: str) -> Large:
    """Read a polars LazyFrame in batches."""
    schema = frame.collect_schema().to_frame().to_arrow().schema

    def read(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        found = frame.select(columns).collect_batches(chunk_size=BATCH, maintain_order=True)
        for part in found:
            yield from plain_batches(part.to_arrow().to_batches(), schema, columns)

    return large(Records(plain_types(schema), read), source)


def scan_stream(value: Any, source: str) -> Large:
    """Read whatever has ``__arrow_c_stream__``, which must give its records again when asked."""
    schema = pa.RecordBatchReader.from_stream(value).schema
    return large(Records(plain_types(schema), partial(_stream, value, schema)), source)


def _stream(value: Any, schema: pa.Schema, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    yield from plain_batches(pa.RecordBatchReader.from_stream(value), schema, columns)


def plain_batches(
    batches: Any, schema: pa.Schema, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield batches of no more than `BATCH` records, of the types that `plain_types` leaves."""
    plain = plain_types(pa.schema([schema.field(name) for name in columns]))
    for batch in batches:
        for first in range(0, batch.num_rows, BATCH):
            some = batch.slice(first, BATCH).select(list(columns))
            yield some if some.schema.equals(plain) else some.cast(plain)


def plain_types(schema: pa.Schema) -> pa.Schema:
    """Return the schema with text as plain strings; polars and DuckDB have views of them."""
    views = (pa.types.is_string_view, pa.types.is_large_string)
    return pa.schema(
        [
            field.with_type(pa.string()) if any(is_it(field.type) for is_it in views) else field
            for field in schema
        ]
    ).remove_metadata()
