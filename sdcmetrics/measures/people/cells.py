"""Cells about records of the replica: people whose copies have copies of their own.

Two records that were made of one person are each other's nearest, so that pairs with the person
(TN) do not stand out. Cells are balls about records of the replica, in random order, each farther
than two radii from those before it: whatever the replica is, they do not know who was drawn. One
person is in a cell as often as one has a value (`values`), and more often where cells follow
people.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.measures.people.search import Searchable
from sdcmetrics.measures.people.values import Values

RADII = (0.02, 0.035, 0.05, 0.07, 0.1, 0.15)
"""Of the median distance of two records of the replica."""


@dataclass(frozen=True)
class Cells:
    """Of the radius that says most, how many cells have one person, and two.

    Attributes
    ----------
    values : Values
        Cells with one person of the original, with two, and with nobody.
    original, holdout : int
        Cells with one person of both, who is of the original, or of the holdout.
    """

    values: Values
    original: int
    holdout: int

    @property
    def p(self) -> float:
        """Over all radii."""
        return min(1.0, len(RADII) * self.values.p)


def cells_of(files: Searchable) -> Cells:
    """Return the cells of the replica's records that say most."""
    results = [
        Cells(Values(int(once), int(twice), int(nobody)), int(ours), int(theirs))
        for nobody, once, twice, ours, theirs in files.cells(RADII)
    ]
    return min(results, key=lambda result: result.values.p)
