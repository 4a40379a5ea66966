"""Safe tables as CSV and as JSON rows."""

from __future__ import annotations

import csv
import io
import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.report.safety.cells import (
    AnyTable,
    LongTable,
    SafeCell,
    blank,
)

_DASH, _SPACE = blank().text, "\N{NO-BREAK SPACE}"
_EXACT = 2.0**53
_AT_ONCE = 5_000  # rows
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
    if not text or text[0].isalnum():  # nearly all
        return text
    return f"'{text}" if _is_formula(text) else text


def _is_formula(text: str) -> bool:
    given = text.lstrip("'")
    visible = (c for c in given if c != "'" and unicodedata.category(c) not in _UNSEEN)
    first = unicodedata.normalize("NFKC", next(visible, ""))
    return given.startswith(("\t", "\r", "\n")) or first.startswith(("=", "+", "-", "@"))


def as_csv(table: AnyTable) -> str:
    """Return a table as CSV: numbers as numbers, hidden values empty, texts guarded."""
    return "".join(csv_parts(table))


def csv_parts(table: AnyTable) -> Iterator[str]:
    """Yield the same in parts of some thousand rows: the whole takes several times their size."""
    rows: Iterable[Sequence[Any]] = [[guarded(column.field) for column in table.columns]]
    for part in _parts(table):
        columns = [
            values if column.numeric else _guarded(values)
            for column, values in zip(table.columns, part, strict=True)
        ]
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows(
            itertools.chain(rows, zip(*columns, strict=True))
        )
        yield out.getvalue()
        rows = ()


def as_rows(table: AnyTable) -> list[dict[str, str | float]]:
    """Return a table as a list of dicts; hidden and absent values are left out."""
    return list(rows_of(table))


def rows_of(table: AnyTable) -> Iterator[dict[str, str | float]]:
    """Yield the same, row by row: all of them take several times what their columns do."""
    fields = [column.field for column in table.columns]
    for row in itertools.chain.from_iterable(zip(*part, strict=True) for part in _parts(table)):
        yield {
            field: value
            for field, value in zip(fields, row, strict=True)
            if value is not None and value != ""
        }


def _guarded(values: list[Any]) -> list[str]:
    texts = {value: "" if value is None else guarded(value) for value in dict.fromkeys(values)}
    return [texts[value] for value in values]


def values_of(table: AnyTable) -> list[list[Any]]:
    """Return the values of every column: numbers or None, and texts."""
    return _part(table, slice(0, len(table)))


def _parts(table: AnyTable) -> Iterator[list[list[Any]]]:
    """Yield the same of some thousand rows each; of a table without rows, once."""
    for start in range(0, max(len(table), 1), _AT_ONCE):
        yield _part(table, slice(start, start + _AT_ONCE))


def _part(table: AnyTable, rows: slice) -> list[list[Any]]:
    if isinstance(table, LongTable):
        pairs = zip(table.columns, table.part(rows), strict=True)
        return [_whole(v) if c.numeric else v if isinstance(v, list) else list(v) for c, v in pairs]
    return [
        _whole([row[i].number for row in table.rows[rows]])
        if column.numeric
        else [_text(row[i]) for row in table.rows[rows]]
        for i, column in enumerate(table.columns)
    ]


def _whole(values: Sequence[float | None] | npt.NDArray[Any]) -> list[float | None]:
    """Return whole numbers as such, and what is no number as None."""
    numbers = np.array(values, dtype=np.float64)
    finite = np.isfinite(numbers)
    out: list[float | None] = numbers.tolist()
    for i in np.flatnonzero(~finite).tolist():
        out[i] = None
    whole = finite & (numbers == np.floor(numbers)) & (np.abs(numbers) < _EXACT)
    for i, number in zip(np.flatnonzero(whole).tolist(), numbers[whole].tolist(), strict=True):
        out[i] = int(number)
    return out


def _text(cell: SafeCell) -> str:
    if cell.text == _DASH and cell.kind == "text":
        return ""
    return (cell.full or cell.text).replace(_SPACE, " ")
