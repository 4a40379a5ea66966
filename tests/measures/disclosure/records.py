"""Every disclosure measure once more, slowly: record by record, straight from its definition.

Nothing here counts tables. A record is a pair of a key combination and a target level; missing is
None. Shares are in percent, CAP measures whose symbol is the framework's own are proportions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from statistics import fmean

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
    cells = {record for record, result in zip(original, disclosed, strict=True) if result}
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
            result and agreed(original, key)
            for (key, _), result in zip(original, disclosed, strict=True)
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
    result = [
        share(level, with_key(original, key))
        for key, level in synthetic
        if agreed(synthetic, key) and with_key(original, key)
    ]
    return fmean(result) if result else math.nan


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
