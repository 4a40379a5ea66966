"""General utility: relations that every record is to keep."""

from __future__ import annotations

import math

from sdcmetrics.measures.rules.outcome import RuleCounts
from sdcmetrics.results import Share


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
