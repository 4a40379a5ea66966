"""Group labels give away neither end of a variable."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sdcmetrics.report.safety.breaks import interval_label, rounded_breaks

breaks_of_numbers = st.lists(
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 2)),
    min_size=3,
    max_size=8,
    unique=True,
).map(sorted)


@given(breaks_of_numbers)
def test_rounded_breaks_stay_in_order_and_are_one_fewer_than_groups(breaks: list[float]) -> None:
    inner = rounded_breaks(breaks)
    assert len(inner) == len(breaks) - 2
    assert list(inner) == sorted(inner)


@given(breaks_of_numbers)
def test_outer_groups_are_open(breaks: list[float]) -> None:
    inner = rounded_breaks(breaks)
    last = len(inner)
    assert interval_label(inner, 0, 0).startswith("below ")
    assert interval_label(inner, last, last).endswith(" and above")
    assert interval_label(inner, 0, last) == "all values"


def test_a_persons_exact_value_is_rounded() -> None:
    assert rounded_breaks([0, 43217.33, 61982.10, 250000]) == (43200.0, 62000.0)


def test_groups_of_equal_width_do_not_give_the_ends_back() -> None:
    low, high = -77.0, 106492.0
    inner = rounded_breaks([low + i * (high - low) / 5 for i in range(6)])
    step = inner[1] - inner[0]
    assert inner[0] - step != low
    assert inner[-1] + step != high


def test_dates_are_shown_as_months() -> None:
    day = 86_400_000.0
    inner = rounded_breaks([0.0, 45 * day, 400 * day, 800 * day], dates=True)
    labels = [interval_label(inner, i, i, dates=True) for i in range(3)]
    assert labels == ["before 1970-02", "1970-02 to under 1971-02", "1971-02 and later"]


def test_labels_hold_no_power_of_ten() -> None:
    assert not re.search(r"\de[+-]?\d", interval_label((7300.0, 1.5e6), 1, 1))


def test_breaks_that_cannot_be_told_apart_stay_where_they_are() -> None:
    assert rounded_breaks([5, 5, 5, 5]) == (5.0, 5.0)
