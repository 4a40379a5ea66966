"""SynthEval's distances of single columns: KS and total variation, Hellinger, quantile error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.crosstables.chi_square import holm
from sdcmetrics.microdata import lazy
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Metric, Quantities, Quantity, mean_and_error
from sdcmetrics.suites.syntheval.shifts import (
    PERMUTATIONS,
    Shift,
    hellinger,
    shift_of_counts,
    shift_of_numbers,
)
from sdcmetrics.suites.trio import BINS, Trio, complete, numbers_of

_OUTER = (0, 10, 25, 75, 90, 100)
"""Percentiles that bound SynthEval's bins of a number whose middle half is one value."""


def column_shifts(trio: Trio) -> dict[str, Shift]:
    """Return how far each column moved, by name; KS for numbers, total variation for categories."""

    def make() -> dict[str, Shift]:
        rng = trio.rng("column shifts")
        first, second = trio.original, trio.synthetic
        households, untested = None, False
        try:
            households = trio.households_of()
        except NotComputable:
            untested = True
        out = {}
        for name, levels, *codes in zip(
            first.categories, first.levels, first.codes, second.codes, strict=True
        ):
            size = len(levels)
            counts = [np.bincount(part, minlength=size) for part in codes]
            drawn = None
            if households is not None:
                drawn = households.counts(np.concatenate(codes), size, PERMUTATIONS, rng)
            out[name] = shift_of_counts(counts[0], counts[1], rng, drawn=drawn)
        for name, *numbers in zip(first.numeric, first.numbers, second.numbers, strict=True):
            out[name] = shift_of_numbers(numbers[0], numbers[1], rng, households)
        if untested:  # single records would be exchanged that live together
            out = {name: replace(shift, p=math.nan) for name, shift in out.items()}
        return out

    return trio.cached("column shifts", make)


def _ks(trio: Trio, *, sig_lvl: float = 0.05) -> Quantities:
    shifts = column_shifts(trio)
    p = np.array([shift.p for shift in shifts.values()])
    adjusted = holm(p)
    sigs = math.nan if np.isnan(p).any() else int((adjusted <= sig_lvl).sum())
    return {
        **_mean("avg stat", [shift.statistic for shift in shifts.values()]),
        **_mean("avg ks", [shifts[name].statistic for name in trio.original.numeric]),
        **_mean("avg tvd", [shifts[name].statistic for name in trio.original.categories]),
        "smallest p": Quantity(float(adjusted.min()), better="higher"),
        "num sigs": Quantity(sigs),
        "frac sigs": Quantity(sigs / len(p), normalised=1 - sigs / len(p)),
    }


def _published_ks(trio: Trio, *, sig_lvl: float = 0.05, n_perms: int = 1000) -> Quantities:
    rng = trio.rng("published ks")
    first, second = trio.original, trio.synthetic
    tvd, ks = [], []
    for levels, *codes in zip(first.levels, first.codes, second.codes, strict=True):
        counts = [np.bincount(part, minlength=len(levels)) for part in codes]
        pooled, n, m = counts[0] + counts[1], first.n, second.n
        value = _rounded(counts[0][None, :], pooled, n, m)[0]
        drawn = rng.multivariate_hypergeometric(pooled, n, size=n_perms, method="marginals")
        reached = int((_rounded(drawn, pooled, n, m) >= value).sum())
        tvd.append((float(value), (1 + reached) / (1 + n_perms)))
    scaled = numbers_of(trio, scaled=True)
    for original, other in zip(scaled[0], scaled[1], strict=True):
        tested = lazy.stats.ks_2samp(original, other)
        ks.append((float(tested.statistic), float(tested.pvalue)))
    every = tvd + ks
    sigs = sum(p < sig_lvl for _, p in every)
    return {
        **_mean("avg stat", [value for value, _ in every]),
        **_mean("avg ks", [value for value, _ in ks]),
        **_mean("avg tvd", [value for value, _ in tvd]),
        **_mean("avg pval", [p for _, p in every]),
        "num sigs": Quantity(sigs),
        "frac sigs": Quantity(sigs / len(every), normalised=1 - sigs / len(every)),
    }


def _rounded(drawn: npt.NDArray[np.int64], pooled: npt.NDArray[np.int64], n: int, m: int) -> Floats:
    shares = np.abs(drawn / n - (pooled - drawn) / m).sum(axis=1) / 2
    out: Floats = np.round(shares, 4)
    return out


def _hellinger(trio: Trio) -> Quantities:
    return _mean("avg", list(_per_column(trio, hellinger).values()))


def _per_column(
    trio: Trio,
    distance: Callable[[npt.NDArray[np.int64], npt.NDArray[np.int64]], float],
    *,
    categories: bool = True,
) -> dict[str, float]:
    out = {}
    for name, variable in trio.binned.variables.items():
        if categories or name in trio.original.numeric:
            counts = [np.bincount(part, minlength=variable.size) for part in variable.parts[:2]]
            out[name] = distance(counts[0], counts[1])
    return out


def _published_hellinger(trio: Trio) -> Quantities:
    values = []
    for columns in _encoded_categories(trio):
        bins = len(np.unique(columns[0]))
        values.append(_of_histograms([np.histogram(column, bins=bins)[0] for column in columns]))
    scaled = complete(numbers_of(trio, scaled=True)[:2])
    for first, other in zip(*scaled, strict=True):
        pool = np.concatenate([first, other])
        low, high = np.percentile(pool, [25, 75])
        if high > low:  # a width of at least 1 for numbers from 0 to 1: a single bin
            values.append(0.0)
            continue
        edges = np.percentile(pool, _OUTER)
        values.append(
            _of_histograms([np.histogram(part, bins=edges)[0] for part in (first, other)])
        )
    return _mean("avg", values)


def _of_histograms(counts: list[npt.NDArray[np.int64]]) -> float:
    return hellinger(*counts)


def _encoded_categories(trio: Trio) -> list[tuple[Floats, Floats]]:
    parts = numbers_of(trio, categories=True)
    size = len(trio.original.categories)
    return list(zip(parts[0][:size], parts[1][:size], strict=True))


def _quantiles(trio: Trio, *, cat_mse: bool = False) -> Quantities:
    def squares(first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> float:
        return float(np.square(first / first.sum() - second / second.sum()).sum())

    values = list(_per_column(trio, squares, categories=cat_mse).values())
    if not values:
        msg = "there is no column of numbers"
        raise NotComputable(msg)
    return _mean("avg qMSE", values, most=2.0)


def _published_quantiles(
    trio: Trio, *, num_quants: int = BINS, cat_mse: bool = False
) -> Quantities:
    values = []
    scaled = numbers_of(trio, scaled=True)
    cut = list(zip(scaled[0], scaled[1], strict=True))
    if cat_mse:
        for first, other in _encoded_categories(trio):
            levels = np.unique(first)
            shares = [np.array([(part == x).mean() for x in levels]) for part in (first, other)]
            values.append(float(np.square(shares[0] - shares[1]).mean()))
    else:
        cut = _encoded_categories(trio) + cut
    for first, other in cut:
        edges = np.quantile(first, np.linspace(0, 1, num_quants + 1))
        share = np.histogram(other, bins=edges)[0] / len(other)
        values.append(float(np.square(share - 1 / num_quants).mean()))
    return _mean("avg qMSE", values)


def _mean(name: str, values: list[float], *, most: float = 1.0) -> dict[str, Quantity]:
    mean, error = mean_and_error(values)
    reason = "there is no such column" if math.isnan(mean) else ""
    return {name: Quantity(mean, error, 1 - mean / most, reason=reason)}


KS = Metric(
    "ks_test",
    _ks,
    "utility",
    ("avg stat", "frac sigs"),
    _published_ks,
    defect="Distances are rounded to four decimals, p values of 29 columns are not adjusted, and "
    "p of numbers with ties is too large.",
)
HELLINGER = Metric(
    "h_dist",
    _hellinger,
    "utility",
    ("avg",),
    _published_hellinger,
    defect="Every set is cut over its own levels, so that disjoint levels are at distance 0; "
    "numbers have a single bin, so that their distance is always 0.",
)
QUANTILES = Metric(
    "q_mse",
    _quantiles,
    "utility",
    ("avg qMSE",),
    _published_quantiles,
    defect="Ties leave bins empty, so that data compared with themselves are above 0, and values "
    "outside the original's range are not counted.",
)
