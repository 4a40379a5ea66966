"""Counts of records that keep a rule, break it, or leave it undecided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.rules.binding import BoundRule
from sdcmetrics.results import Renamed, Share, renamed_option


@renamed_option("kept", "fulfilled")
@dataclass(frozen=True, slots=True)
class RuleCounts:
    """Records of one data set by whether they keep a rule.

    Attributes
    ----------
    fulfilled : int
        The rule is true of the record; a rule with ``if`` also where its condition is false.
    broken : int
        The rule is false of the record.
    unknown : int
        A missing value leaves it open.
    applies : int
        The condition of ``if`` is true of the record; all records for a rule without.
    """

    fulfilled: int
    broken: int
    unknown: int
    applies: int

    kept = Renamed("fulfilled")

    @property
    def entries(self) -> dict[str, int]:
        """The counts by the names that tables and files have for them."""
        return {
            "kept": self.fulfilled,
            "broken": self.broken,
            "unknown": self.unknown,
            "applies": self.applies,
        }

    @property
    def n(self) -> int:
        """All records."""
        return self.fulfilled + self.broken + self.unknown

    @property
    def kept_share(self) -> Share:
        """Records that keep the rule, of all."""
        return Share(self.fulfilled, self.n)

    @property
    def broken_share(self) -> Share:
        """Records that break the rule, of all."""
        return Share(self.broken, self.n)


def count_rule(bound: BoundRule, part: int) -> RuleCounts:
    """Count the records of the original (0) or another data set by whether they keep a rule."""
    truth = bound.truth(part)
    holding, broken = int(np.count_nonzero(truth.yes)), int(np.count_nonzero(truth.no))
    applies = int(np.count_nonzero(bound.applies(part)))
    return RuleCounts(holding, broken, len(truth.yes) - holding - broken, applies)
