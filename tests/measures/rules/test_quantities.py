"""Rounding errors of quantities, by hand, and where errors of comparisons point."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import check_rules
from sdcmetrics.errors import StudyError
from sdcmetrics.measures.rules.quantities import Quantity, apply, column, combine, compare


def of(value: float, error: float = 0.0) -> Quantity:
    return Quantity(np.array([value]), np.array([error]))


@pytest.mark.parametrize(
    ("operator", "value", "error"),
    [
        ("+", -1.0, 0.75),
        ("-", 7.0, 0.75),
        ("*", -12.0, 3 * 0.25 + 4 * 0.5),
        ("/", -0.75, (0.5 + 0.75 * 0.25) / 4),
    ],
)
def test_errors_of_both_sides_add_up(operator: str, value: float, error: float) -> None:
    result = combine(operator, of(3.0, 0.5), of(-4.0, 0.25))
    assert result.values.tolist() == [value]
    assert result.error.tolist() == [error + abs(value) * 2.0**-52]


def test_what_has_no_finite_value_is_unknown_without_an_error() -> None:
    for result in (combine("/", of(1.0), of(0.0)), combine("*", of(1e300), of(1e300))):
        assert np.isnan(result.values[0])
        assert result.error[0] == 0
    unbounded = combine("+", of(1.0, np.inf), of(1.0))
    assert np.isnan(unbounded.values[0])
    assert unbounded.error[0] == 0
    assert column(np.array([-4.0])).error.tolist() == [4 * 2.0**-52]


@pytest.mark.parametrize(
    ("function", "value", "error", "result"),
    [
        ("floor", 2.75, 0.25, 3.0),  # as near to 3 as its error
        ("floor", 2.75, 0.24, 2.0),
        ("floor", -2.5, 0.1, -3.0),
        ("round", 2.5, 0.1, 2.0),
        ("round", 3.5, 0.1, 4.0),
        ("abs", -2.5, 0.5, 2.5),
    ],
)
def test_functions_of_one(function: str, value: float, error: float, result: float) -> None:
    quantity = apply(function, [of(value, error)])
    assert quantity.values.tolist() == [result]
    assert quantity.error.tolist() == [error if function == "abs" else 0.0]


def test_the_smallest_and_the_largest_have_the_larger_error() -> None:
    three = [of(3.0, 0.1), of(1.0, 0.3), of(2.0, 0.2)]
    for function, value in (("min", 1.0), ("max", 3.0)):
        quantity = apply(function, three)
        assert (quantity.values[0], quantity.error[0]) == (value, 0.3)
        assert np.isnan(apply(function, [*three, of(np.nan)]).values[0])


@pytest.mark.parametrize(
    ("operator", "below", "equal", "above"),
    [("<", "y", "n", "n"), ("<=", "y", "y", "n"), (">", "n", "n", "y"), (">=", "n", "y", "y"),
     ("==", "n", "y", "n"), ("!=", "y", "n", "y")],
)  # fmt: skip
def test_what_errors_can_explain_is_equal(
    operator: str, below: str, equal: str, above: str
) -> None:
    for value, expected in (
        (1.0, below),
        (1.25, equal),
        (2.75, equal),
        (3.0, above),
        (np.nan, "?"),
    ):
        truth = compare(operator, of(value, 0.5), of(2.0, 0.25))  # 0.75 together
        assert (truth.yes[0], truth.no[0]) == (expected == "y", expected == "n")


@pytest.mark.parametrize(
    ("rule", "points_at"),
    [
        ('age < "old"', '"old"'),
        ('"old" < age', '"old"'),
        ('born < "old"', '"old"'),
        ('"old" > born', '"old"'),
        ('"x" <= sex', "sex"),
        ("sex < 3", "sex"),
        ("3 == sex", "sex"),
        ("flag == 3", "3"),
    ],
)
def test_a_comparison_that_cannot_be_points_at_what_is_wrong(rule: str, points_at: str) -> None:
    people = pd.DataFrame(
        {"age": [30, 40], "sex": ["x", "y"], "flag": [True, False],
         "born": pd.to_datetime(["2020-01-01", "2021-01-01"])}
    )  # fmt: skip
    with pytest.raises(StudyError) as error:
        check_rules(people, people, rules=[rule])
    shown, pointer = str(error.value).splitlines()[-2:]
    assert shown[pointer.index("^") : pointer.rindex("^") + 1] == points_at
