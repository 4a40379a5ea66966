"""Permutation test of the largest excess over all questions.

Westfall and Young's single step: each question's excess over its standard deviation is compared
with the largest of all questions, draw by draw. No p is multiplied by the number of questions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sdcmetrics.microdata.arrays import Bools, Floats

Draw = Callable[[int], Floats]
"""Gives the statistics of so many draws of the labels, shape (draws, questions)."""

FIRST_DRAWS = 199
"""Draws after which is looked for the first time whether any more are needed."""
_AT_ONCE = 1_000
_TINY = 1e-9
"""A standard deviation below which a statistic does not vary, and what counts as equal."""


@dataclass(frozen=True, repr=False)
class Family:
    """Excess and p of each question under one encoding; arrays of shape (questions,).

    Attributes
    ----------
    original, others : arrays
        In percent.
    p : array
        Adjusted; 1 where nothing was to be decided.
    copy : callable, optional
        Gives the excess that the original itself would have in the replica's place.
    """

    original: Floats
    others: Floats
    p: Floats
    copy: Callable[[], Floats] | None = None

    @property
    def excess(self) -> Floats:
        """In points."""
        return self.original - self.others

    def stands_out(self, points: float, level: float) -> Bools:
        """Whether a question has so many points beyond chance."""
        return (self.excess >= points) & (self.p <= level)


@dataclass(frozen=True)
class Stopping:
    """When to stop drawing labels.

    Attributes
    ----------
    level : float
        p up to which a question stands out.
    draws : int
        At most.
    clear : int
        Draws after which questions that no draw has reached are taken to stand out. Were it far
        below `draws`, the level would grow: (1 + draws) times the level exceedances stay possible
        after it.
    """

    level: float
    draws: int
    clear: int

    @property
    def lost(self) -> int:
        """Exceedances from which on a question stands out no more."""
        return max(round(self.level * (self.draws + 1)), 1)


def stopping(level: float, sure: float, *, quick: bool = False, clusters: bool = False) -> Stopping:
    """Return when to stop.

    Parameters
    ----------
    level, sure : float
        p up to which a question stands out, and the smallest that anything asks for: with .001
        there are 1,999 draws.
    quick : bool
        For what a p is no more than a condition of: stands out or does not.
    clusters : bool
        Whether whole clusters are exchanged, half as often.
    """
    least = round(1 / sure)
    return Stopping(level, (1 if clusters else 2) * least - 1, FIRST_DRAWS if quick else least - 1)


def in_parts(draws: int, most: int) -> list[int]:
    """Return how many draws are made at a time, `most` and at last the rest.

    Examples
    --------
    >>> in_parts(300, 128), in_parts(128, 128)
    ([128, 128, 44], [128])
    """
    return [min(most, draws - at) for at in range(0, draws, most)]


def largest_p(observed: Floats, draw: Draw, matters: Bools, when: Stopping) -> Floats:
    """Return the p of each question, adjusted for all of them.

    Parameters
    ----------
    observed : float array of shape (questions,)
    draw : callable
    matters : bool array of shape (questions,)
        Those that are decided by it; if there are none nothing is drawn and each p is 1.
    when : Stopping

    Returns
    -------
    float array of shape (questions,)
    """
    p: Floats = np.ones(len(observed))
    if not matters.any():
        return p
    drawn = np.empty((0, len(observed)))
    while len(drawn) < when.draws:
        more = FIRST_DRAWS if not len(drawn) else min(_AT_ONCE, len(drawn) * 4)
        targets = [FIRST_DRAWS, when.clear, when.draws]
        stop = min(len(drawn) + more, *(t for t in targets if t > len(drawn)))
        drawn = np.vstack([drawn, draw(stop - len(drawn))])
        over = _exceedances(observed, drawn)
        p = np.asarray((1.0 + over) / (1.0 + len(drawn)))
        clear = (over == 0) & (len(drawn) >= when.clear)
        if (clear | (over >= when.lost) | ~matters).all():
            break
    return p


def _exceedances(observed: Floats, drawn: Floats) -> npt.NDArray[np.int64]:
    """Count the draws in which any question has as large an excess, by its own spread."""
    spread = np.maximum(np.vstack([observed, drawn]).std(axis=0), _TINY)
    largest = np.sort((drawn / spread).max(axis=1))
    below = np.searchsorted(largest, observed / spread - _TINY, side="left")
    out: npt.NDArray[np.int64] = len(drawn) - below
    return out
