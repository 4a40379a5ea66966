"""Wasserstein's distance of each number, and tests of the tails."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.distributions.records import harmonised, households_of, numbers_of
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.households import HouseholdColumn, Households
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arguments import Permutations, Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.schema import Harmonised, MissingCodes

CUTS = (0.001, 0.01, 0.05, 0.1, 0.9, 0.95, 0.99, 0.999)
"""Quantiles of both files together at which tails are counted."""
_FEWEST = 5  # records that must be expected beyond a cut for a count to say anything
_LEVEL = 0.05
_DRAWS = 999
_ROUNDING = 1e-9


@checked
def wasserstein(  # noqa: PLR0913  (two or three data sets, and what is drawn)
    original: Frame,
    synthetic: Frame,
    *,
    holdout: Frame | None = None,
    variables: Sequence[str] | None = None,
    permutations: Permutations = 999,
    draws: Permutations = 999,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> pd.DataFrame:
    """Wasserstein's distance of every numeric column, with a test and an interval.

    How far values have to be moved, on average, for one file's distribution to become the other's.

    Parameters
    ----------
    original, synthetic : data frames
    holdout : data frame, optional
        The holdout, to read the distance by.
    variables : names, optional
        By default every numeric column, and dates.
    permutations : int
        Of the labels original and synthetic; 0 for no p.
    draws : int
        Of the bootstrap of both files; 0 for no interval.
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together, in both: whole households are exchanged, and drawn for the interval.
    seed : int

    Returns
    -------
    DataFrame
        Index variable. W1: the distance over the original's interquartile range (its standard
        deviation where that is 0; NaN where that is 0 too). low, high: 95 % interval. p: share of
        permutations with so large a distance. fresh: that of the holdout, scaled to the number of
        synthetic records. scale: what W1 is in units of. original, synthetic: values, without
        those that are missing. W1 is 0 (best) and more.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    NotComputable
        If there is no numeric column, or whole households cannot be exchanged.
    StudyError
        If an option is wrong.

    Notes
    -----
    The interval is of the distance between the two populations, and starts at 0 where the test
    sees no difference: simulated, it holds the truth in 93 to 98 %. The standard deviation of
    permutations is that of no difference, and far too small for this. Missing values are left
    out; how many there are is for tables to say.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0]})
    >>> result = wasserstein(original, original + 1, permutations=0, draws=0)
    >>> result.loc["x", ["W1", "scale"]].tolist()  # by 1, over a range of 2
    [0.5, 2.0]
    """
    households = households_of(household, original, synthetic)
    data = harmonised(original, synthetic, holdout, variables, missing_codes, household)
    rows = {}
    for name in numeric_variables(data):
        parts = numbers_of(data.variables[name])
        rows[name] = distance_of(
            parts[0],
            parts[1],
            None if holdout is None else parts[2],
            permutations=permutations,
            draws=draws,
            seed=seed,
            households=households,
        )
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variable")


def numeric_variables(data: Harmonised) -> list[str]:
    """Return the names of numbers and dates.

    Raises
    ------
    NotComputable
        If there is none.
    """
    names = [n for n, v in data.variables.items() if v.kind in (Kind.NUMBER, Kind.DATE)]
    if not names:
        msg = "there is no numeric column"
        raise NotComputable(msg)
    return names


def _with_value(
    original: Floats, synthetic: Floats, households: Households | None
) -> tuple[Floats, Floats, Households | None]:
    """Return the values that are there, and who of those that have one lives together."""
    x, y = (part[~np.isnan(part)] for part in (original, synthetic))
    if not len(x) or not len(y):
        msg = "a data set has no value"
        raise NotComputable(msg)
    if households is not None:
        households = households.subset(~np.isnan(np.append(original, synthetic)))
    return x, y, households


def distance_of(
    original: Floats,
    synthetic: Floats,
    holdout: Floats | None = None,
    *,
    permutations: int,
    draws: int,
    seed: Seed,
    households: Households | None = None,
) -> dict[str, float]:
    """Return one row of `wasserstein`."""
    x, y, households = _with_value(original, synthetic, households)
    n, m = len(x), len(y)
    scale = float(np.subtract(*np.quantile(x, [0.75, 0.25])))
    scale = scale or (float(x.std(ddof=1)) if n > 1 else 0.0) or math.nan
    far = _Moved(x, y, households)
    value = far.between(far.counts[0], far.counts[1])
    rng = np.random.default_rng(seed)
    as_far = sum(far.permuted(rng) >= value * (1 - _ROUNDING) for _ in range(permutations))
    p = (1 + as_far) / (1 + permutations) if permutations else math.nan
    low = high = math.nan
    if draws:
        again = [far.drawn(rng) for _ in range(draws)]
        least, high = (float(q) for q in np.quantile(again, [0.025, 0.975]))
        # Drawn distances are too large, the more so the nearer to 0; the reflected end is not.
        low = 0.0 if p > _LEVEL else max(min(least, 2 * value - high), 0.0)
    fresh = math.nan
    if holdout is not None and (z := holdout[~np.isnan(holdout)]).size:
        moved = _Moved(x, z)
        fresh = moved.between(*moved.counts) * math.sqrt((1 / n + 1 / m) / (1 / n + 1 / len(z)))
    return {
        "W1": value / scale,
        "low": low / scale,
        "high": high / scale,
        "p": p if scale == scale else math.nan,  # noqa: PLR0124  (not NaN)
        "fresh": fresh / scale,
        "scale": scale,
        "original": n,
        "synthetic": m,
    }


class _Moved:
    """Two samples over their distinct values."""

    def __init__(self, x: Floats, y: Floats, households: Households | None = None) -> None:
        self.households = households
        values, codes = np.unique(np.concatenate([x, y]), return_inverse=True)
        self.gaps, self.codes = np.diff(values), codes.ravel()
        self.n, self.m = len(x), len(y)
        self.counts = [self._count(self.codes[: self.n]), self._count(self.codes[self.n :])]

    def _count(self, codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.bincount(codes, minlength=len(self.gaps) + 1)

    def between(self, x: npt.NDArray[np.int64], y: npt.NDArray[np.int64]) -> float:
        """Return the area between the distribution functions."""
        apart = np.cumsum(x)[:-1] / x.sum() - np.cumsum(y)[:-1] / y.sum()
        return float(np.abs(apart) @ self.gaps)

    def permuted(self, rng: np.random.Generator) -> float:
        both = self.counts[0] + self.counts[1]
        if self.households is None:
            chosen = rng.choice(self.n + self.m, self.n, replace=False, shuffle=False)
        else:
            chosen = self.households.drawn(rng)
        x = self._count(self.codes[chosen])
        return self.between(x, both - x)

    def drawn(self, rng: np.random.Generator) -> float:
        parts = self.codes[: self.n], self.codes[self.n :]
        if self.households is not None:
            times = self.households.resampled(rng)
            drawn = (np.repeat(*side) for side in zip(parts, times, strict=True))
            return self.between(*(self._count(part) for part in drawn))
        again = (part[rng.integers(len(part), size=len(part))] for part in parts)
        return self.between(*(self._count(part) for part in again))


@checked
def tails(
    original: Frame,
    synthetic: Frame,
    *,
    variables: Sequence[str] | None = None,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
) -> pd.DataFrame:
    """Count the records in the tails of every numeric column, and test their number.

    Parameters
    ----------
    original, synthetic : data frames
    variables : names, optional
        By default every numeric column, and dates.
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together, in both: p is then by 999 exchanges of whole households.

    Returns
    -------
    DataFrame
        One row per variable and quantile. variable, quantile; original, synthetic: records of each
        at or below the quantile (of both files together) for quantiles below 1/2, above it for
        others; expected: synthetic ones that are expected; p: exact and two-sided, NaN where fewer
        than 5 are expected in either file. In ``.attrs["extremes"]`` a frame says of every
        variable whether the replica holds the original's smallest and largest value (copied_min,
        copied_max) and how many originals have it (min_records, max_records): an extreme that one
        person has is that person.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared.
    NotComputable
        If there is no numeric column, or whole households cannot be exchanged.
    StudyError
        If an option is wrong.

    Notes
    -----
    The cut is a quantile of both files together: of the original alone, its own share below the cut
    is not the quantile where values are tied, and fresh data would be flagged.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": range(100)})
    >>> result = tails(original, original).set_index("quantile")
    >>> result.loc[0.9, ["original", "synthetic", "p"]].astype(float).tolist()
    [10.0, 10.0, 1.0]
    """
    households = households_of(household, original, synthetic)
    data = harmonised(original, synthetic, None, variables, missing_codes, household)
    parts, ends = [], {}
    for name in numeric_variables(data):
        x, y = numbers_of(data.variables[name])
        parts.append(tails_of(x, y, households).assign(variable=name))
        ends[name] = _extremes(x[~np.isnan(x)], y[~np.isnan(y)])
    table = pd.concat(parts, ignore_index=True)
    table = table[["variable", *(c for c in table.columns if c != "variable")]]
    table.attrs["extremes"] = pd.DataFrame.from_dict(ends, orient="index")
    return table


def tails_of(
    original: Floats, synthetic: Floats, households: Households | None = None
) -> pd.DataFrame:
    """Return the rows of `tails` of one variable."""
    x, y, households = _with_value(original, synthetic, households)
    pool, n, m = np.concatenate([x, y]), len(x), len(y)
    rows = []
    for q in CUTS:
        cut = float(np.quantile(pool, q, method="inverted_cdf"))
        beyond = pool > cut if q > 1 / 2 else pool <= cut
        a, b = int(beyond[:n].sum()), int(beyond[n:].sum())
        expected = (a + b) * m / (n + m)
        least = min(expected, a + b - expected)
        p = math.nan
        if least >= _FEWEST and households is not None:
            drawn = households.sums(beyond.astype(np.float64), _DRAWS, np.random.default_rng(1))
            usual = a + b - expected
            as_far = np.abs(drawn - usual) >= abs(a - usual) - _ROUNDING
            p = (1 + int(as_far.sum())) / (1 + _DRAWS)
        elif least >= _FEWEST:
            p = float(lazy.stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue)
        rows.append((q, cut, a, b, expected, p))
    return pd.DataFrame(rows, columns=["quantile", "cut", "original", "synthetic", "expected", "p"])


def _extremes(x: Floats, y: Floats) -> dict[str, object]:
    return {
        (f"copied_{name}" if what == "copied" else f"{name}_records"): value
        for name, end in (("min", x.min()), ("max", x.max()))
        for what, value in (("copied", bool((y == end).any())), ("records", int((x == end).sum())))
    }
