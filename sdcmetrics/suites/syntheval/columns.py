"""Rows of a review that SynthEval's metrics of single columns make."""

from __future__ import annotations

from functools import partial

from sdcmetrics.measures.measure import GENERAL_UTILITY, P_VALUE, Measure
from sdcmetrics.suites.metric import Number
from sdcmetrics.suites.syntheval.components import PCA
from sdcmetrics.suites.syntheval.distributions import HELLINGER, KS, QUANTILES
from sdcmetrics.suites.syntheval.moments import CIO, DWM
from sdcmetrics.suites.syntheval.parity import PARITY

METRICS = (DWM, PCA, CIO, KS, HELLINGER, QUANTILES, PARITY)

_SYNTHEVAL = "Lautrup, Hyrup, Zimek and Schneider-Kamp (2024), SynthEval, arXiv:2404.15821"
_NOISE = "Positive by sampling noise alone: read it beside the holdout in the replica's place. "

_lower = partial(
    Measure,
    family=GENERAL_UTILITY,
    better="lower",
    low=0,
    ideal=0,
    source=_SYNTHEVAL,
)

MEASURES: tuple[Measure, ...] = (
    _lower(
        symbol="avg_dwm_diff",
        title="Mean difference of means, in standard deviations",
        function=Number("avg"),
        of=DWM,
        high=None,
        aliases=("dwm", "dimension-wise means"),
        meaning="How far the means of numeric columns are apart, on average over the columns.",
        formula="mean over columns of |mean_s - mean_o| / sd_o",
        limits=f"{_NOISE}Sees means only.",
    ),
    _lower(
        symbol="pca_eigval_diff",
        title="Difference of the shares of variance of principal components",
        function=Number("exp_var_diff"),
        of=PCA,
        high=1,
        aliases=("pca",),
        meaning="How differently the variance of the numeric columns is spread over components.",
        formula="p / (2p - 2) sum |share_o - share_s|, p the columns of numbers",
        limits=f"{_NOISE}Says nothing of which columns a component is made of.",
    ),
    _lower(
        symbol="pca_eigvec_ang",
        title="Angle between the leading spaces of the correlation matrices",
        function=Number("comp_angle_diff"),
        of=PCA,
        high=1,
        meaning="Whether the leading components point the same way; 1 is a right angle.",
        formula="2/pi times the largest principal angle of the axes before the largest gap",
        limits="Has no value where the original's eigenvalues have no gap: there another sample "
        "has other axes too.",
        undefined="the original's eigenvalues have no gap large enough",
    ),
    Measure(
        symbol="avg_cio",
        title="Mean overlap of the confidence intervals of means",
        function=Number("avg overlap"),
        of=CIO,
        family=GENERAL_UTILITY,
        better="higher",
        low=0,
        high=1,
        ideal=1,
        meaning="How far the intervals of the means of numeric columns overlap, over columns.",
        formula="mean of the shares of either interval that both have; 95 %, standard errors",
        source=_SYNTHEVAL + "; Karr et al. (2006), The American Statistician 60",
        limits="Another sample of the original's size has some 0.7, and intervals of large files "
        "are so short that a harmless difference has none.",
    ),
    _lower(
        symbol="ks_tvd_stat",
        title="Mean distance of the distributions of single columns",
        function=Number("avg stat"),
        of=KS,
        high=1,
        one_way=True,
        aliases=("ks_test", "Kolmogorov-Smirnov"),
        meaning="Largest difference of distribution functions for numbers, total variation "
        "distance for categories, on average over the columns.",
        formula="mean over columns of max |F_o - F_s| or 1/2 sum |p_o - p_s|",
        limits=f"{_NOISE}Sees one column at a time.",
    ),
    _lower(
        symbol="frac_ks_sigs",
        title="Share of columns whose distribution differs significantly",
        function=Number("frac sigs"),
        of=KS,
        high=1,
        one_way=True,
        meaning="Columns with a p of at most 0.05 after Holm's adjustment, of all.",
        formula="#{columns: Holm p <= 0.05} / columns",
        limits="A large file makes small differences significant; a copy has none.",
    ),
    Measure(
        symbol="ks_tvd_p",
        title="Smallest p of the distributions of single columns, adjusted",
        function=Number("smallest p"),
        of=KS,
        family=GENERAL_UTILITY,
        ideal=1,
        one_way=True,
        meaning="Probability, at most, that any column of a fresh sample differs so much.",
        formula="smallest p over columns times their number; draws of counts without replacement",
        source=_SYNTHEVAL + "; Holm (1979), Scandinavian Journal of Statistics 6",
        limits="Cannot be below columns / 1000. A copy has a large one.",
        **P_VALUE,
    ),
    _lower(
        symbol="avg_h_dist",
        title="Mean Hellinger distance of single columns",
        function=Number("avg"),
        of=HELLINGER,
        high=1,
        one_way=True,
        aliases=("h_dist",),
        meaning="Distance of the shares of levels, or of deciles of the original, over columns.",
        formula="mean over columns of sqrt(1 - sum sqrt(p_o p_s))",
        limits=f"{_NOISE}Does not see differences inside a decile.",
    ),
    _lower(
        symbol="avg_qMSE",
        title="Mean squared difference of decile shares",
        function=Number("avg qMSE"),
        of=QUANTILES,
        high=2,
        one_way=True,
        aliases=("q_mse", "quantile MSE"),
        meaning="Whether as many records lie in each decile of the original, over columns.",
        formula="mean over columns of sum (p_s - p_o)^2, single values of 10 % or more apart",
        limits=f"{_NOISE}Does not see differences inside a decile.",
    ),
    _lower(
        symbol="parity_diff",
        title="Mean change of statistical parity",
        function=Number("avg difference"),
        of=PARITY,
        high=2,
        aliases=("statistical_parity",),
        meaning="How much the difference between two groups in the rate of an outcome changed.",
        formula="mean over outcomes and groups of |(rate_1 - rate_0)_s - (rate_1 - rate_0)_o|",
        limits=f"{_NOISE}Says nothing of what is fair. Needs target and sensitive in a preset.",
    ),
)
