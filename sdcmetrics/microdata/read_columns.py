"""Columns of a data set, of whatever Arrow or numpy type, reduced to numbers or codes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import ColumnError, counted
from sdcmetrics.microdata.arrays import Counts, Floats, Ints32
from sdcmetrics.microdata.arrow_columns import exact_numbers
from sdcmetrics.microdata.columns import (
    EXACT,
    NO_CODES,
    NO_VALUES,
    Column,
    Kind,
    at_precision,
    coded,
    date_texts,
    from_text,
    is_missing,
    local_times,
    numbers,
    relabelled,
    steps_of,
    times,
    to_numpy,
)
from sdcmetrics.microdata.frames import Fix, Microdata, cells, label_of
from sdcmetrics.microdata.in_pandas import Categories

_LARGEST_TOLD_APART = 10**15  # numbers are matched by 15 significant digits
_SMALLEST, _LARGEST = 1e-150, 1e38
"""What the largest of a column may be: squares of smaller ones are 0; trees, of 32 bits, fail on
larger ones, whose powers are infinite."""


_NARROW = {"halffloat": "float16", "float": "float32"}
"""Arrow's types of number with fewer bits than a float64, by numpy's names."""


def read_column(data: Microdata, name: str, fixes: list[Fix]) -> Column:
    """Reduce one column of a data set; what is changed on the way is appended to `fixes`.

    The data set remembers the column, so that it is reduced once however often it is asked for.

    Raises
    ------
    ColumnError
        For nested, binary or otherwise uncomparable types, and for numbers that are infinite,
        beyond 10^38, or all within 10^-150 of 0.
    """
    cached = data.remember(name, data, lambda listed: reduce_column(data, name, listed))
    fixes += cached.fixes
    return cached.result


def reduce_column(data: Microdata, name: str, fixes: list[Fix]) -> Column:
    """Reduce one column of a data set, which does not remember it."""
    counts = data.counts(name)
    entries = data.column(name)
    if isinstance(entries, Categories):
        codes = entries.codes.astype(np.int32)
        return _from_levels(codes, entries.levels, data.source, name, fixes)
    if isinstance(entries, np.ndarray):
        return _from_numpy(entries, data.source, name, fixes)
    try:
        column = _reduce(entries, counts, data.source, name, fixes)
    except UnicodeDecodeError:
        msg = (
            f"{data.source}: column {name!r} holds text that is not UTF-8. Write the file again "
            "with its text in UTF-8, or leave the column out of `variables`."
        )
        raise ColumnError(msg) from None
    return column if counts is None else replace(column, counts=counts)


def _reduce(array: Any, counts: Counts | None, source: str, name: str, fixes: list[Fix]) -> Column:
    kind = array.type
    if pa.types.is_null(kind) or array.null_count == len(array):
        if pa.types.is_dictionary(kind):
            return _from_dictionary(array, source, name, fixes)
        return Column(None, len(array), NO_VALUES, NO_CODES)
    if pa.types.is_dictionary(kind):
        return _from_dictionary(array, source, name, fixes)
    if pa.types.is_boolean(kind):
        flags = to_numpy(array.cast(pa.int8()), pa.int32(), -1).astype(np.int32)
        return coded(flags, ("FALSE", "TRUE"), Kind.BOOLEAN)
    if pa.types.is_decimal(kind):
        array, changed = exact_numbers(array, name, source, counts)
        fixes += changed
        kind = array.type
    if pa.types.is_integer(kind):
        return _from_integers(array, counts, source, name, fixes)
    if pa.types.is_floating(kind):
        return _from_floats(array, counts, source, name, fixes)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return times(array, source, name, fixes, counts)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return from_text(array)
    if pa.types.is_duration(kind):
        return _from_durations(array, counts, source, name, fixes)
    if pa.types.is_time(kind):
        fixes.append(Fix(source, name, "times of day were read as categories"))
        text = pc.replace_substring_regex(array.cast(pa.string()), r"(\.[0-9]*?)0+$", r"\1")
        return from_text(pc.utf8_rtrim(text, characters="."))
    msg = (
        f"{source}: column {name!r} is of type {kind}, which cannot be compared. "
        "Turn it into numbers, text, dates or booleans, or leave it out of `variables`."
    )
    raise ColumnError(msg)


def _from_durations(
    array: Any, counts: Counts | None, source: str, name: str, fixes: list[Fix]
) -> Column:
    steps, missing = steps_of(array)
    factor = {"s": 1_000_000, "ms": 1000, "us": 1, "ns": 1}[array.type.unit]
    nano = array.type.unit == "ns"
    longest = max(-int(steps.min(initial=0)), int(steps.max(initial=0)))
    if longest * factor > EXACT and not nano:
        what = "durations beyond 2^53 microseconds were read as categories so that none merge"
        fixes.append(Fix(source, name, what, cells(~missing, counts)))
        texts = [str(step * factor) for step in steps.tolist()]
        return from_text(pa.array(texts, pa.string(), mask=missing))
    fixes.append(Fix(source, name, "durations were read as numbers of microseconds"))
    if longest > EXACT:
        cut = cells((steps % 1000 != 0) & ~missing, counts)
        if cut:
            what = "durations beyond 2^53 nanoseconds were cut to whole microseconds"
            fixes.append(Fix(source, name, what, cut))
        values = (steps // 1000).astype(np.float64)
    else:
        values = steps / 1000.0 if nano else (steps * factor).astype(np.float64)
    values[missing] = np.nan
    return numbers(values)


def _from_integers(
    array: Any, counts: Counts | None, source: str, name: str, fixes: list[Fix]
) -> Column:
    bounds = pc.min_max(array).as_py()
    if max(map(abs, bounds.values())) > _LARGEST_TOLD_APART:
        what = "integers above 10^15 (identifiers?) were read as categories so that none merge"
        fixes.append(Fix(source, name, what, cells(np.ones(len(array), dtype=np.bool_), counts)))
        return from_text(array.cast(pa.string()))
    return numbers(np.asarray(array, dtype=np.float64))


def _from_numpy(values: npt.NDArray[Any], source: str, name: str, fixes: list[Fix]) -> Column:
    if values.dtype.kind != "f":
        if max(abs(int(values.min())), abs(int(values.max()))) > _LARGEST_TOLD_APART:
            return _from_integers(pa.array(values), None, source, name, fixes)
        return numbers(values.astype(np.float64))
    if np.isnan(values[0]) and np.isnan(values).all():  # the first tells most columns at once
        return Column(None, len(values), NO_VALUES, NO_CODES)
    _refuse_beyond(values, None, source, name)
    return numbers(values)


def _from_floats(
    array: Any, counts: Counts | None, source: str, name: str, fixes: list[Fix]
) -> Column:
    precision = _NARROW.get(str(array.type), "")
    values = np.asarray(array.cast(pa.float64()), dtype=np.float64)
    _refuse_beyond(values, counts, source, name)
    if not precision:
        return numbers(values)
    shortest = at_precision(values, precision)
    changed = cells((shortest != values) & ~np.isnan(values), counts)
    if changed:
        what = f"{precision} numbers were read as the shortest decimals that they stand for"
        fixes.append(Fix(source, name, what, changed))
    return replace(numbers(shortest), precision=precision)


def _refuse_beyond(values: Floats, counts: Counts | None, source: str, name: str) -> None:
    """Refuse infinite numbers, and those of which a sum of squares is infinite, or always 0."""
    sizes = np.abs(values)
    if 0 < np.fmax.reduce(sizes, initial=0.0) < _SMALLEST:
        msg = (
            f"{source}: column {name!r} has no value beyond 10^-150, so that their squares are 0. "
            "Multiply them, in every file, or leave the column out."
        )
        raise ColumnError(msg)
    beyond = sizes > _LARGEST
    if not beyond.any():
        return
    infinite = np.isinf(values)
    if infinite.any():
        what, code = counted(cells(infinite, counts), "infinite value"), "a code"
    else:
        count = cells(beyond, counts)
        what, code = (
            f"{counted(count, 'value')} beyond 10^38, which models cannot hold",
            "a smaller code",
        )
    msg = (
        f"{source}: column {name!r} has {what}. Replace them by missing or by {code} that you list "
        "in missing_codes, or leave the column out."
    )
    raise ColumnError(msg)


def _level_names(levels: Any, source: str, name: str, fixes: list[Fix]) -> list[str | None]:
    """Return the text of every level; None for a level that is missing."""
    kind = levels.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        names: list[str | None] = levels.to_pylist()
        return names
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        column = times(levels, source, name, fixes)
        if column.kind is Kind.CATEGORY:
            return [None if code < 0 else column.levels[code] for code in column.codes]
        stamps = local_times(column) if column.zone else column
        texts = date_texts(stamps.values[~is_missing(stamps)])
        rest = iter(text.replace("T", " ") for text in texts)
        return [None if gone else next(rest) for gone in is_missing(stamps)]
    if precision := _NARROW.get(str(kind)):
        values = np.asarray(levels.cast(pa.float64()), dtype=np.float64)
        return [None if v != v else label_of(v) for v in at_precision(values, precision).tolist()]  # noqa: PLR0124
    return [None if level is None else label_of(level) for level in levels.to_pylist()]


def _from_dictionary(array: Any, source: str, name: str, fixes: list[Fix]) -> Column:
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    codes = to_numpy(array.indices, pa.int32(), -1)
    return _from_levels(codes, array.dictionary, source, name, fixes)


def _from_levels(codes: Ints32, levels: Any, source: str, name: str, fixes: list[Fix]) -> Column:
    # A dictionary may hold null or the same text twice.
    column = relabelled(codes, _level_names(levels, source, name, fixes))
    precision = _NARROW.get(str(levels.type), "")
    used = precision and codes.max(initial=-1) >= 0
    return replace(column, precision=precision) if used else column
