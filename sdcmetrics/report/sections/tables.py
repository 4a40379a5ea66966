"""Safe tables as CSV and as JSON rows."""

from __future__ import annotations

import csv
import io
import math

from sdcmetrics.report.safety.cells import SafeCell, SafeColumn, SafeTable, blank

__all__ = ["as_csv", "as_rows", "guarded"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def guarded(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> guarded("=cmd"), guarded("-8"), guarded("plain")
    ("'=cmd", "'-8", 'plain')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def as_csv(table: SafeTable) -> str:
    """Return a table as CSV: numbers as numbers, hidden values empty, texts guarded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([guarded(column.field) for column in table.columns])
    for row in table.rows:
        cells = zip(table.columns, row, strict=True)
        writer.writerow([_csv_cell(column, cell) for column, cell in cells])
    return out.getvalue()


def as_rows(table: SafeTable) -> list[dict[str, str | float]]:
    """Return a table as a list of dicts; hidden and absent values are left out."""
    out = []
    for row in table.rows:
        entries: dict[str, str | float] = {}
        for column, cell in zip(table.columns, row, strict=True):
            value = _value(column, cell)
            if value is not None and value != "":
                entries[column.field] = value
        out.append(entries)
    return out


def _value(column: SafeColumn, cell: SafeCell) -> str | float | None:
    if column.numeric:
        number = cell.number
        if number is None or not math.isfinite(number):
            return None
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if cell == blank():
        return ""
    return (cell.full or cell.text).replace("\N{NO-BREAK SPACE}", " ")


def _csv_cell(column: SafeColumn, cell: SafeCell) -> str:
    value = _value(column, cell)
    if isinstance(value, str):
        return guarded(value)
    return "" if value is None else repr(value)
