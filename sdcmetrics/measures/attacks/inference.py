"""Attribute inference by a model of the replica: of people of the original and of others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.attacks.intervals import excess, excess_interval, spread_factor
from sdcmetrics.measures.attacks.member_test import surest_difference
from sdcmetrics.measures.attacks.people import (
    HOLDOUT,
    ORIGINAL,
    SYNTHETIC,
    People,
    names_of,
    people,
    permuted_p,
)
from sdcmetrics.measures.attacks.result import AttackResult, by_several
from sdcmetrics.measures.exchangeable import label_test
from sdcmetrics.measures.neighbours import nearest
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.measures.prediction.forest import Forest
from sdcmetrics.measures.prediction.learners import fit
from sdcmetrics.measures.survey.households import HouseholdColumn, Households
from sdcmetrics.microdata.arguments import Permutations, Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.schema import MissingCodes

Learner = Literal["forest", "cart", "boosting", "nearest"]

_TREES = 50
"""That are grown before it is seen whether they change anything."""
_STEADY = 1 / 16
"""Share of records for whom more trees change it, over the variance of being right.

Where a guess is that of chance, it makes the test as strong as 6 % fewer records would, at most.
"""


@checked
@by_several
def attribute_inference(  # noqa: PLR0913  (three data sets, and what the intruder does)
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    target: str,
    keys: Sequence[str] | None = None,
    learner: Learner = "forest",
    seeds: int = 10,
    permutations: Permutations = 999,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> AttackResult:
    """Infer a column of people from the others, by a model that learns from the replica.

    What it gets right about the holdout, the replica teaches about anybody. What it gets right
    about people of the original beyond that, it teaches about those who were in it: DiSCO and CAP
    cannot tell the two apart.

    Parameters
    ----------
    original, synthetic, holdout : data frames
        The holdout: records of the same population that the synthesis has not seen.
        Of several syntheses, a list, the model learns from the records of all of them.
    target : name of the column that the intruder wants to know
    keys : names of the columns that the intruder knows, optional
        By default all others.
    learner : "forest", "cart", "boosting" or "nearest"
        A random forest; scikit-learn's tree, or boosted trees; or the nearest synthetic record
        (Gower), equally near ones sharing.
    seeds : int
        How often 50 trees are grown for a forest, at most. After the second time no more are, once
        the last 50 have changed it for so few records that more would not make the test stronger.
    permutations : int
        Of the labels, where successes are shares (nearest).
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together in original and holdout: no household may be in both, and the labels
        of whole households are exchanged.
    seed : int
        Of the forest, and of the permutations.

    Returns
    -------
    AttackResult
        training and control are the shares of right inferences: the level itself, or a number
        within 5 % of the distance from the 5th to the 95th percentile of original and holdout.
        baseline is that of the best constant from the replica. p_value is exact for one model, by
        permuted labels otherwise; for a forest it is of two scores as one test, what is inferred
        rightly and how nearly: the share of trees that vote for the true level, or how far off a
        number is. copy is NaN. figures: within (the tolerance of a number),
        learner, and trees (of the forest).

    Raises
    ------
    ColumnError, DataError, StudyError

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Proceedings on Privacy Enhancing Technologies.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> a, b = (pd.DataFrame(rng.integers(0, 50, (200, 3)), columns=list("xyz")) for _ in "ab")
    >>> a["t"], b["t"] = rng.choice(list("pq"), 200), rng.choice(list("pq"), 200)
    >>> result = attribute_inference(a, a, b, target="t", learner="nearest")
    >>> result.training > 0.95, result.control < 0.6, result.p_value
    (True, True, 0.001)
    """
    wanted = None if keys is None else [*([keys] if isinstance(keys, str) else keys), target]
    data = people(
        original,
        synthetic,
        holdout,
        variables=wanted,
        missing_codes=missing_codes,
        household=household,
    )
    return infer_target(
        data, target=target, learner=learner, seeds=seeds, permutations=permutations, seed=seed
    )


def infer_target(
    data: People, *, target: str, learner: Learner, seeds: int, permutations: int, seed: int
) -> AttackResult:
    """Make the attack of `attribute_inference` on data sets of one codebook.

    Raises
    ------
    StudyError
    """
    if seeds < 1:
        msg = "seeds: expected a whole number of at least 1."
        raise StudyError(msg)
    names_of([target], data.columns, "target")
    keys = [name for name in data.columns if name != target]
    if not keys:
        msg = "keys: expected at least one column beside the target."
        raise StudyError(msg)
    within = _tolerance(data, target)
    figures: dict[str, object] = {"within": within, "learner": learner}
    nearness: Floats | None = None
    try:
        if learner == "forest":
            success, nearness, figures["trees"] = _by_forest(
                data, keys, target, within, seeds, seed
            )
        elif learner == "nearest":
            success = _by_nearest(data, keys, target, within)
        else:
            success = _by_model(data, keys, target, within, learner, seed)
    except NotComputable as reason:
        msg = f"target: {reason}."
        raise StudyError(msg) from None
    n, h = data.n, data.h
    training, control = float(success[:n].mean()), float(success[n:].mean())
    return AttackResult(
        attack="attribute inference",
        of="records whose target is inferred rightly",
        training=training,
        control=control,
        baseline=_constant(data, target, within),
        excess=excess(training, control),
        interval=excess_interval(training, n, control, h, spread_factor(success, data.households)),
        p_value=_p(success, nearness, n, permutations, seed, data.households),
        n_training=n,
        n_control=h,
        n_synthetic=data.sizes[SYNTHETIC],
        copy=math.nan,
        per_record=success[:n],
        figures=figures,
        seed=seed,
        fixes=data.fixes,
    )


def _p(
    success: Floats,
    nearness: Floats | None,
    n: int,
    permutations: int,
    seed: int,
    households: Households | None,
) -> float:
    """Return the p of inferences that are right and, where that is known, nearly right."""
    if nearness is not None:
        from scipy.stats import rankdata  # large: for a fast start, only when it is needed

        scores = {"right": success, "nearly": np.asarray(rankdata(nearness), dtype=np.float64)}
        return surest_difference(scores, n, households=households, seed=seed).p_value
    if np.isin(success, (0.0, 1.0)).all():
        return label_test(success == 1.0, n, households, seed).p_value
    return permuted_p(success, n, permutations, seed, households)


def _tolerance(data: People, target: str) -> float:
    """Return how far off a right number may be; NaN for a column of levels."""
    if target in data.codes:
        return math.nan
    values = data.pooled(target)
    if np.isnan(values).all():  # nothing but a missing value is right
        return 0.0
    low, high = np.nanquantile(values, (0.05, 0.95))
    return 0.05 * float(high - low)


def _right(truth: Floats, guess: Floats, within: float) -> Floats:
    if math.isnan(within):
        return np.asarray(truth == guess, dtype=np.float64)
    both_missing = np.isnan(truth) & np.isnan(guess)
    # 1e-12: a difference of exactly the tolerance is within it
    right = (np.abs(truth - guess) <= within * (1 + 1e-12)) | both_missing
    return np.asarray(right, dtype=np.float64)


def _constant(data: People, target: str, within: float) -> float:
    """Return how often the best constant of the replica is right about original records."""
    values = (data.codes.get(target) or data.numbers[target])[SYNTHETIC].astype(np.float64)
    distinct, counts = np.unique(values[~np.isnan(values)], return_counts=True)
    if not len(distinct):
        return math.nan
    if not math.isnan(within):
        below = np.append(0, np.cumsum(counts))
        last = np.searchsorted(distinct, distinct + within * (1 + 1e-12), side="right")
        first = np.searchsorted(distinct, distinct - within * (1 + 1e-12), side="left")
        counts = below[last] - below[first]
    best = np.full(data.n, distinct[np.argmax(counts)])
    return float(_right(data.pooled(target)[: data.n], best, within).mean())


def _by_nearest(data: People, keys: Sequence[str], target: str, within: float) -> Floats:
    pool, replica, distance = data.points(keys)
    nearby = nearest(pool, replica, distance=distance, list_ties=replica.n)
    queries = np.repeat(np.arange(pool.n), np.diff(nearby.ties.offsets))
    values = (data.codes.get(target) or data.numbers[target])[SYNTHETIC].astype(np.float64)
    right = _right(data.pooled(target)[queries], values[nearby.ties.indices], within)
    hits = np.bincount(queries, weights=right, minlength=pool.n)
    return np.asarray(hits / np.diff(nearby.ties.offsets), dtype=np.float64)


def _by_model(
    data: People, keys: Sequence[str], target: str, within: float, learner: str, seed: int
) -> Floats:
    original, replica, holdout = (data.records(part) for part in (ORIGINAL, SYNTHETIC, HOLDOUT))
    model = fit(replica, target, learner, columns=keys, seed=seed)
    guess = np.concatenate([model.predict(original).guess, model.predict(holdout).guess])
    return _right(data.pooled(target), guess, within)


def _by_forest(
    data: People, keys: Sequence[str], target: str, within: float, seeds: int, seed: int
) -> tuple[Floats, Floats, int]:
    """Return who is inferred rightly by as many trees as make it steady, how nearly, by how many.

    When to stop is decided without a look at who was in the original.
    """
    pool = data.records(ORIGINAL).joined(data.records(HOLDOUT))
    forest = Forest(data.records(SYNTHETIC), target, keys, pool, seed=seed)
    truth = data.pooled(target)
    forest.grow(_TREES)
    right = _right(truth, forest.guess(), within)
    for grown in range(1, seeds):
        before = right
        forest.grow(_TREES)
        right = _right(truth, forest.guess(), within)
        if float(np.abs(right - before).mean()) <= _STEADY * float(right.var()):
            return right, forest.closeness(truth), (grown + 1) * _TREES
    return right, forest.closeness(truth), seeds * _TREES
