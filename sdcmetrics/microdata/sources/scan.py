"""Which inputs are read in batches, and how."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
from narwhals.dependencies import is_into_dataframe

from sdcmetrics.errors import DataError
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.file_format import TEXT_FORMATS, InputFile, is_a_file
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.read import read, recognise
from sdcmetrics.microdata.sources.duckdb import (
    SCHEME,
    is_relation,
    scan_address,
    scan_relation,
)
from sdcmetrics.microdata.sources.large import MOST_READ, Large, of_memory
from sdcmetrics.microdata.sources.parquet import holds_parquet, scan_parquet
from sdcmetrics.microdata.sources.spark import is_spark, scan_spark
from sdcmetrics.microdata.sources.stream import is_lazy, scan_lazy, scan_stream
from sdcmetrics.microdata.sources.text import scan_text

_BYTES_OF_A_VALUE = 8  # of a number in memory
_FEWEST_BYTES = 2  # of a value in a text: a digit, and what separates it from the next
_MOST_PACKED = 1032  # bytes that gzip makes of one, at most
_SAMPLE_BYTES = 1 << 18


def is_large(value: Any) -> bool:
    """Whether an input is read in batches without anybody asking for it.

    A folder, a pattern, the address of a data base; a file that takes too much memory, whatever
    its size on disk; a frame that is computed when it is read.
    """
    if isinstance(value, Microdata):
        return isinstance(value, Large)
    if not isinstance(value, str | Path):
        return is_lazy(value) or is_spark(value) or _streams(value)
    if str(value).startswith(SCHEME):
        return True
    try:
        return _is_large_file(Path(value))
    except (pa.ArrowException, OSError, ValueError):
        return False  # what is wrong is said when it is read


def _is_large_file(path: Path) -> bool:
    if path.is_dir():
        return any(holds_parquet(path))
    if not path.exists():
        return any(mark in str(path) for mark in "*?[")
    if path.suffix.lower() in (".parquet", ".pq"):
        import pyarrow.parquet as pq  # only loaded when such a file is named

        metadata = pq.read_metadata(path)
        return bool(metadata.num_rows * metadata.num_columns >= MOST_READ)
    text = path.name.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".txt"))
    return text and _bytes_in_memory(path) >= MOST_READ * _BYTES_OF_A_VALUE


def _bytes_in_memory(path: Path) -> float:
    """Estimate what a text file takes in memory, from its size and its first lines.

    It is what its texts take or, if that is more, what as many numbers take.
    """
    size: float = path.stat().st_size
    packed = path.name.lower().endswith(".gz")
    if size * (_MOST_PACKED if packed else 1) < MOST_READ * _FEWEST_BYTES:
        return 0.0
    with path.open("rb") as stream:
        head = stream.read(_SAMPLE_BYTES)
    if packed:
        try:
            text = zlib.decompressobj(wbits=31).decompress(head)
        except zlib.error:
            return 0.0  # what is wrong is said when it is read
        size, head = size * len(text) / len(head), text
    separators = max(head.count(mark) for mark in (b",", b";", b"\t", b"|"))
    values = separators + head.count(b"\n")
    return max(size, size / len(head) * values * _BYTES_OF_A_VALUE)


def _scan_text(
    file: InputFile, form: str, *, gzipped: bool, user_missing: bool = True, **options: Any
) -> Large:
    del user_missing  # text has no codes that are declared missing
    tabs = form == "tsv" or file.path.name.lower().endswith((".tsv", ".tsv.gz"))
    return scan_text(file, tabs=tabs, gzipped=gzipped, **options)


def _streams(value: Any) -> bool:
    """Whether it gives Arrow's batches and is no frame in memory."""
    return hasattr(value, "__arrow_c_stream__") and not is_into_dataframe(value)


@checked
def scan(data: Any, source: str | None = None, **options: Any) -> Large:
    """Open a data set that is too large for memory: its records are counted batch by batch.

    A first pass finds the distinct values of every column with how many records have each; what
    is counted later goes through the records again. Nothing is written to disk, but that DuckDB
    spills what it groups beside its file.

    Parameters
    ----------
    data : path, frame or stream
        A Parquet file, a folder of them or a pattern such as ``"lfs/*.parquet"``; a CSV file;
        ``duckdb:///file.db?table=t`` or ``duckdb:///file.db?query=select ...``; a relation of a
        DuckDB connection; a polars LazyFrame; a Spark data frame; anything that has
        ``__arrow_c_stream__`` and gives its records again when it is asked again; a data frame in
        memory.
    source : str, optional
        What messages and reports call it; by default the file's name.
    **options
        Of `sdcmetrics.read`, as far as a file's format knows them: kinds, and of delimited text
        delimiter, encoding, missing and decimal.

    Returns
    -------
    Large
        Takes the place of a data frame in `Study`, whose other data sets are then counted in the
        same way.

    Raises
    ------
    FileError
        If a file is absent or damaged, or changes while it is read.
    ColumnError
        If files of one data set have not the same columns, or a column cannot be read.
    DataError
        If there are no records, or the data can be read only once.

    Examples
    --------
    >>> import pandas as pd
    >>> scan(pd.DataFrame({"sex": ["m", "f", "m"]}), "survey").n
    3
    """
    if isinstance(data, str) and data.startswith(SCHEME):
        return scan_address(data, source)
    if isinstance(data, str | os.PathLike):
        if is_a_file(Path(data)):
            file, form, gzipped = recognise(data, source, None)
            if form in TEXT_FORMATS:
                return _scan_text(file, form, gzipped=gzipped, **options)
            if form != "parquet":
                return of_memory(read(data, source=source, **options))
        return scan_parquet(data, source, kinds=options.get("kinds"))
    if isinstance(data, Microdata):
        return of_memory(data)
    name = "data" if source is None else source
    if is_lazy(data):
        return scan_lazy(data, name)
    if is_relation(data):
        return scan_relation(data, name)
    if is_spark(data):
        return scan_spark(data, name)
    if isinstance(data, pa.RecordBatchReader):
        msg = (
            f"{name}: a reader gives its records once, and they are read at least twice. Pass what "
            "it reads from, or a table: reader.read_all()."
        )
        raise DataError(msg)
    if _streams(data):
        return scan_stream(data, name)
    return of_memory(as_microdata(data, name))
