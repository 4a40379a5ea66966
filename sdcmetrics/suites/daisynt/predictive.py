"""The published tests that fit models: discriminator, predictions, internals, linkability, risk."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction.learners import Learner
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.prediction.scores import auc
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.daisynt.inference_risk import error_ratio
from sdcmetrics.suites.daisynt.linkability_distance import ErrorGap, error_gap, log_loss
from sdcmetrics.suites.daisynt.models import (
    INTRUDER,
    LEARNER_OF,
    NETWORK,
    learn,
    origin,
    records_of,
    told_apart,
    with_outcome,
)
from sdcmetrics.suites.daisynt.outcome import Score, SuiteTest
from sdcmetrics.suites.daisynt.relevance import relevant
from sdcmetrics.suites.daisynt.representation import hidden, linear_cka
from sdcmetrics.suites.daisynt.sets import HOLDOUT, ORIGINAL, SYNTHETIC, Sets
from sdcmetrics.suites.daisynt.several_variables import joint_discrepancy
from sdcmetrics.suites.daisynt.target_correlations import target_correlations, target_means

_ALPHA = 0.05
_FORESTED = 3_000
"""Records of each forest that finds the relevant numbers: there are up to 100 of them."""


def chances(sets: Sets, training: Records, learner: Learner, test: Records) -> Floats:
    """Return the chance of the target's second class in test records."""
    return learn(sets, training, sets.predicted, learner).predict(test).chance_of(1)


def _correlations(sets: Sets) -> Score:
    columns: dict[str, tuple[npt.NDArray[np.float64], ...]] = {**sets.filled([ORIGINAL])}
    for name, flags in sets.flags.items():
        columns[f"{name} missing"] = tuple(part.astype(np.float64) for part in flags)
    target = sets.outcome
    with_outcome = target[sets.test] >= 0
    if not with_outcome.any():
        msg = f"no record that is tested has a value of {sets.predicted!r}"
        raise NotComputable(msg)
    for name in sets.categories:
        coded = sets.codes[name]
        if name == sets.predicted:
            mean = float(target[sets.test][with_outcome].mean())
            columns[name] = tuple(np.where(part < 0, mean, part) for part in target)
            continue
        codes = coded.parts[sets.test][with_outcome].astype(np.int64)
        mapping = target_means(codes, target[sets.test][with_outcome], coded.size)
        columns[name] = tuple(mapping[part] for part in coded.parts)
    test, synthetic = ([parts[i] for parts in columns.values()] for i in (sets.test, SYNTHETIC))
    correlations = target_correlations(test, synthetic, [*columns])
    left = [name for name in columns if name not in correlations.names]
    note = f"constant, so left out: {', '.join(left)}" if left else ""
    return Score(
        correlations.cosine,
        {"columns": len(correlations.names), "d_corr": 1 - correlations.cosine},
        note,
    )


def complete(sets: Sets, part: int, names: list[str]) -> Floats:
    """Return the records of a data set that have all of some numbers; shape (records, names)."""
    out = np.column_stack([sets.values[name][part] for name in names])
    return out[~np.isnan(out).any(axis=1)]


def _joint(sets: Sets) -> Score:
    names = sets.numbers
    outcome = sets.outcome[ORIGINAL]
    with_outcome = np.flatnonzero(outcome >= 0)
    rng = sets.rng("D_multi_num")
    with_outcome = rng.choice(with_outcome, min(_FORESTED, len(with_outcome)), replace=False)
    filled = sets.filled([ORIGINAL])
    if not names:
        msg = "there is no column of numbers"
        raise NotComputable(msg)
    columns = np.column_stack([filled[name][ORIGINAL][with_outcome] for name in names])
    decided = relevant(columns, outcome[with_outcome], seed=sets.seed)
    chosen = [name for name, decision in zip(names, decided, strict=True) if decision == "accept"]
    if not chosen:
        msg = "no number is relevant for the target"
        raise NotComputable(msg)
    result = joint_discrepancy(
        complete(sets, sets.test, chosen), complete(sets, SYNTHETIC, chosen), rng=rng
    )
    evidence = {"MMD": result.mmd, "p": result.p_value, "relevant": chosen}
    return Score(float(result.p_value > _ALPHA), evidence)


def _discriminator(sets: Sets) -> Score:
    records = origin(sets, [ORIGINAL, HOLDOUT] if sets.has_holdout else [ORIGINAL])
    areas = {
        name: float(np.mean(told_apart(sets, records, learner)))
        for name, learner in LEARNER_OF.items()
    }
    raw = 1 - float(np.mean([2 * value - 1 for value in areas.values()]))
    return Score(raw, {f"AUC {name}": value for name, value in areas.items()})


def _aggregate(sets: Sets) -> Score:
    test = with_outcome(sets, sets.test)
    positive = test.codes[sets.predicted] == 1
    evidence: dict[str, float] = {}
    losses = []
    for name, learner in LEARNER_OF.items():
        of = [
            auc(positive, chances(sets, with_outcome(sets, part), learner, test))
            for part in (ORIGINAL, SYNTHETIC)
        ]
        evidence |= {f"AUC {name}, original": of[0], f"AUC {name}, synthetic": of[1]}
        losses.append(of[0] - of[1])
    return Score(1 - float(np.mean(losses)), evidence)


def cosine(first: Floats, second: Floats) -> float:
    """Cosine of two lists, not centred."""
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / size if size else math.nan


def _single(sets: Sets) -> Score:
    test = with_outcome(sets, sets.test)
    cosines = {
        name: cosine(
            *(
                chances(sets, with_outcome(sets, part), learner, test)
                for part in (ORIGINAL, SYNTHETIC)
            )
        )
        for name, learner in LEARNER_OF.items()
    }
    return Score(
        float(np.mean([*cosines.values()])), {f"cosine {k}": v for k, v in cosines.items()}
    )


def _internals(sets: Sets) -> Score:
    test = with_outcome(sets, sets.test)
    layers = [
        hidden(learn(sets, with_outcome(sets, part), sets.predicted, NETWORK), test)
        for part in (ORIGINAL, SYNTHETIC)
    ]
    return Score(linear_cka(*layers), {"width": layers[0].shape[1]})


def errors(sets: Sets) -> ErrorGap:
    """Compare the replica's network's errors on training and on holdout records."""
    model = learn(sets, with_outcome(sets, SYNTHETIC), sets.predicted, NETWORK)
    losses = []
    for part in (ORIGINAL, HOLDOUT):
        records = with_outcome(sets, part)
        losses.append(log_loss(records.codes[sets.predicted], model.predict(records).chance_of(1)))
    households = sets.households_of(ORIGINAL, HOLDOUT)
    if households is not None:
        households = households.subset(
            np.concatenate([sets.outcome[i] >= 0 for i in (ORIGINAL, HOLDOUT)])
        )
    return error_gap(*losses, seed=sets.seed, households=households)


def _linkability(sets: Sets) -> Score:
    result = errors(sets)
    return Score(1 - result.gap, {"tau": result.tau, "AUC": result.auc})


def guesses(
    sets: Sets, name: str, training: Records, records: Records
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the truth of a sensitive column and what is inferred, of records that have it."""
    model = learn(sets, training, name, INTRUDER, columns=sets.public)
    if name in records.numbers:
        records = records.taken(~np.isnan(records.numbers[name]))
        return records.numbers[name], model.predict(records).guess
    predicted = model.predict(records)
    levels = np.unique(records_of(sets)[ORIGINAL].codes[name])
    truth = (records.codes[name][:, None] == levels).astype(np.float64)
    return truth, np.column_stack([predicted.chance_of(level) for level in levels])


def check_roles(sets: Sets) -> None:
    """Raise NotComputable unless there are public and sensitive columns."""
    for name in ("public", "sensitive"):
        sets.role(name)


def _inference(sets: Sets) -> Score:
    check_roles(sets)
    records = records_of(sets)
    ratios = {
        name: error_ratio(*guesses(sets, name, records[SYNTHETIC], records[ORIGINAL]))
        for name in sets.sensitive
    }
    defined = [ratio for ratio in ratios.values() if not math.isnan(ratio)]
    if not defined:
        msg = f"the original has one value only of {', '.join(ratios)}"
        raise NotComputable(msg)
    return Score(min(defined), {"ratio": ratios})


PREDICTIVE: dict[str, SuiteTest] = {
    test.symbol: test
    for test in (
        SuiteTest("D_corr", "Correlations", "General", "basic", _correlations, of_test=True),
        SuiteTest(
            "D_multi_num", "Multi-continuous", "Distributions", "in-depth", _joint, of_test=True
        ),
        SuiteTest("D_disc", "Discriminator", "Distributions", "in-depth", _discriminator),
        SuiteTest(
            "D_aggregate", "Aggregate predictions", "Utility", "basic", _aggregate, of_test=True
        ),
        SuiteTest("D_single", "Single predictions", "Utility", "in-depth", _single, of_test=True),
        SuiteTest("D_cka", "Model internals", "Utility", "in-depth", _internals, of_test=True),
        SuiteTest(
            "D_link_error", "Linkability by errors", "Privacy", "basic", _linkability, holdout=True
        ),
        SuiteTest("D_inference", "Inference risk", "Privacy", "not run", _inference),
    )
}
