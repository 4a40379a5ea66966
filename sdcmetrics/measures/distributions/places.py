"""Where distributions are compared: of whole records, of every number, of groups of people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.distributions.energy import EnergyDistance, energy_of
from sdcmetrics.measures.distributions.records import numbers_of, records_of
from sdcmetrics.measures.distributions.subgroups import groups_of
from sdcmetrics.measures.distributions.wasserstein import distance_of, tails_of
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell, asks_for
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.section import Limits, Section, Texts, section
from sdcmetrics.measures.survey.sample import labels_of
from sdcmetrics.microdata.arguments import MOST_PERMUTATIONS
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.columns import Kind as ColumnKind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.matching import check_names
from sdcmetrics.microdata.schema import Harmonised


@section("distributions")
class Distributions(Section):
    """Distances between distributions, each with a test by permuted labels.

    Attributes
    ----------
    energy : bool
        Whole records too, which takes longest: a minute for 20,000 of them.
    groups : tuple of names
        Columns whose levels are groups of people, each compared on its own.
    permutations : int
    """

    energy: bool = True
    groups: Texts = ()
    permutations: Annotated[int, Limits(ge=0, le=MOST_PERMUTATIONS)] = 999

    @property
    def named_columns(self) -> tuple[str, ...]:
        """Columns of groups."""
        return self.groups

    def check(self, original: Microdata) -> None:
        """Raise ColumnError if a group is no column of the original."""
        check_names(self.groups, original, "group")


_OPTION = asks_for(Distributions)


@dataclass(frozen=True)
class Number:
    """One numeric column of one synthesis: a row of `wasserstein`, and its rows of `tails`."""

    moved: dict[str, float]
    tails: pd.DataFrame


def _energy(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    section = plan.section(Distributions)
    if section is None or not section.energy:
        return
    step = "energy distance"
    tell(step)
    data, names = _data(pair, plan)
    parts = records_of(data, names)
    households, permutations, reason = labels_of(plan.sample, pair.syntheses, section.permutations)
    each = tuple(
        energy_of(
            parts[0],
            part,
            None if pair.holdout is None else parts[-1],
            permutations=permutations,
            seed=plan.options.seed,
            households=homes,
        )
        for part, homes in zip(parts[1:], households, strict=False)  # a holdout is the last part
    )

    def references(measures: Sequence[Measure], i: int) -> dict[str, References]:
        marks_of = {"energy": References(copy=each[i].copy, fresh=each[i].fresh)}
        return {measure.symbol: marks_of.get(measure.symbol, References()) for measure in measures}

    yield Given(step, (Place(),), each, undefined=reason, references=references, result=each)


def _numbers(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    section = plan.section(Distributions)
    if section is None:
        return
    tell("distributions of numbers")
    data, names = _data(pair, plan)
    households, permutations, reason = labels_of(plan.sample, pair.syntheses, section.permutations)
    for name in names:
        variable = data.variables[name]
        if variable.kind not in (ColumnKind.NUMBER, ColumnKind.DATE):
            continue
        step, where = f"distribution of {name}", (Place(variables=(name,)),)
        parts = numbers_of(variable)
        fresh = None if pair.holdout is None else parts[-1]
        try:
            each = tuple(
                Number(
                    distance_of(
                        parts[0],
                        part,
                        fresh,
                        permutations=permutations,
                        draws=0,
                        seed=plan.options.seed,
                        households=homes,
                    ),
                    tails_of(parts[0], part, homes)
                    if not reason
                    else tails_of(parts[0], part).assign(p=math.nan),
                )
                for part, homes in zip(parts[1:], households, strict=False)
            )
        except NotComputable as error:
            yield Given(step, where, reason=str(error))
            continue
        yield Given(
            step, where, each, undefined=reason, references=_numbers_given(each), result=each
        )


def _numbers_given(each: Sequence[Number]) -> Any:
    def references(measures: Sequence[Measure], i: int) -> dict[str, References]:
        marks_of = {"W1": References(copy=0.0, fresh=each[i].moved["fresh"])}
        return {measure.symbol: marks_of.get(measure.symbol, References()) for measure in measures}

    return references


def _subgroups(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    section = plan.section(Distributions)
    if section is None or not section.groups:
        return
    tell("groups of people")
    options = plan.options
    names = _data(pair, plan)[1]
    data = pair.columns(list(dict.fromkeys([*names, *section.groups])))
    rule = by_groups(options.ngroups, options.style, dates=options.group_dates)
    coded = encode(data, rule, list(data.variables))
    households, permutations, reason = labels_of(plan.sample, pair.syntheses, section.permutations)
    for name in section.groups:
        step, where = f"groups of {name}", (Place(variables=(name,)),)
        try:
            each = tuple(
                groups_of(
                    coded,
                    name,
                    tabulated=names,
                    synthesis=i,
                    permutations=permutations,
                    seed=options.seed,
                    households=homes,
                )
                for i, homes in enumerate(households, start=1)
            )
        except NotComputable as error:
            yield Given(step, where, reason=str(error))
            continue
        yield Given(step, where, each, undefined=reason, result=each)


def _data(pair: Pair, plan: Plan) -> tuple[Harmonised, list[str]]:
    data = pair.data if pair.holdout is None else pair.beside_holdout
    wanted = plan.options.variables
    return data, [name for name in data.variables if wanted is None or name in wanted]


def energy(result: EnergyDistance) -> float:
    """Return the distance without the pairs of a record with itself."""
    return result.unbiased


def energy_p(result: EnergyDistance) -> float:
    """Return the p of permuted labels."""
    return result.p_value


def w1(result: Number) -> float:
    """Return Wasserstein's distance over the interquartile range."""
    return result.moved["W1"]


def w1_p(result: Number) -> float:
    """Return the p of permuted labels."""
    return result.moved["p"]


def tails_p(result: Number) -> float:
    """Return the smallest p of the tails, times their number."""
    defined = result.tails["p"].dropna()
    return min(1.0, float(defined.min()) * len(defined)) if len(defined) else float("nan")


def group_excess(table: pd.DataFrame) -> float:
    """Return the largest excess of a group's mean TVD over what its size gives."""
    return _extreme(table["TVD"] - table["TVD_null"])


def group_p(table: pd.DataFrame) -> float:
    """Return the smallest adjusted p of a group."""
    return -_extreme(-table["TVD_holm"])


def _extreme(values: pd.Series[float]) -> float:
    defined = values.to_numpy(np.float64)
    defined = defined[~np.isnan(defined)]
    return float(defined.max()) if len(defined) else float("nan")


ENERGY = Kind(
    "whole records",
    "`EnergyDistance`; a number",
    _energy,
    option=_OPTION,
    symbols={"x": "a record of the original", "y": "a record of the replica"},
)
NUMBERS = Kind(
    "distributions of numbers",
    "`Number`; a number",
    _numbers,
    per="variable",
    option=_OPTION,
    symbols={
        "F_o": "distribution function of the original",
        "F_s": "distribution function of the replica",
    },
)
SUBGROUPS = Kind(
    "groups of people",
    "the table of `Subgroups`; a number",
    _subgroups,
    per="variable",
    option=_OPTION,
)
