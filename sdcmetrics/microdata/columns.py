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

from sdcmetrics.microdata.arrays import Counts, Floats, Ints32
from sdcmetrics.microdata.frames import Fix, cells, labels_of

DAY = 86_400_000.0
"""Milliseconds per day."""
EXACT = 2**53
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


NO_VALUES: Floats = np.empty(0, dtype=np.float64)
NO_CODES: Ints32 = np.empty(0, dtype=np.int32)


def numbers(values: Floats, kind: Kind = Kind.NUMBER) -> Column:
    """Make a column of numbers or dates."""
    return Column(kind, len(values), values, NO_CODES)


def coded(codes: Ints32, levels: tuple[str, ...], kind: Kind = Kind.CATEGORY) -> Column:
    """Make a column of categories or booleans."""
    return Column(kind, len(codes), NO_VALUES, codes, levels)


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
    steps, missing = steps_of(array)
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
        return from_text(pa.array(texts.tolist(), pa.string(), mask=missing))
    if unit == "us":
        short = _microseconds(values) != steps
        if short.any():
            what = "times more than 278 years from 1970 were cut to whole milliseconds"
            fixes.append(Fix(source, name, what, cells(short, counts)))
            values = np.where(short, steps // 1000, values)
    values[missing] = np.nan
    return replace(numbers(values, Kind.DATE), zone=zone)


def steps_of(array: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Return dates, times or durations as whole steps of their unit, and which are missing."""
    whole = array.cast(pa.int32()) if array.type.bit_width == _NARROW_STEP else array
    missing = np.asarray(array.is_null(), dtype=np.bool_)
    steps: npt.NDArray[np.int64] = to_numpy(whole.cast(pa.int64()), pa.int64(), 0)
    return steps, missing


def _milliseconds(steps: npt.NDArray[np.int64], unit: str) -> Floats | None:
    """Return steps since 1970 as milliseconds; None where a float64 holds not all of them."""
    longest = max(-int(steps.min(initial=0)), int(steps.max(initial=0)))
    if unit == "us":
        if longest // 1000 >= EXACT:
            return None
        # The quotient is rounded once where the dividend is exact, else its parts are.
        near = np.abs(steps) <= EXACT
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
    >>> levelled = relabelled(np.array([0, 1, 2, -1]), ["a", None, "a"])
    >>> levelled.codes.tolist(), levelled.levels
    ([0, -1, 0, -1], ('a',))
    """
    distinct = dict.fromkeys(level for level in levels if level is not None)
    place = {level: i for i, level in enumerate(distinct if in_order else sorted(distinct))}
    rank = [-1 if level is None else place[level] for level in levels]
    if rank != [*range(len(rank))]:
        codes = np.array([*rank, -1], dtype=np.int32).take(codes)
    return coded(codes, tuple(place))


def to_numpy(array: Any, kind: pa.DataType, missing: float) -> Any:
    """Return an Arrow array as numpy has it, with a value for missing."""
    array = array.cast(kind)
    if array.null_count:
        array = pc.fill_null(array, pa.scalar(missing, type=kind))
    return array.to_numpy()


def from_text(array: Any) -> Column:
    """Make a category of an Arrow array of texts."""
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    # Missing becomes a level, because numpy takes longer for a mask.
    encoded = array.dictionary_encode("encode")
    codes = encoded.indices.to_numpy()
    return relabelled(codes, encoded.dictionary.to_pylist(), in_order=False)
