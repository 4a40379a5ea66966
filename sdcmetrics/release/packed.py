"""What is in a packed file: what gzip packed, and the members of a zip archive."""

from __future__ import annotations

import gzip
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO

from sdcmetrics.errors import StudyError

Opened = Callable[[], IO[bytes] | gzip.GzipFile]

_GZIP = b"\x1f\x8b"
_DEEPEST = 3
"""Packed files within each other; there are archives that hold themselves."""
_MOST = 1 << 32
"""Bytes of a file when it is unpacked."""
_AT_ONCE = 1 << 20
_DAMAGED = (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile)
"""RuntimeError: an archive with a password."""


def unpacked(path: Path, folder: Path, depth: int = 0) -> Iterator[Path]:
    """Yield a file, and each that is packed in it, written into an empty folder.

    Archives of other kinds (tar, 7z) are yielded as they are.

    Raises
    ------
    StudyError
        If it is packed and cannot be looked into: damaged, encrypted, too deep or too large.
    """
    yield path
    for i, (name, opened) in enumerate(_members(path)):
        inner = folder / str(i)
        try:
            if depth == _DEEPEST:
                raise ValueError
            inner.mkdir()
            _write(opened, inner / name)
        except _DAMAGED:
            raise _closed(path) from None
        deeper = folder / f"{i} unpacked"
        deeper.mkdir()
        yield from unpacked(inner / name, deeper, depth + 1)


def _members(path: Path) -> Iterator[tuple[str, Opened]]:
    """Yield the name of each file that is packed in a file, and how it is opened."""
    with path.open("rb") as stream:
        packed = stream.read(len(_GZIP)) == _GZIP
    if packed:
        yield path.name.removesuffix(".gz"), partial(gzip.open, path)
    elif zipfile.is_zipfile(path):
        try:
            archive = zipfile.ZipFile(path)
        except _DAMAGED:
            raise _closed(path) from None
        with archive:
            for member in archive.infolist():
                if not member.is_dir():
                    yield Path(member.filename).name or "content", partial(archive.open, member)


def _write(opened: Opened, target: Path) -> None:
    size = 0
    with opened() as source, target.open("xb") as file:
        while part := source.read(_AT_ONCE):
            size += len(part)
            if size > _MOST:
                raise ValueError
            file.write(part)


def _closed(path: Path) -> StudyError:
    msg = (
        f"{path.name}: this packed file cannot be looked into: it is damaged, has a password, is "
        "too large, or is packed too often. Add the files that are in it."
    )
    return StudyError(msg)
