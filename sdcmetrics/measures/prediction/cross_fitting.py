"""Predictions of records by models that have not seen them, nor any record alike."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.prediction.learners import Learner, Predicted, fit
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.microdata.arrays import Ints


def folds(groups: Ints, labels: npt.NDArray[Any], number: int, seed: int) -> Ints:
    """Deal records into folds that hold the labels alike; records of one group stay together.

    Parameters
    ----------
    groups : int array of shape (n,)
        Such as `Records.identity`: a copy in another fold would be known by heart.
    labels : array of shape (n,)
    number : int
        Of folds.
    seed : int

    Returns
    -------
    int array of shape (n,)
        0 to number - 1.

    Examples
    --------
    >>> fold = folds(np.arange(100) // 2, np.arange(100) // 50, 5, seed=1)
    >>> np.bincount(fold[:50]).tolist(), bool((fold[::2] == fold[1::2]).all())
    ([10, 10, 10, 10, 10], True)
    """
    _, group = np.unique(groups, return_inverse=True)
    sizes = np.bincount(group)
    mean = np.bincount(group, weights=np.unique(labels, return_inverse=True)[1]) / sizes
    drawn = np.random.default_rng(seed).permutation(len(sizes))
    order = drawn[np.lexsort((sizes[drawn], mean[drawn]))]  # alike ones in a row, then dealt
    of_group = np.empty(len(sizes), dtype=np.int64)
    of_group[order] = np.arange(len(sizes)) % number
    return np.asarray(of_group[group], dtype=np.int64)


def cross_fit(
    records: Records,
    target: str,
    learner: str | Learner,
    *,
    fold: Ints,
    seed: int = 1,
    n_jobs: int | None = None,
) -> Predicted:
    """Predict the records of each fold by what was learnt from the other folds.

    A level that the other folds lack has no chance there.

    Parameters
    ----------
    records : Records
    target, learner, seed, n_jobs : see `fit`
    fold : int array of shape (n,)

    Raises
    ------
    NotComputable
        If there is nothing to learn from beside a fold.
    """
    values = records.values(target)
    classes = np.unique(values) if target in records.codes else np.zeros(0)
    chances, guess = np.zeros((records.n, len(classes))), np.zeros(records.n)
    for number in np.unique(fold):
        aside = fold == number
        model = fit(records.taken(~aside), target, learner, seed=seed, n_jobs=n_jobs)
        predicted = model.predict(records.taken(aside))
        guess[aside] = predicted.guess
        for i, level in enumerate(classes):
            chances[aside, i] = predicted.chance_of(level)
    return Predicted(classes, chances, guess)
