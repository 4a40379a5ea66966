"""Parquet files of one data set: a file, a folder or a pattern."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from sdcmetrics.errors import ColumnError, FileError
from sdcmetrics.microdata.arrays import Counts
from sdcmetrics.microdata.arrow_columns import as_kind, check_kinds, clean_names, plain, refusal
from sdcmetrics.microdata.frames import Fix
from sdcmetrics.microdata.read_arrow import PANDAS_INDEX
from sdcmetrics.microdata.sources.large import Large, large
from sdcmetrics.microdata.sources.source import BATCH, Records, unchanged
from sdcmetrics.microdata.text_columns import KindName

SUFFIXES = (".parquet", ".pq")
_OWN_USE = (".", "_")  # of engines: drafts, check sums, statistics
_NOTHING = "__HIVE_DEFAULT_PARTITION__"  # what engines write for a missing value

Values = Mapping[str, str | None]


def list_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return the Parquet files of a folder or a pattern, by name; those of a folder at any depth.

    Raises
    ------
    FileError
        If there is none, or the folder is a table of which not every file counts.
    """
    place = Path(path)
    try:
        is_folder = place.is_dir()
    except OSError as error:  # a name that is too long
        msg = f"{path}: the file cannot be opened ({error.strerror})."
        raise FileError(msg) from None
    if place.is_file():
        return [place]
    if is_folder:
        _refuse_table(place)
        paths = list(holds_parquet(place))
    else:
        root = root_of(place)
        paths = [path_ for path_ in root.glob(str(place.relative_to(root))) if path_.is_file()]
    if not paths:
        msg = f"{path}: there is no Parquet file there."
        raise FileError(msg)
    return sorted(paths)


def root_of(path: Path) -> Path:
    """Return the folder that a folder or a pattern starts from; marks in its name are no marks."""
    return next(folder for folder in (path, *path.parents) if folder.is_dir())


def holds_parquet(folder: Path) -> Iterator[Path]:
    """Yield the Parquet files of a folder at any depth; those of engines' own use are left out."""
    return (file for file in _files(folder) if file.suffix.lower() in SUFFIXES)


def count_others(folder: Path) -> int:
    """Return how many files of a folder are not named as Parquet, and so are left out."""
    return sum(file.suffix.lower() not in SUFFIXES for file in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    visited: set[str] = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in visited:  # a link may lead back to where it is
            folders.clear()
            continue
        visited.add(real)
        folders[:] = [
            folder for folder in folders if "=" in folder or not folder.startswith(_OWN_USE)
        ]
        yield from (Path(place, name) for name in names if not name.startswith(_OWN_USE))


def _refuse_table(folder: Path) -> None:
    if (folder / "_delta_log").is_dir() or any((folder / "metadata").glob("*.metadata.json")):
        msg = (
            f"{folder}: this is a table of Delta or Iceberg, whose files hold deleted records. "
            "Pass it as a frame of an engine that reads such tables, or write its records to a "
            "Parquet file."
        )
        raise FileError(msg)


def values_of_folders(
    files: Sequence[Path], root: Path, source: str
) -> list[dict[str, str | None]]:
    """Return what folders named ``column=value`` between the root and each file say.

    Raises
    ------
    ColumnError
        If they do not say it of every file.
    """
    entries = [_values(file.relative_to(root).parts[:-1]) for file in files]
    for name in dict.fromkeys(name for values in entries for name in values):
        for file, values in zip(files, entries, strict=True):
            if name not in values:
                msg = (
                    f"{source}: the file {file.name} is in no folder named {name}=..., as other "
                    "files of it are. Put all files into such folders."
                )
                raise ColumnError(msg)
    return entries


def _values(folders: Sequence[str]) -> dict[str, str | None]:
    pairs = [folder.partition("=") for folder in folders if "=" in folder]
    return {
        unquote(name): None if value == _NOTHING else unquote(value) for name, _, value in pairs
    }


def type_of(values: Sequence[str | None]) -> pa.DataType:
    """Return int64 for whole numbers as one writes them; else text.

    >>> type_of(["9", "10", None]), type_of(["09", "10"])
    (DataType(int64), DataType(string))
    >>> type_of([str(2**63 - 1)]), type_of([str(2**63)])
    (DataType(int64), DataType(string))
    """
    texts = {value for value in values if value is not None}
    if not texts:
        return pa.string()
    try:
        whole = all(str(int(value)) == value and abs(int(value)) < 1 << 63 for value in texts)
    except ValueError:
        whole = False
    return pa.int64() if whole else pa.string()


_AHEAD = 2  # batches that are read before they are asked for: enough for the second core


def scan_parquet(
    path: str | os.PathLike[str],
    source: str | None = None,
    kinds: Mapping[str, KindName] | None = None,
) -> Large:
    """Read Parquet files in batches; all must have the same columns of the same types.

    A folder named ``column=value`` gives its files this column, if they do not have it.

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
    schema = _one_schema(files, name)
    of_folders = values_of_folders(files, root_of(Path(path)), name)
    fixes = _left_out(Path(path), name)
    for new in [name for name in of_folders[0] if name not in schema.names]:
        schema = schema.append(pa.field(new, type_of([values[new] for values in of_folders])))
        fixes.append(Fix(name, new, "was read from the names of folders"))
    texts = tuple(f.name for f in schema if _plain(f.type) == pa.string())
    reading = partial(_read, files, of_folders, schema, texts, name)
    given = [old for old in schema.names if not PANDAS_INDEX.fullmatch(old)]
    index = [old for old in schema.names if PANDAS_INDEX.fullmatch(old)]
    if index:
        fixes.append(Fix(name, None, "the row index that pandas stored was left out"))
    names, renamed = clean_names(given, name, name)
    check_kinds(kinds or {}, names, name)
    counted = large(
        Records(schema, reading, check),
        name,
        names=dict(zip(names, given, strict=True)),
        read=partial(_plain_column, name, kinds or {}),
        fixes=[*fixes, *renamed],
    )
    return replace(counted, unread=schema.empty_table().select(index))


def _left_out(path: Path, source: str) -> list[Fix]:
    others = count_others(path) if path.is_dir() else 0
    what = f"files that are not named .parquet or .pq were left out ({others:,})"
    return [Fix(source, None, what)] if others else []


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


def _one_schema(files: Sequence[Path], source: str) -> pa.Schema:
    """Return the schema that all files have."""
    import pyarrow.parquet as pq  # only loaded when such a file is read

    whole: pa.Schema | None = None
    typed_in: dict[str, Path] = {}
    for file in files:
        schema = None
        with contextlib.suppress(pa.ArrowException, OSError, UnicodeError):  # or of the name
            schema = pq.read_schema(file)
        if schema is None:
            raise _damaged(file, source)
        whole = schema if whole is None else _both(whole, schema, typed_in, file, source)
        for field in schema:
            if not pa.types.is_null(field.type):
                typed_in.setdefault(field.name, file)
    assert whole is not None  # noqa: S101  (there is a file)
    return whole


def _damaged(file: Path, source: str) -> FileError:
    if file.suffix.lower() not in SUFFIXES:
        msg = (
            f"{source}: {file.name} is no Parquet file, and several files of one data set have to "
            "be. Write it as Parquet, or name one file."
        )
    else:
        msg = f"{source}: the Parquet file {file.name} is damaged or cut off. Write it again."
    return FileError(msg)


def _both(
    first: pa.Schema, second: pa.Schema, typed_in: Mapping[str, Path], there: Path, source: str
) -> pa.Schema:
    """Return what both are, a column without values in one file being of the other's type."""
    if lacking := [name for name in first.names if name not in second.names]:
        msg = (
            f"{source}: the file {there.name} has no column {lacking[0]!r}, which other files of "
            "it have. Write all files with the same columns."
        )
        raise ColumnError(msg)
    if alone := [name for name in second.names if name not in first.names]:
        msg = (
            f"{source}: the file {there.name} has a column {alone[0]!r}, which other files of "
            "it do not have. Write all files with the same columns."
        )
        raise ColumnError(msg)
    fields = []
    for field in first:
        kind, its = field.type, second.field(field.name).type
        if not (_plain(kind) == _plain(its) or pa.types.is_null(its) or pa.types.is_null(kind)):
            msg = (
                f"{source}: column {field.name!r} is of type {its} in the file {there.name} but "
                f"{kind} in {typed_in[field.name].name}. Write all files with the same types."
            )
            raise ColumnError(msg)
        fields.append(second.field(field.name) if pa.types.is_null(kind) else field)
    return pa.schema(fields)


def _plain(kind: pa.DataType) -> pa.DataType:
    """Return the type without what differs from file to file though values do not."""
    if pa.types.is_dictionary(kind):
        return pa.dictionary(pa.int32(), kind.value_type, kind.ordered)
    return pa.string() if pa.types.is_large_string(kind) else kind


def _read(
    files: Sequence[Path],
    of_folders: Sequence[Values],
    schema: pa.Schema,
    texts: Sequence[str],
    source: str,
    columns: Sequence[str],
) -> Iterator[pa.RecordBatch]:
    import pyarrow.dataset as ds

    # Text comes as dictionaries, which is how the file has it, so that it is not hashed again.
    wanted = pa.schema([_as_read(schema.field(name), texts) for name in columns])
    form = ds.ParquetFileFormat(
        read_options=ds.ParquetReadOptions(dictionary_columns=[n for n in columns if n in texts])
    )
    for file, values in zip(files, of_folders, strict=True):
        complete = False
        with contextlib.suppress(pa.ArrowException, OSError):
            data = ds.dataset(file, format=form)
            for batch in data.to_batches(
                columns=[name for name in columns if name in data.schema.names],
                batch_size=BATCH,
                batch_readahead=_AHEAD,
                fragment_readahead=1,
            ):
                if batch.num_rows:
                    yield _cast(batch, wanted, values)
            complete = True
        if not complete:
            raise _damaged(file, source)


def _as_read(field: pa.Field, texts: Sequence[str]) -> pa.Field:
    return field.with_type(pa.dictionary(pa.int32(), pa.string())) if field.name in texts else field


def _cast(batch: pa.RecordBatch, wanted: pa.Schema, values: Values) -> pa.RecordBatch:
    columns = []
    for field in wanted:
        if field.name not in batch.schema.names:
            columns.append(_repeated(values[field.name], batch.num_rows, field.type))
            continue
        column = batch.column(field.name)
        if pa.types.is_null(column.type):
            column = pa.nulls(len(column), field.type)
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, names=wanted.names)


def _repeated(value: str | None, n: int, kind: pa.DataType) -> pa.Array:
    if value is None:
        return pa.nulls(n, kind)
    if pa.types.is_dictionary(kind):
        return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), n), [value])
    return pa.repeat(pa.scalar(int(value), kind), n)
