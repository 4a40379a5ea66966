"""Tables and columns of a weighted sample beside a replica's, as rows of a review."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.errors import ColumnError
from sdcmetrics.measures.crosstables import declared
from sdcmetrics.measures.crosstables.weighted import COLUMNS, two_coded
from sdcmetrics.measures.crosstables.weighted_compare import (
    COMPARED,
    compared_rows,
    joint_freedom_of,
)
from sdcmetrics.measures.kind import SAMPLED, Given, Kind, Place, Plan, Tell
from sdcmetrics.measures.measure import GENERAL_UTILITY, P_VALUE, Measure, variant_of
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.reference_values import References
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.files import designs_of
from sdcmetrics.measures.survey.linearised import NO_VARIANCE
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.coding import by_groups, encode
from sdcmetrics.microdata.schema import Variable

Row = Mapping[str, Any]


def _tables(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    sample, options = plan.sample, plan.options
    if sample is None:
        return
    names = options.compared(pair.data.variables)
    step = "weighted tables"
    tell(step)
    try:
        own = designs_of(sample, pair)
    except ColumnError as reason:
        yield Given(step, (Place(),), reason=str(reason))
        return
    rule = by_groups(options.ngroups, options.style, dates=options.group_dates)
    coded = encode(pair.data, rule, names)
    for table in itertools.chain(*(itertools.combinations(names, ways) for ways in options.ways)):
        each = tuple(
            dict(zip(COLUMNS, two_coded(coded, table, i, sample.design, design), strict=True))
            for i, design in enumerate(own, start=1)
        )
        for columns in each:
            expected = columns["S_VW_fresh"] if sample.against == "population" else 1.0
            varies = expected > NO_VARIANCE  # not where each side has one level, and another
            columns["S_VW_corrected"] = columns["S_VW"] / expected if varies else math.nan
            columns["fresh"] = columns["S_VW_fresh"] / expected if varies else math.nan
        yield Given(
            step,
            (Place(variables=table),),
            each,
            references=partial(_references, each),
            undefined="one cell is all there is",
        )


def _references(
    each: Sequence[Row], measures: Sequence[Measure], i: int
) -> Mapping[str, References]:
    table = each[i]
    fresh = {
        "TVD_survey": table["TVD_expected"],
        "S_pMSE_survey": table["fresh"],
    }
    return {
        measure.symbol: References(fresh=fresh.get(measure.symbol, math.nan))
        for measure in measures
    }


def _columns(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    sample = plan.sample
    if sample is None:
        return
    step = "weighted means and shares"
    tell(step)
    try:
        theirs = designs_of(sample, pair)
    except ColumnError as reason:
        yield Given(step, (Place(),), reason=str(reason))
        return
    for name in plan.options.compared(pair.data.variables):
        variable = pair.data.variables[name]
        rows = pd.DataFrame(compared_rows(variable, sample.design, theirs), columns=COMPARED)
        single = [rows]
        if len(theirs) > 1:
            single = [
                pd.DataFrame(
                    compared_rows(_variable_pair(variable, i), sample.design, [design]),
                    columns=COMPARED,
                )
                for i, design in enumerate(theirs, start=1)
            ]
        each = tuple(
            (table, joint_freedom_of(variable, sample.design, i, own))
            for i, (table, own) in enumerate(zip(single, theirs, strict=True), start=1)
        )
        yield Given(step, (Place(variables=(name,)),), each, result=rows)


def _variable_pair(variable: Variable, synthesis: int) -> Variable:
    """Return a variable of the original and one synthesis."""
    pick = slice(0, synthesis + 1, synthesis)
    return replace(variable, values=variable.values[pick], codes=variable.codes[pick])


def largest_z(comparison: tuple[pd.DataFrame, int]) -> float:
    """Return the largest standardised difference of a mean, or of the shares of the levels."""
    defined = comparison[0]["z"].dropna().abs().to_numpy(np.float64)
    return float(defined.max()) if len(defined) else math.nan


def compare_p(comparison: tuple[pd.DataFrame, int]) -> float:
    """Return the p of it, times the number of levels; two levels are one test."""
    table, freedom = comparison
    tests = int(table["z"].notna().sum())
    z = largest_z(comparison)
    return min(1.0, (1 if tests == 2 else tests) * 2.0 * float(lazy.stats.t.sf(z, freedom)))  # noqa: PLR2004  (yes and no)


def _of(name: str) -> Any:
    return lambda row: float(row[name])


SAMPLED_TABLES = Kind(
    "tables of a sample",
    "a row of `WeightedTables.table`; a number",
    _tables,
    per="table",
    option=SAMPLED,
    symbols={
        "VW": "as of cross-tables, with weighted shares of the original",
        "k": "cells with a record of either",
        "n": "original records",
        "m": "replica records",
        "X2": "Pearson's statistic of the weighted shares",
        "p_o": "weighted share of a cell in the original",
        "p_s": "share of a cell in the replica",
        "p_k": "weighted share of the original in cell k",
        "V_kk": "variance of p_k by the design",
    },
)
SAMPLED_COLUMNS = Kind(
    "means and shares of a sample",
    "the rows of one variable of `WeightedComparison.table`; a number",
    _columns,
    per="variable",
    option=SAMPLED,
    symbols={
        "p_o": "weighted mean, or share of a level, in the original",
        "p_s": "the same in the replica",
        "se_o": "standard error in the original",
        "se_s": "standard error in the replica",
    },
)

_RAO = "Rao and Scott (1984), Annals of Statistics 12(1), 46-60"
_INSIDE = (
    " Weights are of the original and, where it has them, of the replica; else each replica "
    "record counts once, as of a replica that is made to be read without weights. Records of a "
    "replica belong together where it has the column that says so; else they are drawn one by one."
)
_table = partial(Measure, of=SAMPLED_TABLES, family=GENERAL_UTILITY, low=0)
_OF_FILE = {measure.symbol: measure for measure in declared.MEASURES}


def _of_table(base: str, **entries: Any) -> Measure:
    """Declare what a measure of tables is for weighted ones."""
    return variant_of(_OF_FILE[base], "survey", of=SAMPLED_TABLES, **entries)


_column = partial(Measure, of=SAMPLED_COLUMNS, family=GENERAL_UTILITY, low=0, one_way=True)

MEASURES: tuple[Measure, ...] = (
    _of_table(
        "S_pMSE",
        title="Standardised pMSE of the population, corrected for the design",
        function=_of("S_VW_corrected"),
        show={"beside_fresh": 9},
        aliases=("S_VW_survey",),
        fresh=lambda n, m: 1.0,  # noqa: ARG005  (the design is in the correction)
        tested=("fresh",),
        meaning="S_pMSE with the original's weighted shares, over "
        "what its strata, clusters and weights make of it for people who were not in the "
        "original. About 1: the replica "
        'is as near to the population as another sample of it. With against = "original" it is '
        "not divided by anything: about 1 for a draw from the file's own weighted shares.",
        formula="VW / (k - 1) / (1 + m d / n), d the mean design effect of the cells; against the "
        "original VW / (k - 1)",
        source=_RAO + "; Voas and Williamson (2001)",
        limits="Of the population; S_pMSE itself is of the file, and to divide that by a design "
        "effect is right under neither meaning of 1." + _INSIDE,
    ),
    _table(
        symbol="S_pMSE_survey_p",
        title="p of the weighted table",
        function=lambda row: row["p_first_order"] if math.isnan(row["p"]) else row["p"],
        show={"beside_fresh": 10},
        meaning="How often chance makes an independent sample of the population so different from "
        "this one; small: the replica is of another population.",
        formula="X2 over its eigenvalues' sum as F, second-order correction; first-order from "
        "2,000 cells on",
        source=_RAO,
        limits="One test per table: of twenty, one is below 0.05 by chance. Cautious where tables "
        "are sparse." + _INSIDE,
        ideal=None,
        **P_VALUE,
    ),
    _of_table(
        "TVD",
        title="Total variation distance of weighted shares",
        function=_of("TVD"),
        show={"beside_fresh": 11},
        meaning="Half of the differences between the shares of the population, as the weights "
        "estimate them, and the replica's, added up.",
        formula="1/2 sum |p_o - p_s|, p_o = sum of weights in the cell / sum of weights",
        source="see TVD; its value for people who were not in the original from the linearised "
        "variance",
        limits="Sampling noise makes it positive: read fresh beside it, which knows the design."
        + _INSIDE,
    ),
    _of_table(
        "ROC",
        title="Ratio of weighted counts",
        function=_of("ROC"),
        meaning="How far the cell shares of the population, as the weights estimate them, and the "
        "replica's overlap, on average over cells.",
        formula="mean over cells of min(p_o, p_s) / max(p_o, p_s), p_o by sums of weights",
        source="Taub, Elliot and Sakshaug (2020), Transactions on Data Privacy 13",
        limits="Numbers are grouped, and no cell is left out, however few records it has: rare "
        "ones dominate." + _INSIDE,
    ),
    _table(
        symbol="design_effect",
        title="Design effect of the shares of the original",
        function=_of("design_effect"),
        better="none",
        high=None,
        ideal=None,
        meaning="How much larger the variance of the original's "
        "weighted shares is than that of a simple random sample of as many records.",
        formula="n / (k - 1) sum of V_kk / p_k, V linearised with strata and clusters",
        source=_RAO,
        limits="Nearly a fact about the original: only p_k, the share of both files, is not. "
        "Kish's formula gives it only where there are no clusters and weights tell nothing of the "
        "cells.",
    ),
    _column(
        symbol="compare_z",
        title="Largest standardised difference of a weighted mean or share",
        function=largest_z,
        better="lower",
        high=None,
        ideal=0,
        undefined="it has no values, or they do not vary",
        show={"beside_fresh": 12},
        meaning="How many standard errors of the difference the mean of a number, or the share of "
        "a level, lies from that of the population.",
        formula="largest over levels of |p_o - p_s| / sqrt(se_o^2 + se_s^2), se by the design",
        source="Binder (1983), International Statistical Review 51(3), 279-292",
        limits="0.8 on average for people who were not in the original and one mean; more with "
        "many levels." + _INSIDE,
    ),
    _column(
        symbol="compare_p",
        title="p of the largest difference of a weighted mean or share",
        function=compare_p,
        undefined="it has no values, or they do not vary",
        show={"beside_fresh": 13},
        meaning="How often chance makes the mean or a share of an independent sample differ so "
        "much; small: the replica has another.",
        formula="2 P(t > compare_z) times the number of levels, t with clusters - strata degrees "
        "of freedom",
        source="Student's t, Bonferroni's inequality",
        limits="One test per variable. Large replicas that are a little off have a small p."
        + _INSIDE,
        ideal=None,
        **P_VALUE,
    ),
)
"""What is said of a sample's tables and columns: the list."""

SUBJECT = Subject("crosstables of a sample", tuple(MEASURES))
