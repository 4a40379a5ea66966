"""What runs on Spark's partitions, and what is asked of a frame; a frame of Arrow stands for it."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

from sdcmetrics.microdata.sources import spark
from sdcmetrics.microdata.sources.spark import (
    _Frame,
    _larger,
    _on_partition,
    _quoted,
    _size,
    _taken,
    is_spark,
)

Put = pytest.MonkeyPatch


def batches(*sizes: int) -> list[pa.RecordBatch]:
    """Return batches of so many records, which are numbered."""
    ends = np.cumsum(sizes)
    return [
        pa.RecordBatch.from_pydict({"c0": np.arange(end - size, end)})
        for size, end in zip(sizes, ends, strict=True)
    ]


@pytest.fixture
def part(monkeypatch: Put) -> list[int]:
    """Return the number of the partition that runs, to be changed."""
    number = [0]
    context = SimpleNamespace(get=lambda: SimpleNamespace(partitionId=lambda: number[0]))
    module = ModuleType("pyspark")
    vars(module)["TaskContext"] = context
    monkeypatch.setitem(sys.modules, "pyspark", module)
    return number


def test_only_frames_of_spark_are_frames_of_spark() -> None:
    kinds = {}
    for module in ("pyspark.sql", "pyspark.sql.connect", "other", "mypyspark.sql"):
        kinds[module] = type("Frame", (), {"__module__": module, "mapInArrow": None})
    assert [is_spark(kind()) for kind in kinds.values()] == [True, True, False, False]
    assert not is_spark(type("Column", (), {"__module__": "pyspark.sql"})())


def test_names_are_quoted() -> None:
    assert _quoted("a.b`c") == "`a.b``c`"


def test_small_batches_are_joined(monkeypatch: Put) -> None:
    monkeypatch.setattr(spark, "BATCH", 4)
    joined = list(_larger(iter(batches(1, 2, 1, 5, 3))))
    assert [batch.num_rows for batch in joined] == [4, 5, 3]
    assert pa.Table.from_batches(joined).column(0).to_pylist() == [*range(12)]
    assert list(_larger(iter([]))) == []
    assert [batch.num_rows for batch in _larger(iter(batches(4)))] == [4]


def test_a_kernel_sees_the_columns_by_their_names() -> None:
    seen: list[Any] = []

    def kernel(given: Any) -> Any:
        for batch in given:
            seen.append(batch.to_pydict())
            yield batch

    schema = pa.schema([("x", pa.int64())])
    out = list(_on_partition(kernel, schema, ("x",), iter(batches(2, 1))))
    assert seen == [{"x": [0, 1, 2]}]
    assert len(out) == 1


def test_a_partition_tells_its_size(part: list[int]) -> None:
    part[0] = 3
    (told,) = _size(iter(batches(2, 5)))
    assert told.to_pydict() == {"part": [3], "n": [7]}
    (none,) = _size(iter([]))
    assert none.to_pydict() == {"part": [3], "n": [0]}


def test_records_are_taken_by_their_place_among_all(part: list[int]) -> None:
    rows = np.array([0, 4, 5, 6, 11])
    part[0] = 2
    taken = list(_taken({2: 4}, rows, iter(batches(2, 3))))
    assert [batch.to_pydict() for batch in taken] == [
        {"c0": [0, 1], "__place__": [4, 5]},
        {"c0": [2], "__place__": [6]},
    ]
    part[0] = 1
    (first,) = _taken({2: 4}, rows, iter(batches(3)))  # a partition without records before
    assert first.to_pydict() == {"c0": [0], "__place__": [0]}


class Partitioned:
    """A frame of some partitions that does what Spark's does, here and now."""

    limits: ClassVar[list[int]] = []

    def __init__(self, parts: list[pa.Table], part: list[int]) -> None:
        self.parts, self.part = parts, part

    def __getitem__(self, name: str) -> Any:
        column = name.strip("`").replace("``", "`")
        return SimpleNamespace(alias=lambda alias: (column, alias))

    @property
    def schema(self) -> Any:
        kind = SimpleNamespace(simpleString=lambda: "bigint")
        return [SimpleNamespace(name=name, dataType=kind) for name in self.parts[0].column_names]

    def select(self, *columns: tuple[str, str]) -> Partitioned:
        chosen = [
            pa.table([part.column(name) for name, _ in columns], [alias for _, alias in columns])
            for part in self.parts
        ]
        return Partitioned(chosen, self.part)

    def mapInArrow(self, run: Any, _: str) -> Partitioned:  # noqa: N802  (Spark's name)
        made = []
        for number, part in enumerate(self.parts):
            self.part[0] = number
            out = list(run(iter(part.to_batches())))
            if out:
                made.append(pa.Table.from_batches(out))
        return Partitioned(made, self.part)

    def groupBy(self, *keys: str) -> Any:  # noqa: N802
        whole = pa.concat_tables(self.parts)

        def sums(name: str) -> Partitioned:
            table = whole.group_by([*keys]).aggregate([(name, "sum")])
            return Partitioned([table.select([*keys, f"{name}_sum"])], self.part)

        def count() -> Partitioned:
            table = whole.group_by([*keys]).aggregate([([], "count_all")])
            return Partitioned([table], self.part)

        return SimpleNamespace(sum=sums, count=count)

    def orderBy(self, *keys: str) -> Partitioned:  # noqa: N802
        return Partitioned([self.parts[0].sort_by([(key, "ascending") for key in keys])], self.part)

    def limit(self, number: int) -> Partitioned:
        self.limits.append(number)
        return self

    def toArrow(self) -> pa.Table:  # noqa: N802
        return pa.concat_tables(self.parts)


@pytest.fixture
def frame(part: list[int]) -> _Frame:
    parts = [
        pa.table({"a.b": [5, 6, 5], "list": [[1], [2], [3]]}),
        pa.table({"a.b": [7, 5], "list": [[4], [5]]}),
    ]
    return _Frame(Partitioned(parts, part), parts[0].schema, "people")


def test_values_are_counted_and_no_more_are_held_than_there_may_be(frame: _Frame) -> None:
    Partitioned.limits.clear()
    result = frame.value_counts(["a.b", "list"])
    values = result["a.b"]
    assert dict(zip(values.values.to_pylist(), values.counts.tolist(), strict=True)) == {
        5: 3, 6: 1, 7: 1,
    }  # fmt: skip
    assert Partitioned.limits == [spark.MOST_VALUES + 1]
    assert not result["list"].complete


def test_counts_of_partitions_are_added_up(frame: _Frame) -> None:
    def kernel(given: Any) -> Any:
        for batch in given:
            values = np.asarray(batch.column("a.b"))
            cells, counts = np.unique(values, return_counts=True)
            yield pa.RecordBatch.from_pydict(
                {"table": np.zeros(len(cells), np.int32), "cell": cells, "count": counts}
            )

    (summed,) = frame.count(["a.b"], kernel)  # type: ignore[arg-type]
    assert summed.to_pydict() == {"table": [0, 0, 0], "cell": [5, 6, 7], "count": [3, 1, 1]}


def test_records_come_in_the_order_of_their_places(frame: _Frame) -> None:
    (taken,) = frame.records_at(["a.b"], [1, 2, 4])
    assert taken.to_pydict() == {"a.b": [6, 5, 5]}
    (last,) = frame.records_at(["a.b"], np.array([3]))
    assert last.to_pydict() == {"a.b": [7]}
