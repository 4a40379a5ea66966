"""Relations that a sample of large data suggests, checked on every record."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.rules.check_rules import check_pair
from sdcmetrics.measures.rules.find_rules import FoundRules


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
