"""Rows of a review on what columns tell of each other."""

from __future__ import annotations

from functools import partial

from sdcmetrics.measures.association.metrics import CORRELATION, INFORMATION
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure
from sdcmetrics.measures.subject import Subject

METRICS = (CORRELATION, INFORMATION)

_pairs = partial(
    Measure,
    family=GENERAL_UTILITY,
    better="lower",
    low=0,
    ideal=0,
    source="Lautrup, Hyrup, Zimek and Schneider-Kamp (2024), SynthEval, arXiv:2404.15821",
    undefined="there is no pair of columns that vary in the original",
)

MEASURES: tuple[Measure, ...] = (
    _pairs(
        symbol="corr_mat_diff",
        title="Root mean squared difference of associations",
        function=CORRELATION.value("corr_mat_diff"),
        of=CORRELATION.kind,
        high=2,
        aliases=("corr_diff", "mixed correlation matrix difference"),
        meaning="How far pairs of columns are from telling as much of each other as in the "
        "original: correlations, correlation ratios and Cramer's V, corrected for chance.",
        formula="sqrt of the mean over pairs of (association_s - association_o)^2",
        limits="Positive by sampling noise alone: read it beside the holdout in the replica's "
        "place. Sees linear relations of numbers only.",
    ),
    _pairs(
        symbol="mutual_inf_diff",
        title="Root mean squared difference of normalised mutual information",
        function=INFORMATION.value("mutual_inf_diff"),
        of=INFORMATION.kind,
        high=None,
        aliases=("mi_diff", "mutual information difference"),
        meaning="The same with mutual information, which sees relations of any shape, on deciles "
        "of the original, less what shuffled columns have.",
        formula="sqrt of the mean over pairs of (NMI_s - NMI_o)^2, both cut to one size",
        limits="Positive by sampling noise alone: read it beside the holdout in the replica's "
        "place. Does not see relations inside a decile.",
    ),
)

SUBJECT = Subject("association", tuple(MEASURES))
