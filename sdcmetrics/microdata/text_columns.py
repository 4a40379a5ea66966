"""Turn columns of text into numbers, booleans and dates, by rules that never guess at codes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.text_bytes import plain_numbers
from sdcmetrics.microdata.text_dates import dates_of, why_no_dates
from sdcmetrics.microdata.text_flags import all_set, any_set, cast_or_none, count_set, matches

if TYPE_CHECKING:
    from collections.abc import Sequence

KindName = Literal["number", "category", "date", "boolean"]
DecimalMark = Literal[",", "."]

# A leading zero marks a code ("01", "007"), so it never makes a number unless one is asked for.
_NUMBER: Final = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_ANY_NUMBER: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_INTEGER: Final = r"^[+-]?[0-9]+$"
_COMMA_NUMBER: Final = (
    r"^[+-]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(\.[0-9]{3})+)(,[0-9]+)?([eE][+-]?[0-9]+)?$"
)
_MAYBE_THOUSANDS: Final = r"^[+-]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}\.[0-9]{3})$"
_CERTAIN_COMMA: Final = r"[+-]?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(\.[0-9]{3})+),[0-9]+"
_MAYBE_ENGLISH: Final = r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+"
_WITH_COMMAS: Final = (
    r"^[+-]?([0-9]+(,[0-9]+)?|[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?)([eE][+-]?[0-9]+)?$"
)
_BARE_EXPONENT: Final = r"^[+-]?[0-9]+[eE][0-9]+$"
_NAN: Final = r"^[+-]?[nN][aA][nN]$"
_INFINITE: Final = r"^[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?$"
_DIGITS_HELD: Final = 15
"""Decimals of so many digits are told apart as float64."""
_FEW: Final = 64
"""Values that are looked at one by one: most columns of text show by the first what they are."""
_MANY: Final = 1000
_TRUE: Final = ("TRUE", "True", "true")
_FALSE: Final = ("FALSE", "False", "false")
_BLANKS: Final = " \t\n\v\f\r"
_NOT_TEXT: Final = re.compile(
    r"[0-9eEtTzZ:.,+/ -]*|(?i:[+-]?(nan|inf(inity)?)|true|false)"
    r"|[0-9]{1,2}[ -]?[A-Za-z]{3}[ -]?[0-9]{2,4}"
)
"""Every number, boolean and time, and more; other patterns say which it is."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A column with its type, and the changes made: words and number of cells."""

    column: pa.ChunkedArray
    notes: tuple[tuple[str, int], ...] = ()
    ambiguous: bool = False
    """Whether points may stand between thousands: it depends on the other columns of the file."""


def infer(
    text: pa.ChunkedArray,
    missing: Sequence[str],
    *,
    decimal_comma: bool = False,
    mark: DecimalMark | None = None,
    counts: Counts | None = None,
) -> Typed:
    """Return the column as the one type that every one of its values has, else as text.

    The types tried are boolean, number, date and date with time (2020-12-31 or 31.12.2020; with "/"
    or "-" between them where the values tell what is the day). Codes with leading zeros and
    integers beyond 64 bits stay text, because as numbers they would no longer be the same. With
    `counts` each text stands for that many cells. Numbers may have decimal commas with
    `decimal_comma`, and have no other with `mark`.

    Examples
    --------
    >>> infer(pa.chunked_array([["1", None, "20"]]), ("", "NA")).column.type
    DataType(int64)
    >>> infer(pa.chunked_array([["01", "20"]]), ("", "NA")).column.type
    DataType(string)
    """
    if _shows_text(text, missing):
        return Typed(text)
    points_only = mark == "." or (mark is None and not decimal_comma)
    if points_only and (numbers := plain_numbers(text, _DIGITS_HELD)) is not None:
        decimals = pa.types.is_floating(numbers.type)
        return Typed(numbers, (), decimals and mark is None and _may_be_thousands(text))
    tokens, notes = _tokens(text, missing, counts)
    typed: Typed | None = None
    if tokens.null_count < len(tokens):
        typed = (
            _boolean(tokens)
            or _number(tokens, decimal_comma=decimal_comma, mark=mark, counts=counts)
            or _date(tokens, counts)
        )
    if typed is None:
        return Typed(text, _kept_commas(tokens, counts) or _kept_dates(tokens, counts))
    return Typed(typed.column, notes + typed.notes, typed.ambiguous)


def _shows_text(text: pa.ChunkedArray, missing: Sequence[str]) -> bool:
    """Whether one of the first values is neither a number, nor a boolean, nor a time."""
    tokens = (value.strip(_BLANKS) for value in text[:_FEW].to_pylist() if value is not None)
    return any(token not in missing and _NOT_TEXT.fullmatch(token) is None for token in tokens)


def _kept_commas(tokens: pa.ChunkedArray, counts: Counts | None) -> tuple[tuple[str, int], ...]:
    """Note that numbers with ambiguous commas stayed text."""
    first = next((value for value in tokens[:1].to_pylist() if value is not None), "0")
    if re.fullmatch(_WITH_COMMAS, first) is None:  # most text is told from numbers by one value
        return ()
    commas = count_set(pc.match_substring(tokens, ","), counts)
    if not commas or not all_set(matches(tokens, _WITH_COMMAS), tokens):
        return ()
    what = "numbers with commas were kept as text: write them with a decimal point"
    return ((what, commas),)


def _kept_dates(tokens: pa.ChunkedArray, counts: Counts | None) -> tuple[tuple[str, int], ...]:
    """Note that what may be dates stayed text, and why."""
    if tokens.null_count == len(tokens) or not (what := why_no_dates(tokens)):
        return ()
    return ((what, count_set(pc.is_valid(tokens), counts)),)


def parse_as(
    kind: KindName,
    text: pa.ChunkedArray,
    missing: Sequence[str],
    *,
    decimal_comma: bool = False,
    mark: DecimalMark | None = None,
    counts: Counts | None = None,
) -> Typed | None:
    """Return the column as the kind asked for, or None if one of its values is not of it."""
    if kind == "category":
        return Typed(text)
    tokens, notes = _tokens(text, missing, counts)
    typed: Typed | None
    if kind == "number":
        typed = _number(
            tokens, decimal_comma=decimal_comma, mark=mark, asked_for=True, counts=counts
        )
    elif kind == "boolean":
        typed = _boolean(tokens, also_digits=True)
    else:
        typed = _date(tokens, counts)
    return None if typed is None else Typed(typed.column, notes + typed.notes, typed.ambiguous)


def is_decimal_comma(text: str, delimiter: str) -> bool:
    """Return whether the text is a number whose comma is surely a decimal one in such a file.

    Examples
    --------
    >>> is_decimal_comma("1,5", ","), is_decimal_comma("1,500", ","), is_decimal_comma("1,500", ";")
    (True, False, True)
    """
    text = text.strip()
    if "," not in text or re.fullmatch(_CERTAIN_COMMA, text) is None:
        return False
    return delimiter == ";" or re.fullmatch(_MAYBE_ENGLISH, text) is None


def looks_like_number(text: str) -> bool:
    """Return whether the text is a number and so hardly a column's name."""
    return re.fullmatch(_ANY_NUMBER, text.strip()) is not None


def has_commas(text: str) -> bool:
    """Return whether the text is a number with commas, which may be decimal or of thousands."""
    return "," in text and re.fullmatch(_WITH_COMMAS, text.strip()) is not None


def _tokens(
    text: pa.ChunkedArray, missing: Sequence[str], counts: Counts | None
) -> tuple[pa.ChunkedArray, tuple[tuple[str, int], ...]]:
    """Return the values without blanks around them, and missing where only blanks hid it."""
    trimmed = pc.ascii_trim_whitespace(text)
    blanks = count_set(pc.not_equal(trimmed, text), counts)
    if not blanks:
        return text, ()
    empty = pc.is_in(trimmed, value_set=pa.array(list(missing), pa.string()))
    tokens = pc.if_else(empty, pa.scalar(None, pa.string()), trimmed)
    return tokens, (("blanks around the values were dropped", blanks),)


def _boolean(tokens: pa.ChunkedArray, *, also_digits: bool = False) -> Typed | None:
    true = (*_TRUE, "1") if also_digits else _TRUE
    false = (*_FALSE, "0") if also_digits else _FALSE
    if not all_set(pc.is_in(tokens, value_set=pa.array(true + false)), tokens):
        return None
    is_true = pc.is_in(tokens, value_set=pa.array(true))
    return Typed(pc.if_else(pc.is_null(tokens), pa.scalar(None, pa.bool_()), is_true))


def _number(
    tokens: pa.ChunkedArray,
    *,
    decimal_comma: bool,
    mark: DecimalMark | None = None,
    asked_for: bool = False,
    counts: Counts | None = None,
) -> Typed | None:
    notes: list[tuple[str, int]] = []
    if mark == "," or (decimal_comma and mark is None):
        tokens, notes = _with_points(tokens, counts, whole=mark == ",")
    ambiguous = mark is None and not notes and _may_be_thousands(tokens)
    finite = matches(tokens, _ANY_NUMBER if asked_for else _NUMBER)
    infinite = False
    if not all_set(finite, tokens):
        is_nan = matches(tokens, _NAN)
        is_infinite = matches(tokens, _INFINITE)
        if not all_set(pc.or_(pc.or_(finite, is_nan), is_infinite), tokens) or not any_set(finite):
            return None
        infinite = any_set(is_infinite)
        nans = count_set(is_nan, counts)
        if nans:
            tokens = pc.if_else(is_nan, pa.scalar(None, pa.string()), tokens)
            notes.append(("NaN was read as missing", nans))
    column = _integer_or_float(tokens, infinite=infinite, asked_for=asked_for)
    if column is None:
        return None
    if pa.types.is_floating(column.type) and (rounded := _rounded(tokens, column, counts)):
        what = "numbers of more digits than a floating-point number has were rounded to the nearest"
        notes.append((what, rounded))
    return Typed(column, tuple(notes), ambiguous)


def _rounded(tokens: pa.ChunkedArray, column: pa.ChunkedArray, counts: Counts | None) -> int:
    """Return how many texts have other digits than the number that they became."""
    long = pc.greater(pc.utf8_length(tokens), _DIGITS_HELD)
    if not any_set(long):
        return 0
    written, held = (_digits(texts) for texts in (tokens, column.cast(pa.string())))
    more = pc.greater(pc.utf8_length(written), _DIGITS_HELD)
    return count_set(pc.and_(more, pc.not_equal(written, held)), counts)


def _digits(numbers: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the significant digits of numbers, without sign, point and exponent."""
    plain = pc.replace_substring_regex(numbers, r"[eE].*$|[+.-]", "")
    return pc.replace_substring_regex(plain, r"^0+|0+$", "")


def _with_points(
    tokens: pa.ChunkedArray, counts: Counts | None, *, whole: bool
) -> tuple[pa.ChunkedArray, list[tuple[str, int]]]:
    """Return numbers with decimal commas with points; `whole` ones may have points of thousands.

    Beside a comma in the column, a point is surely between thousands.
    """
    commas = count_set(pc.match_substring(tokens, ","), counts)
    points = count_set(pc.match_substring(tokens, "."), counts)
    sure = commas or (whole and points)
    if not sure or not all_set(matches(tokens, f"{_COMMA_NUMBER}|{_NAN}|{_INFINITE}"), tokens):
        return tokens, []
    notes = []
    if points:
        tokens = pc.replace_substring(tokens, ".", "")
        notes.append(("points between thousands were dropped", points))
    if commas:
        tokens = pc.replace_substring(tokens, ",", ".")
        notes.append(("decimal commas were read as decimal points", commas))
    return tokens, notes


def _may_be_thousands(tokens: pa.ChunkedArray) -> bool:
    """Return whether every point of the numbers stands before a group of three digits."""
    first = next((value for value in tokens[:1].to_pylist() if value is not None), "0")
    if re.fullmatch(_MAYBE_THOUSANDS, first) is None:  # as most numbers with decimals are not
        return False
    some = tokens[:_MANY]  # of most columns these tell; a pattern takes longer than a number
    if not all_set(matches(some, _MAYBE_THOUSANDS), some):
        return False
    points = pc.match_substring(tokens, ".")
    return any_set(points) and all_set(matches(tokens, _MAYBE_THOUSANDS), tokens)


def _integer_or_float(
    tokens: pa.ChunkedArray, *, infinite: bool, asked_for: bool
) -> pa.ChunkedArray | None:
    if not infinite and all_set(matches(tokens, _INTEGER), tokens):
        column = cast_or_none(pc.utf8_ltrim(tokens, characters="+"), pa.int64())
        if column is not None or not asked_for:
            return column
    # "12E3" may well be a code; a decimal point elsewhere shows that these are numbers.
    codes = any_set(matches(tokens, _BARE_EXPONENT)) and not any_set(
        pc.match_substring(tokens, ".")
    )
    if codes and not asked_for:
        return None
    column = cast_or_none(tokens, pa.float64())
    if column is None or (not infinite and any_set(pc.is_inf(column))):
        return None
    return column


def _date(tokens: pa.ChunkedArray, counts: Counts | None = None) -> Typed | None:
    dates = dates_of(tokens)
    if dates is None:
        return None
    column, words = dates
    return Typed(column, ((words, count_set(pc.is_valid(tokens), counts)),) if words else ())
