"""What declarations of disclosure measures share: sources, caveats, reference values, twins."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure import cut
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.disclosure.versions import NAMES
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure, PeopleSum, Release
from sdcmetrics.measures.reference_values import ITSELF, ReferenceValues
from sdcmetrics.measures.twin import Twin
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


RAAB = "Raab, Nowok and Dibben (2024), arXiv:2406.16826"
BY_LABEL = (
    "Cells are matched by label and key combinations are tuples; synthpop goes by position when "
    "one side lacks a level, and then under-reports risk. Missing is not the text 'Missing'."
)
ONE_FILE = (
    " It looks at the replica only, so it cannot tell a copy from people who were not in the "
    "original."
)
GUESS = (
    "A correct guess is no proof of a disclosure: where nearly everybody has the same value it "
    "follows from common knowledge. Read it beside the baseline, the original, and the flags."
)
SHARE = Release("share", followed=True)
CHANCE = Release("chance", followed=True)
BY_ITSELF = ReferenceValues("", ITSELF, "no", "original")


def risk(symbol: str, **entries: Any) -> Measure:
    """Declare a share of records at risk, in percent, as synthpop has it by the same symbol."""
    common = {
        "family": DISCLOSURE_RISK,
        "of": KEYS,
        "low": 0,
        "high": 100,
        "ideal": None,
        "unit": "percent",
        "source": RAAB,
    }
    twin = entries.pop("twin", None) or twin_of(symbol)
    return Measure(**{"symbol": symbol, "twin": twin, **common, **entries})


def cut_to_size(
    copy: float | str | Callable[[KeyTargetCounts], float],
    tells: Literal["yes", "sparse keys", "weakly", "no"],
    at: Callable[[cut.Cut], float] | Literal["sample", "samples"],
    *,
    by_record: bool = False,
) -> ReferenceValues:
    """Return reference values at equal size; if not constant, they are facts about the original."""
    release: Literal["constant", "original"] = "constant" if isinstance(copy, float) else "original"
    return ReferenceValues("P1", copy, tells, release, at, by_record=by_record)


def twin_of(symbol: str, differs: str = BY_LABEL) -> Twin:
    """Return what synthpop calls a measure, by version."""
    return Twin(symbol, "disclosure", differs, names=NAMES.get(symbol, {}))
