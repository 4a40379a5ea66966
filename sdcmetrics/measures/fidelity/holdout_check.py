"""Check of a holdout: other records of the same population as the training data."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdcmetrics.measures.crosstables.key_counting import index_keys
from sdcmetrics.measures.crosstables.margins import count_margins
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.design import SurveyDesign
from sdcmetrics.measures.survey.households import HouseholdColumn, Households, set_aside, two_sides
from sdcmetrics.microdata.arguments import Seed, checked
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.coding import Coded, by_value, encode
from sdcmetrics.microdata.discretise import by_training
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.schema import Harmonised, MissingCodes, Variable, harmonise
from sdcmetrics.results import Readable

_Number = TypeVar("_Number", bound=np.number)

_LEVELS = 10
_SMALLEST_EXPECTED = 5
_SPLITS = 199
_ALPHA = 0.01
_MOST_PAIRS = 5_000


@dataclass(frozen=True)
class HoldoutCheck(
    Readable,
    shows=("ok", "n_training", "n_holdout", "identical", "expected_identical", "p_more"),
    table="by_table",
):
    """What a holdout shares with the training data, and where it differs from them.

    Attributes
    ----------
    n_training, n_holdout : int
    identical : int
        Holdout records that equal a training record in every variable.
    expected_identical : float
        Their mean number, if the same records had been split at random.
    p_more, p_fewer : float
        Share of random splits with at least, or at most, as many.
    by_table : DataFrame
        One row per variable and a pair of variables: variables, statistic (chi-square), df, p
        (of a random split), sorted by p.
    p_population : float
        The smallest p times the number of tables, at most 1.
    problems : tuple of str
        What is wrong with the holdout, in words without data values; empty if nothing is.
    fixes : tuple of str
        Changes made to the inputs.
    """

    n_training: int
    n_holdout: int
    identical: int
    expected_identical: float
    p_more: float
    p_fewer: float
    by_table: pd.DataFrame
    p_population: float
    problems: tuple[str, ...]
    fixes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against the holdout."""
        return not self.problems

    @property
    def overlaps(self) -> bool:
        """Whether more records are on both sides than a random split leaves there."""
        return self.p_more < _ALPHA

    @property
    def separated(self) -> bool:
        """Whether fewer records are on both sides than a random split leaves there."""
        return self.p_fewer < _ALPHA

    @property
    def other_population(self) -> bool:
        """Whether a distribution differs more than by a random split."""
        return self.p_population < _ALPHA


@checked
def check_holdout(
    original: Frame,
    holdout: Frame,
    *,
    missing_codes: MissingCodes | None = None,
    household: HouseholdColumn = None,
    seed: Seed = 1,
) -> HoldoutCheck:
    """Test whether training data and holdout look like a random split of one data set.

    Every comparison with fresh data stands on that. A holdout that shares records with the
    training data makes memorising look like learning; one of another population makes every
    replica look too close.

    Parameters
    ----------
    original, holdout : data frames
    missing_codes : mapping of column to code or codes, optional
    household : name of a column, or Households, optional
        Who lives together: then a random split is one of whole households.
    seed : int
        Of the random splits.

    Returns
    -------
    HoldoutCheck
        `ok` where there are no `problems`. Each p is 0 to 1, small being a problem; `identical`
        should be about `expected_identical`.

    Raises
    ------
    ColumnError, DataError
        If the data sets cannot be compared, or the holdout splits households.

    Notes
    -----
    Records in common: of records that occur more than once, a random split (199 are drawn)
    leaves some on both sides. More on both sides than in 99 % of splits means overlap; fewer
    means that duplicates were removed or kept together.

    Population: chi-square tests of homogeneity of every variable and every pair (the first
    5,000 pairs), in at most 10 categories per variable. These are made of both data sets together,
    so that they favour neither; cells with fewer than 5 expected records are taken together. The
    smallest p, times the number of tests, is compared with 0.01.

    Without `household` all of it is about records that are split one by one; a split that keeps
    households together is nearly always told from it. With it splits draw as many households of
    each size, and the chi-square tests are Rao and Scott's, households being the clusters.

    References
    ----------
    Rao and Scott (1984), Annals of Statistics 12(1), 46-60.

    Examples
    --------
    >>> import pandas as pd
    >>> original = pd.DataFrame({"x": range(100)})
    >>> check_holdout(original, pd.DataFrame({"x": range(100, 200)})).ok
    False
    """
    frames = (original, "original"), (holdout, "holdout")
    households = two_sides(household, *frames, together=True)
    aside = set_aside(household, None, *frames)
    first, second = as_microdata(aside[0], "original"), as_microdata(aside[1], "holdout")
    data = harmonise(first, [second], missing_codes=missing_codes)
    return check_harmonised(data, households=households, seed=seed)


def check_harmonised(
    data: Harmonised, *, households: Households | None = None, seed: int = 1
) -> HoldoutCheck:
    """Check the second of two harmonised data sets against the first; see `check_holdout`."""
    names = list(data.variables)
    n, m = data.sizes
    index = index_keys(encode(data, by_value, names), names)
    training = np.bincount(index.parts[0], minlength=index.size)
    holdout = np.bincount(index.parts[-1], minlength=index.size)
    identical = int(holdout[training > 0].sum())
    if households is None:
        expected, drawn = _of_random_splits(training + holdout, m, seed)
    else:
        cells, rng = np.append(index.parts[0], index.parts[-1]), np.random.default_rng(seed)
        splits = (households.counts(cells, index.size, 1, rng)[0] for _ in range(_SPLITS))
        both = training + holdout
        drawn = np.array([int((both - inside)[inside > 0].sum()) for inside in splits])
        expected = float(drawn.mean())
    p_more = (1 + int((drawn >= identical).sum())) / (1 + len(drawn))
    p_fewer = (1 + int((drawn <= identical).sum())) / (1 + len(drawn))
    by_table = _homogeneity(data, households)
    p_population = min(1.0, float(by_table["p"].iloc[0]) * len(by_table))
    return HoldoutCheck(
        n_training=n,
        n_holdout=m,
        identical=identical,
        expected_identical=expected,
        p_more=p_more,
        p_fewer=p_fewer,
        by_table=by_table,
        p_population=p_population,
        problems=tuple(
            _problems(data, identical, expected, (p_more, p_fewer), by_table, p_population)
        ),
        fixes=tuple(str(fix) for fix in data.fixes),
    )


def _of_random_splits(sizes: Counts, size: int, seed: int) -> tuple[float, Counts]:
    """Return the expected number of holdout records with a duplicate in training, and draws."""
    total = int(sizes.sum())
    repeated = sizes[sizes > 1]
    if len(repeated) == 0:
        return 0.0, np.zeros(_SPLITS, dtype=np.int64)
    steps = np.arange(int(repeated.max()))
    chance = np.cumprod(np.clip((size - steps) / np.maximum(total - steps, 1), 0.0, 1.0))
    expected = float((repeated * size / total - repeated * chance[repeated - 1]).sum())
    rng = np.random.default_rng(seed)
    colours = np.append(repeated, total - repeated.sum())
    drawn = np.empty(_SPLITS, dtype=np.int64)
    for i in range(_SPLITS):  # one after the other: each has a number for each repeated record
        held = rng.multivariate_hypergeometric(colours, size, method="marginals")[:-1]
        drawn[i] = held[held < repeated].sum()
    return expected, drawn


def _homogeneity(data: Harmonised, households: Households | None) -> pd.DataFrame:
    from scipy.special import chdtrc  # not of scipy.stats, which is large

    names = list(data.variables)
    rule = by_training(_LEVELS)
    both = {}
    for name in names:
        coded = rule(_together(data.variables[name]))
        parts = np.split(coded.parts[0], [data.sizes[0]])
        both[name] = replace(coded, parts=tuple(parts))
    pairs = itertools.islice(itertools.combinations(names, 2), _MOST_PAIRS)
    tables = [*((name,) for name in names), *pairs]
    rows = []
    for margin in count_margins(Coded(both, data.sizes), tables):
        statistic, df = chi_square(margin.counts)
        p = float(chdtrc(df, statistic)) if df else 1.0
        if df and households is not None:
            groups = _joined(margin.counts)[np.concatenate(margin.cells)]
            p = _clustered_p(statistic, groups, households)
        rows.append({"variables": margin.variables, "statistic": statistic, "df": df, "p": p})
    return pd.DataFrame(rows).sort_values("p", kind="stable", ignore_index=True)


def _together(variable: Variable) -> Variable:
    """Put both data sets together: categories made from one of them would favour it.

    So would the order of the levels, by which equally frequent ones are chosen: the training
    data's come first. They are sorted.
    """

    def pool(parts: Sequence[npt.NDArray[_Number]]) -> npt.NDArray[_Number]:
        return np.concatenate([parts[0], parts[-1]])

    if variable.values:
        return replace(variable, values=(pool(variable.values),))
    levels = sorted(variable.levels)
    place = {level: i for i, level in enumerate(levels)}
    new = np.array([*(place[level] for level in variable.levels), -1], dtype=np.int32)
    return replace(variable, levels=tuple(levels), codes=(new[pool(variable.codes)],))


def chi_square(counts: Counts) -> tuple[float, int]:
    """Chi-square of homogeneity of two rows of counts, and its degrees of freedom.

    Cells with fewer than 5 expected records in the smaller row are taken together; where
    that is not enough, with the next larger cell.

    Examples
    --------
    >>> statistic, df = chi_square(np.array([[30, 20, 50], [20, 30, 50]]))
    >>> round(statistic, 6), df
    (4.0, 2)
    """
    groups = _joined(counts)
    shares = counts.sum(axis=1) / counts.sum()
    pooled = np.stack([np.bincount(groups, row) for row in counts])
    pooled = pooled[:, pooled.any(axis=0)]
    means = shares[:, None] * pooled.sum(axis=0)
    return float(((pooled - means) ** 2 / means).sum()), pooled.shape[1] - 1


def _joined(counts: Counts) -> Counts:
    """Return the group of each cell: its own, or the last for pooled ones."""
    expected = counts.sum(axis=0) * (counts.sum(axis=1) / counts.sum()).min()
    small = expected < _SMALLEST_EXPECTED
    if expected[small].sum() < _SMALLEST_EXPECTED and small.any() and not small.all():
        small[np.argmin(np.where(small, np.inf, expected))] = True
    return np.where(small, int((~small).sum()), np.cumsum(~small) - 1)


def _clustered_p(statistic: float, groups: Counts, households: Households) -> float:
    """Return Rao and Scott's p of the second order of a chi-square, households being clusters."""
    from sdcmetrics.measures.survey.linearised import second_order_p, shares  # imports scipy

    _, groups = np.unique(groups, return_inverse=True)
    _, clusters = np.unique(households.number, return_inverse=True)
    total = len(groups)
    design = SurveyDesign(np.ones(total), np.zeros(total, dtype=np.int64), clusters.ravel())
    share, covariance = shares(groups.ravel(), int(groups.max()) + 1, design)
    effects = total * covariance / np.sqrt(np.outer(share, share))
    sums = float(np.trace(effects)), float((effects**2).sum())
    return second_order_p(statistic, *sums, design.degrees_of_freedom)


def _problems(
    data: Harmonised,
    identical: int,
    expected: float,
    p: tuple[float, float],
    by_table: pd.DataFrame,
    p_population: float,
) -> list[str]:
    training, holdout = data.sources[0], data.sources[-1]
    problems = []
    counted = (
        f"{identical:,} of {data.sizes[-1]:,} records of {holdout} equal a record of {training}, "
        f"where a random split shows {expected:,.1f}"
    )
    if p[0] < _ALPHA:
        problems.append(
            f"{counted}: the holdout overlaps the training data, so that memorising looks like "
            "learning. Use records that were not used for the synthesis."
        )
    elif p[1] < _ALPHA:
        problems.append(
            f"{counted}: records that occur more than once were removed from one side or kept "
            "together, so that identical matches with the holdout are too few."
        )
    if p_population < _ALPHA:
        first = by_table.iloc[0]
        names = " and ".join(repr(name) for name in first["variables"])
        number = int((by_table["p"] * len(by_table) < _ALPHA).sum())
        more = f" and {number - 1} more tables" if number > 1 else ""
        problems.append(
            f"{holdout} is no random part of the population of {training}: they differ in the "
            f"distribution of {names}{more}. Split the data at random, before the synthesis."
        )
    return problems
