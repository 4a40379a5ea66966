"""Maximum mean discrepancy (MMD) of several variables together."""

from __future__ import annotations

import numpy as np

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.neighbours.every_pair import squared_distances
from sdcmetrics.measures.survey.households import Households, households_drawn
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.daisynt.one_variable import Discrepancy

_FEWEST = 10
_MOST = 2_000
"""Records of each sample: the kernel's matrix is of the square of both."""


def scaled(first: Floats, second: Floats) -> Floats:
    """Return both samples together, each column less its mean over its standard deviation.

    Otherwise the column of the largest numbers alone would decide. A constant is left out.
    """
    both = np.concatenate([first, second])
    both = both[:, np.ptp(both, axis=0) > 0]
    out: Floats = (both - both.mean(axis=0)) / both.std(axis=0)
    return out


def joint_discrepancy(
    first: Floats,
    second: Floats,
    *,
    rng: np.random.Generator,
    permutations: int = 499,
    households: Households | None = None,
) -> Discrepancy:
    """Test whether two samples of several columns are of one population, labels permuted.

    Parameters
    ----------
    first, second : float arrays of shape (records, columns), nothing missing
        Of more than 2,000 records so many are drawn.
    rng : Generator
    permutations : int
    households : Households, optional
        Of all records: then whole households are drawn and exchanged.

    Raises
    ------
    NotComputable
        With fewer than 10 records in a sample.

    References
    ----------
    Gretton, Borgwardt, Rasch, Scholkopf and Smola (2012), Journal of Machine Learning Research 13.

    Examples
    --------
    >>> x = np.arange(24.0).reshape(12, 2)
    >>> joint_discrepancy(x, x, rng=np.random.default_rng(1)).p_value
    1.0
    """
    if min(len(first), len(second)) < _FEWEST:
        msg = f"a data set has fewer than {_FEWEST} complete records"
        raise NotComputable(msg)
    if households is None:
        first, second = (
            each[rng.choice(len(each), min(_MOST, len(each)), replace=False)]
            for each in (first, second)
        )
    else:
        sides = np.split(households.number, [households.n])
        rows = [households_drawn(number, _MOST, rng) for number in sides]
        households = households.subset(np.append(rows[0], households.n + rows[1]))
        first, second = first[rows[0]], second[rows[1]]
    m, n = len(first), len(second)
    apart = squared_distances(scaled(first, second))
    far = apart[np.triu_indices(m + n, 1)]
    far = far[far > 0]
    if not len(far):
        return Discrepancy(0.0, 0.0, 1.0, 0.0)
    sigma = float(np.sqrt(np.median(far)))
    kernel = np.exp(-apart / (2 * sigma**2))
    labels = np.empty((m + n, permutations + 1))
    labels[:, 0] = np.repeat([1 / m, -1 / n], [m, n])
    for i in range(1, permutations + 1):
        if households is None:
            labels[:, i] = rng.permutation(labels[:, 0])
        else:
            labels[:, i] = -1 / n
            labels[households.drawn(rng), i] = 1 / m
    squares = np.maximum(np.einsum("ij,ij->j", labels, kernel @ labels), 0.0)
    # 1e-12: the same records in another order of summing
    as_much = int((squares[1:] >= squares[0] - 1e-12).sum())
    within = (kernel[:m, :m].sum() - m) / (m * (m - 1)), (kernel[m:, m:].sum() - n) / (n * (n - 1))
    return Discrepancy(
        mmd=float(np.sqrt(squares[0])),
        unbiased=float(sum(within) - 2 * kernel[:m, m:].mean()),
        p_value=(1 + as_much) / (1 + permutations),
        sigma=sigma,
    )
