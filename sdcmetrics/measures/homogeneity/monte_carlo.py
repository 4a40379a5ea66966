"""Whether the exact p of a table is as small as its moments say: by a bound, or by draws.

Exchanging labels makes the synthetic counts of a table multivariate hypergeometric: binomial, cell
by cell independent, given that they add up to m. A probability given the sum is at most the
probability without it over that of the sum; and without it Chernoff's bound is a product over
cells, of exact moment generating functions or of what these are below (Kearns and Saul 1998). So
the exact p is bounded at hardly any cost, which settles what is far from chance. What is not is
settled by draws from the same law tilted towards tables as far apart as the one that was seen, each
with its weight; where there are too many records for that, by plain draws.

References
----------
Kearns, M. and Saul, L. (1998). Large deviation methods for approximate probabilistic inference.
UAI. Buldygin, V. and Moskvichova, K. (2013). The sub-Gaussian norm of a binary random variable.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from sdcmetrics.microdata.arrays import Counts, Floats

_MOST_DRAWS = 200_000
_FIRST, _BATCH = 1_000, 20_000
_SUMMED = 2_000
"""Records of a cell up to which its moment generating function is summed up."""
_TILTED = 4_000
_SURE = 3.0
"""Standard errors from the level at which an estimate of tilted draws is settled."""
_ROUNDS = 8  # of tilted draws at most: then an estimate decides as it is
_MOST_STEPS, _MOST_HELD = 50_000_000, 10_000_000
"""Steps to part the records of a table, and numbers held for it, up to which draws are tilted."""
_SPARE = 2_000
"""Records whose tables are drawn to be named, too, once another table has settled the status."""
_POWERS = np.linspace(0.05, 1.5, 30)
"""Where Chernoff's bound is computed: what X2 is multiplied by. Beyond 1/2 for sparse tables."""


def p_at_most(x2: Floats, cells: Floats, n: int, m: int) -> Floats:
    """Return an upper bound of the exact p of X2, table by table; 1 where there is none.

    Examples
    --------
    >>> p_at_most(np.array([60.0]), np.array([5.0]), 300, 300).round(8).tolist()
    [2e-08]
    >>> p_at_most(np.array([4.0]), np.array([5.0]), 300, 300).tolist()
    [1.0]
    """
    ratio = np.maximum(x2 / _proxy(m / (n + m)) / cells, 1.0)
    log_p = -0.5 * cells * (ratio - 1.0 - np.log(ratio)) - _log_sum(n, m)
    out: Floats = np.exp(np.minimum(log_p, 0.0))
    return out


def p_of_cells_at_most(both: Counts, synthetic: Counts) -> float:
    """Return what the exact p of one table's X2 is below: sharper, from the counts of its cells."""
    m = int(synthetic.sum())
    n = int(both.sum()) - m
    return math.exp(min(float(_log_bounds(both, synthetic).min()) - _log_sum(n, m), 0.0))


def _log_bounds(both: Counts, synthetic: Counts) -> Floats:
    """Return the logarithm of Chernoff's bound without the sum, power by power."""
    m = int(synthetic.sum())
    n = int(both.sum()) - m
    each, times = np.unique(both, return_counts=True)
    logs = np.array([_log_generating(int(c), n, m) for c in each])
    out: Floats = times @ logs - _POWERS * _x2(both, synthetic)
    return out


def _x2(both: Counts, synthetic: Counts) -> float:
    share = synthetic.sum() / both.sum()
    return float(_parts(both, synthetic, share).sum())


def _parts(both: Any, synthetic: Any, share: float) -> Floats:
    """Return what each cell adds to X2."""
    out: Floats = (synthetic - both * share) ** 2 / (both * share * (1.0 - share))
    return out


def _proxy(share: float) -> float:
    """Return how far the least normal law that a binomial is below has a larger variance."""
    odds = math.log((1.0 - share) / share)
    return (1.0 - 2.0 * share) / (2.0 * odds * share * (1.0 - share)) if odds else 1.0


@lru_cache(maxsize=64)
def _log_sum(n: int, m: int) -> float:
    """Return the logarithm of the probability that binomials add up to m."""
    share = m / (n + m)
    log_choose = math.lgamma(n + m + 1.0) - math.lgamma(m + 1.0) - math.lgamma(n + 1.0)
    return log_choose + m * math.log(share) + n * math.log(1.0 - share)


@lru_cache(maxsize=1 << 12)
def _log_generating(both: int, n: int, m: int) -> Floats:
    """Return the log of the mean of exp(power (s - c f)^2 / (c f (1 - f))), power by power."""
    from scipy.special import logsumexp  # large: only when it is needed

    if both > _SUMMED:
        left = 1.0 - 2.0 * _POWERS * _proxy(m / (n + m))
        return np.where(left > 0.0, -0.5 * np.log(np.maximum(left, 1e-300)), np.inf)
    log_chance, part = _binomial(both, n, m)
    out: Floats = logsumexp(log_chance + _POWERS[:, None] * part, axis=1)
    return out


def _binomial(both: int, n: int, m: int) -> tuple[Floats, Floats]:
    """Return the log chance of 0, 1, ... synthetic records of a cell, and their parts of X2.

    Up to m, and -inf where more than n would be original: given the sum neither can be.
    """
    from scipy.special import gammaln  # large: only when it is needed

    share, s = m / (n + m), np.arange(min(both, m) + 1.0)
    log_chance = gammaln(both + 1.0) - gammaln(s + 1.0) - gammaln(both - s + 1.0)
    log_chance += s * math.log(share) + (both - s) * math.log(1.0 - share)
    log_chance[both - s > n] = -np.inf
    return log_chance, _parts(both, s, share)


def p_by_tilted_draws(
    both: Counts, synthetic: Counts, rng: np.random.Generator
) -> tuple[float, float]:
    """Return the exact p of X2 as estimated from tilted draws, and its standard error.

    The chance of a table is multiplied by exp(power X2), so that tables like the one that was seen
    are met often, and each draw counts by what it was multiplied by. Cell after cell is drawn given
    what the rest can add up to, so that every draw adds up to m: no draw is lost.
    """
    m = int(synthetic.sum())
    n = int(both.sum()) - m
    x2 = _x2(both, synthetic)
    power = float(_POWERS[int(_log_bounds(both, synthetic).argmin())])
    log_tilt = 0.0
    laws: dict[int, tuple[Floats, Floats]] = {}
    for c, times in zip(*np.unique(both, return_counts=True), strict=True):
        log_chance, part = _binomial(int(c), n, m)
        log_all = log_chance + power * part
        tilted = np.exp(log_all - log_all.max())
        laws[int(c)] = tilted / tilted.sum(), part
        log_tilt += float(times) * (math.log(tilted.sum()) + float(log_all.max()))
    cells = [laws[int(c)] for c in both]
    rest = [np.ones(1)]  # how likely the cells after each are to add up to 0, 1, ..., m
    for tilted, _ in reversed(cells):
        rest.append(np.convolve(rest[-1], tilted)[: m + 1])
    all_of_m = float(rest.pop()[m])
    if all_of_m <= 0.0:  # so far from m that nothing can be said
        return 1.0, 0.0
    log_tilt += math.log(all_of_m) - _log_sum(n, m)
    left, distance = np.full(_TILTED, m), np.zeros(_TILTED)
    for tilted, part in cells:
        after = rest.pop()
        at = left[:, None] - np.arange(len(tilted))
        possible = (at >= 0) & (at < len(after))
        up_to = np.cumsum(
            np.where(possible, after[np.where(possible, at, 0)] * tilted, 0.0), axis=1
        )
        point = rng.random(_TILTED) * up_to[:, -1]
        drawn = np.minimum((up_to <= point[:, None]).sum(axis=1), len(tilted) - 1)
        left -= drawn
        distance += part[drawn]
    # 1e-9: the same tables in another order of summing
    as_far = distance >= x2 * (1.0 - 1e-9)
    weights = np.where(as_far, np.exp(np.minimum(log_tilt - power * distance, 700.0)), 0.0)
    return float(weights.mean()), float(weights.std() / math.sqrt(_TILTED))


@dataclass(frozen=True, repr=False)
class ExchangedTable:
    """A table whose records could change sides: whether its exact p is at most a level."""

    both: Counts
    synthetic: Counts

    @property
    def cost(self) -> float:
        """What draws of it cost, as a part of what may be spent on a name."""
        return float(self.both.sum()) / _SPARE

    def is_beyond_doubt(self, level: float) -> bool:
        """Tell whether a bound settles it."""
        return p_of_cells_at_most(self.both, self.synthetic) <= level

    def passes(self, factor: float, chance: float, rng: np.random.Generator) -> bool:
        """Tell whether draws do: see `passes`."""
        return passes(self.both, self.synthetic, factor=factor, chance=chance, rng=rng)


def passes(
    both: Counts, synthetic: Counts, *, factor: float, chance: float, rng: np.random.Generator
) -> bool:
    """Tell whether the p of X2 by exchange, times its factor, is at most `chance`; by draws.

    Parameters
    ----------
    both, synthetic : int arrays of shape (cells,)
        Records of each cell, and how many are synthetic.
    factor : float
        How many tables the level is shared by: Holm's factor.
    """
    total, m = int(both.sum()), int(synthetic.sum())
    if m * total <= _MOST_STEPS and m * len(both) <= _MOST_HELD and both.max() <= _SUMMED:
        return _passes_tilted(both, synthetic, chance / factor, rng)
    share, order = m / total, np.argsort(-both)

    def distances(draws: int) -> Floats:
        drawn = _drawn(both[order], m, draws, rng)
        out: Floats = _parts(both[order], drawn, share).sum(axis=1)
        return out

    return passes_plain_draws(distances, _x2(both, synthetic), factor=factor, chance=chance)


def passes_plain_draws(
    distances: Callable[[int], Floats],
    observed: float,
    *,
    factor: float,
    chance: float,
    batch: int = _BATCH,
) -> bool:
    """Tell whether the p of a statistic, times its factor, is at most `chance`; by plain draws.

    Parameters
    ----------
    distances : function
        Draws the statistic under the null hypothesis so many times.
    batch : int
        Draws at a time.
    """
    least = max(math.ceil(2.0 * factor / chance), _FIRST)
    draws = max(min(_MOST_DRAWS, math.ceil(10.0 * factor / chance)), least)
    done = over = 0
    for until in (least, draws):
        # (1 + over) / (1 + draws) * factor <= chance / 2: either look has half of the level.
        allowed = (until + 1) * chance / factor / 2.0 - 1.0
        while done < until and over <= allowed:
            number = min(until - done, batch if done else min(batch, _FIRST))
            # 1e-9: the same tables in another order of summing
            over += int((distances(number) >= observed * (1.0 - 1e-9)).sum())
            done += number
        if done >= until and over <= allowed:
            return True
    return False


def _passes_tilted(both: Counts, synthetic: Counts, level: float, rng: np.random.Generator) -> bool:
    """Tell whether the exact p is at most the level, with more draws where it is close to that."""
    each: list[float] = []
    errors: list[float] = []
    while True:
        p, error = p_by_tilted_draws(both, synthetic, rng)
        each.append(p)
        errors.append(error)
        mean = sum(each) / len(each)
        sure = _SURE * math.sqrt(sum(error**2 for error in errors)) / len(each)
        if abs(mean - level) > sure or len(each) == _ROUNDS:
            return mean <= level


def _drawn(both: Counts, m: int, draws: int, rng: np.random.Generator) -> Counts:
    """Part the records of each cell, as many tables as are asked for."""
    return rng.multivariate_hypergeometric(both, m, size=draws, method="marginals")
