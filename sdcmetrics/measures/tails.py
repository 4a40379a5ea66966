"""Upper tails of two distributions, as scipy.stats gives them but without its 0.3 s of imports.

scipy.stats asks functions of scipy.special that have no public name; where these are not found,
scipy.stats is asked.
"""

from __future__ import annotations


def more_than_binomial(k: int, trials: int, chance: float) -> float:
    """Return the probability of more than k successes.

    Examples
    --------
    >>> more_than_binomial(1, 2, 0.5)
    0.25
    """
    try:
        from scipy.special._ufuncs import _binom_sf
    except ImportError:
        from scipy.stats import binom

        return float(binom.sf(k, trials, chance))
    return float(_binom_sf(k, trials, chance)) if 0 <= k < trials else float(k < 0)


def more_than_hypergeometric(k: int, having: int, drawn: int, pool: int) -> float:
    """Return the probability that more than k of those drawn from a pool have something.

    Examples
    --------
    >>> round(more_than_hypergeometric(1, 3, 2, 6), 6)
    0.2
    """
    try:
        from scipy.special._ufuncs import _hypergeom_sf
    except ImportError:
        from scipy.stats import hypergeom

        return float(hypergeom.sf(k, pool, having, drawn))
    inside = max(0, having + drawn - pool) <= k < min(having, drawn)
    return float(_hypergeom_sf(k, having, drawn, pool)) if inside else float(k < min(having, drawn))
