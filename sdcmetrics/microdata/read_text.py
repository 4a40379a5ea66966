"""Read delimited text (CSV, TSV) without guessing at codes and without losing a record."""

from __future__ import annotations

import codecs
import contextlib
import csv
import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.csv as arrow_csv

from sdcmetrics.errors import (
    ColumnError,
    DataError,
    FileError,
    SdcMetricsError,
    did_you_mean,
)
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.arrow_columns import check_kinds, clean_names, numbers_rows, refusal
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.text_bytes import holds_line_ends
from sdcmetrics.microdata.text_columns import infer, looks_like_number, parse_as
from sdcmetrics.microdata.text_file import (
    DAMAGE,
    NO_RECORDS,
    Passed,
    TextFile,
    first_bytes,
    has_decimal_commas,
    is_utf8_too,
    layout_error,
    no_layout,
    rows,
    scan,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sdcmetrics.microdata.file_format import InputFile
    from sdcmetrics.microdata.text_columns import DecimalMark, KindName

    Decimals = DecimalMark | Mapping[str, DecimalMark] | None
    """The decimal mark of a file, or of some columns."""

_DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_QUOTED: Final = re.compile(r'"[^"]*"')
_LINE_LIMIT: Final = 1 << 20
_FAST_BLOCK_BYTES: Final = 1 << 20  # what a core's cache holds
_BLOCK_BYTES: Final = 1 << 22  # of files whose records may be long
_OF_ONE_BYTE = ("iso8859", "cp125")
"""How encodings begin that have a byte for each letter."""


@dataclass(slots=True)
class Header:
    """The column names, and what they show about the file."""

    names: list[str]
    delimiter: str
    blank_lines: int
    row_index: bool
    lines: int
    """Of the names; more than one where a name has a line end."""
    fixes: list[Fix] = field(default_factory=list)


def read_text(
    file: InputFile,
    *,
    tabs: bool,
    gzipped: bool,
    delimiter: str | None,
    encoding: str | None,
    missing: Sequence[str],
    kinds: Mapping[str, KindName],
    decimal: Decimals = None,
) -> Microdata:
    """Read a delimited text file; see `sdcmetrics.microdata.read` for the rules."""
    text = text_of(file, encoding, gzipped=gzipped)
    passed = Passed()
    try:
        header = header_of(text, delimiter, tabs=tabs)
    except (SdcMetricsError, UnicodeError, *DAMAGE):
        scan(text)  # bytes that are no text are the reason, where there are some
        raise
    fixes = header.fixes
    table = _parse(text, header, missing, passed)
    names = header.names
    if header.row_index:
        table = _without_row_index(table, file)
        names = names[1:]
    check_kinds(kinds, names, file.label)
    check_decimals(decimal, names, file.label)
    columns = []
    for position, name in enumerate(names):
        column, changed = typed(text, header, missing, kinds, decimal, table.column(position), name)
        columns.append(column)
        fixes += changed
    return Microdata(
        table=pa.table(columns, names=names),
        source=file.source,
        fixes=tuple(fixes),
        missing_texts=tuple(missing),
        sha256=passed.digest.hexdigest(),
    )


def typed(
    text: TextFile,
    header: Header,
    missing: Sequence[str],
    kinds: Mapping[str, KindName],
    decimal: Decimals,
    column: pa.ChunkedArray,
    name: str,
    counts: Counts | None = None,
) -> tuple[pa.ChunkedArray, list[Fix]]:
    """Return a column of texts, or of distinct ones, as what they are, and what was changed."""
    file, comma = text.file, header.delimiter == ";"
    mark = decimal.get(name) if isinstance(decimal, Mapping) else decimal
    if name in kinds:
        parsed = parse_as(
            kinds[name], column, missing, decimal_comma=comma, mark=mark, counts=counts
        )
        if parsed is None:
            raise refusal(file.label, name, kinds[name])
    else:
        parsed = infer(column, missing, decimal_comma=comma, mark=mark, counts=counts)
    if parsed.ambiguous and has_decimal_commas(text, header.delimiter):
        raise _ambiguous(file, name)
    return parsed.column, [Fix(file.source, name, what, cells) for what, cells in parsed.notes]


def check_decimals(decimal: Decimals, names: Sequence[str], label: str) -> None:
    """Raise ColumnError for an unknown column, DataError for an unknown decimal mark."""
    marks = decimal if isinstance(decimal, Mapping) else {"": decimal}
    for name, mark in marks.items():
        if name and name not in names:
            hint = did_you_mean(name, names)
            msg = f"{label}: decimal names {name!r}, which is not a column.{hint}"
            raise ColumnError(msg)
        if mark not in (",", ".", None):
            msg = f"{label}: decimal must be a comma or a point, or one of them by column."
            raise DataError(msg)


def _ambiguous(file: InputFile, name: str) -> ColumnError:
    """Return the error for points that mean thousands or decimals, ten times a thousand apart."""
    key = json.dumps(name, ensure_ascii=False)
    msg = (
        f"{file.label}: in column {name!r} every point stands before three digits, and other "
        "numbers of the file have decimal commas, so the points may stand between thousands. Say "
        f'in [read] of the study file what they are: decimal = {{{key} = ","}} if they stand '
        f'between thousands, decimal = {{{key} = "."}} if before decimals; in Python pass '
        "decimal= to read()."
    )
    return ColumnError(msg)


def text_of(file: InputFile, encoding: str | None, *, gzipped: bool) -> TextFile:
    """Return a text file with its encoding, and that which is told of it."""
    of_file = _encoding_of(file, encoding, gzipped=gzipped)
    return TextFile(file, gzipped=gzipped, encoding=of_file, wanted=encoding)


def _encoding_of(file: InputFile, wanted: str | None, *, gzipped: bool) -> str:
    """Return that of the byte order mark, or else the encoding that is wanted, or UTF-8."""
    if wanted is not None:
        try:
            "".encode(wanted)  # codecs also knows hex, rot13 and others that are no text encodings
            name = codecs.lookup(wanted).name
        except (LookupError, ValueError):
            msg = f"{file.label}: unknown encoding {wanted!r}. Try 'utf-8', 'latin-1' or 'cp1252'."
            raise DataError(msg) from None
    head = first_bytes(TextFile(file, gzipped=gzipped, encoding="utf-8"))
    # The codecs of a fixed byte order take a byte order mark for part of the first name.
    if wanted is not None and name.startswith("utf") and head.startswith("\ufeff".encode(name)):
        return name.removesuffix("-sig").removesuffix("-le").removesuffix("-be")
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if wanted is None or head.startswith(codecs.BOM_UTF8):
        return "utf-8"
    # One encoding is told of all files of a study. Text with letters of one byte each is no UTF-8:
    # that would be letters such as an A with tilde, each with a sign after it.
    plain = TextFile(file, gzipped=gzipped, encoding="utf-8")
    return "utf-8" if name.startswith(_OF_ONE_BYTE) and is_utf8_too(plain) else name


def _is_other(encoding: str) -> bool:
    return codecs.lookup(encoding).name.removesuffix("-sig") not in ("utf-8", "ascii")


def header_of(text: TextFile, delimiter: str | None, *, tabs: bool) -> Header:
    """Return the column names and the delimiter."""
    file = text.file
    with text.lines() as stream:
        blank_lines = 0
        line = stream.readline(_LINE_LIMIT)
        while line and not line.strip("\r\n"):
            blank_lines += 1
            line = stream.readline(_LINE_LIMIT)
    if not line.strip():
        msg = f"{file.label}: the file holds only empty lines."
        raise FileError(msg)
    fixes: list[Fix] = []
    if delimiter is None:
        usual = "\t" if tabs else ","
        delimiter = _delimiter(line, usual)
        if delimiter != usual:
            what = f"fields are separated by a {_DELIMITERS[delimiter]}, which was used"
            fixes.append(Fix(file.source, None, what))
    elif len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0':
        msg = (
            f"{file.label}: delimiter must be one character of ASCII, other than a quote or a line "
            "end."
        )
        raise DataError(msg)
    try:
        with closing(rows(text, delimiter)) as records:
            after, given = next((after, row) for after, row in records if row)
    except csv.Error:
        after, given = 0, []
    if not given:
        raise layout_error(text, delimiter, 0) or no_layout(text)
    _refuse_data_as_names(given, file)
    row_index = len(given) > 1 and not given[0].strip()
    names, renamed = clean_names(given[row_index:], file.source, file.label)
    fixes += renamed
    if text.encoding == "utf-8" and text.wanted is not None and _is_other(text.wanted):
        what = f"the text is UTF-8, and was read as that, not as {text.wanted}, as told"
        fixes.append(Fix(file.source, None, what))
    elif text.encoding.startswith(("utf-16", "utf-32")):
        fixes.append(Fix(file.source, None, f"the text was decoded from {text.encoding}"))
    elif not text.encoding.startswith("utf") and is_utf8_too(text):
        what = f"read as {text.encoding}, as told, but it is UTF-8, too: see that accents are right"
        fixes.append(Fix(file.source, None, what))
    if row_index:
        what = "a column of row numbers without a name was left out"
        fixes.append(Fix(file.source, None, what))
    return Header(
        names=["", *names] if row_index else names,
        delimiter=delimiter,
        blank_lines=blank_lines,
        row_index=row_index,
        lines=after - 1 - blank_lines,
        fixes=fixes,
    )


def _delimiter(line: str, usual: str) -> str:
    bare = _QUOTED.sub("", line)
    if usual in bare:
        return usual
    counts = {mark: bare.count(mark) for mark in _DELIMITERS}
    best = max(counts, key=lambda mark: counts[mark])
    return best if counts[best] else usual


def _refuse_data_as_names(names: Sequence[str], file: InputFile) -> None:
    """Raise FileError for a file without a header, before a message quotes its first record."""
    numeric = [name for name in names if looks_like_number(name)]
    named = [name for name in names if name.strip()]
    positions = [str(position) for position in range(len(named))]
    repeated = len(set(names)) < len(names)
    if not numeric or named == positions or not (repeated or len(numeric) == len(named)):
        return
    msg = (
        f"{file.label}: line 1 holds numbers where column names are expected. Add a line with the "
        "names of the columns on top."
    )
    raise FileError(msg)


def options(
    text: TextFile,
    header: Header,
    missing: Sequence[str],
    *,
    quotes: int,
    block_bytes: int | None = None,
) -> dict[str, Any]:
    """Return how Arrow reads the text: every value as text, columns named by their position."""
    width = len(header.names)
    keys = [str(position) for position in range(width)]
    return {
        "read_options": arrow_csv.ReadOptions(
            column_names=keys,
            skip_rows_after_names=1 + header.blank_lines,
            encoding=text.encoding,
            block_size=block_bytes or _BLOCK_BYTES,
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=header.delimiter,
            newlines_in_values=quotes > 0,
            # An empty line is a missing value where there is but one column.
            ignore_empty_lines=width > 1,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(keys, pa.string()),
            null_values=list(missing),
            strings_can_be_null=True,
        ),
    }


def _parse(text: TextFile, header: Header, missing: Sequence[str], passed: Passed) -> pa.Table:
    width = len(header.names)
    table = None
    if text.encoding == "utf-8" and header.lines == 1:
        # A block that ends within quotes is refused, so what is read so is right, and it is faster.
        how = options(text, header, missing, quotes=0, block_bytes=_FAST_BLOCK_BYTES)
        table = _by_arrow(passed.stream(text), how)
        quotes = passed.quotes
    if table is None or passed.nul:
        quotes = scan(text)  # says what is wrong with bytes that are no text
        passed.digest = hashlib.sha256()
        table = _by_arrow(passed.stream(text), options(text, header, missing, quotes=quotes))
    if table is None:
        raise layout_error(text, header.delimiter, width) or no_layout(text)
    if quotes % 2 or (quotes and holds_line_ends(table)):
        # A quote that is not closed swallows the records after it. Arrow does not mind.
        error = layout_error(text, header.delimiter, width)
        if error is not None:
            raise error
    if table.num_rows == 0:
        msg = f"{text.file.label}: {NO_RECORDS}"
        raise FileError(msg)
    return table


def _by_arrow(stream: pa.NativeFile, how: Mapping[str, Any]) -> pa.Table | None:
    """Return the table, or None: Arrow's message quotes the record, so it must not be shown."""
    with stream, contextlib.suppress(pa.ArrowInvalid, *DAMAGE):
        return arrow_csv.read_csv(stream, **how)
    return None


def _without_row_index(table: pa.Table, file: InputFile) -> pa.Table:
    if numbers_rows(infer(table.column(0), ()).column):
        return table.remove_column(0)
    msg = (
        f"{file.label}: the first column has no name and looks like a row index written by pandas "
        "or row names written by R, but does not count the records. Write the file with "
        "index=False (R: row.names=FALSE), or give the column a name."
    )
    raise ColumnError(msg)
