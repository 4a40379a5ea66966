"""Relations that hold in the original and break in a replica, found without being named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.measures.expressions.tree import known_values
from sdcmetrics.measures.pair import Frame, Replica, pair
from sdcmetrics.measures.rules.binding import BoundRule, bind
from sdcmetrics.measures.rules.candidate import (
    Candidate,
    cells_to_test,
    find_domains,
    find_implications,
    find_orders,
    find_totals,
)
from sdcmetrics.measures.rules.features import features_of
from sdcmetrics.measures.rules.outcome import RuleOutcome, rule_outcome
from sdcmetrics.measures.rules.rule import Rule
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrays import Bools
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, MissingCodes
from sdcmetrics.results import Readable, Renamed

_LIMIT = 20
_EVALUATED = 200
_OF_ONE_PAIR = 2
_NEW = 0.05
_SEEN = 5
"""Records that must be expected outside, by chance, before it is no coincidence that none is."""


@dataclass(frozen=True)
class FoundRule:
    """A relation that every original record keeps and that some synthetic records break.

    Attributes
    ----------
    kind : str
        "order", "equality", "fixed difference", "fixed sum", "total", "whole numbers", "no
        negative numbers" or "levels that exclude each other".
    outcome : RuleOutcome
        The rule, and who keeps and breaks it.
    expected : float
        Original records that would break it if its columns had nothing to do with each other;
        NaN where one column stands alone.
    alike : int
        Further relations between the same columns that are not listed.
    """

    kind: str
    outcome: RuleOutcome
    expected: float
    alike: int = 0


@dataclass(frozen=True)
class FoundRules(Readable, shows=("rules", "tested", "left_out", "fixes"), table="table"):
    """Candidates for rules, the most broken first.

    They name levels of the original, and say what holds in all of its records: for internal
    eyes only.

    Attributes
    ----------
    rules : tuple of FoundRule
    tested : int
        Relations that were looked at, cells of two-way tables included.
    left_out : int
        Further ones that the limit left out.
    fixes : tuple of str
        Changes made to the inputs.
    sampled : str
        In which records they were looked for, where that was a sample; else empty.
    """

    rules: tuple[FoundRule, ...]
    tested: int
    left_out: int = 0
    fixes: tuple[str, ...] = ()
    sampled: str = ""

    found = Renamed("rules")

    @property
    def table(self) -> pd.DataFrame:
        """One row per relation, index rule: its text, as a study file takes it.

        Columns kind; original_kept and applies: original records that keep it, and of which the
        condition of ``if`` is true; expected; broken and broken_percent: synthetic records that
        break it, mean over the syntheses; severity; alike.
        """
        rows = {}
        for rule in self.rules:
            outcome = rule.outcome
            broken = [counts.broken for counts in outcome.syntheses]
            rows[outcome.rule.text] = {
                "kind": rule.kind,
                "original_kept": outcome.original.fulfilled,
                "applies": outcome.original.applies,
                "expected": rule.expected,
                "broken": sum(broken) / len(broken),
                "broken_percent": outcome.broken_percent,
                "severity": outcome.severity,
                "alike": rule.alike,
            }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("rule")


@checked
def find_rules(
    original: Frame,
    synthetic: Replica,
    *,
    limit: int = _LIMIT,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
) -> FoundRules:
    """Look for relations that all original records keep and that a replica breaks.

    Parameters
    ----------
    original : data frame
    synthetic : data frame, or list of data frames
        A list holds m > 1 syntheses of one method.
    limit : int
        How many relations to list at most.
    variables : sequence of str, optional
        Columns to look at; by default all that every data set has.
    missing_codes : mapping of column to code or codes, optional
        Codes that mean missing.

    Returns
    -------
    FoundRules
        The texts can be pasted into a study file, after somebody who knows the data has said
        that they are rules and no accidents.

    Raises
    ------
    StudyError
        If `limit` is below 0.

    Notes
    -----
    Looked for are order and equality of two numbers or dates, fixed differences and sums, totals
    of two columns, columns without negative or without fractional numbers, and levels that
    exclude each other (structural zeros of two-way tables), where a level may also be a number's
    commonest value or whether a column is missing (skip patterns).

    A relation between columns is reported only where its holding is no accident: if the columns
    were independent so many original records would break it that, over all relations tested, one
    search in a hundred or fewer would report any by chance. Among those between the same columns
    the two most broken are listed, and none whose breaking records break a listed one between
    some of the same columns as well.

    References
    ----------
    Chan, Comparative Metrics Framework, section 8.1: make a list of possible relationships, see
    which hold in the original, and which of them are violated in the replica.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"age": range(20, 80), "wed": range(18, 78)})
    >>> replica = pd.DataFrame({"age": range(20, 80), "wed": [*range(18, 77), 90]})
    >>> find_rules(original, replica).table[["kind", "broken"]]
                                 kind  broken
    rule
    wed == age - 2   fixed difference     1.0
    """
    data = pair(original, synthetic, variables=variables, missing_codes=missing_codes)
    return search(data, limit)


def search(data: Harmonised, limit: int = _LIMIT, rules: Sequence[Rule] = ()) -> FoundRules:
    """Look for relations in harmonised data that are not known yet; see `find_rules`."""
    if limit < 0:
        msg = f"limit: expected a number of at least 0 but got {limit}."
        raise StudyError(msg)
    candidates, tested = _candidates(data)
    named = {str(rule.node) for rule in rules}
    candidates = [candidate for candidate in candidates if str(candidate.node) not in named]
    candidates.sort(
        key=lambda candidate: (
            -candidate.broken,
            -np.nan_to_num(candidate.expected),
            str(candidate.node),
        )
    )
    chosen = _distinct(candidates[:_EVALUATED], data)
    fixes = tuple(map(str, data.fixes))
    return FoundRules(tuple(chosen[:limit]), tested, max(0, len(chosen) - limit), fixes)


def _candidates(data: Harmonised) -> tuple[list[Candidate], int]:
    data_sets = range(len(data.sizes))
    features = [f for v in data.variables.values() for f in features_of(v, data.sizes)]
    columns = {
        name: [known_values(variable, part) for part in data_sets]
        for name, variable in data.variables.items()
        if variable.kind in (Kind.NUMBER, Kind.DATE)
    }
    kinds = {name: data.variables[name].kind for name in columns}
    numbers = {name: parts for name, parts in columns.items() if kinds[name] is Kind.NUMBER}
    tested = cells_to_test(features) + 5 * len(columns) ** 2 + len(numbers) ** 3
    candidates = [
        *find_domains(numbers),
        *find_orders(columns, kinds, tested),
        *find_totals(numbers, tested),
        *find_implications(features, data.sizes, tested),
    ]
    return candidates, tested


def _distinct(candidates: Sequence[Candidate], data: Harmonised) -> list[FoundRule]:
    """Evaluate candidates, the most broken first, and leave out what others imply."""
    m = len(data.sizes) - 1
    distinct: list[tuple[Candidate, RuleOutcome, Bools]] = []
    alike: dict[frozenset[str], int] = {}
    for candidate, bound in _evaluated(candidates, data):
        outcome = rule_outcome(Rule(str(candidate.node)), bound, syntheses=m, holdout=False)
        # Equal up to rounding is judged once more, and more strictly, by the rule itself.
        if outcome.original.broken or not any(c.broken for c in outcome.syntheses):
            continue
        broken = np.concatenate([bound.truth(part).no for part in range(1, m + 1)])
        of_pair = [c for c, _, _ in distinct if c.columns == candidate.columns]
        implied = any(_covers(c, other, candidate, broken) for c, _, other in distinct)
        if implied or len(of_pair) >= _OF_ONE_PAIR:
            alike[candidate.columns] = alike.get(candidate.columns, 0) + (not implied)
        else:
            distinct.append((candidate, outcome, broken))
    distinct.sort(key=lambda entry: (-entry[1].broken_percent, -np.nan_to_num(entry[0].expected)))
    out, columns_listed = [], set()
    for candidate, outcome, _ in distinct:
        more = 0 if candidate.columns in columns_listed else alike.get(candidate.columns, 0)
        columns_listed.add(candidate.columns)
        out.append(FoundRule(candidate.kind, outcome, candidate.expected, more))
    return out


def _covers(first: Candidate, theirs: Bools, candidate: Candidate, broken: Bools) -> bool:
    """Whether whoever breaks a relation breaks a listed one as well, and not by coincidence.

    Nearly every record may break the listed one: then that tells something only of relations
    between the same columns. That all fractional ages break "whole numbers" excuses no other.
    """
    if (
        not first.columns & candidate.columns
        or min(len(first.columns), len(candidate.columns)) == 1
    ):
        return False
    outside = np.count_nonzero(broken & ~theirs)
    if candidate.columns <= first.columns:
        return bool(outside <= _NEW * broken.sum())
    by_chance = broken.sum() * (1 - theirs.mean())
    return bool(by_chance >= _SEEN and outside <= _NEW * by_chance)


def _evaluated(
    candidates: Sequence[Candidate], data: Harmonised
) -> Iterator[tuple[Candidate, BoundRule]]:
    for candidate in candidates:
        text = str(candidate.node)
        rule = Rule(text)  # read back from its text, so that what is pasted means the same
        yield candidate, bind(text, rule.node, data.variables)
