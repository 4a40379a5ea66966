"""General utility by rules: the list."""

from __future__ import annotations

from functools import partial

from sdcmetrics.measures.measure import GENERAL_UTILITY, P_VALUE, Measure, Release
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
        function=lambda pair: rules.rule_severity(*pair[:2]),
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
    Measure(
        **P_VALUE,
        symbol="rule_p",
        function=lambda pair: rules.rule_p(*pair),
        family=GENERAL_UTILITY,
        of=RULES,
        title="Chance that a rule is broken so often",
        undefined="no record of original and holdout breaks the rule, or how records of clusters "
        "go together is not known",
        ideal=None,
        meaning="Where the original itself breaks a rule: how likely so many records of a replica "
        "would break it that were drawn as the original's were. A small one says that the replica "
        "breaks it more often.",
        formula="P(X >= broken_s), X hypergeometric: of the broken_o + broken_s records that break "
        "it, those among n_s of n_o + n_s; all divided by the design effect of clusters",
        source="Fisher (1935); Rao and Scott (1981)",
        limits=_ONLY + "A rule that the original keeps without an exception has none: any record "
        "that breaks it is one too many. Weights and strata are not used. " + _OPEN,
    ),
)

SUBJECT = Subject("rules", tuple(MEASURES), kinds=(RELATIONS,))
