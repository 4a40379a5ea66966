"""Read Stata, SPSS and SAS files: codes, value labels and declared missing codes."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.arrow_columns import clean_names
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.value_labels import category, numeric_labels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sdcmetrics.microdata.file_format import InputFile

    Value = float | str | dt.date | dt.time


_SCALES = {"nominal": "nominal", "ordinal": "ordinal", "scale": "interval"}
"""Levels of measurement, as SPSS calls them."""


@dataclass(slots=True)
class _Column:
    """One variable as the file has it, and what becomes of it."""

    source: str
    name: str
    values: list[Any]
    is_text: bool
    number: pa.DataType
    labels: dict[Any, str]
    ranges: list[dict[str, Any]]
    fixes: list[Fix] = field(default_factory=list)
    missing_codes: tuple[float, ...] = ()
    value_labels: dict[float, str] = field(default_factory=dict)
    level_codes: dict[str, Any] = field(default_factory=dict)

    def note(self, change: str, cells: int | None = None) -> None:
        self.fixes.append(Fix(self.source, self.name, change, cells))


def read_statistical(
    file: InputFile, name: str, *, encoding: str | None, user_missing: bool
) -> Microdata:
    """Read a "stata", "spss" or "sas" file."""
    values, meta = _read(file, name, encoding)
    names, fixes = clean_names(list(values), file.source, file.label)
    arrays = []
    kinds = {old: str(kind) for old, kind in meta.readstat_variable_types.items()}
    labels: dict[str, dict[float, str]] = {}
    level_codes: dict[str, dict[str, Any]] = {}
    missing_codes: dict[str, tuple[float, ...]] = {}
    for old, new in zip(values, names, strict=True):
        column = _Column(
            source=file.source,
            name=new,
            values=list(values[old]),
            is_text=kinds.get(old, "").startswith("string"),
            number=pa.float32() if kinds.get(old) == "float" else pa.float64(),
            labels=dict(meta.variable_value_labels.get(old, {})),
            ranges=list(meta.missing_ranges.get(old, ())),
        )
        arrays.append(_array(column, user_missing=user_missing))
        fixes += column.fixes
        if column.value_labels:
            labels[new] = column.value_labels
        if column.level_codes:
            level_codes[new] = column.level_codes
        if column.missing_codes:
            missing_codes[new] = column.missing_codes
    return Microdata(
        table=pa.table(arrays, names=names),
        source=file.source,
        value_labels=labels,
        labels={
            new: label
            for old, new in zip(values, names, strict=True)
            if (label := (meta.column_names_to_labels.get(old) or "").strip()) and label != new
        },
        level_codes=level_codes,
        missing_codes=missing_codes,
        scales={
            new: _SCALES[scale]
            for old, new in zip(values, names, strict=True)
            if (scale := meta.variable_measure.get(old, "")) in _SCALES
        },
        fixes=tuple(fixes),
    )


def _read(file: InputFile, name: str, encoding: str | None) -> tuple[dict[str, list[Any]], Any]:
    import pyreadstat  # slow to load, and few sessions need it

    readers: dict[str, Any] = {
        "stata": pyreadstat.read_dta,
        "spss": pyreadstat.read_sav,
        "sas": pyreadstat.read_sas7bdat,
    }
    error: FileError
    try:
        values, meta = readers[name](
            str(file.path), output_format="dict", user_missing=True, encoding=encoding
        )
    except OverflowError:
        msg = (
            f"{file.label}: a date lies outside the years 1 to 9999. Correct it, or store the "
            "column as a number."
        )
        error = FileError(msg)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError, ValueError):
        # What the library says is left out: it may quote the file.
        msg = (
            f"{file.label}: the file is damaged, cut off, or of a version that cannot be read. "
            "Save it again. If its text is in an unusual encoding, pass encoding=."
        )
        error = FileError(msg)
    else:
        return values, meta
    raise error


def _array(column: _Column, *, user_missing: bool) -> pa.Array:
    letters = set() if column.is_text else {v for v in column.values if isinstance(v, str)}
    declared = _declared(column)
    if not user_missing and (declared or letters):
        _drop(column, declared | letters, "declared missing codes were read as missing")
        declared, letters = set(), set()
    if column.is_text:
        _drop(column, {""}, "empty text was read as missing")
    unnamed = letters - column.labels.keys()
    extended = set() if column.is_text else {c for c in column.labels if isinstance(c, str)}
    labelled = category(
        [None if v in unnamed else v for v in column.values] if unnamed else column.values,
        column.labels,
        declared | letters | extended,
        source=column.source,
        name=column.name,
    )
    if labelled is not None:
        if unnamed:
            _drop(column, unnamed, _letters(unnamed))
        column.fixes += labelled.fixes
        column.level_codes = labelled.codes
        return labelled.column
    if letters:
        _drop(column, letters, _letters(letters))
    column.value_labels = numeric_labels(column.labels)
    if column.is_text:
        return pa.array(column.values, type=pa.string())
    return _numbers_or_dates(column, declared)


def _declared(column: _Column) -> set[Any]:
    """Return the values present in the column that the file declares to be missing."""
    present = set(column.values) - {None}
    missing_values: set[Any] = set()
    for limits in column.ranges:
        low, high = limits["lo"], limits["hi"]
        missing_values |= {
            value for value in present if _comparable(value, low) and low <= value <= high
        }
    return missing_values


def _comparable(value: object, bound: object) -> bool:
    return isinstance(value, str) == isinstance(bound, str) and isinstance(
        value, dt.date
    ) == isinstance(bound, dt.date)


def _drop(column: _Column, values: Iterable[Value], change: str) -> None:
    """Replace the values by missing, and say so if there was one."""
    gone = set(values)
    cells = sum(value in gone for value in column.values)
    if cells:
        column.values = [None if value in gone else value for value in column.values]
        column.note(change, cells)


def _letters(letters: Iterable[str]) -> str:
    shown = ", ".join(f".{letter}" for letter in sorted(letters))
    return f"extended missing values ({shown}) were read as missing"


def _numbers_or_dates(column: _Column, declared: set[Any]) -> pa.Array:
    first = next((value for value in column.values if value is not None), None)
    if isinstance(first, dt.date | dt.time):
        _drop(column, declared, "declared missing codes of a date were read as missing")
        array = pa.array(column.values)
        if pa.types.is_timestamp(array.type):
            # These formats store seconds as a double, so microseconds are noise.
            array = pc.round_temporal(array, unit="millisecond")
        return array
    column.missing_codes = tuple(sorted(float(code) for code in declared))
    if all(value is None or isinstance(value, int) for value in column.values):
        return pa.array(column.values, type=pa.float64() if first is None else pa.int64())
    return pa.array(column.values, type=column.number)
