"""Locks that keep two processes from the same work, or from the same files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def lock(path: Path, *, wait: bool = False) -> Iterator[bool]:
    """Hold a file or folder for this process; others only notice if they ask for it, too.

    Yields whether it is held: Windows and some file systems have no such locks.

    Parameters
    ----------
    path : Path
        Is not changed.
    wait : bool
        Until nobody else holds it.

    Raises
    ------
    BlockingIOError
        If another process holds it and this one does not wait.
    OSError
        If it cannot be opened.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield False
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        held = True
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise
        except OSError:  # a file system without locks
            held = False
        yield held
    finally:
        os.close(handle)
