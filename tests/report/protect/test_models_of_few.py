"""Which models a release says nothing of: those that leave few residual degrees of freedom."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.report.safety.protect.protection import _Protection
from sdcmetrics.report.safety.protect.rounding import Rounding


def withheld(original: pd.DataFrame, formula: str) -> list[str]:
    fits = {("r", formula, "gaussian"): sdc.fit_overlap(original, people(90), formula=formula)}
    rounding = Rounding(base=5, least=10, zeros=True)
    of: Any = SimpleNamespace(rounding=rounding, review=SimpleNamespace(fits=fits))
    return [words for _, words in _Protection._withheld(of)]


def people(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(n)
    numbers = {name: rng.normal(size=n) for name in "yxz"}
    return pd.DataFrame({**numbers, "g": np.arange(n) % 2})


@pytest.mark.parametrize(
    ("n", "formula", "told"),
    [
        (12, "y ~ x", True),  # 12 people, less 2 coefficients
        (11, "y ~ x", False),
        (13, "y ~ x + z", True),
        (12, "y ~ x + z", False),
    ],
)
def test_ten_residual_degrees_of_freedom_are_enough(n: int, formula: str, *, told: bool) -> None:
    few = [] if told else ["Models with fewer than 10 residual degrees of freedom"]
    assert withheld(people(n), formula) == few


@pytest.mark.parametrize(("n", "told"), [(20, True), (19, False)])
def test_ten_people_of_each_level_are_enough(n: int, *, told: bool) -> None:
    few = [] if told else ["Models with a coefficient of a level that few original records have"]
    assert withheld(people(n), "y ~ x + g") == few
