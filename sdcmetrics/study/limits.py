"""The entries of a profile that judge: plain limits, and rules that ask for chance and size."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sdcmetrics.errors import StudyError

_AT_MOST = "\N{LESS-THAN OR EQUAL TO}"


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
    kind : "rule", "package default", "author advice", "reference value" or "illustration"
    chance : float or None
        For `rule_severity` only: the level, over all rules that the original itself breaks, from
        which a replica breaks one more often than the original does. None: whoever breaks a rule
        is judged by the limits alone.
    """

    metric: str
    review: float | None
    fail: float | None
    source: str
    owner: str
    date: dt.date
    kind: str = "author advice"
    chance: float | None = None

    @property
    def rule(self) -> str:
        """What its chance asks for, in words; "" of a plain limit."""
        if self.chance is None:
            return ""
        return (
            "its limits; where people break the rule, too, and it has a p, only with p "
            f"{_AT_MOST} {self.chance:g} over all such rules of a replica"
        )


@dataclass(frozen=True)
class TableRule:
    """Limits on tables of original and replica, by chance and by size.

    Attributes
    ----------
    metric : "S_pMSE"
    review, fail : float
        What it must be above to be called; and the further advice that is shown, but judges
        nothing.
    chance : float
        The level over all tables of a replica.
    size_review, size_fail : float
        w from which a difference is called, and from whose lower limit it fails.
    source, owner, date, kind : as those of `Threshold`
    """

    metric: str
    review: float
    fail: float | None
    chance: float
    size_review: float
    size_fail: float
    source: str
    owner: str
    date: dt.date
    kind: str = "package default"

    @property
    def rule(self) -> str:
        """What it asks for, in words."""
        return (
            f"review: above {self.review:g}, p {_AT_MOST} {self.chance:g} over all tables of a "
            f"replica and w above {self.size_review:g}; fail: the lower limit of w above "
            f"{self.size_fail:g}"
        )


@dataclass(frozen=True)
class ExcessRule:
    """How much more may be disclosed of people of the original than of other people.

    Attributes
    ----------
    metrics : tuple of str
        The measures that it is set on, of DiSCO and repU.
    excess : float
        Points from which a question is flagged.
    chance : float
        The level over all questions of a replica.
    excess_share : float
        The share of what the original itself would add from which it fails.
    source, owner, date, kind : as those of `Threshold`
    """

    metrics: tuple[str, ...]
    excess: float
    chance: float
    excess_share: float
    source: str
    owner: str
    date: dt.date
    kind: str = "package default"

    @property
    def rule(self) -> str:
        """What it asks for, in words."""
        points = "1 point" if self.excess == 1 else f"{self.excess:g} points"
        return (
            f"review: {points} or more above people who were not in the original, p {_AT_MOST} "
            f"{self.chance:g} over all questions of a replica; fail: {self.excess_share:g} or more "
            "of what the original itself would add (without a holdout, only beside a claim about "
            "people)"
        )


class Entries(BaseModel):
    """Entries of a section; others are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Limits(Entries):
    """``[thresholds.X]``: when the measure X calls for a look, and when it fails."""

    review: Annotated[float, Field(allow_inf_nan=False)] | None = None
    fail: Annotated[float, Field(allow_inf_nan=False)] | None = None
    chance: Annotated[float, Field(gt=0, lt=1)] | None = None
    size_review: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    size_fail: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    excess: Annotated[float, Field(gt=0, le=100)] | None = None
    excess_share: Annotated[float, Field(gt=0, le=1)] | None = None
    source: str = Field(min_length=1)
    owner: str = Field(min_length=1)
    date: dt.date
    kind: str = "rule"


_TABLES, _RISKS = "S_pMSE", ("DiSCO", "repU")
BROKEN_RULES = "rule_severity"
_OF_TABLES, _OF_RISKS = ("size_review", "size_fail"), ("excess", "excess_share")


def rules_of(
    thresholds: dict[str, Limits], file: str
) -> tuple[TableRule | None, ExcessRule | None, dict[str, Limits]]:
    """Return the rules on tables and on excess, and the plain limits that are left."""
    tables: TableRule | None = None
    rules: dict[str, ExcessRule] = {}
    plain: dict[str, Limits] = {}
    for metric, limits in thresholds.items():
        where = f"{file}: thresholds.{metric}"
        _refuse_misplaced(metric, limits, where)
        if metric == _TABLES and limits.chance is not None:
            tables = _table_rule(limits, where)
        elif limits.excess is not None:
            rules[metric] = _excess_rule(metric, limits)
            if (limits.review, limits.fail) != (None, None):
                plain[metric] = limits
        else:
            plain[metric] = limits
    return tables, _one_rule(rules, file), plain


def _table_rule(limits: Limits, where: str) -> TableRule:
    if None in (limits.review, limits.chance, limits.size_review, limits.size_fail):
        msg = f"{where}: with chance, expected review, size_review and size_fail as well."
        raise StudyError(msg)
    rule = TableRule(
        _TABLES,
        review=limits.review or 0.0,
        fail=limits.fail,
        chance=limits.chance or 0.0,
        size_review=limits.size_review or 0.0,
        size_fail=limits.size_fail or 0.0,
        source=limits.source,
        owner=limits.owner,
        date=limits.date,
        kind=limits.kind,
    )
    if rule.size_review > rule.size_fail:
        msg = f"{where}: size_review must be reached before size_fail."
        raise StudyError(msg)
    return rule


def _excess_rule(metric: str, limits: Limits) -> ExcessRule:
    return ExcessRule(
        (metric,),
        excess=limits.excess or 0.0,
        chance=0.01 if limits.chance is None else limits.chance,
        excess_share=0.5 if limits.excess_share is None else limits.excess_share,
        source=limits.source,
        owner=limits.owner,
        date=limits.date,
        kind=limits.kind,
    )


def _one_rule(rules: dict[str, ExcessRule], file: str) -> ExcessRule | None:
    """Return the rule on excess, which all its measures share: their questions are one family."""
    if not rules:
        return None
    first, *rest = rules.values()
    sizes = (first.excess, first.chance, first.excess_share)
    if any((rule.excess, rule.chance, rule.excess_share) != sizes for rule in rest):
        msg = (
            f"{file}: thresholds: excess, chance and excess_share must be the same for "
            f"{' and '.join(rules)}: their questions share one level."
        )
        raise StudyError(msg)
    return replace(first, metrics=tuple(rules))


def _refuse_misplaced(metric: str, limits: Limits, where: str) -> None:
    """Raise if an entry stands under a measure that has none of its kind."""
    for names, of in ((_OF_TABLES, (_TABLES,)), (_OF_RISKS, _RISKS)):
        for name in names:
            if getattr(limits, name) is not None and metric not in of:
                msg = f"{where}: {name} is an entry of {' and '.join(of)} only. Remove it."
                raise StudyError(msg)
    if limits.chance is None and (limits.size_review, limits.size_fail) != (None, None):
        msg = f"{where}: size_review and size_fail need chance = 0.01 beside them."
        raise StudyError(msg)
    if limits.chance is not None and metric not in (_TABLES, *_RISKS, BROKEN_RULES):
        rated = ", ".join((_TABLES, *_RISKS))
        msg = f"{where}: chance is an entry of {rated} and {BROKEN_RULES} only. Remove it."
        raise StudyError(msg)
    for name in ("chance", "excess_share"):
        if getattr(limits, name) is not None and metric in _RISKS and limits.excess is None:
            msg = f"{where}: {name} needs excess = 1 beside it."
            raise StudyError(msg)
