"""Records that are drawn again: the same whenever they are read, as many as in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import StudyError
from sdcmetrics.microdata.sources import large as large_source
from sdcmetrics.microdata.sources import redrawn
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.redrawn import draw_columns, draw_records
from sdcmetrics.microdata.sources.source import Records
from sdcmetrics.ranking.references import make_references

N = 5_000


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redrawn, "BATCH", 512)


def sorted_people() -> pd.DataFrame:
    """Return records in an order that matters, each with a number of its own."""
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "i": np.arange(N),
            "region": np.repeat(["a", "b", None, "d"], N // 4),
            "linked": np.repeat([1.5, 2.5, np.nan, 4.5], N // 4),
            "age": rng.integers(16, 60, N),
        }
    )


def in_batches(frame: pd.DataFrame, rows: int = 999) -> Large:
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata()

    def read(columns: Any) -> Iterator[pa.RecordBatch]:
        yield from table.select(columns).to_batches(max_chunksize=rows)

    return large(Records(table.schema, read), "x")


def records_of(data: Large) -> pd.DataFrame:
    return data.records_at(np.arange(data.n)).table.to_pandas()


def test_of_many_records_as_many_are_left_out_of_a_block_as_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redrawn, "BATCH", 10)
    few = in_batches(sorted_people()[["i"]][:20])
    for most, exact in ((21, True), (20, False)):  # numpy draws exactly of fewer than so many
        monkeypatch.setattr(redrawn, "_MOST_EXACT", most)
        left = {draw_records(few, seed, leave_out=0.9).n for seed in range(8)}
        assert (left == {2}) is exact
        assert min(left) == 2


def test_a_share_of_the_records_is_left_out_whatever_the_batches() -> None:
    frame = sorted_people()
    first, other = (
        records_of(draw_records(in_batches(frame, rows), 3, leave_out=0.1)) for rows in (999, 77)
    )
    pd.testing.assert_frame_equal(first, other)
    assert len(first) == N - N // 10
    assert first["i"].is_unique
    assert first["i"].is_monotonic_increasing
    # Not by blocks of positions: regions differ in how many are left, as at random.
    left = np.array(
        [
            draw_records(in_batches(frame), seed, leave_out=0.1).counts("region")[0]
            for seed in range(40)
        ]
    )
    exact = N // 10 * 0.25 * 0.75 * (N - N // 10) / (N - 1)
    assert 0.5 < left.var(ddof=1) / exact < 1.8


def test_records_are_drawn_again_whole() -> None:
    frame = sorted_people()
    data = draw_records(in_batches(frame), 3)
    drawn = records_of(data)
    assert len(drawn) == data.n == N
    pd.testing.assert_frame_equal(
        drawn, frame.iloc[drawn["i"].to_numpy()].reset_index(drop=True), check_dtype=False
    )
    times = np.bincount(drawn["i"], minlength=N)
    assert np.mean(times == 0) == pytest.approx(np.exp(-1), abs=0.03)
    assert times.var() == pytest.approx(1, abs=0.1)
    assert abs(np.corrcoef(times[:512], times[512:1024])[0, 1]) < 0.2  # blocks differ
    assert data.counts("region").sum() == N


@pytest.mark.parametrize("uniform", [False, True])
def test_columns_are_drawn_apart(*, uniform: bool) -> None:
    frame = sorted_people().assign(rare=np.arange(N) == 7)
    data = draw_columns(in_batches(frame), 3, uniform=uniform)
    drawn = records_of(data)
    assert len(drawn) == N
    both = pd.crosstab(drawn["region"].fillna("-"), drawn["linked"].fillna(-1))
    assert both.shape == (4, 4)
    assert (both.to_numpy() > 200).all()  # no relation is left, missing values included
    assert drawn["rare"].mean() == pytest.approx(0.5 if uniform else 0.0002, abs=0.05)


@pytest.mark.parametrize("kind", ["str", "category", pa.decimal128(30, 2), pa.uint64()])
def test_columns_are_drawn_alike_in_whatever_order_an_engine_has_met_the_values(
    kind: str | pa.DataType,
) -> None:
    frame = sorted_people()
    if isinstance(kind, pa.DataType):
        frame["region"] = frame["age"].astype(pd.ArrowDtype(kind))
    else:
        frame = frame.astype({"region": kind})
    first, other = (
        records_of(draw_columns(in_batches(each), 4)).astype(str) for each in (frame, frame[::-1])
    )
    pd.testing.assert_frame_equal(first, other)


def test_the_scale_of_a_ranking_is_that_of_memory_but_for_chance() -> None:
    rng = np.random.default_rng(2)
    frames = []
    for shift in (0, 1):
        x = rng.integers(0, 6, 3_000) + shift
        frames.append(pd.DataFrame({"x": x, "y": (x + rng.integers(0, 3, 3_000)).astype(str)}))

    def scale(given: Any) -> np.ndarray[Any, Any]:
        study = sdc.Study(given(frames[0]), {"a": given(frames[1])}, keys=["x"], targets=["y"])
        ranking = sdc.compare_replicas(sdc.conduct(study, reference_values=False), anchors=True)
        assert ranking.scale is not None
        assert len(make_references(study, seed=1)) == 16
        return ranking.scale.table

    here, there = scale(lambda frame: frame), scale(in_batches)
    assert here[0] == pytest.approx(there[0])  # the original itself
    assert here[2:] == pytest.approx(there[2:], rel=0.15, abs=0.5)


def test_intervals_of_a_ranking_are_those_of_memory_but_for_chance() -> None:
    frame = sorted_people().drop(columns="i")
    other = frame.assign(age=frame["age"].sample(frac=1, random_state=1).to_numpy())

    def width(given: Any) -> np.ndarray[Any, Any]:
        replicas = {"a": given(other), "b": given(other.head(4_000))}
        study = sdc.Study(given(frame), replicas, keys=["region"], targets=["age"])
        weights = {"S_pMSE_two_way": 0.5, "DCAP": 0.5}
        result = sdc.compare_replicas(
            sdc.conduct(study, reference_values=False), replicates=20, weights=weights
        )
        assert result.uncertainty is not None
        return result.uncertainty.value_high - result.uncertainty.value_low

    assert width(in_batches) == pytest.approx(width(lambda frame: frame), rel=0.6)


def test_records_of_another_process_are_drawn_where_they_can_be_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Elsewhere:
        def __init__(self, near: Any) -> None:
            self.schema, self.value_counts = near.schema, near.value_counts
            self.count, self.records_at = near.count, near.records_at

    def elsewhere() -> Large:
        data = in_batches(sorted_people())
        return replace(data, records=Elsewhere(data.records))

    for draw in (draw_records, draw_columns):
        first, other = (
            records_of(draw(data, 3)) for data in (in_batches(sorted_people()), elsewhere())
        )
        pd.testing.assert_frame_equal(first, other)
    monkeypatch.setattr(large_source, "MOST_READ", 0)
    with pytest.raises(StudyError, match="too many to be read"):
        draw_records(elsewhere(), 3)
