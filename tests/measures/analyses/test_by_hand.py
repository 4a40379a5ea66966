"""Curves, overlaps and verdicts of estimates, by hand."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sdcmetrics.errors import DataError
from sdcmetrics.measures.analyses import declared, moments
from sdcmetrics.measures.analyses.analysis_overlap import AnalysisOverlap, _compare, _matched
from sdcmetrics.measures.analyses.estimates import Category, Estimates, Records, normal
from sdcmetrics.measures.analyses.survival import Curve
from sdcmetrics.measures.survey.design import SurveyDesign, simple_design

Z = 1.959963984540054
CURVE = Curve(np.array([1.0, 3, 8]), np.array([0.8, 0.5, 0.0]), np.array([0.1, 0.2, 0.0]))


@pytest.mark.parametrize(
    ("time", "survival"),
    [(0.9, (1, 0)), (1, (0.8, 0.1)), (2.9, (0.8, 0.1)), (3, (0.5, 0.2)), (9, (0, 0))],
)
def test_survival_steps_down_at_an_event(time: float, survival: tuple[float, float]) -> None:
    assert CURVE.at(time) == survival


def test_a_band_is_made_on_the_scale_of_the_logarithm() -> None:
    low, high = CURVE.band
    ends = [
        (s * math.exp(-Z * e / s), s * math.exp(Z * e / s)) for s, e in ((0.8, 0.1), (0.5, 0.2))
    ]
    assert low.tolist() == pytest.approx([ends[0][0], ends[1][0], 0])
    # as survfit has it: where nobody survives there is no upper end
    assert high.tolist() == pytest.approx(
        [min(ends[0][1], 1), min(ends[1][1], 1), math.nan], nan_ok=True
    )


def test_half_are_gone_in_the_middle_of_a_flat_part() -> None:
    for survival, median in (
        ([0.8, 0.5, 0.1], 5.5),
        ([0.8, 0.49, 0.0], 3),
        ([0.5, 0.5, 0.4], 4.5),
        ([0.8, 0.5, 0.5], 3),
    ):
        curve = Curve(CURVE.times, np.array(survival), np.zeros(3))
        assert curve.median() == (median, median, median)
    assert math.isnan(Curve(CURVE.times, np.full(3, 0.51), np.zeros(3)).median()[0])


def test_a_table_is_of_the_records_without_a_missing_value() -> None:
    columns = {
        "g": Category(np.array([0, 0, 1, 1, -1]), ("a", "b")),
        "h": Category(np.array([0, 1, 0, 0, 1]), ("u", "v")),
    }
    rows = np.array([True, True, True, False, True])
    shares = moments.table(Records("the file", columns, simple_design(5)), rows, "g", "h")
    assert shares.terms == ("g = a, h = u", "g = a, h = v", "g = b, h = u", "g = b, h = v")
    assert shares.value.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_a_missing_value_is_no_part_of_an_analysis() -> None:
    nan = math.nan
    columns = {
        "x": np.array([1.0, 3, nan, 2, 9, 4]),
        "y": np.array([2.0, nan, 8, 2, 9, 6]),
        "g": Category(np.array([0, 0, 0, 1, 1, -1]), ("a", "b")),
    }
    rows = np.array([True, True, True, True, False, True])
    records = Records("the file", columns, simple_design(6))
    assert moments.difference(records, rows, "x", "g").value.tolist() == [0]  # 2 of b, 1 and 3 of a
    assert moments.difference(records, rows, "y", "g").value.tolist() == [-3]  # 2 and 8 of a
    assert moments.ratio(records, rows, "x", "y").value.tolist() == pytest.approx([7 / 10])
    of_three = stats.pearsonr([1, 2, 4], [2, 2, 6]).statistic
    assert moments.correlation(records, rows, "x", "y").value.tolist() == pytest.approx([of_three])


def test_a_group_without_records_has_neither_difference_nor_error() -> None:
    columns = {
        "x": np.array([1.0, 3, 2, 4, 9]),
        "g": Category(np.array([0, 0, 1, 1, 2]), ("a", "b", "c")),
    }
    rows = np.array([True, True, True, True, False])
    apart = moments.difference(Records("the file", columns, simple_design(5)), rows, "x", "g")
    assert apart.terms == ("b - a", "c - a")
    assert apart.value.tolist() == pytest.approx([1, math.nan], nan_ok=True)
    # influences 1/2 of two records and -1/2 of two, times 5 / 4
    assert apart.error.tolist() == pytest.approx([math.sqrt(5 / 4), math.nan], nan_ok=True)


def estimates(**of: tuple[float, float, float, float]) -> Estimates:
    value, error, lower, upper = map(np.array, zip(*of.values(), strict=True))
    return Estimates(tuple(of), value, error, lower, upper, null=0.0)


def test_overlaps_and_verdicts_by_hand() -> None:
    original = estimates(
        a=(2.0, 0.5, 1.0, 3.0), b=(1.0, 0.5, 0.0, 2.0), c=(-2.0, 0.0, -2.0, -2.0),
        d=(2.0, 0.5, 1.0, 3.0), e=(2.0, 0.5, 1.0, 3.0),
    )  # fmt: skip
    synthetic = estimates(
        e=(-2.0, 0.5, -3.0, -1.0), b=(1.5, 1.0, -0.5, 3.5), a=(3.0, 0.5, 2.0, 4.0),
        c=(-1.0, 0.5, -2.0, 0.0), z=(9.0, 1.0, 8.0, 10.0),
    )  # fmt: skip
    table = _compare(original, _matched(original, synthetic))
    nan = math.nan
    assert table["std_diff"].tolist() == pytest.approx([2, 1, nan, nan, -8], nan_ok=True)
    assert table["CIO"].tolist() == pytest.approx([0.5, 0.75, nan, nan, -1], nan_ok=True)
    assert table["CIO_truncated"].tolist() == pytest.approx([0.5, 0.75, nan, nan, 0], nan_ok=True)
    # shared 1 of 2 and of 2; 2 of 2 and of 4; none, and minus 2
    assert table["Karr"].tolist() == pytest.approx([0.5, 0.75, nan, nan, -1], nan_ok=True)
    # b: neither is significant, and both are above; c: only the original is
    assert table["same"].tolist() == pytest.approx([1, 1, 0, nan, 0], nan_ok=True)


def test_with_an_interval_that_is_a_point_nothing_is_shared() -> None:
    original = estimates(a=(2.0, 0.5, 1.0, 3.0), b=(2.0, 0.0, 2.0, 2.0))
    synthetic = estimates(a=(5.0, 0.0, 5.0, 5.0), b=(5.0, 0.5, 4.0, 6.0))
    table = _compare(original, _matched(original, synthetic))
    assert table["Karr"].isna().all()  # not minus infinity


def test_intervals_shorter_than_one_overlap_as_long_ones_do() -> None:
    original = estimates(a=(0.2, 0.05, 0.1, 0.3), b=(0.2, 0.05, 0.1, 0.3))
    synthetic = estimates(a=(0.3, 0.05, 0.2, 0.4), b=(0.2, 0.05, 0.1, 0.3))
    table = _compare(original, _matched(original, synthetic))
    assert table["Karr"].tolist() == pytest.approx([0.5, 1.0])
    assert table["CIO"].tolist() == pytest.approx([0.5, 1.0])


def test_intervals_are_normal() -> None:
    two = normal(["a"], [1.0], [0.5], null=1.0)
    assert (two.lower[0], two.upper[0], two.null) == (1 - Z / 2, 1 + Z / 2, 1.0)


@pytest.mark.parametrize("m", [1, 2, 3])
def test_an_analysis_is_given_synthesis_by_synthesis_where_there_are_several(
    m: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames = [pd.DataFrame({"CIO": [float(i)]}) for i in range(m + 1)]
    whole = AnalysisOverlap("a", "mean", frames[0], tuple(frames[1:]), 0.5, 1.0)
    pairs = [(SimpleNamespace(name="a"), whole), (SimpleNamespace(name="b"), DataError("why"))]
    monkeypatch.setattr(declared, "_compared", lambda *_: iter(pairs))
    first, second = declared._analyses(*[SimpleNamespace()] * 3)  # type: ignore[arg-type]
    assert [place.target for place in (*first.places, *second.places)] == ["a", "b"]
    assert first.each == (tuple(frames[1:]) if m > 1 else ())
    assert first.whole is frames[0]
    assert first.result is whole
    assert (first.reason, second.reason, second.each) == ("", "why", ())


def test_errors_of_weighted_shares_are_those_of_a_ratio_of_totals() -> None:
    codes, weights = np.array([0, 1, 1, 0, 2]), np.array([1.0, 2, 4, 3, 2])
    design = SurveyDesign(weights, np.zeros(5, np.int64), np.arange(5))
    column = {"g": Category(codes, ("a", "b", "c"))}
    result = moments.share(Records("the file", column, design), np.ones(5, bool), "g")
    assert result.value == pytest.approx([4 / 12, 6 / 12, 2 / 12])
    for level, (p, error) in enumerate(zip(result.value, result.error, strict=True)):
        influence = weights * ((codes == level) - p) / 12  # their sum is 0
        assert error == pytest.approx(math.sqrt(5 / 4 * (influence**2).sum()))


def test_a_perfect_correlation_has_an_interval_of_no_width() -> None:
    column = np.array([-1.0, 1, -1, 1])
    records = Records("the file", {"x": column, "y": column}, simple_design(4))
    with np.errstate(divide="ignore"):  # Fisher's z of 1
        result = moments.correlation(records, np.ones(4, bool), "x", "y")
    assert (result.value, result.error, result.lower, result.upper) == ([1], [0], [1], [1])
