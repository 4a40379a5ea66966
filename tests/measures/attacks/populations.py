"""People drawn from known populations."""

from __future__ import annotations

import numpy as np
import pandas as pd


def drawn(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw people with texts, numbers, ties and missing values that hang together."""
    age = rng.integers(18, 80, n).astype(float)
    region = rng.choice(list("abcde"), n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    job = np.where(rng.random(n) < 0.5, "none", np.where(age > 40, "office", "shop"))
    income = np.round(rng.gamma(2.0, 900.0, n) + 10 * age, -1)
    income[rng.random(n) < 0.05] = np.nan
    return pd.DataFrame(
        {
            "age": age,
            "region": region,
            "job": job,
            "income": income,
            "sex": rng.choice(["f", "m"], n),
        }
    )


def three(seed: int, n: int = 200, h: int = 100, m: int = 250) -> tuple[pd.DataFrame, ...]:
    """Draw original, holdout and an independent replica of one population."""
    rng = np.random.default_rng(seed)
    return drawn(rng, n), drawn(rng, h), drawn(rng, m)
