"""Delimited text too large for memory, by Arrow's streaming reader."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as arrow_csv

from sdcmetrics.microdata.arrow_columns import check_kinds
from sdcmetrics.microdata.read_text import (
    Header,
    check_decimals,
    header_of,
    options,
    text_of,
    typed,
)
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import Records, unchanged
from sdcmetrics.microdata.text_file import TextFile, layout_error, no_layout, scan

if TYPE_CHECKING:
    from sdcmetrics.microdata.file_format import InputFile
    from sdcmetrics.microdata.read_text import Decimals
    from sdcmetrics.microdata.text_columns import KindName


def scan_text(
    file: InputFile,
    *,
    tabs: bool = False,
    gzipped: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("", "NA"),
    kinds: Mapping[str, KindName] | None = None,
    decimal: Decimals = None,
) -> Large:
    """Read a delimited text file in batches; what its columns are follows from distinct texts."""
    check = unchanged([file.path], file.label)
    text = text_of(file, encoding, gzipped=gzipped)
    quotes = scan(text)
    header = header_of(text, delimiter, tabs=tabs)
    if quotes % 2 and (error := layout_error(text, header.delimiter, len(header.names))):
        raise error  # a quote that is not closed swallows the records after it
    names = {name: str(i) for i, name in enumerate(header.names) if i or not header.row_index}
    check_kinds(kinds or {}, names, file.label)
    check_decimals(decimal, list(names), file.label)
    schema = pa.schema([(str(i), pa.string()) for i in range(len(header.names))])
    return large(
        Records(schema, partial(_read, text, header, missing, quotes), check),
        file.source,
        names=names,
        read=partial(typed, text, header, missing, kinds or {}, decimal),
        fixes=header.fixes,
        missing_texts=missing,
    )


def _read(
    text: TextFile, header: Header, missing: Sequence[str], quotes: int, columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    how = options(text, header, missing, quotes=quotes)
    complete = False
    with contextlib.suppress(pa.ArrowInvalid), text.arrow_stream() as stream:
        for batch in arrow_csv.open_csv(stream, **how):
            yield batch.select(list(columns))
        complete = True
    if not complete:  # Arrow's message quotes the record, so it must not be shown
        raise layout_error(text, header.delimiter, len(header.names)) or no_layout(text)
