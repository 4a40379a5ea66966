"""What data sets make of a rule: how many records keep it, break it, or leave it open."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sdcmetrics.results import Share
from sdcmetrics.rules.binding import BoundRule
from sdcmetrics.rules.rule import Rule

__all__ = ["RuleCounts", "RuleOutcome", "count_rule", "rule_outcome"]


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


@dataclass(frozen=True)
class RuleOutcome:
    """A rule in the original, in each synthesis of a replica, and in the holdout if there is one.

    Attributes
    ----------
    rule : Rule
    original : RuleCounts
    syntheses : tuple of RuleCounts
    holdout : RuleCounts or None
    level_counts : tuple of int
        Original records with each level or value that the rule names; see `BoundRule`.
    """

    rule: Rule
    original: RuleCounts
    syntheses: tuple[RuleCounts, ...]
    holdout: RuleCounts | None = None
    level_counts: tuple[int, ...] = ()

    @property
    def broken_percent(self) -> float:
        """Synthetic records that break the rule, in percent; mean over the syntheses."""
        return _mean([counts.broken_share.percent for counts in self.syntheses])

    @property
    def severities(self) -> tuple[float, ...]:
        """Severity of each synthesis: share that breaks the rule over the original's that keeps it.

        NaN where no original record keeps the rule.
        """
        kept = self.original.kept_share.proportion
        return tuple(_ratio(c.broken_share.proportion, kept) for c in self.syntheses)

    @property
    def severity(self) -> float:
        """Mean of `severities`."""
        return _mean(self.severities)

    @property
    def severity_of_counts(self) -> float:
        """Records that break the rule over original records that keep it, as counts; mean."""
        return _mean([_ratio(c.broken, self.original.kept) for c in self.syntheses])


def count_rule(bound: BoundRule, part: int) -> RuleCounts:
    """Count the records of the original (0) or of another data set by what they make of a rule."""
    truth = bound.truth(part)
    kept, broken = int(np.count_nonzero(truth.yes)), int(np.count_nonzero(truth.no))
    applies = int(np.count_nonzero(bound.applies(part)))
    return RuleCounts(kept, broken, len(truth.yes) - kept - broken, applies)


def rule_outcome(rule: Rule, bound: BoundRule, *, syntheses: int, holdout: bool) -> RuleOutcome:
    """Evaluate a rule on the original, then so many syntheses, then the holdout if there is one."""
    return RuleOutcome(
        rule=rule,
        original=count_rule(bound, 0),
        syntheses=tuple(count_rule(bound, part) for part in range(1, syntheses + 1)),
        holdout=count_rule(bound, syntheses + 1) if holdout else None,
        level_counts=bound.level_counts,
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def _mean(values: list[float] | tuple[float, ...]) -> float:
    return math.fsum(values) / len(values)
