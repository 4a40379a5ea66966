"""The tables as one Excel workbook: a sheet each, numbers as numbers, headings that stay."""

from __future__ import annotations

import io
import itertools
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from xml.sax.saxutils import escape

from sdcmetrics.errors import StudyError
from sdcmetrics.report.assembly import SafeReport
from sdcmetrics.report.safety.cells import AnyTable
from sdcmetrics.report.safety.rows import guarded, values_of

_ROWS, _TEXT, _NAME = 1_048_575, 32_767, 31
"""Limits of a sheet, a cell and the name of a sheet (ECMA-376, Excel)."""
_WIDEST, _NARROWEST = 48, 9
_MODIFIED = re.compile(rb"<dcterms:modified.*?</dcterms:modified>")
_STAMP = (1980, 1, 1, 0, 0, 0)
"""The time of every part of the file, so that the same review gives the same bytes."""


def as_xlsx(report: SafeReport) -> bytes:
    """Return the decision and every table that goes to a file as a workbook.

    It holds what the CSV files hold and no more; texts that a spreadsheet would take for a formula
    have an apostrophe in front. Of a table too long for a sheet, the first rows.

    Raises
    ------
    StudyError
        If openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
    except ImportError as error:
        msg = "an Excel file needs openpyxl. Install it with: pip install 'sdcmetrics[xlsx]'"
        raise StudyError(msg) from error
    book = Workbook(write_only=True)
    when = datetime.fromisoformat(report.date)
    book.properties.creator, book.properties.title = "sdcmetrics", report.title.text
    book.properties.created = when
    tables: Mapping[str, AnyTable] = {
        "decision": report.decision.board,
        "what_to_do": report.to_do.table,
        **report.exports,
    }
    rows = [_add(book, name[:_NAME], table) for name, table in tables.items()]
    out = io.BytesIO()
    book.save(out)
    return _finished(out.getvalue(), rows)


def _add(book: Any, name: str, table: AnyTable) -> Iterator[str]:
    """Add a sheet with its heading; return the rows below it, as they stand in the file."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(name)
    sheet.freeze_panes = "B2"
    columns = values_of(table)
    formats = [
        _format(values) if column.numeric else "@"
        for column, values in zip(table.columns, columns, strict=True)
    ]
    for i, (column, values) in enumerate(zip(table.columns, columns, strict=True), start=1):
        longest = max((len(str(value)) for value in values[:200] if value is not None), default=0)
        wide = min(max(longest, len(column.field), _NARROWEST), _WIDEST)
        sheet.column_dimensions[get_column_letter(i)].width = wide + 2
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(columns))}{min(len(table), _ROWS) + 1}"

    def cell(form: str, *, bold: bool = False) -> Any:
        cell_ = WriteOnlyCell(sheet)
        cell_.number_format = form
        if bold:
            cell_.font = Font(bold=True)
        return cell_

    heading = [cell("@", bold=True) for _ in columns]
    for cell_, column in zip(heading, table.columns, strict=True):
        cell_.value = _plain(column.field)
        cell_.data_type = "s"  # whatever it begins with, it is a text
    sheet.append(heading)
    places = [get_column_letter(i) for i in range(1, len(columns) + 1)]
    return _rows(columns, places, [cell(form).style_id for form in formats])


def _rows(columns: list[list[Any]], places: list[str], styles: list[int]) -> Iterator[str]:
    """Yield rows as XML: a cell of openpyxl each takes twenty times as long."""
    texts = {
        value: f' t="inlineStr"><is><t xml:space="preserve">{_escaped(value)}</t></is></c>'
        for values in columns
        for value in dict.fromkeys(values)
        if isinstance(value, str)
    }
    for number, row in enumerate(itertools.islice(zip(*columns, strict=True), _ROWS), start=2):
        cells = [
            f'<c r="{place}{number}" s="{style}"'
            + ("/>" if value in (None, "") else texts.get(value) or f"><v>{value!r}</v></c>")
            for place, style, value in zip(places, styles, row, strict=True)
        ]
        yield f'<row r="{number}">{"".join(cells)}</row>'


def _escaped(text: str) -> str:
    return escape(_plain(text), {"\r": "&#13;"})


def _format(values: list[Any]) -> str:
    """Return how numbers of a column are shown; every digit stays in the file."""
    present = [abs(value) for value in values if value is not None]
    if all(float(value).is_integer() for value in present):
        return "#,##0"
    return "#,##0.00" if max(present) >= 1 else "0.0000"


def _plain(text: str) -> str:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    clean: str = ILLEGAL_CHARACTERS_RE.sub("\N{REPLACEMENT CHARACTER}", guarded(text))
    return clean[:_TEXT]


def _finished(book: bytes, rows: Sequence[Iterable[str]]) -> bytes:
    """Return a book with the rows of its sheets, and the same time everywhere."""
    out = io.BytesIO()
    sheets = {f"xl/worksheets/sheet{i}.xml": of for i, of in enumerate(rows, start=1)}
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = zipfile.ZipInfo(name, _STAMP)
            part.compress_type = zipfile.ZIP_DEFLATED
            content = old.read(name)
            if name == "docProps/core.xml":  # openpyxl stamps it while it saves
                content = _MODIFIED.sub(b"", content)
            if name in sheets:
                before, end, after = content.partition(b"</sheetData>")
                content = b"".join([before, "".join(sheets[name]).encode(), end, after])
            new.writestr(part, content)
    return out.getvalue()
