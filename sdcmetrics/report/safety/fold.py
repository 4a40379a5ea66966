"""Folding: join the levels of a variable until no count of the original says too little.

Folding looks at the original alone, so it is the same for every replica: no replica's table can
be subtracted from another's to get a folded level back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Folding:
    """Which levels are shown together.

    Attributes
    ----------
    groups : tuple of tuples of positions, in the order of their first position
        Every level is in exactly one group.
    other : int or None
        Place in `groups` of the group of folded levels, or None where nothing is folded.
    shown : bool
        False where even all levels together are too few records.
    """

    groups: tuple[tuple[int, ...], ...]
    other: int | None
    shown: bool


def fold(
    counts: Sequence[int],
    *,
    min_cell: int,
    zeros_disclosive: bool,
    intervals: int = 0,
) -> Folding:
    """Choose which levels to show together.

    Parameters
    ----------
    counts : original records in each level
    min_cell : int
        Fewer records than this are not shown.
    zeros_disclosive : bool
        An empty level is not shown either.
    intervals : int
        The first so many levels are neighbouring intervals; they are joined with a neighbour.

    Returns
    -------
    Folding

    Notes
    -----
    A small level is never folded alone: the next smallest levels go with it until the group
    holds at least `min_cell` records, so the group's count is not the small level's count. Where
    empty levels are shown, a large level always goes along.

    With counts rounded to multiples of at least 5, a folded count cannot be told from what is
    shown, short of one case: all small levels hold exactly `min_cell` - 1 records and their sum
    is the smallest that is rounded to what is shown. Joined intervals show their sum; only where
    nearly all intervals are small could the order of joining narrow down their counts.

    Examples
    --------
    >>> fold([500, 7, 430, 4], min_cell=10, zeros_disclosive=True).groups
    ((0,), (1, 3), (2,))
    >>> fold([500, 7, 430], min_cell=10, zeros_disclosive=True).groups
    ((0,), (1, 2))
    >>> fold([40, 3, 20, 50], min_cell=10, zeros_disclosive=True, intervals=4).groups
    ((0,), (1, 2), (3,))
    """

    def size(group: Sequence[int]) -> int:
        return sum(counts[i] for i in group)

    def small(group: Sequence[int]) -> bool:
        return size(group) < min_cell and (zeros_disclosive or size(group) > 0)

    runs = [[i] for i in range(intervals)]
    # An empty interval is joined too: left open, it would show in which order others were joined.
    while len(runs) > 1 and min(map(size, runs)) < min_cell:
        place = min(range(len(runs)), key=lambda i: size(runs[i]))
        neighbours = [i for i in (place - 1, place + 1) if 0 <= i < len(runs)]
        nearest = min(neighbours, key=lambda i: size(runs[i]))
        first, second = sorted((place, nearest))
        runs[first : second + 1] = [runs[first] + runs[second]]
    units = [*runs, *([i] for i in range(intervals, len(counts)))]
    folded = [unit for unit in units if small(unit)]
    if not folded:
        return Folding(tuple(tuple(unit) for unit in units), None, shown=True)
    left = sorted((unit for unit in units if not small(unit)), key=lambda u: (size(u), u))
    # Where empty levels are shown, folded ones hold at least 1 record each; that no large level
    # had to be added would then tell how small they are.
    needed = 0 if zeros_disclosive else 1
    large = 0

    def enough() -> bool:
        several = len(folded) > 1 and sum(map(size, folded)) >= min_cell
        return several and large >= needed

    for unit in left:
        if enough():
            break
        if size(unit) > 0:
            folded.append(unit)
            large += 1
    left = [unit for unit in left if unit not in folded]
    other = tuple(sorted(i for unit in folded for i in unit))
    groups = sorted([*(tuple(unit) for unit in left), other])
    return Folding(tuple(groups), groups.index(other), shown=size(other) >= min_cell)
