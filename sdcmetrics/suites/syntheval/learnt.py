"""SynthEval's metrics of prediction: utility, and inference about the original's people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.prediction.cross_fitting import folds
from sdcmetrics.measures.prediction.learners import Fitted, Predicted, fit
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.measures.prediction.scores import difference_interval, f1, score_of
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Metric, Quantities, Quantity, mean_and_error
from sdcmetrics.suites.syntheval import published
from sdcmetrics.suites.trio import Trio

_REPEATS = 5
"""Permutations of each column."""


def permutation_importances(
    model: Fitted,
    records: Records,
    score: Callable[[Predicted], float],
    *,
    seed: int = 1,
) -> npt.NDArray[np.float64]:
    """Return what the score loses when one column at a time is permuted among the records.

    Parameters
    ----------
    model : Fitted
    records : Records
        Not those that it was fitted to, or what it knows by heart counts as well.
    score : function of what is predicted of them
    seed : int
        Of the permutations, which are the same whatever the model.

    Returns
    -------
    float array of shape (columns that the model predicts from, 5 permutations)
        Unbounded; around 0 for a column that says nothing.

    References
    ----------
    Breiman (2001), Machine Learning 45(1), 5-32.
    """
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(records.n) for _ in range(_REPEATS)]
    x = model.encoder(records)
    whole = score(model.predict_encoded(x))
    out = np.zeros((len(model.columns), _REPEATS))
    for row, name in zip(out, model.columns, strict=True):
        places = model.encoder.places(name)
        own = x[:, places].copy()
        for i, order in enumerate(orders if own.size else ()):
            x[:, places] = own[order]
            row[i] = whole - score(model.predict_encoded(x))
        x[:, places] = own
    return out


_FOLDS = 5
_Z = 1.959963984540054  # half a 95 % interval over the standard error
_TWO = 2
_STEPS = 30  # SynthEval's: a number is known to a thirtieth of its range
_LEARNERS = ("logistic", "tree")


def _records(trio: Trio) -> tuple[Records, ...]:
    """Return every data set as models take it; a missing category is a level."""
    return trio.cached(
        "records",
        lambda: tuple(
            Records(
                {
                    name: np.asarray(codes, dtype=np.int64)
                    for name, codes in zip(part.categories, part.codes, strict=True)
                },
                dict(zip(part.numeric, part.numbers, strict=True)),
                part.n,
            )
            for part in trio.parts
        ),
    )


def _fitted(trio: Trio, training: Records, target: str, learner: str) -> Fitted:
    """Return the model of these records; cached."""
    return trio.cached(
        ("fit", training.digest, target, learner),
        lambda: fit(training, target, learner, seed=trio.seed, n_jobs=1),
    )


def _matched(trio: Trio, size: int | None = None) -> tuple[Records, Records]:
    """Return original and replica at one size: more records teach more."""
    original, replica = _records(trio)[:2]
    size = min(original.n, replica.n) if size is None else size
    rng = trio.rng("sizes of prediction")
    first, second = (
        records if records.n == size else records.taken(np.sort(trio.drawn(part, size, rng)))
        for part, records in enumerate((original, replica))
    )
    return first, second


def _targets(trio: Trio, fits: Callable[[Records, str], bool], words: str) -> list[str]:
    original = _records(trio)[0]
    if not trio.target:
        msg = "no target is named"
        raise NotComputable(msg)
    names = [name for name in trio.target if name in original.columns and fits(original, name)]
    if not names:
        msg = f"no target is {words}"
        raise NotComputable(msg)
    return names


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _classified(trio: Trio, *, learners: Sequence[str] = _LEARNERS) -> Quantities:
    """Difference of macro F1 on the holdout; on folds of the original, which nobody has seen."""
    targets = _targets(trio, lambda records, name: name in records.codes, "a category")
    both = [(target, learner) for target in targets for learner in learners]
    aside = [_on_folds(trio, *sides) for sides in both]
    out = {"avg diff": _difference(_mean([other - first for first, other in aside]))}
    if not trio.has_holdout:
        return out
    test, sets = _records(trio)[2], _matched(trio)
    scores = [
        [f1(test.values(target), _fitted(trio, records, target, learner).predict(test).guess)
         for records in sets]
        for target, learner in both
    ]  # fmt: skip
    return {
        "avg diff hout": _difference(_mean([other - first for first, other in scores])),
        "TRTR hout": Quantity(_mean([first for first, _ in scores]), better="none"),
        "TSTR hout": Quantity(_mean([other for _, other in scores]), better="none"),
        **out,
    }


def _on_folds(trio: Trio, target: str, learner: str) -> tuple[float, float]:
    """Return F1 by other folds of the original, and by the replica without this fold's records."""
    original, replica = _matched(trio)
    identity = original.joined(replica).identity
    own, copied = np.split(identity, [original.n])
    truth = original.values(target)
    fold = folds(own, truth, _FOLDS, trio.seed)
    guesses = np.zeros((2, original.n))
    for number in np.unique(fold):
        aside = fold == number
        others = ~np.isin(copied, own[aside])
        if not others.any() or aside.all():
            msg = "the replica holds no record that a fold of the original lacks"
            raise NotComputable(msg)
        for i, training in enumerate((original.taken(~aside), replica.taken(others))):
            guesses[i, aside] = (
                _fitted(trio, training, target, learner).predict(original.taken(aside)).guess
            )
    return f1(truth, guesses[0]), f1(truth, guesses[1])


def _auroc(trio: Trio, *, learner: str = "logistic") -> Quantities:
    """Difference of the AUC on the holdout, of the true curves; the error is these models'."""
    test = _tested(trio)
    targets = _targets(
        trio, lambda records, name: records.levels(name) == _TWO, "a column of two levels"
    )
    gaps = []
    for target in targets:
        _check_varies(test, target)
        score, truth = score_of(_records(trio)[0], target), test.values(target)
        first, other = (
            _fitted(trio, part, target, learner).predict(test) for part in _matched(trio)
        )
        gap = score(truth, other) - score(truth, first)
        low, high = difference_interval(score, truth, first, other, trio.seed)
        gaps.append((gap, (high - low) / 2 / _Z))
    error = gaps[0][1] if len(gaps) == 1 else math.nan
    return {"auroc_diff": _difference(_mean([gap for gap, _ in gaps]), error)}


def _importances(trio: Trio, *, learner: str = "tree") -> Quantities:
    """Mean difference of permutation importances on the holdout, beside that of two halves."""
    test = _tested(trio)
    original, replica = _records(trio)[:2]
    targets = _targets(trio, lambda records, name: name in records.columns, "a column")
    if len(original.columns) == 1:
        msg = "there is no column beside the target"
        raise NotComputable(msg)
    size = min(original.n // 2, replica.n)
    order = trio.rng("halves of importance").permutation(original.n)
    halves = [original.taken(order[start : start + size]) for start in (0, size)]
    part = _matched(trio, size)[1]
    apart, halved = [], []
    for target in targets:
        _check_varies(test, target)
        graded = _graded(original, test, target)
        first, half, other = (
            permutation_importances(
                _fitted(trio, training, target, learner), test, graded, seed=trio.seed
            ).mean(axis=1)
            for training in (*halves, part)
        )
        apart.append(float(np.abs(other - first).mean()))
        halved.append(float(np.abs(half - first).mean()))
    value = _mean(apart)
    return {
        "fio_diff": Quantity(value, normalised=1 - min(value, 1.0)),
        "fio_diff halves": Quantity(_mean(halved), better="none"),
    }


def _graded(original: Records, test: Records, target: str) -> Callable[[Predicted], float]:
    score, truth = score_of(original, target), test.values(target)
    return lambda guess: score(truth, guess)


def _inferred(trio: Trio, *, learner: str = "tree") -> Quantities:
    """Share of guesses that are right: of the original less of the holdout, by one fitted model."""
    original, replica = _records(trio)[:2]
    test = _tested(trio)
    hits = [
        [right(part) for part in (original, test)]
        for right in _guesses(trio, original, replica, learner)
    ]
    of_original, fresh, constant = (
        np.mean([hit[i][j] for hit in hits], axis=0) for i, j in ((0, 0), (1, 0), (1, 1))
    )
    loss = float(of_original.mean() - fresh.mean())
    error = math.hypot(*(mean_and_error(hits_)[1] for hits_ in (of_original, fresh)))
    return {
        "priv_loss": Quantity(loss, error, 1 - abs(loss)),
        "ADR": Quantity(float(of_original.mean()), better="none"),
        "ADR hout": Quantity(float(fresh.mean()), better="none"),
        "baseline": Quantity(float(constant.mean()), better="none"),
    }


def _guesses(
    trio: Trio, original: Records, replica: Records, learner: str
) -> Iterator[Callable[[Records], tuple[Floats, Floats]]]:
    """Yield per sensitive column what says who is guessed, by the model and by a constant."""
    for name in trio.sensitive or original.columns:
        values = replica.values(name)
        if name in replica.codes:
            usual, near = float(np.argmax(np.bincount(replica.codes[name]))), 0.0
        else:
            low, usual, high = np.nanquantile(original.numbers[name], (0.01, 0.5, 0.99))
            near = float(high - low) / _STEPS  # quantiles: one outlier does not make all hits
        if np.isnan(values).all():
            continue
        model = _fitted(trio, replica, name, learner)

        def right(
            records: Records,
            model: Fitted = model,
            name: str = name,
            usual: float = float(usual),
            near: float = near,
        ) -> tuple[Floats, Floats]:
            truth = records.values(name)
            guess = model.predict(records).guess
            return (
                (np.abs(guess - truth) <= near).astype(np.float64),
                (np.abs(usual - truth) <= near).astype(np.float64),
            )

        yield right


def _tested(trio: Trio) -> Records:
    """Return the holdout.

    Raises
    ------
    NotComputable
        If there is none.
    """
    if not trio.has_holdout:
        msg = "there is no holdout"
        raise NotComputable(msg)
    return _records(trio)[2]


def _check_varies(test: Records, target: str) -> None:
    values = test.values(target)
    if len(np.unique(values[~np.isnan(values)])) < _TWO:
        msg = f"{target!r} never varies in the holdout"
        raise NotComputable(msg)


def _difference(value: float, error: float = math.nan) -> Quantity:
    return Quantity(value, error, 1 - min(abs(value), 1.0), better="higher")


METRICS = (
    Metric(
        "cls_acc",
        _classified,
        "utility",
        ("avg diff",),
        published.classification,
        defect="Records are drawn again before they are dealt into folds, so that copies of one "
        "record are learnt from and tested on: labels drawn at random are predicted.",
    ),
    Metric(
        "auroc_diff",
        _auroc,
        "utility",
        ("auroc_diff",),
        published.auroc_difference,
        defect="The curve is read at as many even places as it has points: a true AUC of 0.900 "
        "becomes 0.722.",
    ),
    Metric(
        "fio",
        _importances,
        "utility",
        ("fio_diff",),
        published.importance_overlap,
        defect="Importances of trees on codes favour columns of many values, and there is no "
        "reference value of the holdout.",
    ),
    Metric(
        "att_discl",
        _inferred,
        "privacy",
        ("priv_loss",),
        published.inference,
        published_quantities=("Attr Dis accuracy",),
        defect="What holds of anybody counts as risk, original and holdout are pooled, and one "
        "outlier makes every guess of a number right.",
    ),
)
"""Metrics by models."""
