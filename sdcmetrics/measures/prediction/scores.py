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
    binary = len(levels) == 2  # noqa: PLR2004  (yes and no)
    return Score("AUC", float(levels[1])) if binary else Score("macro F1")


_Z = 1.959963984540054  # the normal quantile of a two-sided 95 % interval
_DRAWS = 999


def difference_interval(
    score: Score, truth: Floats, first: Predicted, second: Predicted, seed: int
) -> tuple[float, float]:
    """Return the interval of the score of `second` less that of `first`, for these two models.

    It says how much depends on who was tested, and nothing of what other training records would
    have given. DeLong's for the AUC; for F1 the bootstrap of the records; for R2 the delta method.

    Parameters
    ----------
    score : Score
    truth : float array of shape (n,)
    first, second : Predicted
        Of the same records.
    seed : int
        Of the bootstrap.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44(3), 837-845.
    """
    gap = score(truth, second) - score(truth, first)
    if score.name == "macro F1":
        return _bootstrap(truth, first.guess, second.guess, seed)
    if score.name == "AUC":
        positive = truth == score.positive
        variance = _delong(
            positive, first.chance_of(score.positive), second.chance_of(score.positive)
        )
    else:
        gained = (truth - first.guess) ** 2 - (truth - second.guess) ** 2
        around = (truth - truth.mean()) ** 2
        spread = gained - around * gained.mean() / around.mean()
        variance = float(spread.var()) / len(truth) / float(around.mean()) ** 2
    half = _Z * math.sqrt(variance)
    return gap - half, gap + half


def _delong(positive: npt.NDArray[np.bool_], first: Floats, second: Floats) -> float:
    """Return the variance of the difference of two AUCs."""

    def below(scores: Floats, side: npt.NDArray[np.bool_]) -> Floats:
        """Return, per record of one side, how many of the other are below; ties count half."""
        return np.asarray(
            lazy.stats.rankdata(scores)[side] - lazy.stats.rankdata(scores[side]),
            dtype=np.float64,
        )

    variance = 0.0
    for side, across in ((positive, ~positive), (~positive, positive)):
        gain = (below(second, side) - below(first, side)) / across.sum()
        variance += float(gain.var(ddof=1)) / len(gain) if len(gain) > 1 else 0.0
    return variance


def _bootstrap(truth: Floats, first: Floats, second: Floats, seed: int) -> tuple[float, float]:
    """Draw the counts of (truth, guess, guess) again: the records, as far as F1 sees them."""
    _, codes = np.unique(np.concatenate([truth, first, second]), return_inverse=True)
    levels = int(codes.max()) + 1
    t, a, b = np.split(codes, 3)
    cells, counts = np.unique((t * levels + a) * levels + b, return_counts=True)
    t, a, b = cells // levels**2, cells // levels % levels, cells % levels
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(truth), counts / len(truth), size=_DRAWS).astype(np.float64)

    def macro(guess: npt.NDArray[np.int64]) -> Floats:
        sums = np.zeros((2, _DRAWS, levels))
        for level in range(levels):
            true, guessed = t == level, guess == level
            sums[0, :, level] = 2 * drawn[:, true & guessed].sum(axis=1)
            sums[1, :, level] = drawn[:, true].sum(axis=1) + drawn[:, guessed].sum(axis=1)
        there = sums[1] > 0
        per_level = np.divide(sums[0], sums[1], out=np.zeros_like(sums[0]), where=there)
        return np.asarray(per_level.sum(axis=1) / there.sum(axis=1))

    low, high = np.quantile(macro(b) - macro(a), (0.025, 0.975))
    return float(low), float(high)
