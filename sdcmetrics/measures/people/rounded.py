"""Numbers that the replica has of fewer values: people put at those that it has.

Where numbers are rounded, in classes or cut off at an end, no record equals its person, and many
are as near. People are put where the replica has values, column by column: a number at the nearest
of these, or at the next one below or above. As that knows nothing of who was drawn, people drawn
without the replica have its records as they have values (`values`).
"""

from __future__ import annotations

import numpy as np

from sdcmetrics.measures.people.columns import Files, PooledColumn
from sdcmetrics.measures.people.equal import Keys, hashed
from sdcmetrics.measures.people.rewritten import coarser
from sdcmetrics.microdata.arrays import Floats

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
