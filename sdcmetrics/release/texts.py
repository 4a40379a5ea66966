"""One entry of a data set as text, day or number, independent of its column.

Reading infers the kind of a column from all of its values, so that one answer in words among
numbers makes every entry a text. A sum over people must not change like that with one person. Here
every entry becomes a text by a rule that looks at nothing but the entry, in the original and in the
replicas alike.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Collection
from decimal import Decimal
from typing import Final

from sdcmetrics.microdata.frames import label_of

_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_THOUSANDS = r"[+-]?[0-9]{1,3}(\.[0-9]{3})+"
_COMMA: Final = re.compile(rf"([+-]?[0-9]+|{_THOUSANDS}),[0-9]+([eE][+-]?[0-9]+)?")
_POINTS: Final = re.compile(_THOUSANDS)
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}.*")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_WITH_POINTS: Final = re.compile(
    r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?"
)
_NAN: Final = re.compile(r"[+-]?nan", re.IGNORECASE)
_TRUTH: Final = {"true": "TRUE", "false": "FALSE"}


def plain_text(
    entry: object,
    missing: Collection[str] = ("", "NA"),
    *,
    decimal_comma: bool = False,
    thousands: bool = False,
) -> str | None:
    """Return the one text that stands for an entry; None where it is missing.

    Parameters
    ----------
    entry : text, number, truth value, date or None
    missing : texts that mean missing
    decimal_comma : whether "1,5" is a number, and "1.000,5"
    thousands : whether "1.000" is a thousand then

    Examples
    --------
    >>> plain_text("007"), plain_text(7.0), plain_text("+7"), plain_text("7x")
    ('7', '7', '7', '7x')
    >>> plain_text(" NA "), plain_text(float("nan")), plain_text("true"), plain_text(False)
    (None, None, 'TRUE', 'FALSE')
    >>> [plain_text("1.000", decimal_comma=True, thousands=yes) for yes in (False, True)]
    ['1', '1000']
    >>> plain_text(dt.datetime(2020, 6, 5)), plain_text("2020-06-05T00:00"), plain_text("1.50")
    ('2020-06-05', '2020-06-05', '1.5')
    >>> plain_text("5.6.2020"), plain_text("05.06.2020 14:30"), plain_text("31.6.2020")
    ('2020-06-05', '2020-06-05T14:30:00', '31.6.2020')
    """
    if isinstance(entry, str):
        text = entry.strip()
        if decimal_comma and (_COMMA.fullmatch(text) or (thousands and _POINTS.fullmatch(text))):
            number = text.replace(".", "").replace(",", ".")
            return None if text in missing else _number(number)
        return _of_text(text, missing)
    if entry is None or entry != entry:  # noqa: PLR0124  (NaN and NaT)
        return None
    if isinstance(entry, dt.datetime):
        return moment_of(entry)
    if isinstance(entry, dt.date | dt.time):
        return entry.isoformat()
    if isinstance(entry, Decimal):
        return _number(str(entry))
    return label_of(entry)


def _of_text(text: str, missing: Collection[str]) -> str | None:
    if text in missing or _NAN.fullmatch(text):
        return None
    if _NUMBER.fullmatch(text):
        return _number(text)
    if parts := _WITH_POINTS.fullmatch(text):
        day, month, year, time, *_ = parts.groups(default="")
        try:
            return moment_of(dt.datetime.fromisoformat(f"{year}-{month:0>2}-{day:0>2}{time}"))
        except ValueError:
            return text
    if _TIME.fullmatch(text):
        try:
            return moment_of(dt.datetime.fromisoformat(text))
        except ValueError:
            return text
    return _TRUTH.get(text.casefold(), text)


def _number(text: str) -> str:
    if _INTEGER.fullmatch(text):
        digits = text.lstrip("+-0") or "0"
        return f"-{digits}" if text[0] == "-" and digits != "0" else digits
    number = float(text)
    return label_of(number) if math.isfinite(number) else text


def moment_of(time: dt.datetime) -> str:
    """Return a moment as a text: of midnight the day alone."""
    midnight = time.time() == dt.time() and time.tzinfo is None
    return time.date().isoformat() if midnight else time.isoformat()


def is_day(text: str) -> bool:
    """Whether a text of `plain_text` is a day, with or without the time.

    >>> is_day("2020-06-05"), is_day("1e-05")
    (True, False)
    """
    return _DAY.match(text) is not None


def as_number(text: str | None) -> float:
    """Return the number that a text of `plain_text` is, a day as the number of days; else NaN.

    Examples
    --------
    >>> as_number("1.5"), as_number("1970-01-02"), as_number("x")
    (1.5, 719164.0, nan)
    """
    if text is None:
        return math.nan
    if _NUMBER.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else math.nan
    if _DAY.match(text):
        try:
            return _days(dt.datetime.fromisoformat(text))
        except ValueError:
            return math.nan
    return math.nan


def _days(time: dt.datetime) -> float:
    clock = time.hour * 3600 + time.minute * 60 + time.second
    return time.toordinal() + clock / 86_400
