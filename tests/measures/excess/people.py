"""Small files of people who were drawn one by one, as frames and as records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics.measures.excess.excess import excess_of_files
from sdcmetrics.measures.excess.result import Excess
from sdcmetrics.measures.pair import Pair
from sdcmetrics.measures.records import Records, records_of_pair
from sdcmetrics.microdata.frames import as_microdata

KEYS = ("age", "region")


def people(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw people whose ages and regions tell some of them apart, and say little of the rest."""
    region = np.minimum(rng.zipf(1.4, n), 40)
    age = rng.integers(18, 80, n)
    income = np.round(np.exp(rng.normal(9.5 + age / 100, 0.6, n)), -2)
    vote = np.where(rng.random(n) < 0.2 + age / 160, "left", "right")
    return pd.DataFrame({"age": age, "region": region.astype(str), "income": income, "vote": vote})


def records(original: Any, synthetic: Any, holdout: Any = None) -> Records:
    """Return frames as records."""
    aside = None if holdout is None else as_microdata(holdout, "holdout")
    replica = [as_microdata(synthetic, "synthetic")]
    return records_of_pair(Pair("synthetic", as_microdata(original, "original"), replica, aside))


def excess(data: Records, scenarios: Sequence[Any], **options: Any) -> Excess:
    """Judge the only file of a replica."""
    return excess_of_files([data], scenarios, **options).files[0]


def households(rng: np.random.Generator, n: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw people who share region, tenure and income with those they live with."""
    number = np.repeat(np.arange(n), rng.integers(2, 5, n))[:n]
    homes = int(number.max()) + 1
    region = np.minimum(rng.zipf(1.4, homes), 60)[number]
    income = np.round(np.exp(rng.normal(10, 0.7, homes)), -2)[number]
    frame = {
        "region": region.astype(str),
        "tenure": rng.choice(list("abc"), homes, p=[0.6, 0.3, 0.1])[number],
        "income": income,
        "sex": rng.choice(["f", "m"], n),
        "vote": np.where(rng.random(n) < 0.2 + 0.5 * (income > 25_000), "left", "right"),
    }
    return pd.DataFrame(frame), number


def asked(*names: str) -> Sequence[str]:
    """Return the names of questions in the order in which they are asked."""
    return [*(f"age, region -> {name}" for name in names), "alone with age, region"]
