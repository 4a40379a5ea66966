"""Times, dates and durations of any range and unit: exact, or with a fix that says what was cut."""

from __future__ import annotations

import datetime as dt
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics.microdata import as_microdata
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.columns import Kind, date_texts
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.microdata.schema import harmonise


def column_of(array: pa.Array) -> tuple[Any, list[Fix]]:
    fixes: list[Fix] = []
    return read_column(as_microdata(pa.table({"end": array}), "original"), "end", fixes), fixes


@pytest.mark.parametrize("stamp", ["9999-12-31 00:00:00", "2999-12-31 23:59:59", "1600-02-29"])
@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_a_time_outside_the_range_of_nanoseconds_is_exact(stamp: str, unit: str) -> None:
    moment = dt.datetime.fromisoformat(stamp)
    other = dt.datetime(2020, 1, 1)  # noqa: DTZ001  (clocks without a zone)
    column, fixes = column_of(pa.array([moment, other, None], pa.timestamp(unit)))
    assert column.kind is Kind.DATE
    assert fixes == []
    assert date_texts(column.values[:1]) == [
        moment.isoformat() if ":" in stamp and moment.second else stamp[:10]
    ] or date_texts(column.values[:1]) == [f"{moment.isoformat()}.000"]
    assert np.isnan(column.values[2])


def test_an_open_end_of_a_register_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("sex,end\nm,2020-01-01 00:00:00\nf,9999-12-31 00:00:00\n")
    data = sdc.read(path)
    table = sdc.utility_tables(data, data, ways=1)
    assert (table["SPECKS"] == 0).all()


def test_microseconds_far_from_1970_are_cut_to_milliseconds_and_listed() -> None:
    last = [253402300799_999999, 253402300799_999998, 0, None]  # 9999-12-31T23:59:59.999999
    column, fixes = column_of(pa.array(last, pa.timestamp("us")))
    assert column.values[:3].tolist() == [253402300799999.0, 253402300799999.0, 0.0]
    assert [(fix.what, fix.cells) for fix in fixes] == [
        ("times more than 278 years from 1970 were cut to whole milliseconds", 2)
    ]
    assert date_texts(column.values[:1]) == ["9999-12-31T23:59:59.999"]


@pytest.mark.parametrize(
    ("unit", "steps"),
    [
        ("ms", [2**53 + 1, 2**53, 5]),
        ("s", [2**62, 2**62 + 1, 5]),
        ("ms", [2**63 - 1, 2**63 - 2, 5]),
        ("us", [2**63 - 1, 2**63 - 2, 5]),
        ("s", [-(2**62), -(2**62) - 1, 5]),
    ],
)
def test_times_that_no_float_holds_do_not_merge(unit: str, steps: list[int]) -> None:
    data = as_microdata(pa.table({"end": pa.array([*steps, None], pa.timestamp(unit))}), "o")
    both = harmonise(data, [data])
    coded = encode(both, by_value, ["end"]).variables["end"]
    assert coded.count(0).tolist() == [1, 1, 1, 1]
    assert any("categories so that none merge" in fix.what for fix in both.fixes)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("unit", "last", "beyond"),
    [
        ("us", 2**53 * 1000 - 1, 2**53 * 1000),  # whole milliseconds below 2^53
        ("ms", 2**63 - 2**10, 2**63 - 2**9),  # halfway to 2^63, which is no whole number of 64 bits
        ("s", 2**56 // 1000 * 128, 2**56 // 1000 * 128 + 1),  # 2^53 times 1024
    ],
)
def test_times_are_categories_from_where_a_float_holds_no_milliseconds(
    unit: str, last: int, beyond: int, sign: int
) -> None:
    for step, kind in ((last, Kind.DATE), (beyond, Kind.CATEGORY)):
        column, _ = column_of(pa.array([sign * step, 0, None], pa.timestamp(unit)))
        assert column.kind is kind


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("step", [2**62, -(2**62), 2**53 + 1])
def test_durations_of_any_length_do_not_merge_unlisted(unit: str, step: int) -> None:
    data = as_microdata(pa.table({"t": pa.array([step, step + 1, 5], pa.duration(unit))}), "o")
    both = harmonise(data, [data])
    levels = encode(both, by_value, ["t"]).variables["t"].size
    assert levels == 3 or any("cut to whole microseconds" in fix.what for fix in both.fixes)
    assert both.fixes


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("unit", "factor"), [("s", 10**6), ("ms", 1000), ("us", 1), ("ns", Fraction(1, 1000))]
)
def test_durations_up_to_what_a_float_holds_are_numbers(
    unit: str, factor: int | Fraction, sign: int
) -> None:
    last = 2**53 if unit == "ns" else int(2**53 // factor)
    for step in (last - 1, last, last + 1, 1000 * last):
        column, fixes = column_of(pa.array([sign * step, 0, None], pa.duration(unit)))
        text = " ".join(fix.what for fix in fixes)
        if step > last and unit != "ns":
            assert column.kind is Kind.CATEGORY
            assert "none merge" in text
            continue
        micro = sign * step * factor
        cut = step > last and step % 1000 != 0
        assert column.kind is Kind.NUMBER
        assert column.values[:2].tolist() == [float(math.floor(micro) if cut else micro), 0.0]
        assert np.isnan(column.values[2])
        assert ("cut to whole microseconds" in text) == cut


def test_dates_of_32_bits_are_exact() -> None:
    column, fixes = column_of(pa.array([2**31 - 1, -(2**31) + 1, 2**31 - 2], pa.date32()))
    assert fixes == []
    assert date_texts(column.values)[0] == "5881580-07-11"
    assert len(set(column.values.tolist())) == 3


def test_a_zone_far_from_1970_is_read_by_its_clock() -> None:
    moments = pa.array([253370764800000, 0], pa.timestamp("ms", tz="Europe/Vienna"))
    plain = pa.array([253370768400000, 3600000], pa.timestamp("ms"))
    original = as_microdata(pa.table({"end": plain}), "original")
    replica = as_microdata(pa.table({"end": moments}), "replica")
    data = harmonise(original, [replica]).variables["end"]
    assert data.values[0].tolist() == data.values[1].tolist()


def test_nanoseconds_of_categories_are_cut_with_a_fix() -> None:
    stamps = pd.to_datetime(["2020-01-01 00:00:00.000000001", "2020-01-01 00:00:00.000000002"])
    frame = pd.DataFrame({"end": pd.Categorical(stamps)})
    fixes = [fix.what for fix in harmonise(as_microdata(frame, "o"), []).fixes]
    assert "times were cut to whole microseconds" in fixes


DAY = dt.date(2020, 1, 1)
NOON = dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001
AWARE = dt.datetime(2020, 1, 1, 12, tzinfo=dt.UTC)
TINY = pd.Timestamp("2020-01-01 12:00:00.000000001")


@pytest.mark.parametrize(
    "values",
    [
        [DAY, NOON],
        [NOON, DAY],
        [NOON, AWARE],
        [AWARE, NOON],
        [NOON, TINY],
        [DAY, pd.Timestamp(NOON)],
        [DAY, 5],
        [dt.timedelta(1), 5],
        [dt.timedelta(1), pd.Timedelta(1, "ns"), pd.Timedelta(2, "ns")],
    ],
    ids=str,
)
def test_objects_of_several_kinds_of_time_do_not_merge(values: list[object]) -> None:
    column = pd.Series(values, dtype=object)
    data = as_microdata(pd.DataFrame({"end": column}), "o")
    both = harmonise(data, [data])
    assert encode(both, by_value, ["end"]).variables["end"].size == len(values)
    assert any("mixes kinds of values" in fix.what for fix in both.fixes)
