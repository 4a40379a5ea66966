"""Learners and fitted models: they predict levels with probabilities, or numbers."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdcmetrics.errors import NotComputable, StudyError, did_you_mean
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.prediction.encoding import Encoder
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.threads import limited


@dataclass(frozen=True)
class Learner:
    """How a column is learnt from others.

    Attributes
    ----------
    name : str
    words : what readers call it
    classifier, regressor : modules and names in scikit-learn
    options : pairs of name and value, for either
        Where `n_jobs` is among them, a fit may change it.
    scaled : bool
        Whether it needs numbers on one scale; see `Encoder`.
    random : bool
        Whether the seed matters.
    """

    name: str
    words: str
    classifier: str
    regressor: str
    options: tuple[tuple[str, Any], ...] = ()
    scaled: bool = False
    random: bool = False

    def model(self, *, numeric: bool, seed: int, n_jobs: int | None) -> Any:
        """Return the model of scikit-learn, before it has learnt anything."""
        module, _, name = (self.regressor if numeric else self.classifier).rpartition(".")
        # large: for a fast start, only when it is needed
        maker = getattr(importlib.import_module(f"sklearn.{module}"), name)
        options = dict(self.options)
        if n_jobs is not None and "n_jobs" in options:
            options["n_jobs"] = n_jobs
        return maker(random_state=seed, **options)


def _learners(*learners: Learner) -> dict[str, Learner]:
    return {learner.name: learner for learner in learners}


LEARNERS = _learners(
    Learner(
        "logistic",
        "logistic or ridge regression",
        "linear_model.LogisticRegression",
        "linear_model.Ridge",
        (("max_iter", 1000),),
        scaled=True,
    ),
    Learner("cart", "a tree", "tree.DecisionTreeClassifier", "tree.DecisionTreeRegressor"),
    Learner(
        "tree",
        "a tree with at least 7 records per leaf",  # as R's rpart has it
        "tree.DecisionTreeClassifier",
        "tree.DecisionTreeRegressor",
        (("min_samples_leaf", 7),),
    ),
    Learner(
        "forest",
        "a random forest of 300 trees",
        "ensemble.RandomForestClassifier",
        "ensemble.RandomForestRegressor",
        (("n_estimators", 300), ("n_jobs", -1)),
        random=True,
    ),
    Learner(
        "boosting",
        "boosted trees",
        "ensemble.HistGradientBoostingClassifier",
        "ensemble.HistGradientBoostingRegressor",
        (("early_stopping", False),),
    ),
    Learner(
        "network",
        "a neural network with one layer of 256",
        "neural_network.MLPClassifier",
        "neural_network.MLPRegressor",
        (("hidden_layer_sizes", (256,)), ("early_stopping", True)),
        scaled=True,
        random=True,
    ),
)
"""Learners by name; `dataclasses.replace` makes further ones of them."""


def learner_of(name: str | Learner) -> Learner:
    """Return the learner of a name.

    Raises
    ------
    StudyError
        If there is none.
    """
    if isinstance(name, Learner):
        return name
    if name not in LEARNERS:
        msg = f"learner: expected one of {', '.join(LEARNERS)} but got {name!r}."
        raise StudyError(msg + did_you_mean(str(name), LEARNERS))
    return LEARNERS[name]


@dataclass(frozen=True, eq=False)
class Predicted:
    """The predictions of a model.

    Attributes
    ----------
    classes : float array of shape (k,)
        Codes of the levels that the training records have; empty for a number.
    chances : float array of shape (n, k)
    guess : float array of shape (n,)
        The code of the most likely level (the first of equally likely ones), or the number.
    """

    classes: Floats
    chances: Floats
    guess: Floats

    def chance_of(self, level: float) -> Floats:
        """Return every record's chance of a level; 0 where the training records lack it."""
        column = np.flatnonzero(self.classes == level)
        return self.chances[:, column[0]] if len(column) else np.zeros(len(self.guess))


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model fitted to a data set.

    Attributes
    ----------
    target : str
    columns : tuple of str
        What it is predicted from.
    learner : Learner
    seed : int
    n : int
        Training records whose target is known.
    classes : float array of shape (k,)
        Codes of the levels they have; empty for a number.
    encoder : Encoder
    n_jobs : cores that it uses, None for those of the learner
    model : the fitted model of scikit-learn; None where there is one level only
    centre, spread : of a number where the learner scales, else 0 and 1
    notes : tuple of str
    """

    target: str
    columns: tuple[str, ...]
    learner: Learner
    seed: int
    n: int
    classes: Floats
    encoder: Encoder
    n_jobs: int | None
    model: Any
    centre: float = 0.0
    spread: float = 1.0
    notes: tuple[str, ...] = ()

    def predict(self, records: Records) -> Predicted:
        """Return the predictions of the model for any records of the same codebook."""
        return self.predict_encoded(self.encoder(records))

    def predict_encoded(self, x: Floats) -> Predicted:
        """Return the same of records that the encoder has turned into numbers."""
        if self.model is None:
            chances = np.ones((len(x), 1))
        else:
            with limited(self.n_jobs):
                out = (self.model.predict_proba if len(self.classes) else self.model.predict)(x)
            if not len(self.classes):
                guess = self.centre + self.spread * out
                return Predicted(self.classes, np.zeros((len(x), 0)), guess)
            chances = out
        return Predicted(self.classes, chances, self.classes[np.argmax(chances, axis=1)])


def fit(
    training: Records,
    target: str,
    learner: str | Learner,
    *,
    columns: Sequence[str] | None = None,
    seed: int = 1,
    n_jobs: int | None = None,
) -> Fitted:
    """Learn a column from others; records that lack a number to learn are left out.

    Parameters
    ----------
    training : Records
    target : str
        A column of levels, of which missing is one, or a number.
    learner : str or Learner
    columns : names of the columns to predict it from, by default all others
    seed : int
    n_jobs : cores to use, by default those of the learner (all of them where it can)

    Raises
    ------
    NotComputable
        If there is nothing to learn from.
    StudyError
        If the learner is unknown.

    Examples
    --------
    >>> level = np.arange(40) % 2
    >>> model = fit(Records({"t": level + 1, "x": 3 - level}, {}, 40), "t", "cart")
    >>> model.predict(Records({"x": np.array([3, 2])}, {}, 2)).guess
    array([1., 2.])
    """
    how = learner_of(learner)
    among = training.columns if columns is None else columns
    names = tuple(name for name in among if name != target)
    present = ~np.isnan(training.values(target))
    if not present.any():
        msg = f"{target!r} is missing in every record to learn from"
        raise NotComputable(msg)
    if not present.all():
        training = training.taken(present)
    values = training.values(target)
    numeric = target in training.numbers
    classes = np.unique(values) if not numeric else np.zeros(0)
    encoder = Encoder(training, names, scaled=how.scaled)
    what = (target, names, how, seed, training.n, classes, encoder, n_jobs)
    if len(classes) == 1:
        return Fitted(*what, model=None, notes=(f"{target!r} has one level only",))
    centre, spread = 0.0, 1.0
    if numeric and how.scaled:
        centre, spread = float(values.mean()), float(values.std()) or 1.0
        values = (values - centre) / spread
    model, notes = _learn(what, encoder(training), values)
    return Fitted(*what, model=model, centre=centre, spread=spread, notes=notes)


def _learn(task: tuple[Any, ...], x: Floats, y: Floats) -> tuple[Any, tuple[str, ...]]:
    from sklearn.exceptions import ConvergenceWarning

    target, _, learner, seed, n, classes, _, n_jobs = task
    model = learner.model(numeric=not len(classes), seed=seed, n_jobs=n_jobs)
    with warnings.catch_warnings(record=True) as warned, limited(n_jobs):
        warnings.simplefilter("ignore", UserWarning)  # that there are few records per level
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            model.fit(x, y)
        except ValueError:  # its message may hold what it was given
            levels = f" with {len(classes)} levels" if len(classes) else ""
            msg = f"{learner.words} cannot learn {target!r}{levels} from {n} records"
            raise NotComputable(msg) from None
    failed = any(issubclass(warning.category, ConvergenceWarning) for warning in warned)
    return model, (f"{learner.words} did not converge for {target!r}",) if failed else ()


def fitted(
    pair: Pair,
    training: Records,
    target: str,
    learner: str | Learner,
    *,
    shared: bool = False,
    seed: int = 1,
    n_jobs: int | None = None,
) -> Fitted:
    """Return the model fitted to a data set of a pair; cached.

    Parameters
    ----------
    pair : Pair
    training : Records
    target, learner, seed, n_jobs : see `fit`
    shared : bool
        Whether all replicas of a review have these records: original or holdout.
    """
    how = learner_of(learner)
    model: Fitted = pair.cached(
        ("fit", training.digest, target, how, seed),
        lambda: fit(training, target, how, seed=seed, n_jobs=n_jobs),
        shared=shared,
    )
    return model
