"""One-way distributions: what groups of numbers hide."""

from __future__ import annotations

import numpy as np
import pandas as pd

from sdcmetrics import Study
from sdcmetrics.review.distributions import describe


def test_groups_of_one_value_each_hide_nothing() -> None:
    rng = np.random.default_rng(1)
    frames = [
        pd.DataFrame(
            {
                "sex": rng.integers(1, 3, 200),
                "age": rng.integers(18, 80, 200),
                "kind": rng.choice(list("ab"), 200),
                "code": rng.choice([1, 2, 9], 200),
                "gaps": rng.choice([1.0, 2.0, np.nan], 200),
            }
        )
        for _ in range(2)
    ]
    codes = {"code": 9}
    study = Study(frames[0], {"r": frames[1]}, keys=["sex"], targets=["kind"], missing_codes=codes)
    every = describe(study)
    assert {name for name, each in every.items() if each.breaks} == {"sex", "age", "code", "gaps"}
    assert {name for name, each in every.items() if each.coarse} == {"age"}
