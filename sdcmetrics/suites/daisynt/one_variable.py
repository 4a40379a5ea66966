"""Maximum mean discrepancy (MMD) of one variable, exactly, from counts of its distinct values.

With w the difference of the shares of each distinct value, MMD^2 = w' K w: records are never
compared with each other. Permuting the labels of the records draws from a multivariate
hypergeometric distribution, so that the test is of counts as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.arrays import Counts, Floats

_MOST_VALUES = 2048
"""Distinct values beyond which a grid stands for them: the kernel's matrix is of their square."""
_GRID = 1024
_FEWEST_RECORDS = 10
_BANDWIDTHS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Times the median distance: what is far finer or coarser than it is seen by one of these."""


@dataclass(frozen=True)
class ValueCounts:
    """How often two samples have each value.

    Attributes
    ----------
    values : float array of shape (values,), ascending
    first, other : int arrays of shape (values,)
    places : int array of shape (records of both,)
        Which value each record has.
    """

    values: Floats
    first: Counts
    other: Counts
    places: npt.NDArray[np.int64] | None = None

    def kernel(self, sigma: float) -> Floats:
        """exp(-(x - y)^2 / (2 sigma^2)) of every two values; shape (values, values)."""
        apart = self.values[:, None] - self.values
        out: Floats = np.exp(-(apart**2) / (2 * sigma**2))
        return out

    def drawn(
        self, rng: np.random.Generator, permutations: int, households: Households | None = None
    ) -> Counts:
        """Counts of the first sample under permuted labels; shape (permutations, values)."""
        if households is not None and self.places is not None:
            return households.counts(self.places, len(self.values), permutations, rng)
        drawn: Counts = rng.multivariate_hypergeometric(
            self.first + self.other, int(self.first.sum()), size=permutations, method="marginals"
        )
        return drawn

    def squared(self, first: Counts, kernel: Floats) -> npt.NDArray[np.float64]:
        """MMD^2 (V statistic, 0 or more) of counts of the first sample against the rest."""
        rest = self.first + self.other - first
        w = first / self.first.sum() - rest / self.other.sum()
        out: Floats = np.einsum("...i,...i->...", w @ kernel, w)
        return np.maximum(out, 0.0)

    def unbiased(self, kernel: Floats) -> float:
        """MMD^2 (U statistic), whose mean is 0 for samples of one population; may be below 0."""
        a, b = self.first, self.other
        m, n = int(a.sum()), int(b.sum())
        inside = (a @ kernel @ a - m) / (m * (m - 1)) + (b @ kernel @ b - n) / (n * (n - 1))
        return float(inside - 2 * (a @ kernel @ b) / (m * n))


def count_values(first: Floats, second: Floats) -> ValueCounts:
    """Count the distinct values of two samples; NaN is left out.

    Beyond 2,048 distinct values each record counts as the nearest of 1,024 quantiles of both.

    Raises
    ------
    NotComputable
        With fewer than 10 values in a sample.
    """
    first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    if min(len(first), len(second)) < _FEWEST_RECORDS:
        msg = f"a data set has fewer than {_FEWEST_RECORDS} values"
        raise NotComputable(msg)
    return _counted(first, second)


def _counted(first: Floats, second: Floats) -> ValueCounts:
    values, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    if len(values) > _MOST_VALUES:
        pooled = values[place]
        middles = (np.arange(_GRID) + 0.5) / _GRID
        grid = np.unique(np.quantile(pooled, middles, method="inverted_cdf"))
        place = np.searchsorted((grid[1:] + grid[:-1]) / 2, pooled)
        values = grid
    counts = [np.bincount(p, minlength=len(values)) for p in np.split(place, [len(first)])]
    return ValueCounts(values, counts[0], counts[1], place.astype(np.int64))


def median_distance(counts: ValueCounts) -> float:
    """Median distance of two records of both samples that differ; 0 where none do.

    Examples
    --------
    >>> both = _counted(np.array([0.0, 1, 2, 4]), np.array([1.0, 3, 5]))
    >>> median_distance(both)
    2.0
    """
    times = (counts.first + counts.other).astype(np.float64)
    i, j = np.triu_indices(len(counts.values), 1)
    apart, weight = counts.values[j] - counts.values[i], times[i] * times[j]
    order = np.argsort(apart)
    up_to = np.cumsum(weight[order])
    if not len(up_to):
        return 0.0
    half = up_to[-1] / 2
    low = int(np.searchsorted(up_to, half))
    high = int(np.searchsorted(up_to, half, side="right"))
    return float(apart[order[low]] + apart[order[min(high, len(up_to) - 1)]]) / 2


@dataclass(frozen=True)
class Discrepancy:
    """The MMD of one variable with its test.

    Attributes
    ----------
    mmd : float, 0 to 1.42
        The square root of the V statistic, above 0 for fresh data, too.
    unbiased : float
        MMD^2 whose mean is 0 for fresh data: the size of the effect.
    p_value : float
        By permuted labels.
    sigma : float
    statistic : float
        What is tested: MMD^2, not as published in standard deviations under permuted labels.
    null : float array of shape (permutations,)
        The same by permuted labels.
    """

    mmd: float
    unbiased: float
    p_value: float
    sigma: float
    statistic: float = 0.0
    null: Floats = field(default_factory=lambda: np.zeros(0), compare=False, repr=False)


def discrepancy(
    first: Floats,
    second: Floats,
    *,
    rng: np.random.Generator,
    permutations: int = 999,
    published: bool = False,
    households: Households | None = None,
) -> Discrepancy:
    """Test whether two samples are of one population by the MMD, labels permuted.

    Parameters
    ----------
    first, second : float arrays; NaN is left out
    rng : Generator
    permutations : int
    published : bool
        True tests the MMD with the median distance as bandwidth. False tests its largest value,
        in its own standard deviations under permuted labels, over a quarter, half, once, twice
        and four times that bandwidth: differences in detail and in location are both seen.
    households : Households, optional
        Of all records, with and without a value: then whole households are exchanged.

    Raises
    ------
    NotComputable
        With fewer than 10 values in a sample.

    References
    ----------
    Gretton, Borgwardt, Rasch, Scholkopf and Smola (2012), Journal of Machine Learning Research 13.

    Examples
    --------
    >>> x = np.arange(20.0)
    >>> discrepancy(x, x, rng=np.random.default_rng(1)).p_value
    1.0
    """
    counts = count_values(first, second)
    sigma = median_distance(counts)
    if sigma == 0:
        return Discrepancy(0.0, 0.0, 1.0, 0.0)
    if households is not None:
        households = households.subset(~np.isnan(np.append(first, second)))
    drawn = counts.drawn(rng, permutations, households)
    largest = 0.0
    null = np.zeros(permutations)
    for times in (1.0,) if published else _BANDWIDTHS:
        kernel = counts.kernel(times * sigma)
        of_drawn = counts.squared(drawn, kernel)
        # The observed labels are one of the permutations: with them the scale is exchangeable.
        here = float(counts.squared(counts.first, kernel))
        scale = 1.0 if published else float(np.append(of_drawn, here).std()) or 1.0
        largest = max(largest, here / scale)
        null = np.maximum(null, of_drawn / scale)
    kernel = counts.kernel(sigma)
    # The same counts in another order of summing: 1e-9 of what is seen, or nothing at all.
    as_much = int((null >= largest * (1 - 1e-9) - 1e-12).sum())
    return Discrepancy(
        mmd=math.sqrt(float(counts.squared(counts.first, kernel))),
        unbiased=counts.unbiased(kernel),
        p_value=(1 + as_much) / (1 + permutations),
        sigma=sigma,
        statistic=largest,
        null=null,
    )
