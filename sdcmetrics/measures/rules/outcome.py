"""Records that keep a rule, break it or leave it undecided: counts, measures, and both files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sdcmetrics.measures.exchangeable import more_than_hypergeometric
from sdcmetrics.measures.rules.binding import BoundRule
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.microdata.arrays import Bools, Ints
from sdcmetrics.results import Renamed, Share, renamed_option

_FEW_CLUSTERS = 30


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
    design_effect : float
        How many times the variance of the share that breaks it is what it is for records drawn one
        by one, where clusters of the records are known; at least 1. NaN where it is not known.
    """

    fulfilled: int
    broken: int
    unknown: int
    applies: int
    design_effect: float = 1.0

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


def count_rule(bound: BoundRule, part: int, clusters: Ints | None = None) -> RuleCounts:
    """Count the records of the original (0) or another data set by whether they keep a rule.

    Parameters
    ----------
    bound : BoundRule
    part : int
    clusters : int array of shape (n,), optional
        The cluster of each record, from 0, where records were not drawn one by one.
    """
    truth = bound.truth(part)
    holding, broken = int(np.count_nonzero(truth.yes)), int(np.count_nonzero(truth.no))
    applies = int(np.count_nonzero(bound.applies(part)))
    effect = 1.0 if clusters is None else _design_effect(truth.no, clusters)
    return RuleCounts(holding, broken, len(truth.yes) - holding - broken, applies, effect)


def _design_effect(broken: Bools, clusters: Ints) -> float:
    """Return how many times clusters make the variance of a share; at least 1.

    A few clusters that break a rule say little of it: then as if each broke it as a whole.
    """
    sizes = np.bincount(clusters)
    if broken.all() or np.count_nonzero(np.bincount(clusters, broken)) < _FEW_CLUSTERS:
        return float((sizes**2).sum() / len(clusters))
    centred = broken - broken.mean()
    number = np.count_nonzero(sizes)
    between = float((np.bincount(clusters, centred) ** 2).sum()) * number / (number - 1)
    return max(between / float((centred**2).sum()), 1.0)


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


def rule_p(original: RuleCounts, synthetic: RuleCounts, holdout: RuleCounts | None = None) -> float:
    """Chance that so many records break a rule if the replica's are drawn as the original's are.

    Parameters
    ----------
    original, synthetic : RuleCounts
    holdout : RuleCounts, optional
        Tells that a rule which the whole original keeps is broken by other people.

    Returns
    -------
    float
        0 to 1; a small one says that the replica breaks the rule more often than the original. NaN
        where no record of original and holdout breaks it: any that does is beyond them.

    Notes
    -----
    One-sided, hypergeometric: of the records of both that break the rule, how many would be the
    replica's if it were chance alone whose they are. Clusters of the original divide all counts by
    their design effect, those of the replica rounded down and those of the original up.

    References
    ----------
    Fisher, R. A. (1935). The logic of inductive inference. JRSS 98. Rao, J. N. K. and Scott, A. J.
    (1981). The analysis of categorical data from complex sample surveys. JASA 76.

    Examples
    --------
    >>> original, replica = RuleCounts(9, 1, 0, 10), RuleCounts(7, 3, 0, 10)
    >>> round(rule_p(original, replica), 4)  # of 4 that break it at least 3: (960 + 210) / 4845
    0.291
    """
    elsewhere = 0 if holdout is None else holdout.broken
    effect = original.design_effect
    if not original.broken + elsewhere or math.isnan(effect):
        return math.nan
    n, m = round(original.n / effect), round(synthetic.n / effect)
    of_original = math.ceil(original.broken / effect)
    of_replica = math.floor(synthetic.broken / effect)
    pool = max(n, of_original) + m
    return more_than_hypergeometric(of_replica - 1, of_original + of_replica, m, pool)


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


def rule_outcome(
    rule: Rule, bound: BoundRule, *, syntheses: int, holdout: bool, clusters: Ints | None = None
) -> RuleOutcome:
    """Evaluate a rule on the original, then so many syntheses, then the holdout if there is one."""
    return RuleOutcome(
        rule=rule,
        original=count_rule(bound, 0, clusters),
        syntheses=tuple(count_rule(bound, part) for part in range(1, syntheses + 1)),
        holdout=count_rule(bound, syntheses + 1) if holdout else None,
        level_counts=bound.level_counts,
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
