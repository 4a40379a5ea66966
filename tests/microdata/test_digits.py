"""Numbers of many digits: told apart, or listed as taken together, and never merged in silence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdcmetrics as sdc
from sdcmetrics.microdata import as_microdata
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.frames import label_of, labels_of
from sdcmetrics.microdata.schema import harmonise


def levels(values: object) -> tuple[int, list[str]]:
    data = as_microdata(pd.DataFrame({"x": values}), "o")
    both = harmonise(data, [data])
    return encode(both, by_value, ["x"]).variables["x"].size, [fix.what for fix in both.fixes]


@pytest.mark.parametrize("start", [2.0**53, 1e17, 1e22, 1e30])
def test_whole_floats_have_a_level_each(start: float) -> None:
    values = [start]
    for _ in range(9):
        values.append(float(np.nextafter(values[-1], np.inf)))
    assert levels(values) == (10, [])
    assert [float(label_of(value)) for value in values] == values


def test_a_copy_of_identifiers_with_one_missing_is_a_copy() -> None:
    values = [None, *(2.0**54 + 4.0 * i for i in range(99))]
    frame = pd.DataFrame({"id": np.array(values, dtype=float), "t": ["a", "b"] * 50})
    result = sdc.disclosure(frame, frame, keys=["id"], target="t")
    assert result.identity["repU"] == 100.0


def test_numbers_that_differ_in_the_sixteenth_digit_are_listed() -> None:
    assert levels([0.3, 0.1 + 0.2, 0.5]) == (
        2,
        ["numbers that differ only beyond 15 significant digits share a level in tables"],
    )
    assert levels([0.3, 0.30000000000001, 0.5]) == (3, [])


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("0.12345678901234567\n0.12345678901234568\n", 1),
        ("12345678901234567.5\n12345678901234568.5\n", 2),
        ("0.30000000000000004\n1.5\n", 0),  # as Python writes a float
        ("0.1000000000000000000\n1.5\n", 0),
        ("1e-5\n0.00001\n2.5\n", 0),
    ],
)
def test_numbers_of_a_file_with_more_digits_than_a_float(
    tmp_path: Path, text: str, cells: int
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x\n" + text)
    fixes = [fix for fix in sdc.read(path).fixes if "rounded to the nearest" in fix.what]
    assert [fix.cells for fix in fixes] == ([cells] if cells else [])


@pytest.mark.parametrize("value", [-0.0, 1e15 - 1, 1e15, -1e15, 2.0**53, 1e16])
def test_a_whole_float_is_the_text_of_the_number(value: float) -> None:
    assert label_of(value) == str(int(value))
    for others in ([], [0.5]):
        assert labels_of(np.array([value, *others]))[0] == str(int(value))
