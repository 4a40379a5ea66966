"""Read the syntheses of an R object of class synds from an .rds file, without R."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.file_format import check_content, existing_file, format_of
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.read_r import RFile, damaged, parse_rds, read_frame

if TYPE_CHECKING:
    from rdata.parser import RObject


@checked
def read_synds(path: str | os.PathLike[str], *, encoding: str | None = None) -> list[Microdata]:
    """Read what R's synthpop made and ``saveRDS()`` saved: a list of its m syntheses.

    Parameters
    ----------
    path : str or path
        An .rds file with an object of class synds.
    encoding : str, optional
        Encoding of its texts; by default what the file declares.

    Returns
    -------
    list of Microdata
        One per synthesis, as `sdcmetrics.read` gives for a data frame. Codes in the object's
        cont.na are its `missing_codes`. Their names tell the syntheses apart.

    Raises
    ------
    FileError
        If the file is absent, damaged, or holds something else.

    Examples
    --------
    >>> read_synds("absent.rds")
    Traceback (most recent call last):
    ...
    sdcmetrics.errors.FileError: absent.rds: ...
    """
    file = existing_file(Path(path), None)
    name, gzipped = format_of(file, "rds")
    check_content(file, name, gzipped=gzipped, stated=True)
    content = parse_rds(file, encoding)
    classes = content.classes(content.root)
    if "synds" not in classes:
        msg = (
            f"{file.label}: expected an object of class synds, made by synthpop's syn(), but the "
            f"file holds an R object of class {'/'.join(classes)}. Read a data frame with "
            "sdcmetrics.read(path)."
        )
        raise FileError(msg)
    parts = _parts(content, content.root)
    if "syn" not in parts:
        raise damaged(file)
    held = parts["syn"]
    frames = [held] if "data.frame" in content.classes(held) else list(held.value)
    if any("data.frame" not in content.classes(frame) for frame in frames):
        raise damaged(file)
    codes = _codes(content, parts.get("cont.na"))
    digest = hashlib.sha256(file.path.read_bytes()).hexdigest()
    syntheses = [read_frame(content, frame) for frame in frames]
    return [
        replace(
            data,
            source=data.source if len(frames) == 1 else f"{data.source}, synthesis {i}",
            missing_codes={**codes, **data.missing_codes},
            sha256=digest,
        )
        for i, data in enumerate(syntheses, start=1)
    ]


def holds_synds(path: str | os.PathLike[str]) -> bool:
    """Whether a file is an .rds file with an object of class synds.

    Examples
    --------
    >>> holds_synds("absent.rds")
    False
    """
    where = Path(path)
    if where.suffix.lower() != ".rds" or not where.is_file():
        return False
    try:
        content = parse_rds(existing_file(where, None), None)
    except FileError:  # what is wrong is said where the file is read
        return False
    return "synds" in content.classes(content.root)


def _parts(content: RFile, item: RObject) -> dict[str, RObject]:
    header = content.attributes(item).get("names")
    names = [] if header is None else content.texts(header, "the header")
    return {name or "": part for name, part in zip(names, item.value or [], strict=True)}


def _codes(content: RFile, item: RObject | None) -> dict[str, tuple[float, ...]]:
    if item is None or item.info.type.name != "VEC":
        return {}
    out = {}
    for name, part in _parts(content, item).items():
        if part.info.type.name not in ("REAL", "INT"):
            continue
        values = np.ma.getdata(part.value).astype(np.float64)
        absent = np.ma.getmaskarray(part.value) | np.isnan(values)
        codes = tuple(float(value) for value in values[~absent])
        if codes:
            out[name] = codes
    return out
