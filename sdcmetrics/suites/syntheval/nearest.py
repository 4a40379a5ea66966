"""Rows of a review that SynthEval's metrics of nearest records make."""

from __future__ import annotations

from functools import partial
from typing import Any

from sdcmetrics.measures.measure import DISCLOSURE_RISK, GENERAL_UTILITY, Measure
from sdcmetrics.measures.reference_values import ReferenceValues
from sdcmetrics.suites.metric import Metric, Number
from sdcmetrics.suites.syntheval.adversarial import NNAA
from sdcmetrics.suites.syntheval.ratios import DCR, NNDR
from sdcmetrics.suites.syntheval.risks import EPSILON, HITS

METRICS = (NNAA, NNDR, DCR, HITS, EPSILON)

_SYNTHEVAL = "Lautrup, Hyrup, Zimek and Schneider-Kamp (2024), SynthEval, arXiv:2404.15821"
_ALONE = "An average: a hundred people who leak do not move it."
_HOUSEHOLDS = (
    " Persons of one household are not exchangeable with others: where whole households are in "
    "one file, "
)
_ERRORS = _HOUSEHOLDS + "its interval covers some 88 % where 95 % is stated."

_risk = partial(Measure, family=DISCLOSURE_RISK, low=0, high=1, ideal=None)


def _loss(metric: Metric, symbol: str, *, of: str, limits: str, source: str) -> Measure:
    value = Number("priv_loss")
    return _risk(
        symbol=symbol,
        title=f"{of} of the original, less that of the holdout",
        function=value,
        of=metric,
        reference_values=ReferenceValues(
            "P3", value.of_copy, "yes", "original and holdout", fresh=0.0
        ),
        better="lower",
        low=-1,
        meaning="How much more the replica knows of the people it was made of than of others: 0 "
        "if it knows nothing of single people.",
        formula="the measure of the original's records, less the same of the holdout's",
        source=source,
        undefined="there is no holdout",
        limits=limits,
    )


def _whole(metric: Metric, quantity: str, copy: float | None, **declaration: Any) -> Measure:
    value = Number(quantity)
    if copy is None:
        reference_values = ReferenceValues("P1", value.of_copy, "yes", "original")
    else:
        reference_values = ReferenceValues("P1", copy, "yes", "constant")
    return _risk(function=value, of=metric, reference_values=reference_values, **declaration)


MEASURES: tuple[Measure, ...] = (
    Measure(
        symbol="nnaa",
        title="Nearest-neighbour adversarial accuracy",
        function=Number("avg"),
        of=NNAA,
        family=GENERAL_UTILITY,
        better="none",
        low=0,
        high=1,
        ideal=None,
        aliases=("adversarial accuracy",),
        meaning="How often the nearest record is of the same data set: 0.5 where the data sets "
        "cannot be told apart, 1 where they are far from each other, 0 for a copy.",
        formula="mean of P(d_os > d_oo) and P(d_so > d_ss) at the smaller size, ties one half",
        source="Yale et al. (2020), Neurocomputing 416; " + _SYNTHEVAL,
        limits=f"Half copies and half nonsense have 0.5 as well. {_ALONE}{_HOUSEHOLDS}"
        "people who were not in the original have far more than 0.5.",
    ),
    _loss(
        NNAA,
        "priv_loss_nnaa",
        of="Adversarial accuracy of the holdout less that",
        source="Yale et al. (2020), Neurocomputing 416; " + _SYNTHEVAL,
        limits="Original and holdout are cut to one size at random. " + _ALONE,
    ),
    _whole(
        NNDR,
        "avg",
        0.0,
        symbol="avg_nndr",
        title="Mean ratio of the nearest to the second nearest replica record",
        better="higher",
        aliases=("nndr",),
        meaning="Whether single replica records are much nearer to a person than all others: "
        "near 0 where one is.",
        formula="mean over original records of d_1 / d_2, 0 where both are 0",
        source=_SYNTHEVAL + "; Zhao et al. (2021), CTAB-GAN",
        limits="A copy of every record twice, or of common records, is at 0 as well. " + _ALONE,
    ),
    _loss(
        NNDR,
        "priv_loss_nndr",
        of="Mean ratio of the holdout less that",
        source=_SYNTHEVAL,
        limits=_ALONE + _ERRORS,
    ),
    _whole(
        DCR,
        "mDCR",
        0.0,
        symbol="median_DCR",
        title="Median distance to the closest original record, over that of originals",
        high=None,
        better="higher",
        aliases=("mDCR",),
        meaning="Whether replica records are as far from the original's as these are from each "
        "other: 1 for people who were not in the original, 0 for a copy.",
        formula="median over replica records of d_so / median over original records of d_oo",
        source=_SYNTHEVAL,
        undefined="half of the original records or more have a duplicate",
        limits="A median: half of the replica may be copies of people. No green light."
        f"{_HOUSEHOLDS}people who were not in the original have far more than 1.",
    ),
    _whole(
        HITS,
        "hit rate",
        1.0,
        symbol="hit_rate",
        title="Share of original records that a replica record nearly equals",
        better="lower",
        aliases=("hitting rate",),
        meaning="Original records with a replica record of the same categories and all numbers "
        "within a thirtieth of the range.",
        formula="#{o: some s has equal categories, |x_o - x_s| <= (q99 - q01) / 30} / n_o",
        source=_SYNTHEVAL,
        limits="Common records are hit by chance: compare it with the holdout's.",
    ),
    _loss(
        HITS,
        "priv_loss_hit_rate",
        of="Share of hits",
        source=_SYNTHEVAL,
        limits=_ALONE + _ERRORS,
    ),
    _whole(
        EPSILON,
        "eps_risk",
        None,
        symbol="eps_identif_risk",
        title="Epsilon identifiability",
        better="lower",
        aliases=("eps_risk", "epsilon identifiability risk"),
        meaning="Original records that are nearer to a replica record than to any other "
        "original, where rare distinctions of a column weigh more.",
        formula="#{o: d_os < d_oo} / n_o, Gower's distance weighted by 1 / entropy",
        source="Yoon, Drumright and van der Schaar (2020), IEEE JBHI 24; " + _SYNTHEVAL,
        limits="Another sample of the original's size has one half, more records more. "
        f"{_ALONE}{_HOUSEHOLDS}people who were not in the original have far less.",
    ),
    _loss(
        EPSILON,
        "priv_loss_eps",
        of="Epsilon identifiability",
        source=_SYNTHEVAL,
        limits=f"Its interval covers 92 % where 95 % is stated. {_ALONE}{_HOUSEHOLDS}"
        "people who were not in the original are far below 0, and a leak is hidden.",
    ),
)
