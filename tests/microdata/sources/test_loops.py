"""Values of a batch to codes: the loops as they are written, value by value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from sdcmetrics.microdata.sources.loops import FEW, code_levels, code_runs, code_scaled, code_whole

NAN = math.nan
NONE = np.zeros(0, np.bool_)


def coded(code: Any, values: Any, *parts: Any) -> list[int] | None:
    """Return the codes of values; None where one of them has none."""
    codes = np.full(len(values), -9, np.int32)
    return codes.tolist() if code(np.asarray(values), *parts, codes) else None


@pytest.mark.parametrize(
    ("values", "codes"),
    [([3, 5, 6], [2, 0, 1]), ([4], None), ([2], None), ([7], None), ([3, 8], None)],
)
def test_whole_numbers_have_the_code_of_their_place(
    values: list[int], codes: list[int] | None
) -> None:
    table = np.array([2, -1, 0, 1])  # of 3 to 6; nobody has 4
    assert coded(code_whole, values, 3, table, NONE, 7) == codes
    gaps = np.arange(len(values)) == 0
    rest = None if codes is None and len(values) > 1 else [7, *(codes or [0])[1:]]
    assert coded(code_whole, values, 3, table, gaps, 7) == rest


@pytest.mark.parametrize(
    ("values", "nan_code", "codes"),
    [
        ([0.3, 0.5], 4, [2, 0]), ([0.5], 4, [0]), ([0.4], 4, None), ([0.2], 4, None),
        ([0.6], 4, None), ([0.31], 4, None), ([NAN, 0.5], 4, [4, 0]), ([NAN, 0.3], 0, [0, 2]),
        ([NAN], -1, None),
    ],
)  # fmt: skip
def test_decimals_have_the_code_of_their_place(
    values: list[float], nan_code: int, codes: list[int] | None
) -> None:
    table = np.array([2, -1, 0])  # of 0.3 to 0.5; nobody has 0.4
    assert coded(code_scaled, values, 10.0, 3.0, table, NONE, 7, nan_code) == codes
    if codes is not None:
        gaps = np.arange(len(values)) == 0
        with_gaps = coded(code_scaled, values, 10.0, 3.0, table, gaps, 7, nan_code)
        assert with_gaps == [7, *codes[1:]]


@pytest.mark.parametrize("number", [1, 5, FEW, FEW + 1, 40])
def test_numbers_have_the_code_of_the_run_that_they_are_in(number: int) -> None:
    cuts = np.arange(number) * 2.0
    of_run = np.random.default_rng(number).permutation(number + 1)
    values = np.concatenate([cuts - 0.5, cuts, cuts + 0.5, [1e9, -1e9]])
    expected = [int(of_run[sum(cut <= value for cut in cuts)]) for value in values]
    assert coded(code_runs, values, cuts, of_run, NONE, 90, -1) == expected
    assert coded(code_runs, values[:1], cuts, of_run, np.array([True]), 90, -1) == [90]
    values[:2] = NAN, NAN
    gaps = np.arange(len(values)) == 1
    assert coded(code_runs, values, cuts, of_run, gaps, 90, -1) is None
    for nan_code in (0, 3):
        codes = coded(code_runs, values, cuts, of_run, gaps, 90, nan_code)
        assert codes == [nan_code, 90, *expected[2:]]


def test_indices_of_a_dictionary_have_the_code_of_their_level() -> None:
    of_level = np.array([1, -1, 0])
    assert coded(code_levels, [2, 0, 0], of_level, NONE, 7) == [0, 1, 1]
    assert coded(code_levels, [2, 1], of_level, NONE, 7) is None
    gaps = np.array([False, True])
    assert coded(code_levels, [2, 1], of_level, gaps, 7) == [0, 7]
