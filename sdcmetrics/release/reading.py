"""Files entry by entry: whole in memory, or batch by batch where they are too large for it."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sdcmetrics.errors import DataError
from sdcmetrics.microdata.file_format import TEXT_FORMATS, InputFile
from sdcmetrics.microdata.read import read, recognise
from sdcmetrics.microdata.read_synds import holds_synds, read_synds
from sdcmetrics.microdata.read_text import check_decimals, header_of, text_of
from sdcmetrics.microdata.sources.large import MOST_READ
from sdcmetrics.microdata.sources.scan import is_large, scan
from sdcmetrics.microdata.text_columns import KindName
from sdcmetrics.microdata.text_file import first_bytes
from sdcmetrics.microdata.text_file import scan as scan_text
from sdcmetrics.release.crate import digest_of, files_of, sha256_of
from sdcmetrics.release.people import MISSING, Records, records_of


def open_records(path: Path, how: Mapping[str, Any]) -> list[Records]:
    """Read files entry by entry: folders, patterns and large files batch by batch.

    What is counted is the same either way.

    Parameters
    ----------
    path : Path
    how : mapping
        What the study says under [read]; `kinds` is left aside, as each entry has its own.

    Raises
    ------
    FileError, DataError
        If they cannot be read.
    """
    return [_scanned(path, how)] if is_large(path) else read_records(path, how)


def whole_records(path: Path, how: Mapping[str, Any]) -> list[Records]:
    """Read files entry by entry into memory, folders and patterns too.

    Raises
    ------
    FileError, DataError
        If they cannot be read, or are too large.
    """
    if path.is_file() or not is_large(path):
        return read_records(path, how)
    missing = tuple(how.get("missing") or MISSING)
    data = scan(path)
    if data.n * len(data.columns) > MOST_READ or not data.fits():
        msg = (
            f"{data.source}: {data.n:,} records of {len(data.columns)} columns, which are "
            "needed in memory here, are too many. Keep the columns that are asked for, or draw a "
            "sample of people beforehand."
        )
        raise DataError(msg)
    return [records_of(data.whole(), missing)]


def refuse_other_encoding(path: Path, how: Mapping[str, Any]) -> None:
    """Raise if people's file is UTF-8 where a study tells another encoding.

    Reading takes it as UTF-8 then, and whether it is UTF-8 follows from all records together: a
    letter of one person would change how those of everybody are read, and so every sum.

    Raises
    ------
    DataError
        If it is; a byte order mark, which belongs to no person, may say so.
    """
    wanted = how.get("encoding")
    if wanted is None or not path.is_file() or holds_synds(path):
        return
    file, form, gzipped = recognise(path, None, None)
    if form not in TEXT_FORMATS:
        return
    text = text_of(file, wanted, gzipped=gzipped)
    marked = first_bytes(text).startswith(codecs.BOM_UTF8)
    if text.encoding == "utf-8" and codecs.lookup(wanted).name != "utf-8" and not marked:
        msg = (
            f"{file.label}: the text is UTF-8, and not {wanted}, as the study says under [read]. "
            "In a release that would depend on the letters of single people. Save it as "
            f"{wanted}, or all data sets as UTF-8 without encoding under [read]."
        )
        raise DataError(msg)


def _scanned(path: Path, how: Mapping[str, Any]) -> Records:
    missing = tuple(how.get("missing") or MISSING)
    if not path.is_file():
        return replace(records_of(scan(path), missing), sha256=digest_of(files_of(path)))
    file, form, gzipped = recognise(path, None, None)
    digest = sha256_of(path)
    if form not in TEXT_FORMATS:
        return replace(records_of(scan(path), missing), sha256=digest)
    options, kinds, commas = _of_text(file, form, how, gzipped=gzipped)
    data = scan(path, missing=missing, kinds=kinds, **options)
    return replace(records_of(data, missing, commas=commas), sha256=digest)


def read_records(path: Path, how: Mapping[str, Any]) -> list[Records]:
    """Read one file entry by entry, whole; a file of R's synthpop may hold several data sets.

    Parameters
    ----------
    path : Path
    how : mapping
        What the study says under [read]; `kinds` is left aside, as each entry has its own.

    Raises
    ------
    FileError, DataError
        If it cannot be read.
    """
    if holds_synds(path):
        return [records_of(data) for data in read_synds(path)]
    file, form, gzipped = recognise(path, None, None)
    missing = tuple(how.get("missing") or MISSING)
    if form not in TEXT_FORMATS:
        names = ("user_missing", "encoding") if form not in ("parquet", "feather") else ()
        options = {name: how[name] for name in names if how.get(name) is not None}
        return [records_of(read(path, **options), missing)]
    options, kinds, commas = _of_text(file, form, how, gzipped=gzipped)
    data = read(path, missing=missing, kinds=kinds, **options)
    return [records_of(data, missing, commas=commas)]


def _of_text(
    file: InputFile, form: str, how: Mapping[str, Any], *, gzipped: bool
) -> tuple[dict[str, Any], dict[str, KindName], dict[str, bool]]:
    """Return how a text file is read, every column as categories; see `records_of` for commas."""
    options = {name: how[name] for name in ("delimiter", "encoding") if how.get(name) is not None}
    text = text_of(file, options.get("encoding"), gzipped=gzipped)
    scan_text(text)  # names the line where bytes are in another encoding
    header = header_of(
        text,
        options.get("delimiter"),
        tabs=form == "tsv" or file.path.name.lower().endswith((".tsv", ".tsv.gz")),
    )
    kinds: dict[str, KindName] = {name: "category" for name in header.names if name}
    decimal = how.get("decimal")
    check_decimals(decimal, header.names, file.label)
    marks = {n: decimal.get(n) if isinstance(decimal, Mapping) else decimal for n in header.names}
    if header.delimiter == ";":
        marks = {name: mark or ";" for name, mark in marks.items()}
    return options, kinds, {name: mark == "," for name, mark in marks.items() if mark in (",", ";")}
