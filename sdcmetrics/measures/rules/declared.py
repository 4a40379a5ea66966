"""General utility by rules: the list."""

from __future__ import annotations

from functools import partial

from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure, Release
from sdcmetrics.measures.rules import outcome as rules
from sdcmetrics.measures.rules.places import RELATIONS, RULES
from sdcmetrics.measures.subject import Subject

_OPEN = (
    "Records for which a missing value leaves the rule open neither keep nor break it, and a rule "
    "with an if is kept wherever its condition is false."
)
_ONLY = "Speaks of the rules that were named, and of no other relation. "

_rule = partial(
    Measure,
    family=GENERAL_UTILITY,
    of=RULES,
    low=0,
    source="Chan, Comparative Metrics Framework, section 8.1",
)

MEASURES: tuple[Measure, ...] = (
    _rule(
        symbol="rule_kept",
        release=Release("share"),
        title="Rule kept in the original",
        function=lambda pair: rules.rule_kept(pair[0]),
        syntheses="once",
        unit="percent",
        better="none",
        high=100,
        ideal=None,
        meaning="Original records for which a relation that is to hold in every record is true.",
        formula="100 kept / n",
        limits="A fact about the original, not about the replica. " + _OPEN,
    ),
    _rule(
        symbol="rule_broken",
        release=Release("replica share"),
        title="Rule broken in the replica",
        function=lambda pair: rules.rule_broken(pair[1]),
        unit="percent",
        better="lower",
        high=100,
        ideal=None,
        meaning="Synthetic records for which a relation that is to hold in every record is false: "
        "patently spurious records, whatever the analysis.",
        formula="100 broken / n",
        limits=_ONLY + _OPEN,
    ),
    _rule(
        symbol="rule_severity",
        title="Severity of a broken rule",
        function=lambda pair: rules.rule_severity(*pair),
        undefined="no original record keeps the rule",
        better="lower",
        high=None,
        ideal=None,
        meaning="The share of synthetic records that break a rule over the share of original "
        "records that keep it.",
        formula="(broken_s / n_s) / (kept_o / n_o)",
        limits=_ONLY + "The framework divides counts, for data sets of one size; shares are the "
        "same there, and comparable elsewhere. " + _OPEN,
    ),
)

SUBJECT = Subject("rules", tuple(MEASURES), kinds=(RELATIONS,))
