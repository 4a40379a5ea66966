"""Where rules are checked: every rule of the study."""

from __future__ import annotations

from sdcmetrics.measures.measure import Kind

__all__ = ["RULES"]

RULES = Kind(
    "records that keep or break a rule",
    "`RuleOutcome`; a number or a Share",
    per="rule",
    option="[[rule]]",
)
