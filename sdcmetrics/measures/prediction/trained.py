"""Scores of models of one column, trained on a replica and on the original."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.cross_fitting import cross_fit, folds
from sdcmetrics.measures.prediction.learners import Learner, Predicted, fit, fitted, learner_of
from sdcmetrics.measures.prediction.records import Records, records_of_pair
from sdcmetrics.measures.prediction.scores import Score, difference_interval, score_of
from sdcmetrics.measures.survey.households import Households, households_drawn
from sdcmetrics.microdata.arrays import Floats

_FOLDS = 5
_SPLITS = 5  # of the original into halves
_ENOUGH = 10  # of draws at least as bad: after them, more draws would not make the p small
_MANY_LEVELS = 10  # logistic regression of more takes minutes where a tree takes seconds


@dataclass(frozen=True)
class Trained:
    """A column learnt from the replica, and from as many records of the original.

    Attributes
    ----------
    target, learner : str
    score : "AUC" for two levels, "macro F1" for more, "R2" for a number
    TSTR : score on the holdout of what was learnt from the replica
    TRTR : the same of what was learnt from the original
    gap : TSTR less TRTR; below 0 where the replica teaches less
    gap_low, gap_high : its 95 % interval, for these two models
    gap_p : one-sided p that labels original and synthetic, given at random, make the replica teach
        so much less
    fresh_gap : mean size of the gap between two halves of the original, over 5 splits
    half_gap : mean gap of as many synthetic records to one of these halves
    baseline : score of somebody who always says the same
    n_training : records of either that were learnt from
    n_test : records that it was tested on
    note : str
    """

    target: str
    learner: str
    score: str = ""
    TSTR: float = math.nan
    TRTR: float = math.nan
    gap: float = math.nan
    gap_low: float = math.nan
    gap_high: float = math.nan
    gap_p: float = math.nan
    fresh_gap: float = math.nan
    half_gap: float = math.nan
    baseline: float = math.nan
    n_training: int = 0
    n_test: int = 0
    note: str = ""


def usual_learners(levels: int) -> tuple[str, ...]:
    """Return the default learners of a column of so many levels (0: a number)."""
    return ("tree",) if levels > _MANY_LEVELS else ("logistic", "tree")


def trained(  # noqa: PLR0913  (who learns what from whom)
    pair: Pair,
    synthesis: int,
    target: str,
    learner: str | Learner,
    *,
    among: Sequence[str] | None = None,
    permutations: int = 99,
    seed: int = 1,
    n_jobs: int | None = 1,
    households: Households | None = None,
) -> Trained:
    """Train on a synthesis (from 1) of a pair and on its original; see `prediction`.

    Raises
    ------
    NotComputable
        If there is nothing to learn from, or to test on.
    """
    how = learner_of(learner)
    every = records_of_pair(pair, among)
    parts = [_with_target(part, target) for part in every]
    original, replica = parts[0], parts[synthesis]
    test = original if pair.holdout is None else parts[-1]
    _check_levels(target, {"original": original, "replica": replica, "holdout": test})
    score, truth = score_of(original, target), test.values(target)
    size = min(original.n, replica.n)

    def learn(records: Records) -> Predicted:
        return fit(records, target, how, seed=seed, n_jobs=n_jobs).predict(test)

    def learn_once(records: Records) -> Predicted:  # the original's, for all replicas
        model = fitted(pair, records, target, how, seed=seed, n_jobs=n_jobs, shared=True)
        return model.predict(test)

    rng = np.random.default_rng(seed)
    if households is not None:
        households = households.subset(
            np.concatenate([~np.isnan(every[i].values(target)) for i in (0, synthesis)])
        )
    # What stands together is in one fold.
    together = original.identity if households is None else households.number[: households.n]
    of_original, of_replica, households = _samples(original, replica, size, households, rng)
    by_replica = learn(of_replica)
    if pair.holdout is None:
        labels = truth if target in original.codes else np.zeros(original.n)
        fold = folds(together, labels, _FOLDS, seed)
        by_original = cross_fit(original, target, how, fold=fold, seed=seed, n_jobs=n_jobs)
    else:
        by_original = learn_once(of_original)
    TSTR, TRTR = score(truth, by_replica), score(truth, by_original)  # noqa: N806  (their names)
    low, high = difference_interval(score, truth, by_original, by_replica, seed)
    p = fresh = half = math.nan
    if pair.holdout is not None:
        pool = of_original.joined(of_replica)

        def gap_of(order: npt.NDArray[np.int64]) -> float:
            first, other = (learn(pool.taken(part)) for part in np.split(order, [of_original.n]))
            return score(truth, other) - score(truth, first)

        p = _p(TSTR - TRTR, pool.n, gap_of, permutations, rng, households)
        fresh, half = _fresh(
            original,
            replica,
            lambda part: score(truth, learn_once(part)),
            lambda part: score(truth, learn(part)),
            seed,
        )
    return Trained(
        target,
        how.name,
        score.name,
        TSTR,
        TRTR,
        TSTR - TRTR,
        low,
        high,
        p,
        fresh,
        half,
        _baseline(score, original.values(target), truth),
        size,
        test.n,
        "; ".join(_notes(original.levels(target), holdout=pair.holdout is not None)),
    )


def _notes(levels: int, *, holdout: bool) -> list[str]:
    out = []
    if levels > _MANY_LEVELS:
        out.append(
            f"{levels} levels: macro F1 counts a rare one as much as a frequent one, so that it is "
            "low even where most guesses are near"
        )
    if not holdout:
        out.append("without a holdout the replica is tested on the original that it was made of")
    return out


def _with_target(records: Records, target: str) -> Records:
    present = ~np.isnan(records.values(target))
    return records if present.all() else records.taken(present)


def _check_levels(target: str, named: Mapping[str, Records]) -> None:
    for name, records in named.items():
        if len(np.unique(records.values(target))) < 2:  # noqa: PLR2004  (what never varies)
            msg = f"{target!r} never varies in the {name}"
            raise NotComputable(msg)


def _part(records: Records, size: int, rng: np.random.Generator) -> Records:
    if records.n == size:
        return records
    return records.taken(np.sort(rng.choice(records.n, size, replace=False)))


def _samples(
    original: Records,
    replica: Records,
    size: int,
    households: Households | None,
    rng: np.random.Generator,
) -> tuple[Records, Records, Households | None]:
    """Return so many records of each, of households whole ones, and who lives together in them."""
    if households is None:
        return _part(original, size, rng), _part(replica, size, rng), None
    numbers = np.split(households.number, [households.n])
    rows = [
        np.arange(part.n) if part.n == size else households_drawn(number, size, rng)
        for part, number in zip((original, replica), numbers, strict=True)
    ]
    drawn = households.subset(np.append(rows[0], households.n + rows[1]))
    return original.taken(rows[0]), replica.taken(rows[1]), drawn


def _p(
    gap: float,
    n: int,
    gap_of: Callable[[npt.NDArray[np.int64]], float],
    permutations: int,
    rng: np.random.Generator,
    households: Households | None = None,
) -> float:
    """Return the p of so low a gap among labels drawn at random, half of them synthetic."""
    if not permutations or math.isnan(gap):
        return math.nan
    as_low = 0
    for drawn in range(1, permutations + 1):
        order = rng.permutation(n) if households is None else households.order(rng)
        as_low += gap_of(order) <= gap
        if as_low == _ENOUGH:
            return as_low / drawn
    return (1 + as_low) / (1 + permutations)


def _fresh(
    original: Records,
    replica: Records,
    score_of_original: Callable[[Records], float],
    score_of_replica: Callable[[Records], float],
    seed: int,
) -> tuple[float, float]:
    """Return the mean size of the gap of two halves, and the mean gap of replica to half."""
    size = min(original.n // 2, replica.n)
    of_original, of_replica = (np.random.default_rng([seed, i]) for i in (1, 2))
    between, to_replica = [], []
    for _ in range(_SPLITS):
        order = of_original.permutation(original.n)  # the same ones whatever the replica
        first, other = (
            score_of_original(original.taken(order[start : start + size])) for start in (0, size)
        )
        between.append(abs(other - first))
        to_replica.append(score_of_replica(_part(replica, size, of_replica)) - first)
    return float(np.mean(between)), float(np.mean(to_replica))


def _baseline(score: Score, guesses_from: Floats, truth: Floats) -> float:
    """Return the score on `truth` of the constant that fits `guesses_from` best."""
    if score.name == "AUC":
        return 0.5
    values, counts = np.unique(guesses_from, return_counts=True)
    best = guesses_from.mean() if score.name == "R2" else values[np.argmax(counts)]
    guess = np.full(len(truth), best)
    return score(truth, Predicted(np.zeros(0), np.zeros((len(truth), 0)), guess))
