"""A data set too large for memory: what is known of it without holding its records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.frames import Fix, Microdata, check_column_names
from sdcmetrics.microdata.sources.codes import Coder
from sdcmetrics.microdata.sources.distinct import MOST_VALUES, Distinct, is_countable
from sdcmetrics.microdata.sources.source import BATCH, Kernel, Partials, Records, Source

T = TypeVar("T")

Read = Callable[[pa.ChunkedArray, str, Counts], tuple[pa.ChunkedArray, list[Fix]]]

MOST_READ = 100_000_000
"""Records times columns of a data set up to which it is read whole: 0.8 GB of numbers."""
_MOST_KEPT = 1 << 25  # cells of counts that are kept for the next question, 16 bytes each


@dataclass(frozen=True, eq=False)
class Large(Microdata):
    """A data set of which the distinct values of each column are known, and how often each occurs.

    Its `table` has the columns and not a record. What the columns are is the same as in memory:
    `column` gives distinct values to read, convert and group, `counts` how many records have each.

    Attributes
    ----------
    records : Source
    distinct : dict of column to Distinct
        By the names of `columns`.
    entries : dict of column to Arrow array
        The distinct values as one would read them from a file.
    names : dict of column to its name in the source
    read : function or None
        Makes entries of distinct values; None where they are the same.
    """

    records: Source = field(default_factory=lambda: Records(pa.schema([]), lambda _: iter(())))
    distinct: dict[str, Distinct] = field(default_factory=dict)
    entries: dict[str, pa.ChunkedArray] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    read: Read | None = None

    @cached_property
    def n(self) -> int:
        """Number of records."""
        return next(distinct.records for distinct in self.distinct.values() if distinct.complete)

    @property
    def large(self) -> tuple[Large, ...]:
        """The data set itself."""
        return (self,)

    @property
    def rounded(self) -> frozenset[str]:
        """Columns that have too many distinct values, and are rounded."""
        return frozenset(name for name, distinct in self.distinct.items() if distinct.rounded)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return the distinct values of a column.

        Raises
        ------
        ColumnError
            If there are more than can be held, or they are lists, structures or their like.
        """
        distinct = self.distinct[name]
        kind = distinct.values.type
        if not is_countable(kind):
            msg = (
                f"{self.source}: column {name!r} is of type {kind}, which cannot be compared. Turn "
                "it into numbers, text, dates or booleans, or leave it out of `variables`."
            )
            raise ColumnError(msg)
        if not distinct.complete:
            msg = (
                f"{self.source}: column {name!r} has more than {MOST_VALUES:,} distinct values "
                "(an identifier, or an unrounded number?). Round it, or leave it out of "
                "`variables`."
            )
            raise ColumnError(msg)
        return self.entries[name]

    def counts(self, name: str) -> Counts:
        """Return how many records have each of the distinct values."""
        return self.distinct[name].counts

    def to_pandas(self) -> Any:
        """Refuse: the records do not fit in memory."""
        msg = f"{self.source}: a data set of this size is not brought into memory. Take a sample."
        raise DataError(msg)

    def check_records(self, n: int, expected: int | None = None) -> None:
        """Raise DataError where a pass has met another number of records than the first."""
        if n != (self.n if expected is None else expected):
            msg = (
                f"{self.source}: it has another number of records than when it was read first. Its "
                "data changed meanwhile, or can be read only once. Start again when nobody writes "
                "to them, or from a table."
            )
            raise DataError(msg)

    def fits(self, names: Sequence[str] | None = None) -> bool:
        """Whether the records of some columns are few enough to be read whole, as they are."""
        names = [name for name in self.columns if names is None or name in names]
        exact = all(self.distinct[name].complete and name not in self.rounded for name in names)
        return exact and self.n * len(names) <= MOST_READ

    def whole(self, names: Sequence[str] | None = None) -> Microdata:
        """Return all records of some columns as a data set in memory."""
        names = [name for name in self.columns if names is None or name in names]
        records = replace(self, table=self.table.select(names)).records_at(np.arange(self.n))
        self.check_records(records.n)
        return replace(records, fixes=self.fixes, sha256=self.sha256)

    @cached_property
    def near(self) -> Source:
        """The records, read into memory where another process has them and they are few enough."""
        if isinstance(self.records, Records) or not self.fits():
            return self.records
        return of_memory(self.whole()).records

    def coder(self, name: str, codes: Any) -> Coder:
        """Return what turns the records of a column into the codes of its distinct values."""
        return Coder(self.names[name], self.source, self.distinct[name], np.asarray(codes))

    def count(self, columns: Sequence[str], kernel: Kernel) -> Partials:
        """Count where the records are; see `Source.count`."""
        return self.records.count([self.names[name] for name in columns], kernel)

    def cached(self, key: Any, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """Return what was counted before, or count it; the oldest makes room for the newest."""
        cached = self._cache
        if key not in cached:
            cached[key] = make()
            while len(cached) > 1 and sum(map(size, cached.values())) > _MOST_KEPT:
                del cached[next(iter(cached))]
        out: T = cached[key]
        return out

    @cached_property
    def _cache(self) -> dict[Any, Any]:
        return {}

    def records_at(self, rows: Any) -> Microdata:
        """Return some records, by their sorted positions, as a data set in memory."""
        names = [name for name in self.columns if self.distinct[name].complete]
        coders = {
            name: self.coder(name, np.arange(len(self.counts(name)), dtype=np.int32))
            for name in names
        }
        parts: dict[str, list[Any]] = {name: [] for name in names}
        for batch in self.records.records_at([self.names[n] for n in names], rows):
            for name, coder in coders.items():
                parts[name].append(coder.codes(batch.column(coder.name)))
        self.check_records(sum(map(len, parts[names[0]])), len(rows))
        columns = [
            self.entries[name].combine_chunks().take(pa.array(np.concatenate(parts[name])))
            for name in names
        ]
        return Microdata(pa.table(columns, names=names), self.source, **_described(self))


def large(
    records: Source,
    source: str,
    *,
    names: Mapping[str, str] | None = None,
    read: Read | None = None,
    fixes: Sequence[Fix] = (),
    missing_texts: Sequence[str] = (),
) -> Large:
    """Count the distinct values of every column of a source: the first pass.

    Parameters
    ----------
    records : Source
    source : what messages call it
    names : dict of column to its name in the source, optional
        By default all, as they are.
    read : function of distinct values, name and counts, optional
        Returns them as a file's columns are read, and what was changed.
    fixes : what was changed before
    missing_texts : texts that mean missing

    Raises
    ------
    DataError
        If there are no columns or no records.
    ColumnError
        If columns cannot be read, or their names are no names.
    """
    if names is None:
        check_column_names(records.schema.names, source)
        names = {name: name for name in records.schema.names}
    if not names:
        msg = f"{source}: the data set has no columns."
        raise DataError(msg)
    counted = records.value_counts(list(names.values()))
    columns = {name: counted[old] for name, old in names.items()}
    if not any(distinct.complete for distinct in columns.values()):
        msg = f"{source}: every column has more than {MOST_VALUES:,} distinct values. Round them."
        raise ColumnError(msg)
    if not any(distinct.records for distinct in columns.values()):
        msg = f"{source}: the data set has no records, only column names."
        raise DataError(msg)
    entries, changes = {}, list(fixes)
    for name, distinct in columns.items():
        entries[name], changed = as_read(distinct, name, read)
        changes += changed
    return Large(
        pa.table({name: column[:0] for name, column in entries.items()}),
        source,
        fixes=tuple(changes),
        missing_texts=tuple(missing_texts),
        records=records,
        distinct=columns,
        entries=entries,
        names=dict(names),
        read=read,
    )


def as_read(distinct: Distinct, name: str, read: Read | None) -> tuple[pa.ChunkedArray, list[Fix]]:
    """Return distinct values as a file's columns are read, and what was changed."""
    values = pa.chunked_array([distinct.values])
    return (values, []) if read is None else read(values, name, distinct.counts)


def of_memory(data: Microdata) -> Large:
    """Return a data set in memory as one that is counted like those that are not."""
    if isinstance(data, Large):
        return data
    counted = large(
        Records(data.table.schema, lambda names: _batches(data.table, names)), data.source
    )
    return replace(counted, fixes=data.fixes, sha256=data.sha256, **_described(data))


def _described(data: Microdata) -> dict[str, Any]:
    """Return what the file says of the columns, however their records are held."""
    names = ("value_labels", "level_codes", "labels", "missing_codes", "not_taken", "missing_texts")
    return {name: getattr(data, name) for name in (*names, "unread")}


def _batches(table: pa.Table, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    yield from table.select(list(names)).to_batches(max_chunksize=BATCH)
