"""One-way distributions: what groups of numbers hide."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from sdcmetrics import Study
from sdcmetrics.review.distributions import _is_coarse, describe


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


def test_groups_are_coarse_where_values_are_more() -> None:
    def coarse(values: list[float], breaks: list[float]) -> bool:
        variable: Any = SimpleNamespace(values=(np.array(values),), missing_codes=(9.0,))
        groups: Any = SimpleNamespace(breaks=np.array(breaks))
        return _is_coarse(variable, groups)

    assert not coarse([1, 2, 3, 3, np.nan, 9], [0, 1, 2, 3])
    assert coarse([1, 2, 3, 4, np.nan, 9], [0, 1, 2, 3])
    assert not coarse([np.nan, 9], [])
    assert coarse([1], [])


def test_a_code_for_missing_is_a_level_of_its_own_column() -> None:
    frame = pd.DataFrame({"sex": [1, 2] * 6, "code": [1, 2, 9, 5] * 3, "kind": [*"ab"] * 6})
    study = Study(frame, {"r": frame}, keys=["sex"], targets=["kind"], missing_codes={"code": 9})
    code = describe(study)["code"]
    assert code.labels[-1] == "9"
    assert sum(code.original) == 12
    assert code.original[-1] == 3
    assert code.replicas["r"][-1] == 0.25
