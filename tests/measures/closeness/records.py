"""Every measure once more, slowly: record by record, straight from its definition.

Nothing here counts tables. A record is a pair of a key combination and a target level, or the
cell of a cross-table that it falls into; missing is None. Shares are in percent, CAP measures
whose symbol is the framework's own are proportions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from statistics import fmean
from typing import Any

Record = tuple[Hashable, Hashable]
Records = Sequence[Record]


def with_key(records: Records, key: Hashable) -> list[Hashable]:
    """Target levels of the records that have a key combination."""
    return [level for other, level in records if other == key]


def agreed(records: Records, key: Hashable) -> bool:
    """Whether the records with a key combination exist and agree on one target level."""
    return len(set(with_key(records, key))) == 1


def percent(which: Sequence[bool]) -> float:
    return 100.0 * sum(which) / len(which)


def share(level: Hashable, levels: Sequence[Hashable]) -> float:
    return sum(other == level for other in levels) / len(levels)


def _disclosed(original: Records, synthetic: Records) -> list[bool]:
    return [set(with_key(synthetic, key)) == {level} for key, level in original]


def _matched(original: Records, synthetic: Records) -> list[Record]:
    return [(key, level) for key, level in original if with_key(synthetic, key)]


def _group_sizes(original: Records, synthetic: Records) -> list[int]:
    disclosed = _disclosed(original, synthetic)
    cells = {record for record, found in zip(original, disclosed, strict=True) if found}
    return [sum(record == cell for record in original) for cell in cells]


def ui_o(original: Records, _: Records) -> float:
    return percent([len(with_key(original, key)) == 1 for key, _ in original])


def ui_s(_: Records, synthetic: Records) -> float:
    return percent([len(with_key(synthetic, key)) == 1 for key, _ in synthetic])


def ui_oi_s(original: Records, synthetic: Records) -> float:
    return percent(
        [
            len(with_key(original, key)) == 1 and len(with_key(synthetic, key)) > 0
            for key, _ in original
        ]
    )


def rep_u(original: Records, synthetic: Records) -> float:
    return percent(
        [
            len(with_key(original, key)) == 1 and len(with_key(synthetic, key)) == 1
            for key, _ in original
        ]
    )


def d_orig(original: Records, _: Records) -> float:
    return percent([agreed(original, key) for key, _ in original])


def d_syn(_: Records, synthetic: Records) -> float:
    return percent([agreed(synthetic, key) for key, _ in synthetic])


def i_s(original: Records, synthetic: Records) -> float:
    return 100.0 * len(_matched(original, synthetic)) / len(original)


def di_s(original: Records, synthetic: Records) -> float:
    return percent([agreed(synthetic, key) for key, _ in original])


def disco(original: Records, synthetic: Records) -> float:
    return percent(_disclosed(original, synthetic))


def di_s_di_o(original: Records, synthetic: Records) -> float:
    disclosed = _disclosed(original, synthetic)
    return percent(
        [
            found and agreed(original, key)
            for (key, _), found in zip(original, disclosed, strict=True)
        ]
    )


def max_denom(original: Records, synthetic: Records) -> float:
    return max(_group_sizes(original, synthetic), default=0)


def mean_denom(original: Records, synthetic: Records) -> float:
    sizes = _group_sizes(original, synthetic)
    return fmean(sizes) if sizes else math.nan


def cap_b(original: Records, _: Records) -> float:
    levels = [level for _, level in original]
    return fmean(share(level, levels) for level in levels)


def cap_o(original: Records, _: Records) -> float:
    return fmean(share(level, with_key(original, key)) for key, level in original)


def cap_of_synthetic(_: Records, synthetic: Records) -> float:
    return fmean(share(level, with_key(synthetic, key)) for key, level in synthetic)


def cap_s_zero(original: Records, synthetic: Records) -> float:
    total = sum(share(lv, with_key(synthetic, k)) for k, lv in _matched(original, synthetic))
    return total / len(original)


def cap_s_undefined(original: Records, synthetic: Records) -> float:
    matched = _matched(original, synthetic)
    if not matched:
        return math.nan
    return fmean(share(level, with_key(synthetic, key)) for key, level in matched)


def cap_s(original: Records, synthetic: Records) -> float:
    zero = cap_s_zero(original, synthetic)
    undefined = cap_s_undefined(original, synthetic)
    if math.isnan(undefined):
        return zero
    return max(zero, (zero + min(undefined, cap_o(original, synthetic))) / 2)


def cap_ratio(original: Records, synthetic: Records) -> float:
    return cap_s(original, synthetic) / cap_o(original, synthetic)


def non_match(original: Records, synthetic: Records) -> float:
    return 1 - len(_matched(original, synthetic)) / len(original)


def tcap_matched(original: Records, synthetic: Records) -> float:
    matched = _matched(original, synthetic)
    return percent(_disclosed(matched, synthetic)) if matched else math.nan


def tcap_certain(original: Records, synthetic: Records) -> float:
    certain = [record for record in original if agreed(synthetic, record[0])]
    return percent(_disclosed(certain, synthetic)) if certain else math.nan


def _per_synthetic(
    function: Callable[[Records, Records], float], *, there: bool
) -> Callable[[Records, Records], float]:
    """Right guesses about original records, per 100 synthetic ones (that are in the original)."""

    def measure(original: Records, synthetic: Records) -> float:
        counted = [1 for key, _ in synthetic if not there or with_key(original, key)]
        right = function(original, synthetic) / 100 * len(original)
        return 100 * right / len(counted) if counted else math.nan

    return measure


def tcap_synthetic(original: Records, synthetic: Records) -> float:
    found = [
        share(level, with_key(original, key))
        for key, level in synthetic
        if agreed(synthetic, key) and with_key(original, key)
    ]
    return fmean(found) if found else math.nan


def _percent_of(function: Callable[[Records, Records], float]) -> Callable[..., float]:
    return lambda original, synthetic: 100.0 * function(original, synthetic)


DISCLOSURE: dict[str, Callable[[Records, Records], float]] = {
    "UiO": ui_o,
    "UiS": ui_s,
    "UiOiS": ui_oi_s,
    "repU": rep_u,
    "Dorig": d_orig,
    "Dsyn": d_syn,
    "iS": i_s,
    "DiS": di_s,
    "DiSCO": disco,
    "DiSDiO": di_s_di_o,
    "max_denom": max_denom,
    "mean_denom": mean_denom,
    "baseCAPd": _percent_of(cap_b),
    "CAPd": _percent_of(cap_o),
    "CAPs": _percent_of(cap_of_synthetic),
    "DCAP": _percent_of(cap_s_zero),
    "DCAPs": _per_synthetic(_percent_of(cap_s_zero), there=False),
    "DCAPb": _per_synthetic(_percent_of(cap_s_zero), there=True),
    "TCAPs": _per_synthetic(disco, there=False),
    "TCAPb": _per_synthetic(disco, there=True),
    "TCAP_matched": tcap_matched,
    "TCAP_certain": tcap_certain,
    "CAP_o": cap_o,
    "CAP_b": cap_b,
    "CAP_s_zero": cap_s_zero,
    "CAP_s_undefined": cap_s_undefined,
    "TCAP_synthetic": tcap_synthetic,
    "CAP_s": cap_s,
    "CAP_ratio": cap_ratio,
    "non_match": non_match,
}

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
