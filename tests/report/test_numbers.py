"""Numbers as texts, at the places where they change their form."""

from __future__ import annotations

import math

import pytest

from sdcmetrics.report.safety.breaks import fold, group_label, interval_label, rounded_breaks
from sdcmetrics.report.safety.numbers import (
    count_text,
    decimals_for,
    percent_text,
    plural,
    round_to_base,
    significant,
    step_for,
    with_commas,
    with_decimals,
    with_minus,
)

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("value", "digits", "rounded"),
    [
        (0.0, 3, 0.0),
        (99_949, 3, 99_900),
        (99_950.1, 3, 100_000),
        (-0.0012345, 2, -0.0012),
        (5, 1, 5),
    ],
)
def test_significant_digits(value: float, digits: int, rounded: float) -> None:
    assert significant(value, digits) == rounded
    assert significant(math.inf) == math.inf


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.inf, "\N{INFINITY}"),
        (-math.inf, f"{MINUS}\N{INFINITY}"),
        (0.0, "0"),
        (999.6, "1,000"),
        (999.4, "999"),
        (10.0, "10.0"),
        (-1234.0, f"{MINUS}1,230"),
        (0.0100, "0.0100"),  # two zeros after the point: as it is
        (0.00400, "0.004"),  # three: no zeros at the end
        (0.00412, "0.00412"),
        (0.0999, "0.0999"),
        (1.2e-6, "0.0000012"),
        (1e-87, "<\N{NO-BREAK SPACE}0.000001"),
        (-1e-9, f">\N{NO-BREAK SPACE}{MINUS}0.000001"),
    ],
)
def test_three_digits_with_commas(value: float, text: str) -> None:
    assert with_commas(value) == text


def test_decimals_and_signs() -> None:
    assert [with_decimals(value, 1) for value in (-0.04, -0.06, 1234.56)] == [
        "0.0", f"{MINUS}0.1", "1234.6",
    ]  # fmt: skip
    assert [with_minus(value) for value in (-2.0, 1e-7, -0.0)] == [f"{MINUS}2", f"1e{MINUS}07", "0"]


@pytest.mark.parametrize(
    ("percent", "decimals", "text"),
    [
        (0.0, 1, "0 %"),
        (100.0, 1, "100 %"),
        (0.049, 1, "< 0.1 %"),
        (0.05, 1, "0.1 %"),
        (99.951, 1, "> 99.9 %"),
        (99.95, 1, "> 99.9 %"),  # 1,999 of 2,000
        (99.94, 1, "99.9 %"),
        (0.5, 0, "< 1 %"),  # 1 of 200
        (0.51, 0, "1 %"),
        (99.5, 0, "> 99 %"),
        (99.49, 0, "99 %"),
        (-3.25, 1, f"{MINUS}3.2 %"),
        (-0.0, 1, "0 %"),
        (-0.04, 1, f"> {MINUS}0.1 %"),
        (-0.06, 1, f"{MINUS}0.1 %"),
        (-99.97, 1, f"< {MINUS}99.9 %"),
        (-100.0, 1, f"{MINUS}100 %"),
        (-0.3, 0, f"> {MINUS}1 %"),
        (112.0, 1, "112.0 %"),
        (100.04, 1, "> 100.0 %"),
        (-100.4, 0, f"< {MINUS}100 %"),
    ],
)
def test_percentages_are_no_false_zeros(percent: float, decimals: int, text: str) -> None:
    assert percent_text(percent, decimals).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("count", "base", "least", "rounded"),
    [(2, 5, 0, 0), (3, 5, 0, 5), (7.5, 5, 0, 10), (10, 5, 10, 10), (12, 5, 11, 15), (9, 5, 10, 10),
     (7, 5, 10, 5), (10, 3, 10, 12), (11, 4, 11, 12)],
)  # fmt: skip
def test_counts_are_rounded_half_up_and_not_below_the_least(
    count: float, base: int, least: int, rounded: int
) -> None:
    assert round_to_base(count, base, least) == rounded


@pytest.mark.parametrize(
    ("base", "total", "step"),
    [(5, 500, 1.0), (5, 499, 10.0), (5, 5000, 0.1), (5, 5, 100.0), (5, 0, 100.0), (5, 1, 1000.0)],
)
def test_a_step_is_at_least_the_base(base: float, total: float, step: float) -> None:
    assert step_for(base, total) == pytest.approx(step)


def test_counts_and_nouns() -> None:
    assert [decimals_for(step) for step in (0.01, 0.1, 1, 100)] == [2, 1, 0, 0]
    assert plural(2, "copy", "copies") == "2 copies"
    assert plural(1, "copy", "copies") == "1 copy"
    assert [count_text(value) for value in (0, 1000, 999.96, 2.25)] == [
        "0",
        "1,000",
        "1,000",
        "2.2",
    ]


@pytest.mark.parametrize(
    ("counts", "options", "groups", "shown"),
    [
        ([10, 10], {}, ((0,), (1,)), True),
        ([9, 10, 40], {}, ((0, 1), (2,)), True),
        ([5, 5, 40], {}, ((0, 1), (2,)), True),  # together they are ten
        ([5, 4, 40, 50], {}, ((0, 1, 2), (3,)), True),
        ([3, 4], {}, ((0, 1),), False),
        ([0, 40, 50], {}, ((0, 1), (2,)), True),
        ([0, 1, 5], {"min_cell": 1}, ((0, 1), (2,)), True),  # one record is enough
        ([0, 40, 50], {"zeros_disclosive": False}, ((0,), (1,), (2,)), True),
        ([5, 5, 40, 60], {"zeros_disclosive": False}, ((0, 1, 2), (3,)), True),  # a large one along
        ([40, 9, 30, 20], {"intervals": 4}, ((0,), (1, 2), (3,)), True),
        ([9, 30, 20], {"intervals": 3}, ((0, 1), (2,)), True),
        ([30, 20, 9], {"intervals": 3}, ((0,), (1, 2)), True),
        ([30, 10, 10], {"intervals": 3}, ((0,), (1,), (2,)), True),
        ([30, 9, 40, 5], {"intervals": 2}, ((0, 1, 3), (2,)), True),
    ],
)
def test_small_levels_are_folded_with_the_next_smallest(
    counts: list[int],
    options: dict[str, object],
    groups: tuple[tuple[int, ...], ...],
    *,
    shown: bool,
) -> None:
    given = {"min_cell": 10, "zeros_disclosive": True, **options}
    folding = fold(counts, **given)  # type: ignore[arg-type]
    assert (folding.groups, folding.shown) == (groups, shown)


def test_breaks_are_as_coarse_as_their_groups_allow() -> None:
    assert rounded_breaks([0, 9]) == ()
    # 10,049 to 10,000 is 49 of a group of 980: a twentieth is 49
    assert rounded_breaks([9_069, 10_049, 20_000]) == (10_000.0,)
    assert rounded_breaks([9_070, 10_049, 20_000]) == (10_050.0,)
    assert rounded_breaks([0.0, 10_049.4, 10_049.6]) == (10_000.0,)  # no five digits tell: three
    assert rounded_breaks([0, 20, 40, 60]) == (20.0, 40.0)  # groups of 20, in steps of 5
    assert rounded_breaks([3, 23, 43, 63]) == (25.0, 45.0)
    day = 86_400_000.0
    assert rounded_breaks([0, 32 * day, 300 * day], dates=True) == (31 * day,)


def test_labels_of_groups() -> None:
    assert interval_label((-1234.5, 0.0), 0, 0) == f"below {MINUS}1,234.5"
    assert interval_label((-1234.5, 0.0), 1, 1) == f"{MINUS}1,234.5 to under 0"
    assert interval_label((1e-6, 9e-7), 0, 0) == "below 0.000001"
    assert interval_label((9e-7,), 0, 0) == "below 9e-07"
    day = 86_400_000.0
    assert interval_label((31 * day,), 0, 0, dates=True) == "before 1970-02"
    assert interval_label((31 * day,), 1, 1, dates=True) == "1970-02 and later"
    assert interval_label((-9e20,), 0, 0, dates=True) == "before 1-01"
    assert group_label("[2020-01-01,2021-01-01)") == "2020-01-01 to under 2021-01-01"
