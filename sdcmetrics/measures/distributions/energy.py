"""Energy distance: whether two files of records come from one joint distribution."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.distributions.records import Records, harmonised, households_of, records_of
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.households import (
    HouseholdColumn,
    Households,
    households_drawn,
    relabelled,
)
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import Permutations, Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.schema import MissingCodes
from sdcmetrics.results import Readable

_EXACT = 20_000  # records of both files whose pairs are all looked at: a minute
_BLOCK, _BLOCKS = 2_000, 10  # of each file, where there are more
_PAIRS = 1 << 22  # held at a time, 32 MB
_ROUNDING = 1e-9  # sums of equal terms in another order differ by less, relative to a distance

Distances = Callable[[slice], Floats]


@dataclass(frozen=True)
class EnergyDistance(Readable, shows=("distance", "unbiased", "p_value", "fresh", "scale")):
    """The energy distance of a replica from the original.

    Attributes
    ----------
    distance : float, 0 or more
        2 E d(x, y) - E d(x, x') - E d(y, y'), x of the original, y of the replica.
    unbiased : float
        The same without the pairs of a record with itself: 0 on average for fresh data of any
        number of records, and below 0 for a copy.
    statistic : float
        n m / (n + m) times `distance`.
    p_value : float
        Share of permutations of the labels that are as far apart; small: another distribution.
        NaN without permutations.
    copy : float
        `unbiased` of a verbatim copy.
    fresh : float
        `unbiased` of the holdout in the replica's place; NaN without a holdout.
    scale : "euclidean" or "mixed"
    se : float
        Standard error of `unbiased` where blocks of records were looked at; else 0.
    n, m : int
    permutations, seed : int
    fixes : tuple of str
        Changes made to the inputs.
    """

    distance: float
    unbiased: float
    statistic: float
    p_value: float
    copy: float
    fresh: float
    scale: Literal["euclidean", "mixed"]
    se: float
    n: int
    m: int
    permutations: int
    seed: int
    fixes: tuple[str, ...] = field(default=(), repr=False)


@checked
def energy_distance(
    original: Frame,
    synthetic: Frame,
    *,
    holdout: Frame | None = None,
    variables: Sequence[str] | None = None,
    permutations: Permutations = 999,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> EnergyDistance:
    """Measure how far two files are apart in everything, relations of any order included.

    Parameters
    ----------
    original, synthetic : data frames
    holdout : data frame, optional
        The holdout, to read the distance by.
    variables : names, optional
        By default every column that all data sets have.
    permutations : int, 0 to 99,999
        Of the labels original and synthetic; 0 for no p.
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together, in both: the labels of whole households are exchanged.
    seed : int

    Returns
    -------
    EnergyDistance
        `distance` is 0 for equal distributions and grows as they part, below 2 on the mixed scale
        and without bound on Euclid's, where its unit is a standard deviation of the original.
        `unbiased` is read between `copy`, 0 or less, and `fresh`: near `fresh` is best, nearer to
        `copy` too close. `p_value` is above 0 and at most 1, at least 1 / (1 + permutations).

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    NotComputable
        If `household` is not in both, or no household of the one is as large as one of the other.
    StudyError
        If an option is wrong.

    Notes
    -----
    Numbers alone, without missing values: Euclid's distance, each column over the original's
    standard deviation; it equals ``energy::eqdist.etest`` in R. Otherwise
    d = 1 - exp(-g / median of g over pairs), g being Gower's distance: g itself is a sum over
    columns and sees margins only. Of more than 20,000 records in both files together up to ten
    random blocks of 2,000 each are looked at, and labels are permuted within them; with
    households one part of each file, at most 10,000 records in whole households, which has no `se`.

    References
    ----------
    Szekely and Rizzo (2013), Energy statistics: a class of statistics based on distances, Journal
    of Statistical Planning and Inference 143.

    Examples
    --------
    >>> import pandas as pd
    >>> original, replica = pd.DataFrame({"x": [-1.0, 1.0]}), pd.DataFrame({"x": [-1.0, 1.0, 3.0]})
    >>> result = energy_distance(original, replica, permutations=0)
    >>> round(result.distance * 2**0.5, 10)  # the original's standard deviation is a root of 2
    0.5555555556
    """
    households = households_of(household, original, synthetic)
    data = harmonised(original, synthetic, holdout, variables, missing_codes, household)
    parts = records_of(data, list(data.variables))
    return energy_of(
        parts[0],
        parts[1],
        parts[2] if holdout is not None else None,
        permutations=permutations,
        seed=seed,
        households=households,
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def energy_of(
    original: Records,
    synthetic: Records,
    holdout: Records | None,
    *,
    permutations: int,
    seed: Seed,
    households: Households | None = None,
    fixes: tuple[str, ...] = (),
) -> EnergyDistance:
    """Return the energy distance of records."""
    n, m = len(original), len(synthetic)
    comparison = _compared(original, synthetic, permutations, seed, households)
    fresh = math.nan
    if holdout is not None:
        fresh = _compared(original, holdout, 0, seed).unbiased
    distance = (
        comparison.unbiased
        + comparison.within[0] / max(n - 1, 1)
        + comparison.within[1] / max(m - 1, 1)
    )
    return EnergyDistance(
        distance=distance,
        unbiased=comparison.unbiased,
        statistic=n * m / (n + m) * distance,
        p_value=comparison.p_value,
        copy=-2 * comparison.within[0] / max(n - 1, 1),
        fresh=fresh,
        scale=comparison.scale,
        se=comparison.se,
        n=n,
        m=m,
        permutations=permutations,
        seed=seed,
        fixes=fixes,
    )


@dataclass(frozen=True)
class _Compared:
    unbiased: float
    within: tuple[float, float]  # mean distances of the original's and the other's records
    p_value: float
    se: float
    scale: Literal["euclidean", "mixed"]


def _compared(
    first: Records,
    second: Records,
    permutations: int,
    seed: int,
    households: Households | None = None,
) -> _Compared:
    rng = np.random.default_rng(seed)
    numeric = not first.codes.shape[1] and not np.isnan(np.r_[first.numbers, second.numbers]).any()
    of_pairs = _euclidean(first) if numeric else _mixed(first, second, rng)
    of_blocks = [
        _block(of_pairs(x, y), len(x), len(y), permutations, rng, some)
        for x, y, some in _blocks(first, second, rng, households)
    ]
    values = np.array([values for values, _ in of_blocks]).mean(axis=0)
    each = np.array([values[0] for values, _ in of_blocks])
    within = np.array([within for _, within in of_blocks]).mean(axis=0)
    as_far = values[1:] >= values[0] - _ROUNDING * within.max()
    return _Compared(
        unbiased=float(values[0]),
        within=(float(within[0]), float(within[1])),
        p_value=(1 + int(as_far.sum())) / (1 + permutations) if permutations else math.nan,
        se=float(each.std(ddof=1)) / math.sqrt(len(each)) if len(each) > 1 else 0.0,
        scale="euclidean" if numeric else "mixed",
    )


def _blocks(
    first: Records, second: Records, rng: np.random.Generator, households: Households | None
) -> Iterator[tuple[Records, Records, Households | None]]:
    if len(first) + len(second) <= _EXACT:
        yield first, second, households
        return
    if households is not None:  # one random part of each, whole households
        here, there = (
            households_drawn(side, _EXACT // 2, rng)
            for side in np.split(households.number, [households.n])
        )
        yield (
            first.subset(here),
            second.subset(there),
            households.subset(np.append(here, households.n + there)),
        )
        return
    blocks = max(1, min(_BLOCKS, len(first) // _BLOCK, len(second) // _BLOCK))
    parts = (
        np.array_split(rng.permutation(len(x))[: blocks * _BLOCK], blocks) for x in (first, second)
    )
    for here, there in zip(*parts, strict=True):
        yield first.subset(here), second.subset(there), None


def _block(
    distances: Distances,
    n: int,
    m: int,
    permutations: int,
    rng: np.random.Generator,
    households: Households | None,
) -> tuple[Floats, tuple[float, float]]:
    """Return the unbiased distance as labelled and as permuted, and both means within a file."""
    size = n + m
    labels = np.zeros((size, 1 + permutations))
    labels[:n, 0] = 1.0
    for i in range(1, 1 + permutations):
        labels[relabelled(rng, size, n, households), i] = 1.0
    both, touching, total = np.zeros(1 + permutations), np.zeros(1 + permutations), 0.0
    step = max(1, _PAIRS // size)
    for at in range(0, size, step):
        rows = slice(at, min(at + step, size))
        d = distances(rows)
        sums = d.sum(axis=1)
        both += (labels[rows] * (d @ labels)).sum(axis=0)
        touching += sums @ labels[rows]
        total += float(sums.sum())
    others = total - 2 * touching + both
    across = (touching - both) / (n * m)
    unbiased = 2 * across - both / max(n * (n - 1), 1) - others / max(m * (m - 1), 1)
    return unbiased, (float(both[0]) / n**2, float(others[0]) / m**2)


def _euclidean(original: Records) -> Callable[[Records, Records], Distances]:
    spread = original.numbers.std(axis=0, ddof=1) if len(original) > 1 else np.ones(1)
    spread = np.where(spread > 0, spread, 1.0)

    def of_pairs(first: Records, second: Records) -> Distances:
        points = np.concatenate([first.numbers, second.numbers]) / spread
        return lambda rows: np.asarray(lazy.distance.cdist(points[rows], points), dtype=np.float64)

    return of_pairs


def _mixed(
    original: Records, synthetic: Records, rng: np.random.Generator
) -> Callable[[Records, Records], Distances]:
    ranges = [
        float(np.ptp(column[~np.isnan(column)])) if not np.isnan(column).all() else 0.0
        for column in np.concatenate([original.numbers, synthetic.numbers]).T
    ]

    def gower(x: Records, y: Records) -> Floats:  # times the number of columns
        total: Floats = np.zeros(np.broadcast_shapes(x.numbers.shape[:-1], y.numbers.shape[:-1]))
        for j in range(x.codes.shape[-1]):
            total += x.codes[..., j] != y.codes[..., j]
        for j, width in enumerate(ranges):
            a, b = x.numbers[..., j], y.numbers[..., j]
            far = np.abs(a - b) / (width or 1.0)
            if np.isnan(far).any():  # two missing values are alike, one is as far as can be
                far = np.where(np.isnan(far), np.isnan(a) != np.isnan(b), far)
            total += far
        return total

    together = Records(
        np.concatenate([original.numbers, synthetic.numbers]),
        np.concatenate([original.codes, synthetic.codes]),
    )
    size = len(together)
    first, second = np.triu_indices(size, 1) if size <= _BLOCK else _drawn_pairs(size, rng)
    sample = gower(together.subset(first), together.subset(second))
    middle = float(np.median(sample)) or float(sample.mean()) or 1.0

    def of_pairs(x: Records, y: Records) -> Distances:
        numbers = np.concatenate([x.numbers, y.numbers])
        codes = np.concatenate([x.codes, y.codes])
        every = Records(numbers[None], codes[None])

        def rows_of(rows: slice) -> Floats:
            some = Records(numbers[rows, None], codes[rows, None])
            return -np.expm1(-gower(some, every) / middle)

        return rows_of

    return of_pairs


def _drawn_pairs(size: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw pairs of different records, enough for a median to three digits."""
    first = rng.integers(size, size=1_000_000)
    return np.stack([first, (first + rng.integers(1, size, size=len(first))) % size])
