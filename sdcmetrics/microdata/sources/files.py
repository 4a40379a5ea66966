"""Whether files are what they were: every pass must see the same records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sdcmetrics.errors import DataError, FileError


def unchanged(files: Sequence[Path], source: str) -> Callable[[], None]:
    """Return what raises FileError once a file has another size, time of change or place."""
    before = [_state(file) for file in files]

    def check() -> None:
        for file, state in zip(files, before, strict=True):
            if _state(file) != state:
                msg = (
                    f"{source}: the file {file.name} changed while it was being read. Start "
                    "again when nobody writes to it."
                )
                raise FileError(msg)

    return check


@contextmanager
def steady(files: Sequence[Path], source: str) -> Iterator[None]:
    """Raise FileError if a file changes meanwhile, also where that looks like another fault."""
    check = unchanged(files, source)
    try:
        yield
    except DataError:
        check()
        raise
    check()


def _state(file: Path) -> tuple[int, ...]:
    try:
        stat = file.stat()
    except OSError:
        return ()
    return stat.st_size, stat.st_mtime_ns, stat.st_ino
