"""What declarations of disclosure measures share: sources, caveats, reference values, twins."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from sdcmetrics.measures.crosstables.key_counting import KeyTargetCounts
from sdcmetrics.measures.disclosure import cut
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.disclosure.versions import NAMES
from sdcmetrics.measures.measure import DISCLOSURE_RISK, Measure, Release
from sdcmetrics.measures.reference_values import ITSELF, ReferenceValues
from sdcmetrics.measures.twin import Twin

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
risk = partial(
    Measure,
    family=DISCLOSURE_RISK,
    of=KEYS,
    low=0,
    high=100,
    ideal=None,
    unit="percent",
)


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
