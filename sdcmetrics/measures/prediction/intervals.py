"""95 % intervals of the difference of two models' scores on the same records."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.prediction.learners import Predicted
from sdcmetrics.measures.prediction.scores import Score
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats

_Z = 1.959963984540054  # the normal quantile of a two-sided 95 % interval
_DRAWS = 999


def difference_interval(
    score: Score, truth: Floats, first: Predicted, other: Predicted, seed: int
) -> tuple[float, float]:
    """Return the interval of the score of `other` less that of `first`, for these two models.

    It says how much depends on who was tested, and nothing of what other training records would
    have given. DeLong's for the AUC; for F1 the bootstrap of the records; for R2 the delta method.

    Parameters
    ----------
    score : Score
    truth : float array of shape (n,)
    first, other : Predicted
        Of the same records.
    seed : int
        Of the bootstrap.

    References
    ----------
    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44(3), 837-845.
    """
    gap = score(truth, other) - score(truth, first)
    if score.name == "macro F1":
        return _bootstrap(truth, first.guess, other.guess, seed)
    if score.name == "AUC":
        positive = truth == score.positive
        variance = _delong(
            positive, first.chance_of(score.positive), other.chance_of(score.positive)
        )
    else:
        gained = (truth - first.guess) ** 2 - (truth - other.guess) ** 2
        around = (truth - truth.mean()) ** 2
        spread = gained - around * gained.mean() / around.mean()
        variance = float(spread.var()) / len(truth) / float(around.mean()) ** 2
    half = _Z * math.sqrt(variance)
    return gap - half, gap + half


def _delong(positive: npt.NDArray[np.bool_], first: Floats, other: Floats) -> float:
    """Return the variance of the difference of two AUCs."""

    def below(scores: Floats, side: npt.NDArray[np.bool_]) -> Floats:
        """Return, per record of one side, how many of the other are below; ties count half."""
        return np.asarray(
            lazy.stats.rankdata(scores)[side] - lazy.stats.rankdata(scores[side]),
            dtype=np.float64,
        )

    variance = 0.0
    for side, across in ((positive, ~positive), (~positive, positive)):
        gain = (below(other, side) - below(first, side)) / across.sum()
        variance += float(gain.var(ddof=1)) / len(gain) if len(gain) > 1 else 0.0
    return variance


def _bootstrap(truth: Floats, first: Floats, other: Floats, seed: int) -> tuple[float, float]:
    """Draw the counts of (truth, guess, guess) again: the records, as far as F1 sees them."""
    _, codes = np.unique(np.concatenate([truth, first, other]), return_inverse=True)
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
