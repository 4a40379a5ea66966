"""Records of a data set too large for memory drawn again: the same ones whenever they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.sources.distinct import Distinct, is_numeric
from sdcmetrics.microdata.sources.large import Large
from sdcmetrics.microdata.sources.source import BATCH, Records

_MOST_EXACT = 1_000_000_000
"""Records up to which numpy draws hypergeometric numbers; of more the multinomial is the same."""


def draw_records(data: Large, seed: int, *, leave_out: float | None = None) -> Large:
    """Return as many records, drawn with replacement; or, with `leave_out`, all but such a share.

    Raises
    ------
    StudyError
        If the records are not read in this process, as those of Spark, and are too many to be.
    """
    base, rng = _read_here(data), np.random.default_rng(seed)
    # How many are of each block of positions comes first, so that no more than one is held.
    sizes = np.full(-(-data.n // BATCH), BATCH)
    sizes[-1] = data.n - BATCH * (len(sizes) - 1)
    if leave_out is None:
        sizes_drawn = rng.multinomial(data.n, sizes / data.n)
    else:
        out = max(int(data.n * leave_out), 1)
        sizes_drawn = (
            rng.multivariate_hypergeometric(sizes, out, method="marginals")
            if data.n < _MOST_EXACT
            else np.minimum(rng.multinomial(out, sizes / data.n), sizes)
        )
    read = partial(_repeated, base, _Times(seed, sizes, sizes_drawn, again=leave_out is None))
    return _counted(data, Records(base.schema, read, base.check))


def draw_columns(data: Large, seed: int, *, uniform: bool = False) -> Large:
    """Return as many records whose values are drawn column by column from those of the data set.

    With `uniform` every distinct value of a column is equally likely, missing included.
    """
    base, columns_of = (
        _read_here(data),
        {data.names[n]: _sorted(distinct) for n, distinct in data.distinct.items()},
    )
    ends = {
        name: np.cumsum(np.ones_like(distinct.counts) if uniform else distinct.counts)
        for name, distinct in columns_of.items()
        if distinct.complete
    }
    columns = _Columns(columns_of, ends, data.n, seed)
    fields = [pa.field(name, columns_of[name].values.type) for name in ends]
    return _counted(data, Records(pa.schema(fields), columns.read, base.check))


def _sorted(distinct: Distinct) -> Distinct:
    """Put what is not sorted yet in order: an engine gives texts and decimals as it met them."""
    values = distinct.values
    if is_numeric(values.type):
        return distinct
    each = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
    order = pc.sort_indices(each)
    return replace(distinct, values=values.take(order), counts=distinct.counts[order])


def _read_here(data: Large) -> Records:
    if not isinstance(data.near, Records):
        msg = (
            f"{data.source}: its records cannot be drawn again, as Spark reads them, and are too "
            "many to be read. Ask it of Parquet files, or of a random sample."
        )
        raise StudyError(msg)
    return data.near


@dataclass(frozen=True)
class _Times:
    """How often each record is drawn, block by block of positions."""

    seed: int
    sizes: npt.NDArray[np.int64]
    drawn: npt.NDArray[np.int64]
    again: bool

    def of_block(self, block: int) -> npt.NDArray[np.int64]:
        rng = np.random.default_rng([self.seed, block])
        size, draws = self.sizes[block], self.drawn[block]
        if self.again:
            return np.bincount(rng.integers(size, size=draws), minlength=size)
        times = np.ones(size, dtype=np.int64)
        times[rng.choice(size, draws, replace=False, shuffle=False)] = 0
        return times


def _repeated(base: Records, drawn: _Times, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    # Not by batches: their cut is the engine's, and may change from pass to pass.
    position, block, times = 0, -1, np.empty(0, dtype=np.int64)
    for batch in base.batches(columns):
        first = 0
        while first < batch.num_rows:
            if position // BATCH != block:
                block = position // BATCH
                times = drawn.of_block(block)
            inside = position % BATCH
            number = min(BATCH - inside, batch.num_rows - first)
            chosen = np.repeat(np.arange(first, first + number), times[inside : inside + number])
            yield batch.take(pa.array(chosen))
            first, position = first + number, position + number


@dataclass(frozen=True)
class _Columns:
    distinct: Mapping[str, Distinct]
    ends: Mapping[str, npt.NDArray[np.int64]]
    n: int
    seed: int

    def read(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        for first in range(0, self.n, BATCH):
            number = min(BATCH, self.n - first)
            arrays = [self._draw(name, first, number) for name in columns]
            yield pa.RecordBatch.from_arrays(arrays, names=list(columns))

    def _draw(self, name: str, first: int, number: int) -> pa.Array:
        rng = np.random.default_rng([self.seed, crc32(name.encode()), first])
        ends = self.ends[name]
        places = np.searchsorted(ends, rng.integers(ends[-1], size=number), side="right")
        return self.distinct[name].values.take(pa.array(places))


def _counted(data: Large, records: Records) -> Large:
    """Count the distinct values of records whose values a data set has."""
    names = [name for name, distinct in data.distinct.items() if distinct.complete]
    coders = {name: data.coder(name, np.arange(len(data.counts(name)))) for name in names}
    counts = {name: np.zeros(len(data.counts(name)), dtype=np.int64) for name in names}
    for batch in records.batches([data.names[name] for name in names]):
        for name, coder in coders.items():
            codes = coder.codes(batch.column(coder.name))
            counts[name] += np.bincount(codes, minlength=len(counts[name]))
    columns_counted, entries = dict(data.distinct), dict(data.entries)
    for name, times in counts.items():
        used = np.flatnonzero(times)
        place = pa.array(used)
        columns_counted[name] = replace(
            columns_counted[name],
            values=columns_counted[name].values.take(place),
            counts=times[used],
        )
        entries[name] = pa.chunked_array([entries[name].combine_chunks().take(place)])
    return replace(data, records=records, distinct=columns_counted, entries=entries, sha256=None)
