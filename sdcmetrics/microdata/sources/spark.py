"""Spark: counts are made where the partitions are, and only counts are shuffled."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import DataError, FileError
from sdcmetrics.microdata.sources.distinct import (
    MOST_VALUES,
    Distinct,
    is_countable,
    of_table,
    uncounted,
)
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import BATCH, Kernel, Partials, reading
from sdcmetrics.microdata.sources.stream import plain_batches, plain_types

_COUNTS = "table int, cell long, count long"
_PLACE = "__place__"


def is_spark(value: Any) -> bool:
    """Whether it is a Spark data frame, of a session or of Spark Connect."""
    kind = type(value)
    return kind.__module__.startswith("pyspark.") and hasattr(value, "mapInArrow")


def scan_spark(frame: Any, source: str) -> Large:
    """Count a Spark data frame; its records stay where they are.

    Raises
    ------
    DataError
        If Spark cannot compute it, now or while it is read.
    """
    with reading(source):
        schema = plain_types(frame.limit(0).toArrow().schema)
    return large(_Frame(frame, schema, source), source)


def open_with_spark(path: str) -> Any:
    """Return the Parquet files of a path as a frame of the active Spark session, or of a new one.

    A new session starts its workers with the interpreter that runs here, unless PYSPARK_PYTHON
    names another: by itself Spark takes the first python3 of the path, which may lack this package.

    Raises
    ------
    DataError
        If pyspark is not installed.
    FileError
        If there are no Parquet files.
    """
    try:
        from pyspark.errors import AnalysisException
        from pyspark.sql import SparkSession
    except ImportError:
        msg = f"{path}: pyspark is not installed. Install it with: pip install 'sdcmetrics[spark]'"
        raise DataError(msg) from None
    session = SparkSession.getActiveSession()
    if session is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        session = SparkSession.builder.getOrCreate()
    with contextlib.suppress(AnalysisException):
        return session.read.parquet(path)
    msg = f"{path}: Spark finds no Parquet files there."
    raise FileError(msg)


@dataclass(frozen=True)
class _Frame:
    frame: Any
    schema: pa.Schema
    source: str

    def value_counts(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """Return the distinct values of each column: grouped there, one job per column."""
        distinct = {}
        for name in columns:
            field = self.schema.field(name)
            if not is_countable(field.type):
                distinct[name] = uncounted(field.type)
                continue
            with reading(self.source):
                groups = self._select([name]).groupBy("c0").count()
                counted = groups.limit(MOST_VALUES + 1).toArrow()  # more are not held
            distinct[name] = of_table(counted.column(0), counted.column(1), field)
        return distinct

    def count(self, columns: Sequence[str], kernel: Kernel) -> Partials:
        """Run the kernel on every partition, and add its counts up on the way."""
        run = partial(_on_partition, kernel, self.schema, tuple(columns))
        counted = self._select(columns).mapInArrow(run, _COUNTS)
        summed = counted.groupBy("table", "cell").sum("count").orderBy("table", "cell")
        with reading(self.source):
            table_of_sums = summed.toArrow()
        table = pa.table(table_of_sums.columns, names=["table", "cell", "count"])
        yield from table.to_batches()

    def records_at(self, columns: Sequence[str], rows: Any) -> Iterator[pa.RecordBatch]:
        """Return the records at these positions, counted from partition to partition."""
        frame = self._select(columns)
        sizes = frame.mapInArrow(_size, "part int, n long").groupBy("part").sum("n")
        with reading(self.source):
            sizes = sizes.toArrow()
        by_part = dict(zip(*(column.to_pylist() for column in sizes.columns), strict=True))
        starts, first = {}, 0
        for part in sorted(by_part):
            starts[part] = first
            first += by_part[part]
        fields = [f"{field.name} {field.dataType.simpleString()}" for field in frame.schema]
        schema = ", ".join([*fields, f"{_PLACE} long"])
        placed = frame.mapInArrow(partial(_taken, starts, np.asarray(rows)), schema)
        with reading(self.source):
            taken = placed.toArrow()
        taken = taken.sort_by(_PLACE).drop_columns([_PLACE]).rename_columns(list(columns))
        yield from plain_batches(taken.to_batches(), self.schema, columns)

    def _select(self, columns: Sequence[str]) -> Any:
        # Spark hands over no column whose name has a dot or a backtick, so they are numbered.
        columns_of = (self.frame[_quoted(name)].alias(f"c{i}") for i, name in enumerate(columns))
        return self.frame.select(*columns_of)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _on_partition(
    kernel: Kernel, schema: pa.Schema, columns: Sequence[str], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    named = (batch.rename_columns(list(columns)) for batch in _larger(batches))
    yield from kernel(plain_batches(named, schema, columns))


def _larger(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join batches, of which Spark makes many small ones."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= BATCH:
            yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()
            waiting, rows = [], 0
    if waiting:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()


def _size(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    from pyspark import TaskContext

    task: Any = TaskContext.get()
    part = task.partitionId()
    n = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_pydict(
        {"part": pa.array([part], pa.int32()), "n": pa.array([n], pa.int64())}
    )


def _taken(
    starts: dict[int, int], rows: Any, batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    from pyspark import TaskContext

    task: Any = TaskContext.get()
    first = starts.get(task.partitionId(), 0)
    for batch in batches:
        low, high = np.searchsorted(rows, [first, first + batch.num_rows])
        place = rows[low:high]
        some = batch.take(pa.array(place - first))
        yield some.append_column(_PLACE, pa.array(place))
        first += batch.num_rows
