"""Bring Arrow columns of any origin to the few types that a data set has here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import ColumnError, DataError, did_you_mean
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.frames import Fix, cells, check_column_names
from sdcmetrics.microdata.text_columns import parse_as

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sdcmetrics.microdata.text_columns import KindName

_KINDS = ("number", "category", "date", "boolean")
_DIGITS_OF_A_FLOAT = 15
"""Decimals of so many digits are told apart as float64, by IEEE 754; R compares by as many."""
_WORDS = {"number": "numbers", "date": "dates", "boolean": "booleans"}


def clean_names(names: Sequence[str], source: str, label: str) -> tuple[list[str], list[Fix]]:
    """Return the names without blanks around them; raise ColumnError if empty or duplicated."""
    check_column_names(names, label)
    stripped = [name.strip() for name in names]
    check_column_names(stripped, label)
    fixes = [
        Fix(source, new, "blanks around the column's name were dropped")
        for old, new in zip(names, stripped, strict=True)
        if old != new
    ]
    return stripped, fixes


def numbers_rows(column: pa.ChunkedArray) -> bool:
    """Whether a column counts the records, from 0 or 1, and so says nothing of them.

    Examples
    --------
    >>> columns = [1, 2, 3], [0, 1], [2, 1], ["1"], [0.0, 1.0], [0, 1, None]
    >>> [numbers_rows(pa.chunked_array([rows])) for rows in columns]
    [True, True, False, False, False, False]
    """
    if not pa.types.is_integer(column.type) or column.null_count:
        return False
    numbers = np.asarray(column)
    return len(numbers) > 0 and numbers[0] in (0, 1) and bool((np.diff(numbers) == 1).all())


def check_kinds(kinds: Mapping[str, KindName], names: Iterable[str], label: str) -> None:
    """Raise ColumnError for an unknown column, DataError for an unknown kind."""
    columns = list(names)
    for name, kind in kinds.items():
        if name not in columns:
            msg = f"{label}: kinds names {name!r}, which is not a column."
            msg += did_you_mean(name, columns)
            raise ColumnError(msg)
        if kind not in _KINDS:
            msg = (
                f"{label}: unknown kind {kind!r} for column {name!r}. Expected one of "
                f"{', '.join(_KINDS)}."
            )
            raise DataError(msg)


def refusal(label: str, name: str, kind: KindName) -> ColumnError:
    """Return the error for a column that is not of the kind asked for."""
    msg = (
        f"{label}: column {name!r} cannot be read as {_WORDS[kind]}, because some of its values "
        f"are not. Correct them, list them in missing=, or ask for another kind."
    )
    return ColumnError(msg)


def as_kind(column: pa.ChunkedArray, kind: KindName) -> pa.ChunkedArray | None:
    """Return the column as the kind asked for, or None if it is not of that kind."""
    if kind == "category":
        return _as_category(column)
    given = column.type
    if pa.types.is_dictionary(given) or pa.types.is_string(given):
        typed = parse_as(kind, column.cast(pa.string()), ())
        return None if typed is None else typed.column
    if kind == "date":
        return column if pa.types.is_date(given) or pa.types.is_timestamp(given) else None
    is_number = pa.types.is_integer(given) or pa.types.is_floating(given)
    if kind == "number":
        if pa.types.is_boolean(given):
            return column.cast(pa.int64())
        return column if is_number else None
    if is_number:
        bits = pc.is_in(column, value_set=pa.array([0, 1, None]).cast(given))
        return column.cast(pa.bool_()) if pc.all(bits, min_count=0).as_py() else None
    return column if pa.types.is_boolean(given) else None


def _as_category(column: pa.ChunkedArray) -> pa.ChunkedArray:
    given = column.type
    if pa.types.is_dictionary(given) or pa.types.is_string(given):
        return column
    if pa.types.is_boolean(given):
        return pc.if_else(column, "TRUE", "FALSE")
    if pa.types.is_floating(given):
        try:
            # 1.0 in one file is 1 in the other, whose column happens to have no missing value.
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            return column.cast(pa.string())
    return column.cast(pa.string())


def plain(
    column: pa.ChunkedArray, name: str, source: str, label: str, counts: Counts | None = None
) -> tuple[pa.ChunkedArray, list[Fix]]:
    """Return the column as int64, a float, bool, string, dictionary<string>, date or time.

    Raises
    ------
    ColumnError
        For nested, binary and other columns that hold no single value per record.
    """
    given = column.type
    if pa.types.is_dictionary(given):
        return _plain_dictionary(column, name, source, label)
    if pa.types.is_null(given) or pa.types.is_large_string(given) or _is_view(given):
        return column.cast(pa.string()), []
    if pa.types.is_integer(given) or pa.types.is_decimal(given):
        return exact_numbers(column, name, source, counts)
    if pa.types.is_floating(given):
        return nan_to_missing(column, name, source, counts)
    if pa.types.is_date(given):
        return column.cast(pa.date32()), []
    if (
        pa.types.is_string(given)
        or pa.types.is_boolean(given)
        or pa.types.is_timestamp(given)
        or pa.types.is_time(given)
        or pa.types.is_duration(given)
    ):
        return column, []
    msg = (
        f"{label}: column {name!r} is of type {given}, which has no single value per record. "
        "Leave it out of the file, or turn it into numbers, text, dates or booleans."
    )
    raise ColumnError(msg)


def nan_to_missing(
    column: pa.ChunkedArray, name: str, source: str, counts: Counts | None = None
) -> tuple[pa.ChunkedArray, list[Fix]]:
    """Return the float column with NaN as missing."""
    is_nan = pc.is_nan(column)
    count = cells_of(is_nan, counts)
    if not count:
        return column, []
    filled = pc.if_else(pc.fill_null(is_nan, fill_value=False), pa.scalar(None), column)
    return filled.cast(column.type), [Fix(source, name, "NaN was read as missing", count)]


def _is_view(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string_view(kind))


def exact_numbers(
    column: pa.ChunkedArray, name: str, source: str, counts: Counts | None = None
) -> tuple[pa.ChunkedArray, list[Fix]]:
    """Return integers and decimals as int64, else as text where they are whole, else as float64."""
    if pa.types.is_decimal(column.type):
        try:
            column = column.cast(pa.decimal256(76, 0))
        except pa.ArrowInvalid:
            return _fractions(column, name, source, counts)
    try:
        return column.cast(pa.int64()), []
    except pa.ArrowInvalid:
        pass
    what = "integers beyond 64 bits were read as text so that none merge"
    every = cells(np.ones(len(column), dtype=np.bool_), counts)
    return column.cast(pa.string()), [Fix(source, name, what, every)]


def cells_of(flags: Any, counts: Counts | None) -> int:
    """Return how many records Arrow's flags are true of."""
    return cells(np.asarray(pc.fill_null(flags, fill_value=False), dtype=np.bool_), counts)


def _fractions(
    column: pa.ChunkedArray, name: str, source: str, counts: Counts | None
) -> tuple[pa.ChunkedArray, list[Fix]]:
    # By way of text, because Arrow's own cast of decimals is not always the nearest float.
    text = column.cast(pa.string())
    digits = pc.replace_substring_regex(text, r"^-?[0.]*|0+$", "")
    lengths = pc.utf8_length(pc.replace_substring(digits, ".", ""))
    long = cells_of(pc.greater(lengths, _DIGITS_OF_A_FLOAT), counts)
    what = "decimals of more than 15 digits were read as floating-point numbers"
    return text.cast(pa.float64()), [Fix(source, name, what, long)] if long else []


def _plain_dictionary(
    column: pa.ChunkedArray, name: str, source: str, label: str
) -> tuple[pa.ChunkedArray, list[Fix]]:
    whole = column.unify_dictionaries().combine_chunks()
    levels, fixes = plain(whole.dictionary, name, source, label)
    levels = _as_category(levels)
    indices = whole.indices.cast(pa.int32())
    if levels.null_count or len(pc.unique(levels)) != len(levels):
        # A level may be null itself; its records are missing.
        distinct = pc.unique(levels.drop_null())
        indices = pc.take(pc.index_in(levels, value_set=distinct), indices)
        levels = distinct
    array = pa.DictionaryArray.from_arrays(indices, levels, ordered=bool(column.type.ordered))
    return pa.chunked_array([array]), fixes
