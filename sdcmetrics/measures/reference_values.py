"""Reference values of a risk measure: what a verbatim copy and outsiders score."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

ITSELF = "itself"
"""The copy of a measure that looks at the original only: whatever the replica, the same number."""


@dataclass(frozen=True)
class ReferenceValues:
    """How the scores of a copy of the original and of people who were not in it are found.

    Attributes
    ----------
    procedure : "P1", "P2", "P3" or ""
        P1: the holdout is put in the replica's place, and all are cut to as many records. P2: the
        same without a cut, as the measure is a mean over the replica's records. P3: the measure
        has the holdout as its control already, so that its value is known without that. Empty
        for what looks at the original or the holdout only.
    copy : number, str or function
        What a verbatim copy of the original scores: a constant in the measure's unit, the symbol
        of the measure of the original that it equals, `ITSELF`, or a function of what the
        measure is given.
    tells : "yes", "sparse keys", "weakly" or "no"
        Whether it tells a copy from the holdout: wherever it is used, only where few records
        share a key combination, only a little, or not at all.
    release : "constant", "original" or "original and holdout"
        What the value of the copy is a fact about; only a constant needs no protection.
    at : function of a `Cut`, "sample", "samples" or None
        Its expectation for a replica cut to fewer records, as a proportion where the unit is
        percent; by subsamples where it has no closed form ("samples": the measure's function
        takes counts of many draws, without cells that no draw has, and gives one
        number per draw); None where size does not matter.
    fresh : number, function or None
        What the holdout scores, where a kind does not put the holdout in the replica's place.
    by_record : bool
        Whether the replica alone says which people it finds: then the holdout is put in the
        original's place too.
    """

    procedure: Literal["P1", "P2", "P3", ""]
    copy: float | str | Callable[[Any], float]
    tells: Literal["yes", "sparse keys", "weakly", "no"]
    release: Literal["constant", "original", "original and holdout"]
    at: Callable[[Any], float] | Literal["sample", "samples"] | None = None
    fresh: float | Callable[[Any], float] | None = None
    by_record: bool = False

    @property
    def sign(self) -> int:
        """The direction of a copy: -1 where a copy has 0, so that small values are a risk."""
        return -1 if self.copy == 0 else 1

    @property
    def tested(self) -> bool:
        """Whether a p beside the holdout can be had: from a closed form that is redrawn."""
        return self.tells != "no" and callable(self.at)

    @property
    def words(self) -> str:
        """What it can tell, as a sentence."""
        if self.copy == ITSELF:
            return "It looks at the original only: it is the same for a copy and for anybody else."
        return {
            "yes": "It tells a copy from people who were not in the original.",
            "sparse keys": "It tells a copy from people who were not in the original only where "
            "few records share a key combination.",
            "weakly": "It tells a copy from people who were not in the original only weakly.",
            "no": "It cannot tell a copy from people who were not in the original.",
        }[self.tells]


@dataclass(frozen=True)
class References:
    """Reference values of one value; NaN where they do not exist.

    Attributes
    ----------
    copy, fresh : a verbatim copy of the original, and the holdout, in the replica's place
        Holdout people as many as `at` says; beside a cross-table, what they are expected to score
        (`Measure.fresh`), with or without a holdout.
    at : number of records to which replica, copy and the holdout are cut to be compared
    value_at, copy_at : the value and the copy at so many records, exact expectations
    p : probability that the holdout scores so much, or more, in the direction of the copy
    outsiders : the same replica judged by people who were not in it: the holdout in the
        original's place
    outsiders_p : exact probability that the original stands out so much from the outsiders
    se : standard error of a value that is measured on a random sample of larger data sets
    """

    copy: float = math.nan
    fresh: float = math.nan
    at: float = math.nan
    value_at: float = math.nan
    copy_at: float = math.nan
    p: float = math.nan
    outsiders: float = math.nan
    outsiders_p: float = math.nan
    se: float = math.nan


REFERENCES = tuple(field.name for field in fields(References))
"""Columns of a review that hold reference values."""


def average(references: Sequence[References]) -> References:
    """Return the mean over syntheses; of p values the smallest times their number, at most 1."""
    if len(references) == 1:
        return references[0]

    def together(name: str) -> float:
        defined: list[float] = [
            v for v in (getattr(value, name) for value in references) if not math.isnan(v)
        ]
        if not defined:
            return math.nan
        if name in ("p", "outsiders_p"):
            return min(1.0, float(len(defined) * min(defined)))
        return math.fsum(defined) / len(defined)

    return References(**{name: together(name) for name in REFERENCES})
