"""Design-based intervals hold the population's values in 95 of a hundred samples."""

from __future__ import annotations

import os
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics import survey_overlap, weighted_compare

SLOW = bool(os.environ.get("SDCMETRICS_SLOW"))
REPEATS = 2_000 if SLOW else 40
CLUSTERS = (30, 30, 30, 30)
WEIGHTS = (5.0, 10.0, 20.0, 40.0)
"""Of four strata; the clusters are of 4 to 12 people, and all strata have as many clusters."""


def sampled(rng: np.random.Generator, clusters: tuple[int, ...] = CLUSTERS) -> pd.DataFrame:
    """Draw clusters of people who are alike; y hangs on the stratum, so that weights inform."""
    parts = []
    for stratum, (many, weight) in enumerate(zip(clusters, WEIGHTS, strict=True)):
        cluster = np.repeat(np.arange(many), rng.integers(4, 13, many))
        n = len(cluster)
        x = 0.7 * rng.normal(size=many)[cluster] + rng.normal(0.2 * stratum, 1.0, n)
        y = 1.0 + 0.5 * x - 0.4 * stratum + 0.6 * rng.normal(size=many)[cluster]
        y += rng.normal(size=n)
        vote = rng.random(n) < 1 / (1 + np.exp(-(0.4 * y - 0.3 * stratum)))
        parts.append(
            pd.DataFrame(
                {
                    "x": x,
                    "y": y,
                    "g": np.digitize(y, [-0.5, 0.8, 2.0]).astype(str),
                    "vote": np.where(vote, "yes", "no"),
                    "st": stratum,
                    "cl": cluster,
                    "w": weight,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


@cache
def truth() -> dict[str, float]:
    """Return what 190,000 people say: off by a fourteenth of a sample's standard error."""
    everybody = sampled(np.random.default_rng(0), (6_000,) * 4)
    return {name: row[0] for name, row in estimates(everybody).items()}


def estimates(sample: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    """Return estimates with their standard errors and half widths of 95 % intervals."""
    design = {"weight": "w", "strata": "st", "cluster": "cl"}
    table = weighted_compare(sample, sample.iloc[:50], variables=["g", "y"], **design).table
    out = {}
    for row in table.itertuples():
        if str(row.statistic).startswith("quantile"):
            continue
        half = (row.upper - row.lower) / 2
        out[f"{row.variable} {row.statistic}"] = (row.original, row.se_original, half)
    for formula, family in (("y ~ x", "gaussian"), ("vote ~ x", "binomial")):
        result = survey_overlap(sample, sample, formula=formula, family=family, **design)
        t = float(stats.t.ppf(0.975, result.degrees_of_freedom))
        for term, row in result.coefficients.iterrows():
            out[f"{formula}, {term}"] = (
                row["original"],
                row["se_original"],
                t * row["se_original"],
            )
    return out


@pytest.fixture(scope="module")
def covered() -> pd.DataFrame:
    rows = []
    for seed in range(REPEATS):
        result = estimates(sampled(np.random.default_rng(seed + 1)))
        rows.append({k: abs(value - truth()[k]) <= half for k, (value, _, half) in result.items()})
    return pd.DataFrame(rows)


def test_intervals_of_shares_means_and_models_hold_the_truth(covered: pd.DataFrame) -> None:
    result = covered.mean()
    if SLOW:
        assert result.between(0.93, 0.97).all(), result.to_dict()
    # the mean over estimates, in 40 samples: they hang together
    assert 0.90 < result.mean() < 0.99
