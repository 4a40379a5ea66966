"""Which records near tests look at: all, and a part of a replica that is large or repeats much."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdcmetrics.measures.people.columns import Files
from sdcmetrics.measures.people.searches import Searches
from sdcmetrics.microdata.arrays import Ints

_TIMES = 1.5
"""Records of the replica per person, from which on near records are looked for in a part, too.

Of a file written twice a part of half the records has half of them once."""


def near_looks(searches: Searches) -> Iterator[tuple[Files, bool]]:
    """Yield the records that are looked at, and whether repeats are lacking there.

    Of many changed copies of a person most are next to another of them, and not to the person: of a
    larger replica as many records as there are people are looked at, too. Of one that repeats more
    than the original does, each record is next to itself: each is looked at once. Numbers of which
    the replica has fewer values are looked at in classes.
    """
    files = searches.classed
    yield files, searches.lacks_pairs
    if files.m > _TIMES * files.n:
        yield _part(files, np.arange(files.m), searches), searches.lacks_pairs
    if searches.repeats_more:
        yield _part(files, searches.different_rows, searches), True


def _part(files: Files, rows: Ints, searches: Searches) -> Files:
    """Return the original with rows of the replica, of very many as many as there are people."""
    if len(rows) > _TIMES * files.n:
        rows = np.sort(searches.rng.choice(rows, files.n, replace=False))
    return files.at(np.concatenate([np.arange(files.pool), files.pool + rows]))
