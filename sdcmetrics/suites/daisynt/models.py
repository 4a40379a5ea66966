"""The models that the tests share: each is fitted once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction.cross_fitting import folds
from sdcmetrics.measures.prediction.learners import LEARNERS, Fitted, Learner, fit
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.prediction.scores import auc
from sdcmetrics.suites.daisynt.sets import SYNTHETIC, Sets

BOOSTING = replace(
    LEARNERS["boosting"],
    # "Trees of 4 splits" have 5 leaves; the paper stops early.
    options=(("max_leaf_nodes", 5), ("early_stopping", True)),
    random=True,
)
INTRUDER = LEARNERS["boosting"]
"""Of 31 leaves and 100 trees: of a copy of adult it knows three times as much as small trees do."""
NETWORK = LEARNERS["network"]
LEARNER_OF = {"boosting": BOOSTING, "network": NETWORK}
ORIGIN = "\0origin"
"""A name that no column has: whether a record is synthetic."""
_MOST = 10_000
"""Records that a network learns from: more take minutes and hardly move it."""
_FEWEST = 100
_FOLDS = 5


def records_of(sets: Sets) -> tuple[Records, ...]:
    """Return the data sets as models take them; the target is 0 or 1, missing ones left out."""
    return sets.cached("records", lambda: _records(sets))


def _records(sets: Sets) -> tuple[Records, ...]:
    out = []
    for part, n in enumerate(sets.data.sizes):
        codes = {}
        for name, coded in sets.codes.items():
            values = coded.parts[part].astype(np.int64) + 1
            codes[name] = np.where(values == coded.missing_code + 1, 0, values)
        numbers = {name: parts[part] for name, parts in sets.values.items()}
        out.append(Records(codes, numbers, n))
    return tuple(out)


def with_outcome(sets: Sets, part: int) -> Records:
    """Return the records of a data set whose target is known, the target being 0 or 1."""
    outcome = sets.outcome[part]
    records = records_of(sets)[part].replaced(sets.predicted, outcome)
    return records.taken(outcome >= 0)


def learn(
    sets: Sets,
    records: Records,
    target: str,
    learner: Learner,
    *,
    columns: Sequence[str] | None = None,
    seed: int = 0,
) -> Fitted:
    """Learn from records what was not learnt from them before, on one core so that it repeats.

    Raises
    ------
    NotComputable
        If the target has one level only.
    """
    if learner is NETWORK and records.n > _MOST:
        records = records.taken(sets.rng("network").choice(records.n, _MOST, replace=False))
    names = tuple(columns) if columns is not None else None
    key = ("fit", records.digest, target, learner, names, seed)

    def make() -> Fitted:
        return fit(
            records, target, learner, columns=names, seed=(sets.seed + seed) % 2**32, n_jobs=1
        )

    fitted: Fitted = sets.cached(key, make)
    if fitted.model is None:
        msg = f"a data set has one class of {target!r} only"
        raise NotComputable(msg)
    return fitted


def origin(sets: Sets, parts: Sequence[int]) -> Records:
    """Return real records and then the synthetic ones, and which they are.

    Raises
    ------
    NotComputable
        With fewer than 100 of either.
    """
    real, *others = [records_of(sets)[part] for part in parts]
    for other in others:
        real = real.joined(other)
    synthetic = records_of(sets)[SYNTHETIC]
    if min(real.n, synthetic.n) < _FEWEST:
        msg = f"fewer than {_FEWEST} records to tell apart"
        raise NotComputable(msg)
    label = np.repeat([0, 1], [real.n, synthetic.n])
    return real.joined(synthetic).replaced(ORIGIN, label)


def told_apart(sets: Sets, records: Records, learner: Learner) -> list[float]:
    """Return the AUC of each fold for records that the model has not seen, nor any alike."""
    label = records.codes[ORIGIN]
    # Records alike stay together whichever set they are from, or copies are known by heart.
    alike = Records(
        {k: v for k, v in records.codes.items() if k != ORIGIN}, records.numbers, records.n
    )
    fold = folds(alike.identity, label, _FOLDS, sets.seed)
    areas = []
    for number in range(_FOLDS):
        aside = fold == number
        model = learn(sets, records.taken(~aside), ORIGIN, learner)
        chance = model.predict(records.taken(aside)).chance_of(1)
        areas.append(auc(label[aside] == 1, chance))
    return areas
