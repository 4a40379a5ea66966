"""Chi-square tests of two tables: as DAISYnt prints it, and of two samples."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats

Frequencies = Literal["scaled", "percent"]

_ENOUGH = 5
"""An expected count above which a cell is close to normal: Cochran's rule, which is published."""
_SHARE_ENOUGH = 0.8
_PERMUTATIONS = 999
_MOST_GROUPS, _LARGEST_GROUP = 20_000, 4
"""Groups that are tested, and their size: beyond, 2^c of them would run for days."""


@dataclass(frozen=True)
class ChiSquare:
    """A test of two tables.

    Attributes
    ----------
    statistic : float
        0 or more; infinite where the replica has a cell that the test data lack.
    df : int
    p_value : float
    tested : bool
        Whether the conditions of the published test hold.
    """

    statistic: float
    df: int
    p_value: float
    tested: bool = True

    def accepted(self, alpha: float = 0.05) -> bool:
        """Whether it is tested and not rejected."""
        return self.tested and self.p_value > alpha


def printed_chi_square(
    test: npt.ArrayLike, synthetic: npt.ArrayLike, *, frequencies: Frequencies = "scaled"
) -> ChiSquare:
    """Test a replica's table as DAISYnt prints it: sum (f_T - f_S)^2 / f_T.

    Parameters
    ----------
    test, synthetic : int arrays of shape (cells,)
        Counts; a cell that both lack is left out.
    frequencies : "scaled" or "percent"
        The replica's counts scaled to the number of test records; or both in percent, the only
        reading under which the published figures are plausible.

    Returns
    -------
    ChiSquare
        `tested` if 80 % of the test frequencies are above 5 and the replica lacks no cell that
        the test data have.

    Notes
    -----
    The test data are taken for known, as if they were the population: fresh data are rejected in
    11 to 97 % of cases at a nominal 5 %. `two_samples` is the correction.

    Examples
    --------
    >>> result = printed_chi_square([120, 60, 20], [330, 200, 70])
    >>> round(result.statistic, 6), result.df, result.accepted()
    (2.12963, 2, True)
    """
    f, s = _seen(test, synthetic)
    whole = 100.0 if frequencies == "percent" else f.sum()
    f, s = f / f.sum() * whole, s / s.sum() * whole
    with np.errstate(divide="ignore"):
        statistic = float(((f - s) ** 2 / f).sum())
    tested = bool((f > _ENOUGH).mean() >= _SHARE_ENOUGH and s.all())
    df = len(f) - 1
    p = float(lazy.stats.chi2.sf(statistic, df)) if df else 1.0
    return ChiSquare(statistic, df, p, tested=tested)


def two_samples(
    original: npt.ArrayLike,
    synthetic: npt.ArrayLike,
    *,
    rng: np.random.Generator | None = None,
    drawn: npt.NDArray[np.int64] | None = None,
) -> tuple[ChiSquare, float]:
    """Test whether two tables are samples of one population (Pearson), and Cramer's V.

    Parameters
    ----------
    original, synthetic : int arrays of shape (cells,)
    rng : Generator, optional
        Where an expected count is below 5 the p is that of 999 tables with the same margins.
    drawn : int array of shape (draws, cells), optional
        The first table where labels are exchanged, such as `Households.counts` draws: then the p
        is that of these.

    Returns
    -------
    ChiSquare
    float, 0 to 1
        Cramer's V, here the root of the statistic over all records.

    Examples
    --------
    >>> result, v = two_samples([120, 60, 20], [330, 200, 70])
    >>> round(result.statistic, 6), round(result.p_value, 6), round(v, 6)
    (1.549858, 0.460737, 0.044015)
    """
    a, b = _seen(original, synthetic)
    n, m = a.sum(), b.sum()
    both = a + b

    def statistic(first: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        out: Floats = ((first / n - (both - first) / m) ** 2 / both).sum(axis=-1) * n * m
        return out

    observed = float(statistic(a))
    df = len(a) - 1
    if df == 0:
        p = 1.0
    elif drawn is not None:
        tables = statistic(drawn[:, np.add(original, synthetic) > 0])
        p = (1 + int((tables >= observed * (1 - 1e-9)).sum())) / (1 + len(drawn))
    elif rng is None or both.min() * min(n, m) / (n + m) >= _ENOUGH:
        p = float(lazy.stats.chi2.sf(observed, df))
    else:
        drawn = rng.multivariate_hypergeometric(
            both.astype(np.int64), int(n), size=_PERMUTATIONS, method="marginals"
        )
        # 1e-9: the same tables in another order of summing
        p = (1 + int((statistic(drawn) >= observed * (1 - 1e-9)).sum())) / (1 + _PERMUTATIONS)
    return ChiSquare(observed, df, p), float(np.sqrt(observed / (n + m)))


def _seen(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[Floats, Floats]:
    a, b = (np.asarray(each, dtype=np.float64).ravel() for each in (first, second))
    if not a.sum() or not b.sum():
        msg = "a data set has no record in the table"
        raise NotComputable(msg)
    keep = a + b > 0
    return a[keep], b[keep]


def holm(p_values: npt.ArrayLike) -> Floats:
    """Return p values adjusted for their number by Holm's method; NaN is none, and stays NaN.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    >>> holm([0.01, float("nan"), 0.03]).tolist()
    [0.02, nan, 0.03]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    left = int((~np.isnan(p)).sum()) - np.arange(len(p))
    out = np.empty_like(p)
    out[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * left))
    return out


@dataclass(frozen=True)
class GroupsTested:
    """Tests of groups of variables.

    Attributes
    ----------
    tests : mapping of group to ChiSquare
        Those whose conditions hold, smaller groups first.
    capped : bool
        Whether further groups could have been tested.
    """

    tests: dict[tuple[int, ...], ChiSquare]
    capped: bool


def groups_tested(
    columns: int,
    test: Callable[[tuple[int, ...]], ChiSquare],
    *,
    most: int = _MOST_GROUPS,
    largest: int = _LARGEST_GROUP,
) -> GroupsTested:
    """Test all groups of at least two variables, breadth first, whose subgroups are all tested.

    Parameters
    ----------
    columns : number of variables
    test : gives the test of a group of positions
    most, largest : how many groups are looked at, and of how many variables
    """
    tests: dict[tuple[int, ...], ChiSquare] = {}
    looked = 0
    for size in range(2, columns + 1):
        groups = [
            group
            for group in itertools.combinations(range(columns), size)
            if size == 2 or _subgroups(group) <= tests.keys()  # noqa: PLR2004  (pairs)
        ]
        if groups and (size > largest or looked >= most):
            return GroupsTested(tests, capped=True)
        for group in groups[: most - looked]:
            result = test(group)
            if result.tested:
                tests[group] = result
        looked += len(groups)
    return GroupsTested(tests, capped=looked > most)


def _subgroups(group: Sequence[int]) -> set[tuple[int, ...]]:
    return set(itertools.combinations(group, len(group) - 1))
