"""How good predictions are: of two levels, of any levels, and of numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.prediction.learners import Predicted
from sdcmetrics.measures.prediction.records import Records
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats


def auc(positive: npt.NDArray[np.bool_], score: Floats) -> float:
    """Area under the ROC curve: the chance that a positive record has the higher score.

    Parameters
    ----------
    positive : bool array of shape (n,)
    score : float array of shape (n,)
        Equal scores count one half, so that it is the area under the true curve.

    Returns
    -------
    float
        0 to 1, 1/2 for scores that say nothing; NaN without positive or negative records.

    Examples
    --------
    >>> auc(np.array([True, False, True, False]), np.array([0.9, 0.1, 0.4, 0.4]))
    0.875
    """
    positives = int(positive.sum())
    few = len(positive) - positives
    if not positives or not few:
        return math.nan
    ranks = lazy.stats.rankdata(score)[positive].sum()
    return float((ranks - positives * (positives + 1) / 2) / (positives * few))


def f1(
    truth: Floats, guess: Floats, average: Literal["macro", "micro", "weighted"] = "macro"
) -> float:
    """F1: harmonic mean of precision and recall, over levels.

    Parameters
    ----------
    truth, guess : float arrays of shape (n,)
        Codes of levels.
    average : "macro", "micro" or "weighted"
        The mean over the levels that are true or guessed somewhere, alike or by how often they
        are true; "micro" is the accuracy.

    Returns
    -------
    float
        0 to 1, higher is better; NaN without records.

    Examples
    --------
    >>> round(f1(np.array([1.0, 1, 2, 2]), np.array([1.0, 2, 2, 2])), 4)   # 2/3 and 4/5
    0.7333
    """
    if average == "micro":
        return accuracy(truth, guess)
    _, codes = np.unique(np.concatenate([truth, guess]), return_inverse=True)
    t, g = np.split(codes, 2)
    levels = int(codes.max(initial=-1)) + 1
    true, guessed = np.bincount(t, minlength=levels), np.bincount(g, minlength=levels)
    per_level = 2 * np.bincount(t[t == g], minlength=levels) / (true + guessed)
    if not levels:
        return math.nan
    return float(np.average(per_level, weights=true if average == "weighted" else None))


def accuracy(truth: Floats, guess: Floats) -> float:
    """Share of right guesses, 0 to 1; NaN without records."""
    return float(np.mean(truth == guess)) if len(truth) else math.nan


def r2(truth: Floats, guess: Floats) -> float:
    """Coefficient of determination: 1 is best, 0 what the mean of the truth gives; not cut off.

    NaN where the truth does not vary.

    Examples
    --------
    >>> r2(np.array([1.0, 2, 3]), np.array([1.0, 2, 2]))
    0.5
    """
    around = float(((truth - truth.mean()) ** 2).sum()) if len(truth) else 0.0
    return 1 - float(((truth - guess) ** 2).sum()) / around if around else math.nan


@dataclass(frozen=True)
class Score:
    """How predictions of a column are scored; higher is better.

    Attributes
    ----------
    name : "AUC" for two levels, "macro F1" for more, "R2" for a number
    positive : the code of the level whose chance is scored, for the AUC
    """

    name: Literal["AUC", "macro F1", "R2"]
    positive: float = math.nan

    def __call__(self, truth: Floats, predicted: Predicted) -> float:
        """Return the score of predictions, given the truth."""
        if self.name == "AUC":
            return auc(truth == self.positive, predicted.chance_of(self.positive))
        return (f1 if self.name == "macro F1" else r2)(truth, predicted.guess)


def score_of(original: Records, target: str) -> Score:
    """Return the score that fits a column, by its levels in the original."""
    if target in original.numbers:
        return Score("R2")
    levels = np.unique(original.values(target))
    two = len(levels) == 2  # noqa: PLR2004  (yes and no)
    return Score("AUC", float(levels[1])) if two else Score("macro F1")
