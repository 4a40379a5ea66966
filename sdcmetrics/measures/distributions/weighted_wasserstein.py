"""Wasserstein's distance of every number of a weighted sample, with the sample's own errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
import pandas as pd

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.distributions.records import numbers_of
from sdcmetrics.measures.distributions.wasserstein import numeric_variables
from sdcmetrics.measures.normal import symmetric_root
from sdcmetrics.measures.pair import Frame
from sdcmetrics.measures.survey.design import Design, DesignColumns, SurveyDesign
from sdcmetrics.measures.survey.files import read_sampled
from sdcmetrics.microdata.arguments import Draws, Seed, checked
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.schema import MissingCodes

_CELLS = 200
"""Of the distribution functions whose errors are drawn; the distance itself is of all values."""
_LEVEL = 0.05


@checked
def weighted_wasserstein(
    original: Frame,
    synthetic: Frame,
    *,
    design: Design | None = None,
    variables: Sequence[str] | None = None,
    draws: Draws = 999,
    missing_codes: MissingCodes | None = None,
    seed: Seed = 1,
    **columns: Unpack[DesignColumns],
) -> pd.DataFrame:
    """Wasserstein's distance of weighted distributions, with a test and an interval.

    Parameters
    ----------
    original, synthetic : data frames
    design, **columns : see `weighted_tables`
    variables : names, optional
        By default every numeric column, and dates, that has no role.
    draws : int, at least 1
        Of the errors of both distribution functions.
    missing_codes : mapping of column to code or codes, optional
    seed : int

    Returns
    -------
    DataFrame
        Index variable. W1: the distance over the original's weighted interquartile range (its
        standard deviation where that is 0). low, high: 95 % interval. p: of a replica no nearer
        than an independent sample of the population. fresh, drawn: what such a sample, and a draw
        from the original's own weighted distribution, are expected to show. scale; original,
        synthetic: values without those that are missing.

    Raises
    ------
    ColumnError, StudyError, NotComputable

    Notes
    -----
    Labels of weighted records cannot be exchanged. The errors of both distribution functions are
    drawn instead, from the normal law with their linearised covariances (clusters within strata),
    the original's with Student's t of as many degrees of freedom as there are clusters less
    strata.

    Examples
    --------
    >>> import pandas as pd
    >>> sample = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "w": [1.0, 1.0, 1.0, 3.0]})
    >>> result = weighted_wasserstein(sample, sample[["x"]], weight="w")
    >>> result.loc["x", ["W1", "scale"]].astype(float).round(4).tolist()
    [0.25, 2.0]
    """
    files = read_sampled(original, synthetic, design, **columns)
    both = files.compared(variables, missing_codes)
    rows = {}
    for name in numeric_variables(both):
        x, y = numbers_of(both.variables[name])
        rng = np.random.default_rng(seed)
        rows[name] = weighted_distance(x, y, files.design, files.designs[0], draws=draws, rng=rng)
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variable")


def weighted_distance(
    original: Floats,
    synthetic: Floats,
    design: SurveyDesign,
    synthetic_design: SurveyDesign,
    *,
    draws: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Return one row of `weighted_wasserstein`."""
    from sdcmetrics.measures.survey.linearised import (  # imports scipy
        joint_freedom,
        mean,
        quantile,
        shares,
    )

    parts = (original, synthetic)
    present = [~np.isnan(part) for part in parts]
    if not all(some.any() for some in present):
        msg = "a data set has no value"
        raise NotComputable(msg)
    # Records without a value stay in the design: they are clusters, too.
    samples = tuple(
        replace(sample, weights=np.where(some, sample.weights, 0.0))
        for sample, some in zip((design, synthetic_design), present, strict=True)
    )
    pool = np.concatenate([part[some] for part, some in zip(parts, present, strict=True)])
    values = np.unique(pool)
    exact = _between(values, parts, samples)
    grid = values
    if len(values) > _CELLS:
        grid = np.unique(np.quantile(pool, (np.arange(_CELLS) + 1) / _CELLS, method="inverted_cdf"))
    gaps = np.diff(grid)
    cells = [np.searchsorted(grid, np.where(np.isnan(part), grid[0], part)) for part in parts]
    distributions = [shares(c, len(grid), sample) for c, sample in zip(cells, samples, strict=True)]
    (p_original, of_original), (p_replica, of_replica) = distributions
    n, m = int(present[0].sum()), int(present[1].sum())
    simple = synthetic_design.simple
    if simple:
        pooled = (n * p_original + m * p_replica) / (n + m)
        of_replica = (np.diag(pooled) - np.outer(pooled, pooled)) / m
    of_draw = (np.diag(p_original) - np.outer(p_original, p_original)) / m if simple else of_replica
    freedom = joint_freedom(design, synthetic_design)
    heavy = np.sqrt(rng.chisquare(freedom, size=(draws, 1)) / freedom)
    errors = _drawn(of_original, draws, rng) / heavy
    of_ours = _drawn(of_replica, draws, rng)
    noise = errors + (of_ours if simple else of_ours / heavy)
    apart = np.cumsum(p_original - p_replica)[:-1]
    distance = float(np.abs(apart) @ gaps)
    null = np.abs(noise) @ gaps
    p = (1 + int((null >= distance).sum())) / (1 + draws)
    times = exact / distance if distance > 0 else 1.0  # from the grid to all values
    again = np.abs(apart + noise) @ gaps * times
    least, high = (float(q) for q in np.quantile(again, [0.025, 0.975]))
    low = 0.0 if p > _LEVEL else max(min(least, 2 * exact - high), 0.0)
    quarters = [quantile(original, share, samples[0])[0] for share in (0.25, 0.75)]
    scale = quarters[1] - quarters[0]
    if not scale:
        middle = mean(original, samples[0])[0]
        scale = math.sqrt(mean((original - middle) ** 2, samples[0])[0]) or math.nan
    return {
        "W1": exact / scale,
        "low": low / scale,
        "high": high / scale,
        "p": p if scale == scale else math.nan,  # noqa: PLR0124  (not NaN)
        "fresh": float(null.mean()) / scale,
        "drawn": float((np.abs(_drawn(of_draw, draws, rng)) @ gaps).mean()) / scale,
        "scale": scale,
        "original": n,
        "synthetic": m,
    }


def _between(values: Floats, parts: tuple[Floats, ...], samples: tuple[SurveyDesign, ...]) -> float:
    """Return the area between two weighted distribution functions."""
    functions = []
    for part, sample in zip(parts, samples, strict=True):
        some = ~np.isnan(part)
        weights = sample.weights[some] / sample.weights[some].sum()
        places = np.searchsorted(values, part[some])
        functions.append(np.cumsum(np.bincount(places, weights, minlength=len(values)))[:-1])
    return float(np.abs(functions[0] - functions[1]) @ np.diff(values))


def _drawn(of_shares: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draw errors of a distribution function, shape (draws, cells - 1), from those of shares."""
    root = np.cumsum(symmetric_root(of_shares), axis=0)[:-1]
    out: Floats = rng.standard_normal((draws, len(of_shares))) @ root.T
    return out
