"""Analyses that users declare, as rows of a review: where they are made, and the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pandas as pd

from sdcmetrics.errors import DataError, NotComputable, SdcMetricsError, StudyError
from sdcmetrics.measures.analyses.analysis import Analyses, Analysis
from sdcmetrics.measures.analyses.analysis_overlap import AnalysisOverlap, overlap_of_analysis
from sdcmetrics.measures.analyses.own_function import digest_of, load_function
from sdcmetrics.measures.fits import declared as fits
from sdcmetrics.measures.fits.places import INTERVALS
from sdcmetrics.measures.kind import Given, Kind, Place, Plan, Tell, asks_for
from sdcmetrics.measures.measure import SPECIFIC_UTILITY, Measure, variant_of
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.subject import Subject
from sdcmetrics.measures.survey.files import designs_of

Compared = AnalysisOverlap | SdcMetricsError
"""An analysis of both sides, or why there is none."""


def _analyses(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    for declared, compared in _compared(pair, plan, tell):
        step = f"analysis {declared.name}"
        places = (Place(target=declared.name, model=declared.name),)
        if not isinstance(compared, AnalysisOverlap):
            yield Given(step, places, reason=str(compared))
            continue
        each = compared.per_synthesis if len(compared.per_synthesis) > 1 else ()
        yield Given(
            step,
            places,
            each,
            whole=compared.estimates,
            result=compared,
        )


def _all(pair: Pair, plan: Plan, tell: Tell) -> Iterator[Given]:
    if plan.section(Analyses) is None:
        return
    tables = [
        compared.estimates
        for _, compared in _compared(pair, plan, tell)
        if isinstance(compared, AnalysisOverlap)
    ]
    yield Given("all analyses", (Place(),), whole=tables)


def _compared(pair: Pair, plan: Plan, tell: Tell) -> list[tuple[Analysis, Compared]]:
    section = plan.section(Analyses)
    declared = () if section is None else section.each

    def compare() -> list[tuple[Analysis, Compared]]:
        out: list[tuple[Analysis, Compared]] = []
        for analysis in declared:
            tell(f"analysis {analysis.name}")
            try:
                out.append((analysis, _compare(analysis, pair, plan)))
            except (NotComputable, DataError, StudyError) as reason:
                out.append((analysis, reason))
        return out

    compared: list[tuple[Analysis, Compared]] = pair.cached("analyses", compare)
    return compared


def _compare(analysis: Analysis, pair: Pair, plan: Plan) -> AnalysisOverlap:
    sample = plan.sample
    aside = () if sample is None else sample.no_predictors
    columns = analysis.columns_of([name for name in pair.original.columns if name not in aside])
    data = pair.columns(columns)
    designs = (
        [None] * len(data.sizes) if sample is None else [sample.design, *designs_of(sample, pair)]
    )
    if analysis.path is None:
        return overlap_of_analysis(analysis, data, designs)
    function = pair.cached(
        ("function", analysis.function), lambda: load_function(analysis.function), shared=True
    )
    digest = digest_of(analysis.path)
    return overlap_of_analysis(analysis, data, designs, function, digest)


ANALYSIS = Kind(
    "an analysis",
    "table of estimates, see `AnalysisOverlap`; a number",
    _analyses,
    per="model",
    option=asks_for(Analyses),
    symbols={
        "e_o": "estimate of the original",
        "e_s": "estimate of the replica",
        "se_o": "standard error of the original",
        **INTERVALS,
    },
)
ANALYSES = Kind(
    "all analyses",
    "list of tables of estimates; a number",
    _all,
    option=asks_for(Analyses),
)


def _mean_of(column: str) -> Callable[[pd.DataFrame], float]:
    return lambda table: float(table[column].astype(float).abs().mean())


def _overlap_of(column: str) -> Callable[[pd.DataFrame], float]:
    return lambda table: float(table[column].mean())


def mean_overlap(tables: list[pd.DataFrame]) -> float:
    """Mean over analyses of the mean overlap of each, so that one of many terms counts once."""
    return float(pd.Series([table["CIO_truncated"].mean() for table in tables]).mean())


_KARR = "Karr, Kohnen, Oganian, Reiter and Sanil (2006), The American Statistician 60, 224-232"
_ONLY = (
    "Speaks of the analyses that were declared, and of no other. A term that either side cannot "
    "estimate is named and left out. Errors are of the design where the study has [sample]; "
    "without it they take records to be independent."
)

_NOTHING = "no term has what it is computed from on both sides"
_OF_MODELS = {measure.symbol: measure for measure in fits.MEASURES}


def _of_model(base: str, **entries: Any) -> Measure:
    """Declare what a measure of models is for an analysis."""
    return variant_of(_OF_MODELS[base], "analysis", of=ANALYSIS, undefined=_NOTHING, **entries)


MEASURES: tuple[Measure, ...] = (  # none is released: a group of one has an estimate, too
    _of_model(
        "CIO",
        title="Confidence interval overlap of an analysis",
        function=_overlap_of("CIO"),
        meaning="How far the interval of an estimate from the original, and the same interval "
        "about the estimate from the replica, cover each other. 1 is the same, 0 touching, below 0 "
        "apart. The mean over the terms of an analysis is reported.",
        formula="1 - |e_s - e_o| / (U_o - L_o)",
        source="Raab and Nowok (2017), Inference from fitted models in synthpop; " + _KARR,
        limits="Negative without bound, so that one bad term rules the mean. For as many records, "
        "0.8 is expected of a correct synthesis with the original's parameters, and 0.7 of another "
        "sample of the population. " + _ONLY,
    ),
    _of_model(
        "CIO_truncated",
        symbol="CIO_analysis_truncated",
        title="Confidence interval overlap of an analysis, not below 0",
        function=_overlap_of("CIO_truncated"),
        meaning="CIO_analysis with 0 for intervals that lie apart.",
        formula="max(0, CIO)",
        source="a common reading of " + _KARR,
        limits="Does not tell how far apart intervals are. " + _ONLY,
    ),
    _of_model(
        "Karr",
        title="Overlap of both sides' confidence intervals of an analysis",
        function=_overlap_of("Karr"),
        meaning="CIO_analysis with each interval as its own side has it: a replica that claims too "
        "much or too little certainty loses.",
        formula="1/2 [(U - L) / (U_o - L_o) + (U - L) / (U_s - L_s)]",
        source=_KARR,
        limits="A replica of another size, or without the original's weights, has other widths. "
        + _ONLY,
    ),
    _of_model(
        "std_diff",
        title="Standardised difference of the estimates of an analysis",
        function=_mean_of("std_diff"),
        meaning="Synthetic minus original estimate, in standard errors of the original. The mean "
        "absolute value over the terms is reported: 0.8 is expected of a correct synthesis of as "
        "many records, and 1.1 of another sample of the population.",
        formula="mean |e_s - e_o| / se_o",
        source="Raab and Nowok (2017), Inference from fitted models in synthpop",
        limits="Grows with the size of the original for the same bias. " + _ONLY,
    ),
    Measure(
        symbol="same_conclusions",
        family=SPECIFIC_UTILITY,
        of=ANALYSIS,
        title="Same sign and significance",
        function=lambda table: 100.0 * float(table["same"].astype(float).mean()),
        undefined="its estimates are not tested against anything",
        unit="percent",
        better="higher",
        low=0,
        high=100,
        ideal=100,
        meaning="Terms of which original and replica give the same answer: the same sign, and "
        "both significant at 5 % or neither.",
        formula="100 (terms of the same sign and significance) / terms",
        source="Barrientos, Bolton, Balmat, Reiter et al. (2018), Annals of Applied Statistics "
        "12(2), 1124-1156",
        limits="Coarse: an estimate at the edge of significance is another answer in half of all "
        "samples of the population. " + _ONLY,
    ),
    Measure(
        "CIO_analyses",
        mean_overlap,
        of=ANALYSES,
        family=SPECIFIC_UTILITY,
        title="Mean overlap of all analyses",
        undefined="no analysis can be compared",
        better="higher",
        low=0,
        high=1,
        ideal=1,
        meaning="Mean over the declared analyses of CIO_analysis_truncated: each counts once, "
        "however many terms it has.",
        formula="mean over analyses of the mean over terms of max(0, CIO)",
        source=_KARR,
        limits="Says nothing of which analysis is lost. " + _ONLY,
    ),
)

SUBJECT = Subject("analyses", MEASURES, section=Analyses)
