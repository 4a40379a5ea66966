"""The first page: may it be released, is it worth it, what is worst, what was not checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from sdcmetrics.decision.answer import Decision as Decided
from sdcmetrics.decision.choice import Ordered
from sdcmetrics.decision.record import record
from sdcmetrics.decision.statement import Statement
from sdcmetrics.measures.attacks.places import MEMBERSHIP
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES, SPECIFIC_UTILITY, Measure
from sdcmetrics.report.measure import Measure as Measured
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Name,
    SafeTable,
    Sentence,
    Words,
    as_name,
    blank,
    joined,
    sentence,
)
from sdcmetrics.report.sections.answers import UTILITY, Answer, answers, said_of
from sdcmetrics.report.sections.comparison import highest, places_of
from sdcmetrics.report.sections.disclosure import risk_sentence
from sdcmetrics.report.sections.holdout import holdout_findings
from sdcmetrics.report.sections.levels import level_sentences
from sdcmetrics.report.sections.overview import board_table, status_table
from sdcmetrics.report.sections.people import membership_notes, people_sentences
from sdcmetrics.report.sections.rules import rule_sentence
from sdcmetrics.report.sections.unchecked import not_checked
from sdcmetrics.report.sections.utility import TIMES, as_judged, more_together, records
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.study.study import Scenario

_LEVEL = 0.05
"""p above which a finding is left to chance, over all targets; tables show every one."""


def risk_sentences(source: Source, status: Status) -> Iterator[Sentence]:
    """Yield one sentence per replica and measure that has this status, worst first."""
    findings = [f for f in source.findings if f.status is status and f.family == DISCLOSURE_RISK]
    named: set[tuple[str, str]] = set()
    for finding in findings:
        if (finding.replica, finding.metric) in named:
            continue
        named.add((finding.replica, finding.metric))
        others = (
            sum(f.replica == finding.replica and f.metric == finding.metric for f in findings) - 1
        )
        if finding.place.scenario:
            yield _beyond(source, finding, others)
        else:
            yield _place_sentence(source, finding)


def _beyond(source: Source, finding: Finding, others: int) -> Sentence:
    scenario = next(s for s in source.review.scenarios if s.name == finding.place.scenario)
    any_target = MEASURES[finding.metric].any_target
    target = scenario.targets[0] if any_target else finding.target
    several = len(source.review.scenarios) > 1
    what = "other scenario or target" if several else "other target"
    whats = "other scenarios or targets" if several else "other targets"
    verb = "is" if others == 1 else "are"
    more = f" {numbers.plural(others, what, whats)} {verb} beyond it too." if others else ""
    words = risk_sentence(source, finding.replica, finding.metric, scenario, target).words
    link = source.anchor(scenario, "" if any_target else target)
    return sentence(*words, f" {_limit(source, finding)}{more}", status=finding.status, link=link)


def unjudged_sentences(source: Source, *, tested: bool) -> list[Sentence]:
    """Return the highest risks that no limit judges, since silence would read as approval.

    With `tested` those that have a p of their own, where chance does not explain them.
    """
    out: list[tuple[float, Sentence]] = []
    for measure in MEASURES.values():
        judged = measure.symbol in source.profile.limited
        if not measure.says or judged or ("p" in measure.show) != tested:
            continue
        for replica in source.replicas:
            beyond = _beyond_chance(source, replica, measure)
            place = highest(source, replica, measure.symbol, of=beyond)
            if place is None:
                continue
            scenario, target = place
            value = source.risk(replica, measure.symbol, scenario.name, target).number or 0.0
            words = risk_sentence(source, replica, measure.symbol, scenario, target).words
            if measure.of is MEMBERSHIP:
                words += membership_notes(source, (replica,))
            link = source.anchor(scenario, "" if measure.any_target else target)
            out.append((value, sentence(*words, status=Status.NOT_JUDGED, link=link)))
    return [sentence for _, sentence in sorted(out, key=lambda item: -item[0])]


def _beyond_chance(
    source: Source, replica: str, measure: Measure
) -> Callable[[Scenario, str], bool]:
    """Return whether chance does not explain what a measure found, by its p over all targets."""
    if "p" not in measure.show:
        return lambda *_: True

    def tested(scenario: Scenario, target: str) -> Measured | None:
        return source.measures.risk(replica, measure.show["p"], scenario.name, target)

    each = (tested(*place) for place in places_of(source))
    number = len({(p.scenario, p.target) for p in each if p is not None})

    def beyond(scenario: Scenario, target: str) -> bool:
        p = tested(scenario, target)
        return p is not None and p.value is not None and p.value <= _LEVEL / number

    return beyond


def utility_sentences(source: Source) -> Iterator[Sentence]:
    """Yield one sentence per replica and measure of utility that is beyond a limit, worst first."""
    beyond = (Status.FAIL, Status.REVIEW)
    named: set[tuple[str, str]] = set()
    for finding in source.findings:
        key = finding.replica, finding.metric
        if finding.status not in beyond or finding.family not in UTILITY or key in named:
            continue
        named.add(key)
        if finding.place.rule:
            yield rule_sentence(source, finding)
        elif finding.variables:
            yield _tables_sentence(source, finding)
        else:
            yield _place_sentence(source, finding)


def _place_sentence(source: Source, finding: Finding) -> Sentence:
    """Return a measurement beyond a limit in words, wherever it was made."""
    measure = MEASURES[finding.metric]
    measured = source.measures.of(finding)
    cell = source.cell(measured) if measured is not None else blank()
    where: Words = (
        (": ", source.subject(measured)) if measured is not None and finding.scenario else ()
    )
    if finding.variables:
        where = (": ", *joined(map(source.described, finding.variables), TIMES))
    value = "a value that is not shown" if cell.kind == "hidden" else cell.text
    return sentence(
        source.name(finding.replica),
        f" has {measure.symbol} {value} ({measure.title})",
        *where,
        f". {_limit(source, finding)}",
        status=finding.status,
        link=part_of(finding),
    )


def part_of(finding: Finding) -> str:
    """Return the id of the section that a finding is shown in."""
    measure = MEASURES[finding.metric]
    if finding.family == SPECIFIC_UTILITY:
        return "specific"
    if finding.family == DISCLOSURE_RISK:
        return "fresh" if not finding.place.scenario else "attribute"
    return "overview" if measure.of.per == "table" else "utility"


def _tables_sentence(source: Source, finding: Finding) -> Sentence:
    same = [
        f
        for f in source.findings
        if (f.replica, f.metric) == (finding.replica, finding.metric) and f.limited
    ]
    failed = sum(f.status is Status.FAIL for f in same)
    beyond = failed + sum(f.status is Status.REVIEW for f in same)
    threshold = finding.threshold
    parts = []
    if finding.rule:
        parts.append(f"{_are(beyond)} {finding.rule}")
    elif threshold is not None and threshold.review is not None:
        parts.append(f"{_are(beyond)} beyond {threshold.review:g} (review)")
    if threshold is not None and threshold.fail is not None and failed:
        parts.append(f"{_are(failed)} beyond {threshold.fail:g} (fail)")
    cell = source.table(finding.replica, finding.metric, finding.variables)
    value = ", whose value is not shown" if cell.kind == "hidden" else f" with {cell.text}"
    return sentence(
        source.name(finding.replica),
        f": of {numbers.plural(len(same), 'table')}, {' and '.join(parts)} by {finding.metric}. "
        "The worst is ",
        *joined(map(source.described, finding.variables), TIMES),
        f"{value}{_expected_of_fresh(source, finding)}.",
        status=finding.status,
        link="overview",
    )


def _are(count: int) -> str:
    return f"{count:,} {'is' if count == 1 else 'are'}"


def _expected_of_fresh(source: Source, finding: Finding) -> str:
    """Return what another sample of the replica's size is expected to give, if known."""
    measure = MEASURES[finding.metric]
    # What depends on the counts of the table is a fact about the original.
    if measure.fresh is None or (source.release and measure.fresh_here):
        return ""
    n_original, n_synthetic = records(source, finding.replica)
    fresh = measure.fresh(n_original, n_synthetic)
    if measure.fresh_here is not None:
        measured = source.measures.table(finding.replica, finding.metric, finding.variables)
        fresh = math.nan if measured is None else measured.references.fresh
    words = f"; {fresh:.1f} is expected of a fresh sample of its size{more_together(source)}"
    if n_synthetic != n_original:
        words += ". Values are judged as if the replica had the size of the original"
    return words


def _limit(source: Source, finding: Finding) -> str:
    reference_values = MEASURES[finding.metric].reference_values
    blind = (
        f" {reference_values.words}" if reference_values and reference_values.tells == "no" else ""
    )
    size = as_judged(source, finding)
    return f"The profile says {limit_words(finding)}{f'; it is {size}' if size else ''}.{blind}"


def limit_words(finding: Finding) -> str:
    """Return the limit that a finding is beyond: "fail beyond 15 (rule)"."""
    if finding.rule:
        return f"{finding.status.value}: {finding.rule}"
    unit = "\N{NO-BREAK SPACE}%" if MEASURES[finding.metric].unit == "percent" else ""
    threshold, limit = finding.threshold, None
    if threshold is not None:
        limit = threshold.fail if finding.status is Status.FAIL else threshold.review
    beyond = math.nan if limit is None else limit
    kind = threshold.kind if threshold else ""
    return f"{finding.status.value} beyond {beyond:g}{unit} ({kind})"


@dataclass(frozen=True, slots=True)
class Findings:
    """The findings of one family in words, worst first; `none` is said where there are none."""

    heading: str
    sentences: tuple[Sentence, ...]
    none: str


@dataclass(frozen=True, slots=True)
class Decision:
    """The first page: answers, findings, and what was not checked.

    `people` names the replicas of which people of the original are claimed; `decided` is what the
    decisions are as plain values, for files.
    """

    answers: tuple[Answer, ...]
    board: SafeTable
    grid: SafeTable
    findings: tuple[Findings, ...]
    unchecked: tuple[Sentence, ...]
    people: tuple[Name, ...]
    decided: tuple[dict[str, Any], ...]


def decision(source: Source, ranking: Ordered | None = None) -> Decision:
    """Return the decision page: people first, then the limits, then what nothing judges."""
    people = people_sentences(source)
    beside_holdout = [
        *people,
        *(finding for finding in holdout_findings(source) if finding not in people),
    ]
    risks = (
        *people,
        *risk_sentences(source, Status.FAIL),
        *risk_sentences(source, Status.REVIEW),
        *unjudged_sentences(source, tested=True),
        *(replace(finding, link="fresh") for finding in beside_holdout[len(people) :]),
        *level_sentences(source),
        *unjudged_sentences(source, tested=False),
    )
    gaps = tuple(utility_sentences(source))
    return Decision(
        answers=answers(source, ranking),
        board=board_table(source),
        grid=status_table(source),
        findings=(
            Findings("What could be disclosed", risks, "No measure is beyond a limit."),
            Findings("What differs from the original", gaps, "No table is beyond a limit."),
        ),
        unchecked=not_checked(source),
        decided=tuple(_plain(source, decision) for decision in source.decisions.values()),
        people=tuple(source.name(r) for r, held in source.held.items() if held.alarming),
    )


def _plain(source: Source, decided: Decided) -> dict[str, Any]:
    """Return a decision as plain values; inside, with the facts that it follows from."""

    def texts(statements: Iterable[Statement]) -> list[str]:
        return [as_name(said_of(source, statement)).full for statement in statements]

    answers = {
        name: {
            "status": part.status.value,
            "answer": part.words,
            "because": texts(part.because),
            "besides": texts(part.besides),
        }
        for name, part in (("risk", decided.risk), ("utility", decided.utility))
    }
    answers["risk"]["basis"] = decided.basis
    out = {"replica": source.name(decided.replica).full, "status": decided.status.value, **answers}
    state = source.states.get(decided.replica)
    if state is not None:
        out["facts"] = record(state, source.profile.tables, source.profile.excess)
    return out
