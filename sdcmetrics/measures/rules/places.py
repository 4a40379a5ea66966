"""Where rules are checked: every rule of the study."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.kind import Given, Kind, Option, Place, Plan, Tell
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.rules.check_rules import check_pair
from sdcmetrics.measures.rules.find_rules import FoundRules, search
from sdcmetrics.measures.rules.outcome import RuleOutcome
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.microdata.arrays import Ints


def checked_on_all(relations: FoundRules, pair: Pair, sampled: int) -> FoundRules:
    """Return the relations that all original records keep, with the counts of all records.

    The search needs records in memory: it compares who breaks one relation with who breaks
    another. What it suggests is counted batch by batch, as rules of the study are.

    Parameters
    ----------
    relations : FoundRules
        Of samples of the data sets.
    pair : Pair
        The data sets with all records.
    sampled : int
        Original records of the sample.
    """
    n = pair.original.n
    if not relations.rules:
        return replace(relations, sampled=_in_words(sampled, n))
    outcomes = check_pair([relation.outcome.rule for relation in relations.rules], pair)
    checked = [
        replace(relation, outcome=outcome, expected=relation.expected * n / sampled)
        for relation, outcome in zip(relations.rules, outcomes, strict=True)
        if not outcome.original.broken and any(counts.broken for counts in outcome.syntheses)
    ]
    checked.sort(key=lambda rule: (-rule.outcome.broken_percent, -np.nan_to_num(rule.expected)))
    return replace(relations, rules=tuple(checked), sampled=_in_words(sampled, n))


def _in_words(sampled: int, n: int) -> str:
    """Say of which records relations are; nothing where the sample is all of them."""
    if sampled == n:
        return ""
    return (
        f"They were looked for in {sampled:,} of {n:,} original records, drawn at random, as the "
        "search compares records in memory; each was then checked on all records, and the counts "
        "are of all. One that few records break may be lacking."
    )


def _clusters(plan: Plan) -> Ints | None:
    """Return which original records belong together; None where they stand alone."""
    return None if plan.sample is None else plan.sample.numbers_together


def _rules(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    together: dict[Rule, RuleOutcome] = {}
    if not plan.rules:
        return
    # All at once reads each column once; a replica that one rule does not fit may fit the others.
    clusters = _clusters(plan)
    with suppress(DataError, StudyError):
        together = dict(zip(plan.rules, check_pair(plan.rules, pair, clusters), strict=True))
    for rule in plan.rules:
        step = f"rule on {', '.join(rule.columns)}"
        tell(step)
        places = (Place(variables=rule.columns, rule=rule.text),)
        try:
            outcome = together.get(rule) or check_pair((rule,), pair, clusters)[0]
        except (DataError, StudyError) as reason:
            yield Given(step, places, reason=str(reason).partition("\n")[0])
        else:
            each = tuple(
                (outcome.original, counts, outcome.holdout) for counts in outcome.syntheses
            )
            yield Given(step, places, each, result=outcome)


def _relations(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    most = plan.options.candidates
    if not most:
        return
    records = pair.records
    if records is None:  # too many for memory, and no sample
        return
    tell(RELATIONS.name)
    relations = search(records.data, most, plan.rules)
    if records is not pair:
        relations = checked_on_all(relations, pair, records.data.sizes[0])
    yield Given(RELATIONS.name, (Place(),), result=relations)


RULES = Kind(
    "records that keep or break a rule",
    "`RuleCounts` of the original, of a synthesis and of the holdout or None; a number or a Share",
    _rules,
    per="rule",
    option=Option("[[rule]]", lambda plan: bool(plan.rules)),
    counted=True,
    symbols={
        "kept": "replica records that keep the rule",
        "broken": "replica records that break it",
        "n": "replica records",
        "kept_o": "original records that keep the rule",
        "broken_o": "original records that break it",
        "broken_s": "replica records that break it",
        "n_o": "original records",
        "n_s": "replica records",
    },
)
RELATIONS = Kind("relations", "evidence only: `FoundRules`", _relations, counted=True)
"""Those that the original keeps and the replica breaks."""
