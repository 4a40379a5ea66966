"""What a codebook makes of a single column, and what it says of it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.codebook import xml
from sdcmetrics.microdata.codebook.apply import with_codebook
from sdcmetrics.microdata.codebook.codebook import (
    Codebook,
    FileDescription,
    Range,
    VariableDescription,
)
from sdcmetrics.microdata.frames import Microdata, as_microdata

DAY = dt.date(2020, 2, 1)
HOUR = dt.datetime(2020, 2, 1, 12)  # noqa: DTZ001  (a column without a time zone)


def described(
    values: list[object],
    decided: bool | None = None,
    kind: str = "",
    *,
    user_missing: bool = True,
    **said: object,
) -> tuple[list[object], list[tuple[str, int | None]], Microdata]:
    """Return the values of a column x, the notes on it with their cells, and the data."""
    file = FileDescription("f.csv", (VariableDescription("x", **said),))  # type: ignore[arg-type]
    categories = None if decided is None else frozenset("x" if decided else "")
    book = Codebook("book", (file,), categories)
    data = as_microdata(pa.table({"x": values}), "data")
    kinds = {"x": kind} if kind else {}
    out = with_codebook(data, book, file="f.csv", kinds=kinds, user_missing=user_missing)
    notes = [(fix.what, fix.cells) for fix in out.fixes if fix.column == "x"]
    return out.table.column("x").to_pylist(), notes, out


@pytest.mark.parametrize(
    ("values", "said", "notes"),
    [
        ([DAY], {"codes": {"1": "a"}}, ["codes of book are not used: it holds dates or booleans"]),
        ([True], {"missing": ("9",)}, ["codes of book are not used: it holds dates or booleans"]),
        ([DAY], {"type": "date"}, []),
        ([HOUR], {"type": "date"}, []),
        ([True], {"label": "a"}, []),
        (["2020-02-01"], {"type": "date"}, ["book calls it a date: it was read so"]),
        ([1, 2], {"type": "text"}, ["book calls it text: it was read so"]),
        (["1", "2.5"], {"type": "number"}, []),
        (["1", "a"], {"type": "number"},
         ["book calls it numeric, and it holds other text; it stays text"]),
        (["1", "a"], {"type": "number", "codes": {"a": "A"}},
         ["1 of its values is not listed in book"]),
        ([1, 1, 7, 8], {"codes": {"1": "a", "2": "b", "3": "c"}, "scale": "interval"},
         ["labels of codes were taken from book; it stays a number"]),  # a third has a label
        ([1, 1, 7], {"codes": {"1": "a", "2": "b"}, "scale": "interval"},
         ["1 code is listed in book and in no record", "1 of its values is not listed in book",
          "labels of codes were taken from book; it stays a number"]),  # half have
        ([1, 2], {"codes": {"1": "a", "2": "b", "x": "c", "y": "d"}},
         ["2 codes of book are no numbers, and it holds numbers",
          "is a category, whose levels book lists"]),
        ([1, 2], {"codes": {"1": "a", "2": "b"}, "notes": ("n",)},
         ["in book, n", "is a category, whose levels book lists"]),
    ],
)  # fmt: skip
def test_what_is_said_of_a_column(
    values: list[object], said: dict[str, object], notes: list[str]
) -> None:
    assert [what for what, _ in described(values, **said)[1]] == notes  # type: ignore[arg-type]


def test_cells_that_no_code_covers_are_counted() -> None:
    _, notes, _ = described(["a", "a", "u", "v", "v", None], codes={"a": "A"})
    assert notes == [("2 of its values are not listed in book", 3)]
    _, notes, _ = described(["a"], codes={"a": "A", "b": "B", "c": "C"})
    assert notes[0] == ("2 codes are listed in book and in no record", None)


def test_codes_for_missing_are_counted_and_both_ends_of_a_range_are_among_them() -> None:
    entries = {"ranges": (Range(-9, -7),), "missing": ("5",)}
    values = [-10, -9, -8, -7, -6, 5, 5]
    column, notes, data = described(values, **entries)  # type: ignore[arg-type]
    assert column == values
    assert notes == [("codes that mean missing were taken from book", 5)]
    assert data.missing_codes == {"x": (-9.0, -8.0, -7.0, 5.0)}
    column, notes, data = described(values, user_missing=False, **entries)  # type: ignore[arg-type]
    assert column == [-10, None, None, None, -6, None, None]
    assert notes == [("codes that book declares missing were read as missing", 5)]
    assert data.missing_codes == {}
    column, notes, _ = described(["1", "n", "n"], type="number", missing=("n",))
    assert column == [1, None, None]
    assert notes == [("texts that book declares missing were read as missing", 2)]


@pytest.mark.parametrize(
    ("decided", "kind", "scale", "category"),
    [
        (None, "", "nominal", True),
        (None, "", "ordinal", True),
        (None, "", "interval", False),
        (None, "number", "nominal", False),
        (True, "", "", True),  # the original has a category there
        (False, "", "nominal", False),
    ],
)
@pytest.mark.parametrize("codes", [{}, {"1": "a", "2": "b"}])
def test_whether_a_number_becomes_a_category(
    codes: dict[str, str], decided: bool | None, kind: str, scale: str, *, category: bool
) -> None:
    column, notes, data = described([1, 2], decided, kind, codes=codes, scale=scale)
    if not category:
        assert column == [1, 2]
        assert data.value_labels == ({"x": {1: "a", 2: "b"}} if codes else {})
        return
    assert column == (["a", "b"] if codes else ["1", "2"])
    assert data.level_codes == ({"x": {"a": 1, "b": 2}} if codes else {})
    why = f"book calls it {scale or 'a category, as the original has it'}: it was read so"
    assert notes[-1][0] == ("is a category, whose levels book lists" if codes else why)


def test_labels_are_counted_and_those_of_the_data_stay() -> None:
    variables = tuple(
        VariableDescription(name, label) for name, label in zip("xyz", "xZU", strict=True)
    )
    book = Codebook("book", (FileDescription("f.csv", variables),))
    data = as_microdata(pa.table({name: [1] for name in "xyz"}), "data")
    out = with_codebook(data, book, file="f.csv")
    assert out.labels == {"y": "Z", "z": "U"}  # x is only called as it is called
    assert [fix.what for fix in out.fixes] == ["labels of 2 columns were taken from book"]
    again = with_codebook(out, Codebook("other", book.files), file="f.csv")
    assert again.fixes == out.fixes
    _, _, single = described([1], label="X")
    assert [fix.what for fix in single.fixes] == ["labels of 1 column were taken from book"]


@pytest.mark.parametrize(
    ("file", "records", "noted"),
    [("f.csv", 1, False), ("f.csv", 2, True), ("f.csv", None, False), ("other.csv", 2, False)],
)
def test_another_number_of_records_is_said_of_the_file_that_is_named(
    file: str, records: int | None, *, noted: bool
) -> None:
    book = Codebook("book", (FileDescription("f.csv", (VariableDescription("x"),), records),))
    out = with_codebook(as_microdata(pa.table({"x": [1]}), "data"), book, file=file)
    what = "book says that it has another number of records"
    assert [fix.what for fix in out.fixes] == [what] * noted


@pytest.mark.parametrize(
    ("limit", "size"), [("_MOST_BYTES", 27), ("_MOST_ELEMENTS", 4), ("_DEEPEST", 3)]
)
def test_metadata_of_the_largest_size_are_read_and_larger_ones_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, size: int
) -> None:
    file = tmp_path / "book.xml"
    file.write_text("<a><b><c/></b><d>t</d></a>\n")
    assert file.stat().st_size == 27
    monkeypatch.setattr(xml, limit, size)
    assert xml.text_of(xml.read_xml(file)) == "t"
    monkeypatch.setattr(xml, limit, size - 1)
    with pytest.raises(FileError):
        xml.read_xml(file)
