"""All that is derived of the columns of two files: of records in memory, or of counted values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sdcmetrics.measures.homogeneity.clusters import Clusters
from sdcmetrics.measures.homogeneity.derived import (
    Derived,
    Numbers,
    derived_columns,
    many_valued,
    numbers_of,
    without_codes,
)
from sdcmetrics.measures.homogeneity.one_sided import one_sided_columns
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.arrays import Floats, Ints
from sdcmetrics.microdata.coding import Coded
from sdcmetrics.microdata.columns import Kind


def derived_of_records(
    columns: Sequence[Column], codes: Mapping[str, Sequence[float]], clusters: Clusters | None
) -> Iterator[Derived]:
    """Yield all that is derived of columns in memory."""
    numbers = numbers_of(columns, codes)
    continuous = many_valued(numbers)
    yield from derived_columns(continuous, columns)
    levels = [
        Numbers(
            column.name,
            dates=False,
            parts=(_with_nan(column.original), _with_nan(column.replica)),
        )
        for column in columns
        if not column.numeric
    ]
    yield from one_sided_columns(continuous, [*numbers, *levels], clusters)


def _with_nan(codes: Ints) -> Floats:
    return np.where(codes < 0, np.nan, codes)


def derived_of_counts(pair: Pair, coded: Coded, synthesis: int) -> Iterator[Derived]:
    """Yield what is derived of large data: of distinct values, and how many records have each."""
    values, numbers = [], []
    for name, variable in pair.data.variables.items():
        if not variable.values:
            levels = coded.variables[name]
            codes = np.arange(levels.size, dtype=np.float64)
            codes[codes == levels.missing_code] = np.nan
            counts = levels.count(0), levels.count(synthesis)
            values.append(Numbers(name, dates=False, parts=(codes, codes), records=counts))
            continue
        parts = [without_codes(variable.values[i], variable.missing_codes) for i in (0, synthesis)]
        records = variable.counts[0], variable.counts[synthesis]
        number = Numbers(name, variable.kind is Kind.DATE, (parts[0], parts[1]), records)
        numbers.append(number)
        values.append(number)
    numbers = many_valued(numbers)
    yield from derived_columns(numbers, ())
    yield from one_sided_columns(numbers, values)
