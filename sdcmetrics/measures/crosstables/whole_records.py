"""Count distinct whole records of large data sets, and those that two of them share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.measures.crosstables.loops import loop, mix
from sdcmetrics.measures.crosstables.scanning import (
    MOST_CELLS,
    Cells,
    Composite,
    SparseSums,
    add_up,
    composite,
    refuse_many,
)
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.microdata.sources.codes import Coder
from sdcmetrics.microdata.sources.source import PARTIAL, partial_counts


def whole_records(coded: Coded, part: int, every: int, drawn: int = 0) -> Cells:
    """Count the combinations of all values in one data set, or of one combination in `every`.

    Which these are follows from a hash of 64 bits, so that other data sets have the same ones: a
    copy of a record is drawn wherever the record is. Ten million combinations share a hash with a
    probability of 3 in a million. Each number `drawn` below `every` draws others, all of them all.
    """
    return _one_pass(coded, part, _WholeRecords(_coders(coded, part), every, drawn))


def count_copied(
    coded: Coded, whole: Coded, parts: tuple[int, int]
) -> list[tuple[dict[str, Counts], npt.NDArray[np.bool_], Counts]]:
    """Count combinations of values in two data sets; records in both are kept apart.

    Returns
    -------
    list of (dict of name to int array, bool array, int array), one per data set
        The levels of each combination, whether its records have all values of `whole` in common
        with one of the other data set, and how many records there are.

    Raises
    ------
    DataError
        If there are more combinations than are held.
    """
    every = math.ceil(max(coded.sizes) / MOST_CELLS)
    common = []
    for i in range(every):
        one_side, other = (whole_records(whole, part, every, i)[0] for part in parts)
        common.append(np.intersect1d(one_side, other))
    copied, block = np.sort(np.concatenate(common)), composite(coded, list(coded.variables))
    records = []
    for part in parts:
        kernel = _Copied(_coders(whole, part), 1, 0, _coders(coded, part), block, copied)
        cells, counts = _one_pass(coded, part, kernel)
        coded.large[part].check_records(int(counts.sum()))
        refuse_many(coded.large[part].source, block, cells)
        records.append((block.levels(cells // 2), cells % 2 > 0, counts))
    return records


def _coders(coded: Coded, part: int) -> dict[str, Coder]:
    data, variables = coded.large[part], coded.variables
    return {name: data.coder(name, variable.parts[part]) for name, variable in variables.items()}


def _one_pass(coded: Coded, part: int, kernel: _WholeRecords) -> Cells:
    data = coded.large[part]
    return add_up(pa.Table.from_batches(data.count(kernel.columns, kernel), PARTIAL), 1)[0]


@dataclass(frozen=True)
class _WholeRecords:
    coders: Mapping[str, Coder]
    every: int
    drawn: int

    @property
    def columns(self) -> list[str]:
        return list(self.coders)

    def cells(self, batch: pa.RecordBatch) -> Counts:
        mixed = np.zeros(batch.num_rows, dtype=np.uint64)
        for coder in self.coders.values():
            numbers = coder.identities(batch.column(coder.name))
            loop(mix, numbers.dtype.name)(mixed, numbers)
        here: Counts = mixed[mixed % np.uint64(self.every) == self.drawn].view(np.int64)
        return here

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        total = SparseSums()
        for batch in batches:
            total.add(self.cells(batch), None)
        yield partial_counts(*total.cells())


@dataclass(frozen=True)
class _Copied(_WholeRecords):
    counted: Mapping[str, Coder]
    block: Composite
    copied: Counts

    @property
    def columns(self) -> list[str]:
        return list({**self.coders, **self.counted})

    def cells(self, batch: pa.RecordBatch) -> Counts:
        codes = {
            name: coder.codes(batch.column(coder.name)) for name, coder in self.counted.items()
        }
        here = super().cells(batch)
        copied = np.append(self.copied, 0)
        place = np.searchsorted(self.copied, here)
        is_copied = (place < len(self.copied)) & (copied[place] == here)
        cells: Counts = 2 * self.block.index(codes) + is_copied
        return cells
