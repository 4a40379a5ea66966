"""Profiles: thresholds with source, owner and date.

Measuring never knows a threshold; judging never computes a measure.
"""

from __future__ import annotations

import datetime as dt
import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.registry import MEASURES, say_which

__all__ = ["PROFILES", "Profile", "Threshold", "load_profile"]

PROFILES = Path(__file__).parent / "profiles"
"""Folder of the profiles that come with the package."""


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


def load_profile(name: str | Path = "default") -> Profile:
    """Load a profile by name, or from a TOML file.

    Raises
    ------
    StudyError
        If there is no such profile, or a threshold lacks source, owner or date.
    """
    text = str(name)
    path = Path(text) if text.endswith(".toml") else PROFILES / f"{text}.toml"
    if not path.is_file():
        known = sorted(file.stem for file in PROFILES.glob("*.toml"))
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
    if metric not in MEASURES:
        hint = say_which(metric) or f"there is no such metric.{did_you_mean(metric, MEASURES)}"
        msg = f"{where}: {hint}"
        raise StudyError(msg)
    if MEASURES[metric].better == "none":
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
        sign = 1.0 if MEASURES[metric].better == "lower" else -1.0
        if sign * review > sign * fail:
            msg = f"{where}: 'review' must be reached before 'fail'; for {metric} "
            msg += f"{MEASURES[metric].better} is better."
            raise StudyError(msg)
    return limits
