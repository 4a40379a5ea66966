"""One column of one data set, reduced to numbers or to codes over its own levels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import ColumnError
from sdcmetrics.microdata.frames import Fix, Microdata, label_of

__all__ = ["Column", "Kind", "read_column"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int32]

_LARGEST_TOLD_APART = 10**15  # numbers are matched by 15 significant digits


class Kind(StrEnum):
    """What a column holds, and so how it is compared."""

    NUMBER = "number"
    CATEGORY = "category"
    BOOLEAN = "boolean"
    DATE = "date"


@dataclass(frozen=True)
class Column:
    """A column as numbers (numbers, dates) or as codes (categories, booleans).

    Attributes
    ----------
    kind : Kind or None
        None for a column with no value at all, which fits any kind.
    values : float array of shape (n,)
        Numbers, or milliseconds since 1970 for dates; NaN is missing. Empty for codes.
    codes : int array of shape (n,)
        Position in `levels`; -1 is missing. Empty for numbers and dates.
    levels : tuple of str
        Levels in declared order, or sorted where none is declared.
    """

    kind: Kind | None
    n: int
    values: FloatArray
    codes: IntArray
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse writing: every comparison of the data set shares these arrays."""
        self.values.setflags(write=False)
        self.codes.setflags(write=False)


_NO_VALUES: FloatArray = np.empty(0, dtype=np.float64)
_NO_CODES: IntArray = np.empty(0, dtype=np.int32)


def numbers(values: FloatArray, kind: Kind = Kind.NUMBER) -> Column:
    """Make a column of numbers or dates."""
    return Column(kind, len(values), values, _NO_CODES)


def coded(codes: IntArray, levels: tuple[str, ...], kind: Kind = Kind.CATEGORY) -> Column:
    """Make a column of categories or booleans."""
    return Column(kind, len(codes), _NO_VALUES, codes, levels)


def read_column(data: Microdata, name: str, fixes: list[Fix]) -> Column:
    """Reduce one column of a data set; what is changed on the way is appended to `fixes`.

    The data set remembers the column, so that it is reduced once however often it is asked for.

    Raises
    ------
    ColumnError
        For nested, binary or otherwise uncomparable types, and for infinite numbers.
    """
    known = data.remember(name, data, lambda listed: reduce_column(data, name, listed))
    fixes += known.fixes
    return known.result


def reduce_column(data: Microdata, name: str, fixes: list[Fix]) -> Column:
    """Reduce one column of a data set, which does not remember it."""
    array = data.table.column(name)
    kind = array.type
    if pa.types.is_null(kind) or array.null_count == len(array):
        if pa.types.is_dictionary(kind):
            return coded(np.full(len(array), -1, dtype=np.int32), _level_names(array))
        return Column(None, len(array), _NO_VALUES, _NO_CODES)
    if pa.types.is_dictionary(kind):
        return _from_dictionary(array)
    if pa.types.is_boolean(kind):
        flags = _to_numpy(array.cast(pa.int8()), pa.int32(), -1).astype(np.int32)
        return coded(flags, ("FALSE", "TRUE"), Kind.BOOLEAN)
    if pa.types.is_integer(kind):
        return _from_integers(array, data, name, fixes)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = _to_numpy(array.cast(pa.float64()), pa.float64(), np.nan)
        _refuse_infinite(values, data, name)
        return numbers(values)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        stamps = array.cast(pa.timestamp("ms"), safe=False).cast(pa.int64())
        return numbers(_to_numpy(stamps.cast(pa.float64()), pa.float64(), np.nan), Kind.DATE)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return _from_text(array)
    if pa.types.is_duration(kind):
        seconds = array.cast(pa.duration("us"), safe=False).cast(pa.int64()).cast(pa.float64())
        fixes.append(Fix(data.source, name, "durations were read as numbers of microseconds"))
        return numbers(_to_numpy(seconds, pa.float64(), np.nan))
    if pa.types.is_time(kind):
        fixes.append(Fix(data.source, name, "times of day were read as categories"))
        return _from_text(array.cast(pa.string()))
    msg = (
        f"{data.source}: column {name!r} is of type {kind}, which cannot be compared. "
        "Turn it into numbers, text, dates or booleans, or leave it out of `variables`."
    )
    raise ColumnError(msg)


def sorted_levels(codes: IntArray, levels: list[str]) -> Column:
    """Make a category column whose levels are put into sorted order."""
    order = sorted(range(len(levels)), key=levels.__getitem__)
    rank = np.empty(len(levels) + 1, dtype=np.int32)
    rank[order] = np.arange(len(levels), dtype=np.int32)
    rank[-1] = -1  # so that code -1, missing, stays -1
    return coded(rank[codes], tuple(levels[i] for i in order))


def _to_numpy(array: Any, kind: pa.DataType, missing: float) -> Any:
    if array.null_count:
        array = pc.fill_null(array.cast(kind), pa.scalar(missing, type=kind))
    else:
        array = array.cast(kind)
    return array.to_numpy()


def _from_integers(array: Any, data: Microdata, name: str, fixes: list[Fix]) -> Column:
    bounds = pc.min_max(array)
    low, high = bounds["min"].as_py(), bounds["max"].as_py()
    if max(abs(low), abs(high)) > _LARGEST_TOLD_APART:
        what = "integers above 10^15 (identifiers?) were read as categories so that none merge"
        fixes.append(Fix(data.source, name, what, len(array)))
        return _from_text(array.cast(pa.string()))
    return numbers(_to_numpy(array, pa.float64(), np.nan))


def _refuse_infinite(values: FloatArray, data: Microdata, name: str) -> None:
    infinite = int(np.isinf(values).sum())
    if infinite:
        msg = (
            f"{data.source}: column {name!r} has {infinite} infinite value(s). Replace them by "
            "missing or by a code that you list in missing_codes, or leave the column out."
        )
        raise ColumnError(msg)


def _from_text(array: Any) -> Column:
    encoded = array.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    codes = _to_numpy(encoded.indices, pa.int32(), -1).astype(np.int32, copy=False)
    return sorted_levels(codes, encoded.dictionary.to_pylist())


def _one_dictionary(array: Any) -> Any:
    whole = array.unify_dictionaries() if isinstance(array, pa.ChunkedArray) else array
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        whole = whole.chunk(0)
    return whole


def _level_names(array: Any) -> tuple[str, ...]:
    levels = _one_dictionary(array).dictionary
    return tuple(label_of(level) for level in levels.to_pylist() if level is not None)


def _from_dictionary(array: Any) -> Column:
    whole = _one_dictionary(array)
    codes = _to_numpy(whole.indices, pa.int32(), -1).astype(np.int32, copy=False)
    levels = [None if v is None else label_of(v) for v in whole.dictionary.to_pylist()]
    if len(set(levels)) == len(levels) and None not in levels:
        return coded(codes, tuple(levels))  # type: ignore[arg-type]  # no None is left
    # A dictionary may hold null or the same text twice; records then share one level.
    kept = list(dict.fromkeys(level for level in levels if level is not None))
    place = {level: i for i, level in enumerate(kept)}
    rank = np.array([-1 if v is None else place[v] for v in levels] + [-1], dtype=np.int32)
    return coded(rank[codes], tuple(kept))
