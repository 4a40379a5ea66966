"""Every measure of cross-tables once more, slowly: record by record, from its definition.

Nothing here counts tables. A record is the cell of a cross-table that it falls into.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from statistics import fmean
from typing import Any

Cells = Sequence[Hashable]


class Table:
    """Two lists of cells, and what the definitions of utility need of them."""

    def __init__(self, original: Cells, synthetic: Cells) -> None:
        self.original, self.synthetic = list(original), list(synthetic)
        self.filled = set(self.original) | set(self.synthetic)
        self.n_d, self.n_s = len(self.original), len(self.synthetic)
        self.n = self.n_d + self.n_s
        self.c = self.n_s / self.n

    def d(self, cell: Hashable) -> int:
        return self.original.count(cell)

    def s(self, cell: Hashable) -> int:
        return self.synthetic.count(cell)

    def p(self, cell: Hashable) -> tuple[float, float]:
        return self.d(cell) / self.n_d, self.s(cell) / self.n_s

    def score(self, cell: Hashable) -> Fraction:
        """Propensity score of the saturated model: the synthetic share of the cell."""
        return Fraction(self.s(cell), self.s(cell) + self.d(cell))

    @property
    def scores(self) -> tuple[list[float], list[float]]:
        """Scores of the original and of the synthetic records."""
        by_cell = {cell: float(self.score(cell)) for cell in self.filled}
        return [by_cell[x] for x in self.original], [by_cell[x] for x in self.synthetic]


def vw(t: Table) -> float:
    return sum((t.s(x) - t.d(x) * t.n_s / t.n_d) ** 2 / ((t.s(x) + t.d(x)) * t.c) for x in t.filled)


def ft(t: Table) -> float:
    ratio = t.n_s / t.n_d
    return 4 * sum((math.sqrt(t.s(x)) - math.sqrt(t.d(x) * ratio)) ** 2 for x in t.filled)


def p_mse(t: Table) -> float:
    return fmean((float(t.score(x)) - t.c) ** 2 for x in (*t.original, *t.synthetic))


def specks(t: Table) -> float:
    from scipy.stats import ks_2samp

    original, synthetic = t.scores
    with warnings.catch_warnings(action="ignore"):  # of its p-value, which is not used
        return float(ks_2samp(synthetic, original).statistic)


def u(t: Table) -> float:
    from scipy.stats import mannwhitneyu

    original, synthetic = t.scores
    with warnings.catch_warnings(action="ignore"):  # of its p-value, which is not used
        return float(mannwhitneyu(synthetic, original).statistic)


def u_by_pairs(t: Table) -> float:
    original, synthetic = t.scores
    return sum((s > d) + 0.5 * (s == d) for s in synthetic for d in original)


def po50(t: Table) -> float:
    # A record is called synthetic where the score of its cell is above c.
    cut = Fraction(t.n_s, t.n)
    right = sum(t.score(x) > cut for x in t.synthetic) + sum(t.score(x) <= cut for x in t.original)
    return 100 * right / t.n - 50


def jsd(t: Table) -> float:
    from scipy.spatial.distance import jensenshannon

    cells = list(t.filled)
    shares = [t.p(x) for x in cells]
    if len(cells) == 1:
        return 0.0
    return float(jensenshannon([p for p, _ in shares], [q for _, q in shares], base=2)) ** 2


def g(t: Table) -> float:
    both = set(t.original) & set(t.synthetic)
    n_s, n_d = sum(t.s(x) for x in both), sum(t.d(x) for x in both)
    return 2 * sum(t.s(x) * math.log((t.s(x) / n_s) / (t.d(x) / n_d)) for x in both)


def mabs_dd(t: Table) -> float:
    return sum(abs(p - q) for p, q in map(t.p, t.filled))


def tvd(t: Table) -> float:
    return sum(max(q - p, 0) for p, q in map(t.p, t.filled))


def wmabs_dd(t: Table) -> float:
    total = sum(
        abs(t.s(x) - t.d(x) * t.n_s / t.n_d) / math.sqrt((t.s(x) + t.d(x)) * t.c) for x in t.filled
    )
    return total / math.sqrt(2 / math.pi)


def d_bhatt(t: Table) -> float:
    # As a distance of roots, which does not subtract from 1.
    gaps = ((math.sqrt(p) - math.sqrt(q)) ** 2 for p, q in map(t.p, t.filled))
    return math.sqrt(sum(gaps) / 2)


def roc(t: Table) -> float:
    return fmean(min(p, q) / max(p, q) for p, q in map(t.p, t.filled))


def df(t: Table) -> float:
    return len(t.filled) - 1


def df_g(t: Table) -> float:
    return len(set(t.original) & set(t.synthetic)) - 1


def _over(value: Callable[[Table], float], degrees: Callable[[Table], float]) -> Callable[..., Any]:
    return lambda t: value(t) / degrees(t) if degrees(t) > 0 else math.nan


UTILITY: dict[str, Callable[[Table], float]] = {
    "ROC": roc,
    "TVD": tvd,
    "pMSE": p_mse,
    "S_pMSE": _over(vw, df),
    "VW": vw,
    "S_VW": _over(vw, df),
    "FT": ft,
    "S_FT": _over(ft, df),
    "JSD": jsd,
    "S_JSD": _over(lambda t: jsd(t) * 2 * t.n / math.log(2), df),
    "G": g,
    "S_G": _over(g, df_g),
    "SPECKS": specks,
    "U": u,
    "PO50": po50,
    "MabsDD": mabs_dd,
    "WMabsDD": wmabs_dd,
    "S_WMabsDD": _over(wmabs_dd, df),
    "dBhatt": d_bhatt,
    "df": df,
    "dfG": df_g,
}
"""Everything but nempty, which depends on the declared levels and so on no record."""
