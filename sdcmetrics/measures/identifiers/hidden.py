"""What a replica's files hold beside the columns that it has of the original.

Columns that the original lacks, names of rows, and levels of a category that no record has: a table
of the replica shows none of them, and whoever opens the file has them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.measures.identifiers.values import entries_of, kind_of, values_of
from sdcmetrics.microdata.arrow_columns import numbers_rows
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.in_pandas import Categories

_RARE = 3
"""Records of the original from which a level is no person's."""


@dataclass(frozen=True, eq=False, repr=False)
class Hidden:
    """Values of a replica that stand in no column of the original's name.

    Attributes
    ----------
    column : str
        The column of the replica, or the one whose levels they are.
    unused : bool
        Whether they are levels that no record has.
    entries : dict of int to Arrow array
        By file.
    """

    column: str
    unused: bool
    entries: dict[int, Any]

    def named(self, name: str, syntheses: Sequence[Microdata]) -> list[Microdata]:
        """Return the files that have them, with them as their only column."""
        return [
            replace(syntheses[i], table=pa.table({name: entries}))
            for i, entries in self.entries.items()
        ]


def with_row_names(data: Microdata) -> Microdata:
    """Return a data set in memory with the names of its rows as columns."""
    if data.large or not data.unread.num_columns:
        return data
    table = data.table
    for name in data.unread.column_names:
        if name not in table.column_names:
            table = table.append_column(name, data.unread.column(name))
    return replace(data, table=table, unread=pa.table({}))


def other_columns(original: Microdata, syntheses: Sequence[Microdata]) -> list[str]:
    """Return the columns of a replica that the original lacks, but for what says nothing.

    A constant says nothing, nor does a number that counts the records.
    """
    names = dict.fromkeys(
        name for data in syntheses for name in (*data.columns, *data.unread.column_names)
    )
    return [
        name
        for name in names
        if name not in original.columns and any(_varies(data, name) for data in syntheses)
    ]


def _varies(data: Microdata, name: str) -> bool:
    if name not in data.columns:
        return name in data.unread.column_names
    entries = entries_of(data, name)
    if entries is None or data.large or kind_of(entries.type) == "other":
        return True
    column = pa.chunked_array([entries])
    return len(column.unique()) > 1 and not numbers_rows(column)


def hidden_values(original: Microdata, syntheses: Sequence[Microdata]) -> list[Hidden]:
    """Return the columns that the original lacks, and the levels that no record has."""
    in_memory = {i: data for i, data in enumerate(syntheses) if not data.large}
    out = []
    for name in other_columns(original, list(in_memory.values())):
        entries = {
            i: column
            for i, data in in_memory.items()
            if name in data.columns
            and (column := entries_of(data, name)) is not None
            and kind_of(column.type) not in ("other", "none")
        }
        out.append(Hidden(name, unused=False, entries=entries))
    for name in dict.fromkeys(name for data in in_memory.values() for name in data.columns):
        levels = {
            i: unused
            for i, data in in_memory.items()
            if name in data.columns and len(unused := unused_labels(data, name))
        }
        out.append(Hidden(name, unused=True, entries=levels))
    return [hidden for hidden in out if hidden.entries]


def unused_levels(data: Microdata, name: str) -> Any:
    """Return the levels of a category that no record has, an Arrow array; of others none.

    Examples
    --------
    >>> from sdcmetrics.microdata.frames import as_microdata
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"a": pd.Categorical(["x", "z"], categories=["x", "y", "z"])})
    >>> unused_levels(as_microdata(frame, "replica"), "a").to_pylist()
    ['y']
    """
    column = data.column(name)
    if isinstance(column, Categories):
        levels, codes = column.levels, np.asarray(column.codes)
    elif isinstance(column, pa.ChunkedArray | pa.Array) and pa.types.is_dictionary(column.type):
        whole = pa.table({name: column}).column(name).unify_dictionaries().combine_chunks()
        levels, codes = whole.dictionary, np.asarray(whole.indices.fill_null(-1))
    else:
        return pa.array([], pa.string())
    used = np.bincount(codes[codes >= 0], minlength=len(levels)) > 0
    return levels.filter(pa.array(~used))


def unused_labels(data: Microdata, name: str) -> Any:
    """Return the levels or labels (of numbers, in SPSS, Stata and R) that no record has."""
    labels = data.value_labels.get(name)
    entries = entries_of(data, name) if labels else None
    if not labels or entries is None or kind_of(entries.type) != "number":
        return unused_levels(data, name)
    used = pc.is_in(pa.array(labels, pa.float64()), entries.cast(pa.float64(), safe=False))
    return pa.array(labels.values(), pa.string()).filter(pc.invert(used))


def rare_levels(
    original: Microdata, syntheses: Sequence[Microdata]
) -> Iterator[tuple[str, str, int]]:
    """Yield file, column and number of unused levels that hardly a record of the original has."""
    for data in syntheses:
        for name in () if data.large else data.columns:
            unused = unused_levels(data, name) if name in original.columns else ()
            if not len(unused):
                continue
            values = values_of(name, [original, replace(data, table=pa.table({name: unused}))])
            if values is None:
                continue
            counts = values.counts(0)
            rare = int(((counts > 0) & (counts < _RARE) & (values.counts(1) > 0)).sum())
            if rare:
                yield data.source, name, rare
