"""Data sets as columns of plain texts, each entry read by itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sdcmetrics.errors import ColumnError, FileError, did_you_mean
from sdcmetrics.microdata.file_format import TEXT_FORMATS
from sdcmetrics.microdata.frames import Microdata, as_microdata
from sdcmetrics.microdata.read import read, recognise
from sdcmetrics.microdata.read_synds import holds_synds, read_synds
from sdcmetrics.microdata.read_text import header_of, text_of
from sdcmetrics.microdata.text_columns import KindName
from sdcmetrics.microdata.text_file import scan
from sdcmetrics.release.texts import plain_text

Codes = npt.NDArray[np.int64]

_MISSING = ("", "NA")


@dataclass(frozen=True, repr=False)
class Column:
    """A column: its distinct texts, None for missing, and the place of each record's among them."""

    texts: tuple[str | None, ...]
    codes: Codes


@dataclass(frozen=True, repr=False)
class Records:
    """A data set, entry by entry; see `texts.plain_text`.

    Attributes
    ----------
    source : what messages call it
    n : number of records
    columns : dict of name to Column
    sha256 : digest of the file's bytes; empty without a file
    """

    source: str
    n: int
    columns: Mapping[str, Column]
    sha256: str = ""

    def column(self, name: str) -> Column:
        """Return a column.

        Raises
        ------
        ColumnError
            If there is no such column.
        """
        if name not in self.columns:
            hint = did_you_mean(name, self.columns)
            msg = (
                f"{self.source}: there is no column {name!r}, which the study or a replica has."
                f"{hint} Rename the column, or leave it out of all data sets."
            )
            raise ColumnError(msg)
        return self.columns[name]

    def subset(self, rows: Codes) -> Records:
        """Return some of the records."""
        columns = {
            name: Column(column.texts, column.codes[rows]) for name, column in self.columns.items()
        }
        return Records(self.source, len(rows), columns, self.sha256)

    @cached_property
    def digest(self) -> bytes:
        """Digest of the content: the same whatever the order of records and of columns."""
        names = sorted(self.columns)
        whole = hashlib.sha256(repr((self.n, names)).encode())
        framed = [
            np.array([_framed(text) for text in self.columns[name].texts], dtype=object)[
                self.columns[name].codes
            ]
            for name in names
        ]
        rows = (
            hashlib.sha256("".join(row).encode("utf-8", "backslashreplace")).digest()
            for row in zip(*framed, strict=True)
        )
        for row in sorted(rows):
            whole.update(row)
        return whole.digest()


def _framed(text: str | None) -> str:
    """Return a text with its length, so that two texts in a row are no others."""
    return "-;" if text is None else f"{len(text)};{text}"


def records_of(
    data: Microdata, missing: Sequence[str] = _MISSING, *, decimal_comma: bool = False
) -> Records:
    """Return a data set that was read, entry by entry."""
    columns = {}
    for name in data.columns:
        # A file's labels make levels of codes only where every code has one: that is up to people.
        labels = data.value_labels.get(name, {})
        columns[name] = _column(
            data.table.column(name), missing, labels, decimal_comma=decimal_comma
        )
    return Records(data.source, data.n, columns, data.sha256 or "")


def of_frame(frame: Any, source: str) -> Records:
    """Return a data frame, entry by entry; it may have no record."""
    if not len(frame):
        names = list(map(str, frame.columns))
        return Records(source, 0, {name: Column((), np.empty(0, np.int64)) for name in names})
    return records_of(as_microdata(frame, source))


def read_records(path: Path, how: Mapping[str, Any]) -> list[Records]:
    """Read a file entry by entry; a file of R's synthpop may hold several data sets.

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
    if path.is_dir() or (not path.exists() and any(mark in path.name for mark in "*?[")):
        msg = (
            f"{path}: a release reads each data set whole, from one file, and no folder or "
            "pattern. Write its parts as one file of Parquet."
        )
        raise FileError(msg)
    if holds_synds(path):
        return [records_of(data) for data in read_synds(path)]
    file, form, gzipped = recognise(path, None, None)
    missing = tuple(how.get("missing") or _MISSING)
    if form not in TEXT_FORMATS:
        names = ("user_missing", "encoding") if form not in ("parquet", "feather") else ()
        options = {name: how[name] for name in names if how.get(name) is not None}
        return [records_of(read(path, **options), missing)]
    options = {name: how[name] for name in ("delimiter", "encoding") if how.get(name) is not None}
    text = text_of(file, options.get("encoding"), gzipped=gzipped)
    scan(text)  # names the line where bytes are in another encoding
    header = header_of(
        text,
        options.get("delimiter"),
        tabs=form == "tsv" or file.path.name.lower().endswith((".tsv", ".tsv.gz")),
    )
    kinds: dict[str, KindName] = {name: "category" for name in header.names if name}
    data = read(path, missing=missing, kinds=kinds, **options)
    return [records_of(data, missing, decimal_comma=header.delimiter == ";")]


def _column(
    column: Any, missing: Sequence[str], labels: Mapping[float, str], *, decimal_comma: bool
) -> Column:
    """Return an Arrow column as texts, of which equal ones are one."""
    entries = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(entries.type):
        entries = entries.cast(entries.type.value_type)
    coded = entries.dictionary_encode(null_encoding="encode")
    texts = [
        plain_text(_labelled(entry, labels), missing, decimal_comma=decimal_comma)
        for entry in coded.dictionary.to_pylist()
    ]
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    renumbered = np.array([place[text] for text in texts], dtype=np.int64)
    indices = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    codes = renumbered[indices] if texts else np.empty(0, np.int64)
    return Column(tuple(place), codes)


def _labelled(entry: object, labels: Mapping[float, str]) -> object:
    """Return the label that the file has for a code, or the entry."""
    is_code = isinstance(entry, int | float) and not isinstance(entry, bool)
    return labels.get(float(entry), entry) if is_code else entry  # type: ignore[arg-type]  # a number
