"""Options on their way to R."""

from __future__ import annotations

import pytest

from sdcmetrics.rbridge.call import _plain


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("max_parameters", 3, 3.0),
        ("one_way_thresholds", (1, 2), [1.0, 2.0]),
        ("two_way_thresholds", [4], [4.0]),
        ("not_target_levels", "x", ["x"]),
        ("not_target_levels", (1, "y"), ["1", "y"]),
        ("keys", ("a", "b"), ["a", "b"]),
        ("ngroups", 3, 3),
        ("method", "cart", "cart"),
    ],
)
def test_options_have_the_type_that_r_takes(name: str, value: object, expected: object) -> None:
    plain = _plain(name, value)
    assert plain == expected
    assert type(plain) is type(expected)
    if isinstance(plain, list):
        assert [*map(type, plain)] == [*map(type, expected)]  # type: ignore[call-overload]
