"""Profiles: thresholds with source, owner and date.

Measuring never knows a threshold; judging never computes a measure.
"""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import ErrorDetails

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.registry import DISCLOSURE_RISK, MEASURES, Measure, say_which
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.file_format import is_a_file
from sdcmetrics.study.limits import (
    BROKEN_RULES,
    Entries,
    ExcessRule,
    Limits,
    TableRule,
    Threshold,
    rules_of,
)

PROFILES = Path(__file__).parent / "profiles"
"""Folder of the profiles that come with the package."""

_MOST_ENDS = 4
"""Five bands: more would be a rounding, and a rounding of an exact value can be solved for."""


@dataclass(frozen=True)
class Criterion:
    """A criterion of a guideline without a number, by which a report is laid out.

    Attributes
    ----------
    frame : the guideline, such as "WP216"
    name : what it asks for, such as "singling out"
    measures : symbols of the measures that speak to it
    source : where the words come from
    """

    frame: str
    name: str
    measures: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class Profile:
    """The rules of one agency.

    Attributes
    ----------
    name, title, owner : str
    thresholds : dict of metric to Threshold
    tables : TableRule or None
        By which tables are tested; None where S_pMSE has a plain limit, or none.
    excess : ExcessRule or None
        None where the profile does not ask whether people of the original lose more than others.
    judge : "either" or "both"
        Whether a limit on a measure of disclosure counts by itself, or, where a copy would be
        noticed, only beside an excess.
    derived : bool
        Whether tables of derived columns (rounding, tails, order, values of one file) are tested.
    min_cell : int
        Counts of original records below this are not released.
    zeros_disclosive : bool
        True if zero counts are not released either.
    round_base : int
        Released counts are rounded to multiples of this.
    key : str
        Secret text that decides which way counts are rounded; see `sdcmetrics.report`.
    bands : dict of metric to tuple of float
        Ends between the bands as which a release shows a measure; by default what the measure
        declares.
    criteria : tuple of Criterion
        What guidelines ask for without a number.
    of_package : bool
        Whether it comes with the package, and so is meant for any study.
    has_title : bool
        Whether its file gives it one; else it is called as its file is.
    """

    name: str
    title: str
    owner: str
    thresholds: dict[str, Threshold]
    tables: TableRule | None = None
    excess: ExcessRule | None = None
    judge: Literal["either", "both"] = "either"
    derived: bool = True
    min_cell: int = 10
    zeros_disclosive: bool = True
    round_base: int = 5
    key: str = field(default="", repr=False)
    bands: dict[str, tuple[float, ...]] = field(default_factory=dict)
    criteria: tuple[Criterion, ...] = ()
    of_package: bool = False
    has_title: bool = True

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what the file leaves open, though its author may not expect it."""
        families = {MEASURES[symbol].family for symbol in self.limited if symbol in MEASURES}
        notes = []
        if not self.has_title:
            notes.append(
                f"profile {self.name} has no title in [profile]: reports show the name of its file"
            )
        if self.of_package:
            return tuple(notes)
        if not families - {DISCLOSURE_RISK}:
            notes.append(
                f"profile {self.name} has no limit on utility, and takes none from the default: "
                "whether a replica is useful is not judged"
            )
        if DISCLOSURE_RISK not in families:
            notes.append(
                f"profile {self.name} has no limit on disclosure risk, and takes none from the "
                "default: only whose records are in a replica is judged"
            )
        return tuple(notes)

    @property
    def limited(self) -> tuple[str, ...]:
        """The measures on which it has a limit or a rule."""
        ruled = () if self.tables is None else (self.tables.metric,)
        excess = () if self.excess is None else self.excess.metrics
        return tuple(dict.fromkeys((*self.thresholds, *ruled, *excess)))

    def limits(self) -> list[dict[str, float | str | None]]:
        """Return every limit and rule as plain values, with metric, kind, source, owner and date.

        Examples
        --------
        >>> [limit["metric"] for limit in load_profile().limits()]
        ['rule_severity', 'S_pMSE', 'DiSCO', 'repU']
        """
        rules: list[dict[str, Any]] = [asdict(threshold) for threshold in self.thresholds.values()]
        if self.tables is not None:
            rules.append(asdict(self.tables))
        if self.excess is not None:
            shared = asdict(self.excess)
            rules += [{"metric": metric} | shared for metric in shared.pop("metrics")]
        return [{**rule, "date": rule["date"].isoformat()} for rule in rules]


@checked
def load_profile(name: str | Path = "default") -> Profile:
    """Load a profile by name, or from a TOML file.

    Parameters
    ----------
    name : str or path
        "default", "illustration" or "synthpop", which come with the package; or the path of a file
        whose name ends in .toml.

    Returns
    -------
    Profile
        Its limits are in the units of their measures.

    Raises
    ------
    StudyError
        If there is no such profile, or a threshold lacks source, owner or date.
    """
    text = str(name)
    path = Path(text) if text.endswith(".toml") else PROFILES / f"{text}.toml"
    if not is_a_file(path):
        names = sorted(file.stem for file in PROFILES.glob("*.toml"))
        msg = (
            f"there is no profile {text!r}.{did_you_mean(text, names)} Known: {', '.join(names)}; "
            "or give the path of a TOML file."
        )
        raise StudyError(msg)
    try:
        profile = _read(path, path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path.name}: not valid TOML: {error}."
        raise StudyError(msg) from None
    except RecursionError:
        msg = f"{path.name}: lists or tables are nested thousands of levels deep."
        raise StudyError(msg) from None
    # Who changes them does not change them for others.
    return replace(profile, thresholds=dict(profile.thresholds), bands=dict(profile.bands))


@lru_cache(maxsize=8)
def _read(path: Path, text: str) -> Profile:
    """Return the profile of a file, from its text: every report of a session asks for it again."""
    return _profile(tomllib.loads(text), path)


class _General(Entries):
    """``[profile]``: what the agency is, what is judged, and how counts are protected."""

    title: str | None = None
    owner: str = ""
    judge: Literal["either", "both"] = "either"
    derived: bool = True
    min_cell: int = Field(default=10, ge=1)
    zeros_disclosive: bool = True
    round_base: int = Field(default=5, ge=1)
    key: str = ""


class _Frame(Entries):
    """``[[frame]]``: what a guideline asks for without a number."""

    frame: str = Field(min_length=1)
    criterion: str = Field(min_length=1)
    measures: list[str] = Field(min_length=1)
    source: str = Field(min_length=1)
    kind: Literal["frame"] = "frame"


class _File(Entries):
    profile: _General = _General()
    thresholds: dict[str, Limits] = Field(default_factory=dict)
    bands: dict[str, list[Annotated[float, Field(allow_inf_nan=False)]]] = Field(
        default_factory=dict
    )
    frame: list[_Frame] = Field(default_factory=list)


def _profile(entries: dict[str, Any], path: Path) -> Profile:
    try:
        contents = _File.model_validate(entries)
    except ValidationError as error:
        lines = [f"{path.name}: {_message(problem)}" for problem in error.errors(include_url=False)]
        raise StudyError("\n".join(dict.fromkeys(lines))) from None
    general = contents.profile
    tables, excess, plain = rules_of(contents.thresholds, path.name)
    return Profile(
        name=path.stem,
        title=path.stem if general.title is None else general.title,
        owner=general.owner,
        thresholds={
            metric: _threshold(metric, limits, f"{path.name}: thresholds.{metric}")
            for metric, limits in plain.items()
        },
        tables=tables,
        excess=excess,
        judge=general.judge,
        derived=general.derived,
        min_cell=general.min_cell,
        zeros_disclosive=general.zeros_disclosive,
        round_base=general.round_base,
        key=general.key,
        bands={m: _band_ends(m, ends, path.name) for m, ends in contents.bands.items()},
        criteria=tuple(_criterion(row, path.name) for row in contents.frame),
        of_package=path.parent == PROFILES,
        has_title=general.title is not None,
    )


def _measure(metric: str, where: str) -> Measure:
    """Return a measure that a profile names; raise if there is none."""
    if metric not in MEASURES:
        hint = say_which(metric) or f"there is no such metric.{did_you_mean(metric, MEASURES)}"
        msg = f"{where}: {hint}"
        raise StudyError(msg)
    return MEASURES[metric]


def _criterion(row: _Frame, file: str) -> Criterion:
    for metric in row.measures:
        _measure(metric, f"{file}: frame {row.frame!r}, {row.criterion!r}: {metric}")
    return Criterion(row.frame, row.criterion, tuple(row.measures), row.source)


def _message(problem: ErrorDetails) -> str:
    path = [str(part) for part in problem["loc"]]
    section, entry = path[0], path[-1]
    where = ".".join(path[:2])
    kind = problem["type"]
    if kind == "extra_forbidden":
        if len(path) == 1:
            return f"unknown section {entry!r}.{did_you_mean(entry, _File.model_fields)}"
        hint = did_you_mean(entry, _SECTIONS[section].model_fields)
        if section == "profile":
            return f"unknown entry {where!r}.{hint}"
        return f"{where}: unknown entry {entry!r}.{hint}"
    if section in ("frame", "bands"):
        return f"{where}: {_EXPECTED[section]}"
    if kind in ("missing", "string_too_short") or (entry == "date" and not problem["input"]):
        needs = "a threshold needs a source, an owner and a date."
        return f"{where}: the entry {entry!r} is required: {needs}"
    return f"{where}: {_EXPECTED.get(entry, f'expected {entry} = ... in a section of its own.')}"


_SECTIONS: dict[str, type[BaseModel]] = {
    "profile": _General,
    "thresholds": Limits,
    "frame": _Frame,
}

_EXPECTED = {
    "review": "review: expected a number, and a finite one.",
    "fail": "fail: expected a number, and a finite one.",
    "chance": "chance: expected a number between 0 and 1, such as 0.01.",
    "size_review": "size_review: expected a number of at least 0, such as 0.1.",
    "size_fail": "size_fail: expected a number of at least 0, such as 0.3.",
    "excess": "excess: expected points above 0, at most 100.",
    "excess_share": "excess_share: expected a share above 0, at most 1.",
    "judge": 'judge: expected "either" or "both".',
    "derived": "derived: expected true or false.",
    "date": "date: expected a TOML date such as 2026-11-01.",
    "min_cell": "expected a whole number of at least 1.",
    "round_base": "expected a whole number of at least 1.",
    "zeros_disclosive": "expected true or false.",
    "profile": "expected a section [profile] but got a single value.",
    "thresholds": "expected sections such as [thresholds.S_pMSE] but got a single value.",
    "frame": "expected frame, criterion, measures = [...] and source in a section [[frame]].",
    "bands": "expected numbers such as CIO = [0, 0.5, 0.8].",
    **dict.fromkeys(("title", "owner", "source", "kind", "key"), "expected text in quotes."),
}


def _band_ends(metric: str, ends: list[float], file: str) -> tuple[float, ...]:
    _measure(metric, f"{file}: bands.{metric}")
    if not 1 <= len(ends) <= _MOST_ENDS or ends != sorted(set(ends)):
        msg = f"{file}: bands.{metric}: expected one to {_MOST_ENDS} numbers, smallest first."
        raise StudyError(msg)
    return tuple(ends)


def _threshold(metric: str, limits: Limits, where: str) -> Threshold:
    measure = _measure(metric, where)
    if measure.better == "none":
        msg = f"{where}: {metric} only helps to read other metrics; it has no better or worse."
        raise StudyError(msg)
    review, fail = limits.review, limits.fail
    if review is None and fail is None:
        msg = f"{where}: expected at least one of 'review' and 'fail'."
        raise StudyError(msg)
    for entry, value in (("review", review), ("fail", fail)):
        _refuse_beyond(measure, entry, value, where)
    if review is not None and fail is not None:
        sign = 1.0 if measure.better == "lower" else -1.0
        if sign * review > sign * fail:
            msg = f"{where}: 'review' must be reached before 'fail'; for {metric} "
            msg += f"{measure.better} is better."
            raise StudyError(msg)
    return Threshold(
        metric,
        review,
        fail,
        limits.source,
        limits.owner,
        limits.date,
        limits.kind,
        limits.chance if metric == BROKEN_RULES else None,
    )


def _refuse_beyond(measure: Measure, entry: str, value: float | None, where: str) -> None:
    """Raise if a limit is outside the range of the measure, so that it could judge nothing."""
    if value is None:
        return
    below = measure.low is not None and value < measure.low
    above = measure.high is not None and value > measure.high
    if below or above:
        unit = " percent" if measure.unit == "percent" else ""
        msg = (
            f"{where}: {entry}: {measure.symbol} runs from {measure.range}{unit}, so a limit of "
            f"{value:g} judges nothing. Give a limit within that range."
        )
        raise StudyError(msg)
