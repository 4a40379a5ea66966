"""Corrections of the published tests: a number beside the holdout's, and a valid p."""

from __future__ import annotations

import math

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables.chi_square import holm, two_samples
from sdcmetrics.measures.exchangeable import LabelTest, label_test
from sdcmetrics.suites.daisynt.beside_holdout import BESIDE_FRESH
from sdcmetrics.suites.daisynt.figure_data import Numbers, PowerTable, shape
from sdcmetrics.suites.daisynt.information_value import PowerGap, power_gap
from sdcmetrics.suites.daisynt.one_variable import Discrepancy, discrepancy
from sdcmetrics.suites.daisynt.outcome import Finding, SuiteTest
from sdcmetrics.suites.daisynt.published import close_to_replica, link
from sdcmetrics.suites.daisynt.sets import HOLDOUT, ORIGINAL, SYNTHETIC, Sets

_DRAWS = 999

_DRAWN = 3
"""Numbers whose distributions are drawn: those that are furthest apart."""


def _power(sets: Sets) -> tuple[PowerGap, list[str]]:
    return sets.cached("power", lambda: _powers(sets))


def _powers(sets: Sets) -> tuple[PowerGap, list[str]]:
    coded = sets.grouped([HOLDOUT, SYNTHETIC], "inverted_cdf")
    names = [name for name in coded.variables if name != sets.predicted]
    with_outcome = [sets.outcome[part] >= 0 for part in (HOLDOUT, SYNTHETIC)]
    groups = [
        np.concatenate(
            [
                coded.variables[name].parts[part][keep].astype(np.int64)
                for part, keep in zip((HOLDOUT, SYNTHETIC), with_outcome, strict=True)
            ]
        )
        for name in names
    ]
    target = np.concatenate(
        [
            sets.outcome[part][keep]
            for part, keep in zip((HOLDOUT, SYNTHETIC), with_outcome, strict=True)
        ]
    )
    households = sets.households_of(HOLDOUT, SYNTHETIC)
    if households is not None:
        households = households.subset(np.concatenate(with_outcome))
    gap = power_gap(
        groups, target, int(with_outcome[0].sum()), rng=sets.rng("IV_gap"), households=households
    )
    return gap, names


def _iv_gap(sets: Sets) -> Finding:
    gap, names = _power(sets)
    evidence = {
        name: (float(s - h), float(error))
        for name, h, s, error in zip(names, gap.holdout, gap.synthetic, gap.error, strict=True)
        if not math.isnan(h + s)
    }
    left = [name for name in names if name not in evidence]
    return Finding(
        gap.gap,
        gap.fresh_gap,
        gap.gap_p,
        {"difference and its error": evidence},
        f"a class lacks a group of {', '.join(left)}" if left else "",
        lambda: PowerTable(tuple(names), gap),
    )


def _iv_ccc(sets: Sets) -> Finding:
    gap, _ = _power(sets)
    if math.isnan(gap.ccc):
        msg = "fewer than 3 variables have an information value"
        raise NotComputable(msg)
    return Finding(gap.ccc, gap.fresh_ccc, gap.ccc_p)


def _mmd(sets: Sets) -> Finding:
    results: dict[str, Discrepancy] = {}
    households = sets.households_of(HOLDOUT, SYNTHETIC)
    for name, parts in sets.values.items():
        try:
            results[name] = discrepancy(
                parts[HOLDOUT], parts[SYNTHETIC], rng=sets.rng(f"MMD {name}"), households=households
            )
        except NotComputable:
            continue
    if not results:
        msg = "there is no column of numbers with enough values"
        raise NotComputable(msg)
    sizes = {name: result.unbiased for name, result in results.items()}
    p = {name: result.p_value for name, result in results.items()}
    return Finding(
        float(np.mean([*sizes.values()])),
        0.0,
        float(holm([*p.values()]).min()),
        {"MMD squared": sizes, "p": p},
        shown=lambda: _shapes(sets, results),
    )


def _shapes(sets: Sets, results: dict[str, Discrepancy]) -> Numbers:
    varies = [name for name, result in results.items() if result.sigma > 0]
    # The statistics are in standard deviations of each one's own null, so that they compare.
    varies.sort(key=lambda name: -results[name].statistic)
    return Numbers(
        tuple(
            shape(name, sets.values[name][HOLDOUT], sets.values[name][SYNTHETIC], results[name])
            for name in varies[:_DRAWN]
        )
    )


def _chi2(sets: Sets) -> Finding:
    coded = sets.grouped([HOLDOUT, SYNTHETIC], "inverted_cdf")
    squares, fresh, p = {}, {}, {}
    households = sets.households_of(HOLDOUT, SYNTHETIC)
    records = sets.data.sizes[HOLDOUT] + sets.data.sizes[SYNTHETIC]
    for name, variable in coded.variables.items():
        counts = [
            np.bincount(variable.parts[part], minlength=variable.size)
            for part in (HOLDOUT, SYNTHETIC)
        ]
        rng = sets.rng(f"chi2_V {name}")
        drawn = None
        if households is not None:
            cells = np.concatenate([variable.parts[part] for part in (HOLDOUT, SYNTHETIC)])
            drawn = households.counts(cells, variable.size, _DRAWS, rng)
        result, v = two_samples(*counts, rng=rng, drawn=drawn)
        squares[name], p[name] = v**2, result.p_value
        fresh[name] = result.df / (records - 1)  # exact: the mean of V squared, labels permuted
    return Finding(
        math.sqrt(np.mean([*squares.values()])),
        math.sqrt(np.mean([*fresh.values()])),
        float(holm([*p.values()]).min()),
        {"V": {name: math.sqrt(v) for name, v in squares.items()}, "p": p},
    )


def _of_labels(test: LabelTest) -> Finding:
    return Finding(
        test.training / test.n_training,
        test.holdout / test.n_holdout,
        test.p_value,
        {"training": test.training, "holdout": test.holdout, "expected": test.expected},
    )


def _identical(sets: Sets) -> Finding:
    parts = sets.identities
    inside, outside = (np.isin(parts[i], parts[SYNTHETIC]) for i in (ORIGINAL, HOLDOUT))
    households = sets.households_of(ORIGINAL, HOLDOUT)
    return _of_labels(label_test(np.append(inside, outside), len(inside), households, sets.seed))


def _close(sets: Sets) -> Finding:
    coded = sets.grouped([ORIGINAL, HOLDOUT], "inverted_cdf").variables.values()
    codes = [np.array([coded_sets.parts[part] for coded_sets in coded]) for part in range(3)]
    return _of_labels(close_to_replica(*codes, households=sets.households_of(ORIGINAL, HOLDOUT)))


def _link(sets: Sets) -> Finding:
    linked = link(sets, [ORIGINAL, HOLDOUT])
    top = linked.top
    return Finding(
        linked.nearest_auc,
        0.5,
        linked.nearest_p,
        {
            "nearest 1 %": top.training + top.holdout,
            "of them training": top.training,
            "p of these": top.p_value,
        },
    )


CORRECTED: tuple[SuiteTest, ...] = (
    BESIDE_FRESH["rho_mad"],
    SuiteTest("IV_gap", "Predictive power", "General", "basic", _iv_gap, holdout=True),
    SuiteTest("IV_ccc", "Predictive power", "General", "basic", _iv_ccc, holdout=True),
    SuiteTest(
        "mean_MMD",
        "Univariate distributions (MMD)",
        "Distributions",
        "in-depth",
        _mmd,
        holdout=True,
    ),
    SuiteTest(
        "chi2_V", "Univariate distributions (bins)", "Distributions", "basic", _chi2, holdout=True
    ),
    BESIDE_FRESH["MMD_joint"],
    BESIDE_FRESH["C2ST_AUC"],
    BESIDE_FRESH["aggregate_gap"],
    BESIDE_FRESH["pred_rho"],
    BESIDE_FRESH["CKA_rel"],
    SuiteTest("identical", "Cloned rows", "Privacy", "basic", _identical, holdout=True),
    SuiteTest("close", "Close rows", "Privacy", "basic", _close, holdout=True),
    SuiteTest("MIA_AUC", "Linkability by distance", "Privacy", "basic", _link, holdout=True),
    BESIDE_FRESH["MIA_error_AUC"],
    BESIDE_FRESH["inference_excess"],
)
