"""SynthEval's metrics by models as its version 1.7.3 defines them, defects and all.

Models get the columns in the order of the original: categories as codes, numbers scaled over all
data sets. With the versions of scikit-learn that SynthEval ran with, metrics whose seed it fixes
have its numbers; those that it draws without a seed have their distribution.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.prediction.learners import Learner
from sdcmetrics.measures.prediction.scores import f1
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Quantities, Quantity, mean_and_error
from sdcmetrics.suites.trio import Trio, numbers_of

_SEED = 42
"""SynthEval's own, of every model whose seed it fixes."""
_FOLDS = _REPEATS = 5
_SHARES = (5, 10, 25, 50)
_FEWEST, _MOST = 2, 100
_NEAR = 1 / 30


def _forest(trees: int, **more: int) -> Learner:
    options = (("n_estimators", trees), *more.items())
    ensemble = "ensemble.RandomForestClassifier", "ensemble.RandomForestRegressor"
    return Learner("forest", "a random forest", *ensemble, options)


def _logistic(*options: tuple[str, Any]) -> Learner:
    return Learner(
        "logistic", "logistic regression", "linear_model.LogisticRegression", "", options
    )


def _tree(*options: tuple[str, Any]) -> Learner:
    return Learner("tree", "a tree", "tree.DecisionTreeClassifier", "", options)


_CLASSIFIERS = {
    "rf": _forest(10, max_depth=15),
    "adaboost": Learner(
        "adaboost",
        "boosted stumps",
        "ensemble.AdaBoostClassifier",
        "",
        (("n_estimators", 10), ("learning_rate", 1)),
    ),
    "svm": Learner("svm", "a support vector machine", "svm.SVC", ""),
    "logreg": _logistic(("solver", "saga"), ("max_iter", 5000)),
    "dt": _tree(("max_depth", 15)),
}
_CURVES = {"log_reg": _logistic(("max_iter", 100)), "rf_cls": _forest(100)}
_WEIGHERS = {"rf_cls": _forest(100), "dt_cls": _tree()}
_BOOSTING = Learner(  # scikit-learn's form of LightGBM, with the same defaults
    "boosting", "", "ensemble.HistGradientBoostingClassifier", "", (("early_stopping", False),)
)


def _matrices(trio: Trio) -> tuple[Floats, ...]:
    """Return every data set, shape (n, columns), in the order of the original's columns."""
    place = {name: i for i, name in enumerate(trio.original.names)}
    columns = [place[name] for name in trio.data.variables]
    parts = tuple(
        np.ascontiguousarray(part[columns].T)
        for part in numbers_of(trio, scaled=True, categories=True)
    )
    if any(np.isnan(part).any() for part in parts):
        msg = "a number is missing, which SynthEval refuses"
        raise NotComputable(msg)
    return parts


def _without(trio: Trio, name: str) -> list[tuple[Floats, npt.NDArray[Any]]]:
    """Return what predicts a column, and the column, whole numbers if it is a category."""
    place = list(trio.data.variables).index(name)
    kind = np.int64 if name in trio.original.categories else np.float64
    return [
        (np.delete(part, place, axis=1), part[:, place].astype(kind)) for part in _matrices(trio)
    ]


def _targets(trio: Trio, levels: int | None = None) -> list[str]:
    """Return the targets that are categories, of so many levels."""
    if not trio.target:
        msg = "no target is named"
        raise NotComputable(msg)
    place = {name: i for i, name in enumerate(trio.original.categories)}
    names = [
        name
        for name in trio.target
        if name in place
        and (levels is None or len(np.unique(trio.original.codes[place[name]])) == levels)
    ]
    if not names:
        msg = f"no target is a category{'' if levels is None else f' of {levels} levels'}"
        raise NotComputable(msg)
    return names


def _chosen(name: str, among: dict[str, Learner], metric: str) -> Learner:
    if name not in among:
        msg = f"{metric}: expected one of {', '.join(among)} but got {name!r}."
        raise StudyError(msg)
    return among[name]


@contextmanager
def _learning() -> Iterator[None]:
    """Let models work in silence; what they cannot learn has no value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        except ValueError:  # its message may hold what it was given
            msg = "a model or its folds cannot be made: too few records, or one class"
            raise NotComputable(msg) from None


def classification(
    trio: Trio,
    *,
    F1_type: Literal["micro", "macro", "weighted"] = "weighted",  # noqa: N803  (SynthEval's name)
    cls_models: Sequence[str] = ("rf", "adaboost", "svm", "logreg"),
    full_output: bool = False,
) -> Quantities:
    """F1 of models of the replica less that of models of the original, both drawn with repeats."""
    if F1_type not in ("micro", "macro", "weighted"):
        msg = f"cls_acc: F1_type: expected micro, macro or weighted but got {F1_type!r}."
        raise StudyError(msg)
    models = {name: _chosen(name, _CLASSIFIERS, "cls_acc") for name in cls_models}
    folds, tests = [], []
    more: dict[str, Quantity] = {}
    with _learning():
        for target in _targets(trio):
            sets = _without(trio, target)
            size = max(len(y) for _, y in sets[:2])
            drawn = [_drawn(x, y, size, _SEED) for x, y in sets[:2]]
            for name, model in models.items():
                first, other = _on_folds(model, drawn, F1_type)
                means, errors = zip(*(mean_and_error(each) for each in (first, other)), strict=True)
                folds.append((means[1] - means[0], math.hypot(*errors)))
                more |= _of_model(name, "", means)
                if trio.has_holdout:
                    x, truth = sets[2]
                    scores = [
                        _f1(truth, _model(model).fit(*part).predict(x), F1_type)
                        for part in sets[:2]
                    ]
                    tests.append(scores[1] - scores[0])
                    more |= _of_model(name, "_hout", scores)
    value = math.fsum(mean_ for mean_, _ in folds) / len(folds)
    error = math.sqrt(math.fsum(error_**2 for _, error_ in folds)) / len(folds)
    out = {"avg diff": Quantity(value, error, 1 - abs(value), "higher")}
    if tests:
        mean, error = mean_and_error(tests)
        out["avg diff hout"] = Quantity(mean, error, 1 - abs(mean), "higher")
    return {**out, **(more if full_output else {})}


def _of_model(name: str, where: str, scores: Sequence[float]) -> dict[str, Quantity]:
    value = scores[1] - scores[0]
    return {
        f"{name}_syn_F1{where}": Quantity(scores[1], normalised=scores[1], better="higher"),
        f"{name}_F1_diff{where}": Quantity(value, normalised=1 - abs(value), better="higher"),
    }


def _model(learner: Learner, *, numeric: bool = False, seed: int = _SEED) -> Any:
    return learner.model(numeric=numeric, seed=seed, n_jobs=None)


def _f1(truth: npt.NDArray[Any], guess: npt.NDArray[Any], kind: Any) -> float:
    return f1(truth.astype(np.float64), guess.astype(np.float64), kind)


def _drawn(x: Floats, y: npt.NDArray[Any], size: int, seed: int) -> tuple[Floats, npt.NDArray[Any]]:
    from sklearn.utils import resample

    points, labels = resample(x, y, n_samples=size, replace=True, stratify=y, random_state=seed)
    return points, labels


def _on_folds(
    model: Learner, drawn: Sequence[tuple[Floats, npt.NDArray[Any]]], kind: str
) -> tuple[list[float], list[float]]:
    """Return the scores on each fold of the original, by the other folds of either data set."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=_SEED)
    x, y = drawn[0]
    scores: tuple[list[float], list[float]] = ([], [])
    for splits in zip(*(folds.split(*part) for part in drawn), strict=True):
        test = splits[0][1]
        for (points, labels), (training, _), out in zip(drawn, splits, scores, strict=True):
            guess = _model(model).fit(points[training], labels[training]).predict(x[test])
            out.append(_f1(y[test], guess, kind))
    return scores


def auroc_difference(trio: Trio, *, model: str = "log_reg", num_boots: int = 1) -> Quantities:
    """Difference of the areas under curves, read at as many even places as one has points."""
    learner = _chosen(model, _CURVES, "auroc_diff")
    _need_holdout(trio)
    with _learning():
        gaps = [
            _areas(_without(trio, target), learner, num_boots) for target in _targets(trio, _FEWEST)
        ]
    value = math.fsum(gaps) / len(gaps)
    if math.isnan(value):
        msg = "a target never varies in the holdout"
        raise NotComputable(msg)
    scaled = math.tanh(2 * value + 1)
    return {"auroc_diff": Quantity(value, normalised=scaled, better="higher")}


def _areas(sets: Sequence[tuple[Floats, npt.NDArray[Any]]], learner: Learner, boots: int) -> float:
    from sklearn.metrics import auc, roc_curve

    x, truth = sets[2]
    curves: tuple[list[Any], list[Any]] = ([], [])
    for (points, labels), out in zip(sets[:2], curves, strict=True):
        for seed in range(max(boots, 1)):
            drawn = points, labels
            if boots > 1:
                drawn = _drawn(points, labels, len(labels) // 2, seed)
            chance = _model(learner).fit(*drawn).predict_proba(x)[:, 1]
            out.append(roc_curve(truth, chance)[:2])
    places = np.linspace(0, 1, len(curves[0][-1][0]))
    first, other = (
        auc(places, np.mean([np.interp(places, *curve) for curve in each], axis=0))
        for each in curves
    )
    return float(other - first)


def importance_overlap(trio: Trio, *, model: str = "rf_cls") -> Quantities:
    """Difference of the importances by trees of codes, and the share of the top that is shared."""
    learner = _chosen(model, _WEIGHERS, "fio")
    figures: dict[str, list[float]] = {}
    with _learning():
        for target in _targets(trio):
            first, other = (
                _model(learner).fit(*part).feature_importances_
                for part in _without(trio, target)[:2]
            )
            off = np.abs(first - other)
            figures.setdefault("fio_diff", []).append(float(off.mean()))
            figures.setdefault("fio_diff_weighted", []).append(float(off @ first))
            orders = [np.argsort(each)[::-1] for each in (first, other)]
            for share in _SHARES:
                top = len(first) * share // 100
                if _FEWEST <= top <= _MOST:
                    shared = len(set.intersection(*(set(order[:top].tolist()) for order in orders)))
                    figures.setdefault(f"fio_top_{share}%", []).append(shared / top)
    out = {}
    for name, values in figures.items():
        mean = math.fsum(values) / len(values)
        top = "top" in name
        good: Literal["lower", "higher"] = "higher" if top else "lower"
        out[name] = Quantity(mean, normalised=mean if top else 1 - mean, better=good)
    return out


def inference(trio: Trio) -> Quantities:
    """Share of right guesses by a forest of the replica, of original and holdout in one."""
    from sklearn.metrics import precision_recall_fscore_support

    rng = trio.rng("published attribute disclosure")
    folds_ = []
    with _learning():
        for name in trio.sensitive or trio.data.variables:
            sets = _without(trio, name)
            x = np.concatenate([x for x, _ in (sets[0], *sets[2:])])
            truth = np.concatenate([y for _, y in (sets[0], *sets[2:])])
            numeric = name in trio.original.numeric
            forest = _model(_forest(100), numeric=numeric, seed=_drawn_seed(rng))
            guess = forest.fit(*sets[1]).predict(x)
            if numeric:  # and then precision and recall say nothing: every truth is 1
                guess = np.abs(guess - truth) <= _NEAR
                truth = np.ones_like(guess)
            scores = precision_recall_fscore_support(
                truth, guess, average="macro", zero_division=0.0
            )
            folds_.append((float((guess == truth).mean()), *scores[:3]))
    names = ("Attr Dis accuracy", "Attr Dis precision", "Attr Dis recall", "Attr Dis macro F1")
    out = {}
    for name, values in zip(names, zip(*folds_, strict=True), strict=True):
        mean, error = mean_and_error(values)
        out[name] = Quantity(mean, error, 1 - mean if name == names[0] else math.nan)
    return out


def membership(trio: Trio) -> Quantities:
    """Whether boosted trees, told replica from holdout, take originals for the replica's."""
    from sklearn.metrics import precision_recall_fscore_support

    _need_holdout(trio)
    rng = trio.rng("published membership")
    original, replica, holdout = _indicators(trio)
    aside = math.ceil(len(holdout) / 4)
    folds_ = []
    with _learning():
        for _ in range(_REPEATS):
            order = rng.permutation(len(holdout))
            test, controls = holdout[order[:aside]], holdout[order[aside:]]
            fewer = len(replica) < len(controls)
            synthesised = replica[rng.choice(len(replica), len(controls), replace=fewer)]
            members = original[rng.choice(len(original), min(aside, len(original)), replace=False)]
            model = _model(_BOOSTING, seed=_drawn_seed(rng))
            model.fit(np.concatenate([synthesised, controls]), np.repeat([1, 0], len(controls)))
            truth = np.repeat([1, 0], [len(members), len(test)])
            guess = model.predict(np.concatenate([members, test]))
            sides, macro = (
                precision_recall_fscore_support(truth, guess, average=average, zero_division=0.0)
                for average in ("binary", "macro")
            )
            folds_.append((sides[0], sides[1], macro[2]))
    precision, recall, balanced = (mean_and_error(each) for each in zip(*folds_, strict=True))
    return {
        "MIA precision": Quantity(*precision, 1 - 2 * abs(0.5 - precision[0])),
        "MIA recall": Quantity(*recall, 1 - recall[0]),
        "MIA macro F1": Quantity(*balanced, better="none"),
    }


def _indicators(trio: Trio) -> list[Floats]:
    """Return every data set with a column of 0 and 1 for each level but the first."""
    out = []
    for part in _matrices(trio):
        columns = []
        for name, column in zip(trio.data.variables, part.T, strict=True):
            if name in trio.original.categories:
                place = trio.original.categories.index(name)
                columns.append(column[:, None] == np.arange(1, len(trio.original.levels[place])))
            else:
                columns.append(column[:, None])
        out.append(np.concatenate(columns, axis=1, dtype=np.float64))
    return out


def parity(trio: Trio) -> Quantities:
    """How much more often a forest of the replica gives the second outcome to the second group."""
    from sklearn.model_selection import KFold

    rng = trio.rng("published parity")
    binary = {
        name
        for name, codes in zip(trio.original.categories, trio.original.codes, strict=True)
        if len(np.unique(codes)) == _FEWEST
    }
    means = []
    with _learning():
        for target, group in ((t, g) for t in trio.target for g in trio.sensitive if t != g):
            if {target, group} <= binary:
                x, y = _without(trio, target)[1]
                second = _without(trio, group)[1][1]
                folds = []
                for training, test in KFold(_FOLDS).split(x):
                    forest = _model(_forest(100), seed=_drawn_seed(rng))
                    guess = forest.fit(x[training], y[training]).predict(x[test])
                    groups = [guess[second[test] == level] for level in (1, 0)]
                    if all(map(len, groups)):
                        folds.append(float(groups[0].mean() - groups[1].mean()))
                means.append(mean_and_error(folds))
    if not means:
        msg = "no target and sensitive column have two levels each in the original"
        raise NotComputable(msg)
    mean = math.fsum(value for value, _ in means) / len(means)
    if math.isnan(mean):
        msg = "a group is empty in every part of the replica that guesses are made for"
        raise NotComputable(msg)
    error = math.sqrt(math.fsum(error**2 for _, error in means)) / len(means)
    return {"statistical_parity": Quantity(mean, error, 1 - abs(mean), "none")}


def _need_holdout(trio: Trio) -> None:
    if not trio.has_holdout:
        msg = "there is no holdout"
        raise NotComputable(msg)


def _drawn_seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
