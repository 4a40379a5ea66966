"""A copy in another type, precision or file format is a copy; what was done to see it is listed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import sdcmetrics as sdc
from sdcmetrics.microdata import Microdata, as_microdata
from sdcmetrics.microdata.coding import by_value, encode
from sdcmetrics.microdata.schema import harmonise

N = 300
RATES = np.round(np.random.default_rng(1).normal(50, 20, N), 2)
FINE = np.random.default_rng(2).normal(size=N)
CLASS = [("a", "b", "c")[i % 3] for i in range(N)]


def frame(x: Any) -> Any:
    """A column x in the library that it comes from, and a class of three levels."""
    if isinstance(x, pl.Series):
        return pl.DataFrame({"x": x, "class": CLASS})
    if isinstance(x, pa.Array):
        return pa.table({"x": x, "class": pa.array(CLASS)})
    return pd.DataFrame({"x": x, "class": CLASS})


def distance(original: Any, synthetic: Any, name: str = "x") -> float:
    """Total variation distance by label, every value a level of its own."""
    both = [as_microdata(original, "original"), as_microdata(synthetic, "synthetic")]
    coded = encode(harmonise(both[0], both[1:]), by_value, [name]).variables[name]
    shares = [np.bincount(part, minlength=coded.size) / len(part) for part in coded.parts]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def whats(original: Any, synthetic: Any) -> list[str]:
    both = [as_microdata(original, "original"), as_microdata(synthetic, "synthetic")]
    return [fix.what for fix in harmonise(both[0], both[1:]).fixes]


NARROW = {
    "numpy float32": RATES.astype("f4"),
    "numpy float16": RATES.astype("f2"),
    "pandas Float32": pd.Series(RATES, dtype="Float32"),
    "pandas float[pyarrow]": pd.Series(RATES, dtype="float[pyarrow]"),
    "polars Float32": pl.Series(RATES).cast(pl.Float32),
    "Arrow half float": pa.array(RATES.astype("f2")),
    "Arrow float": pa.array(RATES, pa.float32()),
    "category of float32": pd.Series(RATES.astype("f4")).astype("category"),
}


class TestPrecision:
    @pytest.mark.parametrize("name", NARROW)
    def test_a_copy_with_fewer_bits_is_a_copy(self, name: str) -> None:
        original, copy = frame(RATES), frame(NARROW[name])
        assert distance(original, copy) == 0
        assert distance(copy, original) == 0
        assert whats(original, copy)
        unique = sdc.replicated_uniques(original, original, keys=["x"]).table
        pd.testing.assert_frame_equal(
            sdc.replicated_uniques(original, frame(RATES.astype("f4")), keys=["x"]).table, unique
        )

    def test_a_copy_with_fewer_bits_discloses_as_a_copy(self) -> None:
        original, copy = frame(FINE), frame(FINE.astype("f4"))
        result = sdc.disclosure(original, copy, keys=["x"], target="class")
        expected = sdc.disclosure(original, original, keys=["x"], target="class")
        pd.testing.assert_series_equal(result.attribution, expected.attribution)
        pd.testing.assert_series_equal(result.identity, expected.identity)

    @pytest.mark.parametrize("precision", ["f4", "f2"])
    def test_a_copy_with_fewer_bits_is_as_close_as_a_copy(self, precision: str) -> None:
        wide = pd.DataFrame({"x": FINE, "y": RATES})
        others = np.random.default_rng(3).normal(size=(N, 2))
        holdout = pd.DataFrame(others, columns=["x", "y"])
        result, expected = (
            sdc.distance_to_closest_record(wide, copy, holdout, seed=1)
            for copy in (wide.astype(precision), wide)
        )
        assert result.identical == expected.identical

    @pytest.mark.parametrize("precision", ["f4", "f2"])
    def test_a_rate_with_fewer_bits_has_the_same_shares(self, precision: str) -> None:
        rate = pd.DataFrame({"rate": [0.1, 0.2, 0.3, 0.4] * 75})
        assert sdc.tvd(rate, rate.astype(precision))["TVD"].tolist() == [0]
        assert sdc.tvd(rate.astype(precision), rate)["TVD"].tolist() == [0]

    def test_the_finer_side_is_rounded_and_both_are_listed(self) -> None:
        assert whats(frame(FINE), frame(FINE.astype("f4"))) == [
            "float32 numbers were read as the shortest decimals that they stand for",
            "numbers were rounded to the precision of float32, which another data set has",
        ]

    def test_whole_numbers_of_fewer_bits_need_no_fix(self) -> None:
        ages = np.arange(N) % 90
        assert whats(frame(ages), frame(ages.astype("f4"))) == []
        assert whats(frame(ages.astype("f8")), frame(ages.astype("f2"))) == []

    def test_another_value_is_another_value_still(self) -> None:
        assert distance(frame(RATES), frame((RATES + 0.01).astype("f4"))) > 0.5

    def test_missing_codes_are_rounded_like_the_numbers(self) -> None:
        codes = np.where(np.arange(N) % 3, 1.0, 99_999_999.0)
        both = [as_microdata(frame(codes), "o"), as_microdata(frame(codes.astype("f4")), "s")]
        x = harmonise(both[0], both[1:], missing_codes={"x": 99_999_999}).variables["x"]
        assert [int(np.isin(part, x.missing_codes).sum()) for part in x.values] == [100, 100]

    def test_numbers_beyond_the_narrow_range_stay_what_they_are(self) -> None:
        original = frame(np.where(np.arange(N) % 2, 1.0, 1e6))
        assert distance(original, frame(np.ones(N, "f2"))) == pytest.approx(0.5)

    def test_files_keep_their_precision(self, tmp_path: Path) -> None:
        whole = pd.DataFrame({"x": RATES})
        whole.to_csv(tmp_path / "o.csv", index=False)
        narrow = whole.astype("f4")
        narrow.to_parquet(tmp_path / "s.parquet")
        narrow.to_feather(tmp_path / "s.feather")
        narrow.to_stata(tmp_path / "s.dta", write_index=False)
        original = sdc.read(tmp_path / "o.csv")
        for name in ("s.parquet", "s.feather", "s.dta"):
            copy = sdc.read(tmp_path / name)
            assert distance(original, copy) == 0
            assert copy.table["x"].type == pa.float32()


class TestDecimals:
    def test_of_any_scale_are_the_numbers_that_they_write(self) -> None:
        texts = [Decimal(f"{value:.2f}") for value in RATES]
        for kind in (pa.decimal128(12, 2), pa.decimal128(20, 6), pa.decimal256(60, 30)):
            assert distance(frame(RATES), frame(pa.array(texts, kind))) == 0
        assert distance(frame(texts), frame(RATES.astype("f4"))) == 0

    @pytest.mark.parametrize("kind", [None, pa.decimal128(38, 2), pa.decimal256(60, 0)])
    def test_ids_of_more_than_15_digits_do_not_merge(self, kind: Any) -> None:
        ids = [Decimal(10**17 + i) for i in range(N)]
        others = [Decimal(10**17 + 150 + i) for i in range(N)]
        made = [values if kind is None else pa.array(values, kind) for values in (ids, others)]
        assert distance(frame(made[0]), frame(made[1])) == pytest.approx(0.5)
        assert distance(frame([int(i) for i in ids]), frame(made[0])) == 0
        assert distance(frame([str(i) for i in ids]), frame(made[0])) == 0

    def test_ids_of_a_file_do_not_merge_either(self, tmp_path: Path) -> None:
        ids = pa.array([Decimal(10**20 + i) for i in range(N)], pa.decimal128(38, 2))
        pq.write_table(pa.table({"x": ids}), tmp_path / "o.parquet")
        data = sdc.read(tmp_path / "o.parquet")
        assert len(set(data.table["x"].to_pylist())) == N
        assert [fix.cells for fix in data.fixes] == [N]

    @pytest.mark.parametrize("first", [10**15, 2**53 - 150, 10**16, 10**17])
    @pytest.mark.parametrize("kind", [int, str, Decimal])
    def test_ids_that_a_copy_has_as_floats_are_a_copy(self, first: int, kind: Any) -> None:
        ids = [kind(first + i) for i in range(N)]
        copy = np.array([float(first + i) for i in range(N)])
        result = distance(frame(ids), frame(copy))
        assert result == distance(frame(copy), frame(ids)) == 0
        what = "integers above 2^53 were rounded, as another data set has them as floating numbers"
        assert (what in whats(frame(ids), frame(copy))) == (first > 10**15)
        assert distance(frame(ids), frame(np.append(copy[1:], 1.0))) == pytest.approx(
            1 / N, abs=0.1
        )

    @pytest.mark.parametrize("last", [2**53, 2**53 + 1])
    def test_that_the_first_inexact_float_has_rounded_is_listed(self, last: int) -> None:
        ids = [10**15 + i for i in range(N - 1)] + [last]
        copy = np.array(ids, dtype=float)
        assert copy[-1] == 2.0**53
        assert distance(frame(ids), frame(copy)) == 0
        rounded = [what for what in whats(frame(ids), frame(copy)) if "were rounded" in what]
        assert len(rounded) == last - 2**53

    def test_more_digits_than_a_float_has_are_listed(self) -> None:
        long = [Decimal(1) / Decimal(3 + i) for i in range(N)]
        what = "decimals of more than 15 digits were read as floating-point numbers"
        assert what in whats(frame(long), frame([float(value) for value in long]))
        assert distance(frame(long), frame([float(value) for value in long])) == 0

    def test_beside_text_are_spelt_as_numbers(self) -> None:
        mixed = pd.Series([Decimal("1.10"), Decimal("2.0"), "x"] * 100, dtype=object)
        assert distance(frame(["1.1", "2", "x"] * 100), frame(mixed)) == 0


TIMES = pd.date_range("2020-01-01", periods=N, freq="s")
MICRO = pd.Timedelta(1, "us")
SUMMER = pd.date_range("2020-10-24 22:00", periods=N, freq="7min", tz="UTC")


class TestTimes:
    @pytest.mark.parametrize("step", [MICRO, pd.Timedelta(250, "ms")])
    def test_below_a_millisecond_are_told_apart(self, step: pd.Timedelta) -> None:
        assert distance(frame(TIMES), frame(TIMES + step)) == 1
        assert distance(frame(TIMES), frame([str(t) for t in TIMES + step])) == 1

    @pytest.mark.parametrize("step", [0 * MICRO, MICRO, pd.Timedelta(250, "ms")])
    @pytest.mark.parametrize("separator", ["T", " "])
    def test_as_text_are_the_same_times(self, step: pd.Timedelta, separator: str) -> None:
        times = TIMES + step
        text = [time.isoformat(separator) for time in times]
        assert distance(frame(times), frame(text)) == 0
        assert distance(frame(text), frame(times)) == 0

    def test_below_a_microsecond_are_cut_and_counted(self) -> None:
        fine = frame(TIMES + pd.to_timedelta(np.arange(N), unit="ns"))
        both = [as_microdata(fine, "original"), as_microdata(frame(TIMES), "synthetic")]
        (fix,) = harmonise(both[0], both[1:]).fixes
        assert (fix.what, fix.cells) == ("times were cut to whole microseconds", N - 1)

    @pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "+05:30"])
    def test_with_a_zone_are_compared_by_the_clock_beside_times_without(self, zone: str) -> None:
        zoned = frame(TIMES.tz_localize(zone))
        assert distance(frame(TIMES), zoned) == 0
        assert distance(zoned, frame(TIMES)) == 0
        assert "by the clock of" in whats(frame(TIMES), zoned)[0]

    def test_of_two_zones_are_the_same_instants_across_the_change_of_clocks(self) -> None:
        assert distance(frame(SUMMER), frame(SUMMER.tz_convert("Europe/Berlin"))) == 0
        assert whats(frame(SUMMER), frame(SUMMER.tz_convert("Europe/Berlin"))) == []

    def test_by_the_clock_across_the_change_of_clocks(self) -> None:
        local = SUMMER.tz_convert("Europe/Berlin")
        assert distance(frame(local), frame(local.tz_localize(None))) == 0

    def test_text_with_an_offset_is_a_time_with_a_zone(self, tmp_path: Path) -> None:
        text = [f"{time.isoformat()}+01:00" for time in TIMES]
        assert distance(frame(TIMES.tz_localize("Europe/Berlin")), frame(text)) == 0
        assert distance(frame(TIMES), frame(text)) == 0
        frame(text).to_csv(tmp_path / "s.csv", index=False)
        assert distance(frame(TIMES), sdc.read(tmp_path / "s.csv")) == 0
        assert sdc.read(tmp_path / "s.csv").fixes == ()

    def test_text_of_several_offsets_is_the_same_instants_and_listed(self, tmp_path: Path) -> None:
        local = SUMMER.tz_convert("Europe/Berlin")
        frame([time.isoformat() for time in local]).to_csv(tmp_path / "s.csv", index=False)
        data = sdc.read(tmp_path / "s.csv")
        assert distance(frame(local), data) == 0
        what = "times of several offsets from UTC were read as times of UTC"
        assert [(fix.what, fix.cells) for fix in data.fixes] == [(what, N)]

    def test_dates_of_any_type_are_the_same_dates(self) -> None:
        days = [dt.date(2020, 1, 1) + dt.timedelta(i) for i in range(N)]
        stamps = pd.Series(pd.DatetimeIndex(days))
        categories = pd.Series(days).astype("category")
        dressed: Sequence[Any] = [
            *(pa.array(days).cast(kind) for kind in (pa.date64(), pa.timestamp("ns"))),
            stamps.astype("category"),
            stamps,
        ]
        for other in dressed:
            assert distance(frame(pa.array(days)), frame(other)) == 0
            assert distance(frame(categories), frame(other)) == 0

    def test_of_day_and_durations_of_any_unit_are_the_same(self) -> None:
        clock = [dt.time(1, 2, i % 60) for i in range(N)]
        assert (
            distance(
                frame(pa.array(clock, pa.time32("s"))), frame(pa.array(clock, pa.time64("ns")))
            )
            == 0
        )
        nano = pa.array(range(N), pa.duration("ns"))
        assert distance(frame(nano), frame(nano)) == 0
        assert distance(frame(nano), frame(pa.array([0] * N, pa.duration("ns")))) > 0.9


class TestMissingTexts:
    LEVELS = ("NA", "b", "c")

    @pytest.fixture
    def files(self, tmp_path: Path) -> tuple[Microdata, Microdata, Microdata]:
        """One data set as Parquet, as SPSS with a label NA, and as delimited text."""
        whole = pd.DataFrame({"x": list(self.LEVELS) * 100, "class": CLASS, "age": range(N)})
        whole.to_parquet(tmp_path / "o.parquet")
        whole.to_csv(tmp_path / "s.csv", index=False)
        coded = whole.assign(x=whole["x"].map({"NA": 1.0, "b": 2.0, "c": 3.0}))
        labels: Any = {"x": {1.0: "NA", 2.0: "b", 3.0: "c"}}
        pyreadstat.write_sav(coded, str(tmp_path / "o.sav"), variable_value_labels=labels)
        first, second, third = (sdc.read(tmp_path / n) for n in ("o.parquet", "o.sav", "s.csv"))
        return first, second, third

    def test_are_missing_beside_a_file_that_cannot_tell(
        self, files: tuple[Microdata, Microdata, Microdata]
    ) -> None:
        *originals, csv = files
        for original in originals:
            assert distance(original, csv) == 0
            assert distance(csv, original) == 0
            assert "text that means missing in s.csv was read as missing" in whats(original, csv)
            assert sdc.tvd(original, csv)["TVD"].max() == 0
            result, expected = (
                sdc.disclosure(item, csv, keys=["class", "age"], target="x").attribution
                for item in (original, csv)
            )
            pd.testing.assert_series_equal(result, expected)

    def test_are_levels_beside_a_file_that_can(
        self, files: tuple[Microdata, Microdata, Microdata]
    ) -> None:
        parquet, spss, _ = files
        assert distance(parquet, spss) == 0
        assert whats(parquet, spss) == []

    def test_are_levels_where_the_text_file_has_nothing_missing(self, tmp_path: Path) -> None:
        pd.DataFrame({"x": ["b", "c"]}).to_csv(tmp_path / "s.csv", index=False)
        original = pd.DataFrame({"x": ["NA", "b"]})
        assert distance(original, sdc.read(tmp_path / "s.csv")) == pytest.approx(0.5)

    @pytest.mark.parametrize("text", ["", "NA", "?"])
    def test_are_what_the_reading_of_the_file_says(self, tmp_path: Path, text: str) -> None:
        original = pd.DataFrame({"x": [text, "b", None] * 100, "y": ["1", text, "3"] * 100})
        original.to_csv(tmp_path / "s.csv", index=False, na_rep=text)
        copy = sdc.read(tmp_path / "s.csv", missing=[text])
        assert distance(original, copy) == 0
        assert distance(copy, original, "y") == 0


class TestZero:
    def test_has_no_sign(self) -> None:
        plus, minus = ([value, 1.0] * 150 for value in (0.0, -0.0))
        for dress in ("float64", "category"):
            assert (
                distance(
                    frame(pd.Series(plus).astype(dress)), frame(pd.Series(minus).astype(dress))
                )
                == 0
            )


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view()], ids=str)
@pytest.mark.parametrize("library", ["pyarrow", "pandas"])
def test_missing_text_stays_apart_from_empty_text_in_any_type_of_text(
    kind: pa.DataType, library: str
) -> None:
    texts = pa.array(["a", None, "", "b", None, "a"])
    given = pa.table({"x": texts.cast(kind), "class": pa.array(CLASS[:6])})
    whole = given.to_pandas(types_mapper=pd.ArrowDtype) if library == "pandas" else given
    data = as_microdata(whole, "original")
    variable = harmonise(data, [data]).variables["x"]
    assert variable.levels == ("", "a", "b")
    assert variable.codes[0].tolist() == [1, -1, 0, 2, -1, 1]
