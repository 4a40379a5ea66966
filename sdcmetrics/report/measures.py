"""The tidy measurements, looked up by what they are of. The only reader of the frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sdcmetrics.measures.measure import Kind
from sdcmetrics.measures.registry import MEASURES, SPECIFIC_UTILITY
from sdcmetrics.review.judge import Finding, Status
from sdcmetrics.review.review import Review

__all__ = ["Measure", "Measures"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One measurement: the mean over the syntheses of a replica."""

    replica: str
    family: str
    metric: str
    scenario: str
    keys: tuple[str, ...]
    target: str
    variables: tuple[str, ...]
    value: float | None
    unit: str
    count: float | None
    total: float | None
    reason: str

    @property
    def of(self) -> Kind:
        """What it is computed from."""
        return MEASURES[self.metric].of


class Measures:
    """Every measurement of a review, with what a profile says of it."""

    def __init__(self, review: Review, findings: Iterable[Finding]) -> None:
        self._all = [_measure(row) for row in review.mean_rows().to_dict("records")]
        self._tables = {(m.replica, m.metric, m.variables): m for m in self._all if not m.scenario}
        self._risks = {
            (m.replica, m.metric, m.scenario, m.target): m for m in self._all if m.scenario
        }
        self._fits: dict[tuple[str, str], list[Measure]] = {}
        for m in self._all:
            if m.family == SPECIFIC_UTILITY:
                self._fits.setdefault((m.replica, m.metric), []).append(m)
        self._statuses = {
            (f.replica, f.metric, f.scenario, f.target, f.variables): f.status for f in findings
        }

    def __iter__(self) -> Iterator[Measure]:
        """Iterate in the order of the review."""
        return iter(self._all)

    def table(self, replica: str, metric: str, variables: tuple[str, ...]) -> Measure | None:
        """Return a utility statistic of one table."""
        return self._tables.get((replica, metric, variables))

    def risk(self, replica: str, metric: str, scenario: str, target: str) -> Measure | None:
        """Return a disclosure measure of one target."""
        return self._risks.get((replica, metric, scenario, target))

    def fitted(self, replica: str, metric: str, formula: str, place: int = 0) -> Measure | None:
        """Return a measure of a model; `place` tells apart models of one formula, from 0."""
        found = [m for m in self._fits.get((replica, metric), ()) if m.scenario == formula]
        return found[place] if place < len(found) else None

    def status(self, measure: Measure) -> Status:
        """Return what the profile says of a measurement."""
        m = measure
        for target in (m.target, ""):
            found = self._statuses.get((m.replica, m.metric, m.scenario, target, m.variables))
            if found is not None:
                return found
        return Status.NOT_JUDGED

    def pairs(self) -> tuple[tuple[str, ...], ...]:
        """Return the tables of two variables, each once."""
        two = (m.variables for m in self._all if len(m.variables) == 2 and not m.scenario)  # noqa: PLR2004  (two-way)
        return tuple(dict.fromkeys(two))

    def df(self, replica: str, variables: tuple[str, ...]) -> float | None:
        """Return the degrees of freedom of a table."""
        found = self.table(replica, "df", variables)
        return None if found is None else found.value


def _measure(row: dict[Any, Any]) -> Measure:
    return Measure(
        replica=str(row["replica"]),
        family=str(row["family"]),
        metric=str(row["metric"]),
        scenario=_text(row["scenario"]),
        keys=_names(row["keys"]),
        target=_text(row["target"]),
        variables=_names(row["variables"]),
        value=_number(row["value"]),
        unit=_text(row["unit"]),
        count=_number(row["count"]),
        total=_number(row["total"]),
        reason=_text(row["reason"]),
    )


def _number(value: Any) -> float | None:
    if value is None or value is pd.NA:
        return None
    number = float(value)
    return None if math.isnan(number) else number


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(str(name) for name in value) if isinstance(value, tuple | list) else ()
