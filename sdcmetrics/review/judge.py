"""Judgement of the measurements of a review by a profile."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from sys import intern
from typing import Any, Protocol

import pandas as pd

from sdcmetrics.decision.state import ALARMS
from sdcmetrics.decision.status import Status, severity, worst
from sdcmetrics.measures.evidence import Evidence
from sdcmetrics.measures.excess.places import EXCESS
from sdcmetrics.measures.excess.result import ExcessOfFiles
from sdcmetrics.measures.homogeneity.files import HomogeneityOfFiles
from sdcmetrics.measures.homogeneity.places import KIND as EQUAL_TABLES
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.people.subject import PEOPLE
from sdcmetrics.measures.registry import MEASURES, Measure
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.review.inputs import InputSummary
from sdcmetrics.review.measurements import Measurements, Row
from sdcmetrics.study.limits import Threshold
from sdcmetrics.study.profile import Profile

BEYOND_ORIGINAL = "more often than by the original, beyond chance"
"""What is asked of a rule that the original itself breaks."""

__all__ = ["Finding", "Measured", "Status", "findings_of", "judge", "size_scale"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One judged measurement (mean over the syntheses of a replica).

    Attributes
    ----------
    status : Status
    replica, family, metric : str
    place : Place
        Without the target for a measure that is the same for every target.
    value : float
    count, total : float or None
        The evidence, where the value is a share of records: how many of how many.
    threshold : Threshold or None
        The limit of the profile.
    exceeds : float
        How far beyond the threshold, as a ratio (1 is at the threshold); 0 where not judged.
    judged : float
        What was compared with the threshold: the value, brought to a replica of the original's
        size where the measure grows with the replica (`Measure.fresh`).
    rule : str
        What a rule of chance, size or excess asks, in words, where that gives the status; ""
        where a plain threshold does.
    """

    status: Status
    replica: str
    family: str
    metric: str
    place: Place
    value: float
    count: float | None
    total: float | None
    threshold: Threshold | None
    exceeds: float
    judged: float
    rule: str = ""

    @property
    def limited(self) -> bool:
        """Whether a profile limits it."""
        return self.threshold is not None or bool(self.rule)

    @property
    def scenario(self) -> str:
        """The scenario, model or rule."""
        return self.place.scenario or self.place.model or self.place.rule

    @property
    def target(self) -> str:
        """Target of the intruder, or response of the model."""
        return self.place.target

    @property
    def variables(self) -> tuple[str, ...]:
        """Variables of the table, or those that the rule names."""
        return self.place.variables


class Measured(Protocol):
    """Protocol of objects that can be judged, such as a review."""

    @property
    def replicas(self) -> tuple[str, ...]:
        """Names of the replicas."""

    @property
    def inputs(self) -> tuple[InputSummary, ...]:
        """What was compared."""

    @property
    def n_original(self) -> int:
        """Number of original records."""

    def mean_rows(self) -> pd.DataFrame:
        """Return the measurements."""


@checked
def judge(review: Measured, profile: Profile) -> list[Finding]:
    """Judge every measurement that has a direction by plain limits, worst first.

    Only means over the syntheses of a replica are judged. A measurement without a threshold
    is "not judged", which is no approval.

    Published limits of S_pMSE and its kind are for replicas of the original's size, of which a
    fresh sample has 2. A fresh sample of ten times that size has 11, and is as good: such values
    are judged after division by 1 + n_s/n_d, times 2.

    Parameters
    ----------
    review : Review
    profile : Profile
        Only its plain limits; rules of chance, size and excess are part of `decisions`.

    Returns
    -------
    list of Finding
        Of each measurement that has a value: `status` "within", "not judged", "review" or "fail";
        `exceeds` orders those of one status, the farthest beyond its limit first.

    Notes
    -----
    A limit itself is within. These limits alone are no decision: that also weighs who is in the
    replica, and what chance explains (`decisions`).

    Examples
    --------
    >>> import pandas as pd
    >>> from sdcmetrics import Study, conduct
    >>> from sdcmetrics.study.profile import load_profile
    >>> original = pd.DataFrame({"age": [30, 30, 41, 52], "ill": list("nnyn")})
    >>> study = Study(original, {"copy": original}, keys=["age"], targets=["ill"])
    >>> worst = judge(conduct(study), load_profile("illustration"))[0]
    >>> worst.status.value, worst.metric, worst.value
    ('fail', 'DiSCO', 100.0)
    """
    return findings_of(review, profile)


def findings_of(
    review: Measured, profile: Profile, *, metrics: Collection[str] | None = None
) -> list[Finding]:
    """Judge the measurements of some metrics, by default of all; see `judge`."""
    scale = size_scale((data.role, data.name, data.n) for data in review.inputs)
    findings = []
    judged_places: set[tuple[str, str, Place]] = set()
    chances = _chances(review, profile)
    empties = list(_EMPTY.values())
    for row in rows_of(review, metrics, (*_EVIDENCE, *_EMPTY)):
        replica, family, symbol, value, count, total, *names = row
        measure = MEASURES.get(symbol)
        if measure is None or measure.better == "none" or math.isnan(value):
            continue
        place = Place(*[name or empty for name, empty in zip(names, empties, strict=True)])
        if measure.any_target:
            place = replace(place, target="")
            if (replica, symbol, place) in judged_places:
                continue
            judged_places.add((replica, symbol, place))
        threshold = profile.thresholds.get(symbol)
        judged = value * scale(replica, measure)
        status, exceeds = _status(judged, threshold, measure.better)
        p = chances.get((replica, symbol, place.rule))
        if threshold is not None and p is not None and p > (threshold.chance or 0.0):
            status, exceeds = Status.WITHIN, (threshold.chance or 0.0) / p
        findings.append(
            Finding(
                status=status,
                replica=intern(replica),  # a frame makes each anew in every row
                family=intern(family),
                metric=intern(symbol),
                place=place,
                value=value,
                count=_number(count),
                total=_number(total),
                threshold=threshold,
                exceeds=exceeds,
                judged=judged,
                rule="" if p is None else BEYOND_ORIGINAL,
            )
        )
    return sorted(findings, key=lambda f: (-severity(f.status), -f.exceeds))


def _chances(review: Measured, profile: Profile) -> dict[tuple[str, str, str], float]:
    """Return p of each rule that the original breaks, times how many a replica has of them.

    By replica, measure that a profile limits with a chance, and rule; of a rule that the original
    keeps there is none, and the limits alone judge.
    """
    limited = [symbol for symbol, limit in profile.thresholds.items() if limit.chance is not None]
    if not limited:
        return {}
    rows = rows_of(review, ["rule_p"], ("replica", "rule", "value"))
    tested = [row for row in rows if not math.isnan(row[2])]
    number = Counter(replica for replica, *_ in tested)
    return {
        (replica, symbol, rule): min(p * number[replica], 1.0)
        for replica, rule, p in tested
        for symbol in limited
    }


def rows_of(
    review: Measured, metrics: Collection[str] | None, names: Sequence[str]
) -> Iterator[Row]:
    """Yield the entries of some columns for some measures, by default for all.

    Means over the syntheses of a replica; None in a column that is not there.
    """
    measurements = getattr(review, "measurements", None)
    if isinstance(measurements, Measurements):
        return measurements.means.rows(metrics, names)
    return Measurements.of_frame(review.mean_rows()).rows(metrics, names)


def size_scale(inputs: Iterable[tuple[str, str, float]]) -> Callable[[str, Measure], float]:
    """Return the factor that scales a value to the original's size, by replica.

    Parameters
    ----------
    inputs : role, name and number of records of each data set

    Examples
    --------
    S_pMSE of the holdout is 1 + n_s/n_d: 11 where they are ten times as many, 2 of as many.

    >>> scale = size_scale([("original", "original", 300), ("replica", "a", 3000)])
    >>> round(scale("a", MEASURES["S_pMSE"]), 4), scale("a", MEASURES["TVD"])
    (0.1821, 1.0)
    """
    data = list(inputs)
    n = next((float(records) for role, _, records in data if role == "original"), math.nan)
    sizes: dict[str, list[float]] = {}
    for role, name, records in data:
        if role == "replica":
            sizes.setdefault(name, []).append(records)

    def scale(replica: str, measure: Measure) -> float:
        syntheses = sizes.get(replica)
        if measure.fresh is None or syntheses is None or math.isnan(n):
            return 1.0
        m = sum(syntheses) / len(syntheses)
        return 1.0 if m == n else measure.fresh(n, n) / measure.fresh(n, m)

    return scale


_EVIDENCE = ("replica", "family", "metric", "value", "count", "total")
_EMPTY: dict[str, Any] = {field.name: field.default for field in fields(Place)}


def _status(value: float, threshold: Threshold | None, better: str) -> tuple[Status, float]:
    if threshold is None:
        return Status.NOT_JUDGED, 0.0
    sign = 1.0 if better == "lower" else -1.0
    for status, limit in ((Status.FAIL, threshold.fail), (Status.REVIEW, threshold.review)):
        if limit is not None and sign * value > sign * limit:
            return status, _ratio(value, limit, better)
    first = threshold.review if threshold.review is not None else threshold.fail
    return Status.WITHIN, _ratio(value, first or 0.0, better)


def _ratio(value: float, limit: float, better: str) -> float:
    top, bottom = (value, limit) if better == "lower" else (limit, value)
    if not bottom:
        return math.inf if top else 1.0
    return top / bottom


def _number(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


LimitPlace = tuple[str, str, tuple[str, ...], str]
"""Replica, measure, the columns of a table or the keys of a question (sorted), and its target."""

OF_TABLES = "beyond chance and beyond a small amount"
OF_EXCESS = "more than of other people"


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


def _question_of(finding: Finding) -> LimitPlace:
    place = finding.place
    if place.variables:
        return finding.replica, finding.metric, tuple(sorted(place.variables)), ""
    return finding.replica, finding.metric, tuple(sorted(place.keys)), place.target


def _statuses(evidence: Evidence, profile: Profile) -> Iterator[tuple[LimitPlace, Status]]:
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
