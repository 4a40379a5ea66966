"""What may be shown how exactly: hand-sized cases."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sdcmetrics.measures.registry import MEASURES
from sdcmetrics.report.safety.guard import Guard
from sdcmetrics.study.profile import Profile

ORIGINAL_SHARES = {m.symbol for m in MEASURES.values() if m.release and m.release.rule == "share"}
RULES = Profile("p", "P", "unit", {}, min_cell=10, zeros_disclosive=True, round_base=5)


def release(n: int = 944, **changes: object) -> Guard:
    return Guard("release", replace(RULES, **changes), n)  # type: ignore[arg-type]


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("count", [0, 1, 9])
def test_a_share_of_too_few_records_is_neither_a_number_nor_a_zero(count: int) -> None:
    cell = release().share("DiSCO", 100 * count / 944, count, 944)
    assert cell.number is None
    assert cell.kind == "hidden"
    assert plain(cell.text) == "< 1.1 %"
    assert plain(cell.detail) == "fewer than 10 records"
    assert cell.bound == 1.1


def test_every_small_share_looks_the_same() -> None:
    cells = {release().share("repU", 100 * count / 944, count, 944) for count in range(10)}
    assert len(cells) == 1


def test_a_zero_is_shown_where_zeros_are_not_disclosive() -> None:
    cell = release(zeros_disclosive=False).share("DiSCO", 0.0, 0, 944)
    assert (cell.number, plain(cell.text)) == (0.0, "0 %")


@pytest.mark.parametrize("count", [935, 943, 944])
def test_a_share_of_all_but_too_few_records_is_not_shown(count: int) -> None:
    cell = release().share("iS", 100 * count / 944, count, 944)
    assert cell.number is None
    assert plain(cell.text) == "> 98.9 %"


def test_a_share_is_made_of_the_rounded_count_to_the_digits_it_supports() -> None:
    cell = release().share("DiSCO", 100 * 203 / 944, 203, 944)
    assert (cell.number, plain(cell.text)) == (22.0, "22 %")
    assert plain(cell.detail) == "about 205 records"
    cell = release(24421).share("DiSCO", 100 * 2057 / 24421, 2057, 24421)
    assert (cell.number, plain(cell.text)) == (8.4, "8.4 %")


def test_a_mean_over_syntheses_below_the_threshold_is_hidden() -> None:
    assert release().share("DiSCO", 1.006, 9.5, 944).number is None


def test_a_share_of_a_replica_is_not_hidden() -> None:
    assert release().share("UiS", 0.0, 0, 944).number == 0.0


def test_a_share_without_its_count_is_rounded_like_a_chance() -> None:
    assert release().share("DiSCO", 21.503, None, None).number == 22.0


@pytest.mark.parametrize("metric", ["max_denom", "U", "VW", "df", "nempty", "pMSE", "invented"])
def test_what_is_not_listed_is_not_released(metric: str) -> None:
    guard = release()
    assert not guard.shows(metric)
    assert guard.share(metric, 50.0, 472, 944).number is None
    assert guard.share(metric, 50.0, None, None).number is None
    assert guard.statistic(metric, 1.0, ways=2, df=30, folded=False).number is None


def test_the_baseline_of_a_rare_level_does_not_give_the_level_back() -> None:
    # A target of two levels: the baseline is p^2 + (1 - p)^2, so an exact one tells p.
    n = 944
    shown = {
        release(n).share("baseCAPd", 100 * ((k / n) ** 2 + (1 - k / n) ** 2), None, None).number
        for k in range(3, 7)
    }
    assert len(shown) == 1


def test_one_way_statistics_of_folded_variables_are_hidden_but_for_a_coarse_distance() -> None:
    guard = release()
    for metric in ("S_pMSE", "ROC"):
        assert guard.statistic(metric, 2.63, ways=1, df=1, folded=True).number is None
    assert guard.statistic("TVD", 0.0053, ways=1, df=1, folded=True).number == 0.01
    assert plain(guard.statistic("TVD", 0.0012, ways=1, df=1, folded=True).text) == "< 0.01"


@pytest.mark.parametrize(
    ("df", "folded", "shown"),
    [(3, False, 10.0), (30, True, 12.0), (30, False, 12.3), (None, False, 10)],
)
def test_two_way_statistics_keep_the_digits_that_their_cells_can_hide(
    df: float | None, folded: bool, shown: float
) -> None:
    assert release().statistic("S_pMSE", 12.345, ways=2, df=df, folded=folded).number == shown


@pytest.mark.parametrize("ways", [1, 2])
def test_a_table_that_equals_the_replicas_is_not_told(ways: int) -> None:
    cells = {
        release().statistic("S_pMSE", value, ways=ways, df=30, folded=False)
        for value in (0.0, 1e-9, 0.2, 0.49)
    }
    assert len(cells) == 1
    (cell,) = cells
    assert (cell.number, cell.bound, plain(cell.text)) == (None, 0.5, "< 0.5")


def test_an_average_is_made_of_what_is_shown() -> None:
    guard = release()
    cells = [guard.statistic("S_pMSE", v, ways=2, df=3, folded=False) for v in (1.4, 2.6)]
    mean = guard.average("S_pMSE", cells)
    assert mean is not None
    assert mean.number == 2.0
    hidden = [guard.statistic("S_pMSE", 2.0, ways=1, df=1, folded=True)]
    assert guard.average("S_pMSE", hidden) is None


def test_rounding_never_falls_below_what_protects() -> None:
    guard = release(round_base=1)
    assert guard.base == 5
    assert guard.rounded(203) == 205


def test_internal_mode_is_exact() -> None:
    guard = Guard("internal", RULES, 944)
    cell = guard.share("DiSCO", 100 * 3 / 944, 3, 944)
    assert cell.number == 100 * 3 / 944
    assert plain(cell.detail) == "3 records"
    assert guard.statistic("U", 445568.0, ways=1, df=1, folded=True).number == 445568.0
    assert guard.log == {}


def test_what_is_held_back_is_counted_by_rule() -> None:
    guard = release()
    for metric in sorted(ORIGINAL_SHARES):
        guard.share(metric, 0.1, 1, 944)
    assert guard.log[guard.rule_small] == len(ORIGINAL_SHARES)
    assert "10" in guard.rule_small
    assert "zero" in guard.rule_small
