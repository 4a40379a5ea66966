"""Relations that must hold, from two frames: who keeps them, who breaks them, how severely."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdcmetrics.measures.pair import Frame, Pair, Replica, list_syntheses
from sdcmetrics.measures.rules.binding import bind
from sdcmetrics.measures.rules.large import large_outcomes
from sdcmetrics.measures.rules.outcome import RuleCounts, RuleOutcome, rule_outcome
from sdcmetrics.measures.rules.rule import Rule, make_rules
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

_COUNTS = ("kept", "broken", "unknown", "applies")


@dataclass(frozen=True)
class RuleCheck(Readable, shows=("outcomes", "worst_percent", "fixes"), table="table"):
    """Outcomes of rules in the original and in a replica.

    Attributes
    ----------
    outcomes : tuple of RuleOutcome
        One for each rule, in the order given.
    sources : tuple of str
        What the data sets are called: original, syntheses, holdout if there is one.
    fixes : tuple of str
        Changes made to the inputs.
    """

    outcomes: tuple[RuleOutcome, ...]
    sources: tuple[str, ...]
    fixes: tuple[str, ...] = ()

    @property
    def worst_percent(self) -> float:
        """Synthetic records that break the rule that is broken most, in percent."""
        return max((outcome.broken_percent for outcome in self.outcomes), default=math.nan)

    @property
    def table(self) -> pd.DataFrame:
        """One row per rule, index rule.

        Columns original_kept, original_broken, original_unknown, original_applies: original
        records. kept, broken, unknown, applies: synthetic records, mean over the syntheses.
        broken_percent: of the synthetic records. original_broken_percent, and
        holdout_broken_percent where there is a holdout. severity: the share of synthetic records
        that break the rule over the share of original records that keep it. severity_counts: the
        same of counts, as the framework defines it for data sets of one size.
        """
        rows = {}
        for outcome in self.outcomes:
            row: dict[str, float] = {
                f"original_{name}": count for name, count in outcome.original.entries.items()
            }
            for name in _COUNTS:
                values = [counts.entries[name] for counts in outcome.syntheses]
                row[name] = math.fsum(values) / len(values)
            row["original_broken_percent"] = outcome.original.broken_share.percent
            row["broken_percent"] = outcome.broken_percent
            if outcome.holdout is not None:
                row["holdout_broken_percent"] = outcome.holdout.broken_share.percent
            row["severity"] = outcome.severity
            row["severity_counts"] = outcome.severity_of_counts
            rows[outcome.rule.text] = row
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("rule")

    @property
    def per_data_set(self) -> pd.DataFrame:
        """One row per rule and data set: kept, broken, unknown, applies, broken_percent."""
        rows = [
            {"rule": outcome.rule.text, "data_set": source, **_row(counts)}
            for outcome in self.outcomes
            for source, counts in zip(self.sources, _counts(outcome), strict=True)
        ]
        return pd.DataFrame(rows).set_index(["rule", "data_set"])


@checked
def check_rules(
    original: Frame,
    synthetic: Replica,
    rules: Any,
    *,
    holdout: Frame | None = None,
    missing_codes: MissingCodes | None = None,
) -> RuleCheck:
    """Count the records that keep and that break relations which every record is to keep.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    rules : text, or sequence of texts, mappings with text, name and description, or `Rule`
        Such as ``"age_married <= age"`` or ``'if employed == "no" then income == 0'``. Known are
        columns (between backticks where the name is not a plain word), numbers, texts and dates in
        quotes, ``+ - * /``, ``== != < <= > >=``, ``in [...]``, ``not in [...]``,
        ``is missing``, ``is not missing``, ``and``, ``or``, ``not``, brackets,
        ``if A then B else C``, and the functions abs, floor, round, min, max and year. The grammar
        stands in `sdcmetrics.measures.rules.parser`.
    holdout : data frame, optional
        Records of the same population that were not used for synthesis: how often a rule is
        broken that nobody synthesised.
    missing_codes : mapping of column to code or codes, optional
        Codes that mean missing.

    Returns
    -------
    RuleCheck
        Of its table percent is 0 (best) to 100; severity is 0 (best) and more, NaN where no record
        of the original keeps the rule. Read broken_percent beside the original's.

    Raises
    ------
    StudyError
        If a text is no rule, compares what cannot be compared, or names a level that no record
        has; the message points at the place.
    ColumnError
        If a rule names a column that a data set lacks, or that cannot be made comparable.

    Notes
    -----
    A rule is unknown for a record where a missing value leaves it open (three values, as in SQL
    and R); such records neither keep nor break it, and are counted on their own. ``if A then B``
    is kept wherever A is false. A missing code is missing, unless the rule itself names it:
    ``income == -8`` and ``income in [0, -8]`` mean the code. Dividing by 0 is unknown. Numbers are
    equal when the rounding of decimal numbers explains their difference, so that
    ``total == a + b`` holds of 0.3, 0.1 and 0.2. Dates differ by days.

    Severity is the framework's, the number of synthetic records that break the rule over the
    number of original records that keep it; it assumes data sets of one size, so `severity`
    takes shares instead of counts and `severity_counts` the counts.

    References
    ----------
    Chan, Comparative Metrics Framework, section 8.1.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": [30, 40, 50, 60], "married_at": [20, None, 30, 31]})
    >>> replica = pd.DataFrame({"age": [30, 40, 50, 60], "married_at": [35, 39, None, 61]})
    >>> check = check_rules(original, replica, "married_at <= age")
    >>> check.table[["original_kept", "original_unknown", "kept", "broken"]].values.tolist()
    [[3.0, 1.0, 1.0, 2.0]]
    >>> check.table["severity"].round(3).tolist()  # (2 / 4) / (3 / 4)
    [0.667]
    """
    wanted = make_rules(rules)
    original_data = as_microdata(original, "original")
    syntheses = list_syntheses(synthetic, None)
    aside = None if holdout is None else as_microdata(holdout, "holdout")
    pair = Pair("synthetic", original_data, syntheses, aside, missing_codes=missing_codes)
    outcomes = check_pair(wanted, pair)
    sources = tuple(data.source for data in pair.data_sets)
    return RuleCheck(outcomes, sources, tuple(map(str, pair.fixes)))


def check_pair(
    rules: Sequence[Rule], pair: Pair, clusters: Ints | None = None
) -> tuple[RuleOutcome, ...]:
    """Return the outcome of each rule in original, syntheses and holdout.

    Parameters
    ----------
    rules : sequence of Rule
    pair : Pair
    clusters : int array of shape (n,), optional
        The cluster of each original record, from 0.
    """
    for rule in rules:
        rule.check_columns(pair.original)
    used = list(dict.fromkeys(name for rule in rules for name in rule.columns))
    aside = pair.holdout is not None
    data = pair.columns(used, holdout=aside)
    if data.large:
        return large_outcomes(rules, data, pair.m, clustered=clusters is not None)
    return tuple(
        rule_outcome(
            rule,
            bind(rule.text, rule.node, data.variables, source=data.sources[0]),
            syntheses=pair.m,
            holdout=aside,
            clusters=clusters,
        )
        for rule in rules
    )


def _counts(outcome: RuleOutcome) -> Iterator[RuleCounts]:
    yield outcome.original
    yield from outcome.syntheses
    if outcome.holdout is not None:
        yield outcome.holdout


def _row(counts: RuleCounts) -> dict[str, float]:
    return {**counts.entries, "broken_percent": counts.broken_share.percent}
