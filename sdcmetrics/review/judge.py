"""What a profile says of the measurements of a review."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.review.review import Review
from sdcmetrics.study.profile import Profile, Threshold

__all__ = ["Finding", "Status", "judge", "worst"]


class Status(StrEnum):
    """What a profile says of a measurement, worst last."""

    NOT_JUDGED = "not judged"
    WITHIN = "within"
    REVIEW = "review"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """One judged measurement (mean over the syntheses of a replica).

    Attributes
    ----------
    status : Status
    replica, family, metric : str
    scenario, target : str
        Empty for utility, but for the text of a rule as the scenario; the target is empty for
        identity measures too.
    variables : tuple of str
        The table that was compared; empty for disclosure.
    value : float
    count, total : int or None
        The evidence, where the value is a share of records.
    threshold : Threshold or None
    exceeds : float
        How far beyond the threshold, as a ratio (1 is at the threshold); 0 where not judged.
    """

    status: Status
    replica: str
    family: str
    metric: str
    scenario: str
    target: str
    variables: tuple[str, ...]
    value: float
    count: float | None
    total: float | None
    threshold: Threshold | None
    exceeds: float


_WHATEVER_THE_TARGET = ("UiOiS", "repU")  # identity: the same number for every target


def judge(review: Review, profile: Profile) -> list[Finding]:
    """Judge every measurement that has a direction, worst first.

    Only means over the syntheses of a replica are judged. A measurement without a threshold
    is "not judged", which is no approval.
    """
    findings = []
    seen: set[tuple[str, str, str]] = set()
    for row in review.mean_rows().to_dict("records"):
        metric = MEASURES.get(row["metric"])
        if metric is None or metric.better == "none" or math.isnan(row["value"]):
            continue
        replica, scenario, target = row["replica"], row["scenario"] or "", row["target"] or ""
        if metric.symbol in _WHATEVER_THE_TARGET:
            if (replica, scenario, metric.symbol) in seen:
                continue
            seen.add((replica, scenario, metric.symbol))
            target = ""
        threshold = profile.thresholds.get(metric.symbol)
        status, exceeds = _status(row["value"], threshold, metric.better)
        findings.append(
            Finding(
                status=status,
                replica=replica,
                family=row["family"],
                metric=metric.symbol,
                scenario=scenario,
                target=target,
                variables=row["variables"],
                value=row["value"],
                count=_number(row["count"]),
                total=_number(row["total"]),
                threshold=threshold,
                exceeds=exceeds,
            )
        )
    order = list(Status)
    return sorted(findings, key=lambda f: (-order.index(f.status), -f.exceeds))


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of some statuses; "not judged" if there is none.

    Examples
    --------
    >>> worst([Status.WITHIN, Status.REVIEW, Status.NOT_JUDGED]).value
    'review'
    """
    order = list(Status)
    return max(statuses, key=order.index, default=Status.NOT_JUDGED)


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
