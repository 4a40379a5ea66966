"""Whether the exact p of a table is as small as its moments say: by a bound, or by draws.

Exchanging labels makes the synthetic counts of a table multivariate hypergeometric: binomial, cell
by cell independent, given that they add up to m. That has two uses. A probability given the sum is
at most the probability without it over that of the sum; and the square of a binomial has a moment
generating function below that of a normal law (Kearns and Saul 1998). Both together bound the exact
p, at no cost, and settle what is far from chance. What is not is settled by draws.

References
----------
Kearns, M. and Saul, L. (1998). Large deviation methods for approximate probabilistic inference.
UAI. Buldygin, V. and Moskvichova, K. (2013). The sub-Gaussian norm of a binary random variable.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

_MOST_DRAWS = 200_000
_EXCEEDANCES = 10
"""After which draws stop, as p is then settled to a third."""
_FIRST, _BATCH = 1_000, 20_000


def p_at_most(x2: Floats, cells: Floats, n: int, m: int) -> Floats:
    """Return what the exact p of X2 is below, table by table; 1 where this says nothing.

    Examples
    --------
    >>> p_at_most(np.array([60.0]), np.array([5.0]), 300, 300).round(11).tolist()
    [2.5e-08]
    >>> p_at_most(np.array([4.0]), np.array([5.0]), 300, 300).tolist()
    [1.0]
    """
    from scipy.special import gammaln  # large: for a fast start, only when it is needed

    share = m / (n + m)
    odds = math.log((1.0 - share) / share)
    proxy = (1.0 - 2.0 * share) / (2.0 * odds * share * (1.0 - share)) if odds else 1.0
    log_sum = gammaln(n + m + 1.0) - gammaln(m + 1.0) - gammaln(n + 1.0)
    log_sum += m * math.log(share) + n * math.log(1.0 - share)
    ratio = np.maximum(x2 / proxy / cells, 1.0)
    log_p = -0.5 * cells * (ratio - 1.0 - np.log(ratio)) - log_sum
    out: Floats = np.exp(np.minimum(log_p, 0.0))
    return out


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
    share = m / total
    scale = both * share * (1.0 - share)
    observed = float(((synthetic - both * share) ** 2 / scale).sum())
    draws = int(max(min(_MOST_DRAWS, 10.0 * factor / chance), 2.0 * factor / chance))
    # (1 + over) / (1 + draws) * factor <= chance: with more exceedances than these it cannot hold.
    allowed = min((draws + 1) * chance / factor - 1.0, _EXCEEDANCES - 1)
    order = np.argsort(-both)
    done = over = 0
    while done < draws and over <= allowed:
        batch = min(draws - done, _BATCH if done else _FIRST)
        drawn = _drawn(both[order], m, batch, rng)
        distance = ((drawn - both[order] * share) ** 2 / scale[order]).sum(axis=1)
        # 1e-9: the same tables in another order of summing
        over += int((distance >= observed * (1.0 - 1e-9)).sum())
        done += batch
    return over <= allowed


def _drawn(both: Counts, m: int, draws: int, rng: np.random.Generator) -> Counts:
    """Part the records of each cell, as many tables as are asked for."""
    return rng.multivariate_hypergeometric(both, m, size=draws, method="marginals")
