"""How often each value of a column, or of a few columns together, stands in each data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.errors import ColumnError
from sdcmetrics.microdata.arrays import Counts, Floats, Ints
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.in_pandas import Categories
from sdcmetrics.microdata.text_columns import parse_as

_LARGEST_EXACT = 2**53
_SHOWN = 500
"""Values of a column that are looked at as text."""
_IN_ORDER = 0.95
"""Share of texts that must end in digits after the same beginning to be read as numbers."""


@dataclass(frozen=True, eq=False, repr=False)
class Values:
    """The values of one column in several data sets, as codes over one list of different values.

    Attributes
    ----------
    codes : tuple of int arrays
        One per data set, by record or by distinct entry; -1 is missing.
    weights : tuple of int arrays or None
        How many records an entry stands for; None where each is a record.
    levels : Arrow array
        The different values, by code; their text never leaves this module.
    kind : "number", "date" or "text"
    """

    codes: tuple[Ints, ...]
    weights: tuple[Counts | None, ...]
    levels: Any
    kind: str

    @property
    def by_record(self) -> bool:
        """Whether every entry is a record."""
        return all(part is None for part in self.weights)

    def counts(self, part: int) -> Ints:
        """Return how many records of a data set have each value."""
        codes, weights = self.codes[part], self.weights[part]
        there = codes >= 0
        if weights is None:
            return np.bincount(codes[there], minlength=len(self.levels)).astype(np.int64)
        out = np.bincount(codes[there], weights=weights[there], minlength=len(self.levels))
        return np.rint(out).astype(np.int64)

    @cached_property
    def steps(self) -> Floats | None:
        """Whole numbers that the values stand for, NaN where one has none; None if few have."""
        if self.kind == "text":
            return _ending_in_digits(self.levels)
        numbers = np.asarray(self.levels.cast(pa.float64()), dtype=np.float64)
        return numbers if bool((numbers == np.rint(numbers)).all()) else None

    @cached_property
    def ranks(self) -> Ints:
        """The place of every value among all in order: of numbers, or of texts by letters."""
        order = np.asarray(pc.array_sort_indices(self.levels))
        out = np.empty(len(order), dtype=np.int64)
        out[order] = np.arange(len(order))
        return out


def values_of(
    name: str,
    data: Sequence[Microdata],
    *,
    compact: bool = False,
    missing: Sequence[float] = (),
) -> Values | None:
    """Return the values of a column in all data sets; None if its type has none to compare.

    Parameters
    ----------
    name : str
    data : sequence of Microdata
        All have the column.
    compact : bool
        Letters and digits only, without zeros in front: a phone number or an account is the same
        however it is written. Else texts of one file are read as the numbers or dates of another,
        if they write these, or end in numbers after the same beginning.
    missing : numbers that mean missing
    """
    entries = [entries_of(part, name) for part in data]
    if any(part is None for part in entries):
        return None
    kinds = {kind for part in entries if (kind := kind_of(part.type)) != "none"}
    if "other" in kinds:
        return None
    if len(kinds) == 2 and "text" in kinds and not compact:  # noqa: PLR2004  (one file has texts)
        other = min(kinds - {"text"})
        alike = [_read_as(other, part) for part in entries]
        if all(part is not None for part in alike):
            entries, kinds = alike, {other}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    if kind == "number" and any(_is_long(part) for part in entries):
        kind = "text"
    form = {"number": _as_number, "date": _as_step, "text": _as_text}[kind]
    parts = [form(part) for part in entries]
    if kind == "number" and missing:
        codes = pa.array([float(code) for code in missing])
        parts = [pc.if_else(pc.is_in(part, codes), None, part) for part in parts]
    if kind == "text" and compact:
        parts = [_compacted(part) for part in parts]
    encoded = pa.chunked_array(parts).dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):  # older versions of Arrow
        encoded = encoded.unify_dictionaries().chunk(0)
    codes_all = np.asarray(encoded.indices.fill_null(-1), dtype=np.int64)
    ends = np.cumsum([len(part) for part in parts])[:-1]
    weights = tuple(part.counts(name) for part in data)
    return Values(tuple(np.split(codes_all, ends)), weights, encoded.dictionary, kind)


def entries_of(data: Microdata, name: str) -> Any:
    """Return the entries of a column as one Arrow array; None if they cannot be had."""
    try:
        entries = data.column(name)
    except ColumnError:  # of a large file: too many values, or none to compare
        return None
    if isinstance(entries, Categories):
        codes = np.asarray(entries.codes)
        return entries.levels.take(pa.array(codes, mask=codes < 0))
    if isinstance(entries, np.ndarray):
        return pa.array(entries, from_pandas=True)
    if isinstance(entries, pa.ChunkedArray):
        entries = entries.combine_chunks()
    return entries.dictionary_decode() if pa.types.is_dictionary(entries.type) else entries


def kind_of(kind: pa.DataType) -> str:
    """Return "number", "date", "text", "none" (nothing but missing) or "other"."""
    is_it = pa.types
    if is_it.is_null(kind):
        return "none"
    if is_it.is_integer(kind) or is_it.is_floating(kind) or is_it.is_decimal(kind):
        return "number"
    if is_it.is_date(kind) or is_it.is_timestamp(kind):
        return "date"
    if is_it.is_boolean(kind) or is_it.is_time(kind):
        return "text"
    texts = (is_it.is_string, is_it.is_large_string, is_it.is_string_view)
    return "text" if any(is_text(kind) for is_text in texts) else "other"


def together(parts: Sequence[Values]) -> Values:
    """Return combinations of the values of some columns; one with a missing value is missing."""
    codes = parts[0].codes
    ends = np.cumsum([len(part) for part in codes])[:-1]
    index = np.concatenate(codes)
    for other in parts[1:]:
        more = np.concatenate(other.codes)
        both = np.where((index < 0) | (more < 0), -1, index * len(other.levels) + more)
        index = pd.factorize(both)[0].astype(np.int64)
        index = np.where(both < 0, -1, index)  # what is missing has no place of its own
    size = int(index.max(initial=-1)) + 1
    return Values(tuple(np.split(index, ends)), parts[0].weights, pa.nulls(size), "text")


def texts_of(entries: Any, rows: Ints) -> list[str]:
    """Return different values of some records as text, to be looked at and not to be shown."""
    taken = entries.take(pa.array(rows)).drop_null().unique()[:_SHOWN]
    if kind_of(taken.type) in ("other", "none"):
        return []
    return [str(part) for part in taken.cast(pa.string()).to_pylist()]


def missing_of(codes: Mapping[str, Any] | None, name: str) -> tuple[float, ...]:
    """Return the numbers that mean missing in a column."""
    given = (codes or {}).get(name, ())
    listed = given if isinstance(given, list | tuple | set) else (given,)
    return tuple(float(part) for part in listed if isinstance(part, int | float))


def _read_as(kind: str, entries: Any) -> Any:
    """Return texts as the numbers or dates that they write, or end in; None if they do not."""
    if kind_of(entries.type) in (kind, "none"):
        return entries
    if pa.types.is_boolean(entries.type) or pa.types.is_time(entries.type):
        return None
    texts = pc.utf8_trim_whitespace(entries.cast(pa.string()))
    texts = pc.if_else(pc.equal(texts, ""), None, texts)
    typed = parse_as("date" if kind == "date" else "number", pa.chunked_array([texts]), ())
    if typed is not None:
        return pa.concat_arrays(typed.column.chunks)
    parts = _parts_of(texts.drop_null()) if kind == "number" else None
    if parts is None:
        return None
    numbers = np.full(len(texts), np.nan)
    numbers[np.asarray(texts.is_valid())] = parts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return pa.array(numbers, from_pandas=True)


def _is_long(entries: Any) -> bool:
    """Whether whole numbers are too large for a float to tell apart."""
    if not pa.types.is_integer(entries.type) or len(entries) == entries.null_count:
        return False
    bounds = pc.min_max(entries).as_py()
    return bool(max(abs(bounds["min"]), abs(bounds["max"])) > _LARGEST_EXACT)


def _as_number(entries: Any) -> Any:
    out = entries.cast(pa.float64(), safe=False)
    return pc.if_else(pc.is_finite(out), out, None)


def _as_step(entries: Any) -> Any:
    zoned = pa.types.is_timestamp(entries.type) and entries.type.tz
    kind = pa.timestamp("us", tz=entries.type.tz) if zoned else pa.timestamp("us")
    return entries.cast(kind, safe=False).cast(pa.int64())


def _as_text(entries: Any) -> Any:
    kind = entries.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = _as_number(entries)
        whole = pc.equal(numbers, pc.round(numbers))
        small = pc.less(pc.abs(numbers), _LARGEST_EXACT)
        as_whole = pc.if_else(pc.and_(whole, small), numbers, None)
        text = as_whole.cast(pa.int64()).cast(pa.large_string())
        return pc.coalesce(text, numbers.cast(pa.large_string()))
    text = pc.utf8_trim_whitespace(entries.cast(pa.large_string()))
    text = pc.utf8_lower(text)
    return pc.if_else(pc.equal(text, ""), None, text)


def _compacted(texts: Any) -> Any:
    plain = pc.replace_substring_regex(texts, r"[^\p{L}\p{N}]", "")
    plain = pc.replace_substring_regex(plain, "^0+", "")
    return pc.if_else(pc.equal(plain, ""), None, plain)


def _ending_in_digits(levels: Any) -> Floats | None:
    """Return the numbers that texts of one beginning end in, such as those of "A001", "A002"."""
    if not len(levels) or pa.types.is_null(levels.type) or _parts_of(levels[:_SHOWN]) is None:
        return None
    parts = _parts_of(levels)
    if parts is None:
        return None
    out: Floats = parts.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return out


def _parts_of(levels: Any) -> Any:
    """Return the digits at the end of texts that begin alike; None if most do not."""
    ends = pc.extract_regex(levels, r"^(?P<head>.*?)(?P<number>[0-9]{1,15})$")
    heads, digits = pc.struct_field(ends, "head"), pc.struct_field(ends, "number")
    counts = pc.value_counts(heads.drop_null())
    if not len(counts):
        return None
    most = max(counts.to_pylist(), key=lambda entry: entry["counts"])
    if most["counts"] < _IN_ORDER * len(levels):
        return None
    return pc.if_else(pc.equal(heads, most["values"]), digits, None)
