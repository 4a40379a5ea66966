"""Ratios of nearest distances: of the replica to the original's own, of the nearest to the next."""

from __future__ import annotations

import math

import numpy as np

from sdcmetrics.measures.neighbours import Gower, Points
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.suites.metric import Metric, Quantities, Quantity, mean_and_error
from sdcmetrics.suites.syntheval.passes import Searches, published_points, searches
from sdcmetrics.suites.trio import Trio

_FEWEST = 400
"""Holdout records for a quantile of 1 %: with 150 it varies by a quarter."""
_LOW = 0.01


def median_ratio(to_original: Floats, among: Floats) -> float:
    """Median distance to the nearest original record over that of originals among each other.

    Returns
    -------
    float
        1 is expected of fresh data of any size; NaN where the originals' own median is 0.
    """
    own = float(np.median(among))
    return float(np.median(to_original)) / own if own > 0 else math.nan


def _dcr(trio: Trio) -> Quantities:
    pool = searches(trio)
    pool.compare("original", "synthetic")
    own = pool.to_nearest("original", "original")
    to_original = pool.to_nearest("synthetic", "original")
    value = median_ratio(to_original, own)
    reason = "half of the originals or more have a duplicate" if math.isnan(value) else ""
    copies = float((to_original == 0).mean())
    out = {
        "mDCR": Quantity(value, normalised=min(1.0, value), better="higher", reason=reason),
        "copies": Quantity(copies, normalised=1 - copies),
    }
    if trio.has_holdout:
        fresh = pool.to_nearest("holdout", "original")
        ratio = median_ratio(fresh, own)
        out["holdout mDCR"] = Quantity(ratio, better="none", reason=reason)
        out["holdout copies"] = Quantity(float((fresh == 0).mean()), better="none")
        low = [float(np.quantile(part, _LOW)) for part in (to_original, fresh)]
        if len(fresh) < _FEWEST:
            why = f"the holdout has fewer than {_FEWEST} records"
            out["q01 ratio"] = Quantity(math.nan, better="higher", reason=why)
        elif low[1] == 0:
            why = "one holdout record in a hundred or more has a duplicate in the original"
            out["q01 ratio"] = Quantity(math.nan, better="higher", reason=why)
        else:
            out["q01 ratio"] = Quantity(low[0] / low[1], better="higher")
    return out


def _published_dcr(trio: Trio, *, distance: str = "gower", as_in_2024: bool = False) -> Quantities:
    pools = _by_pairs(trio) if as_in_2024 else [published_points(trio, distance)] * 2
    to_original = pools[0].to_nearest("synthetic", "original")
    own = pools[1].to_nearest("original", "original")
    medians = float(np.median(to_original)), float(np.median(own))
    value = float(medians[0] == 0) if medians[1] == 0 else medians[0] / medians[1]
    return {"mDCR": Quantity(value, normalised=math.tanh(value), better="higher")}


def _by_pairs(trio: Trio) -> list[Searches]:
    """Return searches whose ranges are those of the two data sets compared, as in 2024."""
    points = {
        name: Points.from_columns(part.codes, list(part.numbers))
        for name, part in (("original", trio.original), ("synthetic", trio.synthetic))
    }
    pool = np.concatenate([trio.original.numbers, trio.synthetic.numbers], axis=1)
    ranges = [tuple(np.ptp(numbers, axis=1).tolist()) for numbers in (pool, trio.original.numbers)]
    return [Searches(points, Gower(widths)) for widths in ranges]  # type: ignore[arg-type]  # two of three


def _shares(distances: Floats) -> tuple[Floats, int]:
    """Return nearest over second nearest, 0 where both are 0, and how many these are."""
    first, second = distances[:, 0], distances[:, 1]
    copied = second == 0
    return np.where(copied, 0.0, first / np.where(copied, 1.0, second)), int(copied.sum())


def _nndr(trio: Trio) -> Quantities:
    pool = searches(trio)
    pool.compare("original", "synthetic")
    ratios, duplicates = _shares(pool.nearest("original", "synthetic", 2).distances)
    mean, error = mean_and_error(ratios)
    reason = f"{duplicates} originals have two exact copies: ratio 0" if duplicates else ""
    out = {"avg": Quantity(mean, error, mean, "higher", reason)}
    if trio.has_holdout:
        fresh, _ = _shares(pool.nearest("holdout", "synthetic", 2).distances)
        other, other_error = mean_and_error(fresh)
        loss = other - mean
        out["holdout avg"] = Quantity(other, other_error, better="none")
        out["priv_loss"] = Quantity(loss, math.hypot(error, other_error), 1 - max(0.0, loss))
    reverse, _ = _shares(pool.nearest("synthetic", "original", 2).distances)
    out["synthetic to original"] = Quantity(*mean_and_error(reverse), better="none")
    return out


def _published_nndr(trio: Trio, *, distance: str = "gower") -> Quantities:
    pool = published_points(trio, distance)
    ratios, _ = _shares(pool.nearest("original", "synthetic", 2).distances)
    mean, error = mean_and_error(ratios)
    out = {"avg": Quantity(mean, error, mean, "higher")}
    if trio.has_holdout:
        fresh, _ = _shares(pool.nearest("holdout", "synthetic", 2).distances)
        other, other_error = mean_and_error(fresh)
        loss = other - mean
        out["priv_loss"] = Quantity(loss, math.hypot(error, other_error), 1 - abs(loss))
    return out


DCR = Metric(
    "dcr",
    _dcr,
    "privacy",
    ("mDCR",),
    _published_dcr,
    defect="The original itself as the replica scores 1.0; where originals have duplicates, a copy "
    "scores 1.0 and a replica that is far away 0.0; one outlier of any set changes it.",
)
NNDR = Metric(
    "nndr",
    _nndr,
    "privacy",
    ("avg",),
    _published_nndr,
    defect="Of the two directions only one is given, and the original itself, in its own order, "
    "is compared without its copies.",
)
