"""Columns of days that are not written as ISO 8601: in which order follows from the replicas.

Whether 05/03/2020 is of March or of May follows from a column, not from an entry. Here it is the
column of the replicas, which all outsiders have; each entry of the original is then read by itself.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Final

from sdcmetrics.microdata.text_dates import MONTHS
from sdcmetrics.release.people import Column, Records, renamed
from sdcmetrics.release.texts import moment_of

_TIME = r"([T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?"
_WORDS = "|".join(MONTHS)
_DAY, _MONTH, _YEAR = "(?P<d>[0-9]{1,2})", "(?P<m>[0-9]{1,2})", "(?P<y>[0-9]{4})"
_PATTERNS: Final = {
    "day/month/year": re.compile(f"{_DAY}/{_MONTH}/{_YEAR}{_TIME}"),
    "month/day/year": re.compile(f"{_MONTH}/{_DAY}/{_YEAR}{_TIME}"),
    "day-month-year": re.compile(f"{_DAY}-{_MONTH}-{_YEAR}{_TIME}"),
    "month-day-year": re.compile(f"{_MONTH}-{_DAY}-{_YEAR}{_TIME}"),
    "day, month in words, year": re.compile(f"(?i:{_DAY}[ -]?(?P<m>{_WORDS})[ -]?{_YEAR})()"),
}


def orders_of(replicas: Iterable[Records], left: Collection[str]) -> dict[str, str]:
    """Return in which order columns of days are written, by column.

    Parameters
    ----------
    replicas : all syntheses of all replicas
    left : columns that are to stay as they are
    """
    texts: dict[str, set[str]] = {}
    for records in replicas:
        for name, column in records.columns.items():
            if name not in left:
                texts.setdefault(name, set()).update(t for t in column.texts if t is not None)
    orders = {name: _order_of(own) for name, own in texts.items()}
    return {name: order for name, order in orders.items() if order is not None}


def _order_of(texts: Collection[str]) -> str | None:
    """Return the one order in which all texts are days; None where there is none, or are two.

    >>> _order_of(["05/03/2020", "13/03/2020"]), _order_of(["05/03/2020"])
    ('day/month/year', None)
    """
    orders = [order for order in _PATTERNS if texts and all(_day_of(text, order) for text in texts)]
    return orders[0] if len(orders) == 1 else None


def _day_of(text: str, order: str) -> str | None:
    """Return a day as `plain_text` has it; None where the text is none.

    >>> _day_of("5/3/2020 14:30", "day/month/year"), _day_of("05MAR2020", "month-day-year")
    ('2020-03-05T14:30:00', None)
    """
    parts = _PATTERNS[order].fullmatch(text)
    if parts is None:
        return None
    month = parts["m"]
    number = MONTHS.index(month.lower()) + 1 if month.isalpha() else int(month)
    try:
        return moment_of(
            dt.datetime.fromisoformat(f"{parts['y']}-{number:02}-{parts['d']:0>2}{parts[4] or ''}")
        )
    except ValueError:
        return None


def with_days(records: Records, orders: Mapping[str, str]) -> Records:
    """Return records with days as ISO 8601 has them, entry by entry; what is none stays.

    The digest stays that of the records as they are, as in `coarse.coarsened`.
    """
    columns = {
        name: _with_days(records.columns[name], order)
        for name, order in orders.items()
        if name in records.columns
    }
    if not columns:
        return records
    read = replace(records, columns={**records.columns, **columns})
    vars(read)["digest"] = records.digest
    return read


def _with_days(column: Column, order: str) -> Column:
    return renamed(column, [text and (_day_of(text, order) or text) for text in column.texts])
