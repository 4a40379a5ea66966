"""The sheets of an Excel workbook as CSV texts, for the scan."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator


def sheets_of(book: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name of every sheet with its cells as CSV, and what the file says of itself."""
    from openpyxl import load_workbook

    read = load_workbook(io.BytesIO(book), read_only=True)
    properties = read.properties
    yield "properties", f"creator,title\n{properties.creator},{properties.title}\n"
    for sheet in read.worksheets:
        out = io.StringIO()
        rows = sheet.iter_rows(values_only=True)
        csv.writer(out).writerows(["" if value is None else value for value in row] for row in rows)
        yield sheet.title, out.getvalue()
