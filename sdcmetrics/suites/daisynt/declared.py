"""Rows of a review that DAISYnt's corrected tests make, where a study asks for the preset."""

from __future__ import annotations

from functools import partial
from typing import Any

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.measure import (
    DISCLOSURE_RISK,
    GENERAL_UTILITY,
    P_VALUE,
    SPECIFIC_UTILITY,
    Measure,
)
from sdcmetrics.measures.reference_values import ReferenceValues
from sdcmetrics.measures.subject import Subject
from sdcmetrics.suites.daisynt.corrected import CORRECTED
from sdcmetrics.suites.daisynt.outcome import Finding, SuiteTest
from sdcmetrics.suites.daisynt.sets import Sets
from sdcmetrics.suites.metric import Metric, Number, Quantities, Quantity
from sdcmetrics.suites.trio import Trio


def _metric(test: SuiteTest) -> Metric:
    def finding(trio: Trio) -> Finding:
        result: Finding = trio.cached(("finding", test.symbol), lambda: test.outcome(Sets.of(trio)))
        return result

    def quantities(trio: Trio) -> Quantities:
        result = finding(trio)
        words: Any = {"better": "none", "reason": result.note}
        return {
            "value": Quantity(result.value, fresh=result.fresh, **words),
            "p": Quantity(result.p, **words),
        }

    def shown(trio: Trio) -> Any:
        try:
            return finding(trio).drawn_of()
        except NotComputable:
            return None

    dimension: Any = "privacy" if test.group == "Privacy" else "utility"
    return Metric(
        test.symbol,
        quantities,
        dimension,
        ("value",),
        suite="DAISYnt",
        beside_holdout=True,
        shown=shown,
    )


_BY_SYMBOL = {
    # The share of identical records and its p are rows of every review: exact_copies, identical_p.
    test.symbol: _metric(test)
    for test in CORRECTED
    if test.symbol != "identical"
}
METRICS = tuple(_BY_SYMBOL.values())

_SOURCE = "Visani, Graffi, Alfero, Bagli, Capuzzo and Chesani (2022), arXiv:2204.06297, corrected"
_BLIND = (
    "A copy of the original is not found by it: it scores as people who were not in the original "
    "do."
)
_FAMILY = {
    "General": GENERAL_UTILITY,
    "Distributions": GENERAL_UTILITY,
    "Utility": SPECIFIC_UTILITY,
}
_GROUP = {test.symbol: test.group for test in CORRECTED}


def _row(symbol: str, quantity: str, **options: Any) -> Measure:
    metric = _BY_SYMBOL[symbol]
    value = Number(quantity)
    risk = _GROUP[symbol] == "Privacy"
    tells: Any = "yes" if symbol in ("close", "MIA_AUC") else "weakly"
    return Measure(
        symbol=symbol if quantity == "value" else f"{symbol}_p",
        function=value,
        of=metric,
        family=DISCLOSURE_RISK if risk else _FAMILY[_GROUP[symbol]],
        reference_values=ReferenceValues("P3", value.of_copy, tells, "original and holdout")
        if risk
        else None,
        ideal=None,
        source=_SOURCE,
        show={"beside_fresh": 10 + 2 * list(_BY_SYMBOL).index(symbol) + (quantity == "p")},
        **options,
    )


_lower = partial(_row, quantity="value", better="lower")
_higher = partial(_row, quantity="value", better="higher")


def _p(symbol: str, limits: str) -> Measure:
    return _row(
        symbol,
        "p",
        title=f"p of {symbol}",
        meaning=f"Probability that people who were not in the original have as large a finding as "
        f"{symbol} is, or larger.",
        formula=f"labels exchanged at random; of several columns, Holm's: see {symbol}",
        limits=limits,
        **P_VALUE,
    )


_ALONE = "Blind to few copies: an average over all records."
_MODELS = "Hangs on boosted trees; without a p, as differences of models have none here."

MEASURES: tuple[Measure, ...] = (
    _lower(
        "rho_mad",
        title="Mean absolute difference of the associations of two columns",
        low=0,
        high=2,
        meaning="How far correlations and other associations are from those of the holdout.",
        formula="mean over pairs of columns |r_s - r_h|; numbers by ranks, Cramer's V, eta",
        limits=f"Chance adds to it: read it beside the holdout. {_BLIND}",
    ),
    _p("rho_mad", _BLIND),
    _lower(
        "IV_gap",
        title="Largest difference of information values",
        low=0,
        high=None,
        meaning="How much predictive power of a single variable for the target is lost or added.",
        formula="max over variables |IV_s - IV_h|, each less what chance adds",
        limits=f"A variable of which a class lacks a group is left out. {_BLIND}",
    ),
    _p("IV_gap", _BLIND),
    _higher(
        "IV_ccc",
        title="Concordance of information values",
        low=-1,
        high=1,
        meaning="Whether the variables have the predictive power that they have in the holdout.",
        formula="Lin's concordance of IV_s and IV_h, each less what chance adds",
        limits=f"Needs three variables, and means little of few. {_BLIND}",
    ),
    _p("IV_ccc", _BLIND),
    _lower(
        "mean_MMD",
        one_way=True,
        title="Mean squared discrepancy of single numbers",
        low=-1,
        high=2,
        meaning="How far the distributions of single numbers are apart; 0 on average for people "
        "who were not in the original.",
        formula="mean over numbers of MMD squared, unbiased, Gaussian kernel of median width",
        limits=f"Blind to what hangs together. {_BLIND}",
    ),
    _p("mean_MMD", _BLIND),
    _lower(
        "chi2_V",
        one_way=True,
        title="Cramer's V of data set and groups of a variable",
        low=0,
        high=1,
        meaning="How far the groups of single variables are apart; lost levels count.",
        formula="root of the mean over variables of V squared; numbers in deciles of both",
        limits=f"Chance adds to it: read it beside the holdout. {_BLIND}",
    ),
    _p("chi2_V", _BLIND),
    _lower(
        "MMD_joint",
        title="Squared discrepancy of all numbers together",
        low=-1,
        high=2,
        meaning="How far numbers are from coming from one distribution; 0 on average for people "
        "who were not in the original.",
        formula="MMD squared of all numbers, unbiased, Gaussian kernel of median width",
        limits=f"Records that lack a number are left out. {_BLIND}",
    ),
    _p("MMD_joint", _BLIND),
    _lower(
        "C2ST_AUC",
        title="How well boosted trees tell replica from original",
        low=0,
        high=1,
        meaning="Chance that a replica record looks more synthetic than an original one: 0.5 where "
        "they cannot be told apart.",
        formula="AUC of records that the model has not seen, from one split",
        limits=f"One split of the records, at random. {_BLIND}",
    ),
    _p("C2ST_AUC", _BLIND),
    _lower(
        "aggregate_gap",
        title="What is lost by learning from the replica",
        low=-1,
        high=1,
        meaning="How much worse the target of the holdout is predicted than by a model of the "
        "original; about 0 for a replica of people who were not in the original.",
        formula="AUC by half of the original less AUC by as many replica records, mean of 5 splits",
        limits=_MODELS,
    ),
    _higher(
        "pred_rho",
        title="Rank correlation of predictions by replica and original",
        low=-1,
        high=1,
        meaning="Whether people of the holdout are put in the same order by a model of the "
        "replica as by one of the original.",
        formula="Spearman's correlation of the chances that both give, mean of 5 splits",
        limits=f"What two halves of the original give is below 1. {_MODELS}",
    ),
    _higher(
        "CKA_rel",
        title="Likeness of networks inside, relative to a refit",
        low=None,
        high=None,
        meaning="Whether a network of the replica represents people as one of the original does: "
        "0 is untrained, 1 the same network refitted.",
        formula="(CKA - CKA untrained) / (CKA of a refit - CKA untrained), debiased, mean of 3",
        limits="None where a refit is no more alike than an untrained network. Without a p.",
        undefined="a trained network is as alike as an untrained",
    ),
    _lower(
        "close",
        title="Share of original records with a replica record one column away",
        low=0,
        high=1,
        meaning="How many people the replica nearly holds, beside how many of the holdout.",
        formula="#{o: some s differs in at most one column} / n_o, numbers in deciles",
        limits="Much by chance, and all for data of few columns: compare it with the holdout's.",
    ),
    _p("close", "Little power where most people are close to a replica record."),
    _lower(
        "MIA_AUC",
        title="How well distances tell original from holdout records",
        low=0,
        high=1,
        meaning="Chance that an original record is nearer to the replica than a holdout record: "
        "0.5 if the replica knows nobody.",
        formula="AUC of the distance to the nearest replica record on the axes of FAMD",
        limits=_ALONE,
    ),
    _p("MIA_AUC", _ALONE),
    _lower(
        "MIA_error_AUC",
        title="How well errors of the replica's network tell original from holdout records",
        low=0,
        high=1,
        meaning="Chance that a network of the replica errs less for an original record than for a "
        "holdout record: 0.5 if the replica knows nobody.",
        formula="AUC of the loss of the target",
        limits=_ALONE,
    ),
    _p("MIA_error_AUC", _ALONE),
    _lower(
        "inference_excess",
        title="What is inferred better of original than of holdout records",
        low=None,
        high=1,
        meaning="How much more of a sensitive column a model of the replica infers of its people "
        "than of others, of the riskiest column.",
        formula="ratio of errors of the holdout less that of the original",
        limits=f"Says nothing of what can be inferred of everybody. {_ALONE}",
    ),
    _p("inference_excess", _ALONE),
)

SUBJECT = Subject("daisynt", tuple(MEASURES))
