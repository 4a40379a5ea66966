"""Outcome of one rule in an original and a replica."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sdcmetrics.measures.rules.binding import BoundRule
from sdcmetrics.measures.rules.broken import rule_broken, rule_severity
from sdcmetrics.measures.rules.outcome import RuleCounts, count_rule
from sdcmetrics.measures.rules.rule import Rule


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
        return _mean([rule_broken(counts).percent for counts in self.syntheses])

    @property
    def severities(self) -> tuple[float, ...]:
        """Severity of each synthesis: share that breaks the rule over the original's that keeps it.

        NaN where no original record keeps the rule.
        """
        return tuple(rule_severity(self.original, counts) for counts in self.syntheses)

    @property
    def severity(self) -> float:
        """Mean of `severities`."""
        return _mean(self.severities)

    @property
    def severity_of_counts(self) -> float:
        """Records that break the rule over original records that keep it, as counts; mean."""
        holding = self.original.fulfilled
        return _mean([c.broken / holding if holding else math.nan for c in self.syntheses])


def rule_outcome(rule: Rule, bound: BoundRule, *, syntheses: int, holdout: bool) -> RuleOutcome:
    """Evaluate a rule on the original, then so many syntheses, then the holdout if there is one."""
    return RuleOutcome(
        rule=rule,
        original=count_rule(bound, 0),
        syntheses=tuple(count_rule(bound, part) for part in range(1, syntheses + 1)),
        holdout=count_rule(bound, syntheses + 1) if holdout else None,
        level_counts=bound.level_counts,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
