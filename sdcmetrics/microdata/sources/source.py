"""What a data set too large for memory must be able to do: be read in batches, again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import DataError, FileError, SdcMetricsError
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.sources.distinct import Distinct, count_values


def unchanged(files: Sequence[Path], source: str) -> Callable[[], None]:
    """Return what raises FileError once a file has another size, time of change or place."""
    before = [_state(file) for file in files]

    def check() -> None:
        for file, state in zip(files, before, strict=True):
            if _state(file) != state:
                msg = (
                    f"{source}: the file {file.name} changed while it was being read. Start "
                    "again when nobody writes to it."
                )
                raise FileError(msg)

    return check


@contextmanager
def steady(files: Sequence[Path], source: str) -> Iterator[None]:
    """Raise FileError if a file changes meanwhile, also where that looks like another fault."""
    check = unchanged(files, source)
    try:
        yield
    except DataError:
        check()
        raise
    check()


def _state(file: Path) -> tuple[int, ...]:
    try:
        stat = file.stat()
    except OSError:
        return ()
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


BATCH = 1 << 18
"""Records per batch: its codes of one column stay in the cache of one core."""

COUNT = "__records__"
"""A column of a batch that says how many records each of its rows stands for."""

Kernel = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""Makes partial counts of some batches: columns table, cell and count. It can be pickled."""

PARTIAL = pa.schema([("table", pa.int32()), ("cell", pa.int64()), ("count", pa.int64())])
"""What a kernel yields: how many records a cell of a table has."""

Partials = Iterator[pa.RecordBatch]


def partial_counts(cells: Counts, counts: Counts, table: int = 0) -> pa.RecordBatch:
    """Return what a kernel yields: how many records each of some cells of a table has."""
    columns = np.full(len(cells), table, dtype=np.int32), cells, counts
    return pa.RecordBatch.from_arrays(list(map(pa.array, columns)), schema=PARTIAL)


@contextmanager
def reading(source: str) -> Iterator[None]:
    """Say in words that an engine cannot give its records; its own message may quote them.

    Raises
    ------
    DataError
        For whatever it raises, but that there is no memory left.
    """
    try:
        yield
    except (SdcMetricsError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  (an expression of a user may raise anything)
        reason = type(error).__name__
    else:
        return
    remedy = (
        "Give it more memory, or more room for temporary files (DuckDB: memory_limit, "
        "temp_directory, max_temp_directory_size)."
        if "OutOfMemory" in reason
        else "Read them by themselves to see why: its message may quote records, and is not shown "
        "here."
    )
    what = f"its records cannot be read: what computes them stopped with {reason}"
    msg = f"{source}: {what}. {remedy}"
    raise DataError(msg)


class Source(Protocol):
    """Where records come from. Every pass must give the same ones."""

    @property
    def schema(self) -> pa.Schema:
        """Names and Arrow types of the columns."""

    def value_counts(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """Return the distinct values of each column, and how many records have each."""

    def count(self, columns: Sequence[str], kernel: Kernel) -> Partials:
        """Run the kernel where the records are; what it yields is added up by the caller."""

    def records_at(self, columns: Sequence[str], rows: Any) -> Iterator[pa.RecordBatch]:
        """Yield the records at some positions, which increase."""


@dataclass(frozen=True)
class Records:
    """A source that is read in this process.

    Attributes
    ----------
    schema : Arrow schema
    read : gives the batches of some columns, from the first record on, whenever it is called
    check : raises FileError where the source is not what it was
    """

    schema: pa.Schema
    read: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
    check: Callable[[], None] = field(default=lambda: None)

    def value_counts(self, columns: Sequence[str]) -> dict[str, Distinct]:
        """Return the distinct values of each column, and how many records have each."""
        types = {name: self.schema.field(name).type for name in columns}
        return count_values(types, self.batches(columns))

    def count(self, columns: Sequence[str], kernel: Kernel) -> Partials:
        """Run the kernel over all batches."""
        return kernel(self.batches(columns))

    def records_at(self, columns: Sequence[str], rows: Any) -> Iterator[pa.RecordBatch]:
        """Yield the records at some positions."""
        first = 0
        for batch in self.batches(columns):
            low, high = np.searchsorted(rows, [first, first + batch.num_rows])
            if high > low:
                yield batch.take(pa.array(rows[low:high] - first))
            first += batch.num_rows

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Yield the records; the source is looked at before the first and after the last."""
        self.check()
        try:
            yield from self.read(columns)
        except FileError:
            self.check()  # it may be damaged because somebody writes to it
            raise
        self.check()
