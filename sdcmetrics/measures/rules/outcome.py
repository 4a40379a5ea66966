"""Records that keep a rule, break it or leave it undecided: counts, measures, and both files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.rules.binding import BoundRule
from sdcmetrics.measures.rules.rule import Rule
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


def rule_kept(original: RuleCounts) -> Share:
    """Share of original records that keep a rule.

    Parameters
    ----------
    original : RuleCounts

    Returns
    -------
    Share
        0 to 1. Neither better nor worse: a rule that the original itself breaks may be no rule.

    References
    ----------
    Chan, Comparative Metrics Framework, section 8.1.

    Examples
    --------
    >>> rule_kept(RuleCounts(fulfilled=6, broken=1, unknown=1, applies=8)).percent
    75.0
    """
    return original.kept_share


def rule_broken(synthetic: RuleCounts) -> Share:
    """Share of synthetic records that break a rule; lower is better.

    Parameters
    ----------
    synthetic : RuleCounts

    Returns
    -------
    Share
        0 to 1. Records for which a missing value leaves the rule open do not break it.

    References
    ----------
    Chan, Comparative Metrics Framework, section 8.1.

    Examples
    --------
    >>> rule_broken(RuleCounts(fulfilled=6, broken=1, unknown=1, applies=8)).percent
    12.5
    """
    return synthetic.broken_share


def rule_severity(original: RuleCounts, synthetic: RuleCounts) -> float:
    """Severity of a violated rule: who breaks it in the replica over who keeps it in the original.

    Parameters
    ----------
    original, synthetic : RuleCounts

    Returns
    -------
    float
        0 or more; lower is better. NaN where no original record keeps the rule.

    Notes
    -----
    The framework divides counts, "assuming number of observations are the same in both". Shares
    take their place here, which is the same where the sizes are.

    References
    ----------
    Chan, Comparative Metrics Framework, section 8.1.

    Examples
    --------
    >>> rule_severity(RuleCounts(6, 1, 1, 8), RuleCounts(12, 3, 1, 16))  # (3 / 16) / (6 / 8)
    0.25
    """
    share_kept = rule_kept(original).proportion
    return rule_broken(synthetic).proportion / share_kept if share_kept else math.nan


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
