"""Numbers that are missing, here or throughout: a value, or the reason why there is none."""

# ruff: noqa: ARG005  (what stands in takes what it stands for takes)

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import NotComputable
from sdcmetrics.suites.metric import Metric
from sdcmetrics.suites.syntheval import parity, published
from sdcmetrics.suites.syntheval.components import PCA
from sdcmetrics.suites.syntheval.discrepancy import MMD
from sdcmetrics.suites.syntheval.distributions import HELLINGER
from sdcmetrics.suites.syntheval.moments import CIO, DWM
from sdcmetrics.suites.syntheval.propensity import PMSE
from sdcmetrics.suites.trio import numbers_of
from tests.suites.syntheval.recorded import trio

WHOLE = pd.DataFrame({"x": np.arange(12.0), "y": np.arange(12.0) % 5, "g": list("abcabbabcaac")})
GAPS = WHOLE.assign(x=WHOLE["x"].where(WHOLE["x"] > 3))
EMPTY = WHOLE.assign(x=math.nan)


@pytest.mark.parametrize("metric", [DWM, CIO, PCA, MMD, HELLINGER, PMSE], ids=lambda m: m.symbol)
@pytest.mark.parametrize("mode", ["corrected", "published"])
@pytest.mark.parametrize(
    ("original", "synthetic"),
    [(GAPS, GAPS[::-1]), (WHOLE, EMPTY), (WHOLE, WHOLE[:1])],
    ids=["some", "all of the replica's", "one record"],
)
def test_a_metric_has_a_value_or_says_why_it_has_none(
    metric: Metric, mode: Any, original: pd.DataFrame, synthetic: pd.DataFrame
) -> None:
    result = metric.measure(trio(original, synthetic, categorical=["g"]), mode=mode)
    first = next(iter(result.values()))
    assert first.reason or math.isfinite(first.value)
    if mode == "published" and metric not in (DWM, CIO) and len(synthetic) > 1:
        assert first.reason.startswith("numbers are missing")


def test_numbers_run_from_0_to_1_beside_missing_ones() -> None:
    first, other = numbers_of(trio(GAPS, WHOLE, categorical=["g"]), scaled=True)[:2]
    assert np.nanmin(first, axis=1) == pytest.approx([4 / 11, 0])
    assert [other.min(), other.max()] == [0.0, 1.0]


def test_records_that_are_all_equal_have_no_published_kernel() -> None:
    same = WHOLE.assign(x=1.0, y=1.0, g="a")
    result = MMD.measure(trio(same, same[:3], categorical=["g"]), mode="published")
    assert {quantity.reason for quantity in result.values()} == {"all records are equal"}


def test_parity_with_an_empty_group_says_so_and_has_no_grade(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = pd.DataFrame({"g": list("fffmmm"), "y": list("nnynyy")})
    result = parity._parity(trio(frame, frame[:3], target=["y"], sensitive=["g"]))
    assert math.isfinite(result.pop("original: y by g").value)  # type: ignore[attr-defined]
    for quantity in result.values():
        assert math.isnan(quantity.value)
        assert math.isnan(quantity.normalised)
        assert quantity.reason == "a group is empty"
    forest = SimpleNamespace(predict=lambda x: np.zeros(len(x)))
    forest.fit = lambda x, y: forest
    monkeypatch.setattr(published, "_model", lambda learner, seed: forest)
    view = trio(frame, frame[:1].loc[[0] * 6], target=["y"], sensitive=["g"])
    with pytest.raises(NotComputable, match="a group is empty in every part"):
        published.parity(view)
