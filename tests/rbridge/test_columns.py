"""What data become on their way to R and back; no R is needed."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sdcmetrics import rbridge
from sdcmetrics.errors import ColumnError, RError, StudyError
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.coding import CodedVariable
from sdcmetrics.rbridge import presentation
from sdcmetrics.rbridge.columns import NA_INTEGER, as_frame, by_synthesis, long_frame, wide
from sdcmetrics.rbridge.defects import DEFECTS
from sdcmetrics.rbridge.wire import RColumn, RFrame

R_NA = 0x7FF00000000007A2


def bits(column: RColumn) -> list[int]:
    return np.asarray(column.values).view(np.uint64).tolist()


def test_missing_numbers_are_rs_na_and_not_nan() -> None:
    original = pd.DataFrame({"x": [1.0, np.nan, 3.0]})
    synds = rbridge.as_synds(original, original)
    assert bits(synds.original.columns["x"])[1] == R_NA
    assert bits(synds.syntheses[0].columns["x"])[1] == R_NA


def test_both_sides_get_factors_over_one_set_of_levels_in_one_order() -> None:
    original = pd.DataFrame({"x": pd.Categorical(["b", "a", None], categories=["b", "a", "u"])})
    replica = pd.DataFrame({"x": ["a", "new", "b"]})
    synds = rbridge.as_synds(replica, original)
    first, second = synds.original.columns["x"], synds.syntheses[0].columns["x"]
    assert first.levels == second.levels == ("b", "a", "u", "new")
    assert first.values.tolist() == [1, 2, NA_INTEGER]  # type: ignore[union-attr]
    assert second.values.tolist() == [2, 4, 1]  # type: ignore[union-attr]
    assert any("does not have" in fix for fix in synds.fixes)


def test_columns_stand_in_the_originals_order_and_extra_ones_are_left_out() -> None:
    original = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    replica = pd.DataFrame({"z": [0], "b": [1.0], "a": [2.0]})
    synds = rbridge.as_synds(replica, original)
    assert synds.columns == ["a", "b"] == list(synds.syntheses[0].columns)
    assert synds.original.columns["a"].kind == synds.syntheses[0].columns["a"].kind == "number"
    assert any("'z'" in fix for fix in synds.fixes)


def test_logicals_and_dates_keep_their_kind() -> None:
    frame = pd.DataFrame(
        {
            "flag": pd.array([True, None], dtype="boolean"),
            "day": [dt.date(1970, 1, 2), None],
            "time": pd.to_datetime(["1970-01-01 00:00:01", None]),
        }
    )
    columns = rbridge.as_synds(frame, frame).original.columns
    assert columns["flag"].kind == "boolean"
    assert columns["flag"].values.tolist() == [1, NA_INTEGER]  # type: ignore[union-attr]
    assert columns["day"].kind == "date"
    assert columns["day"].values[0] == 1.0
    assert bits(columns["day"])[1] == R_NA
    assert columns["time"].kind == "time"
    assert columns["time"].values[0] == 1.0


def test_as_they_are_keeps_text_integers_and_own_levels() -> None:
    original = pd.DataFrame({"t": ["a", None], "i": pd.array([1, None], dtype="Int64")})
    replica = pd.DataFrame({"t": pd.Categorical(["z", "a"]), "i": [1.5, 2.5]})
    synds = rbridge.as_synds(replica, original, harmonise=False)
    first, second = synds.original.columns, synds.syntheses[0].columns
    assert (first["t"].kind, first["t"].values) == ("text", ["a", None])
    assert (first["i"].kind, second["i"].kind) == ("integer", "number")
    assert second["t"].levels == ("a", "z")


@pytest.mark.parametrize(
    ("original", "replica", "number"),
    [
        ({"x": [1.0, 2.0]}, {"x": [1.0, np.nan]}, "B6"),
        ({"x": ["a", "b"]}, {"x": ["a", None]}, "A9"),
        ({"x": [1.0, 1.0]}, {"x": [1.0, 1.0]}, "A1"),
        ({"x": [True, False]}, {"x": [True, True]}, "B1"),
        ({"x": ["Missing", None]}, {"x": ["Missing", None]}, "B8"),
    ],
)
def test_data_that_trigger_a_defect_are_marked(
    original: dict[str, list[object]], replica: dict[str, list[object]], number: str
) -> None:
    synds = rbridge.as_synds(pd.DataFrame(replica), pd.DataFrame(original))
    assert number in synds.defects
    assert number in DEFECTS


def test_syntheses_of_unequal_size_are_marked() -> None:
    frame = pd.DataFrame({"x": ["a", "b", "c"]})
    assert rbridge.as_synds([frame, frame.head(2)], frame).defects == ("B20",)


def test_a_column_called_y_is_not_given_to_syn() -> None:
    frame = pd.DataFrame({"y": [1, 2], "x": [1, 2]})
    with pytest.raises(RError, match="B22") as caught:
        rbridge.syn(frame)
    assert caught.value.defects == ("B22",)


def test_wrong_arguments_are_told() -> None:
    frame = pd.DataFrame({"x": ["a", "b"]})
    with pytest.raises(StudyError, match="how: expected"):
        rbridge.as_synds(frame, frame, how="other")  # type: ignore[arg-type]
    with pytest.raises(StudyError, match=r"expected an sdcmetrics\.Synds"):
        rbridge.utility_tab(frame, "x")  # type: ignore[arg-type]
    with pytest.raises(ColumnError, match="Did you mean 'x'"):
        rbridge.utility_tab((frame, frame), "X")
    with pytest.raises(ColumnError, match="not_synthesised"):
        rbridge.as_synds(frame, frame, not_synthesised=["q"])


def test_frames_of_r_become_frames_of_pandas() -> None:
    frame = RFrame(
        {
            "n": RColumn("number", np.array([1.5, np.nan])),
            "i": RColumn("integer", np.array([1, NA_INTEGER], np.int32)),
            "b": RColumn("boolean", np.array([1, 0], np.int32)),
            "m": RColumn("boolean", np.array([1, NA_INTEGER], np.int32)),
            "c": RColumn("category", np.array([2, NA_INTEGER], np.int32), ("u", "v")),
            "o": RColumn("ordered", np.array([2, 1], np.int32), ("low", "high")),
            "d": RColumn("date", np.array([1.0, np.nan])),
            "t": RColumn("text", ["x", None]),
        },
        2,
    )
    got = as_frame(frame)
    assert got["n"].tolist()[0] == 1.5
    assert got["i"].dtype == "Int64"
    assert got["b"].tolist() == [True, False]
    assert got["m"].dtype == "boolean"
    assert got["c"].tolist()[0] == "v"
    assert got["c"].isna().tolist() == [False, True]
    assert got["o"].cat.ordered
    assert got["d"].tolist()[0] == pd.Timestamp("1970-01-02")
    assert got["t"].isna().tolist() == [False, True]


def flat(**columns: list[object]) -> RFrame:
    made = {
        name: RColumn("text", values)  # type: ignore[arg-type]
        if isinstance(values[0], str)
        else RColumn("number", np.array(values, dtype=float))
        for name, values in columns.items()
    }
    return RFrame(made, len(next(iter(columns.values()))))


def test_flat_tables_are_spread_over_columns() -> None:
    table = flat(synthesis=[1, 2, 1, 2], symbol=["a", "a", "b", "b"], value=[1.0, 2.0, 3.0, 4.0])
    got = by_synthesis(table)
    assert got.index.tolist() == [1, 2]
    assert got["b"].tolist() == [3.0, 4.0]


def test_flat_tables_with_two_keys_keep_their_order() -> None:
    table = flat(
        variable=["v", "v", "u"],
        level=["z", "a", "z"],
        symbol=["n", "n", "n"],
        value=[1.0, 2.0, 3.0],
    )
    assert wide(table, ["variable", "level"]).index.tolist() == [("v", "z"), ("v", "a"), ("u", "z")]


def test_no_table_is_an_empty_frame() -> None:
    assert long_frame(None, ["a"]).columns.tolist() == ["a"]
    assert len(long_frame(None, ["a"])) == 0


class TestPresentation:
    """Labels that mean the same as position and as text."""

    data = pair(
        pd.DataFrame({"k": [10, 9, 100], "c": ["b", "a", "b"], "f": [True, False, True]}),
        pd.DataFrame({"k": [9, 11, 9], "c": ["a", None, "b"], "f": [True, True, True]}),
    )

    def test_labels_are_numbers_in_order(self) -> None:
        session = rbridge.Session()
        synds = presentation.aligned(self.data, ["k", "c", "f"], session)
        assert synds.columns == ["v0001", "v0002", "v0003"]
        assert synds.original.columns["v0001"].levels == ("1", "2", "3", "4")
        assert synds.original.columns["v0001"].values.tolist() == [2, 1, 4]  # type: ignore[union-attr]
        assert synds.syntheses[0].columns["v0001"].values.tolist() == [1, 3, 1]  # type: ignore[union-attr]

    def test_missing_on_one_side_is_a_level_where_asked(self) -> None:
        session = rbridge.Session()
        level = presentation.aligned(self.data, ["c"], session)
        assert level.syntheses[0].columns["v0001"].values.tolist() == [1, 3, 2]  # type: ignore[union-attr]
        missing = presentation.aligned(self.data, ["c"], session, missing_is_level=False)
        values = missing.syntheses[0].columns["v0001"].values
        assert values.tolist() == [1, NA_INTEGER, 2]  # type: ignore[union-attr]
        sizes = [len(of.original.columns["v0001"].levels) for of in (level, missing)]
        assert sizes == [3, 2]

    def test_more_than_nine_labels_sort_as_text(self) -> None:
        frame = pd.DataFrame({"x": range(11)})
        synds = presentation.aligned(pair(frame, frame), ["x"], rbridge.Session())
        levels = synds.original.columns["v0001"].levels
        assert list(levels) == sorted(levels)


def test_a_table_of_arrow_is_as_good() -> None:
    table = pa.table({"x": ["a", "b"]})
    assert rbridge.as_synds(table, table).columns == ["x"]


@pytest.mark.parametrize(
    ("labels", "original", "replica", "levels", "codes"),
    [
        ((None,), [0, 0], [0], (), [NA_INTEGER]),  # nobody has a value
        (("a", None), [0, 1], [1, 0], ("1",), [NA_INTEGER, 1]),
        (("a", None), [0, 0], [1, 0], ("1", "2"), [2, 1]),  # missing in the replica alone
        (("a", "b"), [0, 1], [1, 1], ("1", "2"), [2, 2]),
    ],
)
def test_missing_is_a_level_where_the_original_has_none(
    labels: tuple[str | None, ...],
    original: list[int],
    replica: list[int],
    levels: tuple[str, ...],
    codes: list[int],
) -> None:
    parts = (np.array(original, np.int8), np.array(replica, np.int8))
    _, column = presentation._factors(CodedVariable("x", labels, parts), missing_is_level=True)
    assert column.levels == levels
    assert np.asarray(column.values).tolist() == codes
