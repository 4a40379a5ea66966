"""One column of one data set, reduced to numbers or to codes over its own levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import ColumnError
from sdcmetrics.microdata.arrays import Counts, Floats, Ints32
from sdcmetrics.microdata.arrow_columns import exact_numbers
from sdcmetrics.microdata.frames import Fix, Microdata, cells, label_of, labels_of
from sdcmetrics.microdata.in_pandas import Categories

_LARGEST_TOLD_APART = 10**15  # numbers are matched by 15 significant digits
_NARROW = {"halffloat": "float16", "float": "float32"}
"""Arrow's types of number with fewer bits than a float64, by numpy's names."""
DAY = 86_400_000.0
"""Milliseconds per day."""
_EXACT = 2**53
"""A float64 holds every whole number up to here."""
_BEYOND = 2**63 - 2**9
"""Floats from here on are no int64."""
_NARROW_STEP = 32
"""Bits of dates in days and of times of day in seconds, which Arrow casts to int32 only."""


class Kind(StrEnum):
    """What a column holds, and so how it is compared."""

    NUMBER = "number"
    CATEGORY = "category"
    BOOLEAN = "boolean"
    DATE = "date"


@dataclass(frozen=True, eq=False)
class Column:
    """A column as numbers (numbers, dates) or as codes (categories, booleans).

    Attributes
    ----------
    kind : Kind or None
        None for a column with no value at all, which fits any kind.
    values : float array of shape (n,)
        Numbers, or milliseconds since 1970 for dates, with a fraction where there are
        microseconds; NaN is missing. Empty for codes.
    codes : int array of shape (n,)
        Position in `levels`; -1 is missing. Empty for numbers and dates.
    levels : tuple of str
        Levels in declared order, or sorted where none is declared.
    precision : str
        "float16" or "float32" where the numbers are of such a type, else "".
    zone : str
        The time zone of times that have one, else "".
    counts : int array of shape (n,) or None
        How many records have each of the n entries; None where every entry is a record.
    """

    kind: Kind | None
    n: int
    values: Floats
    codes: Ints32
    levels: tuple[str, ...] = ()
    precision: str = ""
    zone: str = ""
    counts: Counts | None = None

    @property
    def records(self) -> int:
        """Number of records."""
        return self.n if self.counts is None else int(self.counts.sum())

    def cells(self, flags: npt.NDArray[np.bool_]) -> int:
        """Return how many records the flagged entries stand for."""
        return cells(flags, self.counts)

    def counted_as(self, other: Column) -> Column:
        """Return the column with the counts of the one that it was made of, entry by entry."""
        return self if self.counts is other.counts else replace(self, counts=other.counts)

    def __post_init__(self) -> None:
        """Refuse writing: every comparison of the data set shares these arrays."""
        self.values.setflags(write=False)
        self.codes.setflags(write=False)


_NO_VALUES: Floats = np.empty(0, dtype=np.float64)
_NO_CODES: Ints32 = np.empty(0, dtype=np.int32)


def numbers(values: Floats, kind: Kind = Kind.NUMBER) -> Column:
    """Make a column of numbers or dates."""
    return Column(kind, len(values), values, _NO_CODES)


def coded(codes: Ints32, levels: tuple[str, ...], kind: Kind = Kind.CATEGORY) -> Column:
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
        return Column(None, len(array), _NO_VALUES, _NO_CODES)
    if pa.types.is_dictionary(kind):
        return _from_dictionary(array, source, name, fixes)
    if pa.types.is_boolean(kind):
        flags = _to_numpy(array.cast(pa.int8()), pa.int32(), -1).astype(np.int32)
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
        return _from_text(array)
    if pa.types.is_duration(kind):
        return _from_durations(array, counts, source, name, fixes)
    if pa.types.is_time(kind):
        fixes.append(Fix(source, name, "times of day were read as categories"))
        text = pc.replace_substring_regex(array.cast(pa.string()), r"(\.[0-9]*?)0+$", r"\1")
        return _from_text(pc.utf8_rtrim(text, characters="."))
    msg = (
        f"{source}: column {name!r} is of type {kind}, which cannot be compared. "
        "Turn it into numbers, text, dates or booleans, or leave it out of `variables`."
    )
    raise ColumnError(msg)


def is_missing(column: Column) -> npt.NDArray[np.bool_]:
    """Return which records have no value."""
    if column.kind is None:
        return np.ones(column.n, dtype=np.bool_)
    if column.kind in (Kind.NUMBER, Kind.DATE):
        return np.isnan(column.values)
    out: npt.NDArray[np.bool_] = column.codes < 0
    return out


def at_precision(values: Floats, precision: str) -> Floats:
    """Return the shortest decimals of the numbers in a type of fewer bits.

    What is beyond that type's range is left as it is.

    Examples
    --------
    >>> at_precision(np.array([0.1, 0.123456789012]), "float32").tolist()
    [0.1, 0.12345679]
    """
    with np.errstate(over="ignore"):
        narrow = values.astype(precision)
    if precision == "float32":
        shortest = pa.array(narrow).cast(pa.string()).cast(pa.float64()).to_numpy()
    else:
        distinct, place = np.unique(narrow, return_inverse=True)
        shortest = np.array([float(str(value)) for value in distinct])[place]
    out: Floats = np.where(np.isinf(narrow), values, shortest)
    return out


def times(
    array: Any, source: str, name: str, fixes: list[Fix], counts: Counts | None = None
) -> Column:
    """Make a column of dates or times from an Arrow array of them.

    Times so far from 1970 that a float64 does not hold their milliseconds become categories.
    """
    kind = array.type
    steps, missing = _steps(array)
    if pa.types.is_timestamp(kind):
        unit, zone = kind.unit, kind.tz or ""
    else:
        unit, zone = ("D" if pa.types.is_date32(kind) else "ms"), ""
    if unit == "ns":
        cut = cells((steps % 1000 != 0) & ~missing, counts)
        if cut:
            fixes.append(Fix(source, name, "times were cut to whole microseconds", cut))
        steps, unit = steps // 1000, "us"
    values = _milliseconds(steps, unit)
    if values is None:
        what = "times over 285,000 years from 1970 were read as categories so that none merge"
        fixes.append(Fix(source, name, what, cells(~missing, counts)))
        texts = np.char.replace(steps.astype(f"datetime64[{unit}]").astype(str), "T", " ")
        return _from_text(pa.array(texts.tolist(), pa.string(), mask=missing))
    if unit == "us" and max(-int(steps.min(initial=0)), int(steps.max(initial=0))) > _EXACT:
        short = _microseconds(values) != steps
        if short.any():
            what = "times more than 278 years from 1970 were cut to whole milliseconds"
            fixes.append(Fix(source, name, what, cells(short, counts)))
            values = np.where(short, steps // 1000, values)
    values[missing] = np.nan
    return replace(numbers(values, Kind.DATE), zone=zone)


def _steps(array: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return dates, times or durations as whole steps of their unit, and which are missing."""
    whole = array.cast(pa.int32()) if array.type.bit_width == _NARROW_STEP else array
    missing = np.asarray(array.is_null(), dtype=np.bool_)
    steps: npt.NDArray[np.int64] = _to_numpy(whole.cast(pa.int64()), pa.int64(), 0)
    return steps, missing


def _milliseconds(steps: npt.NDArray[np.int64], unit: str) -> Floats | None:
    """Return steps since 1970 as milliseconds; None where a float64 holds not all of them."""
    longest = max(-int(steps.min(initial=0)), int(steps.max(initial=0)))
    if unit == "us":
        if longest // 1000 >= _EXACT:
            return None
        # The quotient is rounded once where the dividend is exact, else its parts are.
        near = np.abs(steps) <= _EXACT
        out: Floats = steps / 1000.0
        if not near.all():
            out = np.where(near, out, steps // 1000 + steps % 1000 / 1000.0)
        return out
    factor = {"D": 86_400_000, "s": 1000, "ms": 1}[unit]
    if longest * factor >= _BEYOND:
        return None
    exact = steps * factor
    out = exact.astype(np.float64)
    return out if bool((out.astype(np.int64) == exact).all()) else None


def _microseconds(values: Floats) -> npt.NDArray[np.int64]:
    """Return milliseconds as whole microseconds, without a product that a float64 cannot hold."""
    whole = np.floor(values)
    fraction = np.rint((values - whole) * 1000.0).astype(np.int64)
    out: npt.NDArray[np.int64] = whole.astype(np.int64) * 1000 + fraction
    return out


def local_times(column: Column) -> Column:
    """Return the times of a zone as its clocks show them, without the zone."""
    missing = is_missing(column)
    values = np.where(missing, 0.0, column.values)
    if np.abs(values).max(initial=0.0) * 1000.0 >= _BEYOND:  # no clock shows them
        return replace(column, zone="")
    zoned = pa.array(_microseconds(values), mask=missing).cast(pa.timestamp("us", tz=column.zone))
    return times(pc.local_timestamp(zoned), "", "", [])


def date_texts(values: Floats) -> list[str]:
    """Return milliseconds since 1970 as dates, with the time of day where one needs it."""
    if bool(np.all(values % DAY == 0)):
        return [str(stamp) for stamp in values.astype("datetime64[ms]").astype("datetime64[D]")]
    if bool(np.all(values % 1 == 0)) or np.abs(values).max(initial=0.0) * 1000.0 >= _BEYOND:
        return [str(stamp) for stamp in values.astype("datetime64[ms]")]
    return [str(stamp) for stamp in _microseconds(values).astype("datetime64[us]")]


def texts_of(values: Floats, kind: Kind | None) -> list[str]:
    """Return numbers or dates as text."""
    return date_texts(values) if kind is Kind.DATE else labels_of(values)


def relabelled(codes: Ints32, levels: Sequence[str | None], *, in_order: bool = True) -> Column:
    """Make a category of codes over other levels; records of equal ones share one, None is missing.

    The levels stay in the order that they have, or are sorted.

    Examples
    --------
    >>> made = relabelled(np.array([0, 1, 2, -1]), ["a", None, "a"])
    >>> made.codes.tolist(), made.levels
    ([0, -1, 0, -1], ('a',))
    """
    distinct = dict.fromkeys(level for level in levels if level is not None)
    place = {level: i for i, level in enumerate(distinct if in_order else sorted(distinct))}
    rank = [-1 if level is None else place[level] for level in levels]
    if rank != [*range(len(rank))]:
        codes = np.array([*rank, -1], dtype=np.int32).take(codes)
    return coded(codes, tuple(place))


def _to_numpy(array: Any, kind: pa.DataType, missing: float) -> Any:
    array = array.cast(kind)
    if array.null_count:
        array = pc.fill_null(array, pa.scalar(missing, type=kind))
    return array.to_numpy()


def _from_durations(
    array: Any, counts: Counts | None, source: str, name: str, fixes: list[Fix]
) -> Column:
    steps, missing = _steps(array)
    factor = {"s": 1_000_000, "ms": 1000, "us": 1, "ns": 1}[array.type.unit]
    nano = array.type.unit == "ns"
    longest = max(-int(steps.min(initial=0)), int(steps.max(initial=0)))
    if longest * factor > _EXACT and not nano:
        what = "durations beyond 2^53 microseconds were read as categories so that none merge"
        fixes.append(Fix(source, name, what, cells(~missing, counts)))
        texts = [str(step * factor) for step in steps.tolist()]
        return _from_text(pa.array(texts, pa.string(), mask=missing))
    fixes.append(Fix(source, name, "durations were read as numbers of microseconds"))
    if longest > _EXACT:
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
        return _from_text(array.cast(pa.string()))
    return numbers(np.asarray(array, dtype=np.float64))


def _from_numpy(values: npt.NDArray[Any], source: str, name: str, fixes: list[Fix]) -> Column:
    if values.dtype.kind != "f":
        if max(abs(int(values.min())), abs(int(values.max()))) > _LARGEST_TOLD_APART:
            return _from_integers(pa.array(values), None, source, name, fixes)
        return numbers(values.astype(np.float64))
    if np.isnan(values[0]) and np.isnan(values).all():  # the first tells most columns at once
        return Column(None, len(values), _NO_VALUES, _NO_CODES)
    _refuse_infinite(values, None, source, name)
    return numbers(values)


def _from_floats(
    array: Any, counts: Counts | None, source: str, name: str, fixes: list[Fix]
) -> Column:
    precision = _NARROW.get(str(array.type), "")
    values = np.asarray(array.cast(pa.float64()), dtype=np.float64)
    _refuse_infinite(values, counts, source, name)
    if not precision:
        return numbers(values)
    shortest = at_precision(values, precision)
    changed = cells((shortest != values) & ~np.isnan(values), counts)
    if changed:
        what = f"{precision} numbers were read as the shortest decimals that they stand for"
        fixes.append(Fix(source, name, what, changed))
    return replace(numbers(shortest), precision=precision)


def _refuse_infinite(values: Floats, counts: Counts | None, source: str, name: str) -> None:
    infinite = np.isinf(values)
    if infinite.any():
        msg = (
            f"{source}: column {name!r} has {cells(infinite, counts)} infinite value(s). Replace "
            "them by missing or by a code that you list in missing_codes, or leave the column out."
        )
        raise ColumnError(msg)


def _from_text(array: Any) -> Column:
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    # Missing becomes a level, because numpy takes longer for a mask.
    encoded = array.dictionary_encode("encode")
    codes = encoded.indices.to_numpy()
    return relabelled(codes, encoded.dictionary.to_pylist(), in_order=False)


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
    codes = _to_numpy(array.indices, pa.int32(), -1)
    return _from_levels(codes, array.dictionary, source, name, fixes)


def _from_levels(codes: Ints32, levels: Any, source: str, name: str, fixes: list[Fix]) -> Column:
    # A dictionary may hold null or the same text twice.
    column = relabelled(codes, _level_names(levels, source, name, fixes))
    precision = _NARROW.get(str(levels.type), "")
    used = precision and codes.max(initial=-1) >= 0
    return replace(column, precision=precision) if used else column
