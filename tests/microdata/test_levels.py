"""Levels that the original lacks: kept, counted, and told where only case or blanks differ."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.levels import NONE_IN_COMMON, beyond_fifteen_digits
from sdcmetrics.microdata.schema import harmonise


def fixes(original: list[str | None], replica: list[str | None]) -> list[tuple[str, int | None]]:
    first, other = (
        as_microdata(pd.DataFrame({"x": values}, dtype="str"), name)
        for values, name in ((original, "o"), (replica, "r"))
    )
    return [(fix.what, fix.cells) for fix in harmonise(first, [other]).fixes]


ONE = "1 level that o does not have, kept as a level of its own"
SEVERAL = "levels that o does not have, kept as levels of their own"


@pytest.mark.parametrize(
    ("replica", "found"),
    [
        (["a", "B c"], []),
        (["a", "z", "z"], [(ONE, 2)]),
        (
            ["a", "b  C ", "z", "Z"],
            [
                (
                    (
                        f"3 {SEVERAL}; 1 of them differs only in case, blanks or how Unicode "
                        "writes them from levels of o: spell them alike if they mean the same"
                    ),
                    3,
                )
            ],
        ),
    ],
)
def test_levels_of_the_replica_alone_are_told(
    replica: list[str | None], found: list[tuple[str, int | None]]
) -> None:
    assert fixes(["a", "B c", "a"], replica) == found


def test_levels_that_unicode_writes_in_two_ways_are_told() -> None:
    ((what, cells),) = fixes(["ä", "b", "b"], ["a\u0308", "b", "\uff42"])
    assert (cells, "2 of them differ only in case, blanks or how Unicode" in what) == (2, True)


def test_where_no_level_is_common_it_is_told_once_more() -> None:
    assert fixes(["a", "b"], ["y", None, "z"]) == [
        (f"2 {SEVERAL}", 2), (NONE_IN_COMMON.format("o"), None),
    ]  # fmt: skip


def test_numbers_that_are_one_in_fifteen_digits_are_counted() -> None:
    assert beyond_fifteen_digits([np.array([1.0, 2.0, np.nan, 2.0**53])]) == 0
    assert beyond_fifteen_digits([np.array([0.1 + 0.2, 0.3]), np.array([0.3, 0.7, 0.1])]) == 1
    assert beyond_fifteen_digits([np.array([0.5, 0.25])]) == 0
