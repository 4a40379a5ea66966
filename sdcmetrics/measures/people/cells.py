"""Cells about records of the replica: people whose copies have copies of their own, or are rounded.

Two records that were made of one person are each other's nearest, so that pairs with the person
(TN) do not stand out. Cells are balls about records of the replica, in random order, each farther
than two radii from those before it; or, where numbers are coarser, all people whose numbers the
replica would write alike. Whatever the replica is, they do not know who was drawn. One person is
in a cell as often as one has a value (`values`), and more often where cells follow people.
"""

from __future__ import annotations

from dataclasses import dataclass

from sdcmetrics.measures.people.equal import Keys, bundles_of, sum_keys
from sdcmetrics.measures.people.rounded import SIDES
from sdcmetrics.measures.people.search import Searchable
from sdcmetrics.measures.people.values import Values, replica_values

RADII = (0.02, 0.035, 0.05, 0.07, 0.1, 0.15)
"""Of the median distance of two records of the replica."""


@dataclass(frozen=True)
class Cells:
    """Of the radius, or side, that says most, how many cells have one person, and two.

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
        """Over all radii and sides."""
        return min(1.0, (len(RADII) + len(SIDES)) * self.values.p)


def cells_of(files: Searchable) -> Cells:
    """Return the cells of the replica's records that say most."""
    results = [
        Cells(Values(int(once), int(twice), int(nobody)), int(ours), int(theirs))
        for nobody, once, twice, ours, theirs in files.cells(RADII)
    ]
    return min(results, key=lambda result: result.values.p)


def rounded_cells(columns: list[Keys], n: int, h: int) -> Cells:
    """Return the cells of people whose records, put where the replica has values, are equal."""
    keys = sum_keys(columns)
    bundles = bundles_of(keys, n, h)
    ours, theirs = bundles.original, bundles.holdout
    alone = (bundles.replica > 0) & (ours + theirs == 1)
    return Cells(
        replica_values(bundles, len(keys) - n - h),
        int((alone & (ours == 1)).sum()),
        int((alone & (theirs == 1)).sum()),
    )
