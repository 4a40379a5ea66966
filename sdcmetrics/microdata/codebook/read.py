"""Read metadata of data files: DDI-Codebook (XML) or CSV on the Web (JSON)."""

from __future__ import annotations

import os
from pathlib import Path

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.codebook.codebook import Codebook
from sdcmetrics.microdata.codebook.csvw import read_csvw
from sdcmetrics.microdata.codebook.ddi import read_ddi

_READERS = {".xml": read_ddi, ".json": read_csvw, ".jsonld": read_csvw}


def read_codebook(path: str | os.PathLike[str]) -> Codebook:
    """Read metadata from a file; its suffix, .xml or .json, tells which they are.

    Raises
    ------
    FileError
        If the file is absent, or is not what its suffix says.
    """
    file = Path(path)
    reader = _READERS.get(file.suffix.lower())
    if reader is None:
        msg = (
            f"{file.name}: expected metadata as DDI-Codebook 2.5 (.xml) or CSV on the Web (.json), "
            f"but the file ends with {file.suffix or 'no suffix'!r}."
        )
        raise FileError(msg)
    try:
        return reader(file)
    except OSError as error:
        msg = f"{file}: the metadata cannot be read ({error.strerror})."
    raise FileError(msg)
