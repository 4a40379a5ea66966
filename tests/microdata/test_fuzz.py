"""Any two data sets, in any dress: shares and copies agree with a slow count by label.

The dress is how a column is kept: a type of pandas or Arrow, or a file. Short by default;
SDCMETRICS_FUZZ=20000 tries as many examples of each test.
"""

from __future__ import annotations

import csv
import datetime as dt
import os
from collections import Counter
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, SdcMetricsError
from sdcmetrics.microdata import Microdata, as_microdata
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.schema import harmonise

EXAMPLES = int(os.environ.get("SDCMETRICS_FUZZ", "30"))
often = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize="SDCMETRICS_FUZZ" not in os.environ,
)

EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001  (without a zone is one of the cases)
ANY_TEXT = st.sampled_from(["a", "b", "B", "NA", "", "01", "1", "é", "yes", "nan", "a b", "None"])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(-99, 99).map(lambda n: n / 4),
    "decimal": st.integers(-999, 999).map(lambda n: n / 10),
    "id": st.integers(10**16, 10**16 + 5),
    "even id": st.integers(-9, 9).map(lambda n: n * 10**16),
    "text": ANY_TEXT,
    "boolean": st.booleans(),
    "date": st.integers(-9999, 9999).map(lambda n: EPOCH.date() + dt.timedelta(n)),
    "time": st.integers(-99, 99).map(lambda n: EPOCH + dt.timedelta(microseconds=n * 500_001)),
}
TYPES: dict[str, list[Any]] = {
    "number": [pa.float64(), pa.float32(), pa.float16(), pa.decimal128(9, 3)],
    "decimal": [pa.float64(), pa.float32(), pa.decimal128(12, 1), pa.decimal256(40, 20)],
    "id": [pa.int64(), pa.uint64(), pa.decimal128(20, 0), pa.decimal256(50, 9), pa.string()],
    "even id": [pa.int64(), pa.float64(), pa.decimal128(20, 0), pa.string()],
    "text": [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())],
    "boolean": [pa.bool_()],
    "date": [pa.date32(), pa.date64(), pa.timestamp("s"), pa.timestamp("ns")],
    "time": [pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("us", tz="Europe/Vienna")],
}


def dressed(values: list[Any], kind: Any) -> pa.Array:
    """Return the values as Arrow keeps them in a type that holds them all."""
    if pa.types.is_decimal(kind):
        values = [None if value is None else Decimal(str(value)) for value in values]
    if kind == pa.string():
        values = [None if value is None else str(value) for value in values]
    if pa.types.is_float16(kind):
        values = [None if value is None else np.float16(value) for value in values]
    if pa.types.is_float64(kind):
        values = [None if value is None else float(value) for value in values]
    if pa.types.is_dictionary(kind):
        return pa.array(values, pa.string()).dictionary_encode()
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        local = pa.array(values, pa.timestamp("us"))
        return pa.compute.assume_timezone(local, kind.tz)
    return (
        pa.array(values).cast(kind)
        if any(v is not None for v in values)
        else pa.nulls(len(values), kind)
    )


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Any], list[Any], Any, Any]:
    """Draw two columns of one kind, and how each is kept."""
    kind = draw(st.sampled_from(sorted(VALUES)))
    cells = st.lists(st.none() | VALUES[kind], min_size=1, max_size=12)
    types = st.sampled_from(TYPES[kind])
    return draw(cells), draw(cells), draw(types), draw(types)


def slow_shares(values: list[Any]) -> dict[Any, float]:
    """Count by label, in plain Python; missing is a label."""
    return {label: count / len(values) for label, count in Counter(values).items()}


def slow_distance(one: list[Any], two: list[Any]) -> float:
    a, b = slow_shares(one), slow_shares(two)
    return sum(abs(a.get(label, 0) - b.get(label, 0)) for label in {*a, *b}) / 2


def distance(one: Microdata, two: Microdata) -> float:
    coded = encode(harmonise(one, [two]), by_value, ["x"]).variables["x"]
    shares = [np.bincount(part, minlength=coded.size) / len(part) for part in coded.parts]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


@often
@given(pairs())
def test_frames_of_any_type_agree_with_a_count_by_label(
    drawn: tuple[list[Any], list[Any], Any, Any],
) -> None:
    one, two, first, second = drawn
    data = [
        as_microdata(pa.table({"x": dressed(values, kind)}), source)
        for values, kind, source in ((one, first, "o"), (two, second, "s"))
    ]
    try:
        result = distance(data[0], data[1])
    except ColumnError:  # identifiers beside numbers that are none of them
        assert {*one, None} & {*two, None} == {None}
    else:
        assert result == pytest.approx(slow_distance(one, two))


@often
@given(pairs(), st.sampled_from(["csv", "parquet", "feather"]))
def test_files_agree_with_a_count_by_label(
    drawn: tuple[list[Any], list[Any], Any, Any], suffix: str
) -> None:
    one, two, first, second = drawn
    with TemporaryDirectory() as folder:
        read = []
        for i, (values, kind) in enumerate(((one, first), (two, second))):
            table = pa.table(
                {"x": dressed(values, kind), "n": [str(v) for v in range(len(values))]}
            )
            path = Path(folder, f"{i}.{suffix if i else 'parquet'}")
            if path.suffix == ".csv":
                rows = [[i, "" if value is None else value] for i, value in enumerate(values)]
                with path.open("w", encoding="utf-8", newline="") as stream:
                    csv.writer(stream).writerows([["n", "x"], *rows])
            elif path.suffix == ".feather":
                pf.write_feather(table, path)
            else:
                pq.write_table(table, path)
            read.append(sdc.read(path))
    if suffix == "csv":  # "" and NA cannot be told from missing there, nor so in the other file
        blind = ["", "NA"] if {"", "NA", None} & {*two} else []
        one, two = ([None if v in blind else v for v in values] for values in (one, two))
        if {*two} - {None} == {"1"} and "1" not in one:  # a number stands for a code of its value
            one = ["1" if value == "01" else value for value in one]
    try:
        result = distance(read[0], read[1])
    except SdcMetricsError:
        return  # such as text beside what a delimited file shows as numbers
    assert result == pytest.approx(slow_distance(one, two))


@often
@given(st.binary(max_size=200), st.sampled_from(["", "x,y\n1,a\n"]))
def test_any_bytes_are_read_or_refused_in_a_sentence(content: bytes, start: str) -> None:
    with TemporaryDirectory() as folder:
        for suffix in ("csv", "tsv", "csv.gz", "parquet", "feather", "dta", "sav", "rds"):
            path = Path(folder, f"s.{suffix}")
            path.write_bytes(start.encode() + content)
            try:
                data = sdc.read(path)
            except SdcMetricsError as error:
                assert str(error).startswith("s.")  # noqa: PT017  (either may happen)
            else:
                assert data.n > 0
