"""What data sets make of a rule: how many records keep it, break it, or leave it open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.rules.binding import BoundRule
from sdcmetrics.results import Share


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """Records of one data set by what they make of a rule.

    Attributes
    ----------
    kept : int
        The rule is true of the record; a rule with ``if`` also where its condition is false.
    broken : int
        The rule is false of the record.
    unknown : int
        A missing value leaves it open.
    applies : int
        The condition of ``if`` is true of the record; all records for a rule without.
    """

    kept: int
    broken: int
    unknown: int
    applies: int

    @property
    def n(self) -> int:
        """All records."""
        return self.kept + self.broken + self.unknown

    @property
    def kept_share(self) -> Share:
        """Records that keep the rule, of all."""
        return Share(self.kept, self.n)

    @property
    def broken_share(self) -> Share:
        """Records that break the rule, of all."""
        return Share(self.broken, self.n)


def count_rule(bound: BoundRule, part: int) -> RuleCounts:
    """Count the records of the original (0) or of another data set by what they make of a rule."""
    truth = bound.truth(part)
    holding, broken = int(np.count_nonzero(truth.yes)), int(np.count_nonzero(truth.no))
    applies = int(np.count_nonzero(bound.applies(part)))
    return RuleCounts(holding, broken, len(truth.yes) - holding - broken, applies)
