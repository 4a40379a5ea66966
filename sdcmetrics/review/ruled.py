"""Single measurements with what the rules of chance, size and excess say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from sdcmetrics.decision.state import ALARMS
from sdcmetrics.decision.status import Status, severity, worst
from sdcmetrics.measures.evidence import Evidence
from sdcmetrics.measures.excess.places import EXCESS
from sdcmetrics.measures.excess.result import ExcessOfFiles
from sdcmetrics.measures.homogeneity.files import HomogeneityOfFiles
from sdcmetrics.measures.homogeneity.places import KIND as EQUAL_TABLES
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.people.given import PEOPLE
from sdcmetrics.review.judge import Finding
from sdcmetrics.study.profile import Profile

Asked = tuple[str, str, tuple[str, ...], str]
"""Replica, measure, the columns of a table or the keys of a question (sorted), and its target."""

OF_TABLES = "beyond chance and beyond a small amount"
OF_EXCESS = "more than of people who were not in the original"


def with_rules(findings: Iterable[Finding], evidence: Evidence, profile: Profile) -> list[Finding]:
    """Return findings, worst first, with what the rules of a profile say of tables and questions.

    Parameters
    ----------
    findings : iterable of Finding
        What plain limits say.
    evidence : Evidence
    profile : Profile
    """
    statuses = dict(_statuses(evidence, profile))
    out = [_ruled(finding, statuses.get(_question_of(finding)), profile) for finding in findings]
    return sorted(out, key=lambda finding: (-severity(finding.status), -finding.exceeds))


def _ruled(finding: Finding, status: Status | None, profile: Profile) -> Finding:
    if status is None:
        return finding
    plain = finding.status if finding.threshold is not None else status
    if severity(plain) > severity(status):
        return finding
    rule = profile.tables if finding.metric == _metric(profile) else profile.excess
    words = OF_TABLES if rule is profile.tables else OF_EXCESS
    return replace(
        finding, status=worst((plain, status)), rule=words, exceeds=_order(finding, status)
    )


def _order(finding: Finding, status: Status) -> float:
    """Return what orders findings of one status: how large, beyond 1 where it is beyond."""
    beyond = severity(status) > severity(Status.NOT_JUDGED)
    return 1.0 + finding.value if beyond else finding.value / (1.0 + finding.value)


def _metric(profile: Profile) -> str:
    return "" if profile.tables is None else profile.tables.metric


def _question_of(finding: Finding) -> Asked:
    place = finding.place
    if place.variables:
        return finding.replica, finding.metric, tuple(sorted(place.variables)), ""
    return finding.replica, finding.metric, tuple(sorted(place.keys)), place.target


def _statuses(evidence: Evidence, profile: Profile) -> Iterator[tuple[Asked, Status]]:
    if profile.tables is not None:
        for (replica, _), result in evidence.of(EQUAL_TABLES).items():
            for variables, status in _of_tables(result):
                yield (replica, profile.tables.metric, tuple(sorted(variables)), ""), status
    if profile.excess is not None:
        people = evidence.of(PEOPLE)
        for (replica, _), result in evidence.of(EXCESS).items():
            claims = people.get((replica, Place()))
            alarm = claims is not None and bool({*claims.claims} & ALARMS)
            for metric, keys, target, status in _of_questions(result, alarm=alarm):
                if metric in profile.excess.metrics:
                    yield (replica, metric, keys, target), status


def _of_tables(result: HomogeneityOfFiles) -> Iterator[tuple[tuple[str, ...], Status]]:
    """Yield the tested tables, and the decision on each."""
    quiet = Status.NOT_JUDGED if result.status == "not judged" else Status.WITHIN
    beyond = {table.variables: Status.REVIEW for table in result.called if not table.derived}
    beyond |= {table.variables: Status.FAIL for table in result.failed if not table.derived}
    for variables in result.frame["variables"]:
        if isinstance(variables, tuple):
            yield variables, beyond.get(variables, quiet)


def _of_questions(
    result: ExcessOfFiles, *, alarm: bool
) -> Iterator[tuple[str, tuple[str, ...], str, Status]]:
    for question in result.questions:
        status = Status.WITHIN if question.copyable and not question.drift else Status.NOT_JUDGED
        if question.flagged:
            fails = question.failed or (alarm and question.failed_if_people)
            status = Status.FAIL if fails else Status.REVIEW
        yield question.measure, tuple(sorted(question.keys)), question.target, status
