"""Upper tails of the binomial and the hypergeometric distribution."""

from __future__ import annotations

from sdcmetrics.microdata import lazy


def more_than_binomial(k: int, trials: int, chance: float) -> float:
    """Return the probability of more than k successes.

    Examples
    --------
    >>> more_than_binomial(1, 2, 0.5)
    0.25
    """
    if not 0 <= k < trials:
        return float(k < 0)
    # What scipy.stats computes, without importing that, which takes long.
    return float(lazy.special.betainc(k + 1, trials - k, chance))


def more_than_hypergeometric(k: int, having: int, drawn: int, pool: int) -> float:
    """Return the probability that more than k of those drawn from a pool have something.

    Examples
    --------
    >>> round(more_than_hypergeometric(1, 3, 2, 6), 6)
    0.2
    """
    return float(lazy.stats.hypergeom.sf(k, pool, having, drawn))
