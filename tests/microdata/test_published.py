"""The reading behind Platzer and Reutterer's published tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.microdata.coding import Rule, encode
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.published import for_distances, for_tables, read_as_published
from sdcmetrics.microdata.schema import Harmonised


def read(training: object, other: object) -> Harmonised:
    first = as_microdata(pd.DataFrame({"x": training}), "training")
    second = as_microdata(pd.DataFrame({"x": other}), "replica")
    return read_as_published(first, [second])


def codes(data: Harmonised, rule: Rule) -> list[list[int]]:
    return [part.tolist() for part in encode(data, rule, ["x"]).variables["x"].parts]


def test_booleans_are_numbers_and_a_binary_column_has_one_category() -> None:
    data = read([True] * 30 + [False] * 71, [False, True, True])
    assert codes(data, for_tables(10)) == [[0] * 101, [0, 0, 0]]


def test_numbers_outside_the_range_share_a_category() -> None:
    data = read([1, 2, 3, 4], [0, 9, 2, np.nan])
    assert codes(data, for_tables(2)) == [[0, 0, 1, 1], [2, 2, 0, 3]]
    labels = encode(data, for_tables(2), ["x"]).variables["x"].labels
    assert labels == ("group 1", "group 2", "_other_", "nan")


def test_groups_are_closed_on_the_right() -> None:
    assert codes(read([0, 1, 2, 3, 4], [2, 2.5, 3, 4]), for_tables(2)) == [
        [0, 0, 0, 1, 1],
        [0, 1, 1, 1],
    ]


def test_distances_are_cut_at_the_quantiles_of_all_data_sets() -> None:
    data = read([1, 2, 3, 4], [5, 6, 7, 9])
    assert codes(data, for_distances(2)) == [[0, 0, 0, 0], [1, 1, 1, 1]]


def test_text_that_is_no_number_is_missing_and_listed() -> None:
    data = read([1, 2, 3], ["1", "2.0", "many"])
    assert np.isnan(data.variables["x"].values[1][2])
    assert any("no number" in fix.what and fix.cells == 1 for fix in data.fixes)
    data = read([1, 2, 3], ["few", "few", "many"])
    assert [fix.cells for fix in data.fixes if "no number" in fix.what] == [3]


def test_booleans_beside_text_are_numbers_and_their_names_are_not() -> None:
    data = read([True, False], [True, "True", False])  # as a reader leaves a file read in parts
    assert data.variables["x"].values[1].tolist() == pytest.approx([1, np.nan, 0], nan_ok=True)


def test_as_many_levels_are_kept_as_there_may_be_and_the_rest_is_one_more() -> None:
    data = read(list("aaabbcd"), list("abcdz"))
    assert codes(data, for_tables(2))[1] == [0, 1, 2, 2, 2]


def test_missing_text_is_the_missing_level() -> None:
    result = encode(read(["a", None, "b"], ["a", None, "b"]), for_tables(5), ["x"]).variables["x"]
    assert result.parts[0].tolist() == [0, result.missing_code, 1]


def test_numbers_beside_text_are_levels_by_their_text() -> None:
    data = read(["1", "2", "x"], [1.0, 2.0, np.nan])
    assert data.variables["x"].codes[0][:2].tolist() == data.variables["x"].codes[1][:2].tolist()
    assert data.variables["x"].codes[1][2] == -1


def test_a_column_without_a_value_is_missing_throughout() -> None:
    assert np.isnan(read([1, 2], [None, None]).variables["x"].values[1]).all()
    assert read(["a", "b"], [None, None]).variables["x"].codes[1].tolist() == [-1, -1]
    never = read([np.nan, np.nan], [1.0, 2.0]).variables["x"]  # so it is taken as text
    assert never.codes[0].tolist() == [-1, -1]
    assert [never.levels[code] for code in never.codes[1]] == ["1", "2"]


def test_numbers_of_fewer_bits_are_compared_at_their_precision() -> None:
    fine = np.round(np.random.default_rng(1).normal(50, 20, 99), 6)
    data = read(fine, fine.astype("float32"))
    first, second = data.variables["x"].values
    assert first.tolist() == second.tolist()
    assert any("precision of float32" in fix.what for fix in data.fixes)


def test_times_with_a_zone_are_compared_by_the_clock_beside_times_without() -> None:
    times = pd.Series(pd.date_range("2020-01-01", periods=9, freq="h"))
    data = read(times, times.dt.tz_localize("Europe/Berlin"))
    first, second = data.variables["x"].values
    assert first.tolist() == second.tolist()
