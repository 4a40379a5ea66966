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

from sdcmetrics.measures.people.equal import Bundles
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


def repeated_values(bundles: Bundles) -> Repeated:
    """Look for people of the original among the values that a replica repeats.

    Examples
    --------
    >>> from sdcmetrics.measures.people.equal import bundles_of
    >>> keys = np.arange(40, dtype=np.uint64) << np.uint64(2)
    >>> result = repeated_values(bundles_of(np.tile(keys, 4), 40, 0))
    >>> result, result.p < 1e-6
    (Repeated(people=40, different=40, values=40), True)
    """
    people = bundles.original[bundles.replica >= _TWICE]
    return Repeated(int(people.sum()), int((people > 0).sum()), len(people))
