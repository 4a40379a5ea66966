"""Declarations of checks before a file goes out: findings and two measures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sdcmetrics.measures.generator import Generators
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell, asks_for
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.publication.check import check_harmonised
from sdcmetrics.measures.publication.sections import Publication
from sdcmetrics.measures.publication.structure import Adherence, adherence
from sdcmetrics.measures.subject import Subject


def _findings(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    publication = plan.section(Publication)
    if publication is None:
        return
    tell("label, structure and documentation")
    generators = plan.section(Generators)
    generator = None if generators is None else generators.of(pair.name)
    check = check_harmonised(
        pair.original,
        pair.syntheses,
        pair.data,
        publication,
        generator,
        holdout=pair.holdout is not None,
        replica=pair.name,
    )
    yield Given("before it goes out", (Place(),), result=check)


def _structure(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    if plan.section(Publication) is None:
        return
    for name, variable in pair.data.variables.items():
        tell(f"structure of {name}")
        each = tuple(adherence(variable, part) for part in range(1, pair.m + 1))
        yield Given(f"structure of {name}", (Place(variables=(name,)),), each)


FINDINGS = Kind("before it goes out", "`PublicationCheck`", _findings, option=asks_for(Publication))
STRUCTURE = Kind(
    "structure of a variable",
    "`Adherence`; a number",
    _structure,
    per="variable",
    option=asks_for(Publication),
    symbols={
        "missing_o": "missing values in the original",
        "missing_s": "missing values in the replica",
        "n": "original records",
        "m": "replica records",
    },
)


def value_adherence(variable: Adherence) -> float:
    """Percent of the replica's values that are in the original's range, or are levels of it."""
    return variable.inside


def missing_gap(variable: Adherence) -> float:
    """Percentage points between the shares of missing values."""
    return abs(variable.missing_synthetic - variable.missing_original)


_structural = partial(
    Measure, of=STRUCTURE, family=GENERAL_UTILITY, unit="percent", low=0, high=100
)

MEASURES: tuple[Measure, ...] = (
    _structural(
        symbol="value_adherence",
        function=value_adherence,
        title="Values within the original's range or levels",
        undefined="the replica has no value",
        better="higher",
        ideal=100,
        aliases=("boundary adherence", "category adherence"),
        meaning="Values of the replica that are between the original's least and largest, or are "
        "levels of it. Missing values do not count.",
        formula="100 (values inside) / values",
        source="SDMetrics' diagnostic report (BoundaryAdherence, CategoryAdherence)",
        limits="A copy has 100, and so has a file of one value. Extremes that are not repeated are "
        "a protection: 100 is not asked for.",
    ),
    _structural(
        symbol="missing_gap",
        function=missing_gap,
        title="Difference of the shares of missing values",
        better="lower",
        ideal=0,
        meaning="How many percentage points more, or fewer, records have no value.",
        formula="100 |missing_s / m - missing_o / n|",
        source="SDMetrics (MissingValueSimilarity)",
        limits="Says nothing of which records have no value.",
    ),
)

SUBJECT = Subject("publication", MEASURES, kinds=(FINDINGS,), section=Publication)
