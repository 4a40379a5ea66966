"""Measurements part by part are those of the frame."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

from sdcmetrics import Study, conduct
from sdcmetrics.report.formats import parquet
from sdcmetrics.report.measures import Measures
from sdcmetrics.review import progress
from sdcmetrics.review.judge import rows_of
from sdcmetrics.review.measurements import (
    _RARE,
    Measurements,
    Parted,
    Rare,
    Texts,
    entries_of,
    without_repeats,
)
from sdcmetrics.review.review import Review


@pytest.fixture(scope="module")
def review() -> Review:
    rng = np.random.default_rng(2)
    original, *syntheses = (
        pd.DataFrame({name: rng.integers(0, 3, 60) for name in "abcd"}).astype(str)
        for _ in range(3)
    )
    return conduct(Study(original, {"two": syntheses}, keys=["a", "b"], targets=["c"]))


def test_a_frame_is_made_of_the_parts_and_parts_of_a_frame(review: Review) -> None:
    frame = review.frame
    assert len(frame) == len(review.measurements) > len(review.mean_rows())
    assert_frame_equal(Measurements.of_frame(frame).frame(), frame)
    again = replace(review, frame=frame)
    assert_frame_equal(
        again.measurements.means.frame(), frame[frame["synthesis"].isna()].reset_index(drop=True)
    )


def test_rows_of_some_measures_are_those_of_the_frame(review: Review) -> None:
    frame = review.mean_rows()
    for metrics in ({"TVD"}, {"TVD", "DiSCO", "unheard of"}, set[str]()):
        rows = frame[frame["metric"].isin(metrics)].reset_index(drop=True)
        assert_frame_equal(review.measurements.means.of(metrics), rows, check_dtype=bool(metrics))


def test_rows_are_read_without_a_frame_and_from_one_alike(review: Review) -> None:
    names = ("metric", "target", "variables", "value", "shown")
    for metrics in ({"TVD", "DiSCO"}, {"unheard of"}, None):
        frame = review.mean_rows() if metrics is None else review.measurements.means.of(metrics)
        expected = [*zip(*(frame[name].tolist() for name in names[:-1]), strict=True)]
        for source in (review, SimpleNamespace(mean_rows=review.mean_rows)):
            rows = [*rows_of(cast("Review", source), metrics, names)]
            assert list(map(repr, rows)) == [repr((*row, None)) for row in expected]
    assert len(rows) == len(review.mean_rows()) > 20


@pytest.mark.parametrize("at_once", [13, 100_000])
def test_parts_one_after_the_other_are_the_whole(review: Review, at_once: int) -> None:
    rows = review.measurements
    parts = [rows.between(start, start + at_once) for start in range(0, len(rows), at_once)]
    assert max(map(len, parts)) <= at_once
    whole = pd.concat([part.frame() for part in parts], ignore_index=True)
    assert_frame_equal(whole, review.frame, check_dtype=False)


def test_a_frame_may_be_of_one_row(review: Review) -> None:
    parts = [review.measurements.between(i, i + 1).frame() for i in range(40)]
    assert set(map(len, parts)) == {1}
    assert_frame_equal(
        pd.concat(parts, ignore_index=True), review.frame.head(40), check_dtype=False
    )


def test_measures_read_the_parts_as_they_read_a_frame(review: Review) -> None:
    of_parts = Measures(review, [])
    of_frame = Measures(replace(review, frame=review.frame), [])
    assert [*map(repr, of_parts)] == [*map(repr, of_frame)]  # NaN is unequal to itself
    assert len(list(of_parts)) == len(review.mean_rows())
    assert of_parts.metrics == tuple(dict.fromkeys(review.mean_rows()["metric"]))
    missing = [m for m in of_parts if m.value is None]
    assert of_parts.without_value() == missing


def test_a_finding_has_the_measurement_of_its_place_and_target() -> None:
    rng = np.random.default_rng(3)
    original, replica = (
        pd.DataFrame({name: rng.integers(0, 3, 60) for name in "abcd"}).astype(str)
        for _ in range(2)
    )
    study = Study(original, {"r": replica}, keys=["a", "b"], targets=["c", "d"])
    measures = Measures(conduct(study), [])
    targets = set()
    for m in measures.every("r", "DiSCO"):
        place = SimpleNamespace(
            replica="r", metric="DiSCO", variables=(), scenario=m.subject, target=m.target
        )
        result = measures.of(cast("Any", place))
        assert result is not None
        assert (result.subject, result.target, result.value) == (m.subject, m.target, m.value)
        targets.add(result.target)
    assert targets == {"c", "d"}


def test_parquet_has_every_measurement(
    review: Review, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(parquet, "_AT_ONCE", 50)
    file = tmp_path / "measurements.parquet"
    file.write_bytes(b"".join(parquet.parquet_parts(review)))
    whole = review.mean_rows().drop(columns="synthesis")
    assert pq.ParquetFile(file).num_row_groups == -(-len(whole) // 50) > 1
    whole.to_parquet(tmp_path / "whole.parquet", index=False)
    assert_frame_equal(pd.read_parquet(file), pd.read_parquet(tmp_path / "whole.parquet"))


def test_a_column_in_parts_reads_as_the_whole() -> None:
    parts = [np.array([1.5, np.nan]), np.broadcast_to(np.array([4.0]), 3), np.array([2.0])]
    whole, column = np.concatenate(parts), Parted(parts)
    rows = np.array([5, 0, 4, 1, 2, 2])
    np.testing.assert_array_equal(column.of(rows), whole[rows])
    np.testing.assert_array_equal([*column], whole)
    np.testing.assert_array_equal([column[i] for i in range(6)], whole)
    assert column.filled().tolist() == [True, False, True, True, True, True]
    assert len(column) == 6
    none = Parted([])
    assert len(none) == len(none.filled()) == len(none.of(np.zeros(0, np.int64))) == 0


def test_columns_are_held_short_and_read_the_same() -> None:
    rare = np.array([None] * 40, dtype=object)
    rare[3] = "reason"
    numbers = np.full(40, np.nan)
    numbers[[0, 39]] = 1.5, 0.0
    dense = np.arange(40.0)
    kinds = [Rare, Rare, np.ndarray]
    for column, kind in zip((rare, numbers, dense), kinds, strict=True):
        held = entries_of(column)
        assert isinstance(held, kind)
        assert all(
            held[i] == entry or (pd.isna(held[i]) and pd.isna(entry))
            for i, entry in enumerate(column)
        )
    texts = np.array(["TVD", "G", "TVD", None], dtype=object)
    held = entries_of(texts, often=True)
    assert isinstance(held, Texts)
    assert [held[i] for i in range(4)] == texts.tolist()


@pytest.mark.parametrize("most", [0, 10_000])
def test_what_rows_repeat_is_held_once_and_read_the_same(
    review: Review, most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(progress, "_MANY", most)
    study, file = review.study, tmp_path / "partial.csv"
    again = conduct(study, checkpoint=file)
    assert_frame_equal(again.frame, review.frame)
    written = pd.read_csv(file)
    assert written["variables"].tolist() == [str(names) for names in review.frame["variables"]]
    assert_frame_equal(
        written[["metric", "value"]], review.frame[["metric", "value"]], check_dtype=False
    )
    repeated = [part["metric"].strides == (0,) for part in again.measurements._parts]
    assert all(repeated) == (most == 0)


def test_measures_of_the_same_tables_share_their_places() -> None:
    places = np.empty(2, dtype=object)
    places[:] = ("a", "b"), ("a", "c")
    rows = {
        "metric": np.repeat(np.array(["TVD", "W"], dtype=object), 2),
        "variables": np.tile(places, 2),
        "value": np.array([1.0, 2.0, np.nan, np.nan]),
    }
    first, second = without_repeats(rows)
    assert first["variables"] is second["variables"]
    assert (first["value"].tolist(), second["value"].strides) == ([1.0, 2.0], (0,))


@pytest.mark.parametrize("often", [False, True])
def test_entries_of_parts_are_those_of_the_whole_column(review: Review, often: bool) -> None:
    rows = review.measurements
    for name in ("metric", "unit", "reason") if often else rows.columns:
        whole = entries_of(rows.column(name), often=often)
        held = rows.entries(name, often=often)
        assert type(held) is (Parted if isinstance(whole, np.ndarray) else type(whole))
        assert [str(held[i]) for i in range(len(rows))] == [str(whole[i]) for i in range(len(rows))]


@pytest.mark.parametrize(
    ("reasons", "row"), [([None, None, "x"], 2), (["x", None, "y"], 0), ([None] * 3, 0), ([], 0)]
)
def test_the_first_row_with_an_entry(reasons: list[str | None], row: int) -> None:
    frame = pd.DataFrame({"metric": ["TVD"] * len(reasons), "reason": reasons}, dtype=object)
    assert Measurements.of_frame(frame).first("reason") == row
    assert Measurements.of_frame(frame).first("unheard of") == 0


def test_columns_of_parts_by_hand() -> None:
    def texts(*entries: str | None) -> np.ndarray:
        return np.array(entries, dtype=object)

    once = {
        "metric": np.broadcast_to(texts("x"), 2), "reason": np.broadcast_to(texts(None), 2),
        "value": np.array([1.0, np.nan]), "synthesis": np.array([np.nan, 1.0]),
    }  # fmt: skip
    own = {
        "metric": texts("y", "x", "z"), "reason": texts("", "why", None), "value": np.arange(3.0),
        "synthesis": np.full(3, np.nan),
    }  # fmt: skip
    more = {
        "metric": texts("z"), "reason": np.broadcast_to(texts("late"), 1), "value": np.ones(1),
        "synthesis": np.full(1, np.nan), "target": texts("t"),
    }  # fmt: skip
    empty = {name: column[:0] for name, column in own.items()}
    rows = Measurements([once, empty, own, more])
    assert len(rows) == 6
    assert (rows.first("reason"), rows.first("target"), rows.first("unheard of")) == (3, 5, 0)
    assert rows.filled("reason") == {3: "why", 5: "late"}
    assert rows.filled("target") == {5: "t"}
    assert rows.filled("value").keys() == {0, 2, 3, 4, 5}
    assert rows.column("target") is None
    column = rows.column("value")
    assert column is not None
    np.testing.assert_array_equal(column, [1, np.nan, 0, 1, 2, 1])
    assert [*rows.parted("metric")] == ["x", "x", "y", "x", "z", "z"]
    metrics = rows.entries("metric", often=True)
    assert [metrics[i] for i in range(6)] == ["x", "x", "y", "x", "z", "z"]
    reasons = rows.entries("reason")
    assert [reasons[i] or None for i in range(6)] == [None, None, None, "why", None, "late"]
    assert rows.entries("unheard of")[2] is None
    some = Measurements([once, own]).entries("target")
    assert some[0] is None
    assert [len(part.frame()) for part in (rows.means, rows.between(1, 4))] == [5, 3]
    assert rows.between(1, 4).frame()["metric"].tolist() == ["x", "y", "x"]
    assert [row[0] for row in rows.rows({"x"}, ["reason"])] == [None, None, "why"]
    assert rows.of({"z"})["value"].tolist() == [2.0, 1.0]


@pytest.mark.parametrize(("number", "kind"), [(2, Rare), (3, Parted)])
def test_a_column_is_rare_where_one_row_in_many_has_an_entry(number: int, kind: type) -> None:
    n = 2 * _RARE
    reason = np.array(["r"] * number + [None] * (n - number), dtype=object)
    part = {"metric": np.broadcast_to(np.array(["x"], dtype=object), n), "reason": reason}
    held = Measurements([part]).entries("reason")
    assert isinstance(held, kind)
    assert [held[i] for i in range(n)] == reason.tolist()
