"""A review converts each column of each data set once, whatever it measures."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.microdata import read_columns


def people(n: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(18, 80, n),
            "area": rng.choice(list("abcd"), n),
            "pay": rng.normal(3000, 500, n).round(-2),
        }
    )


def test_of_a_study_with_models_rules_propensity_and_a_holdout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, holdout = people(120, 1), people(60, 2)
    replicas = {"cart": [people(120, 3), people(100, 4)], "ctgan": people(120, 5)}
    study = sdc.Study(
        original,
        replicas,
        keys=["sex", "age"],
        targets=["area", "pay"],
        holdout=holdout,
        models=["pay ~ age + sex"],
        rules=["age >= 18", "pay > 0"],
        propensity=True,
        permutations=9,
        perturbed=[0.5],
    )
    converted: Counter[tuple[str, str]] = Counter()
    convert = read_columns.reduce_column

    def counted(data: Any, name: str, *more: Any) -> Any:
        converted[data.source, name] += 1
        return convert(data, name, *more)

    monkeypatch.setattr(read_columns, "reduce_column", counted)
    sdc.conduct(study)
    sources = {source for source, _ in converted}
    assert len(sources) == 1 + 3 + 1 + 1  # the last is the perturbed reference
    assert {source: n for source, n in converted.items() if n > 1} == {}
