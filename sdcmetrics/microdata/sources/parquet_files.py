"""Which Parquet files are one data set, and what the names of their folders say of the records."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from sdcmetrics.errors import ColumnError, FileError

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
    """
    texts = {value for value in values if value is not None}
    if not texts:
        return pa.string()
    try:
        whole = all(str(int(value)) == value and abs(int(value)) < 1 << 63 for value in texts)
    except ValueError:
        whole = False
    return pa.int64() if whole else pa.string()
