"""Marginal tables of several data sets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdcmetrics.errors import NotComputable, StudyError
from sdcmetrics.measures.crosstables import margins
from sdcmetrics.measures.crosstables.margins import count_margins
from sdcmetrics.measures.pair import pair
from sdcmetrics.microdata.coding import Coded, CodedVariable, by_value, encode


def coded(training: pd.DataFrame, *others: pd.DataFrame) -> Coded:
    data = pair(training, list(others))
    return encode(data, by_value, list(data.variables))


def test_counts_every_data_set_and_says_where_each_record_is() -> None:
    data = coded(
        pd.DataFrame({"x": list("aab"), "y": list("uvv")}),
        pd.DataFrame({"x": list("bb"), "y": list("uv")}),
    )
    (margin,) = count_margins(data, [("x", "y")])
    assert margin.counts.tolist() == [[1, 1, 0, 1], [0, 0, 1, 1]]
    assert [part.tolist() for part in margin.cells] == [[0, 1, 3], [2, 3]]


def test_agrees_with_pandas() -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({name: rng.choice(list("abc"), 50) for name in "xyz"})
    (margin,) = count_margins(coded(frame, frame[:20]), [("x", "z")])
    expected = pd.crosstab(frame["x"], frame["z"]).to_numpy().ravel()
    assert margin.counts[0].tolist() == expected.tolist()


def test_records_with_a_missing_value_can_be_left_out() -> None:
    data = coded(
        pd.DataFrame({"x": ["a", None], "y": ["u", "v"]}),
        pd.DataFrame({"x": ["a", "a"], "y": ["u", None]}),
    )
    (margin,) = count_margins(data, [("x", "y")], use_missing=False)
    assert margin.counts.sum(axis=1).tolist() == [1, 1]
    assert [part.tolist()[1] for part in margin.cells] == [-1, -1]


def test_no_record_left_is_an_error_that_names_the_columns() -> None:
    data = coded(pd.DataFrame({"x": ["a"]}), pd.DataFrame({"x": [None]}, dtype=object))
    with pytest.raises(NotComputable, match="has a value in all of: 'x'"):
        list(count_margins(data, [("x",)], use_missing=False))


def test_a_column_without_any_value_leaves_no_record() -> None:
    empty = pd.DataFrame({"x": [None, None]}, dtype=object)
    (margin,) = count_margins(coded(empty, empty), [("x",)])
    assert margin.counts.tolist() == [[2], [2]]
    with pytest.raises(NotComputable, match="has a value in all of: 'x'"):
        list(count_margins(coded(empty, empty), [("x",)], use_missing=False))


def test_tables_that_begin_alike_are_those_counted_alone() -> None:
    rng = np.random.default_rng(6)
    frames = [
        pd.DataFrame({name: rng.choice([*"abc", None], n) for name in "xyz"}) for n in (50, 30)
    ]
    data = coded(*frames)
    tables = [("x",), ("x", "y"), ("x", "z"), ("y", "z"), ("x", "y", "z"), ("z", "x")]
    for use_missing in (True, False):
        counted = [*count_margins(data, tables, use_missing=use_missing)]
        for margin, table in zip(counted, tables, strict=True):
            (alone,) = count_margins(data, [table], use_missing=use_missing)
            assert margin.variables == alone.variables == table
            assert margin.counts.tolist() == alone.counts.tolist()
            for cells, others, counts in zip(margin.cells, alone.cells, margin.counts, strict=True):
                assert cells.tolist() == others.tolist()
                kept = cells[cells >= 0]
                assert np.bincount(kept, minlength=len(counts)).tolist() == counts.tolist()


def test_a_table_too_large_to_count_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = CodedVariable("x", tuple(map(str, range(5000))), (np.zeros(1), np.zeros(1)))  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="max_levels: the table of 'x' by 'x' has 25,000,000"):
        list(count_margins(Coded({"x": wide}, (1, 1)), [("x", "x")]))
    pairs = coded(*[pd.DataFrame({"x": list("aab"), "y": list("uvv")})] * 2)
    monkeypatch.setattr(margins, "_MOST_CELLS", 4)
    assert len(list(count_margins(pairs, [("x", "y")]))) == 1
    monkeypatch.setattr(margins, "_MOST_CELLS", 3)
    with pytest.raises(StudyError, match="has 4 cells"):
        list(count_margins(pairs, [("x", "y")]))
