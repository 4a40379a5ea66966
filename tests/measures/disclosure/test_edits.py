from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import sdcmetrics as sdc
from sdcmetrics.errors import ColumnError, StudyError
from sdcmetrics.measures.disclosure import edits

FRAME = pd.DataFrame(
    {
        "age": [30, 95, 999, 17, 95],
        "pay": [1.5, np.nan, 3.0, 250.0, 10.0],
        "code": pd.array([1, None, 3, 4, 5], dtype="Int64"),
        "sex": list("mmffm"),
    },
    index=[3, 1, 4, 2, 5],
)


def kinds() -> list[Any]:
    return [FRAME, pl.from_pandas(FRAME), pl.from_pandas(FRAME).to_arrow()]


def column(frame: Any, name: str) -> list[Any]:
    values = frame[name]
    return values.to_pylist() if hasattr(values, "to_pylist") else values.to_list()


class TestCoding:
    @pytest.mark.parametrize("frame", kinds(), ids=lambda f: type(f).__module__)
    def test_keeps_the_kind_of_frame_and_of_column(self, frame: Any) -> None:
        edited = sdc.top_code(frame, {"age": 90, "code": 4}, exclude={"age": 999})
        assert type(edited.synthetic) is type(frame)
        assert column(edited.synthetic, "age") == [30, 90, 999, 17, 90]
        assert edited.changes["count"].tolist() == [2, 1]
        assert edited.count == 3
        if isinstance(frame, pd.DataFrame):
            assert edited.synthetic.dtypes.equals(frame.dtypes)
            assert edited.synthetic.index.equals(frame.index)
        assert column(frame, "age") == [30, 95, 999, 17, 95]

    def test_missing_stays_missing(self) -> None:
        edited = sdc.bottom_code(FRAME, {"pay": 2})
        assert edited.synthetic["pay"].fillna(-1).tolist() == [2, -1, 3, 250, 10]

    def test_a_limit_between_integers_makes_decimals(self) -> None:
        assert sdc.top_code(FRAME, {"age": 90.5}).synthetic["age"].max() == 90.5

    def test_a_list_gives_a_list(self) -> None:
        edited = sdc.top_code([FRAME, FRAME], {"age": 90})
        assert isinstance(edited.synthetic, list)
        assert edited.changes["source"].tolist() == ["synthetic 1", "synthetic 2"]

    @pytest.mark.parametrize(
        ("limits", "says"), [({"aeg": 1}, "Did you mean 'age'"), ({"sex": 1}, "is not numeric")]
    )
    def test_mistakes_are_refused(self, limits: dict[str, float], says: str) -> None:
        with pytest.raises(ColumnError, match=says):
            sdc.top_code(FRAME, limits)
        with pytest.raises(StudyError, match="limits: expected at least one column"):
            sdc.top_code(FRAME, {})

    def test_a_limit_that_is_no_number_is_refused(self) -> None:
        """As a quantile of values of which some are missing: nothing would be changed."""
        limit = float(np.quantile([1.0, np.nan], 0.99))
        for edit in (sdc.top_code, sdc.bottom_code):
            with pytest.raises(StudyError, match="limits: that of 'age' is NaN"):
                edit(FRAME, {"age": limit})

    def test_in_a_column_without_values_there_is_nothing_to_edit(self) -> None:
        empty = FRAME.assign(age=np.nan)
        assert [sdc.top_code(frame, {"age": 90}).count for frame in (FRAME, empty)] == [3, 0]
        with pytest.raises(ColumnError, match="has fewer than 5 values to smooth"):
            sdc.smooth(empty, "age")


class TestRemoveReplicatedUniques:
    @pytest.mark.parametrize("replica", kinds(), ids=lambda f: type(f).__module__)
    def test_removes_what_is_unique_in_both(self, replica: Any) -> None:
        original = pd.DataFrame({"age": [30, 17, 17, 95], "sex": list("mffm")})
        edited = sdc.remove_replicated_uniques(original, replica, keys=["age", "sex"])
        assert column(edited.synthetic, "age") == [95, 999, 17, 95]
        assert edited.count == 1
        again = sdc.replicated_uniques(original, edited.synthetic, keys=["age", "sex"])
        assert again.table.loc["Replicated uniques", "number"] == 0

    def test_or_all_that_is_unique_in_the_replica(self) -> None:
        edited = sdc.remove_replicated_uniques(FRAME, FRAME, keys="age", which="unique")
        assert edited.synthetic["age"].tolist() == [95, 95]


class TestSmooth:
    def test_ranks_and_codes_stay_and_values_do_not(self) -> None:
        values = np.random.default_rng(1).integers(18, 80, 800).astype(float)
        values[:50] = -8
        frame = pd.DataFrame({"age": values})
        edited = sdc.smooth(frame, "age", exclude={"age": -8})
        smoothed = edited.synthetic["age"].to_numpy()
        assert (smoothed[:50] == -8).all()
        assert edited.count > 700
        order = np.argsort(values[50:], kind="stable")
        assert (np.diff(smoothed[50:][order]) >= 0).all()
        assert np.abs(smoothed[50:] - values[50:]).max() < 3
        assert len(np.unique(smoothed)) > 500

    def test_the_smallest_and_the_largest_are_among_the_points_of_the_curve(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(edits, "_POINTS", 7)
        values = np.random.default_rng(2).exponential(size=60)
        smoothed = sdc.smooth(pd.DataFrame({"x": values}), "x", penalty=0).synthetic["x"]
        assert smoothed.idxmin() == values.argmin()
        assert [smoothed.min(), smoothed.max()] == pytest.approx([values.min(), values.max()])

    def test_a_constant_stays(self) -> None:
        assert sdc.smooth(pd.DataFrame({"x": [2.0] * 9}), "x").count == 0

    def test_too_few_values_are_refused(self) -> None:
        assert sdc.smooth(FRAME, "age").count > 0  # five are enough
        with pytest.raises(ColumnError, match="fewer than 5 values"):
            sdc.smooth(FRAME.head(3), "age")

    def test_no_column_is_refused(self) -> None:
        with pytest.raises(StudyError, match="variables: expected at least one column name"):
            sdc.smooth(FRAME, [])
