"""Criteria of a ranking: a measure each, and how its rows become one value per replica."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NoReturn

from sdcmetrics.errors import StudyError, did_you_mean
from sdcmetrics.measures import measure as declared
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.registry import MEASURES, explain, say_which

FAMILIES: dict[str, str] = {full.partition(" ")[0]: full for full in declared.FAMILIES}
"""The families' names in a study file ("general", "specific", "disclosure"), and in full."""

_WAYS = {"one_way": 1, "two_way": 2, "three_way": 3}
_PER_TABLE = ("table", "variable")


@dataclass(frozen=True)
class Criterion:
    """One measure that replicas are ranked by; any that has a direction or an ideal can be one.

    Attributes
    ----------
    measure : Measure
    ways : int or None
        Variables of the tables that count, for a statistic of tables.
    """

    measure: Measure
    ways: int | None = None

    @property
    def name(self) -> str:
        """The symbol; of tables of several sizes with the size, as in "S_pMSE_two_way"."""
        size = {ways: f"_{ending}" for ending, ways in _WAYS.items()}.get(self.ways or 0, "")
        return self.metric + (size if self.measure.of.per == "table" else "")

    @property
    def metric(self) -> str:
        """Symbol of the measure."""
        return self.measure.symbol

    @property
    def family(self) -> str:
        """Its family: "general", "specific" or "disclosure"."""
        return self.measure.family.partition(" ")[0]

    @property
    def utility(self) -> bool:
        """Whether it speaks of utility; otherwise of disclosure risk."""
        return self.measure.family != declared.DISCLOSURE_RISK

    @property
    def one_way(self) -> bool:
        """Whether it sees one variable at a time, so that relations do not matter to it."""
        return self.ways == 1 or self.measure.one_way

    @property
    def better(self) -> Literal["lower", "higher", "closest"]:
        """Which value is best; "closest" is closest to the ideal."""
        return "closest" if self.measure.better == "none" else self.measure.better

    @property
    def ideal(self) -> float:
        """What "closest" is close to."""
        return self.measure.ideal or 0.0

    @property
    def direction(self) -> str:
        """Which way is better, in words."""
        if self.better == "closest":
            return f"closest to {self.ideal:g} is best"
        return f"{self.better} is better"

    @property
    def over(self) -> str:
        """What a replica has one row per: "tables", "targets", ...; its value is their mean."""
        if self.measure.any_target:
            return "scenarios"
        per = "table" if self.ways else self.measure.of.per
        return f"{per}s" if per else ""

    @property
    def reduction(self) -> str:
        """How one value per replica is made, in words."""
        if self.ways is not None:
            words = {1: "every variable", 2: "every pair of variables"}
            return f"mean over {words.get(self.ways, f'every {self.ways} variables')}"
        if self.over == "targets":
            return "mean over targets and scenarios"
        what = "models" if self.measure.of.option == "[[model]]" else "variables"
        return f"mean over {self.over}" if self.over else f"as measured, all {what} together"


def criterion(name: str) -> Criterion:
    """Return the criterion of a name, such as "DiSCO" or "S_pMSE_two_way".

    Raises
    ------
    StudyError
        If there is no such measure, if no value of it is better than another, or if it is a
        statistic of tables and the name does not say of how many variables.

    Examples
    --------
    >>> result = criterion("S_pMSE_two_way")
    >>> result.metric, result.family, result.direction, result.reduction
    ('S_pMSE', 'general', 'lower is better', 'mean over every pair of variables')
    >>> criterion("std_diff").direction
    'closest to 0 is best'
    """
    symbol, ways = name, None
    for ending, number in _WAYS.items():
        if name.endswith(f"_{ending}"):
            symbol, ways = name.removesuffix(f"_{ending}"), number
    try:
        measure = explain(symbol)
    except StudyError:
        unknown = f"there is no metric {name!r}.{did_you_mean(name, list(_names()))}"
        refuse(say_which(symbol) or unknown)
    if measure.of.per == "variable":
        ways = ways or 1
    if measure.of.per in _PER_TABLE and ways is None:
        refuse(
            f"{name!r} is measured of tables of one, two or more variables. Say which, as in "
            f"{measure.symbol + '_one_way'!r} or {measure.symbol + '_two_way'!r}."
        )
    if measure.of.per not in _PER_TABLE and ways is not None:
        refuse(f"{measure.symbol} is not a statistic of tables. Write {measure.symbol!r}.")
    if measure.better == "none" and measure.ideal is None:
        refuse(
            f"{measure.symbol} only helps to read other measures: no value of it is better than "
            "another."
        )
    return Criterion(measure, ways)


def default_metrics(family: str) -> dict[str, float]:
    """Return what is ranked in a family unless a study says otherwise, and what it counts for.

    One measure per question, and no two that say nearly the same. General utility: one variable
    at a time, by counts and by propensity, as in the Comparative Metrics Framework, which share
    one half, and relations between two variables. Specific utility: what the study's models say.
    Disclosure: finding a person, learning a value for certain, guessing it. Each is declared with
    its measure (`Measure.ranked`).

    Examples
    --------
    >>> default_metrics("general")
    {'ROC': 0.25, 'S_pMSE_one_way': 0.25, 'S_pMSE_two_way': 0.5}
    """
    weights = {
        Criterion(measure, ways or None).name: weight
        for measure in MEASURES.values()
        for ways, weight in measure.ranked.items()
        if measure.family == FAMILIES[family]
    }
    total = sum(weights.values())  # a measure of another package may have joined
    return {name: weight / total for name, weight in weights.items()}


def refuse(words: str) -> NoReturn:
    """Raise StudyError for what a study or a caller asks of a ranking."""
    msg = f"ranking: {words}"
    raise StudyError(msg)


def _names() -> Iterator[str]:
    for measure in MEASURES.values():
        if measure.of.per == "table":
            yield from (f"{measure.symbol}_{ending}" for ending in _WAYS)
        else:
            yield measure.symbol
