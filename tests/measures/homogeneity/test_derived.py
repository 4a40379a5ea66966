"""Derived columns: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from sdcmetrics.measures.homogeneity.derived import (
    Numbers,
    derived_columns,
    many_valued,
    multiplicity,
    orders,
    tables_of,
    tails,
    trailing_zeros,
)
from sdcmetrics.measures.records import Column
from sdcmetrics.microdata.columns import Kind


def number(x: list[float], y: list[float], name: str = "x", *, dates: bool = False) -> Numbers:
    return Numbers(name, dates, (np.array(x, dtype=float), np.array(y, dtype=float)))


def column(x: list[float], y: list[float], kind: Kind = Kind.NUMBER) -> Column:
    of = float if kind is Kind.NUMBER else np.int32
    return Column("x", kind, np.array(x, dtype=of), np.array(y, dtype=of))


class TestTrailingZeros:
    @pytest.mark.parametrize(
        ("value", "zeros"),
        [(0.3, 1), (0.25, 0), (7, 2), (-40, 3), (1200, 4), (123_000, 5), (1e9, 5), (0, 0)],
    )
    def test_counts_what_divides_it(self, value: float, zeros: int) -> None:
        first, second = trailing_zeros(number([value], [np.nan])).codes
        assert (first.tolist(), second.tolist()) == ([zeros], [6])

    def test_two_decimals_of_a_large_number_are_none(self) -> None:
        assert trailing_zeros(number([1_234_567.89], [98_765_432.1])).codes[0].tolist() == [0]

    def test_all_tenths_are_seen_whatever_their_bits(self) -> None:
        tenths = np.arange(1, 20_000) / 10.0
        codes = trailing_zeros(Numbers("x", dates=False, parts=(tenths, tenths[:0]))).codes[0]
        assert codes.min() == 1

    def test_a_sum_is_a_tenth_but_for_the_last_digits_of_a_double(self) -> None:
        tenth = 1_000_000.1
        sums = [np.nextafter(tenth, np.inf), tenth + 5e-7, tenth + 2e-6]  # 1e-12 of it is 1e-6
        assert trailing_zeros(number(sums, [])).codes[0].tolist() == [1, 1, 0]


def test_tails_are_pooled_hundredths_and_missing_is_apart() -> None:
    low, high = list(range(100)), [*range(100, 200), np.nan]
    result = tails(number(low, high))
    assert [part.tolist().count(0) for part in result.codes] == [2, 0]
    assert [part.tolist().count(2) for part in result.codes] == [0, 2]
    assert result.codes[1][-1] == 3


class TestOrders:
    def test_less_equal_greater_and_missing(self) -> None:
        x = [1.0] * 18 + [2.0, 3.0, np.nan]
        y = [2.0] * 18 + [2.0, 1.0, 0.0]
        (result,) = orders([number(x, x, "a"), number(y, y, "b")])
        assert result.name == "order of a and b"
        assert np.bincount(result.codes[0]).tolist() == [18, 1, 1, 1]

    def test_only_where_nine_tenths_agree(self) -> None:
        x, y = [1.0] * 10, [2.0] * 8 + [0.0] * 2
        assert list(orders([number(x, x, "a"), number(y, y, "b")])) == []

    def test_who_is_equal_is_not_less(self) -> None:
        x, y = [1.0] * 1000, [2.0] * 895 + [1.0] * 105  # 1,000 of 1,105, if they were both
        assert list(orders([number(x, [], "a"), number(y, [], "b")])) == []

    def test_never_of_a_date_and_a_number(self) -> None:
        x, y = [1.0] * 10, [2.0] * 10
        assert list(orders([number(x, x, "a"), number(y, y, "b", dates=True)])) == []


class TestMultiplicity:
    def test_counts_both_sides_and_caps(self) -> None:
        result = multiplicity([column([1, 1, 2, 3], [1, 4, 4, *[5] * 9])])
        assert result.codes[0].tolist() == [3, 3, 1, 1]
        assert result.codes[1].tolist() == [3, 2, 2, *[6] * 9]

    def test_all_columns_make_a_record(self) -> None:
        a, b = column([1, 1], [1]), column([0, 1], [0], Kind.CATEGORY)
        assert multiplicity([a, b]).codes[0].tolist() == [2, 1]

    def test_missing_is_a_value_and_minus_zero_is_zero(self) -> None:
        result = multiplicity([column([np.nan, -0.0], [-np.nan, 0.0])])
        assert [part.tolist() for part in result.codes] == [[2, 2], [2, 2]]

    def test_values_are_not_added_up_over_columns(self) -> None:
        a, b = column([1, 2], [3], Kind.CATEGORY), column([2, 1], [0], Kind.CATEGORY)
        assert multiplicity([a, b]).codes[0].tolist() == [1, 1]


def test_numbers_of_twenty_values_are_left_to_their_groups() -> None:
    few, enough = list(range(20)), list(range(21))
    assert many_valued([number(few, [0.0, np.nan])]) == []
    assert len(many_valued([number(enough, [np.nan])])) == 1


def test_distinct_values_with_counts_give_the_same_tables() -> None:
    rng = np.random.default_rng(4)
    sides = [np.round(rng.lognormal(5, 1, 3000), -1), np.round(rng.lognormal(5.1, 1, 2000), 1)]
    sides[0][:50] = np.nan
    plain = Numbers("x", dates=False, parts=(sides[0], sides[1]))
    distinct = [np.unique(side, return_counts=True) for side in sides]
    counted = Numbers(
        "x",
        dates=False,
        parts=(distinct[0][0], distinct[1][0]),
        records=(distinct[0][1], distinct[1][1]),
    )
    first, other = (tables_of(list(derived_columns([each], ()))) for each in (plain, counted))
    assert first.original.sum() == 6000
    for name in ("original", "synthetic", "starts"):
        assert getattr(first, name)[:4].tolist() == pytest.approx(
            getattr(other, name)[:4].tolist(), abs=2
        )
    zeros = [tables_of([trailing_zeros(each)]) for each in (plain, counted)]
    assert zeros[0].original.tolist() == zeros[1].original.tolist()
    assert zeros[0].synthetic.tolist() == zeros[1].synthetic.tolist()


def test_dates_have_tails_and_no_zeros() -> None:
    values = [float(i) for i in range(30)]
    names = [column.name for column in derived_columns([number(values, values, dates=True)], ())]
    assert names == ["tail of x"]


def test_tails_of_counted_values_are_hundredths_as_well() -> None:
    values, times = np.arange(5050.0), np.full(2525, 4)
    result = tails(Numbers("x", False, (values[::2], values[1::2]), (times, times)))
    assert np.bincount(np.concatenate(result.codes)).tolist() == [50, 4949, 51]
