"""Differences between cross-tables of an original and a replica: synthpop's `utility.tab`.

Every function takes any number of tables at once and returns one value per table. Tables are
matched cell by cell **by label**, and cells that neither side fills do not count. In formulas
s and d are the counts of synthetic and original records in a cell, n_s and n_d their sums,
N = n_s + n_d, c = n_s / N, and k the number of non-empty cells.

References
----------
Raab, G. M., Nowok, B. and Dibben, C. (2021). Assessing, visualizing and improving the utility
of synthetic data. arXiv:2109.12717. Voas, D. and Williamson, P. (2001). Evaluating
goodness-of-fit measures for synthetic microdata. Geographical and Environmental Modelling 5(2).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sdcmetrics.measures.crosstables.counting import TablePairs
from sdcmetrics.microdata.arrays import Floats

T = TypeVar("T")
Statistic = Callable[[TablePairs], Floats]


def cached_with_tables(make: Callable[[TablePairs], T]) -> Callable[[TablePairs], T]:
    """Decorate a function of tables so that its result is cached with them."""
    name = f"_{make.__name__}"

    @functools.wraps(make)
    def cached(tables: TablePairs) -> T:
        values = tables.__dict__
        if name not in values:
            values[name] = make(tables)
        out: T = values[name]
        return out

    return cached


@cached_with_tables
def _scaled(tables: TablePairs) -> Floats:
    """Original counts times n_s / n_d, which is computed as c / (1 - c)."""
    c = tables.n_synthetic / (tables.n_synthetic + tables.n_original)
    return tables.original * tables.spread(c / (1.0 - c))


@cached_with_tables
def _difference(tables: TablePairs) -> Floats:
    return tables.synthetic - _scaled(tables)


@cached_with_tables
def _expected(tables: TablePairs) -> Floats:
    c = tables.n_synthetic / (tables.n_synthetic + tables.n_original)
    return (tables.synthetic + tables.original) * tables.spread(c)


def over_df(value: Floats, degrees: Floats) -> Floats:
    """Return a statistic over its degrees of freedom; NaN where there are none."""
    out: Floats = np.full_like(value, np.nan)
    np.divide(value, degrees, out=out, where=degrees > 0)
    return out


@cached_with_tables
def _in_both(tables: TablePairs) -> npt.NDArray[np.bool_]:
    return (tables.original > 0) & (tables.synthetic > 0)


@cached_with_tables
def vw(tables: TablePairs) -> Floats:
    """Voas-Williamson statistic: sum of (s - d n_s/n_d)^2 / ((s + d) c); 0 is best, unbounded.

    Chi-squared distributed with k - 1 degrees of freedom when the replica is drawn from the
    same distribution.

    Examples
    --------
    >>> from sdcmetrics.measures.crosstables.counting import TablePairs
    >>> import numpy as np
    >>> pair = TablePairs(np.array([3, 1]), np.array([2, 2]), np.array([0]), (0,))
    >>> round(float(vw(pair)[0]), 4)  # 1/2.5 + 1/1.5
    1.0667
    """
    return tables.sum(_difference(tables) ** 2 / _expected(tables))


@cached_with_tables
def ft(tables: TablePairs) -> Floats:
    """Freeman-Tukey statistic: 4 times the sum of (sqrt(s) - sqrt(d n_s/n_d))^2; 0 is best."""
    roots = np.sqrt(tables.synthetic) - np.sqrt(_scaled(tables))
    return 4.0 * tables.sum(roots**2)


@cached_with_tables
def jsd(tables: TablePairs) -> Floats:
    """Jensen-Shannon divergence of the cell shares in bits, 0 (same) to 1 (disjoint)."""
    middle = (tables.p_original + tables.p_synthetic) / 2.0
    total = _entropy_term(tables.p_original, middle) + _entropy_term(tables.p_synthetic, middle)
    out: Floats = np.maximum(tables.sum(total) / 2.0, 0.0)  # rounding may leave -1e-17
    return out


def _entropy_term(share: Floats, middle: Floats) -> Floats:
    out = np.zeros_like(share)
    filled = share > 0
    out[filled] = share[filled] * np.log2(share[filled] / middle[filled])
    return out


@cached_with_tables
def g(tables: TablePairs) -> Floats:
    """Adjusted likelihood-ratio statistic over the cells that both sides fill; 0 is best.

    2 sum s ln((s / sum s) / (d / sum d)), all sums over cells with s > 0 and d > 0.
    """
    both = _in_both(tables)
    s = np.where(both, tables.synthetic, 0)
    d = np.where(both, tables.original, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (s / tables.spread(tables.sum(s))) / (d / tables.spread(tables.sum(d)))
    terms = np.zeros(len(s), dtype=np.float64)
    terms[both] = s[both] * np.log(ratio[both])
    return 2.0 * tables.sum(terms)


def p_mse(tables: TablePairs) -> Floats:
    """Propensity score mean squared error of the saturated model, 0 (best) to c (1 - c).

    Mean over all records of (score - c)^2, where a record's score is the synthetic share s /
    (s + d) of its cell; equal to VW c (1-c)^2 / N.
    """
    n = tables.n_synthetic + tables.n_original
    c = tables.n_synthetic / n
    return vw(tables) * c * (1.0 - c) ** 2 / n


def mabs_dd(tables: TablePairs) -> Floats:
    """Mean absolute difference in distributions: sum |p_s - p_d|, 0 (best) to 2."""
    return tables.sum(np.abs(_difference(tables))) / tables.n_synthetic


def tvd(tables: TablePairs) -> Floats:
    """Total variation distance: half the sum of |p_s - p_d|, 0 (best) to 1."""
    return tables.sum(np.abs(tables.p_synthetic - tables.p_original)) / 2.0


@cached_with_tables
def wmabs_dd(tables: TablePairs) -> Floats:
    """Weighted mean absolute difference: sum |s - d n_s/n_d| / sqrt(expected) / sqrt(2/pi)."""
    scaled = np.abs(_difference(tables)) / np.sqrt(_expected(tables))
    out: Floats = tables.sum(scaled) / np.sqrt(2.0 / np.pi)
    return out


def d_bhatt(tables: TablePairs) -> Floats:
    """Bhattacharyya distance (Hellinger form): sqrt(1 - sum sqrt(p_s p_d)), 0 (best) to 1."""
    # Half the squared differences of roots are the same, and exactly 0 where shares are equal.
    apart = (np.sqrt(tables.p_synthetic) - np.sqrt(tables.p_original)) ** 2
    out: Floats = np.sqrt(tables.sum(apart) / 2.0)
    return out


def po50(tables: TablePairs) -> Floats:
    """Percent over 50 of records classified rightly by their score (PO50); 0 (best) to 50.

    A record is called synthetic where p_s > p_d, so the cut of the score is at c.
    """
    s, d = tables.synthetic, tables.original
    # In whole numbers, so that equal shares are equal.
    more = s * tables.spread(tables.n_original) > d * tables.spread(tables.n_synthetic)
    right = tables.sum(np.where(more, s, d))
    return 100.0 * right / (tables.n_synthetic + tables.n_original) - 50.0


def specks(tables: TablePairs, ranked: Ranked | None = None) -> Floats:
    """Kolmogorov-Smirnov distance between the scores of both sides, 0 (best) to 1.

    The score of a cell is its synthetic share, unless a fitted model gives another one.
    """
    ranked = ranked or _by_score(tables)
    gap = np.abs(
        ranked.synthetic_up_to / ranked.n_synthetic - ranked.original_up_to / ranked.n_original
    )
    out: Floats = np.maximum.reduceat(np.where(ranked.last_of_tie, gap, 0.0), tables.starts)
    return out


def u(tables: TablePairs, ranked: Ranked | None = None) -> Floats:
    """Wilcoxon rank-sum statistic of the scores: pairs (synthetic, original) ranked right.

    Ties count one half. Scales with n_s n_d, so it is n_s n_d / 2 for identical tables. The
    score of a cell is its synthetic share, unless a fitted model gives another one.
    """
    ranked = ranked or _by_score(tables)
    below = (ranked.original_before + ranked.original_up_to_tie_end) / 2.0
    return tables.sum(ranked.synthetic * below)


class Ranked:
    """Cells of each table in the order of their scores, with running totals within the table."""

    def __init__(self, tables: TablePairs, score: Floats | None = None) -> None:
        if score is None:
            score = tables.synthetic / (tables.synthetic + tables.original)
        table = np.repeat(np.arange(len(tables)), tables.cells)
        order = np.argsort(score)
        order = order[np.argsort(table[order], kind="stable")] if len(tables) > 1 else order
        score, self.synthetic = score[order], tables.synthetic[order]
        original = tables.original[order]
        self.n_synthetic = tables.spread(tables.n_synthetic)
        self.n_original = tables.spread(tables.n_original)
        self.synthetic_up_to = _running(self.synthetic, tables)
        self.original_up_to = _running(original, tables)
        new_tie = np.empty(len(score), dtype=bool)
        new_tie[0] = True
        new_tie[1:] = score[1:] != score[:-1]
        new_tie[tables.starts] = True
        self.last_of_tie = np.append(new_tie[1:], True)
        tie = np.cumsum(new_tie) - 1
        first, last = np.flatnonzero(new_tie), np.flatnonzero(self.last_of_tie)
        self.original_before = (self.original_up_to - original)[first][tie]
        self.original_up_to_tie_end = self.original_up_to[last][tie]


def _running(counts: npt.NDArray[np.int64], tables: TablePairs) -> npt.NDArray[np.int64]:
    total = np.cumsum(counts)
    before = total[tables.starts] - counts[tables.starts]
    return total - np.repeat(before, tables.cells)


@cached_with_tables
def _by_score(tables: TablePairs) -> Ranked:
    return Ranked(tables)


@cached_with_tables
def df(tables: TablePairs) -> Floats:
    """Degrees of freedom: non-empty cells minus 1 (`k_syn`: minus nothing)."""
    return (tables.cells - (0 if tables.k_syn else 1)).astype(np.float64)


def df_g(tables: TablePairs) -> Floats:
    """Degrees of freedom of G: cells that both sides fill minus 1 (`k_syn`: minus nothing)."""
    return tables.sum(_in_both(tables).astype(np.int64)) - (0 if tables.k_syn else 1)


def n_empty(tables: TablePairs) -> Floats:
    """Return the number of cells that neither side fills."""
    return np.array(tables.empty, dtype=np.float64)


def standardised(statistic: Statistic, degrees: Statistic) -> Statistic:
    """Return the function that gives a statistic of tables over their degrees of freedom."""

    def over(tables: TablePairs) -> Floats:
        return over_df(statistic(tables), degrees(tables))

    return over


def _n_jsd(tables: TablePairs) -> Floats:
    """Return JSD 2 N / ln 2, which synthpop standardises."""
    out: Floats = jsd(tables) * 2.0 * (tables.n_synthetic + tables.n_original) / np.log(2.0)
    return out


s_vw = standardised(vw, df)
s_p_mse = s_vw
"""pMSE over its null expectation: the ratio to degrees of freedom; the same as S_VW."""
s_ft = standardised(ft, df)
s_jsd = standardised(_n_jsd, df)
s_wmabs_dd = standardised(wmabs_dd, df)
s_g = standardised(g, df_g)


def fresh(n_original: float, n_synthetic: float) -> float:
    """Return what S_pMSE is expected to be of a fresh sample: (1 + n_s/n_d) N / (N - 1).

    Holds for tables however sparse; 1 would be the expectation for records that are drawn from the
    original's own counts. Also for S_FT and S_G where cells are well filled; the module `fresh`
    has what they are expected to be in any table.

    Examples
    --------
    >>> fresh(500, 500), round(fresh(100, 1000), 2)
    (2.002002002002002, 11.01)
    """
    n = n_original + n_synthetic
    return (1.0 + n_synthetic / n_original) * n / (n - 1.0)


def fresh_jsd(n_original: float, n_synthetic: float) -> float:
    """Return what S_JSD is expected to be of a fresh sample."""
    n = n_original + n_synthetic
    return fresh(n_original, n_synthetic) * n / (4.0 * n_synthetic * math.log(2.0) ** 2)


STATISTICS: dict[str, Callable[..., Floats]] = {
    "VW": vw,
    "FT": ft,
    "JSD": jsd,
    "SPECKS": specks,
    "WMabsDD": wmabs_dd,
    "U": u,
    "G": g,
    "pMSE": p_mse,
    "PO50": po50,
    "MabsDD": mabs_dd,
    "dBhatt": d_bhatt,
    "S_VW": s_vw,
    "S_FT": s_ft,
    "S_JSD": s_jsd,
    "S_WMabsDD": s_wmabs_dd,
    "S_G": s_g,
    "S_pMSE": s_p_mse,
    "df": df,
    "dfG": df_g,
    "nempty": n_empty,
}
"""synthpop's names, in synthpop's order."""


def table_statistics(tables: TablePairs) -> dict[str, Floats]:
    """Compute every statistic of every table, by synthpop's names; arrays of shape (tables,)."""
    return {name: function(tables) for name, function in STATISTICS.items()}
