"""The first page: may it be released, is it worth it, what is worst, what was not checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sdcmetrics.measures.registry import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    MEASURES,
    SPECIFIC_UTILITY,
)
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    SafeCell,
    SafeColumn,
    SafeTable,
    Sentence,
    Words,
    blank,
    joined,
    said,
    sentence,
    text_cell,
)
from sdcmetrics.report.sections.comparison import highest_disclosed
from sdcmetrics.report.sections.disclosure import disclosed_sentence, replicated_sentence
from sdcmetrics.report.sections.fresh import fresh_findings
from sdcmetrics.report.sections.ruled import ruler_sentences
from sdcmetrics.report.sections.rules import rule_sentence
from sdcmetrics.report.sections.unchecked import not_checked
from sdcmetrics.report.sections.utility import table_name
from sdcmetrics.report.source import Source
from sdcmetrics.review.judge import Finding, Status, worst

__all__ = ["Answer", "Decision", "decision"]

_FIRST = 4
_RISK = (DISCLOSURE_RISK,)
UTILITY = (GENERAL_UTILITY, SPECIFIC_UTILITY)
_RISKS = {m.symbol for m in MEASURES.values() if m.family == DISCLOSURE_RISK}
_WORDS = {
    Status.FAIL: "beyond the limit",
    Status.REVIEW: "needs a closer look",
    Status.WITHIN: "within the profile",
    Status.NOT_JUDGED: "not judged",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the board's two questions and what the profile says to it."""

    question: str
    short: str
    status: Status
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What is worst of one family, in words; `more` is what is less bad."""

    heading: str
    worst: tuple[Sentence, ...]
    more: tuple[Sentence, ...]
    none: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Everything a board member reads in two minutes."""

    answers: tuple[Answer, ...]
    grid: SafeTable
    findings: tuple[Findings, ...]
    unchecked: tuple[Sentence, ...]


def decision(source: Source) -> Decision:
    """Return the decision page."""
    risks = [
        *_risks(source, Status.FAIL),
        *fresh_findings(source),
        *_risks(source, Status.REVIEW),
        *_unjudged(source),
    ]
    gaps = list(_utilities(source))
    return Decision(
        answers=(_beside_the_ruler(source, _may_be_released(source)), _is_worth_it(source)),
        grid=_grid(source),
        findings=(
            _first("What could be disclosed", risks, "No measure is beyond a limit."),
            _first("What differs from the original", gaps, "No table is beyond a limit."),
        ),
        unchecked=not_checked(source),
    )


def _beside_the_ruler(source: Source, answer: Answer) -> Answer:
    first, *others = answer.sentences
    return replace(answer, sentences=(first, *ruler_sentences(source), *others))


def _of(source: Source, replica: str, families: Sequence[str]) -> list[Finding]:
    return [f for f in source.findings if f.replica == replica and f.family in families]


def _judged(findings: Iterable[Finding]) -> list[Finding]:
    return [f for f in findings if f.status is not Status.NOT_JUDGED]


def _statuses(source: Source, families: Sequence[str]) -> dict[str, Status]:
    return {verdict.replica: verdict.of(*families) for verdict in source.verdicts}


def _by_status(source: Source, families: Sequence[str]) -> Sentence:
    statuses = _statuses(source, families)
    parts: Words = ()
    for status in (Status.FAIL, Status.REVIEW, Status.WITHIN, Status.NOT_JUDGED):
        names = [source.name(r) for r, found in statuses.items() if found is status]
        if names:
            parts += ("; " if parts else "", *joined(names, last=" and "), f": {_WORDS[status]}")
    return sentence(*parts, ".")


def _limits(source: Source, families: Sequence[str]) -> tuple[str, list[str]]:
    """Return the thresholds of some families in words, and their chief measures without one."""
    known = source.profile.thresholds
    measured = set(source.measures.metrics)
    limits = [
        f"{t.metric} (" + ", ".join(_limit_words(t.review, t.fail)) + f"; {t.kind})"
        for t in known.values()
        if MEASURES[t.metric].family in families
        and t.metric in measured
        and source.judges(t.metric)
    ]
    chief = ("repU", "DiSCO", "DCAP") if DISCLOSURE_RISK in families else ("S_pMSE", "ROC")
    return "; ".join(limits), [metric for metric in chief if metric not in known]


def _inside_only(source: Source, families: Sequence[str]) -> list[Sentence]:
    """Say which limits this edition does not apply, since silence would read as approval."""
    measured = set(source.measures.metrics)
    names = [
        metric
        for metric in source.profile.thresholds
        if MEASURES[metric].family in families and metric in measured and not source.judges(metric)
    ]
    if not names:
        return []
    words = f"Limits on {', '.join(names)} are not applied in this edition: no value of theirs is"
    return [sentence(f"{words} released.")]


def _limit_words(review: float | None, fail: float | None) -> list[str]:
    words = []
    if review is not None:
        words.append(f"review beyond {review:g}")
    if fail is not None:
        words.append(f"fail beyond {fail:g}")
    return words


def _may_be_released(source: Source) -> Answer:
    limits, without = _limits(source, _RISK)
    question = "May it be released?"
    inside = _inside_only(source, _RISK)
    if inside and not limits:
        return Answer(question, "This edition does not say", Status.NOT_JUDGED, tuple(inside))
    if not limits:
        return Answer(
            question,
            "This profile does not say",
            Status.NOT_JUDGED,
            (
                sentence(
                    "It holds no limit on disclosure: nothing in it judges DiSCO, repU or DCAP. "
                    "Read them beside what the original itself and the baseline would give away; "
                    "how much is too much is the board\N{RIGHT SINGLE QUOTATION MARK}s decision."
                ),
            ),
        )
    found = worst(_statuses(source, _RISK).values())
    sentences = [_by_status(source, _RISK), sentence(f"Judged by {limits}.")]
    if without:
        sentences.append(sentence(f"Nothing in this profile judges {_list(without)}."))
    kinds = {t.kind for t in source.profile.thresholds.values() if t.metric in _RISKS}
    if kinds == {"illustration"}:
        sentences.append(sentence("These limits are made up for illustration: this is no verdict."))
    return Answer(question, _short(source, _RISK), found, (*sentences, *inside))


def _is_worth_it(source: Source) -> Answer:
    limits, _ = _limits(source, UTILITY)
    question = "Is it worth releasing?"
    inside = _inside_only(source, UTILITY)
    if inside and not limits:
        return Answer(question, "This edition does not say", Status.NOT_JUDGED, tuple(inside))
    if not limits:
        return Answer(
            question,
            "This profile does not say",
            Status.NOT_JUDGED,
            (sentence("It holds no limit on utility: compare the replicas below."),),
        )
    found = worst(_statuses(source, UTILITY).values())
    return Answer(
        question,
        _short(source, UTILITY),
        found,
        (_by_status(source, UTILITY), sentence(f"Judged by {limits}."), *inside),
    )


def _short(source: Source, families: Sequence[str]) -> str:
    statuses = list(_statuses(source, families).values())
    total = len(statuses)
    within = sum(s is Status.WITHIN for s in statuses)
    judged = sum(s is not Status.NOT_JUDGED for s in statuses)
    if total == 1:
        return _WORDS[statuses[0]][0].upper() + _WORDS[statuses[0]][1:]
    if within == total:
        return f"All {total} replicas are within the profile"
    if not judged:
        return "Not judged"
    return f"{within} of {total} replicas within the profile"


def _list(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _grid(source: Source) -> SafeTable:
    rows = []
    risks, utilities = _statuses(source, _RISK), _statuses(source, UTILITY)
    for replica in source.replicas:
        highest = highest_disclosed(source, replica)
        if highest is None:
            disclosed, target, own = blank(), blank(), blank()
        else:
            scenario, name = highest
            disclosed = source.risk(replica, "DiSCO", scenario.name, name)
            own = source.risk(replica, "Dorig", scenario.name, name)
            target = text_cell(source.placed(name, scenario.name))
        rows.append(
            (
                source.named(replica),
                _status_cell(risks[replica]),
                disclosed,
                own,
                target,
                _status_cell(utilities[replica]),
                _tables_beyond(source, replica),
            )
        )
    return SafeTable(
        caption=("Status of every replica",),
        columns=(
            SafeColumn("Replica", "replica"),
            SafeColumn("Disclosure risk", "risk"),
            SafeColumn("Highest DiSCO", "DiSCO", numeric=True),
            SafeColumn("Original itself", "Dorig", numeric=True, detail="Dorig"),
            SafeColumn("Target", "target"),
            SafeColumn("Utility", "utility"),
            SafeColumn("Tables beyond review / fail", "beyond", detail="S_pMSE"),
        ),
        rows=tuple(rows),
        note="DiSCO: original records whose target an intruder gets right because all records of "
        "the replica with the same keys agree. The worst status of any measure decides. In "
        "every table, values without a mark are within the limits or not judged.",
    )


def _status_cell(status: Status) -> SafeCell:
    return SafeCell(status.value, "status", status=status)


def _tables_beyond(source: Source, replica: str) -> SafeCell:
    found = _judged(f for f in _of(source, replica, UTILITY) if f.metric == "S_pMSE")
    if not found:
        return blank()
    fail = sum(f.status is Status.FAIL for f in found)
    beyond = fail + sum(f.status is Status.REVIEW for f in found)
    return SafeCell(f"{beyond:,} / {fail:,} of {len(found):,}")


def _first(heading: str, found: list[Sentence], none: str) -> Findings:
    return Findings(heading, tuple(found[:_FIRST]), tuple(found[_FIRST:]), none)


def _risks(source: Source, status: Status) -> Iterable[Sentence]:
    found = [f for f in source.findings if f.status is status and f.family == DISCLOSURE_RISK]
    seen: set[tuple[str, str]] = set()
    for finding in found:  # worst first: one sentence for a replica and measure
        if (finding.replica, finding.metric) in seen:
            continue
        seen.add((finding.replica, finding.metric))
        others = sum(f.replica == finding.replica and f.metric == finding.metric for f in found) - 1
        yield _risk_sentence(source, finding, others)


def _risk_sentence(source: Source, finding: Finding, others: int) -> Sentence:
    place = finding.place
    if not place.scenario:
        return _place_sentence(source, finding)
    scenario = next(s for s in source.review.scenarios if s.name == place.scenario)
    target = finding.target or scenario.targets[0]
    many = len(source.review.scenarios) > 1
    what = "other scenario or target" if many else "other target"
    whats = "other scenarios or targets" if many else "other targets"
    more = f" {numbers.plural(others, what, whats)} beyond it too." if others else ""
    if finding.metric == "DiSCO":
        words = disclosed_sentence(source, finding.replica, scenario, target).words
    elif finding.metric == "repU":
        words = replicated_sentence(source, finding.replica, scenario).words
    else:
        cell = source.risk(finding.replica, finding.metric, scenario.name, target)
        title = MEASURES[finding.metric].title
        words = (
            "For target ",
            source.name(target),
            *source.within(scenario.name),
            ", ",
            source.name(finding.replica),
            f" has {finding.metric} {said(cell)} ({title}).",
        )
    return sentence(*words, f" {_limit(finding)}{more}", status=finding.status)


def _place_sentence(source: Source, finding: Finding) -> Sentence:
    """Say what a measurement beyond a limit is, wherever it was made."""
    measure = MEASURES[finding.metric]
    found = source.measures.of(finding)
    cell = source.cell(found) if found is not None else blank()
    where: Words = (": ", source.asked(found)) if found is not None and finding.scenario else ()
    if finding.variables and not finding.place.rule:
        where = (": ", *table_name(source, finding.variables))
    value = "a value that is not shown" if cell.kind == "hidden" else cell.text
    return sentence(
        source.name(finding.replica),
        f" has {measure.symbol} {value} ({measure.title})",
        *where,
        f". {_limit(finding)}",
        status=finding.status,
    )


def _limit(finding: Finding) -> str:
    unit = "\N{NO-BREAK SPACE}%" if MEASURES[finding.metric].unit == "percent" else ""
    kind = finding.threshold.kind if finding.threshold else ""
    word = finding.status.value
    told = MEASURES[finding.metric].yardstick
    blind = f" {told.words}" if told and told.tells == "no" else ""
    return f"The profile says {word} beyond {_limit_of(finding):g}{unit} ({kind}).{blind}"


def _utilities(source: Source) -> Iterable[Sentence]:
    """Yield one sentence for each replica and measure that is beyond a limit, worst first."""
    beyond = (Status.FAIL, Status.REVIEW)
    found = [f for f in source.findings if f.status in beyond and f.family in UTILITY]
    seen: set[tuple[str, str]] = set()
    for finding in found:
        if (finding.replica, finding.metric) not in seen:
            seen.add((finding.replica, finding.metric))
            if finding.metric == "rule_severity":
                yield rule_sentence(source, finding)
            elif finding.variables and not finding.place.rule:
                yield _utility_sentence(source, finding)
            else:
                yield _place_sentence(source, finding)


def _utility_sentence(source: Source, finding: Finding) -> Sentence:
    same = [
        f
        for f in source.findings
        if (f.replica, f.metric) == (finding.replica, finding.metric) and f.threshold is not None
    ]
    failed = sum(f.status is Status.FAIL for f in same)
    beyond = failed + sum(f.status is Status.REVIEW for f in same)
    threshold = finding.threshold
    parts = []
    if threshold is not None and threshold.review is not None:
        parts.append(f"{beyond:,} are beyond {threshold.review:g} (review)")
    if threshold is not None and threshold.fail is not None and failed:
        parts.append(f"{failed:,} beyond {threshold.fail:g} (fail)")
    cell = source.table(finding.replica, finding.metric, finding.variables)
    expected = _expected_of_fresh(source, finding)
    value = ", whose value is not shown" if cell.kind == "hidden" else f" with {cell.text}"
    place = table_name(source, finding.variables) if finding.variables else ("the overall value",)
    return sentence(
        source.name(finding.replica),
        f": of {numbers.plural(len(same), 'table')}, {' and '.join(parts)} by {finding.metric}. "
        "The worst is ",
        *place,
        f"{value}{expected}.",
        status=finding.status,
    )


def _expected_of_fresh(source: Source, finding: Finding) -> str:
    """Say what a fresh sample of the replica's size would give, where that is known."""
    fresh = MEASURES[finding.metric].fresh
    sizes = [data.n for data in source.review.inputs if data.name == finding.replica]
    if fresh is None or not sizes:
        return ""
    n_original, n_synthetic = float(source.review.n_original), sum(sizes) / len(sizes)
    if source.release:  # the size of the original is not said more exactly than elsewhere
        n_original = source.guard.rounded(n_original)
        if n_original == source.guard.rounded(n_synthetic):
            n_synthetic = n_original
    words = f"; {fresh(n_original, n_synthetic):.1f} is expected of a fresh sample of its size"
    if n_synthetic != n_original:
        words += ". Values are judged as if the replica had the size of the original"
    return words


def _limit_of(finding: Finding) -> float:
    threshold = finding.threshold
    limit = None
    if threshold is not None:
        limit = threshold.fail if finding.status is Status.FAIL else threshold.review
    return math.nan if limit is None else limit


def _unjudged(source: Source) -> Iterable[Sentence]:
    """Return the highest risks that no threshold judges, since silence would read as approval."""
    known = source.profile.thresholds
    out: list[tuple[float, Sentence]] = []
    for replica in source.replicas:
        highest = highest_disclosed(source, replica)
        if "DiSCO" in known or highest is None:
            for scenario in source.review.scenarios if "repU" not in known else ():
                found = replicated_sentence(source, replica, scenario)
                out.append((0.0, sentence(*found.words, status=Status.NOT_JUDGED)))
            continue
        scenario, target = highest
        words = disclosed_sentence(source, replica, scenario, target).words
        if "repU" not in known:
            twice = said(source.risk(replica, "repU", scenario.name, target))
            alone = said(source.risk(replica, "UiO", scenario.name, target))
            more = f"are unique in both (repU); in the original {alone} are (UiO)."
            words += (f" {twice[0].upper()}{twice[1:]} {more}",)
        value = source.risk(replica, "DiSCO", scenario.name, target).number or 0.0
        out.append((value, sentence(*words, status=Status.NOT_JUDGED)))
    return [found for _, found in sorted(out, key=lambda item: -item[0])]
