"""Data sets that are read in batches: their distinct values, their types, and what goes wrong."""

import gzip
import itertools
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdcmetrics.errors import ColumnError, DataError, FileError
from sdcmetrics.microdata.frames import as_microdata
from sdcmetrics.microdata.read import read
from sdcmetrics.microdata.schema import harmonise
from sdcmetrics.microdata.sources import distinct, large
from sdcmetrics.microdata.sources.distinct import count_values
from sdcmetrics.microdata.sources.large import Large
from sdcmetrics.microdata.sources.scan import is_large, scan


def files(folder: Path, *tables: pa.Table) -> Path:
    folder.mkdir(exist_ok=True)
    for i, table in enumerate(tables):
        pq.write_table(table, folder / f"{i}.parquet")
    return folder


class Stream:
    """Gives the batches of a table whenever it is asked."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


def batches(table: pa.Table, cuts: list[int]) -> Iterator[pa.RecordBatch]:
    ends = [0, *sorted(cuts), len(table)]
    for first, end in itertools.pairwise(ends):
        yield from table.slice(first, end - first).combine_chunks().to_batches()


NUMBERS = st.one_of(
    st.none(),
    st.sampled_from([0.0, -0.0, 0.1, 0.25, 1e300, -7.5, float("nan"), 3.0]),
    st.floats(-1e6, 1e6),
)


@settings(deadline=None, max_examples=60)
@given(
    numbers=st.lists(NUMBERS, min_size=1, max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=4),
    whole=st.booleans(),
)
def test_distinct_values_add_up_over_batches(
    numbers: list[float | None], cuts: list[int], *, whole: bool
) -> None:
    if whole:
        numbers = [None if x is None or np.isnan(x) else float(round(x % 9)) for x in numbers]
    table = pa.table({"x": pa.array(numbers, pa.float64())})
    result = count_values({"x": pa.float64()}, batches(table, [min(c, len(table)) for c in cuts]))[
        "x"
    ]
    expected: dict[str, int] = {}
    for value in numbers:
        name = (
            "nan" if value is not None and np.isnan(value) else repr(value).replace("-0.0", "0.0")
        )
        expected[name] = expected.get(name, 0) + 1
    names = [repr(value).replace("-0.0", "0.0") for value in result.values.to_pylist()]
    assert dict(zip(names, result.counts.tolist(), strict=True)) == expected
    keys = result.keys[~np.isnan(result.keys)]
    assert (np.diff(keys) > 0).all()


@pytest.mark.parametrize(
    "array",
    [
        pa.array([3, None, 3, 2**62], pa.int64()),
        pa.array([1, 2, 255], pa.uint8()),
        pa.array([True, None, False, True]),
        pa.array([0, 18000, None], pa.date32()),
        pa.array([0, 10**15, None], pa.timestamp("us", "Europe/Vienna")),
        pa.array(["b", None, "a", "b"]),
        pa.array([1.5, 0.1], pa.float32()),
        pa.array(["1.10", None, "2.25"]).cast(pa.decimal128(5, 2)),
        pa.array([2**63 + 1, 5], pa.uint64()),
        pa.array([1, None, 70], pa.time32("s")),
        pa.array([1, None, 70], pa.duration("ms")),
        pa.nulls(3, pa.float64()),
    ],
    ids=lambda array: str(array.type),
)
def test_columns_of_every_type_are_read_as_in_memory(array: pa.Array, tmp_path: Path) -> None:
    table = pa.table({"x": array, "y": pa.array(range(len(array)))})
    where = files(tmp_path / "it", table.slice(0, 1), table.slice(1))
    pq.write_table(table, tmp_path / "one.parquet")
    here = replace(read(tmp_path / "one.parquet", source="it"), sha256=None)
    there = scan(where)
    a, b = harmonise(here, [here]), harmonise(there, [there])
    first, other = a.variables["x"], b.variables["x"]
    assert (first.kind, first.levels) == (other.kind, other.levels)
    assert [str(fix) for fix in here.fixes] == [str(fix) for fix in there.fixes]
    assert [str(fix) for fix in a.fixes] == [str(fix) for fix in b.fixes]
    records = there.records_at(np.arange(there.n))
    assert records.table.cast(here.table.schema).equals(here.table)
    for x, y in zip(first.values or first.codes, other.values or other.codes, strict=True):
        assert set(np.unique(x[x == x])) == set(np.unique(y[y == y]))  # noqa: PLR0124  (NaN)


def test_levels_keep_the_order_in_which_dictionaries_bring_them() -> None:
    parts = [
        pa.DictionaryArray.from_arrays(pa.array([0, None, 0], pa.int8()), ["low", "never"]),
        pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int8()), ["high", "low"]),
    ]
    table = pa.table({"x": pa.chunked_array(parts)})
    data = scan(Stream(table), "stream")
    variable = harmonise(data, []).variables["x"]
    assert variable.levels == ("low", "never", "high")
    taken = data.records_at(np.array([0, 1, 3])).table.column("x").to_pylist()
    assert taken == ["low", None, "low"]


def test_a_column_without_values_in_one_file_is_of_the_other_files_type(tmp_path: Path) -> None:
    first = pa.table({"x": pa.nulls(2), "y": ["a", "b"]})
    data = scan(files(tmp_path / "it", first, pa.table({"x": [1.5, 2.5], "y": ["a", "c"]})))
    assert data.counts("x").tolist() == [1, 1, 2]


class TestFiles:
    def test_of_other_types_are_refused_by_file_and_column(self, tmp_path: Path) -> None:
        none = pa.table({"x": pa.nulls(1)})
        for i, first in enumerate(([], [none], [none, none])):
            where = files(
                tmp_path / f"it {i}", *first, pa.table({"x": [1]}), pa.table({"x": ["a"]})
            )
            words = f"of type string in the file {i + 1}.parquet but int64 in {i}.parquet"
            with pytest.raises(ColumnError, match=f"column 'x' is {words}"):
                scan(where)

    def test_without_a_column_are_refused_by_file_and_column(self, tmp_path: Path) -> None:
        where = files(tmp_path / "it", pa.table({"x": [1], "y": [2]}), pa.table({"x": [1]}))
        with pytest.raises(ColumnError, match=r"the file 1.parquet has no column 'y'"):
            scan(where)
        where = files(tmp_path / "more", pa.table({"x": [1]}), pa.table({"x": [1], "y": [2]}))
        with pytest.raises(ColumnError, match=r"the file 1.parquet has a column 'y', which other"):
            scan(where)

    def test_that_are_damaged_are_named(self, tmp_path: Path) -> None:
        where = files(tmp_path / "it", pa.table({"x": [1]}))
        (where / "2.parquet").write_bytes(b"PAR1 and nothing else")
        with pytest.raises(FileError, match=r"2.parquet is damaged"):
            scan(where)

    def test_of_the_folder_that_one_is_in_have_its_name(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(files(tmp_path / "it", pa.table({"x": [1]})))
        assert scan(Path()).source == "it"

    def test_that_change_between_the_passes_are_noticed(self, tmp_path: Path) -> None:
        where = files(tmp_path / "it", pa.table({"x": [1, 2]}), pa.table({"x": [3]}))
        data = scan(where)
        data.records_at(np.array([0]))
        pq.write_table(pa.table({"x": [4]}), where / "1.parquet")
        with pytest.raises(FileError, match=r"1.parquet changed while"):
            data.records_at(np.array([0]))

    def test_that_lie_about_their_age_are_noticed_by_values_never_seen(
        self, tmp_path: Path
    ) -> None:
        where = files(tmp_path / "it", pa.table({"x": [1, 2], "y": ["a", "b"]}))
        data = scan(where)
        before = (where / "0.parquet").stat()
        for column, table in (
            ("x", pa.table({"x": [1, 9], "y": ["a", "b"]})),
            ("y", pa.table({"x": [1, 2], "y": ["a", "c"]})),
        ):
            with (where / "0.parquet").open("r+b") as file:
                pq.write_table(table, file)
            os.utime(where / "0.parquet", ns=(before.st_atime_ns, before.st_mtime_ns))
            assert (where / "0.parquet").stat().st_size == before.st_size
            with pytest.raises(DataError, match=f"column '{column}' has other values") as error:
                data.records_at(np.array([0, 1]))
            assert "9" not in str(error.value)

    def test_of_a_pattern_are_one_data_set_in_the_order_of_their_names(
        self, tmp_path: Path
    ) -> None:
        where = files(tmp_path / "it", pa.table({"x": [1]}), pa.table({"x": [2]}))
        data = scan(where / "*.parquet")
        assert data.records_at(np.array([0, 1])).table.column("x").to_pylist() == [1, 2]
        with pytest.raises(FileError, match="there is no Parquet file there"):
            scan(where / "*.pq")

    def test_leave_nothing_behind(self, tmp_path: Path) -> None:
        data = scan(files(tmp_path / "it", pa.table({"x": range(10)})))
        data.records_at(np.arange(3))
        assert sorted(item.name for item in tmp_path.rglob("*")) == ["0.parquet", "it"]


def test_a_column_of_too_many_values_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distinct, "MOST_VALUES", 5)
    data = scan(pd.DataFrame({"id": range(9), "name": list("abcdefghi"), "sex": list("mfmfmfmfm")}))
    assert data.n == 9
    for name in ("id", "name"):
        with pytest.raises(ColumnError, match="Round it, or leave it out"):
            harmonise(data, [data], variables=[name])
    assert harmonise(data, [data], variables=["sex"]).variables["sex"].levels == ("f", "m")


def test_a_reader_that_reads_once_is_refused() -> None:
    with pytest.raises(DataError, match=r"a reader gives its records once"):
        scan(pa.table({"x": [1]}).to_reader())


def test_formats_without_batches_are_read_as_a_whole(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": [1, 2, 2]})
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_stata(tmp_path / "x.dta", write_index=False)
    in_batches, whole = scan(tmp_path / "x.parquet"), scan(tmp_path / "x.dta")
    assert in_batches.sha256 is None  # nobody has read all of its bytes
    assert whole.sha256 == read(tmp_path / "x.dta").sha256
    for data in (in_batches, whole):
        assert (data.n, data.column("x").to_pylist()) == (3, [1, 2])


def test_frames_in_memory_are_not_large(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    frame = pd.DataFrame({"x": [1, 2]})
    frame.to_parquet(tmp_path / "x.parquet")
    inside = (frame, polars.from_pandas(frame), pa.table(frame), tmp_path / "x.parquet", {"x": [1]})
    assert not any(map(is_large, inside))
    outside = (polars.from_pandas(frame).lazy(), scan(frame), tmp_path, "duckdb:///a.db?table=t")
    assert all(map(is_large, outside))


class TestTextsThatTakeMuchMemory:
    """A text file is read in batches for what it takes in memory, not for its size on disk."""

    @pytest.fixture(autouse=True)
    def _few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sdcmetrics.microdata.sources.scan.MOST_READ", 1000)  # 8,000 bytes

    def test_many_short_values_count_as_numbers(self, tmp_path: Path) -> None:
        path = tmp_path / "short.csv"
        path.write_text("a,b\n" + "1,2\n" * 490)
        assert not is_large(path)
        path.write_text("a,b\n" + "1,2\n" * 510)  # 2 KB of text, 8 KB of numbers
        assert is_large(path)

    def test_few_long_texts_count_as_they_are(self, tmp_path: Path) -> None:
        path = tmp_path / "long.csv"
        path.write_text("a\n" + f"{'x' * 99}\n" * 79)
        assert not is_large(path)
        path.write_text("a\n" + f"{'x' * 99}\n" * 81)
        assert is_large(path)

    def test_compressed_text_counts_as_what_it_holds(self, tmp_path: Path) -> None:
        path = tmp_path / "short.csv.gz"
        path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 490))
        assert not is_large(path)
        path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 510))
        assert is_large(path)

    def test_a_damaged_file_is_left_to_who_reads_it(self, tmp_path: Path) -> None:
        path = tmp_path / "short.csv.gz"
        path.write_bytes(b"no gzip" * 9)
        assert not is_large(path)


def test_text_is_read_as_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "it.csv"
    path.write_text(
        'a;code;when;b\n1,5; 01;2020-01-01T10:00:00Z;yes\nNA;02 ;2020-01-02T10:00:00+01:00;"n;o"\n'
        "1,5;02;NA;yes\n"
    )
    here, there = read(path), scan(path)
    assert isinstance(there, Large)
    assert [str(fix) for fix in here.fixes] == [str(fix) for fix in there.fixes]
    assert [fix.cells for fix in here.fixes] == [fix.cells for fix in there.fixes]
    assert there.records_at(np.arange(3)).table.equals(here.table)


def test_text_whose_layout_breaks_late_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "it.csv"
    path.write_text("a,b\n" + "1,2\n" * 5 + "1,2,3\n")
    with pytest.raises(FileError, match="line 7"):
        scan(path)


@pytest.mark.parametrize("pile", [0, 3, 1 << 20])
def test_texts_keep_the_order_in_which_they_come_however_they_are_merged(
    monkeypatch: pytest.MonkeyPatch, pile: int
) -> None:
    monkeypatch.setattr(distinct, "_PILE", pile)
    texts = [["b", "a", None], [], ["c", "b"], [None], ["a", "a", "d"]]
    each = [pa.record_batch([pa.array(part, pa.string())], ["x"]) for part in texts]
    counted = count_values({"x": pa.string()}, each)["x"]
    assert counted.values.to_pylist() == ["b", "a", "c", "d", None]
    assert counted.counts.tolist() == [2, 3, 1, 1, 2]


def test_levels_that_no_record_has_stay_in_the_dictionary() -> None:
    kind = pa.dictionary(pa.int32(), pa.string())
    parts = (
        pa.DictionaryArray.from_arrays(pa.array([1, None], pa.int32()), ["a", "b"]),
        pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int32()), ["c", "d", "b"]),
    )
    counted = count_values({"x": kind}, [pa.record_batch([part], ["x"]) for part in parts])["x"]
    assert counted.values.to_pylist() == ["b", "c", None]
    assert counted.values.dictionary.to_pylist() == ["a", "b", "c", "d"]
    assert counted.counts.tolist() == [2, 1, 1]


def test_what_was_counted_is_remembered_up_to_so_many_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large, "_MOST_KEPT", 10)
    data = large.of_memory(as_microdata(pd.DataFrame({"x": [1, 2]}), "it"))
    counted: list[str] = []

    def count(key: str, cells: int) -> None:
        data.cached(key, lambda: counted.append(key), lambda _: cells)

    for key in "ab":
        count(key, 5)
    count("a", 5)
    assert counted == ["a", "b"]  # ten cells are not too many
    count("c", 5)
    assert list(data._cache) == ["b", "c"]
    count("d", 11)
    assert list(data._cache) == ["d"]  # the newest stays, however large
