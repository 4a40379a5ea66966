"""A replica without repeated records: whether those it shares with the original are too many.

Whoever drops repeats drops pairs within the replica, and of those that are left more join it and
the original than of records drawn one by one. Then the original by itself says how many do: of
values that a replica of rho times as many records may meet, people of the original have x each on
average. One has the value, and the replica as well, with a chance of
x exp(-x) (1 - exp(-rho x)) <= rho x^2 exp(-x), which is 2 rho times that of two having it.
Whatever the law is, of values that two people have, or one who is met, the latter are
2 rho / (2 rho + 1) at most.

The replica had more records before its repeats were dropped, as many as leave so many different
ones: Good and Toulmin (1956, Biometrika 43, 45-63), by the people who have a value alone, and those
who have one in twos.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.people.equal import Bundles, Keys, bundles_of
from sdcmetrics.measures.people.tails import at_least_binomial, binomials
from sdcmetrics.microdata.arrays import Ints

_REPEATS = 3  # of which none comes by chance in one of twenty samples
_DRAWS = 400
_NOTICED = 0.97  # of draws: that 90 % are noticed is then safe to say
_HALVINGS = 50


@dataclass(frozen=True)
class Distinct:
    """People who are alone with a value, and those of a value in twos.

    Attributes
    ----------
    met : int
        Values that one person of the original has, and the replica.
    shared : int array
        Values that 1, 2, 3, ... people of the original have.
    drawn : float or None
        Records of the replica with its repeats, at most; None where nothing bounds them.
    """

    met: int
    shared: Ints
    drawn: float | None

    @property
    def alone(self) -> int:
        """People of the original who are alone with their values."""
        return values_of(self.shared, 1)

    @property
    def twos(self) -> int:
        """Values that two people of the original have."""
        return values_of(self.shared, 2)

    @property
    def ratio(self) -> float:
        """Records that the replica had per person of the original."""
        return math.inf if self.drawn is None else self.drawn / max(people_of(self.shared) - 1, 1)

    @property
    def chance(self) -> float:
        """That of those met and the twos a value is one of those met, at most."""
        return 1.0 if self.drawn is None else 2 * self.ratio / (2 * self.ratio + 1)

    @property
    def p(self) -> float:
        """That so many are met by chance, at most."""
        return at_least_binomial(self.met, self.met + self.twos, self.chance)

    def noticed(self, level: float, rng: np.random.Generator) -> int | None:
        """Return the smallest number of copied people who are noticed, None if nobody ever is.

        Values are met by chance as often as the original says, and no more often than here.
        """
        if self.drawn is None:
            return None
        n, threes = people_of(self.shared), values_of(self.shared, 3)
        by_chance = 2 * self.ratio * self.twos - 3 * self.ratio**2 * threes
        met = rng.poisson(min(max(by_chance, 0.0), self.met), _DRAWS)
        twos = rng.poisson(self.twos, _DRAWS)
        alone = self.alone / n

        def often(copied: int) -> bool:
            hits = met + rng.binomial(copied, alone, _DRAWS)
            return bool((binomials(hits, hits + twos, self.chance) <= level).mean() >= _NOTICED)

        low, high = 0, min(n, int(self.drawn))
        if not often(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if often(middle) else (middle, high)
        return high


def distinct_records(keys: Keys, n: int, sizes: Sequence[int] = ()) -> Distinct | None:
    """Return whom a replica meets of which a file repeats nothing; None where there is none.

    Keys are those of the original's n records and the replica's, which is one file, or several of
    these sizes. Repeats are lacking where as many records of the original would have some.
    """
    original, replica = np.split(keys, [n])
    files = np.split(replica, np.cumsum(sizes)[:-1]) if sizes else [replica]
    shared = np.bincount(np.unique(original, return_counts=True)[1])[1:]
    lacking = [_lacks_repeats(file, shared, n) for file in files]
    if not any(lacking):
        return None
    drawn = [
        drawn_records(shared, len(file)) if lacks else float(len(file))
        for file, lacks in zip(files, lacking, strict=True)
    ]
    known = [records for records in drawn if records is not None]
    return Distinct(
        met(bundles_of(keys, n, 0)), shared, sum(known) if len(known) == len(drawn) else None
    )


def _lacks_repeats(file: Keys, shared: Ints, n: int) -> bool:
    """Whether a file repeats nothing of an original of whose people 1, 2, 3, ... share values."""
    people = np.arange(1, len(shared) + 1)
    pairs, m = float(shared @ (people * (people - 1))) / 2, len(file)
    expected = pairs * m * (m - 1) / max(n * (n - 1), 1)
    if shared[1:].sum() < _REPEATS or expected < _REPEATS:
        return False
    return len(np.unique(file)) == m


def met(bundles: Bundles) -> int:
    """Return how many values the replica and one person of the original have."""
    return int(((bundles.original == 1) & (bundles.replica > 0)).sum())


def people_of(shared: Ints) -> int:
    """Return the people of whom 1, 2, 3, ... share so many values."""
    return int(shared @ np.arange(1, len(shared) + 1))


def values_of(shared: Ints, people: int) -> int:
    """Return how many values so many people have."""
    return int(shared[people - 1]) if people <= len(shared) else 0


def drawn_records(shared: Ints, different: int) -> float | None:
    """Return how many records leave so many different ones, at most; None where nothing says so.

    Examples
    --------
    A hundred people, two of each value, have fifty values; forty values are those of 55:

    >>> round(drawn_records(np.array([0, 50]), 40))
    55
    """
    n, values, people = people_of(shared), int(shared.sum()), np.arange(1, len(shared) + 1)
    if different <= values:
        low, high = 0.0, float(n)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if shared @ (1 - (1 - middle / n) ** people) < different:
                low = middle
            else:
                high = middle
        return max(high, float(different))
    alone, twos, more = values_of(shared, 1), values_of(shared, 2), different - values
    inside = alone**2 - 4 * (twos + 2 * math.sqrt(twos)) * more
    if not alone or inside < 0:
        return None
    return n * (1 + 2 * more / (alone + math.sqrt(inside)))
