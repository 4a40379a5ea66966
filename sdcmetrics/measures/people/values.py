"""Values of the replica that people of the original have: a test whatever the replica's law is.

Of the different values of a replica, whatever they are and however often it has each, people who
were drawn without it have x each on average: nobody with a chance of exp(-x), one person with one
of x exp(-x), two with one of x^2 exp(-x) / 2. By Cauchy and Schwarz those that one person has are,
on average, at most the root of twice those that nobody has times those that two have. More is
evidence of copies. Pairs within the replica are no part of it, so that it holds where repeats were
dropped, or are many.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from sdcmetrics.measures.people.equal import CONFIRMED, Bundles, label_p, speaks
from sdcmetrics.measures.people.tails import first
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Bools, Ints

_GRID = 400  # means of those that two people have, of which the worst counts
_LEAST, _MORE = 1e-3, 10.0
_DRAWS = 400
_NOTICED = 0.97  # of draws: that 90 % are noticed is then safe to say


@dataclass(frozen=True)
class Values:
    """Values of the replica: how many of them one person of the original has, two, and nobody.

    Attributes
    ----------
    once, twice, nobody : int
    """

    once: int = 0
    twice: int = 0
    nobody: int = 0

    @cached_property
    def p(self) -> float:
        """That one person has so many of them, and two so few, by chance, at most.

        Of those that one person has or nobody, one has on average at most a share that follows from
        how many two have. Of two independent p, q is the largest product over what these may be on
        average, and q (1 - log q) its p (Fisher).
        """
        if self.is_by_chance:
            return 1.0
        x, y, few = self.once, self.twice, self.once + self.nobody
        two = np.concatenate([[0.0], np.geomspace(_LEAST, 2 * (few + y) + _MORE, _GRID)])
        share = np.minimum((np.sqrt(two * (two + 2 * few)) - two) / few, 1)
        so_many = lazy.special.betainc(x, few - x + 1, share)
        so_few = lazy.special.gammaincc(y + 1, two)
        q = float((so_many[1:] * so_few[:-1]).max())  # of a mean between two, no larger one
        return min(1.0, q * (1 - math.log(q))) if q else 0.0

    @property
    def is_by_chance(self) -> bool:
        """Whether one person has no more of them than chance gives if two have as many as seen."""
        return not self.once or self.once**2 <= 2 * self.twice * self.nobody

    def without(self, copied: int) -> Values:
        """Return the same without so many people, each of whom has a value of their own."""
        return Values(self.once - copied, self.twice, self.nobody)


def replica_values(bundles: Bundles, m: int) -> Values:
    """Return the values of m records of a replica, of the bundles of it and the original.

    Examples
    --------
    Of a, b, c and d, two people have a, and one b:

    >>> from sdcmetrics.measures.people.equal import bundles_of
    >>> keys = np.array([ord(letter) << 2 for letter in "aabe" + "abbcd"], np.uint64)
    >>> replica_values(bundles_of(keys, 4, 0), 5)
    Values(once=1, twice=1, nobody=2)
    """
    t, r = bundles.original, bundles.replica
    t = t[r > 0]
    once, twice = (int((t == people).sum()) for people in (1, 2))
    return Values(once, twice, different_values(r, m) - int((t > 0).sum()))


def different_values(repeats: Ints, records: int) -> int:
    """Return the values of so many records, of how often each bundle has one of them."""
    return records - int(np.maximum(repeats - 1, 0).sum())


def _alone(repeats: Ints, records: int) -> int:
    """Return how many of so many records are alone, of how often each bundle has one of them."""
    return records - int(repeats[repeats > 1].sum())


def noticed_by_values(
    bundles: Bundles,
    n: int,
    m: int,
    level: float,
    rng: np.random.Generator,
    label: tuple[int, float] = (0, 0.0),
    *,
    repeats: bool = False,
) -> int | None:
    """Return the smallest number of copied people who are noticed, None if nobody ever is.

    By chance values are those of one person as often as the original's are those of two, and no
    more often than here. A holdout of so many records has its say: by labels, at a level of LE, and
    against values, where it could speak and does not confirm them.

    In a replica that repeats records one that gives way mostly leaves its value there, and a copy
    mostly brings none where many are there: then values are counted so.
    """
    t, values = bundles.original, replica_values(bundles, m)
    alone, twos = _alone(t, n), int((t == 2).sum())  # noqa: PLR2004  (two people)
    different = different_values(bundles.replica, m)
    once = rng.poisson(min(values.once, 2 * twos * different / n), _DRAWS)
    twice = rng.poisson(values.twice, _DRAWS)
    others = values.once + values.nobody + values.twice  # that one person may have, or two
    there = (values.once, values.twice) if repeats else (0, 0)
    again = 1 - _alone(bundles.replica, m) / m if repeats else 0.0
    confirmed = _by_labels(bundles, n, *label, rng) if label[0] else None

    @cache
    def fewest(two: int, every: int) -> int:
        """Return how many must have one person, where so many have two; more than all if none."""
        return first(lambda k: Values(k, two, max(0, every - two - k)).p <= level, every + 1)

    def often(copied: int) -> bool:
        hits = once + rng.binomial(copied, (alone - there[0]) / n, _DRAWS)
        if repeats:
            both = twice + rng.binomial(twos - there[1], 1 - (1 - copied / n) ** 2, _DRAWS)
        else:
            both = twice + rng.binomial(copied, min(1.0, 2 * twos / n), _DRAWS)
        every = others + round(copied * again)
        noticed = hits >= [fewest(two, every) for two in both.tolist()]
        if confirmed is not None:
            noticed = confirmed(noticed, copied)
        return bool(noticed.mean() >= _NOTICED)

    number = first(often, min(n, m) + 1)
    return number if number <= min(n, m) else None


def _by_labels(
    bundles: Bundles, n: int, h: int, level: float, rng: np.random.Generator
) -> Callable[[Bools, int], Bools]:
    """Return what says which draws are noticed, as a holdout has it, of those that values notice.

    Who is met by chance is of the original or not, at random.
    """
    people = bundles.original + bundles.holdout
    met = rng.poisson(int(((bundles.replica > 0) & (people == 1)).sum()), _DRAWS)
    ours = rng.binomial(met, n / (n + h))
    theirs = met - ours
    alone = n - int(bundles.original[people > 1].sum())

    def confirmed(noticed: Bools, copied: int) -> Bools:
        hits = list(zip(ours + rng.binomial(copied, alone / n, _DRAWS), theirs, strict=True))
        p = np.array([label_p(int(x), int(y), n, h) for x, y in hits])
        of_copied = round(copied * alone / n)
        silent = np.array([not speaks(int(x), int(y), n, h, of_copied) for x, y in hits])
        out: Bools = (p <= level) | (noticed & ((p <= CONFIRMED) | silent))
        return out

    return confirmed
