"""Check the rules of a study on a replica, and look for others: rows of general utility."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.registry import GENERAL_UTILITY
from sdcmetrics.measures.rules.broken import rule_broken, rule_kept
from sdcmetrics.measures.rules.check_rules import check_harmonised
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.measures.rules.rule_outcome import RuleOutcome
from sdcmetrics.study.study import Study

__all__ = ["rule_rows"]

Row = dict[str, Any]
Outcomes = dict[tuple[str, str], RuleOutcome]
"""By replica and the text of the rule; empty where a rule could not be checked."""

_SYMBOLS = ("rule_kept", "rule_broken", "rule_severity")


def rule_rows(study: Study, replica: str) -> Iterator[tuple[str, list[Row], Outcomes]]:
    """Yield a step in words, its rows and the rule's outcome, rule after rule.

    The text of the rule stands in the column `scenario`.
    """
    together: dict[Rule, RuleOutcome] = {}
    # All at once reads each column once; a replica that one rule does not fit may fit the others.
    with suppress(DataError, StudyError):
        together = dict(zip(study.rules, _check(study, study.rules, replica), strict=True))
    for rule in study.rules:
        step = f"rule on {', '.join(rule.columns)}"
        try:
            found = together.get(rule) or _check(study, (rule,), replica)[0]
        except (DataError, StudyError) as reason:
            why = str(reason).partition("\n")[0]
            yield step, [_row(rule, symbol, math.nan, reason=why) for symbol in _SYMBOLS], {}
        else:
            yield step, list(_rows(rule, found)), {(replica, rule.text): found}


def _check(study: Study, rules: tuple[Rule, ...], replica: str) -> tuple[RuleOutcome, ...]:
    if not rules:
        return ()
    syntheses = list(study.replicas[replica])
    codes = study.options.missing_codes
    return check_harmonised(rules, study.original, syntheses, study.holdout, codes).outcomes


def _rows(rule: Rule, found: RuleOutcome) -> Iterator[Row]:
    kept = rule_kept(found.original)
    yield _row(rule, "rule_kept", kept.percent, count=kept.count, total=kept.total)
    shares = [rule_broken(counts) for counts in found.syntheses]
    m = len(shares)
    yield _row(
        rule,
        "rule_broken",
        found.broken_percent,
        count=sum(share.count for share in shares) / m,
        total=sum(share.total for share in shares) / m,
    )
    none = None if found.original.kept else "no original record keeps the rule"
    yield _row(rule, "rule_severity", found.severity, reason=none)
    if m == 1:
        return
    for i, (share, severity) in enumerate(zip(shares, found.severities, strict=True), start=1):
        one = {"synthesis": i}
        yield one | _row(rule, "rule_broken", share.percent, count=share.count, total=share.total)
        yield one | _row(rule, "rule_severity", severity, reason=none)


def _row(
    rule: Rule,
    symbol: str,
    value: float,
    *,
    count: float | None = None,
    total: float | None = None,
    reason: str | None = None,
) -> Row:
    return {
        "family": GENERAL_UTILITY,
        "metric": symbol,
        "scenario": rule.text,
        "variables": rule.columns,
        "value": value,
        "count": count,
        "total": total,
        "reason": reason,
    }
