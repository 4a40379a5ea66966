"""Each column is converted once per data set, however often it is harmonised."""

import copy
import gc
import weakref
from collections import Counter
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from sdcmetrics.microdata import Microdata, as_microdata, conversions, read_columns
from sdcmetrics.microdata.schema import harmonise


def data(source: str, **values: Any) -> Microdata:
    return as_microdata(pd.DataFrame(values), source)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, ...]]:
    """Count how often each column of each data set is reduced, and converted."""
    seen: Counter[tuple[str, ...]] = Counter()
    reduce_column, convert = read_columns.reduce_column, conversions.convert

    def reducing(one: Microdata, name: str, fixes: Any) -> Any:
        seen["reduced", one.source, name] += 1
        return reduce_column(one, name, fixes)

    def converting(column: Any, kind: Any, place: Any) -> Any:
        seen["converted", place.source.source, place.original.source, place.name] += 1
        return convert(column, kind, place)

    monkeypatch.setattr(read_columns, "reduce_column", reducing)
    monkeypatch.setattr(conversions, "convert", converting)
    return seen


ORIGINAL = {"age": [1.5, 2.5, None], "sex": [True, False, True], "town": ["a", "b", "a"]}
CODED = {"age": ["1.5", "2.5", None], "sex": [1, 0, 1], "town": ["a", "c", "a"]}


def test_columns_are_converted_once_per_data_set(counts: Counter[tuple[str, ...]]) -> None:
    original, first, second = data("o", **ORIGINAL), data("r", **CODED), data("h", **ORIGINAL)
    for _ in range(3):
        harmonise(original, [first])
        harmonise(original, [first, second], variables=["age", "town"])
        harmonise(original, [second], required=["sex"])
    assert set(counts.values()) == {1}
    assert len([key for key in counts if key[0] == "reduced"]) == 9


def test_the_fixes_of_every_call_are_the_same() -> None:
    original, replica = data("o", **ORIGINAL), data("r", **CODED)
    first = harmonise(original, [replica])
    again = harmonise(original, [replica])
    assert first.fixes == again.fixes == harmonise(data("o", **ORIGINAL), [replica]).fixes
    assert [fix.column for fix in first.fixes] == ["age", "sex", "town"]


def test_another_original_gets_a_conversion_of_its_own() -> None:
    replica = data("r", town=["1", "2"])
    assert harmonise(data("o", town=["1", "2"]), [replica]).variables["town"].levels == ("1", "2")
    assert harmonise(data("o", town=[1, 2]), [replica]).variables["town"].levels == ()


def test_what_is_replaced_or_copied_remembers_nothing(counts: Counter[tuple[str, ...]]) -> None:
    original, replica = data("o", **ORIGINAL), data("r", **CODED)
    harmonise(original, [replica])
    for other in (replace(replica, fixes=()), copy.deepcopy(replica)):
        counts.clear()
        harmonise(original, [other])
        assert counts["reduced", "r", "age"] == 1
        assert counts["reduced", "o", "age"] == 0


def test_memory_is_freed_with_either_data_set() -> None:
    original, replica = data("o", **ORIGINAL), data("r", **CODED)
    kept = weakref.ref(harmonise(original, [replica]).variables["age"].values[1])
    assert kept() is not None
    del original
    gc.collect()
    assert kept() is None


def test_no_second_copy_is_kept_where_the_kind_needs_no_change() -> None:
    original, replica = data("o", **ORIGINAL), data("r", **ORIGINAL)
    values = harmonise(original, [replica]).variables["age"].values
    assert values[1] is read_columns.read_column(replica, "age", []).values


def test_what_is_remembered_is_neither_shown_nor_compared() -> None:
    first, second = data("o", **ORIGINAL), data("o", **ORIGINAL)
    harmonise(first, [data("r", **CODED)])
    assert first == second
    assert repr(first) == repr(second)


LABELS = {"town": {"north": 1.0, "south": 2.0}}


def towns(original: list[str], replica: list[str], *, labelled: str) -> Any:
    """Return the levels of a replica's records and what was noted; one file has labels."""
    files = [
        replace(data(name, town=values), level_codes=LABELS if name == labelled else {})
        for name, values in (("o", original), ("r", replica))
    ]
    result = harmonise(files[0], files[1:])
    variable = result.variables["town"]
    return [variable.levels[code] for code in variable.codes[1]], [fix.what for fix in result.fixes]


def test_codes_that_are_text_are_read_as_labels_and_labels_as_codes() -> None:
    levels, what = towns(["north", "south"], ["1", "02", "north", "x"], labelled="o")
    assert levels == ["north", "south", "north", "x"]
    assert what[0] == "codes were read as the labels of o"
    levels, what = towns(["01", "2"], ["north", "south", "x", "01"], labelled="r")
    assert levels == ["01", "2", "x", "01"]
    assert what[0] == "labels were read as the codes that they stand for"
    for labelled in "or":
        assert towns(["north", "south"], ["south"], labelled=labelled) == (["south"], [])


def test_codes_of_a_text_column_may_begin_with_a_zero() -> None:
    codes = {"town": {"north": "01", "south": "02"}}
    original = replace(data("o", town=["north", "south"]), level_codes=codes)
    variable = harmonise(original, [data("r", town=["01", "02", "02"])]).variables["town"]
    assert [variable.levels[code] for code in variable.codes[1]] == ["north", "south", "south"]


@pytest.mark.parametrize(
    ("numbers", "levels"), [([2.0, 1.0], ["south", "north"]), ([7.0, 9.0], ["07", "9"])]
)
def test_numbers_are_labels_or_levels_of_the_same_number(
    numbers: list[float], levels: list[str]
) -> None:
    original = replace(data("o", town=["north", "07"]), level_codes=LABELS)
    variable = harmonise(original, [data("r", town=numbers)]).variables["town"]
    assert [variable.levels[code] for code in variable.codes[1]] == levels
