"""Disclosure risk as sums over people, exactly, for releases with noise.

Each changes by at most 1 when one person is added to the original or removed from it: a person is
counted once, or turns one other who was alone into one who is not. No count of a whole key
group is here (Dorig, DiSDiO): one person can move all of its records.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.measure import PeopleSum
from sdcmetrics.results import Share

_BINARY_PLACES = 32
"""Of a chance of a right guess: rounded down, so that whole numbers add up without error."""


def people_of(
    function: Callable[[KeyTargetCounts], Share], *, by_person: bool = False
) -> PeopleSum:
    """Return how many records a share counts, as a sum in which a person moves at most 1."""

    def count(counts: KeyTargetCounts) -> int:
        return int(function(counts).count)

    return PeopleSum(count, by_person=by_person)


def right_by_synthetic(counts: KeyTargetCounts) -> Fraction:
    """Return the expected right guesses about original records from the replica (n DCAP).

    A person adds the share of the replica's records with the same keys that have the same target
    level, which is public, and from 0 to 1.

    Examples
    --------
    >>> counts = KeyTargetCounts(
    ...     original=np.array([2, 1]), synthetic=np.array([1, 3]), key=np.array([0, 0]),
    ...     target=np.array([0, 1]), n_keys=1, n_targets=2, n_original=3, n_synthetic=4)
    >>> right_by_synthetic(counts)
    Fraction(5, 4)
    """
    own = counts.synthetic > 0
    chance = (counts.synthetic[own] << _BINARY_PLACES) // counts.synthetic_of_key[own]
    return Fraction(_dot(counts.original[own], chance), 1 << _BINARY_PLACES)


def right_by_original(counts: KeyTargetCounts) -> Fraction:
    """Return the expected right guesses of one who holds the original itself (n CAPd).

    >>> counts = KeyTargetCounts(
    ...     original=np.array([2, 1]), synthetic=np.array([1, 3]), key=np.array([0, 0]),
    ...     target=np.array([0, 1]), n_keys=1, n_targets=2, n_original=3, n_synthetic=4)
    >>> right_by_original(counts)
    Fraction(5, 3)
    """
    own = counts.original > 0
    squares, sizes = counts.original[own] ** 2, counts.original_of_key[own]
    return sum(
        (Fraction(int(squares[sizes == size].sum()), size) for size in np.unique(sizes).tolist()),
        Fraction(0),
    )


def right_by_target(counts: KeyTargetCounts) -> Fraction:
    """Return the expected right guesses from the target's distribution alone (n baseCAPd)."""
    levels = counts.target_sums(counts.original)
    return Fraction(_dot(levels, levels), max(int(levels.sum()), 1))


def _dot(left: np.typing.NDArray[np.int64], right: np.typing.NDArray[np.int64]) -> int:
    """Return the sum of products without overflow."""
    return sum(a * b for a, b in zip(left.tolist(), right.tolist(), strict=True))
