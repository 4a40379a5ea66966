"""SynthEval's differences of correlation and mutual information matrices, and their rows."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.association.difference import AssociationDifference, compare_matrices
from sdcmetrics.measures.association.mutual import compare_information, normalised_information
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure
from sdcmetrics.suites.metric import Metric, Number, Quantities, Quantity
from sdcmetrics.suites.trio import Trio, numbers_of

_PAIR = 2


def _corr(trio: Trio) -> Quantities:
    difference = compare_matrices(trio.original, trio.synthetic)
    return _shown(difference, "corr_mat")


def _mi(trio: Trio) -> Quantities:
    difference = compare_information(trio.binned, rng=trio.rng("mutual information"))
    return _shown(difference, "mutual_inf", dims="mi_mat_dims")


def _shown(
    difference: AssociationDifference, name: str, *, dims: str = "corr_mat_dims"
) -> Quantities:
    if not difference.pairs:
        msg = "there is no pair of columns that vary in the original"
        raise NotComputable(msg)
    left = difference.not_computable
    reason = f"{left} pairs left out: a column is constant in the original" if left else ""
    return {
        f"{name}_diff": Quantity(
            difference.rms, normalised=max(0.0, 1 - difference.rms), reason=reason
        ),
        "largest": Quantity(difference.largest, normalised=max(0.0, 1 - difference.largest)),
        dims: Quantity(len(difference.names), better="none"),
    }


def _published_corr(trio: Trio, *, mixed_corr: bool = True) -> Quantities:
    matrices = compare_matrices(trio.original, trio.synthetic, mode="published")
    difference = matrices.synthetic - matrices.original
    if not mixed_corr:
        k = len(trio.original.categories)
        difference = difference[k:, k:]
    return _norm(difference, "corr_mat_diff", "corr_mat_dims")


def _published_mi(trio: Trio) -> Quantities:
    original, synthetic = (
        normalised_information([np.unique(one, return_inverse=True)[1].ravel() for one in part])
        for part in numbers_of(trio, categories=True)[:2]
    )
    return _norm(synthetic - original, "mutual_inf_diff", "mi_mat_dims")


def _norm(difference: npt.NDArray[np.float64], name: str, dims: str) -> Quantities:
    p = len(difference)
    if p < _PAIR:
        msg = "there is no pair of columns"
        raise NotComputable(msg)
    value = float(np.sqrt(np.square(difference).sum()))
    normalised = 1 - value / (p * (p - 1) / 2)
    reason = "a column of numbers is constant" if math.isnan(value) else ""
    return {
        name: Quantity(value, normalised=normalised, reason=reason),
        dims: Quantity(p, better="none"),
    }


CORRELATION = Metric(
    "corr_diff",
    _corr,
    "utility",
    ("corr_mat_diff",),
    _published_corr,
    defect="Cramer's V and eta are squared, beside signed correlations that are not, so that "
    "numbers weigh more; Yates' correction takes two equal columns apart; the normalised value "
    "divides by the number of pairs, which the norm never reaches.",
)
INFORMATION = Metric(
    "mi_diff",
    _mi,
    "utility",
    ("mutual_inf_diff",),
    _published_mi,
    defect="Every distinct number is a level, so that numbers tell all of each other: the measure "
    "says how many values are unique.",
)

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
        function=Number("corr_mat_diff"),
        of=CORRELATION,
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
        function=Number("mutual_inf_diff"),
        of=INFORMATION,
        high=None,
        aliases=("mi_diff", "mutual information difference"),
        meaning="The same with mutual information, which sees relations of any shape, on deciles "
        "of the original, less what shuffled columns have.",
        formula="sqrt of the mean over pairs of (NMI_s - NMI_o)^2, both cut to one size",
        limits="Positive by sampling noise alone: read it beside the holdout in the replica's "
        "place. Does not see relations inside a decile.",
    ),
)
