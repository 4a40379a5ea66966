"""General utility by propensity models: the list."""

from __future__ import annotations

from functools import partial
from operator import itemgetter

from sdcmetrics.measures.kind import Kind
from sdcmetrics.measures.measure import GENERAL_UTILITY, Measure, Twin
from sdcmetrics.measures.propensity.places import CART, LOGIT, Propensity
from sdcmetrics.measures.subject import Subject

_SNOKE = "Snoke, Raab, Nowok, Dibben and Slavkovic (2018), JRSS A 181(3)"
_RAAB = "Raab, Nowok and Dibben (2021), arXiv:2109.12717"
_BOWEN = "Bowen, Liu and Su (2021), SPECKS; " + _RAAB

_KEPT = "Missing values on one side only are kept, where synthpop drops the records."
_DIFFERS = (
    "A logistic fit that is separated is solved stably and noted, where synthpop may return 0.25. "
    f"{_KEPT}"
)
_LOGIT = "logistic regression with main effects and, unless told otherwise, all pairs"
_CART = "a classification tree"
_UNSPLIT = (
    " 0 where the tree has no split, which tells nothing: none makes more records be told right, "
    "as where a good replica has many times the original's records."
)


def _fresh(n_original: float, n_synthetic: float) -> float:
    """Return what a fresh sample is expected to give, for at least 1.5 records per parameter."""
    return 1.0 + n_synthetic / n_original


_score = partial(
    Measure,
    family=GENERAL_UTILITY,
    of=LOGIT,
    better="lower",
    low=0,
    ideal=None,
)


def _twin(name: str, of: Kind = LOGIT) -> Twin:
    differs = _DIFFERS if of is LOGIT else _KEPT
    return Twin(name, function="utility.gen", differs=differs, rtol=1e-8)


def _p_mse(symbol: str, of: Kind, model: str) -> Measure:
    return _score(
        symbol=symbol,
        of=of,
        title="Propensity score mean squared error by " + model.partition(" with")[0],
        function=itemgetter("pMSE"),
        high=0.25,
        meaning="How well " + model + " tells synthetic from original records, all variables "
        "together.",
        formula="mean of (score - c)^2, c the share of synthetic records",
        source=_SNOKE,
        limits="At most c (1 - c). Positive by sampling noise alone, the more so the more "
        f"parameters the model has.{_UNSPLIT if of is CART else ''}",
        twin=_twin("pMSE", of),
    )


def _specks(symbol: str, of: Kind, model: str) -> Measure:
    return _score(
        symbol=symbol,
        of=of,
        title="Kolmogorov-Smirnov distance of the scores of " + model.partition(" with")[0],
        function=itemgetter("SPECKS"),
        high=1,
        meaning="The largest gap between the distributions of the scores of synthetic and of "
        "original records, by " + model + ".",
        formula="max |F_s(score) - F_d(score)|",
        source=_BOWEN,
        limits=f"Positive by sampling noise alone.{_UNSPLIT if of is CART else ''}",
        twin=_twin("SPECKS", of),
    )


MEASURES: tuple[Measure, ...] = (
    _p_mse("pMSE_logit", LOGIT, _LOGIT),
    _score(
        symbol="S_pMSE_logit",
        fresh=_fresh,
        tested=("fresh", "drawn"),
        title="Standardised pMSE by logistic regression",
        function=itemgetter("S_pMSE"),
        high=None,
        meaning="pMSE over the value that is expected when the replica comes from the right "
        "distribution: 1 for draws from the original itself, 1 + n_s/n_d of a fresh sample.",
        formula="pMSE N / (df (1 - c)^2 c), df the coefficients besides the intercept",
        source=_SNOKE,
        limits="1 + n_s/n_d holds with at least 1.5 records of the smaller data set per "
        "coefficient: with fewer, people who were not in the original have up to a fifth more, "
        "and what is expected of them "
        "(`fresh`) is the mean over permuted labels. Whole households that are drawn anew have "
        "more.",
        twin=_twin("S_pMSE"),
    ),
    _specks("SPECKS_logit", LOGIT, _LOGIT),
    _score(
        symbol="PO50_logit",
        title="Percent over 50 told apart by logistic regression, cut at 1/2",
        function=itemgetter("PO50"),
        low=-50,
        high=50,
        meaning="Percent of records, over 50, whose data set is told right by a score above 1/2.",
        formula="100 (sum s [score > 1/2] + sum d [score <= 1/2]) / N - 50",
        source=_RAAB,
        limits="With data sets of unequal size not 0 even if nothing tells them apart.",
        twin=_twin("PO50"),
        unit="percent",
    ),
    _score(
        symbol="PO50_c_logit",
        title="Percent over 50 told apart by logistic regression, cut at c",
        function=itemgetter("PO50_c"),
        low=-50,
        high=50,
        meaning="Percent of records, over 50, whose data set is told right by a score above the "
        "share of synthetic records.",
        formula="100 (sum s [score > c] + sum d [score <= c]) / N - 50",
        source=_RAAB,
        limits="With data sets of unequal size not 0 even if nothing tells them apart.",
        unit="percent",
    ),
    _score(
        symbol="U_logit",
        title="Wilcoxon rank-sum statistic of the scores of logistic regression",
        function=itemgetter("U"),
        high=None,
        meaning="Pairs of a synthetic and an original record in which the synthetic one scores "
        "higher.",
        formula="sum over pairs [score_s > score_d] + 1/2 [score_s = score_d]",
        source=_RAAB,
        limits="Scales with n_s n_d: only comparable between replicas of one size.",
        twin=_twin("U"),
    ),
    _p_mse("pMSE_cart", CART, _CART),
    _specks("SPECKS_cart", CART, _CART),
)

SUBJECT = Subject("propensity", tuple(MEASURES), section=Propensity)
