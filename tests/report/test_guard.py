"""What may be shown how exactly: hand-sized cases."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.cells import SafeCell
from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.report.safety.names import Names
from sdcmetrics.report.safety.protect.figures import Figure, band, share
from sdcmetrics.report.safety.protect.rounding import Rounding
from sdcmetrics.report.scan.words import small
from sdcmetrics.review.judge import Status
from sdcmetrics.study.profile import Profile

RULES = Profile("p", "P", "unit", {}, min_cell=10, zeros_disclosive=True, round_base=5)


def release(n: int = 944, **changes: object) -> Guard:
    return Guard("checker", replace(RULES, **changes), n)  # type: ignore[arg-type]


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def told(count: float, n: float = 944, **changes: object) -> Figure:
    return share(Rounding.of(replace(RULES, **changes)), count, n)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, 1, 9, 9.5, math.nan])
def test_a_share_of_too_few_records_is_neither_a_number_nor_a_zero(count: float) -> None:
    result = told(count)
    assert (plain(result.shown), result.value) == ("< 1.1 %", 1.1)
    assert math.isnan(result.count)
    assert plain(result.detail) == "fewer than 10 records"
    cell = release().coarse(result.shown, result.value, result.detail)
    assert (cell.kind, cell.number, cell.bound) == ("hidden", None, 1.1)


def test_a_zero_is_shown_where_zeros_are_not_disclosive() -> None:
    result = told(0, zeros_disclosive=False)
    assert (result.shown, result.value) == ("", 0.0)
    cell = release(zeros_disclosive=False).share("DiSCO", 0.0, 0, 944)
    assert (cell.number, plain(cell.text)) == (0.0, "0 %")


@pytest.mark.parametrize("count", [935, 943, 944])
def test_a_share_of_all_but_too_few_records_is_not_shown(count: int) -> None:
    assert plain(told(count).shown).startswith("> 98.9")


def test_a_share_is_made_of_protected_counts() -> None:
    result = told(203)
    assert result.count % 5 == 0
    assert result.total % 5 == 0
    assert abs(result.count - 203) < 5
    assert result.value == 100 * result.count / result.total
    cell = release().share("DiSCO", result.value, result.count, result.total)
    assert cell.number == round(result.value)
    assert plain(cell.detail) == f"about {result.count:.0f} records"


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (0.0, "0 %"),
        (0.2, "< 1 %"),
        (0.6, "1 %"),
        (99.5, "> 99 %"),
        (99.9, "> 99 %"),
        (100, "100 %"),
    ],
)
def test_a_share_of_some_records_does_not_read_as_none_nor_as_all(
    percent: float, text: str
) -> None:
    cell = release(500).share("rule_broken", percent, None, 500)
    assert (plain(cell.text), cell.number) == (text, round(percent))


@pytest.mark.parametrize("metric", ["max_denom", "U", "VW", "df", "nempty", "pMSE", "invented"])
def test_what_is_not_listed_is_not_released(metric: str) -> None:
    assert not release().shows(metric)
    assert Guard("internal", RULES, 944).shows(metric)


def test_what_is_listed_is_released() -> None:
    assert release().shows("DiSCO")


def test_a_table_that_equals_the_replicas_is_not_told() -> None:
    cells = {release().statistic("S_pMSE", value) for value in (0.0, 1e-9, 0.2, 0.49)}
    assert len(cells) == 1
    (cell,) = cells
    assert (cell.number, cell.bound, plain(cell.text)) == (None, 0.5, "< 0.5")
    at_limit = release().statistic("S_pMSE", 0.5)
    assert (at_limit.number, at_limit.text) == (0.5, "0.500")


@pytest.mark.parametrize("value", [-0.25, -0.0004, 0.0, 0.0004, 0.25, 0.999, 1.0, 3.5])
def test_a_mean_over_records_has_its_sign_and_a_p_what_it_is_at_most(value: float) -> None:
    decimals = MEASURES["W1"].show.get("decimals", 3)
    shown = f"{abs(round(value, decimals)):.{decimals}f}"
    sign = "\N{MINUS SIGN}" if round(value, decimals) < 0 else ""
    cell = release().closeness("W1", value, "")
    assert (cell.text, cell.number) == (sign + shown, value)
    at_most = "\N{LESS-THAN OR EQUAL TO} " if value < 1 else ""
    assert plain(release().closeness("W1", value, "", 0).text) == at_most + sign + shown
    assert release().closeness("W1", value, "", 1).text == sign + shown
    assert plain(release().closeness("W1", 12.34, "percent").text) == "12.3 %"


def test_an_average_is_made_of_what_is_shown() -> None:
    guard = release()
    mean = guard.mean("S_pMSE", [guard.statistic("S_pMSE", v).number for v in (1.0, 3.0)])
    assert mean is not None
    assert mean.number == 2.0
    assert guard.mean("S_pMSE", [guard.coarse("not shown", None, "").number]) is None


@pytest.mark.parametrize("value", [-3.0, 0.0, 0.3, 0.5, 0.74, 0.99])
def test_a_band_holds_its_value_and_there_are_five_at_most(value: float) -> None:
    for measure in MEASURES.values():
        if measure.release is not None and measure.release.rule == "band":
            assert len(measure.release.bands) <= 4
            assert measure.release.bands == tuple(sorted(measure.release.bands))
    shown = band(MEASURES["CIO"], value, {}).shown
    expected = {-3.0: "below 0", 0.0: "0 to 0.25", 0.3: "0.25 to 0.5", 0.5: "0.5 to 0.75"}
    assert shown == (expected | {0.74: "0.5 to 0.75", 0.99: "0.75 or more"})[value]


def test_a_profile_may_declare_other_bands() -> None:
    assert band(MEASURES["CIO"], 0.6, {"CIO": (0.8,)}).shown == "below 0.8"
    assert band(MEASURES["CIO"], math.nan, {}).shown == "not shown"


def test_rounding_never_falls_below_what_protects() -> None:
    guard = release(round_base=1)
    assert guard.base == 5
    assert guard.rounded(203) == 205


def test_a_share_is_as_exact_as_the_records_it_is_of() -> None:
    """Five of 500 are a point, of 50,000 a hundredth; without a number it is of all."""
    guard = release(500)
    for total, text in ((None, "12 %"), (500, "12 %"), (50_000, "12.35 %")):
        assert plain(guard.share("rule_broken", 12.345678, None, total).text) == text


def test_a_p_of_no_record_is_a_bound() -> None:
    for count in (1, None):
        assert plain(release().closeness("identical_p", 0.0004, "", count).text) == "< 0.001"
    none = release().closeness("identical_p", 0.4, "", 0)
    assert plain(none.text) == "\N{LESS-THAN OR EQUAL TO} 0.400"


def test_a_mean_of_counts_is_a_whole_number_that_says_what_it_is_a_mean_of() -> None:
    guard = Guard("internal", RULES, 944)
    for of, detail in ((1, "3.6 records"), (2, "4 records, mean of 2 syntheses")):
        assert plain(guard.share("DiSCO", 1.0, 3.6, 944, of).detail) == detail


def test_a_verdict_is_added_to_a_cell_and_nothing_else_is_changed() -> None:
    cell = SafeCell("1 %", "hidden", None, "of ten", 1.5, "whole", shade=3)
    assert release().judged(cell, None) is cell
    assert release().judged(cell, Status.NOT_JUDGED) is cell
    assert release().judged(cell, Status.FAIL) == replace(cell, status=Status.FAIL)


def test_internal_mode_is_exact() -> None:
    guard = Guard("internal", RULES, 944)
    cell = guard.share("DiSCO", 100 * 3 / 944, 3, 944)
    assert cell.number == 100 * 3 / 944
    assert plain(cell.detail) == "3 records"
    assert guard.statistic("U", 445568.0).number == 445568.0
    assert guard.log == {}


def test_what_is_held_back_is_counted_by_rule() -> None:
    guard = release()
    guard.records(0)
    assert guard.log[guard.rounding.rule_small] == 1
    assert "10" in guard.rounding.rule_small
    assert "zero" in guard.rounding.rule_small


@pytest.mark.parametrize(
    ("count", "zeros", "few"),
    [
        (0, True, True),
        (0, False, False),
        (1, True, True),
        (1, False, True),
        (9, False, True),
        (10, True, False),
        (10, False, False),
    ],
)
def test_a_label_is_looked_for_where_few_have_it(count: int, zeros: bool, few: bool) -> None:
    assert small(count, replace(RULES, zeros_disclosive=zeros)) is few


def test_what_a_release_writes_of_counts_distances_and_tables() -> None:
    guard = release(500)
    few = guard.records(0)
    assert (plain(few.text), few.kind, few.number) == ("< 10", "hidden", None)
    assert [plain(guard.statistic("TVD", value).text) for value in (0.0, 0.1234)] == [
        "< 0.01", "0.12",
    ]  # fmt: skip
    guard.statistic("S_pMSE", 0.4)
    assert sum("S_pMSE below 0.5" in rule for rule in guard.log.elements()) == 1
    assert plain(guard.share("DiSCO", 20.0, 100, 500).detail) == "about 100 records"
    assert guard.share("rule_broken", 20.0, 100, 500).detail == ""
    means = [guard.mean(symbol, [1.234, 1.234]) for symbol in ("S_pMSE", "ROC")]
    assert [mean and (mean.text, mean.number) for mean in means] == [("1.2", 1.2), ("1.23", 1.23)]
    inside = Guard("internal", RULES, 500).mean("S_pMSE", [1.2346])
    assert inside is not None
    assert (inside.text, inside.number) == ("1.23", 1.2346)


def test_long_names_are_shortened_each_to_another_text() -> None:
    names = Names(limit=12)
    shown = [names("abcdefghijklm" + end) for end in "xyzx"] + [names("short"), names(None)]
    assert [name.text for name in shown] == [
        "abcdefghijk\N{HORIZONTAL ELLIPSIS}", "abcdef\N{HORIZONTAL ELLIPSIS} #2",
        "abcdef\N{HORIZONTAL ELLIPSIS} #3", "abcdefghijk\N{HORIZONTAL ELLIPSIS}", "short",
        "(missing)",
    ]  # fmt: skip
    assert [name.full for name in names.shortened] == ["abcdefghijklm" + end for end in "xyz"]
    assert [names(raw).text for raw in ("as long\tas a", "as long as a")] == ["as long as a"] * 2
