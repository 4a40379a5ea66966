"""Self-test: whether the original itself in the replica's place would be flagged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.excess.exchange import stopping
from sdcmetrics.measures.excess.families import over_people
from sdcmetrics.measures.excess.questions import Asked, with_copy
from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.arrays import Bools, Floats, Ints


@dataclass(frozen=True, repr=False)
class SelfTest:
    """Results of a copy of the original.

    Attributes
    ----------
    noticed : bool array of shape (questions,)
        Whether it is flagged, in any encoding.
    excess : mapping of encoding to float array
        In points.
    """

    noticed: Bools
    excess: Mapping[str, Floats]


def self_test(
    columns: Iterable[Column],
    sizes: tuple[int, int, int],
    questions: Sequence[Asked],
    *,
    clusters: Ints | None,
    points: float,
    level: float,
    sure: float,
    seed: int,
) -> SelfTest:
    """Ask the same questions of the original in the replica's place.

    Parameters
    ----------
    columns : of those that are asked for
    sizes : records of original, replica and holdout (0 without one)
    clusters : int array or None
        Of the original's records, and of the holdout's; without a holdout of the original's twice.
        The copy then has as many records as the original, so that clusters stay whole.
    """
    n, m, h = sizes
    records = np.arange(n)
    if clusters is None:
        records = np.resize(np.random.default_rng(seed).permutation(n), m)
    pool = with_copy(columns, (n, len(records), h), records)
    when = stopping(level, sure, quick=True, clusters=clusters is not None)
    noticed, excess = np.zeros(len(questions), dtype=np.bool_), {}
    for number, encoding in enumerate(pool.encodings(questions)):
        family = over_people(
            pool,
            questions,
            encoding,
            clusters=clusters,
            points=points,
            seed=seed + number,
            when=when,
            quick=True,
        )
        noticed |= family.stands_out(points, level)
        excess[encoding] = family.excess
    return SelfTest(noticed, excess)
