"""Parquet files of one data set: a file, a folder or a pattern."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from sdcmetrics.errors import ColumnError, FileError
from sdcmetrics.microdata.arrow_columns import as_kind, check_kinds, clean_names, plain, refusal
from sdcmetrics.microdata.frames import Counts, Fix
from sdcmetrics.microdata.read_arrow import PANDAS_INDEX
from sdcmetrics.microdata.sources.files import unchanged
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import BATCH, Records
from sdcmetrics.microdata.text_columns import KindName

_AHEAD = 2  # batches that are read before they are asked for: enough for the second core


def list_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the Parquet files of a folder or a pattern, by name; those of a folder at any depth.

    Raises
    ------
    FileError
        If there is none.
    """
    place = Path(path)
    if place.is_file():
        return [place]
    if place.is_dir():
        found = list(holds_parquet(place))
    else:
        root = Path(place.anchor)
        found = [one for one in root.glob(str(place.relative_to(place.anchor))) if one.is_file()]
    if not found:
        msg = f"{path}: there is no Parquet file there."
        raise FileError(msg)
    return sorted(found)


def holds_parquet(folder: Path) -> Iterator[Path]:
    """Yield the Parquet files of a folder at any depth; those of engines' own use are left out."""
    for one in folder.rglob("*.p*q*"):
        if one.suffix in (".parquet", ".pq") and not one.name.startswith((".", "_")):
            yield one


def scan_parquet(
    path: str | os.PathLike[str],
    source: str | None = None,
    kinds: Mapping[str, KindName] | None = None,
) -> Large:
    """Read Parquet files in batches; all must have the same columns of the same types.

    Raises
    ------
    FileError
        If there is no file, one is damaged, or one changes while it is read.
    ColumnError
        If the columns of a file are not those of the first, naming both.
    """
    files = list_files(path)
    own = Path(path).resolve().name if Path(path).exists() else "/".join(Path(path).parts[-2:])
    name = own if source is None else source
    check = unchanged(files, name)
    schema, texts = _one_schema(files, name)
    reading = partial(_read, files, schema, texts)
    fixes: list[Fix] = []
    given = [old for old in schema.names if not PANDAS_INDEX.fullmatch(old)]
    if len(given) < len(schema.names):
        fixes.append(Fix(name, None, "the row index that pandas stored was left out"))
    names, renamed = clean_names(given, name, name)
    check_kinds(kinds or {}, names, name)
    return large(
        Records(schema, reading, check),
        name,
        names=dict(zip(names, given, strict=True)),
        read=partial(_plain_column, name, kinds or {}),
        fixes=[*fixes, *renamed],
    )


def _plain_column(
    source: str,
    kinds: Mapping[str, KindName],
    values: pa.ChunkedArray,
    name: str,
    counts: Counts,
) -> tuple[pa.ChunkedArray, list[Fix]]:
    column, fixes = plain(values, name, source, source, counts)
    if name in kinds:
        column = as_kind(column, kinds[name])
        if column is None:
            raise refusal(source, name, kinds[name])
    return column, fixes


def _one_schema(files: Sequence[Path], source: str) -> tuple[pa.Schema, tuple[str, ...]]:
    """Return the schema that all files have, and which columns are text."""
    import pyarrow.parquet as pq  # only loaded when such a file is read

    first: pa.Schema | None = None
    for file in files:
        schema = None
        with contextlib.suppress(pa.ArrowException, OSError):
            schema = pq.read_schema(file)
        if schema is None:
            msg = f"{source}: the Parquet file {file.name} is damaged or cut off. Write it again."
            raise FileError(msg)
        first = schema if first is None else _both(first, schema, files[0], file, source)
    assert first is not None  # noqa: S101  (there is a file)
    texts = tuple(
        f.name for f in first if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)
    )
    return first, texts


def _both(one: pa.Schema, other: pa.Schema, file: Path, there: Path, source: str) -> pa.Schema:
    """Return what both are, a column without values in one file being of the other's type."""
    for name in dict.fromkeys([*one.names, *other.names]):
        for schema, which in ((one, file), (other, there)):
            if name not in schema.names:
                msg = (
                    f"{source}: the file {which.name} has no column {name!r}, which other files of "
                    "it have. Write all files with the same columns."
                )
                raise ColumnError(msg)
    fields = []
    for field in one:
        kind, its = field.type, other.field(field.name).type
        if not (_plain(kind) == _plain(its) or pa.types.is_null(its) or pa.types.is_null(kind)):
            msg = (
                f"{source}: column {field.name!r} is of type {its} in the file {there.name} but "
                f"{kind} in {file.name}. Write all files with the same types."
            )
            raise ColumnError(msg)
        fields.append(other.field(field.name) if pa.types.is_null(kind) else field)
    return pa.schema(fields)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type without what differs from file to file though values do not."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), kind.value_type, kind.ordered)
    return pa.string() if pa.types.is_large_string(kind) else kind


def _read(
    files: Sequence[Path], schema: pa.Schema, texts: Sequence[str], columns: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    import pyarrow.dataset as ds

    # Text comes as dictionaries, which is how the file has it, so that it is not hashed again.
    wanted = pa.schema([_as_read(schema.field(name), texts) for name in columns])
    form = ds.ParquetFileFormat(
        read_options=ds.ParquetReadOptions(dictionary_columns=[n for n in columns if n in texts])
    )
    for file in files:
        data = ds.dataset(file, format=form)
        for batch in data.to_batches(
            columns=list(columns), batch_size=BATCH, batch_readahead=_AHEAD, fragment_readahead=1
        ):
            if batch.num_rows:
                yield _cast(batch, wanted)


def _as_read(field: pa.Field, texts: Sequence[str]) -> pa.Field:
    return field.with_type(pa.dictionary(pa.int32(), pa.string())) if field.name in texts else field


def _cast(batch: pa.RecordBatch, wanted: pa.Schema) -> pa.RecordBatch:
    columns = [
        pa.nulls(len(column), field.type) if pa.types.is_null(column.type) else column
        for column, field in zip(batch.columns, wanted, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=wanted.names)
