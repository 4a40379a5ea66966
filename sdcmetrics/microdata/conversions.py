"""Bring a replica's column to the kind and the coding of the original's; every change is a fix."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import ColumnError
from sdcmetrics.microdata.arrays import Floats, Ints32
from sdcmetrics.microdata.columns import Column, Kind, coded, numbers, relabelled, texts_of, times
from sdcmetrics.microdata.frames import Fix, Microdata, label_of
from sdcmetrics.microdata.text_columns import has_commas, looks_like_number, parse_as

_MEANING = dict.fromkeys(("true", "t", "yes", "y", "1"), 1)
_MEANING |= dict.fromkeys(("false", "f", "no", "n", "0"), 0)
_WORDS = {
    Kind.NUMBER: "numbers",
    Kind.CATEGORY: "text or labels",
    Kind.BOOLEAN: "booleans",
    Kind.DATE: "dates",
}


class KindError(ColumnError):
    """A column has values that have no counterpart among the original's kind of values."""


@dataclass(frozen=True)
class Place:
    """Which column of which data set is converted, and what it is to be like.

    Attributes
    ----------
    name : str
    source, original : Microdata
        The data set that the column comes from, and the one that it is compared with.
    like : Column
        The original's column.
    fixes : list of Fix
        What is changed is appended here.
    """

    name: str
    source: Microdata
    original: Microdata
    like: Column
    fixes: list[Fix]

    def note(self, change: str, cells: int | None = None) -> None:
        """List a change."""
        self.fixes.append(Fix(self.source.source, self.name, change, cells))

    @property
    def levels_of_codes(self) -> dict[str, str]:
        """The original's level by the text of the code that its file has for it."""
        codes = self.original.level_codes.get(self.name, {})
        return {label_of(code): level for level, code in codes.items()}

    @property
    def codes_of_levels(self) -> dict[str, str]:
        """Text of the code by level, as the source's own file has it."""
        codes = self.source.level_codes.get(self.name, {})
        return {level: label_of(code) for level, code in codes.items()}

    def refusal(self, column: Column, kind: Kind, why: str = "") -> KindError:
        """Return the error for a column that cannot be brought to the original's kind."""
        word = _WORDS[column.kind or Kind.CATEGORY]
        msg = (
            f"column {self.name!r} holds {_WORDS[kind]} in {self.original.source} but {word} in "
            f"{self.source.source}{why}. Code it alike in both, or leave the column out."
        )
        return KindError(msg)


def to_kind(column: Column, kind: Kind, place: Place) -> Column:
    """Return the column as the kind that the original has.

    The data set remembers it for this original, as `read_column` does.

    Raises
    ------
    KindError
        If a value of the column has no counterpart of that kind.
    """
    cached = place.source.remember(
        (place.name, kind, column, place.like),
        place.original,
        lambda listed: convert(column, kind, replace(place, fixes=listed)).counted_as(column),
    )
    place.fixes.extend(cached.fixes)
    return cached.result


def convert(column: Column, kind: Kind, place: Place) -> Column:
    """Return the column as the kind that the original has; nothing is remembered."""
    if column.kind is None:
        if kind in (Kind.NUMBER, Kind.DATE):
            return numbers(np.full(column.n, np.nan), kind)
        return coded(np.full(column.n, -1, dtype=np.int32), column.levels, kind)
    if kind is Kind.CATEGORY:
        return _to_category(column, place)
    if column.kind is kind:
        return column
    if kind is Kind.NUMBER and column.kind is Kind.BOOLEAN:
        place.note("booleans were read as 0 and 1", column.records)
        return numbers(np.where(column.codes < 0, np.nan, column.codes).astype(np.float64))
    if kind is Kind.NUMBER and column.kind is Kind.CATEGORY:
        return _text_to_numbers(column, place)
    if kind is Kind.DATE and column.kind is Kind.CATEGORY:
        return _text_to_dates(column, place)
    if kind is Kind.BOOLEAN and column.kind is not Kind.DATE:
        return _to_boolean(column, place)
    raise place.refusal(column, kind)


def _text_to_numbers(column: Column, place: Place) -> Column:
    own = place.codes_of_levels
    theirs = _by_label(place.original.value_labels.get(place.name, {}))
    parsed = np.full(len(column.levels) + 1, np.nan)
    of_labels = 0
    bad = []
    for i, level in enumerate(column.levels):
        value = _number(own.get(level, level))
        if value is None:
            value = theirs.get(level)
        if value is None:
            bad.append(level)
        else:
            parsed[i] = value
            of_labels += _number(level) != value
    if bad and _are_words(column.levels) and _only_bits(place.like):
        parsed[:-1] = [_MEANING[_word(level)] for level in column.levels]
        place.note("yes and no were read as 1 and 0", column.records)
    elif bad:
        what = "numbers with commas" if all(map(has_commas, bad)) else "not numbers"
        why = f", where {_said_of(len(bad), len(column.levels), what)}"
        raise place.refusal(column, Kind.NUMBER, why)
    elif of_labels:
        place.note("labels were read as the codes that they stand for", column.records)
    else:
        place.note("text was read as numbers", column.records)
    return replace(numbers(parsed[column.codes]), precision=column.precision)


def _text_to_dates(column: Column, place: Place) -> Column:
    moments = _moments(column.levels)
    if moments is None:
        why = " that are not all dates, or do not say which number is the day; write YYYY-MM-DD"
        raise place.refusal(column, Kind.DATE, why)
    place.note("text was read as dates", column.records)
    return replace(moments, n=column.n, values=np.append(moments.values, np.nan)[column.codes])


def _moments(levels: Sequence[str]) -> Column | None:
    """Return the dates or times that the levels are, or None if one is not."""
    typed = parse_as("date", pa.chunked_array([list(levels)], pa.string()), ())
    return None if typed is None else times(typed.column, "", "", [])


def _to_boolean(column: Column, place: Place) -> Column:
    if column.kind is Kind.NUMBER:
        if not _only_bits(column):
            raise place.refusal(column, Kind.BOOLEAN, " other than 0 and 1")
        codes = np.where(np.isnan(column.values), -1, column.values).astype(np.int32)
    else:
        if not _are_words(column.levels):
            raise place.refusal(column, Kind.BOOLEAN, " other than true and false, yes and no")
        meaning = [_MEANING[_word(level)] for level in column.levels]
        codes = np.array([*meaning, -1], dtype=np.int32)[column.codes]
    place.note(f"{column.kind} values were read as booleans", column.records)
    return coded(codes, ("FALSE", "TRUE"), Kind.BOOLEAN)


def _to_category(column: Column, place: Place) -> Column:
    if column is place.like:
        return column
    if column.kind is Kind.CATEGORY:
        if not place.original.level_codes and not place.source.level_codes:
            return column
        return _text_to_labels(column, place)
    texts, codes = _as_text(column)
    words = _words_for_bits(place.like)
    bits = column.kind is Kind.BOOLEAN or _only_bits(column)
    if bits and words:
        spelt = [words[int(text)] for text in texts]
    elif column.kind is Kind.BOOLEAN and not place.levels_of_codes:
        spelt = [_FLAGS[int(text)] for text in texts]
    elif column.kind is Kind.DATE:
        spelt = _spelt_dates(texts, place)
    else:
        spelt = _spelt(texts, place)
    if place.like.levels and set(spelt).isdisjoint(place.like.levels):
        raise place.refusal(column, Kind.CATEGORY)
    if any(_is_code(text, level, place) for text, level in zip(texts, spelt, strict=True)):
        place.note(f"codes were read as the labels of {place.original.source}", column.records)
    else:
        place.note(f"{column.kind} values were read as labels", column.records)
    return relabelled(codes, spelt)


_FLAGS = ("FALSE", "TRUE")


def _as_text(column: Column) -> tuple[list[str], Ints32]:
    """Return the distinct values as text, in order, and the position of each value; -1 missing."""
    if column.kind is Kind.BOOLEAN:
        return ["0", "1"], column.codes
    distinct, inverse = np.unique(column.values, return_inverse=True)
    codes = np.where(np.isnan(column.values), -1, inverse).astype(np.int32)
    present = distinct[~np.isnan(distinct)]
    return texts_of(present, column.kind), codes


def _spelt(texts: list[str], place: Place) -> list[str]:
    """Return the original's level for each text: the same, its label, or the same number."""
    levels = set(place.like.levels)
    labels = place.levels_of_codes
    if levels.issuperset(texts):
        if any(labels.get(text, text) != text for text in texts):
            place.note("values that are labels as well as codes were taken as labels")
        return texts
    if not labels.keys().isdisjoint(texts):
        return [labels.get(text, text) for text in texts]
    by_number = {_number(level): level for level in place.like.levels if looks_like_number(level)}
    if len(by_number) < sum(looks_like_number(level) for level in place.like.levels):
        return texts  # "1" and "01" are two levels of the original
    return [text if text in levels else by_number.get(_number(text), text) for text in texts]


def _spelt_dates(texts: list[str], place: Place) -> list[str]:
    """Return the original's level for each time, however it writes times."""
    original_moments = _moments(place.like.levels)
    own = _moments(texts)
    spelling = {}
    if original_moments is not None and not original_moments.zone:
        spelling = dict(zip(original_moments.values.tolist(), place.like.levels, strict=True))
    if own is None or len(spelling) < len(place.like.levels):
        return [text.replace("T", " ") for text in texts]
    moments = zip(texts, own.values.tolist(), strict=True)
    return [spelling.get(moment, text.replace("T", " ")) for text, moment in moments]


def _is_code(text: str, level: str, place: Place) -> bool:
    return level not in (text, *_FLAGS) and place.levels_of_codes.get(text) == level


def _text_to_labels(column: Column, place: Place) -> Column:
    """Match codes that are text with labels: the original's, or those of the column's own file."""
    levels = set(place.like.levels)
    labels = place.levels_of_codes
    own = place.codes_of_levels
    by_number = {_number(level): level for level in levels if looks_like_number(level)}
    spelt = []
    to_labels = to_codes = 0
    for level in column.levels:
        code = _number(level)
        text = label_of(code) if code is not None else level
        if level in levels:
            spelt.append(level)
        elif level in labels or text in labels:  # the codes of a text column may begin with 0
            spelt.append(labels.get(level) or labels[text])
            to_labels += 1
        elif own.get(level) in levels or _number(own.get(level, "")) in by_number:
            code_text = own[level]
            spelt.append(code_text if code_text in levels else by_number[_number(code_text)])
            to_codes += 1
        else:
            spelt.append(level)
    if not to_labels and not to_codes:
        return column
    if to_labels:
        place.note(f"codes were read as the labels of {place.original.source}", column.records)
    if to_codes:
        place.note("labels were read as the codes that they stand for", column.records)
    return relabelled(column.codes, spelt)


def _by_label(labels: Mapping[float, str]) -> dict[str, float]:
    texts = list(labels.values())
    return {text: code for code, text in labels.items() if texts.count(text) == 1}


def _number(text: str) -> float | None:
    if not looks_like_number(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _only_bits(column: Column) -> bool:
    if column.kind is not Kind.NUMBER:
        return False
    values: Floats = column.values[~np.isnan(column.values)]
    return bool(np.isin(values, (0.0, 1.0)).all())


def _word(level: str) -> str:
    return level.strip().casefold()


def _are_words(levels: tuple[str, ...]) -> bool:
    return all(_word(level) in _MEANING for level in levels)


def _words_for_bits(column: Column) -> tuple[str, str] | None:
    """Return the column's only level that means false and its only one that means true."""
    no, yes = (
        [level for level in column.levels if _MEANING.get(_word(level)) == i] for i in (0, 1)
    )
    return (no[0], yes[0]) if len(no) == len(yes) == 1 else None


def _said_of(some: int, total: int, kind: str) -> str:
    if some == total:
        return f"the values are {kind}"
    if some == 1:
        return f"1 of {total} distinct values is {kind.replace('numbers', 'a number', 1)}"
    return f"{some} of {total} distinct values are {kind}"
