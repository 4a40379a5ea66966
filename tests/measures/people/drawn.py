"""Small populations for tests, and frames as records."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdcmetrics.measures.people.subject import _records
from sdcmetrics.measures.records import Records
from sdcmetrics.microdata.frames import as_microdata


def people_of(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Draw people whose columns hang together, with a heaped income."""
    age = rng.integers(18, 90, n)
    income = np.round(np.exp(rng.normal(8 + age / 60, 0.5, n)), -1)
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(list("abcdefgh"), n),
            "income": income,
            "rent": np.round(income * rng.uniform(0.1, 0.5, n), 1),
            "status": np.where(age > 65, "retired", rng.choice(["work", "none"], n)),
        }
    )


def records(
    original: pd.DataFrame,
    replica: pd.DataFrame,
    holdout: pd.DataFrame | None = None,
    cluster: str = "",
) -> Records:
    """Return frames as records."""
    files = (
        as_microdata(original, "original"),
        as_microdata(replica, "replica"),
        None if holdout is None else as_microdata(holdout, "holdout"),
    )
    return _records(*files, variables=None, missing_codes=None, cluster=cluster, clusters=files)


def mixed(frame: pd.DataFrame, seed: int = 1) -> pd.DataFrame:
    """Return the rows in another order."""
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


def with_copies(rng: np.random.Generator, original: pd.DataFrame, copies: int) -> pd.DataFrame:
    """Return as many people as the original, so many of them copied from it."""
    others = people_of(rng, len(original) - copies)
    return mixed(pd.concat([others, original.sample(copies, random_state=3)], ignore_index=True))
