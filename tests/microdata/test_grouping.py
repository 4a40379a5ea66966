"""Groups of numbers: edges of synthpop's rules. Recorded breaks are compared elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import StudyError
from sdcmetrics.microdata import grouping
from sdcmetrics.microdata.grouping import (
    Groups,
    equal_breaks,
    group_numbers,
    quantile_breaks,
    round_half_even,
)

NAN = math.nan


def numbers(*values: float) -> Any:
    return np.array(values, dtype=np.float64)


def group(
    original: Sequence[float], *syntheses: Sequence[float], ngroups: int = 5, **options: Any
) -> Groups:
    return group_numbers(
        numbers(*original), [numbers(*s) for s in syntheses], ngroups=ngroups, **options
    )


def quantiles_one_by_one(values: Sequence[float], n: int) -> list[float]:
    """Type-7 quantiles as they are written down, one at a time."""
    ordered = sorted(values)
    out = []
    for i in range(n + 1):
        p = min(1.0, i * (1.0 / n))
        h = 1.0 + (len(ordered) - 1) * p
        lo, hi = math.floor(h), math.ceil(h)
        at_lo, at_hi = ordered[lo - 1], ordered[hi - 1]
        if h == lo or at_hi == at_lo:
            out.append(at_lo)
        else:
            out.append((1.0 - (h - lo)) * at_lo + (h - lo) * at_hi)
    return out


number = st.one_of(
    st.integers(-50, 50).map(float),
    st.floats(-1e6, 1e6, allow_subnormal=False),
    st.sampled_from([0.0, 0.1, 0.3, 1e9]),
)


class TestQuantileBreaks:
    def test_eleven_numbers_in_five_groups_have_a_break_just_above_a_number(self) -> None:
        breaks = quantile_breaks(np.arange(1.0, 12.0), 5)
        assert breaks.tolist() == [1.0, 3.0, 5.0, 7.000000000000001, 9.0, 11.0]
        assert breaks.tolist() != np.quantile(np.arange(1.0, 12.0), np.arange(6) / 5).tolist()

    def test_the_number_below_that_break_falls_into_the_lower_group(self) -> None:
        groups = group(range(1, 12), [])
        assert np.bincount(groups.assign(np.arange(1.0, 12.0))).tolist() == [2, 2, 3, 1, 3]

    def test_the_order_of_the_values_does_not_matter(self) -> None:
        values = np.random.default_rng(1).normal(size=997)
        assert quantile_breaks(values, 7).tolist() == quantile_breaks(np.sort(values), 7).tolist()

    def test_the_values_are_left_as_they_are(self) -> None:
        values = numbers(3, 1, 2)
        values.setflags(write=False)
        quantile_breaks(values, 2)
        assert values.tolist() == [3.0, 1.0, 2.0]

    @given(values=st.lists(number, min_size=1, max_size=60), n=st.integers(1, 25))
    @example(values=[1.0, 2.0, 3.0, 4.0, 100.0, 101.0], n=5)  # 5 * (3 * 0.2) is no whole number
    @settings(max_examples=100, deadline=None)
    def test_equal_a_transcription_of_the_formula_bit_for_bit(
        self, values: list[float], n: int
    ) -> None:
        assert quantile_breaks(np.array(values), n).tolist() == quantiles_one_by_one(values, n)

    def test_a_position_that_rounds_to_a_whole_number_is_that_number(self) -> None:
        # h = 1 + 5 * 0.6000000000000001 is exactly 4 in floating point, so the break is the
        # fourth value itself and that value opens its group.
        groups = group([1, 2, 3, 4, 100, 101], [])
        assert groups.breaks.tolist() == [1.0, 2.0, 3.0, 4.0, 100.0, 101.0]
        assert groups.assign(numbers(4.0)).tolist() == [3]


class TestEqualBreaks:
    def test_have_equal_widths_and_end_at_the_maximum(self) -> None:
        assert equal_breaks(numbers(0, 10, 3), 4).tolist() == [0.0, 2.5, 5.0, 7.5, 10.0]

    @given(values=st.lists(number, min_size=1, max_size=40), n=st.integers(1, 25))
    @settings(max_examples=100, deadline=None)
    def test_equal_a_transcription_of_the_formula_bit_for_bit(
        self, values: list[float], n: int
    ) -> None:
        low, high = min(values), max(values)
        by_hand = [low + i * ((high - low) / n) for i in range(n)] + [high]
        assert equal_breaks(np.array(values), n).tolist() == by_hand

    def test_the_style_can_be_chosen(self) -> None:
        groups = group(range(101), [], ngroups=4, style="equal")
        assert groups.breaks.tolist() == [0.0, 25.0, 50.0, 75.0, 100.0]
        assert groups.style == "equal"

    def test_empty_groups_of_equal_width_stay(self) -> None:
        groups = group([0, 0.5, 0.75, 1, 2, 100], [], ngroups=5, style="equal")
        assert len(groups.labels) == 5
        assert np.bincount(groups.assign(numbers(0, 1, 100)), minlength=5).tolist() == [
            2,
            0,
            0,
            0,
            1,
        ]


class TestFewDistinctValues:
    def test_each_is_a_group_with_breaks_at_the_midpoints(self) -> None:
        groups = group([1, 2, 4], [4, 8], ngroups=5)
        margin = (1 + 2 + 4) / 3 / 2
        assert groups.breaks.tolist() == pytest.approx([1 - margin, 1.5, 3, 6, 8 + margin])
        assert groups.assign(numbers(1, 2, 4, 8)).tolist() == [0, 1, 2, 3]

    def test_as_many_as_groups_are_few(self) -> None:
        assert len(group([1, 2, 3, 4, 50], [], ngroups=5).labels) == 5

    def test_one_more_than_groups_is_not(self) -> None:
        breaks = group([1, 2, 3, 4, 50, 60], [], ngroups=5).breaks
        assert breaks[0] == 1.0
        assert breaks[-1] == 60.0

    @pytest.mark.parametrize("style", ["quantile", "equal"])
    def test_whatever_the_style(self, style: str) -> None:
        assert group([0, 0, 1, 7], [], style=style).assign(numbers(0, 1, 7)).tolist() == [0, 1, 2]

    def test_of_which_there_are_too_many_to_see_in_the_first_ones(self) -> None:
        # The first thousands of values are all the same.
        values = [*[0.0] * 5000, *range(100)]
        assert group(values, [], ngroups=5, style="equal").breaks[1] == pytest.approx(19.8)

    def test_of_which_there_are_few_among_many_records(self) -> None:
        values = [float(i % 3) for i in range(10_000)]
        assert group(values, [], ngroups=5).assign(numbers(0, 1, 2)).tolist() == [0, 1, 2]

    def test_two_values_are_two_groups(self) -> None:
        groups = group([0, 0, 5], [5])
        assert groups.assign(numbers(0, 5)).tolist() == [0, 1]
        assert len(groups.labels) == 2

    def test_a_constant_is_one_group(self) -> None:
        groups = group([7, 7, 7], [7])
        assert len(groups.labels) == 1
        assert groups.assign(numbers(7, NAN, 7)).tolist() == [0, -1, 0]

    def test_a_constant_with_a_code_is_one_group_and_the_code(self) -> None:
        groups = group([7, -8, 7], [7], missing_codes=(-8.0,))
        assert groups.assign(numbers(7, -8)).tolist() == [0, 1]
        assert groups.labels[-1] == "-8"


class TestPool:
    def test_values_of_every_synthesis_count(self) -> None:
        groups = group([1, 2, 3], [4, 5, 6], [100, 101, 102], ngroups=2)
        assert (
            groups.breaks.tolist()
            == group([1, 2, 3, 4, 5, 6, 100, 101, 102], [], ngroups=2).breaks.tolist()
        )
        assert groups.assign(numbers(1, 102)).tolist() == [0, len(groups.labels) - 1]

    def test_all_missing_in_the_original_is_accepted(self) -> None:
        groups = group([NAN, NAN], range(20))
        assert len(groups.labels) == 5
        assert groups.assign(numbers(NAN)).tolist() == [-1]

    def test_all_missing_everywhere_gives_no_group(self) -> None:
        groups = group([NAN, NAN], [NAN])
        assert groups.labels == ()
        assert groups.assign(numbers(NAN, NAN)).tolist() == [-1, -1]

    def test_all_codes_gives_the_codes_alone(self) -> None:
        groups = group([-8, -9], [-8], missing_codes=(-8.0, -9.0))
        assert groups.labels == ("-8", "-9")
        assert groups.assign(numbers(-8, -9, NAN)).tolist() == [0, 1, -1]


class TestCodes:
    def test_are_levels_after_the_groups_in_the_order_given(self) -> None:
        groups = group([*range(20), -9, -8], range(20), missing_codes=(-8.0, -9.0))
        assert groups.breaks[0] == 0.0
        assert groups.labels[5:] == ("-8", "-9")
        assert groups.assign(numbers(0, 19, -8, -9, NAN)).tolist() == [0, 4, 5, 6, -1]

    def test_inside_the_range_are_no_part_of_a_group(self) -> None:
        groups = group([*range(20), 999], range(1000, 1020), missing_codes=(999.0,))
        assert groups.assign(numbers(999)).tolist() == [5]

    def test_that_never_occur_are_levels_all_the_same(self) -> None:
        assert group(range(20), [], missing_codes=(-8.0,)).labels[-1] == "-8"


class TestFallback:
    ZEROS = (*[0.0] * 70, *[float(i) for i in range(1, 31)])

    def test_fewer_than_three_groups_become_groups_of_equal_width(self) -> None:
        assert len(np.unique(quantile_breaks(numbers(*self.ZEROS), 5))) == 3
        groups = group(self.ZEROS, [])
        assert groups.style == "equal"
        assert groups.breaks.tolist() == [0.0, 6.0, 12.0, 18.0, 24.0, 30.0]

    def test_a_code_counts_as_a_level_and_so_prevents_it(self) -> None:
        groups = group([*self.ZEROS, -8.0], [], missing_codes=(-8.0,))
        assert groups.style == "quantile"
        assert len(groups.labels) == 3

    def test_three_groups_are_enough(self) -> None:
        groups = group([*[0.0] * 5, *range(1, 6)], [])
        assert groups.style == "quantile"
        assert len(groups.labels) == 3

    def test_groups_of_equal_width_fall_back_to_nothing(self) -> None:
        groups = group([0, 1, 2, 3, 4], [], ngroups=2, style="equal")
        assert groups.breaks.tolist() == [0.0, 2.0, 4.0]

    def test_two_groups_that_were_asked_for_become_two_of_equal_width(self) -> None:
        assert group([0, 1, 2, 3, 100], [], ngroups=2).breaks.tolist() == [0.0, 50.0, 100.0]


class TestAssign:
    def test_groups_are_closed_on_the_left_and_the_last_one_on_both_sides(self) -> None:
        groups = Groups(numbers(0, 1, 2), (), "equal")
        assert groups.assign(numbers(0, 0.999, 1, 1.5, 2)).tolist() == [0, 0, 1, 1, 1]

    @given(
        values=st.lists(number, min_size=30, max_size=60, unique=True),
        n=st.integers(1, 29),
        style=st.sampled_from(["quantile", "equal"]),
    )
    @settings(max_examples=100, deadline=None)
    def test_many_groups_are_found_like_few(self, values: list[float], n: int, style: str) -> None:
        groups = group([*values, -8.0], values[:5], ngroups=n, style=style, missing_codes=(-8.0,))
        everything = np.array([*values, *groups.breaks, -8.0, NAN])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grouping, "_FEW_BREAKS", 1000)
            by_comparing = groups.assign(everything).tolist()
            patch.setattr(grouping, "_FEW_BREAKS", -1)
            by_searching = groups.assign(everything).tolist()
        assert by_comparing == by_searching == groups.assign(everything).tolist()
        one_by_one = [
            max(i for i, low in enumerate(groups.breaks[:-1]) if i == 0 or value >= low)
            for value in values
            if value != -8.0
        ]
        ours = [g for g, value in zip(by_comparing, values, strict=False) if value != -8.0]
        assert ours == one_by_one

    def test_more_than_twenty_groups(self) -> None:
        values = np.arange(1000.0)
        groups = group(values, [], ngroups=25)
        assert len(groups.labels) == 25
        assert set(np.bincount(groups.assign(values))) <= {39, 40, 41}

    @given(values=st.lists(number, min_size=1, max_size=40), n=st.integers(1, 12))
    @settings(max_examples=100, deadline=None)
    def test_every_value_has_a_group_and_groups_keep_the_order(
        self, values: list[float], n: int
    ) -> None:
        groups = group(values, values[:2], ngroups=n)
        assigned = groups.assign(np.array(sorted(values)))
        assert assigned.min() >= 0
        assert assigned.max() < len(groups.labels)
        assert (np.diff(assigned) >= 0).all()


class TestLabels:
    def test_tell_groups_apart_however_narrow_they_are(self) -> None:
        groups = group([1e6 + i / 1000 for i in range(100)], [])
        assert len(set(groups.labels)) == 5

    def test_show_which_end_is_closed(self) -> None:
        labels = group(range(1, 101), [], ngroups=4).labels
        assert [label[0] + label[-1] for label in labels] == ["[)", "[)", "[)", "[]"]


class TestOptions:
    @pytest.mark.parametrize("ngroups", [0, -1])
    def test_fewer_than_one_group_is_refused(self, ngroups: int) -> None:
        with pytest.raises(StudyError, match="ngroups: expected a whole number of at least 1"):
            group([1, 2], [], ngroups=ngroups)

    def test_an_unknown_style_is_refused(self) -> None:
        with pytest.raises(StudyError, match=r"style: expected one of quantile, equal.*'fisher'"):
            group([1, 2], [], style="fisher")

    def test_one_group_is_one_group(self) -> None:
        assert group([1, 2, 3, 4], [], ngroups=1).labels == ("[1,4]",)


class TestRoundHalfEven:
    def test_halves_go_to_the_even_multiple(self) -> None:
        rounded = round_half_even(numbers(1250, 3750, 2600, 6250), 2500)
        assert rounded.tolist() == [0.0, 5000.0, 2500.0, 5000.0]

    def test_minus_zero_is_zero(self) -> None:
        assert str(round_half_even(numbers(-0.1), 1.0)[0]) == "0.0"

    def test_missing_stays_missing(self) -> None:
        assert np.isnan(round_half_even(numbers(NAN), 10)).all()

    @pytest.mark.parametrize("to", [0, -5, NAN, math.inf])
    def test_a_step_that_is_no_number_above_zero_is_refused(self, to: float) -> None:
        with pytest.raises(StudyError, match="round_to: expected a number above 0"):
            round_half_even(numbers(1), to)


@pytest.mark.parametrize("step", [1.0, 0.5, 2.0, 1e4])
@pytest.mark.parametrize("n", [1, 5, 40, 300])
def test_quantiles_of_whole_numbers_that_are_counted_are_those_of_sorted_values(
    step: float, n: int
) -> None:
    values = np.random.default_rng(n).integers(-20, 20, n) * step
    places = np.arange(n)
    assert grouping._ordered(values, places).tolist() == np.sort(values).tolist()


@pytest.mark.parametrize("power", [1, 3, 40, 400])
@pytest.mark.parametrize("digits", [1, 15])
def test_quantiles_of_many_numbers_are_those_of_sorted_values(power: int, digits: int) -> None:
    drawn = np.random.default_rng(power).lognormal(size=40_000)
    with np.errstate(over="ignore"):
        values = (drawn**power).round(digits)
    values[: len(values) // 9] = values[0]  # ties
    places = np.array([0, 1, 4_444, 4_445, 20_000, 20_000, 39_998, 39_999])
    assert grouping._ordered(values, places).tolist() == np.sort(values)[places].tolist()
    assert grouping._ordered(-values, places).tolist() == np.sort(-values)[places].tolist()


def test_quantiles_of_the_widest_range_there_is_are_found_without_a_warning() -> None:
    values = np.array([-1.7e308, *np.arange(20.0), 1.7e308])
    breaks = group_numbers(values, [], ngroups=5).breaks
    assert breaks[[0, -1]].tolist() == [-1.7e308, 1.7e308]
    assert len(breaks) == 6
