"""What engines raise while they compute records reaches nobody but in words, and without values."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, DataError
from sdcmetrics.microdata.sources.scan import scan
from sdcmetrics.microdata.sources.source import reading

TABLE = pa.table({"x": [1, 2, 3], "y": ["a", "b", "SECRET"]})


class Stream:
    """Opened again and again, it gives what a function says for each time."""

    def __init__(self, give: Callable[[int], Iterator[pa.RecordBatch]]) -> None:
        self.give, self.times = give, 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.times += 1
        reader = pa.RecordBatchReader.from_batches(TABLE.schema, self.give(self.times))
        return reader.__arrow_c_stream__(requested_schema)


def failing(_: int) -> Iterator[pa.RecordBatch]:
    yield from TABLE.to_batches()
    msg = "SECRET"
    raise RuntimeError(msg)


def lazy(expression: Callable[[Any], Any]) -> Any:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(TABLE).lazy()
    if not hasattr(frame, "collect_batches"):
        pytest.skip("polars is older than 1.34")
    return expression(frame)


@pytest.mark.parametrize(
    "given",
    [
        lambda: Stream(failing),
        lambda: lazy(lambda f: f.with_columns(_polars().col("y").cast(int))),
        lambda: lazy(lambda f: f.select("SECRET")),
    ],
    ids=["stream", "LazyFrame", "column of a LazyFrame"],
)
def test_what_fails_is_said_without_values(given: Callable[[], Any]) -> None:
    with pytest.raises(DataError, match="original: its records cannot be read") as error:
        scan(given(), "original")
    assert "SECRET" not in str(error.value)
    assert error.value.__cause__ is None


def _polars() -> Any:
    return pytest.importorskip("polars")


@pytest.mark.parametrize("from_", [1, 2])
def test_a_stream_that_gives_its_records_once_is_refused(from_: int) -> None:
    stream = Stream(lambda times: iter(TABLE.to_batches() if times <= from_ else []))
    with pytest.raises(DataError, match="no records, or gives them once"):
        scan(stream, "original").records_at(np.array([0]))


def test_records_that_are_missing_when_they_are_taken_are_noticed() -> None:
    data = scan(Stream(lambda times: iter(TABLE.slice(0, 5 - times).to_batches())), "original")
    with pytest.raises(DataError, match="another number of records"):
        data.records_at(np.array([0, 2]))


def test_keys_that_are_shuffled_anew_are_noticed() -> None:
    def shuffled(times: int) -> Iterator[pa.RecordBatch]:
        draw = np.random.default_rng(times).permutation
        columns = [pa.array(draw(np.arange(300) % 100)) for _ in range(3)]
        return iter(pa.table(columns, names=["x", "y", "z"]).to_batches())

    class Numbers(Stream):
        def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
            self.times += 1
            table = pa.Table.from_batches(self.give(self.times))
            return table.__arrow_c_stream__(requested_schema)

    study = sdc.Study(Numbers(shuffled), {"a": Numbers(shuffled)}, keys=["x", "y"], targets=["z"])
    with pytest.raises(DataError, match="shuffled anew"):
        sdc.conduct(study)


class TestColumnsOfNoSingleValue:
    nested = TABLE.append_column("z", pa.array([[1], [2, 3], None]))

    def test_do_not_stop_what_does_not_name_them(self) -> None:
        data = scan(TestColumnsOfNoSingleValue.stream(), "original")
        assert data.n == 3
        assert data.records_at(np.array([2])).table.column("x").to_pylist() == [3]
        with pytest.raises(ColumnError, match=r"column 'z' is of type list<.*cannot be compared"):
            data.column("z")

    @staticmethod
    def stream() -> Any:
        class Nested:
            def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
                return TestColumnsOfNoSingleValue.nested.__arrow_c_stream__(requested_schema)

        return Nested()

    def test_in_parquet_are_refused_as_in_memory(self, tmp_path: Path) -> None:
        pq.write_table(self.nested, tmp_path / "a.parquet")
        with pytest.raises(ColumnError) as there:
            scan(tmp_path / "a.parquet", "it")
        with pytest.raises(ColumnError) as here:
            sdc.read(tmp_path / "a.parquet", source="it")
        both = (str(error.value).partition(": ")[2] for error in (here, there))
        assert len(set(both)) == 1

    def test_that_arrow_does_not_know_are_named(self) -> None:
        polars = _polars()
        frame = lazy(lambda f: f.with_columns(polars.col("x").cast(polars.Int128)))
        with pytest.raises(ColumnError, match="column 'x' is of type Int128, which Arrow"):
            scan(frame, "original")

    def test_that_arrow_does_not_know_show_no_levels(self) -> None:
        polars = _polars()
        level = polars.lit("SECRET", polars.Enum(["SECRET"])).alias("level")
        both = polars.struct(level, polars.lit(1, polars.Int128).alias("n"))
        with pytest.raises(ColumnError, match="column 'x' is of type Struct, which Arrow") as told:
            scan(lazy(lambda f: f.with_columns(both.alias("x"))), "original")
        assert "SECRET" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [("OutOfMemoryException", "Give it more memory"), ("ValueError", "Read them by themselves")],
)
def test_what_an_engine_raises_is_named_with_a_remedy_and_without_its_text(
    name: str, remedy: str
) -> None:
    fault = type(name, (Exception,), {})("SECRET")
    with pytest.raises(DataError) as error, reading("o.parquet"):
        raise fault
    text = str(error.value)
    assert f"o.parquet: its records cannot be read: what computes them stopped with {name}" in text
    assert f"{name}. {remedy}" in text
    assert "SECRET" not in text


@pytest.mark.parametrize("fault", [MemoryError(), DataError("said")])
def test_what_is_said_already_and_a_lack_of_memory_are_passed_on(fault: Exception) -> None:
    with pytest.raises(type(fault)) as error, reading("o.parquet"):
        raise fault
    assert error.value is fault
