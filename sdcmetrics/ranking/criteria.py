"""What replicas are ranked by: one metric each, and how its rows become one value a replica."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures.crosstables.places import CROSSTABLES, ONE_WAY
from sdcmetrics.measures.disclosure.places import KEYS
from sdcmetrics.measures.registry import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    MEASURES,
    SPECIFIC_UTILITY,
    Measure,
    explain,
)
from sdcmetrics.measures.rules.places import RULES

__all__ = ["DEFAULT", "FAMILIES", "Criterion", "Floats", "criterion"]

Floats = npt.NDArray[np.float64]
Over = Literal["tables", "targets", "scenarios", "models", "rules"]

FAMILIES: dict[str, str] = {
    "general": GENERAL_UTILITY,
    "specific": SPECIFIC_UTILITY,
    "disclosure": DISCLOSURE_RISK,
}
"""The families' names in a study file, and in full."""

DEFAULT: dict[str, dict[str, float]] = {
    "general": {"ROC": 0.25, "S_pMSE_one_way": 0.25, "S_pMSE_two_way": 0.5},
    "specific": {"CIO_weighted": 1.0},
    "disclosure": {"repU": 1 / 3, "DiSCO": 1 / 3, "DCAP": 1 / 3},
}
"""What is ranked by unless a study says otherwise: one measure a question, no near copies.

General utility: one variable at a time, by counts (ROC) and by propensity (S_pMSE), as in the
Comparative Metrics Framework, which share one half, and relations between two variables.
Specific utility: what the study's models say. Disclosure: finding a person (repU), learning a
value for certain (DiSCO), guessing it (DCAP).
"""

_WAYS = {"one_way": 1, "two_way": 2, "three_way": 3}
_SCENARIO = ("UiOiS", "repU")
_ONE_WAY = ("CIO_means", "F1")


@dataclass(frozen=True)
class Criterion:
    """One metric that replicas are ranked by.

    Attributes
    ----------
    name : str
        The metric's symbol; for statistics of tables with the number of their variables, as in
        "S_pMSE_two_way".
    metric : str
        Symbol in the catalogue.
    family : "general", "specific" or "disclosure"
    better : "lower", "higher" or "closest"
    ideal : float or None
        What "closest" is close to.
    over : "tables", "targets", "scenarios", "models" or "rules"
        What a replica has one row for; its value is their mean.
    ways : int or None
        Variables of the tables that count, for "tables".
    """

    name: str
    metric: str
    family: str
    better: Literal["lower", "higher", "closest"]
    ideal: float | None
    over: Over
    ways: int | None = None

    @property
    def utility(self) -> bool:
        """Whether it speaks of utility; otherwise of disclosure risk."""
        return self.family != "disclosure"

    @property
    def one_way(self) -> bool:
        """Whether it sees one variable at a time, so that relations do not matter to it."""
        return self.ways == 1 or self.metric in _ONE_WAY

    @property
    def fresh(self) -> bool:
        """Whether it is measured beside a holdout."""
        return MEASURES[self.metric].of.holdout

    @property
    def direction(self) -> str:
        """Which way is better, in words."""
        if self.better == "closest":
            return f"closest to {self.ideal:g} is best"
        return f"{self.better} is better"

    @property
    def reduction(self) -> str:
        """How one value a replica is made, in words."""
        if self.over == "tables" and self.ways is not None:
            words = {1: "every variable", 2: "every pair of variables"}
            return f"mean over {words.get(self.ways, f'every {self.ways} variables')}"
        return {
            "tables": "as measured, all variables together",
            "targets": "mean over targets and scenarios",
            "scenarios": "mean over scenarios",
            "models": "mean over models",
            "rules": "mean over rules",
        }[self.over]


def criterion(name: str) -> Criterion:
    """Return the criterion of a name, such as "DiSCO" or "S_pMSE_two_way".

    Raises
    ------
    StudyError
        If there is no such metric, if it has no better or worse, or if it is a statistic of
        tables and the name does not say of how many variables.

    Examples
    --------
    >>> found = criterion("S_pMSE_two_way")
    >>> found.metric, found.family, found.direction, found.reduction
    ('S_pMSE', 'general', 'lower is better', 'mean over every pair of variables')
    >>> criterion("std_diff").direction
    'closest to 0 is best'
    """
    symbol, ways = name, None
    for ending, number in _WAYS.items():
        if name.endswith(f"_{ending}"):
            symbol, ways = name.removesuffix(f"_{ending}"), number
    try:
        metric = explain(symbol)
    except StudyError:
        msg = f"ranking: there is no metric {name!r}.{did_you_mean(name, _names())}"
        raise StudyError(msg) from None
    family = next(short for short, full in FAMILIES.items() if full == metric.family)
    tables = metric.of in (ONE_WAY, CROSSTABLES)
    if metric.symbol == "ROC":
        ways = ways or 1  # it is measured of one variable at a time only
    if tables and ways is None:
        msg = (
            f"ranking: {name!r} is measured of tables of one, two or more variables. Say which, as "
            f"in {metric.symbol + '_one_way'!r} or {metric.symbol + '_two_way'!r}."
        )
        raise StudyError(msg)
    if not tables and ways is not None:
        msg = f"ranking: {metric.symbol} is no statistic of tables. Write {metric.symbol!r}."
        raise StudyError(msg)
    better: Literal["lower", "higher", "closest"]
    if metric.better in ("lower", "higher"):
        better = metric.better
    elif metric.ideal is not None:
        better = "closest"
    else:
        msg = f"ranking: {metric.symbol} only helps to read other metrics; it has no better."
        raise StudyError(msg)
    shown = metric.symbol
    if tables and metric.symbol != "ROC":
        shown += next(f"_{ending}" for ending, number in _WAYS.items() if number == ways)
    return Criterion(shown, metric.symbol, family, better, metric.ideal, _over(metric), ways)


def _over(metric: Measure) -> Over:
    """Return what a replica has one row for."""
    if metric.of is RULES:
        return "rules"
    if metric.of is KEYS:
        return "scenarios" if metric.symbol in _SCENARIO else "targets"
    return "models" if metric.family == SPECIFIC_UTILITY else "tables"


def _names() -> Iterable[str]:
    for metric in MEASURES.values():
        if metric.of is CROSSTABLES:
            yield from (f"{metric.symbol}_{ending}" for ending in _WAYS)
        else:
            yield metric.symbol
