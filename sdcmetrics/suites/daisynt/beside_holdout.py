"""Corrected tests by models and correlations, each with its value for the holdout."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.association.difference import AssociationDifference
from sdcmetrics.measures.association.matrix import association_matrix
from sdcmetrics.measures.attacks.membership import rank_test
from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.measures.prediction.cross_fitting import folds
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.prediction.scores import auc
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Ints
from sdcmetrics.microdata.mixed import Mixed
from sdcmetrics.suites.daisynt.figure_data import RocCurve, RocCurves, roc
from sdcmetrics.suites.daisynt.inference_risk import inference_risk
from sdcmetrics.suites.daisynt.models import (
    BOOSTING,
    LEARNER_OF,
    NETWORK,
    ORIGIN,
    learn,
    origin,
    records_of,
    with_outcome,
)
from sdcmetrics.suites.daisynt.outcome import Finding, SuiteTest
from sdcmetrics.suites.daisynt.predictive import chances, check_roles, complete, errors, guesses
from sdcmetrics.suites.daisynt.representation import debiased_cka, hidden
from sdcmetrics.suites.daisynt.sets import HOLDOUT, ORIGINAL, SYNTHETIC, Sets
from sdcmetrics.suites.daisynt.several_variables import joint_discrepancy

_RELABELLED = 99
_HALVES = 5
"""Random halves of the original: their mean is read, as one alone is chance."""
_SEEDS = 3
"""Networks per comparison: the start alone moves them."""
_LEAST = 0.05
"""Where two trained networks are no more alike than this beyond an untrained one, CKA is blind."""


def _mean_difference(sets: Sets) -> Finding:
    together = _mixed(sets)
    h = sets.data.sizes[HOLDOUT]
    everybody, households = np.arange(together.n), sets.households_of(HOLDOUT, SYNTHETIC)
    rng = sets.rng("rho_mad")

    def compared(order: Ints) -> AssociationDifference:
        first, second = (
            association_matrix(_ranked(together.subset(part))) for part in (order[:h], order[h:])
        )
        return AssociationDifference(together.names, first, second)

    def reordered() -> Ints:
        return rng.permutation(everybody) if households is None else households.order(rng)

    correlations = compared(everybody)
    value = _mad(correlations)
    if math.isnan(value):
        msg = "there is no pair of columns that vary"
        raise NotComputable(msg)
    drawn = np.array([_mad(compared(reordered())) for _ in range(_RELABELLED)])
    worst = correlations.frame["difference"].head(3)
    return Finding(
        value,
        float(np.nanmean(drawn)),
        float(1 + (~(drawn < value)).sum()) / (1 + _RELABELLED),
        {", ".join(pair): float(change) for pair, change in zip(worst.index, worst, strict=True)},
        shown=lambda: correlations,
    )


def _mad(associations: AssociationDifference) -> float:
    off = associations.difference[np.triu_indices(len(associations.names), 1)]
    defined = off[~np.isnan(off)]
    return float(np.abs(defined).mean()) if len(defined) else math.nan


def _mixed(sets: Sets) -> Mixed:
    """Return holdout and synthetic records together, numbers by their order among all of these."""
    numbers = [np.concatenate([p[HOLDOUT], p[SYNTHETIC]]) for p in sets.values.values()]
    ranks = [lazy.stats.rankdata(column, "dense", nan_policy="omit") for column in numbers]
    codes = [sets.codes[name].parts for name in sets.categories]
    return Mixed(
        tuple(sets.categories),
        tuple(sets.values),
        tuple(sets.codes[name].labels for name in sets.categories),
        tuple(np.concatenate([parts[HOLDOUT], parts[SYNTHETIC]]) for parts in codes),
        np.array(ranks).reshape(len(ranks), sum(sets.data.sizes[i] for i in (HOLDOUT, SYNTHETIC))),
    )


def _ranked(data_set: Mixed) -> Mixed:
    """Return a part with numbers as their ranks within it: what is correlated is of it alone."""
    ranks = np.full(data_set.numbers.shape, np.nan)
    for column, out in zip(data_set.numbers, ranks, strict=True):
        there = ~np.isnan(column)
        order = column[there].astype(np.intp)
        counts = np.bincount(order)
        out[there] = (np.cumsum(counts) - (counts - 1) / 2)[order]  # ties share their mean
    return replace(data_set, numbers=ranks)


def _joint(sets: Sets) -> Finding:
    if not sets.numbers:
        msg = "there is no column of numbers"
        raise NotComputable(msg)
    # All of them: what is relevant for a target would depend on the original.
    samples = [complete(sets, part, sets.numbers) for part in (HOLDOUT, SYNTHETIC)]
    households = sets.households_of(HOLDOUT, SYNTHETIC)
    if households is not None:
        whole = np.ones(len(households.number), dtype=np.bool_)
        for name in sets.numbers:
            whole &= ~np.isnan(np.append(sets.values[name][HOLDOUT], sets.values[name][SYNTHETIC]))
        households = households.subset(whole)
    result = joint_discrepancy(*samples, rng=sets.rng("MMD_joint"), households=households)
    return Finding(result.unbiased, 0.0, result.p_value, {"columns": len(sets.numbers)})


def _told_apart(sets: Sets) -> Finding:
    records = origin(sets, [ORIGINAL])
    label = records.codes[ORIGIN]
    columns = [name for name in records.columns if name != ORIGIN]
    alike = Records(
        {k: v for k, v in records.codes.items() if k != ORIGIN}, records.numbers, records.n
    )
    # One split: the ranks of several folds are not independent, and their p is too small.
    households = sets.households_of()
    together = alike.identity if households is None else households.number
    aside = folds(together, label, 2, sets.seed) == 0
    model = learn(sets, records.taken(~aside), ORIGIN, BOOSTING, columns=columns)
    chance = model.predict(records.taken(aside)).chance_of(1)
    synthetic = label[aside] == 1
    order = np.argsort(~synthetic, kind="stable")
    if households is not None:  # the replica's come first
        households = Households(households.number[aside][order], int(synthetic.sum()))
    value, p = rank_test(chance[order], int(synthetic.sum()), sets.seed, households)
    return Finding(value, 0.5, p, {"records": int(aside.sum())}, "blind to copies")


def _halves(sets: Sets) -> list[tuple[npt.NDArray[np.float64], ...]]:
    """Return the chances of holdout records by half of the original, its other half, a replica.

    A replica of as many records as a half: what the holdout gives is then what the halves give
    each other.
    """
    return sets.cached("halves", lambda: _of_halves(sets))


def _of_halves(sets: Sets) -> list[tuple[npt.NDArray[np.float64], ...]]:
    original, synthetic = (with_outcome(sets, part) for part in (ORIGINAL, SYNTHETIC))
    test = with_outcome(sets, HOLDOUT)
    rng = sets.rng("halves")
    half = original.n // 2
    out = []
    for _ in range(_HALVES):
        order = rng.permutation(original.n)
        some = rng.choice(synthetic.n, min(half, synthetic.n), replace=False)
        training = (
            original.taken(order[:half]),
            original.taken(order[half : 2 * half]),
            synthetic.taken(some),
        )
        out.append(tuple(chances(sets, records, BOOSTING, test) for records in training))
    return out


_OF_MODELS = "of boosted trees; differences of models have no p here"


def _gap(sets: Sets) -> Finding:
    positive = with_outcome(sets, HOLDOUT).codes[sets.predicted] == 1
    scores = np.array([[auc(positive, chance) for chance in each] for each in _halves(sets)])
    first, other, replica = scores.T
    fresh = first - other
    return Finding(
        float((first - replica).mean()),
        0.0,
        evidence={
            "AUC original": float(first.mean()),
            "AUC synthetic": float(replica.mean()),
            "sd between halves": float(np.sqrt((fresh**2).mean())),
        },
        note=_OF_MODELS,
        shown=lambda: _curves(sets),
    )


def _curves(sets: Sets) -> RocCurves:
    test = with_outcome(sets, HOLDOUT)
    positive = test.codes[sets.predicted] == 1
    if not 0 < positive.sum() < test.n:
        msg = "the holdout has one class of the target only"
        raise NotComputable(msg)
    curves = []
    for learner in LEARNER_OF.values():
        for learnt_from, part in (("original", ORIGINAL), ("replica", SYNTHETIC)):
            score = chances(sets, with_outcome(sets, part), learner, test)
            curves.append(
                RocCurve(learner.name, learnt_from, *roc(positive, score), auc(positive, score))
            )
    return RocCurves(sets.predicted, tuple(curves))


def _ranks(sets: Sets) -> Finding:
    rows = []
    for first, other, replica in _halves(sets):
        if np.ptp(replica) == 0:
            msg = "a model of the replica predicts the same for everybody"
            raise NotComputable(msg)
        rows.append(
            [
                lazy.stats.spearmanr(first, replica).statistic,
                lazy.stats.spearmanr(first, other).statistic,
                np.abs(first - replica).mean(),
                np.abs(first - other).mean(),
            ]
        )
    value, fresh, apart, fresh_apart = np.mean(rows, axis=0).tolist()
    evidence = {"mean difference": apart, "by chance": fresh_apart}
    return Finding(value, fresh, evidence=evidence, note=_OF_MODELS)


def _internals(sets: Sets) -> Finding:
    test = with_outcome(sets, HOLDOUT)
    training = with_outcome(sets, ORIGINAL)
    synthetic = with_outcome(sets, SYNTHETIC)
    rng = sets.rng("CKA_rel")
    rows = []
    for i in range(_SEEDS):
        model = learn(sets, training, sets.predicted, NETWORK, seed=i)
        own = hidden(model, test)
        others = (
            hidden(learn(sets, synthetic, sets.predicted, NETWORK, seed=100 + i), test),
            hidden(learn(sets, training, sets.predicted, NETWORK, seed=100 + i), test),
            hidden(model, test, rng),
        )
        rows.append([debiased_cka(own, other) for other in others])
    replica, refit, untrained = np.mean(rows, axis=0).tolist()
    evidence = {"CKA": replica, "CKA of a refit": refit, "CKA untrained": untrained}
    if refit - untrained < _LEAST:
        return Finding(
            math.nan, 1.0, evidence=evidence, note="a trained network is as alike as an untrained"
        )
    return Finding((replica - untrained) / (refit - untrained), 1.0, evidence=evidence)


def _linkability(sets: Sets) -> Finding:
    result = errors(sets)
    return Finding(result.auc, 0.5, result.p_value, {"largest gap": result.gap})


def _inference(sets: Sets) -> Finding:
    check_roles(sets)
    records = records_of(sets)
    excess, p = {}, {}
    for name in sets.sensitive:
        inferred = [
            guesses(sets, name, records[SYNTHETIC], records[part]) for part in (ORIGINAL, HOLDOUT)
        ]
        truth, guess = (np.concatenate(each) for each in zip(*inferred, strict=True))
        risk = inference_risk(
            truth,
            guess,
            len(inferred[0][0]),
            rng=sets.rng(f"inference {name}"),
            households=_of_known(sets, name),
        )
        excess[name], p[name] = risk.excess, risk.p_value
    alone = [name for name in excess if math.isnan(excess[name])]
    constant = f"the original or the holdout has one value only of {', '.join(alone)}"
    if len(alone) == len(excess):
        raise NotComputable(constant)
    worst = max((name for name in excess if name not in alone), key=lambda name: excess[name])
    notes = [f"of {worst}, the largest; blind to few copies"] if len(excess) > 1 else []
    notes += [constant] if alone else []
    return Finding(
        excess[worst],
        0.0,
        float(np.nanmin(holm([*p.values()]))),
        {"excess": excess, "p": p},
        "; ".join(notes),
    )


def _of_known(sets: Sets, name: str) -> Households | None:
    """Return who of original and holdout lives together, of those whose value is known."""
    households = sets.households_of(ORIGINAL, HOLDOUT)
    if households is None or name not in sets.values:
        return households
    return households.subset(
        ~np.isnan(np.concatenate([sets.values[name][i] for i in (ORIGINAL, HOLDOUT)]))
    )


BESIDE_FRESH: dict[str, SuiteTest] = {
    test.symbol: test
    for test in (
        SuiteTest("rho_mad", "Correlations", "General", "basic", _mean_difference, holdout=True),
        SuiteTest(
            "MMD_joint", "Multi-continuous", "Distributions", "in-depth", _joint, holdout=True
        ),
        SuiteTest("C2ST_AUC", "Discriminator", "Distributions", "in-depth", _told_apart),
        SuiteTest("aggregate_gap", "Aggregate predictions", "Utility", "basic", _gap, holdout=True),
        SuiteTest("pred_rho", "Single predictions", "Utility", "in-depth", _ranks, holdout=True),
        SuiteTest("CKA_rel", "Model internals", "Utility", "in-depth", _internals, holdout=True),
        SuiteTest(
            "MIA_error_AUC", "Linkability by errors", "Privacy", "basic", _linkability, holdout=True
        ),
        SuiteTest(
            "inference_excess", "Inference risk", "Privacy", "not run", _inference, holdout=True
        ),
    )
}
