"""Profiles: thresholds with source, owner and date, and the verdicts they give.

Measuring never knows a threshold; judging never computes a measure.
"""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdcmetrics import resources
from sdcmetrics.catalogue import CATALOGUE
from sdcmetrics.errors import StudyError, did_you_mean

if TYPE_CHECKING:
    from sdcmetrics.review import Review

__all__ = ["Finding", "Profile", "Status", "Threshold", "judge", "load_profile", "worst"]


class Status(StrEnum):
    """What a profile says of a measurement, worst last."""

    NOT_JUDGED = "not judged"
    WITHIN = "within"
    REVIEW = "review"
    FAIL = "fail"


@dataclass(frozen=True)
class Threshold:
    """When a measure calls for a closer look, and when it fails.

    Attributes
    ----------
    metric : symbol in the catalogue
    review, fail : float or None
        Values beyond which the status changes, in the measure's unit; which side is "beyond"
        follows from the direction of the measure.
    source : where the value comes from
    owner : who is answerable for using it here
    date : when it was decided
    kind : "rule", "author advice", "reference value" or "illustration"
    """

    metric: str
    review: float | None
    fail: float | None
    source: str
    owner: str
    date: dt.date
    kind: str = "author advice"


@dataclass(frozen=True)
class Profile:
    """The rules of one agency.

    Attributes
    ----------
    name, title, owner : str
    thresholds : dict of metric to Threshold
    min_cell : int
        Counts of original records below this are not released.
    zeros_disclosive : bool
        True if zero counts are not released either.
    round_base : int
        Released counts are rounded to multiples of this.
    """

    name: str
    title: str
    owner: str
    thresholds: dict[str, Threshold]
    min_cell: int = 10
    zeros_disclosive: bool = True
    round_base: int = 5


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


def load_profile(name: str | Path = "default") -> Profile:
    """Load a profile by name, or from a TOML file.

    Raises
    ------
    StudyError
        If there is no such profile, or a threshold lacks source, owner or date.
    """
    text = str(name)
    path = Path(text) if text.endswith(".toml") else resources.profiles() / f"{text}.toml"
    if not path.is_file():
        known = sorted(file.stem for file in resources.profiles().glob("*.toml"))
        msg = (
            f"there is no profile {text!r}.{did_you_mean(text, known)} Known: {', '.join(known)}; "
            "or give the path of a TOML file."
        )
        raise StudyError(msg)
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path.name}: not valid TOML: {error}."
        raise StudyError(msg) from None
    return _profile(entries, path)


def _profile(entries: dict[str, Any], path: Path) -> Profile:
    for section in entries:
        if section not in ("profile", "thresholds"):
            hint = did_you_mean(section, ("profile", "thresholds"))
            msg = f"{path.name}: unknown section {section!r}.{hint}"
            raise StudyError(msg)
    for section in ("profile", "thresholds"):
        if not isinstance(entries.get(section, {}), dict):
            msg = f"{path.name}: expected a section [{section}] but got a single value."
            raise StudyError(msg)
    general = dict(entries.get("profile", {}))
    known = ("title", "owner", "min_cell", "zeros_disclosive", "round_base")
    for entry in general:
        if entry not in known:
            msg = f"{path.name}: unknown entry 'profile.{entry}'.{did_you_mean(entry, known)}"
            raise StudyError(msg)
    for entry in ("min_cell", "round_base"):
        value = general.get(entry, 1)
        if not isinstance(value, int) or value < 1:
            msg = f"{path.name}: profile.{entry}: expected a whole number of at least 1."
            raise StudyError(msg)
    thresholds = {
        metric: _threshold(metric, values, path.name)
        for metric, values in entries.get("thresholds", {}).items()
    }
    return Profile(
        name=path.stem,
        title=str(general.get("title", path.stem)),
        owner=str(general.get("owner", "")),
        thresholds=thresholds,
        min_cell=general.get("min_cell", 10),
        zeros_disclosive=general.get("zeros_disclosive", True),
        round_base=general.get("round_base", 5),
    )


def _threshold(metric: str, values: Any, source: str) -> Threshold:
    where = f"{source}: thresholds.{metric}"
    if metric not in CATALOGUE:
        msg = f"{where}: there is no such metric.{did_you_mean(metric, CATALOGUE)}"
        raise StudyError(msg)
    if CATALOGUE[metric].better == "none":
        msg = f"{where}: {metric} only helps to read other metrics; it has no better or worse."
        raise StudyError(msg)
    known = ("review", "fail", "source", "owner", "date", "kind")
    if not isinstance(values, dict):
        msg = f"{where}: expected a section with {', '.join(known)}."
        raise StudyError(msg)
    for entry in values:
        if entry not in known:
            msg = f"{where}: unknown entry {entry!r}.{did_you_mean(entry, known)}"
            raise StudyError(msg)
    for entry in ("source", "owner", "date"):
        if not values.get(entry):
            msg = (
                f"{where}: the entry {entry!r} is required: a threshold needs a source, an owner "
                "and a date."
            )
            raise StudyError(msg)
    if not isinstance(values["date"], dt.date):
        msg = f"{where}: date: expected a TOML date such as 2026-11-01."
        raise StudyError(msg)
    limits = _limits(metric, values, where)
    return Threshold(
        metric=metric,
        review=limits["review"],
        fail=limits["fail"],
        source=str(values["source"]),
        owner=str(values["owner"]),
        date=values["date"],
        kind=str(values.get("kind", "rule")),
    )


def _limits(metric: str, values: dict[str, Any], where: str) -> dict[str, float | None]:
    limits: dict[str, float | None] = {}
    for entry in ("review", "fail"):
        value = values.get(entry)
        known_number = isinstance(value, int | float) and not isinstance(value, bool)
        if value is not None and not (known_number and math.isfinite(value)):
            msg = f"{where}: {entry}: expected a number, and a finite one."
            raise StudyError(msg)
        limits[entry] = None if value is None else float(value)
    review, fail = limits["review"], limits["fail"]
    if review is None and fail is None:
        msg = f"{where}: expected at least one of 'review' and 'fail'."
        raise StudyError(msg)
    if review is not None and fail is not None:
        sign = 1.0 if CATALOGUE[metric].better == "lower" else -1.0
        if sign * review > sign * fail:
            msg = f"{where}: 'review' must be reached before 'fail'; for {metric} "
            msg += f"{CATALOGUE[metric].better} is better."
            raise StudyError(msg)
    return limits


_WHATEVER_THE_TARGET = ("UiOiS", "repU")  # identity: the same number for every target


def judge(review: Review, profile: Profile) -> list[Finding]:
    """Judge every measurement that has a direction, worst first.

    Only means over the syntheses of a replica are judged. A measurement without a threshold
    is "not judged", which is no approval.
    """
    findings = []
    seen: set[tuple[str, str, str]] = set()
    for row in review.mean_rows().to_dict("records"):
        metric = CATALOGUE.get(row["metric"])
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
