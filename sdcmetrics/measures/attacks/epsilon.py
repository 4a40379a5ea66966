"""A lower bound of epsilon from one release, without the generator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.attacks.belonging import belonging
from sdcmetrics.measures.attacks.people import People, people
from sdcmetrics.measures.attacks.scores import closeness_scores
from sdcmetrics.measures.pair import Frame, Replica
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

_SUREST = (10, 30, 100, 300)
"""How many people are guessed to be of the original: fixed before anything is seen."""
_LEVEL = 0.05
_MOST = 50.0
"""Of epsilon: no number of people could prove more."""
_STEPS = 60


@dataclass(frozen=True, repr=False)
class EpsilonBound(
    Readable, shows=("epsilon", "largest", "n_training", "n_control"), table="guesses"
):
    """A lower bound of the epsilon of a generator, from one release.

    Attributes
    ----------
    epsilon : float, 0 or more
        Lower bound at 95 %: a generator that kept a smaller epsilon of replace-one differential
        privacy would tell so many people of the original in at most 5 of 100 cases. 0: nothing was
        shown, which is no proof of privacy.
    largest : float
        The largest bound that so many people can prove, by guesses that are never wrong.
    guesses : DataFrame
        One row per number of guesses: guesses, right (of the original), by_chance, epsilon.
    n_training, n_control : int
        Records of original and holdout.
    seed : int
    fixes : tuple of str
    """

    epsilon: float
    largest: float
    guesses: pd.DataFrame
    n_training: int
    n_control: int
    seed: int
    fixes: tuple[str, ...] = field(default=(), repr=False)

    def contradicts(self, declared: float, delta: float = 0.0) -> bool:
        """Whether a declared epsilon, of replacing a person, is below the bound."""
        return self.at_delta(delta)[0] > declared

    def at_delta(self, delta: float) -> tuple[float, float]:
        """Return the bound, and the largest that could be shown, if delta is allowed for.

        The level is smaller by twice delta times the number of people, as for people who are in
        the original independently of each other (Steinke, Nasr and Jagielski 2023, theorem 5.2).
        """
        n, total = self.n_training, self.n_training + self.n_control
        counts = self.guesses["guesses"].tolist()
        level = (_LEVEL - 2.0 * delta * total) / len(counts)
        if level <= 0.0:
            return 0.0, 0.0
        shown = zip(self.guesses["right"], counts, strict=True)
        return (
            max(odds_bound(right, count, n, total, level) for right, count in shown),
            max(odds_bound(min(count, n), count, n, total, level) for count in counts),
        )


@checked
def epsilon_of_release(
    original: Frame,
    synthetic: Replica,
    holdout: Frame,
    *,
    random_holdout: bool,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    seed: Seed = 1,
) -> EpsilonBound:
    """Bound from below the epsilon of whatever made a replica, by one replica and a holdout.

    Whoever has the replica names the people who are surest to have been in the original: those who
    are nearest to it, as measured by how near other people are. Of a generator that keeps epsilon
    no more of them are of the original than Fisher's noncentral hypergeometric law allows.

    Parameters
    ----------
    original, synthetic, holdout : data frames
        Of several syntheses, a list, the bound is of all of them together.
    random_holdout : bool
        Whether original and holdout are one set of people, divided at random before the synthesis.
        The proof rests on that and on nothing else: without it there is no number.
    variables : names, optional
        By default every column that all data sets have.
    missing_codes : mapping of column to code or codes, optional
    seed : int
        Breaks ties.

    Returns
    -------
    EpsilonBound
        `epsilon` is 0 to `largest`, less being better.

    Raises
    ------
    StudyError
        If the holdout was not drawn at random.
    ColumnError, DataError
        If the data sets cannot be compared, original and holdout have too few records, or their
        rows seem to belong together, so that they were not divided one by one.

    Notes
    -----
    Replace-one: neighbours are originals in which one person stands in another's place. Exchanging
    a person of the original with one of the holdout is such a step, so that v of r guesses made
    without the labels are dominated by Fisher's noncentral hypergeometric distribution with odds
    exp(epsilon). Guesses are the 10, 30, 100 and 300 surest, each at .05 over their number. It
    contradicts a declared epsilon; it certifies none: of a generator that keeps 4 it mostly
    shows 0.

    References
    ----------
    Jagielski, Ullman and Oprea (2020), Auditing differentially private machine learning, NeurIPS;
    Steinke, Nasr and Jagielski (2023), Privacy auditing with one (1) training run, NeurIPS; for
    the law Fog (2008), Communications in Statistics: Simulation and Computation 37.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> people_of = lambda n: pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    >>> original, holdout = people_of(300), people_of(300)
    >>> round(epsilon_of_release(original, original, holdout, random_holdout=True).epsilon, 2)
    9.14
    >>> epsilon_of_release(original, people_of(300), holdout, random_holdout=True).epsilon
    0.0
    """
    if not random_holdout:
        msg = (
            "random_holdout: a bound of epsilon holds only where original and holdout are one set "
            "of people, divided at random before the synthesis. Say so if it is so; there is no "
            "number otherwise."
        )
        raise StudyError(msg)
    data = people(original, synthetic, holdout, variables=variables, missing_codes=missing_codes)
    return bound_epsilon(data, seed=seed)


def bound_epsilon(data: People, *, seed: int) -> EpsilonBound:
    """Make the bound of `epsilon_of_release` on data sets of one codebook.

    Raises
    ------
    DataError
        If original and holdout have too few records, whole households were divided, or rows seem
        to belong together: see `membership`.
    """
    if data.households is not None:
        msg = (
            "original and holdout were divided by households, or by persons of several records: a "
            "bound of epsilon is of records that were divided one by one."
        )
        raise DataError(msg)
    rows = belonging(data, seed=seed)
    if rows is not None and rows.together:
        raise DataError(f"{rows.reason}.")
    return bound_by(closeness_scores(data).ratio, data.n, seed=seed, fixes=data.fixes)


def bound_by(scores: Floats, n: int, *, seed: int, fixes: tuple[str, ...] = ()) -> EpsilonBound:
    """Return the bound by a score, free of labels, of the original (the first n) and the holdout.

    Raises
    ------
    DataError
        If there are not more people than the fewest guesses.
    """
    total = len(scores)
    counts = [count for count in _SUREST if 2 * count <= total]
    if not counts or not 0 < n < total:
        msg = (
            f"original and holdout: expected at least {2 * _SUREST[0]} records together, and some "
            f"in each, but got {n} and {total - n}."
        )
        raise DataError(msg)
    order = np.lexsort((np.random.default_rng(seed).random(total), -scores))
    level = _LEVEL / len(counts)
    rows = []
    for count in counts:
        right = int((order[:count] < n).sum())
        rows.append(
            {
                "guesses": count,
                "right": right,
                "by_chance": count * n / total,
                "epsilon": odds_bound(right, count, n, total, level),
            }
        )
    guesses = pd.DataFrame(rows)
    sure = (odds_bound(min(count, n), count, n, total, level) for count in counts)
    return EpsilonBound(
        float(guesses["epsilon"].max()), max(sure), guesses, n, total - n, seed, fixes
    )


def odds_bound(right: int, guesses: int, n: int, total: int, level: float) -> float:
    """Return the largest log odds at which so many right guesses have at most the level's chance.

    Of `total` people n are of the original; `right` of the guessed ones are. The law is Fisher's
    noncentral hypergeometric distribution. 0 where no positive odds are that unlikely.

    Examples
    --------
    >>> round(odds_bound(300, 300, 300, 600, 0.0125), 2)
    9.14
    >>> odds_bound(5, 10, 300, 600, 0.0125)
    0.0
    """
    from scipy.special import gammaln  # large: for a fast start, only when it is needed

    counts = np.arange(guesses + 1.0)

    def log_choose(of: float, some: Floats) -> Floats:
        """Return the logarithm of as many ways, but for a constant; of none minus infinity."""
        out: Floats = -gammaln(some + 1.0) - gammaln(of - some + 1.0)
        return out

    weight = log_choose(n, counts) + log_choose(total - n, guesses - counts)

    def tail(odds: float) -> float:
        """Return the chance of as many right guesses, or more."""
        log = weight + odds * counts
        mass = np.exp(log - log.max())
        return float(mass[counts >= right].sum() / mass.sum())

    if tail(0.0) > level:
        return 0.0
    low, high = 0.0, _MOST
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if tail(middle) <= level else (low, middle)
    return low
