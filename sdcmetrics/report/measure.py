"""One measurement as the report reads it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any

import pandas as pd

from sdcmetrics.measures.measure import Kind
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.registry import MEASURES


@dataclass(frozen=True, slots=True)
class Measure:
    """One measurement: the mean over the syntheses of a replica.

    `shown` is the text of what a release tells less exactly than as a number; `model` is called by
    its formula, which is the scenario too, and its family.
    """

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
    references: References = field(default_factory=References)
    shown: str = ""
    model: str = ""

    @property
    def subject(self) -> str:
        """The question: the scenario, the model or the rule, as `Finding.scenario` has it."""
        return self.model or self.scenario

    @property
    def of(self) -> Kind:
        """The kind of evidence that it is computed from."""
        return MEASURES[self.metric].of


UNMARKED = References()
FIELDS = tuple(field.name for field in fields(Measure) if field.name != "references")
"""Columns of the frame, in the order of a measurement."""


def measure_of(references: References, *row: Any) -> Measure:
    """Return a measurement from the entries of its row, in the order of `FIELDS`."""
    replica, family, metric, scenario, keys, target, variables, *rest = row
    value, unit, count, total, why, shown, model = rest
    return Measure(
        replica,
        family,
        metric,
        text_of(scenario),
        _names(keys),
        text_of(target),
        _names(variables),
        _number(value),
        text_of(unit),
        _number(count),
        _number(total),
        text_of(why),
        references=references,
        shown=text_of(shown),
        model=text_of(model),
    )


def _number(value: Any) -> float | None:
    return None if value is None or value is pd.NA or math.isnan(value) else float(value)


def text_of(value: Any) -> str:
    """Return an entry as text; empty where there is none."""
    return value if isinstance(value, str) else ""


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, tuple | list) else ()
