"""Read Parquet and Feather (Arrow IPC) files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.arrow_columns import clean_names, numbers_rows, plain
from sdcmetrics.microdata.frames import Fix, Microdata
from sdcmetrics.microdata.text_file import arrow_file

if TYPE_CHECKING:
    from sdcmetrics.microdata.file_format import InputFile

PANDAS_INDEX = re.compile(r"__index_level_\d+__")


def read_parquet(file: InputFile) -> Microdata:
    """Read a Parquet file."""
    import pyarrow.parquet as pq  # only loaded when such a file is read

    table = None
    try:
        with arrow_file(file) as stream:
            table = pq.ParquetFile(stream).read()
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        pass
    if table is None:
        raise _damaged(file, "Parquet")
    return _microdata(table, file)


def read_feather(file: InputFile) -> Microdata:
    """Read an Arrow IPC file (Feather version 2) or stream."""
    table = None
    try:
        with arrow_file(file) as stream:
            streamed = stream.read(4) == b"\xff\xff\xff\xff"
            stream.seek(0)
            reader = pa.ipc.open_stream(stream) if streamed else pa.ipc.open_file(stream)
            table = reader.read_all()
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        pass
    if table is None:
        raise _damaged(file, "Feather (version 2) or Arrow")
    return _microdata(table, file)


def _damaged(file: InputFile, kind: str) -> FileError:
    msg = f"{file.label}: the {kind} file is damaged or cut off. Write it again."
    return FileError(msg)


def _microdata(table: pa.Table, file: InputFile) -> Microdata:
    fixes: list[Fix] = []
    unread = pa.table({})
    index = [name for name in table.column_names if PANDAS_INDEX.fullmatch(name)]
    if index:
        unread = table.select([name for name in index if not numbers_rows(table.column(name))])
        table = table.drop_columns(index)
        fixes.append(Fix(file.source, None, "the row index that pandas stored was left out"))
    names, renamed = clean_names(table.column_names, file.source, file.label)
    fixes += renamed
    columns = []
    for position, name in enumerate(names):
        column, changed = plain(table.column(position), name, file.source, file.label)
        columns.append(column)
        fixes += changed
    return Microdata(pa.table(columns, names=names), file.source, fixes=tuple(fixes), unread=unread)
