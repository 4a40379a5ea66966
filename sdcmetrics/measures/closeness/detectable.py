"""How many people must leak before an exact test of exchangeable labels finds them."""

from __future__ import annotations

import bisect

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import checked

_ROUNDING = 1e-9
"""Relative: the tail of an exact 1/20 is summed from terms that are rounded."""


@checked
def smallest_detectable(
    n_training: int,
    n_holdout: int,
    *,
    by_chance: int = 0,
    level: float = 0.01,
    power: float = 0.9,
) -> int | None:
    """Smallest number of leaked training records that a test of single people finds.

    Belongs to the tests whose p is `identical_p` and `singled_out_p`: "no finding" says that fewer
    people than this leaked, and not that nobody did.

    Parameters
    ----------
    n_training, n_holdout : int, at least 1
        Records of the training data and of the holdout.
    by_chance : int, at least 0
        Real records, of both together, that stand out without having leaked: common records that
        any replica has. `LabelTest.by_chance` estimates it from the holdout.
    level : float, above 0 and below 1
        The p value, at most, that counts as found; 0.01 is where the report speaks of a finding.
    power : float, above 0 and below 1
        The probability, at least, of finding them. Where nothing stands out by chance the test
        finds so many always, and one fewer never, whatever the power.

    Returns
    -------
    int or None
        None where not even all of the training records would be found.

    Raises
    ------
    DataError, StudyError
        If a number is out of its range.

    Notes
    -----
    Exact, as the p values are: both are sums of hypergeometric probabilities. With a holdout of h
    records and n training records, c people who leak while nothing stands out by chance have
    p = C(n, c) / C(n + h, c), about (n / (n + h))^c. A small holdout therefore finds little: 7
    people for equal sizes, 12 for a holdout of half the size.

    Examples
    --------
    >>> smallest_detectable(5000, 5000), smallest_detectable(5000, 2500)
    (7, 12)
    >>> smallest_detectable(5000, 5000, by_chance=100)
    43
    >>> smallest_detectable(5000, 50), smallest_detectable(2, 2)
    (443, None)
    """
    _check_counts(n_training, n_holdout, by_chance)
    _check_shares(level=level, power=power)

    pool = n_training + n_holdout

    def wanting(leaked: int) -> int:
        """Return how many training records chance has to add; no more with more who leak."""
        return _critical(pool, n_training, leaked + by_chance, level) - leaked

    most = min(n_training, pool - by_chance)
    count = 1
    while count <= most:
        counts, chances = _hypergeometric(pool - count, n_training - count, by_chance)
        as_many = 1.0 - np.cumsum(chances) + chances
        added = int(counts[as_many >= power * (1.0 - _ROUNDING)][-1])
        if wanting(count) <= added:
            return count
        # Among more who leak chance adds no more: none is found before so few are wanting.
        step = 1
        while count + step < most and wanting(count + step) > added:
            step *= 2
        more = range(count + 1, min(count + step, most) + 1)
        count += 1 + bisect.bisect_left(more, -added, key=lambda leaked: -wanting(leaked))
    return None


def detection_power(
    leaked: int, n_training: int, n_holdout: int, *, by_chance: int = 0, level: float = 0.01
) -> float:
    """Probability that the exact label test finds so many leaked training records.

    Parameters
    ----------
    leaked : int, 0 to the number of training records
    n_training, n_holdout, by_chance, level : see `smallest_detectable`

    Returns
    -------
    float, 0 to 1
        With `leaked` 0, the rate of false alarms: at most `level`.

    Examples
    --------
    Nothing stands out by chance: 4 of 6 leaked records are all 4 of the 6 + 2 labels drawn with
    probability 15/70.

    >>> detection_power(4, 6, 2, level=0.22), detection_power(4, 6, 2, level=0.21)
    (1.0, 0.0)
    """
    pool = n_training + n_holdout
    critical = _critical(pool, n_training, leaked + by_chance, level)
    counts, chances = _hypergeometric(pool - leaked, n_training - leaked, by_chance)
    return min(1.0, float(chances[counts + leaked >= critical].sum()))


def _critical(pool: int, training: int, copies: int, level: float) -> int:
    """Return the smallest number of training records, of so many found, with p <= level."""
    counts, chances = _hypergeometric(pool, training, copies)
    tail = np.cumsum(chances[::-1])[::-1]
    rejected = counts[tail <= level * (1.0 + _ROUNDING)]
    return int(rejected[0] if len(rejected) else counts[-1] + 1)


def _hypergeometric(
    pool: int, training: int, copies: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return numbers of training records among those found, and the probability of each."""

    def choose(n: int, k: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return logs of binomial coefficients, less that of n!, which is the same in all."""
        out: npt.NDArray[np.float64] = -(
            lazy.special.gammaln(k + 1) + lazy.special.gammaln(n - k + 1)
        )
        return out

    counts = np.arange(min(copies, training) + 1)
    logs = choose(training, counts) + choose(pool - training, copies - counts)
    chances = np.exp(logs - logs.max())
    return counts, chances / chances.sum()


def _check_counts(n_training: int, n_holdout: int, by_chance: int) -> None:
    if min(n_training, n_holdout) < 1 or not 0 <= by_chance <= n_training + n_holdout:
        msg = (
            "smallest_detectable: expected at least one training and one holdout record, and 0 to "
            f"all of them by chance, but got {n_training:,}, {n_holdout:,} and {by_chance:,}."
        )
        raise DataError(msg)


def _check_shares(**shares: float) -> None:
    for name, share in shares.items():
        if not 0 < share < 1:
            msg = f"{name}: expected a share between 0 and 1, such as 0.9, but got {share}."
            raise StudyError(msg)
