"""A replica's file as users get it: columns, types, labels and codes; no original is opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sdcmetrics.errors import DataError, StudyError, did_you_mean
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.file_format import TEXT_FORMATS
from sdcmetrics.microdata.frames import Microdata, label_of
from sdcmetrics.microdata.read import read, recognise
from sdcmetrics.microdata.read_columns import read_column
from sdcmetrics.microdata.read_text import header_of, text_of
from sdcmetrics.microdata.sources.parquet import root_of
from sdcmetrics.microdata.sources.scan import is_large, scan
from sdcmetrics.release.crate import digest_of, files_of
from sdcmetrics.release.public import path_of
from sdcmetrics.study.file import StudyEntries, read_options

MEDIA = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "parquet": "application/vnd.apache.parquet",
    "feather": "application/vnd.apache.arrow.file",
    "spss": "application/x-spss-sav",
    "stata": "application/x-stata-dta",
    "sas": "application/x-sas-data",
}
_MOST_LEVELS = 200
"""Of a column with more it is no list of categories."""


@dataclass(frozen=True)
class Category:
    """A category of a column: how it stands in the file, and what it is called."""

    code: str
    label: str


@dataclass(frozen=True)
class DescribedColumn:
    """A column of a replica's file.

    Attributes
    ----------
    name, label : str
    type : "integer", "number", "boolean", "date", "datetime" or "text"
    categories : tuple of Category
        Empty for numbers without labels, and for texts of which there are many.
    missing : tuple of str
        Codes that mean some kind of missing, as they stand in the file.
    scale : "nominal", "ordinal", "interval" or ""
        Level of measurement, where the file or its metadata tell it.
    """

    name: str
    label: str
    type: str
    categories: tuple[Category, ...] = ()
    missing: tuple[str, ...] = ()
    scale: str = ""


@dataclass(frozen=True)
class DescribedFile:
    """A replica's file, or the files of a folder or a pattern as one.

    Attributes
    ----------
    name : str
        Of the file, without its folder; or of the folder.
    media : str
        Media type.
    sha256 : str
    size : int
        Bytes.
    records : int
    columns : tuple of DescribedColumn
    delimiter, encoding : str
        Of delimited text; else empty.
    missing_texts : tuple of str
        What stands for missing in delimited text.
    """

    name: str
    media: str
    sha256: str
    size: int
    records: int
    columns: tuple[DescribedColumn, ...]
    delimiter: str = ""
    encoding: str = ""
    missing_texts: tuple[str, ...] = ()


def describe_replica(spec: StudyEntries, study: Path, replica: str) -> tuple[DescribedFile, ...]:
    """Describe every file of a replica; of a folder or a pattern all of its files as one.

    Raises
    ------
    StudyError
        If there is no such replica.
    FileError, DataError
        If a file cannot be read.
    """
    if replica not in spec.data.replicas:
        hint = did_you_mean(replica, spec.data.replicas)
        msg = f"{study.name}: there is no replica {replica!r}.{hint}"
        raise StudyError(msg)
    codes = {name: tuple(numbers) for name, numbers in spec.missing_codes.items()}
    how = read_options(spec, study)
    paths = (path_of(file, study) for file in spec.data.replicas[replica])
    return tuple(
        _describe(path, how, codes)
        if path.is_file() or not is_large(path)
        else _describe_files(path, how, codes)
        for path in paths
    )


def _describe_files(
    path: Path, how: Mapping[str, Any], codes: Mapping[str, tuple[float, ...]]
) -> DescribedFile:
    kinds = {} if how.get("kinds") is None else {"kinds": how["kinds"]}
    data, files = scan(path, **kinds), files_of(path)
    if not data.fits():
        msg = (
            f"{path}: {data.n:,} records of {len(data.columns)} columns are too many to be "
            "described. Name one of the files, which have the same columns, in a study of its own."
        )
        raise DataError(msg)
    whole = data.whole()
    return DescribedFile(
        root_of(path).name,
        MEDIA["parquet"],
        digest_of(files),
        sum(file.stat().st_size for file in files),
        data.n,
        tuple(_column(whole, name, codes.get(name, ())) for name in whole.columns),
    )


def _describe(
    path: Path, how: Mapping[str, Any], codes: Mapping[str, tuple[float, ...]]
) -> DescribedFile:
    file, form, gzipped = recognise(path, None, None)
    of_form = dict(how)
    if form not in TEXT_FORMATS:
        of_arrow = form in ("parquet", "feather")
        fitting = ("metadata",) if of_arrow else ("user_missing", "encoding")
        of_form = {name: how[name] for name in (*fitting, "kinds") if name in how}
    data = read(path, **of_form)
    declared = _declared_missing(path) if form == "spss" else {}
    delimiter = encoding = ""
    if form in TEXT_FORMATS:
        text = text_of(file, how.get("encoding"), gzipped=gzipped)
        encoding = text.encoding
        tabs = form == "tsv" or path.name.lower().endswith((".tsv", ".tsv.gz"))
        delimiter = header_of(text, how.get("delimiter"), tabs=tabs).delimiter
        form = "tsv" if delimiter == "\t" else "csv"
    return DescribedFile(
        path.name,
        MEDIA.get(form, "application/octet-stream"),
        data.sha256 or "",
        path.stat().st_size,
        data.n,
        tuple(
            _column(data, name, (*declared.get(name, ()), *codes.get(name, ())))
            for name in data.columns
        ),
        delimiter,
        encoding,
        data.missing_texts,
    )


def _declared_missing(path: Path) -> dict[str, tuple[float, ...]]:
    """Return codes that an SPSS file declares to mean missing, of ranges those with a label."""
    import pyreadstat  # slow to load, and few sessions need it

    # Without a row, or with metadata alone, no declared code is read.
    _, meta = pyreadstat.read_sav(str(path), user_missing=True, row_limit=1)
    ranges: Mapping[str, Sequence[Any]] = meta.missing_ranges
    return {name: tuple(_codes(ends, meta, name)) for name, ends in ranges.items()}


def _codes(ranges: Sequence[Any], meta: Any, name: str) -> Iterator[float]:
    labelled = meta.variable_value_labels.get(name, {})
    for ends in ranges:
        low, high = ends["lo"], ends["hi"]
        if isinstance(low, str) or isinstance(high, str):
            continue
        within = (code for code in labelled if not isinstance(code, str) and low <= code <= high)
        yield from (float(code) for code in ([low] if low == high else within))


def _column(data: Microdata, name: str, codes: tuple[float, ...]) -> DescribedColumn:
    column = read_column(data, name, [])
    labels, of_levels = data.value_labels.get(name, {}), data.level_codes.get(name, {})
    categories: tuple[Category, ...] = ()
    if labels:
        categories = tuple(Category(label_of(code), text) for code, text in labels.items())
    elif column.kind is Kind.CATEGORY and len(column.levels) <= _MOST_LEVELS:
        categories = tuple(
            Category(label_of(of_levels.get(level, level)), level) for level in column.levels
        )
    missing = dict.fromkeys((*data.missing_codes.get(name, ()), *codes))
    return DescribedColumn(
        name,
        data.labels.get(name, ""),
        _type(data.table.schema.field(name).type, column.kind, coded=bool(of_levels)),
        categories,
        tuple(label_of(code) for code in missing),
        data.scales.get(name, ""),
    )


def _type(kind: pa.DataType, meaning: Kind | None, *, coded: bool) -> str:
    if meaning is Kind.DATE:
        return "datetime" if pa.types.is_timestamp(kind) else "date"
    if meaning is Kind.BOOLEAN:
        return "boolean"
    if meaning is Kind.NUMBER:
        return "integer" if pa.types.is_integer(kind) else "number"
    return "number" if coded else "text"
