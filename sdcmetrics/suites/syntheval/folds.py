"""Logistic regression that tells two data sets apart, by folds: SynthEval's published pMSE."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold

_SEED = 42
"""SynthEval's own."""


def told_apart(
    points: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    *,
    k: int = 5,
    max_iter: int = 100,
    solver: str = "liblinear",
) -> tuple[list[float], list[float]]:
    """Score the records of every fold by a model of the others.

    Parameters
    ----------
    points : float array of shape (n, columns)
    labels : int array of shape (n,)
        1 for the original, 0 for the replica.

    Returns
    -------
    pmse, f1 : lists of float
        Of every fold: the mean squared difference of scores from the replica's share, and macro F1.
    """
    share = float((labels == 0).mean())
    pmse, f1 = [], []
    folds = StratifiedKFold(k, shuffle=True, random_state=_SEED)
    for training, test in folds.split(points, labels):
        model = LogisticRegression(max_iter=max_iter, solver=solver, random_state=_SEED)
        model.fit(points[training], labels[training])
        synthetic = model.predict_proba(points[test])[:, 0]
        pmse.append(float(np.square(synthetic - share).mean()))
        f1.append(float(f1_score(labels[test], model.predict(points[test]), average="macro")))
    return pmse, f1
