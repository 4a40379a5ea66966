"""Numbers of a weighted sample beside a replica's, as rows of a review."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from sdcmetrics.errors import ColumnError, NotComputable
from sdcmetrics.measures.distributions import declared
from sdcmetrics.measures.distributions.records import numbers_of
from sdcmetrics.measures.distributions.weighted_wasserstein import weighted_distance
from sdcmetrics.measures.kind import SAMPLED, Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import P_VALUE, Measure, variant_of
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.files import designs_of
from sdcmetrics.microdata.columns import Kind as ColumnKind

_FEWEST = 99
"""Draws of the p, where a study asks for fewer permutations: with 99 it can be 0.01."""

Row = Mapping[str, float]


def _numbers(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    sample, options = plan.sample, plan.options
    if sample is None:
        return
    for name in options.compared(pair.data.variables):
        variable = pair.data.variables[name]
        if variable.kind not in (ColumnKind.NUMBER, ColumnKind.DATE):
            continue
        step, where = f"weighted distribution of {name}", (Place(variables=(name,)),)
        tell(step)
        parts = numbers_of(variable)
        try:
            each = tuple(
                weighted_distance(
                    parts[0],
                    part,
                    sample.design,
                    design,
                    draws=max(options.permutations, _FEWEST),
                    rng=np.random.default_rng(options.seed),
                )
                for part, design in zip(parts[1:], designs_of(sample, pair), strict=True)
            )
        except (ColumnError, NotComputable) as reason:
            yield Given(step, where, reason=str(reason))
        else:
            yield Given(step, where, each, references=partial(_references, each))


def _references(
    each: Sequence[Row], measures: Sequence[Measure], i: int
) -> Mapping[str, References]:
    fresh = {"W1_survey": each[i]["fresh"]}
    return {
        measure.symbol: References(fresh=fresh.get(measure.symbol, math.nan))
        for measure in measures
    }


SAMPLED_NUMBERS = Kind(
    "numbers of a sample",
    "a row of `weighted_wasserstein`; a number",
    _numbers,
    per="variable",
    option=SAMPLED,
    symbols={
        "F_o": "weighted distribution function of the original",
        "F_s": "distribution function of the replica",
    },
)

_W1 = next(measure for measure in declared.MEASURES if measure.symbol == "W1")

MEASURES: tuple[Measure, ...] = (
    variant_of(
        _W1,
        "survey",
        of=SAMPLED_NUMBERS,
        undefined=_W1.undefined,
        title="Wasserstein's distance of a weighted number",
        function=lambda row: row["W1"],
        show={"beside_fresh": 16},
        meaning="How far values have to be moved for the replica's distribution of a number to "
        "become that of the population, as the weights estimate it, in interquartile ranges.",
        formula="integral of |F_o - F_s| over the interquartile range, F_o by sums of weights",
        source="Vallender (1974), Theory of Probability and its Applications 18",
        limits="Sampling noise alone makes it positive: read fresh beside it, which knows the "
        "design. Missing values are left out.",
    ),
    Measure(
        symbol="W1_survey_p",
        of=SAMPLED_NUMBERS,
        family=_W1.family,
        one_way=True,
        undefined=_W1.undefined,
        title="p of Wasserstein's distance of a weighted number",
        function=lambda row: row["p"],
        show={"beside_fresh": 17},
        meaning="How often chance moves the values of a number so far; small: the population's "
        "distribution of it is another one.",
        formula="(1 + drawn errors of both distribution functions with so large a distance) / "
        "(1 + draws), errors of the design",
        source="Rao and Scott (1984), for a distribution function",
        limits="One test per number: of twenty, one is below 0.05 by chance.",
        ideal=None,
        **P_VALUE,
    ),
)
"""What is said of a sample's numbers: the list."""

SUBJECT = Subject("distributions of a sample", tuple(MEASURES))
