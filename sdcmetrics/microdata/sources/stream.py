"""Frames that are computed when they are read: polars LazyFrames, and whatever streams Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import BATCH, Records, reading


def is_lazy(value: Any) -> bool:
    """Whether it is a polars LazyFrame."""
    return type(value).__module__.startswith("polars.") and hasattr(value, "collect_batches")


def scan_lazy(frame: Any, source: str) -> Large:
    """Read a polars LazyFrame in batches.

    Raises
    ------
    ColumnError
        If Arrow has no such type as a column's.
    DataError
        If an expression fails, now or while it is read.
    """
    with reading(source):
        empty = frame.collect_schema().to_frame()
        schema = pa.schema([_field(empty.get_column(name), source) for name in empty.columns])

    def read(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with reading(source):
            batches = frame.select(columns).collect_batches(chunk_size=BATCH, maintain_order=True)
            for part in batches:
                yield from plain_batches(part.to_arrow().to_batches(), schema, columns)

    return large(Records(plain_types(schema), read), source)


def _field(empty: Any, source: str) -> pa.Field:
    """Return the Arrow field of a column of polars."""
    try:
        return empty.to_frame().to_arrow().schema.field(0)
    except (pa.ArrowException, TypeError, ValueError):
        kind = empty.dtype.base_type().__name__  # in full, an Enum within it shows its levels
        msg = (
            f"{source}: column {empty.name!r} is of type {kind}, which Arrow does not have. "
            "Cast it to another, such as Int64 or String, or drop it."
        )
    raise ColumnError(msg)


def scan_stream(value: Any, source: str) -> Large:
    """Read whatever has ``__arrow_c_stream__``, which must give its records again when asked.

    Raises
    ------
    DataError
        If it gives none, now or when it is read again, or fails.
    """
    with reading(source):
        schema = pa.RecordBatchReader.from_stream(value).schema
    return large(Records(plain_types(schema), partial(_stream, value, schema, source)), source)


def _stream(
    value: Any, schema: pa.Schema, source: str, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    empty = True
    with reading(source):
        for batch in plain_batches(pa.RecordBatchReader.from_stream(value), schema, columns):
            yield batch
            empty = False
    if empty:
        msg = (
            f"{source}: the stream has no records, or gives them once, and they are read at least "
            "twice. Pass what it is made from, or a table: pyarrow.table(stream)."
        )
        raise DataError(msg)


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
