"""Small reviews to rank."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

import sdcmetrics as sdc
from sdcmetrics.ranking.result import Ranking

conduct = partial(sdc.conduct, reference_values=False)
"""Values alone: where no sentence says what is decided, a ranking asks for nothing else."""


def people(n: int, seed: int, *, linked: bool = True) -> pd.DataFrame:
    """Return records in which income and vote follow age, or do not."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    cause = age if linked else rng.integers(20, 60, n)
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "area": rng.choice(list("abcd"), n),
            "income": (cause * 50 + rng.normal(0, 200, n)).round(-1),
            "vote": np.where(cause + rng.normal(0, 5, n) > 40, "yes", "no"),
        }
    )


ORIGINAL = people(300, 1)


def study(replicas: Any = None, **options: Any) -> sdc.Study:
    given: dict[str, Any] = {
        "keys": ["age", "sex", "area"],
        "targets": ["vote", "income"],
        "ngroups_targets": {"income": 4},
        "round_to": {"age": 10, "income": 500},
        "min_count": 1,
    }
    result = replicas or {
        "copy": ORIGINAL,
        "model": [people(300, 2), people(300, 3), people(300, 4)],
        "noise": people(300, 5, linked=False),
    }
    return sdc.Study(ORIGINAL, result, **{**given, **options})


@cache
def review() -> sdc.Review:
    """Return a copy of the original, a good synthesis (m = 3), and one without relations."""
    return sdc.conduct(study(models=["income ~ age"]))


@cache
def ranked() -> Ranking:
    """Return this review, its replicas ranked between references."""
    return sdc.compare_replicas(review(), anchors=True)
