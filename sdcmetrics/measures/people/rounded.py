"""Numbers that the replica has of fewer values: people put at those that it has.

Where numbers are rounded, in classes or cut off at an end, no record equals its person, and many
are as near. Near ones are looked for by classes of them. For cells, people are put where the
replica has values, column by column: a number at the nearest of these, or at the next one below or
above. As that knows nothing of who was drawn, people drawn without the replica have its records as
they have values (`values`).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sdcmetrics.measures.people.columns import Files, PooledColumn
from sdcmetrics.measures.people.equal import Keys, hashed
from sdcmetrics.measures.people.rewritten import coarser
from sdcmetrics.microdata.arrays import Floats

_CLASSES = 40
_FEWEST = 10  # records of the replica in a class
SIDES = ("nearest", "below", "above")
"""Where a number is put: at the nearest value of the replica, the next below, or the next above."""


def rounded_keys(files: Files, rng: np.random.Generator) -> list[list[Keys]]:
    """Return the keys of columns, people put on each side; none where no number is coarser."""
    names = coarser(files)
    if not names:
        return []
    same = {part.name: hashed(part.values, rng) for part in files.parts if part.name not in names}
    return [
        [
            same[part.name] if part.name in same else hashed(put(part, files.pool, side), rng)
            for part in files.parts
        ]
        for side in SIDES
    ]


def put(column: PooledColumn, pool: int, side: str) -> Floats:
    """Return values of all records, those of people at values of the replica.

    Examples
    --------
    Of 14 and 16, where the replica has 10 and 20:

    >>> column = PooledColumn("age", np.array([14, 16, 10, 20.0]), number=True)
    >>> [put(column, 2, side)[:2].tolist() for side in SIDES]
    [[10.0, 20.0], [10.0, 10.0], [20.0, 20.0]]
    """
    values = column.values if column.mapped is None else column.mapped
    people, replica = values[:pool], values[pool:]
    own = np.unique(replica[~np.isnan(replica)])
    if not len(own):
        return values
    ends = {"nearest": (own[1:] + own[:-1]) / 2, "below": own[1:], "above": own[:-1]}[side]
    at = own[np.searchsorted(ends, people, side="right" if side == "below" else "left")]
    return np.concatenate([np.where(np.isnan(people), np.nan, at), replica])


def in_classes(files: Files) -> Files:
    """Return files whose coarser numbers are in classes of the replica's values.

    A record of the replica that is alone at its value has none of its own file near to it, and
    people are between the values: near pairs would join the two files more often than others.

    Parameters
    ----------
    files : Files

    Returns
    -------
    Files
        Numbers of classes in place of coarser numbers: up to forty, with ten records of the
        replica or more each; the same files where no number is coarser.
    """
    names = coarser(files)
    if not names:
        return files
    parts = (_classed(part, files) if part.name in names else part for part in files.parts)
    return replace(files, parts=tuple(parts))


def _classed(column: PooledColumn, files: Files) -> PooledColumn:
    """Return a column as classes that end between values of the replica."""
    values = column.values if column.mapped is None else column.mapped
    replica = values[files.pool :]
    own, counts = np.unique(replica[~np.isnan(replica)], return_counts=True)
    least = max(_FEWEST, files.m / _CLASSES)
    below, start, ends = np.cumsum(counts), 0, []
    while True:  # each class ends with the value at which it has records enough
        last = int(np.searchsorted(below, start + least))
        if last >= len(own) - 1 or below[-1] - below[last] < least:
            break
        ends.append((own[last] + own[last + 1]) / 2)
        start = int(below[last])
    at = np.searchsorted(ends, values)
    return replace(column, values=np.where(np.isnan(values), np.nan, at), mapped=None)
