"""A metric's quantities, their reasons, and what a copy and the holdout score."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.reference_values import References, ReferenceValues
from sdcmetrics.suites.metric import Measured, Metric, Number, Quantities, Quantity, mean_and_error
from sdcmetrics.suites.trio import Trio
from tests.suites.test_trio import trio


def share(trio: Trio, factor: float = 1.0) -> Quantities:
    if trio.synthetic.n == 13:
        msg = "13 records"
        raise NotComputable(msg)
    return {"share": Quantity(factor * trio.synthetic.n / trio.original.n, fresh=0.25)}


def published(trio: Trio) -> Quantities:
    return {**share(trio, 2.0), "other": Quantity(1.0)} if trio.synthetic.n != 13 else share(trio)


METRIC = Metric(
    "m", share, "utility", ("share",), published, published_quantities=("share", "other")
)
ALONE = Metric("alone", share, "utility", ("share",), beside_holdout=True)


@pytest.mark.parametrize(
    ("values", "mean", "error"),
    [
        ([], math.nan, math.nan),
        ([3], 3, math.nan),
        ([1, 2, 6], 3, math.sqrt(7 / 3)),  # (4 + 1 + 9) / 2 / 3
    ],
)
def test_mean_and_error(values: list[float], mean: float, error: float) -> None:
    assert mean_and_error(values) == pytest.approx((mean, error), nan_ok=True)


def test_each_mode_has_its_definition_and_its_names() -> None:
    view = trio((20, 10))
    assert METRIC.measure(view)["share"].value == 0.5
    assert METRIC.measure(view, options={"factor": 4.0})["share"].value == 2.0
    assert METRIC.measure(view, mode="published")["share"].value == 1.0
    unlucky = trio((20, 13))
    assert {name: q.reason for name, q in METRIC.measure(unlucky).items()} == {
        "share": "13 records"
    }
    reasons = {name: q.reason for name, q in METRIC.measure(unlucky, mode="published").items()}
    assert reasons == {"share": "13 records", "other": "13 records"}
    (alone,) = ALONE.measure(view, mode="published").values()
    assert alone.reason == "it has no other definition than the corrected one"
    with pytest.raises(StudyError, match=r"m: unknown option 'factr'\. Did you mean 'factor'"):
        METRIC.measure(view, options={"factr": 1})
    with pytest.raises(StudyError, match=r"m: unknown option 'zzz'\. Known: none"):
        METRIC.measure(view, mode="published", options={"zzz": 1})
    measured = Measured(METRIC, view, {})
    assert (Number("share")(measured), Number("share").of_copy(measured)) == (0.5, 1.0)
    assert math.isnan(Number("absent")(measured))


def of_copy(measured: Measured) -> float:
    return 10.0 * measured.trio.original.n


CUT = (14 / 30, 14.0, 14 / 30)  # the holdout and the replica, both of 14 records


def marked(procedure: str, copy: Any, **more: Any) -> ReferenceValues:
    return ReferenceValues(procedure, copy, "yes", "original", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("metric", "reference_values", "expected"),
    [
        (METRIC, None, References(0.5, *CUT)),  # the measure's ideal
        (METRIC, marked("P2", 7.0), References(7.0, *CUT)),
        (METRIC, marked("P2", of_copy), References(300.0, *CUT)),
        (METRIC, marked("P3", 7.0, fresh=0.1), References(copy=7.0, fresh=0.1)),
        (ALONE, marked("P2", 7.0), References(copy=7.0, fresh=0.25)),
    ],
)
def test_what_a_copy_and_the_holdout_score(
    metric: Metric, reference_values: ReferenceValues | None, expected: References
) -> None:
    measure: Any = SimpleNamespace(
        symbol="s", ideal=0.5, function=Number("share"), reference_values=reference_values
    )
    result = metric._references(Measured(metric, trio((30, 20, 14)), {}), [measure])
    assert repr(result) == repr({"s": expected})


@pytest.mark.parametrize("quantities", ["share", []])
def test_a_metric_of_ones_own_names_its_quantities(quantities: Any) -> None:
    with pytest.raises(StudyError, match="metric 'own': expected the names of its quantities"):
        sdc.metric("own", dimension="utility", quantities=quantities)
    with pytest.raises(StudyError, match="the package has a metric 'dwm'"):
        sdc.metric("dwm", dimension="utility", quantities=["share"])
