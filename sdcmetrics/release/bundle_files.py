"""Files of a bundle and its folder, with errors that name them."""

from __future__ import annotations

import shutil
from pathlib import Path

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.study.written import write_whole


def make_empty(folder: Path) -> None:
    """Make a folder, and see that there is nothing in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            msg = (
                f"{folder}: the folder is not empty. A bundle has a folder of its own: choose one."
            )
            raise StudyError(msg)
    except OSError as error:
        msg = f"{folder}: the folder cannot be written ({error.strerror})."
        raise FileError(msg) from None


def copy_file(source: Path, target: Path) -> None:
    """Copy a file; raise FileError if that cannot be."""
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        msg = f"{error.filename}: the file cannot be copied ({error.strerror})."
        raise FileError(msg) from None


def write_file(file: Path, content: str | bytes) -> None:
    """Write a file; raise FileError if that cannot be."""
    try:
        write_whole(file, content)
    except OSError as error:
        msg = f"{file}: the file cannot be written ({error.strerror})."
        raise FileError(msg) from None


def read_bytes(file: Path) -> bytes:
    """Return what is in a file; raise FileError if it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        msg = f"{file}: the file cannot be read ({error.strerror})."
        raise FileError(msg) from None
