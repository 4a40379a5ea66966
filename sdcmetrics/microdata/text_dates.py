"""Turn columns of text into dates and times, where their values say what is day and month."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from sdcmetrics.microdata.text_flags import all_set, any_set, cast_or_none, matches

_DATE: Final = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_TIME: Final = r"[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?"
_LOCAL_TIME: Final = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}({_TIME})?$"
_ZONED_TIME: Final = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{_TIME}(Z|[+-][0-9]{{2}}:?[0-9]{{2}})$"
_NO_OFFSET: Final = r"^.*?(Z|[+-][0-9]{2}:?[0-9]{2})$"
_NANOSECONDS: Final = r"\.[0-9]{7}"
_YEAR_LAST: Final = {
    mark: rf"^([0-9]{{1,2}}){mark}([0-9]{{1,2}}){mark}([0-9]{{4}})(({_TIME})?)$"
    for mark in (r"\.", "/", "-")
}
_DAY_FIRST, _MONTH_FIRST = r"\3-\2-\1\4", r"\3-\1-\2\4"
MONTHS: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
)
_MONTH_IN_WORDS: Final = (
    rf"(?i)^([0-9]{{1,2}})[ -]?({'|'.join(MONTHS)})[ -]?([0-9]{{2}}|[0-9]{{4}})$"
)
_IN_WORDS: Final = "words"
_SHORT_YEARS: Final = {
    **{mark: pattern.replace("{4}", "{2}", 1) for mark, pattern in _YEAR_LAST.items()},
    _IN_WORDS: _MONTH_IN_WORDS.replace("|[0-9]{4}", ""),
}
_SHORT_ORDERS: Final = (r"20\3-\2-\1\4", r"20\3-\1-\2\4", r"20\1-\2-\3\4")
"""Of any century: whether there are such days."""

Dates = tuple[pa.ChunkedArray, str]
"""A column of dates or times, and in words what was done to read it; empty where it is ISO 8601."""


def dates_of(tokens: pa.ChunkedArray) -> Dates | None:
    """Return the dates or times that all texts of a column are, or None.

    Points stand between day, month and year in this order alone. Of texts with "/" or "-" the whole
    column tells: where it is one of dates in one of the two orders only, that is the order. Months
    in English words are those of SAS.

    Examples
    --------
    >>> days, words = dates_of(pa.chunked_array([["05/03/2020", "13/03/2020"]]))
    >>> days[0].as_py().isoformat(), words
    ('2020-03-05', 'days, months and years, with "/" between them, were read as dates')
    >>> dates_of(pa.chunked_array([["05/03/2020", "12/03/2020"]])) is None
    True
    """
    for mark, pattern in _YEAR_LAST.items():
        if all_set(matches(tokens, pattern), tokens):
            return _year_last(tokens, mark, pattern)
    if all_set(matches(tokens, _MONTH_IN_WORDS), tokens):
        column = _iso(_with_months(tokens), _YEAR_LAST["/"], _DAY_FIRST)
        words = "days, months in words and years were read as dates"
        return None if column is None else (column, words)
    return _year_first(tokens)


def why_no_dates(tokens: pa.ChunkedArray) -> str:
    """Return in words why texts that may all be dates are none; empty where they cannot be.

    Two digits of a year do not tell the century: 45 is a birth of 1945, and a delivery of 2045.

    Examples
    --------
    >>> why_no_dates(pa.chunked_array([["31.12.20", "1.2.19"]]))[:47]
    'what may be dates with years of two digits was '
    >>> why_no_dates(pa.chunked_array([["05/03/2020", "12/03/2020"]]))[:48]
    'what may be dates of which no value tells day fr'
    >>> why_no_dates(pa.chunked_array([["31.13.20"]]))
    ''
    """
    for mark, pattern in _SHORT_YEARS.items():
        if not all_set(matches(tokens, pattern), tokens):
            continue
        days = _with_months(tokens) if mark == _IN_WORDS else tokens
        numbers = _SHORT_YEARS["/"] if mark == _IN_WORDS else pattern
        if any(_iso(days, numbers, order) is not None for order in _SHORT_ORDERS):
            return (
                "what may be dates with years of two digits was kept as text: if these are dates, "
                "write years with four"
            )
    for mark in ("/", "-"):
        pattern = _YEAR_LAST[mark]
        if all_set(matches(tokens, pattern), tokens):
            orders = (_iso(tokens, pattern, order) for order in (_DAY_FIRST, _MONTH_FIRST))
            if all(dates is not None for dates in orders):
                return (
                    "what may be dates of which no value tells day from month was kept as text: if "
                    "these are dates, write them as 2020-12-31"
                )
    return ""


def _year_last(tokens: pa.ChunkedArray, mark: str, pattern: str) -> Dates | None:
    days, months = (_iso(tokens, pattern, order) for order in (_DAY_FIRST, _MONTH_FIRST))
    if mark == r"\.":
        words = "days, months and years, with points between them, were read as dates"
        return None if days is None else (days, words)
    if (days is None) == (months is None):
        return None
    order = "months, days and years" if days is None else "days, months and years"
    return days or months, f'{order}, with "{mark}" between them, were read as dates'


def _iso(tokens: pa.ChunkedArray, pattern: str, order: str) -> pa.ChunkedArray | None:
    padded = pc.replace_substring_regex(tokens, r"^([0-9])([./-])", r"0\1\2")
    padded = pc.replace_substring_regex(padded, r"([./-])([0-9])([./-])", r"\10\2\3")
    dates = _year_first(pc.replace_substring_regex(padded, pattern, order))
    return None if dates is None else dates[0]


def _with_months(tokens: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return 31DEC2020 as 31/12/2020."""
    out = pc.replace_substring_regex(tokens, _MONTH_IN_WORDS, r"\1/\2/\3")
    for number, month in enumerate(MONTHS, 1):
        out = pc.replace_substring_regex(out, f"(?i){month}", str(number))
    return out


def _year_first(tokens: pa.ChunkedArray) -> Dates | None:
    column, words = None, ""
    if all_set(matches(tokens, _DATE), tokens):
        column = cast_or_none(tokens, pa.date32())
    else:
        unit = "ns" if any_set(matches(tokens, _NANOSECONDS)) else "us"
        if all_set(matches(tokens, _LOCAL_TIME), tokens):
            column = cast_or_none(tokens, pa.timestamp(unit))
        elif all_set(matches(tokens, _ZONED_TIME), tokens):
            # One offset throughout is kept, so that the local time is not lost.
            offsets = pc.unique(pc.replace_substring_regex(tokens.drop_null(), _NO_OFFSET, r"\1"))
            zone = offsets[0].as_py() if len(offsets) == 1 else "UTC"
            column = cast_or_none(tokens, pa.timestamp(unit, tz=zone if ":" in zone else "UTC"))
            if len(offsets) > 1:
                words = "times of several offsets from UTC were read as times of UTC"
    return None if column is None else (column, words)
