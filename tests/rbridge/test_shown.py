"""How data are shown to synthpop, kind by kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics import rbridge
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.coding import by_groups
from sdcmetrics.microdata.frames import Fix, as_microdata
from sdcmetrics.rbridge import presentation
from sdcmetrics.rbridge.columns import NA_INTEGER, as_frame, from_microdata, long_frame, wide
from sdcmetrics.rbridge.presentation import aligned, as_user_would, needs_grouping_here, r_names
from sdcmetrics.rbridge.wire import RColumn, RFrame
from tests.rbridge.standing import Standing, flat

DAYS = pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])


def values(column: RColumn) -> Any:
    return np.asarray(column.values).tolist()


@pytest.mark.parametrize(
    ("name", "in_r"),
    [
        ("a_b.c1", "a_b.c1"), ("é", "é"), (".a", ".a"), (".1a", "X.1a"), ("_a", "X_a"),
        ("1", "X1"), ("-", "X."), ("-a", "X.a"), ("if", "if."), ("TRUE", "TRUE."),
        (".", "."), ("NA", "NA."),
        ("NA_real_", "NA_real_."), ("NA_integer_", "NA_integer_."), ("NA_real", "NA_real"),
    ],
)  # fmt: skip
def test_names_are_those_that_r_would_make(name: str, in_r: str) -> None:
    assert r_names([name]) == {name: in_r}


def test_names_that_r_would_make_alike_are_numbered() -> None:
    names = ["a b", "a.b", "a-b", "a.b.1"]
    assert [*r_names(names).values()] == ["a.b", "a.b.2", "a.b.3", "a.b.1"]  # as R numbers them
    assert [*presentation.safe_names(["x", "y"]).values()] == ["v0001", "v0002"]


def test_kinds_are_shown_as_they_are_and_dates_as_numbers_where_asked() -> None:
    frame = pd.DataFrame(
        {"n": [1.0, -8, 3], "d": DAYS, "a b": list("xyx"), "f": [True, False, True]}
    )
    data = pair(frame, frame, missing_codes={"n": [-8]})
    session = Standing()
    names = ["d", "n", "a b", "f"]
    plain = as_user_would(data, names, session)
    assert plain.columns == ["d", "n", "a.b", "f"]
    kinds = [column.kind for column in plain.original.columns.values()]
    assert kinds == ["date", "number", "category", "boolean"]
    assert plain.codes == {"n": (-8.0,)}
    assert plain.session is session
    grouped = as_user_would(data, names, session, dates_as_numbers=True)
    kinds = [column.kind for column in grouped.syntheses[0].columns.values()]
    assert kinds == ["number", "number", "category", "boolean"]


def test_numbers_stay_numbers_where_synthpop_groups_them_and_rules_hold_for_the_rest() -> None:
    frame = pd.DataFrame({"n": [1.0, -8, 3], "m": [1.0, 2, 3], "c": list("xyx")})
    data = pair(frame, frame[::-1], missing_codes={"n": [-8], "m": [-9]})
    rules = {"m": by_groups(2), "n": by_groups(2)}
    result = aligned(data, ["c", "n", "m"], Standing(), numbers=["n"], rules=rules)
    assert result.codes == {"v0002": (-8.0,)}
    columns = result.original.columns
    assert [columns[name].kind for name in result.columns] == ["category", "number", "category"]
    assert values(columns["v0002"]) == [1.0, -8.0, 3.0]
    assert values(columns["v0003"]) == [1, 2, 2]
    assert (result.original.n, result.syntheses[0].n) == (3, 3)


@pytest.mark.parametrize(
    ("original", "replica", "as_level", "codes", "levels"),
    [
        ("ab", "ba", True, [[1, 2], [2, 1]], 2),
        ("ab", "b-", True, [[1, 2], [2, 3]], 3),
        ("ab", "b-", False, [[1, 2], [2, NA_INTEGER]], 2),
        ("a-", "b-", True, [[1, NA_INTEGER], [2, NA_INTEGER]], 2),
        ("a-", "ba", False, [[1, NA_INTEGER], [2, 1]], 2),
    ],
)
def test_missing_is_a_level_where_only_a_synthesis_has_it(
    original: str, replica: str, codes: list[list[int]], levels: int, *, as_level: bool
) -> None:
    frames = [
        pd.DataFrame({"x": [None if c == "-" else c for c in part], "z": [1, 2]})
        for part in (original, replica)
    ]
    result = aligned(pair(*frames), ["x"], Standing(), missing_is_level=as_level)
    parts = [result.original.columns["v0001"], result.syntheses[0].columns["v0001"]]
    assert [values(part) for part in parts] == codes
    assert [len(part.levels) for part in parts] == [levels] * 2


@pytest.mark.parametrize(
    ("original", "replica", "here"),
    [
        ([1.0, 2], [2.0, 1], False),
        ([1.0, 1], [1.0, 1], True),
        ([1.0, 1], [1.0, 2], False),
        ([1.0, np.nan], [1.0, np.nan], True),
        ([1.0, -8], [1.0, -8], True),
        ([1.0, 2], [1.0, np.nan], True),  # only a synthesis misses it
        ([1.0, np.nan], [-8.0, -8], True),  # none of the replica's is a value
        (["a", "a"], ["a", "a"], False),
        ([True, True], [True, True], False),
        ([DAYS[0], DAYS[0]], [DAYS[0], DAYS[0]], True),
        ([DAYS[0], DAYS[1]], [DAYS[0], DAYS[0]], False),
    ],
)
def test_numbers_that_synthpop_cannot_group(original: Any, replica: Any, *, here: bool) -> None:
    frames = [pd.DataFrame({"x": part, "z": [1, 2]}) for part in (original, replica)]
    given: Any = {"x": [-8]} if isinstance(original[0], float) else None
    data = pair(*frames, missing_codes=given)
    assert needs_grouping_here(data.variables["x"]) is here


def test_times_are_dates_where_all_of_both_are_whole_days() -> None:
    whole = pd.DataFrame({"x": [DAYS[0], pd.NaT]})
    part = pd.DataFrame({"x": [DAYS[0], DAYS[1] + pd.Timedelta(seconds=1)]})
    for frames, kind, first in (
        ((whole, whole), "date", 18262.0),
        ((whole, part), "time", 18262 * 86400.0),
        ((part, whole), "time", 18262 * 86400.0),
    ):
        columns = rbridge.as_synds(frames[1], frames[0], session=Standing()).original.columns
        assert columns["x"].kind == kind
        assert values(columns["x"])[0] == first


def test_what_is_shown_as_it_is_keeps_its_type() -> None:
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None, -(2**31) + 1], dtype="Int64"),
            "big": [1, 2, 2**31],
            "none": [None] * 3,
            "f": pd.array([True, None, False], dtype="boolean"),
            "o": pd.Categorical(["lo", None, "hi"], categories=["lo", "hi"], ordered=True),
            "c": pd.Categorical(["lo", None, "hi"]),
            "d": DAYS,
            "t": DAYS + pd.Timedelta(milliseconds=500),
        }
    )
    fixes: list[Fix] = []
    result = from_microdata(as_microdata(frame, "data"), fixes)
    kinds = {name: column.kind for name, column in result.columns.items()}
    assert kinds == {
        "i": "integer", "big": "number", "none": "number", "f": "boolean", "o": "ordered",
        "c": "category", "d": "date", "t": "time",
    }  # fmt: skip
    assert values(result.columns["i"]) == [1, NA_INTEGER, NA_INTEGER + 1]
    assert np.isnan(values(result.columns["none"])).all()
    assert values(result.columns["f"]) == [1, NA_INTEGER, 0]
    assert result.columns["o"].levels == ("lo", "hi")
    assert values(result.columns["o"]) == [1, NA_INTEGER, 2]
    assert values(result.columns["t"])[0] == 18262 * 86400 + 0.5
    low = from_microdata(as_microdata(pd.DataFrame({"x": [-(2**31), 1]}), "data"), fixes)
    assert low.columns["x"].kind == "number"  # R's NA is no value


def test_frames_come_back_with_what_is_missing() -> None:
    frame = as_frame(
        RFrame(
            {
                "m": RColumn("time", np.array([1.5, np.nan])),
                "d": RColumn("date", np.array([np.nan, 2.0])),
                "b": RColumn("boolean", np.array([NA_INTEGER, 1], np.int32)),
                "i": RColumn("integer", np.array([3, 4], np.int32)),
                "j": RColumn("integer", np.array([NA_INTEGER, 4], np.int32)),
                "t": RColumn("text", ["x", "y"]),
                "c": RColumn("category", np.array([1, 2], np.int32), ("u", "v")),
            },
            2,
        )
    )
    assert frame["m"][0] == pd.Timestamp("1970-01-01 00:00:01.5")
    assert frame["d"][1] == pd.Timestamp("1970-01-03")
    assert frame[["m", "d", "b", "j"]].isna().to_numpy().tolist() == [
        [False, True, True, True],
        [True, False, False, False],
    ]
    assert (frame["i"].dtype, frame["i"].tolist()) == ("int64", [3, 4])
    assert frame["b"][1] is True or bool(frame["b"][1])
    assert frame["c"].tolist() == ["u", "v"]
    assert not frame["c"].cat.ordered
    assert frame["t"].tolist() == ["x", "y"]


def test_symbols_stand_in_the_order_in_which_they_come() -> None:
    table = flat(term=["b", "a", "b"], symbol=["z", "z", "p"], value=[1.0, 2.0, 3.0])
    result = wide(table, "term")
    assert [*result.columns] == ["z", "p"]
    assert result.index.tolist() == ["b", "a"]
    assert np.isnan(result.loc["a", "p"])
    assert len(wide(None, ["variable", "level"])) == 0
    assert len(wide(None, "term")) == 0
    assert long_frame(table, ["x"]).columns.tolist() == ["term", "symbol", "value"]
