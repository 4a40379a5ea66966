"""Values that a replica repeats: a test of copies of which the replica has many.

A replica of ten times as many records that were drawn from the original has each person's record
some ten times. Then there are no pairs across files to be counted, and none inside the original.
But whatever values a replica repeats, people who were drawn without it meet these values by
chance, and several of them the same one: fewest do where all values are as likely. That fewer of
the original do is evidence of copies. The replica may have any law, and so may the original.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.people.equal import Keys
from sdcmetrics.microdata import lazy

_TWICE = 2  # records of the replica that make a repeated value


@dataclass(frozen=True)
class Repeated:
    """People of the original whose values a replica repeats.

    Attributes
    ----------
    people : int
        How many there are.
    different : int
        Values that they have.
    values : int
        Values that the replica repeats.
    """

    people: int = 0
    different: int = 0
    values: int = 0

    @property
    def p(self) -> float:
        """That so few of them have a value in common by chance, at most.

        By Poisson's law, which is wider than that of occupancy.
        """
        alike = self.people - self.different
        return float(lazy.special.gammaincc(alike + 1, self.expected))

    @property
    def expected(self) -> float:
        """How many have a value that somebody before has, all values being as likely."""
        if self.values < _TWICE:
            return max(self.people - 1.0, 0.0)
        none = np.expm1(self.people * np.log1p(-1.0 / self.values))  # of a value, less one
        return max(float(self.people + self.values * none), 0.0)

    def without(self, copied: int) -> Repeated:
        """Return the same without so many people, each of whom has a value of their own."""
        return Repeated(self.people - copied, self.different - copied, self.values - copied)


def repeated_values(keys: Keys, n: int) -> Repeated:
    """Look for people of the original, whose n keys are the first, among values of the replica.

    Examples
    --------
    >>> original, keys = np.arange(40, dtype=np.uint64), np.arange(40, dtype=np.uint64)
    >>> result = repeated_values(np.concatenate([original, np.tile(keys, 3)]), 40)
    >>> result, result.p < 1e-6
    (Repeated(people=40, different=40, values=40), True)
    """
    values, counts = np.unique(keys[n:], return_counts=True)
    values = values[counts >= _TWICE]
    people = keys[:n][np.isin(keys[:n], values)]
    return Repeated(len(people), len(np.unique(people)), len(values))
