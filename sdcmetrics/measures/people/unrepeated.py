"""Files that repeat nothing: whether repeats were dropped, and what equal records say then.

Pairs of equal records across files are compared with those inside each (TE). Where repeats were
dropped, a common last step, there are none inside the replica, and pairs with the original are
chance all the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sdcmetrics.measures.people.equal import Bundles, Keys, bundles_of, sum_keys
from sdcmetrics.measures.people.tails import at_least_binomial, at_least_hypergeometric, first
from sdcmetrics.microdata.arrays import Ints

_MOST = 1_000_000_000  # copies
_FEWEST = 5  # pairs that differ in one column, for it to tell how many are equal
_SPREADS = 3  # of a count, that hardly any is beyond
_TIMES = 3  # as many equal pairs as go with those that differ in a column, and one, are chance
_LESS = 2 / 3
_CHANCE = 0.05
_MORE = 2.0  # times as many different values as the original: noise
_REPEATS = 3  # of which none comes by chance in one of twenty samples


def lacks_repeats(bundles: Bundles, n: int, m: int) -> bool:
    """Whether a file of m records repeats nothing although as many of the original's n would."""
    t = bundles.original
    if (bundles.replica > 1).any() or (t > 1).sum() < _REPEATS:
        return False
    return _equal_pairs(t) * (m * (m - 1) / (n * (n - 1))) >= _REPEATS


def without_repeats(keys: Keys, n: int, sizes: Sequence[int] = ()) -> bool:
    """Whether none of the files repeats a record; keys are those of the original and of files."""
    return all(len(np.unique(file)) == len(file) for file in files_within(keys[n:], sizes))


def files_within(replica: Keys, sizes: Sequence[int]) -> list[Keys]:
    """Return the keys of each file."""
    return np.split(replica, np.cumsum(sizes)[:-1]) if sizes else [replica]


def some_lack_repeats(keys: Keys, n: int, sizes: Sequence[int] = ()) -> bool:
    """Whether one of several files of these sizes does, or the only one.

    Keys are those of the original's n records, and of all files'.
    """
    return any(
        lacks_repeats(bundles_of(np.concatenate([keys[:n], file]), n, 0), n, len(file))
        for file in files_within(keys[n:], sizes)
    )


def recur(values: Keys, original: Keys) -> bool:
    """Whether half of the records, or more, share values that are about as many as the original's.

    Examples
    --------
    >>> values = np.array([1, 1, 2, 2, 3, 4], np.uint64)
    >>> recur(values, values), recur(values[2:], values), recur(values, values[:1])
    (True, True, False)
    """
    counts = np.unique(values, return_counts=True)[1]
    shared = 2 * counts[counts > 1].sum() >= len(values)
    return bool(shared and len(counts) <= _MORE * len(np.unique(original)))


def repeats_less(original: Keys, replica: Keys) -> bool:
    """Whether a file has far fewer pairs of equal records than as many of the original's would.

    Examples
    --------
    >>> people = np.repeat(np.arange(6, dtype=np.uint64), 2)
    >>> repeats_less(people, people[:11]), repeats_less(people, np.arange(12, dtype=np.uint64))
    (False, True)
    """
    n, m = len(original), len(replica)
    people, records = (np.unique(keys, return_counts=True)[1] for keys in (original, replica))
    expected = _equal_pairs(people) * (m * (m - 1) / max(n * (n - 1), 1))
    if expected < _REPEATS or _equal_pairs(records) >= _LESS * expected:
        return False
    # so few by chance? repeats grow with the square of a file's size, and only with it in a crowd
    ours, theirs = n - len(people), m - len(records)
    share = min(m / n, (m / n) ** 2)
    return at_least_binomial(ours, ours + theirs, 1 / (1 + share)) <= _CHANCE


def _equal_pairs(repeats: Ints) -> float:
    return float((repeats * (repeats - 1)).sum()) / 2


class Pairs(NamedTuple):
    """Pairs of records: of an original and a replica, and all others that are not in the replica.

    The latter are pairs of people, and of people left out with records of the replica.
    """

    across: int
    others: int


class NearPairs(NamedTuple):
    """Pairs that are equal but for one column, and how many equal ones across go with them.

    Where two records agree by chance, they agree in each column as others do, or more often.
    """

    across: int
    others: int
    equal: float


def pairs_of(bundles: Bundles) -> Pairs:
    """Return the pairs of equal records."""
    t, b, r = bundles.original, bundles.holdout, bundles.replica
    people = t + b
    return Pairs(int((t * r).sum()), int((people * (people - 1) // 2 + b * r).sum()))


def nearly_equal(columns: list[Keys], n: int, h: int) -> NearPairs:
    """Return the pairs of records that are equal but for one column, from the keys of columns."""
    keys = sum_keys(columns)
    equal = pairs_of(bundles_of(keys, n, h))
    across, others, chance = [], [], [0.0]
    for column in columns:
        pairs = pairs_of(bundles_of(keys - column, n, h))
        across.append(pairs.across - equal.across)
        others.append(pairs.others - equal.others)
        agree = pairs_of(bundles_of(column, n, h)).across / (n * (len(keys) - n - h))
        tells = across[-1] >= _FEWEST and agree < 1
        chance.append(across[-1] * agree / (1 - agree) if tells else 0.0)
    return NearPairs(sum(across), sum(others), max(chance))


def expected_share(n: int, h: int, m: int) -> float:
    """Return which share of these pairs is across by chance, all files being of one law.

    Examples
    --------
    >>> expected_share(100, 0, 100), expected_share(100, 100, 100)
    (0.6666666666666666, 0.25)
    """
    rho, x = h / n, m / n
    return x / (x * (1 + rho) + (1 + rho) ** 2 / 2)


def dropped_p(equal: Pairs, near: NearPairs, share: float) -> float:
    """Return P(as many equal pairs are across), where repeats were dropped; 0 if none could be.

    Equal records that are chance go with others that are equal but for a column, and are across as
    often as these. Where there are more than a few times as many as go with those, people have
    values of their own, and equal ones are copies; but where the original has some as well, they
    are across as often as records of one law.

    Examples
    --------
    >>> round(dropped_p(Pairs(12, 0), NearPairs(36, 18, 3.0), 0.5), 4)
    0.0142
    >>> few = NearPairs(36, 18, 2.9)
    >>> dropped_p(Pairs(12, 0), few, 0.5), round(dropped_p(Pairs(12, 1), few, 0.5), 4)
    (0.0, 0.0017)
    """
    if equal.across > _TIMES * (near.equal + 1):
        every = sum(equal)
        return at_least_binomial(equal.across, every, share) if equal.others else 0.0
    across, every = equal.across + near.across, sum(equal) + near.across + near.others
    return at_least_hypergeometric(equal.across, sum(equal), across, every)


def fewest_copies(equal: Pairs, near: NearPairs, share: float, level: float) -> int:
    """Return how many pairs across must be copies for others to be told from chance.

    Also of a file in which more pairs across differ in one column than in this one.
    """
    factor = 1 + _SPREADS * (math.sqrt(near.across) + 1) / max(near.across, 1)
    more = NearPairs(math.ceil(near.across * factor), near.others, near.equal * factor)

    def told(copies: int) -> bool:
        """Whether so many are, by either law where the original has any: then more are, too."""
        pairs = Pairs(copies, equal.others)
        p = at_least_binomial(copies, sum(pairs), share) if equal.others else 0.0
        return max(p, dropped_p(pairs, more, share)) <= level

    return first(told, _MOST)
