"""Which file stands where in a pair, under which name; labels of records by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import DataError, StudyError
from sdcmetrics.measures.exchangeable import LabelTest, label_test
from sdcmetrics.measures.pair import (
    Pair,
    _is_same,
    list_syntheses,
    one_synthesis,
    pair,
    per_name,
    refuse_copy,
    same_records,
    stacked,
)
from sdcmetrics.measures.records import records_of, records_of_pair
from sdcmetrics.measures.survey.households import Households
from sdcmetrics.microdata.frames import Microdata, as_microdata


def file(start: int, n: int, name: str = "file", **more: Any) -> Microdata:
    x = np.arange(start, start + n, dtype=float)
    return as_microdata(pd.DataFrame({"x": x, "g": [*"ab"] * (n // 2), **more}), name)


def whole(**given: Any) -> Pair:
    return Pair("r", file(0, 6), [file(100, 4), file(200, 2)], file(300, 2), **given)


def test_files_of_one_name_are_told_apart_by_their_place() -> None:
    names = [data.source for data in whole().data_sets]
    assert names == [
        "original (file)", "synthetic 1 (file)", "synthetic 2 (file)", "holdout (file)",
    ]  # fmt: skip
    both = whole()
    assert both.m == 2
    assert [data.n for data in both.syntheses] == [4, 2]
    assert both.holdout is not None
    assert both.holdout.source == "holdout (file)"
    assert both.data.sizes == (6, 4, 2)
    assert both.beside_holdout.sizes == (6, 4, 2, 2)
    assert both.real().sizes == (6, 2)
    assert both.columns(["x"]).sizes == (6, 4, 2)
    assert both.columns(["x"], holdout=True).sizes == (6, 4, 2, 2)
    alone = Pair("r", file(0, 6), [file(100, 4)])
    assert alone.holdout is None
    assert alone.columns(["x"], holdout=True).sizes == (6, 4)
    with pytest.raises(DataError, match="there is no holdout"):
        _ = alone.beside_holdout


def test_codes_for_missing_of_other_columns_are_not_this_comparisons_business() -> None:
    both = whole(variables=["x"], missing_codes={"g": "a", "x": 0})
    assert both.data.variables["x"].missing_codes == (0,)
    assert both.real().variables.keys() == {"x"}


def test_what_is_made_once_is_kept_where_it_belongs() -> None:
    shared: dict[Any, Any] = {}
    first, second = whole(shared=shared), whole(shared=shared)
    assert first.cached("a", lambda: 1) == first.cached("a", lambda: 2) == 1
    assert second.cached("a", lambda: 3) == 3
    assert (
        first.cached("b", lambda: 4, shared=True) == second.cached("b", lambda: 5, shared=True) == 4
    )
    assert whole().cached("b", lambda: 6, shared=True) == 6


def test_earlier_files_are_others_and_have_the_columns() -> None:
    again, other, narrow = file(100, 4, "again"), file(400, 4, "other"), file(500, 4, "narrow")
    narrow = as_microdata(narrow.to_pandas()[["x"]], "narrow")
    both = whole(earlier=(again, other, narrow))
    assert [data.source for data in both.earlier(["x", "g"])] == ["other"]
    assert [(fix.source, fix.column) for fix in both.fixes] == [("narrow", "g")]
    assert [data.source for data in whole(earlier=(again, narrow)).earlier(["x"])] == ["narrow"]


def test_records_of_a_synthesis_and_the_holdout() -> None:
    records = records_of_pair(whole(), 2)
    assert (records.n, records.m, records.h, records.names) == (6, 2, 2, ("x", "g"))
    x, g = records.columns
    assert [part[0] for part in x.parts] == [0, 200, 300]
    assert (x.numeric, g.numeric, g.levels) == (True, False, ("a", "b"))
    plain = records.without_holdout()
    assert (plain.h, [len(column.parts) for column in plain.columns]) == (0, [2, 2])
    assert plain.without_holdout() is plain
    without = records_of(whole().data, 1)
    assert (without.n, without.m, without.h, without.columns[0].holdout) == (6, 4, 0, None)


def test_syntheses_are_stacked_between_original_and_holdout() -> None:
    data = stacked(whole().beside_holdout, 2)
    assert data.sizes == (6, 6, 2)
    assert data.sources == ("original (file)", "2 syntheses", "holdout (file)")
    assert data.variables["x"].values[1].tolist() == [100, 101, 102, 103, 200, 201]
    assert data.variables["x"].values[2].tolist() == [300, 301]
    assert [len(part) for part in data.variables["g"].codes] == [6, 6, 2]
    three = Pair("r", file(0, 6), [file(100, 4), file(200, 2), file(400, 4)], file(300, 2))
    data = stacked(three.beside_holdout, 3)
    assert data.sizes == (6, 10, 2)
    assert data.sources == ("original (file)", "3 syntheses", "holdout (file)")
    single = whole().data
    assert stacked(single, 1) is single
    alone = stacked(Pair("r", file(0, 6), [file(100, 4), file(200, 2)]).data, 2)
    assert alone.sizes == (6, 6)
    assert alone.variables["x"].values[1].tolist() == [100, 101, 102, 103, 200, 201]


def test_one_synthesis_or_several() -> None:
    frame = pd.DataFrame({"x": [1, 2]})
    assert [data.source for data in list_syntheses([frame, frame], None)] == [
        "synthetic 1",
        "synthetic 2",
    ]
    assert [data.source for data in list_syntheses([frame], None)] == ["synthetic"]
    with pytest.raises(DataError, match="at least one synthetic data set"):
        list_syntheses([], None)
    assert one_synthesis(frame) is one_synthesis([frame]) is frame
    for several in ([], [frame, frame]):
        with pytest.raises(DataError, match=f"one synthesis but got {len(several)}"):
            one_synthesis(several)
    assert [*pair(frame.assign(y=1), frame.assign(y=2), variables="x").variables] == ["x"]


@pytest.mark.parametrize(
    ("given", "spread"),
    [
        (None, {"a": 0, "b": 0}),
        (7, {"a": 7, "b": 7}),
        ("word", {"a": "word", "b": "word"}),
        ([1, 2], {"a": 1, "b": 2}),
        ({"b": 2}, {"a": 0, "b": 2}),
    ],
)
def test_an_option_is_spread_over_columns(given: Any, spread: dict[str, Any]) -> None:
    assert per_name("bins", given, ["a", "b"], 0) == spread


@pytest.mark.parametrize(
    ("given", "words"),
    [([1], "bins: expected 2 values, one per column, but got 1"), ({"c": 1}, "'c' is none of the")],
)
def test_an_option_that_does_not_fit_is_refused(given: Any, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        per_name("bins", given, ["a", "b"], 0)


def test_records_that_stand_out_by_label() -> None:
    test = label_test(np.array([True, True, False, True, False, False, False]), 3)
    assert (test.training, test.holdout, test.n_training, test.n_holdout) == (2, 1, 3, 4)
    assert test.expected == pytest.approx(3 * 3 / 7)
    assert test.by_chance == round(7 / 4)
    assert test.p_value == pytest.approx((3 * 4 + 1) / 35)  # two or three of 3, of 7 records
    assert LabelTest(2, 0, 3, 0).by_chance == 0
    assert LabelTest(0, 0, 3, 2).p_value == 1
    assert LabelTest(0, 2, 3, 2).by_chance == 5
    drawn = LabelTest(2, 1, 3, 4, np.array([0.0, 1, 2, 3]))
    assert drawn.p_value == 3 / 5
    pairs = Households(np.array([0, 0, 1, 1]), 2)
    assert label_test(np.array([True, True, False, False]), 2, pairs).p_value == pytest.approx(
        0.5, abs=0.05
    )


@pytest.mark.parametrize(
    "counts", [(4, 0, 3, 3), (0, 4, 3, 3), (-1, 0, 3, 3), (0, -1, 3, 3), (0, 0, 0, 0)]
)
def test_counts_beyond_the_records_are_refused(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(DataError, match="expected counts of at least 0"):
        LabelTest(*counts)
    LabelTest(3, 3, 3, 3)
    LabelTest(0, 0, 0, 1)


@pytest.mark.parametrize(
    ("large", "digests", "same"),
    [
        ((False, False), ("1", "2"), True),  # of another format, with the same values
        ((True, False), ("1", "2"), False),
        ((False, True), ("1", "2"), False),
        ((True, True), ("1", "1"), True),
        ((True, True), (None, None), False),
    ],
)
def test_files_too_large_to_be_read_are_the_same_by_their_bytes(
    large: tuple[bool, bool], digests: tuple[str | None, str | None], *, same: bool
) -> None:
    table = file(0, 4).table
    first, other = (
        SimpleNamespace(large=whole, sha256=digest, table=table)
        for whole, digest in zip(large, digests, strict=True)
    )
    assert _is_same(first, other) is same  # type: ignore[arg-type]


def test_small_files_are_the_same_by_their_values() -> None:
    assert not _is_same(file(0, 4), file(1, 4))
    assert _is_same(file(0, 4), file(0, 4))


@pytest.mark.parametrize(
    ("first", "other", "same"),
    [([1, 2, 2], [2, 1, 2], True), ([1, 2, 2], [2, 1, 1], False), ([1, 2], [1, 2, 2], False)],
)
def test_the_same_records_in_any_order(first: Any, other: Any, *, same: bool) -> None:
    assert same_records(np.array(first), np.array(other)) is same


def test_a_holdout_that_is_the_original_is_refused_by_both_names() -> None:
    names = ("people.csv", "aside.csv")
    with pytest.raises(DataError, match=r"^aside.csv holds the same records as people.csv\. A"):
        refuse_copy(np.array([1, 2, 2]), np.array([2, 1, 2]), names)
    refuse_copy(np.array([1, 2, 2]), np.array([1, 1, 2]), names)
