"""Safe tables as CSV and as JSON rows."""

from __future__ import annotations

import csv
import io
import math
import unicodedata
from typing import Any

from sdcmetrics.report.safety.cells import PlainTable, SafeCell, SafeTable, blank

__all__ = ["as_csv", "as_rows", "guarded", "values_of"]

_DASH, _SPACE = blank().text, "\N{NO-BREAK SPACE}"
_UNSEEN = {"Cc", "Cf", "Zs", "Zl", "Zp"}


def guarded(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    A text gets an apostrophe in front if it begins with a tab or a line break, or if its first
    sign is "=", "+", "-" or "@": also in a full-width or small form, and after blanks, signs that
    nobody sees, and apostrophes. Without one apostrophe, a text that begins with one and is such a
    text is what it was; no other text is changed.

    Examples
    --------
    >>> guarded("=cmd"), guarded("-8"), guarded("plain"), guarded("'quoted'")
    ("'=cmd", "'-8", 'plain', "'quoted'")
    >>> guarded(" =cmd"), guarded("\uff1dcmd"), guarded("'=cmd")
    ("' =cmd", "'\uff1dcmd", "''=cmd")
    """
    if text[:1].isalnum():  # nearly all
        return text
    return f"'{text}" if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    given = text.lstrip("'")
    seen = (c for c in given if c != "'" and unicodedata.category(c) not in _UNSEEN)
    first = unicodedata.normalize("NFKC", next(seen, ""))
    return given.startswith(("\t", "\r", "\n")) or first.startswith(("=", "+", "-", "@"))


def as_csv(table: SafeTable | PlainTable) -> str:
    """Return a table as CSV: numbers as numbers, hidden values empty, texts guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(column.field) for column in table.columns])
    columns = [
        [_written(value) for value in values]
        if column.numeric
        else ["" if value is None else guarded(value) for value in values]
        for column, values in zip(table.columns, values_of(table), strict=True)
    ]
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue()


def as_rows(table: SafeTable | PlainTable) -> list[dict[str, str | float]]:
    """Return a table as a list of dicts; hidden and absent values are left out."""
    fields = [column.field for column in table.columns]
    return [
        {
            field: value
            for field, value in zip(fields, row, strict=True)
            if value is not None and value != ""
        }
        for row in zip(*values_of(table), strict=True)
    ]


def _written(number: float | None) -> str:
    return "" if number is None else repr(number)


def values_of(table: SafeTable | PlainTable) -> list[list[Any]]:
    """Return the values of every column: numbers or None, and texts."""
    if isinstance(table, PlainTable):
        pairs = zip(table.columns, table.values, strict=True)
        return [list(map(_whole, v)) if c.numeric else v for c, v in pairs]
    return [
        [_whole(row[i].number) for row in table.rows]
        if column.numeric
        else [_text(row[i]) for row in table.rows]
        for i, column in enumerate(table.columns)
    ]


def _whole(number: float | None) -> float | None:
    if number is None or not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _text(cell: SafeCell) -> str:
    if cell.text == _DASH and cell.kind == "text":
        return ""
    text = cell.full or cell.text
    return text.replace(_SPACE, " ") if _SPACE in text else text
