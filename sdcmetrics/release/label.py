"""A labelled copy of a replica: a column that says that no record is real, values unchanged."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sdcmetrics.errors import FileError, StudyError
from sdcmetrics.microdata.file_format import TEXT_FORMATS
from sdcmetrics.microdata.read import recognise
from sdcmetrics.microdata.read_text import header_of, text_of
from sdcmetrics.microdata.sources.parquet import root_of
from sdcmetrics.microdata.text_file import TextFile, first_bytes, long_fields
from sdcmetrics.release.crate import files_of
from sdcmetrics.release.people import Records
from sdcmetrics.release.reading import read_records

COLUMN = "synthetic_data"
SAYS = "not real people"
_SUFFIX = "_synthetic"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16's, with which it begins
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)


@dataclass(frozen=True)
class Labelled:
    """A labelled copy.

    Attributes
    ----------
    source, path : Path
    digest : str
        Of the data without the label, the same of both files whatever their format.
    """

    source: Path
    path: Path
    digest: str


def label(
    source: Path, folder: Path, how: Mapping[str, Any], *, column: str = COLUMN, number: int = 1
) -> Labelled:
    """Write a labelled copy of a replica's file: "cart.csv" becomes "cart_synthetic.csv".

    Parameters
    ----------
    source : Path
        A file of delimited text, Parquet, SPSS or Stata.
    folder : Path
    how : mapping
        Options of reading, as in [read] of a study.
    column : str
        The column that is added in front. Its value is `SAYS` in each record.
    number : int
        Which file of this name it is, from 1: the second becomes "cart_synthetic_2.csv".

    Returns
    -------
    Labelled
        Read again and compared entry by entry with the source.

    Raises
    ------
    FileError
        If the file cannot be read or written, or the copy's values are others.
    StudyError
        If there is such a column, or its format has no writer here.
    """
    file, form, gzipped = recognise(source, None, None)
    before = read_records(source, how)[0]
    if not column.strip():
        msg = "--column: expected the name of a column but got none."
        raise StudyError(msg)
    if column in before.columns:
        msg = f"{source.name}: there is a column {column!r} already. Choose another with --column."
        raise StudyError(msg)
    name = source.name.split(".")[0]
    end = "." + source.name.split(".", 1)[1].removesuffix(".gz") if "." in source.name else ""
    suffix = "" if name.endswith(_SUFFIX) else _SUFFIX
    path = folder / f"{name}{suffix}{f'_{number}' if number > 1 else ''}{end}"
    if path.resolve() == source.resolve() or path.exists():
        msg = f"{path}: there is such a file already. Choose another folder with --out."
        raise FileError(msg)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if form in TEXT_FORMATS:
            text = text_of(file, how.get("encoding"), gzipped=gzipped)
            _of_text(source, path, text, how.get("delimiter"), column, tabs=form == "tsv")
        elif form == "parquet":
            _of_parquet(source, path, column)
        elif form in ("spss", "stata"):
            _of_statistical(source, path, form, column)
        else:
            msg = (
                f"{source.name}: a labelled copy can be written of text, Parquet, SPSS and Stata "
                "files. Save the replica as one of these."
            )
            raise StudyError(msg)
    except OSError as error:
        msg = f"{path}: the file cannot be written ({error.strerror})."
        raise FileError(msg) from None
    after = read_records(path, how)[0]
    if _without(after, column).digest != before.digest:
        path.unlink()
        msg = (
            f"{source.name}: the copy's values are others than the file's, so it was removed. Save "
            "the replica as Parquet, and label that."
        )
        raise FileError(msg)
    return Labelled(source, path, before.digest.hex())


def label_files(
    source: Path, folder: Path, how: Mapping[str, Any], *, column: str = COLUMN, number: int = 1
) -> Path:
    """Write labelled copies of the files of a folder or a pattern: "cart" becomes "cart_synthetic".

    Files lie in it as in their own folder; else see `label`.

    Returns
    -------
    Path
        The folder of the copies.
    """
    root = root_of(source)
    name = root.resolve().name
    suffix = "" if name.endswith(_SUFFIX) else _SUFFIX
    place = folder / f"{name}{suffix}{f'_{number}' if number > 1 else ''}"
    if place.exists():
        msg = f"{place}: there is such a folder already. Choose another folder with --out."
        raise FileError(msg)
    for file in files_of(source):
        within = place / file.relative_to(root).parent
        label(file, within, how, column=column)
    return place


def _without(data: Records, column: str) -> Records:
    columns = {name: given for name, given in data.columns.items() if name != column}
    return Records(data.source, data.n, columns)


def _of_text(
    source: Path,
    path: Path,
    text: TextFile,
    delimiter: str | None,
    column: str,
    *,
    tabs: bool,
) -> None:
    header = header_of(text, delimiter, tabs=tabs or source.name.lower().endswith(".tsv"))
    mark, encoding = _byte_order(text)
    try:
        column.encode(encoding)
    except UnicodeEncodeError:
        msg = (
            f"{source.name}: the name {column!r} cannot be written in {text.encoding}. Choose "
            "another with --column."
        )
        raise StudyError(msg) from None
    with long_fields(), text.lines() as stream, path.open("wb") as out:
        out.write(mark)
        record: list[str] = []
        rows = csv.reader(_noted(stream, record), delimiter=header.delimiter)
        entry = column
        for row in rows:
            if row:  # as it is written, with its quotes and its line end
                first = _quoted(entry, header.delimiter) + header.delimiter
                out.write((first + "".join(record)).encode(encoding))
                entry = SAYS
            record.clear()


def _noted(stream: Iterable[str], lines: list[str]) -> Iterator[str]:
    """Yield each line, and append it to the lines of the record that is being read."""
    for line in stream:
        lines.append(line)
        yield line


def _byte_order(text: TextFile) -> tuple[bytes, str]:
    """Return the byte order mark that a file begins with, and an encoding that writes none."""
    if text.encoding.startswith("utf"):
        head = first_bytes(text)
        for mark, encoding in _MARKS:
            if head.startswith(mark):
                return mark, encoding
    return b"", text.encoding.removesuffix("-sig")


def _quoted(entry: str, delimiter: str) -> str:
    if any(mark in entry for mark in (delimiter, '"', "\r", "\n")):
        return '"' + entry.replace('"', '""') + '"'
    return entry


def _of_parquet(source: Path, path: Path, column: str) -> None:
    from pyarrow import parquet

    table = parquet.read_table(source)
    statement = pa.array([SAYS] * table.num_rows, type=pa.string())
    labelled = table.add_column(0, column, statement)
    metadata = {**(table.schema.metadata or {}), b"label": SAYS.encode()}
    parquet.write_table(labelled.replace_schema_metadata(metadata), path)


def _of_statistical(source: Path, path: Path, form: str, column: str) -> None:
    import pyreadstat  # slow to load, and few sessions need it

    read, write = (
        (pyreadstat.read_sav, pyreadstat.write_sav)
        if form == "spss"
        else (pyreadstat.read_dta, pyreadstat.write_dta)
    )
    frame, meta = read(str(source), user_missing=True, apply_value_formats=False)
    frame.insert(0, column, SAYS)
    attributes: dict[str, Any] = {
        "column_labels": {**meta.column_names_to_labels, column: "No record is of a real person"},
        "variable_value_labels": meta.variable_value_labels,
        "file_label": f"SYNTHETIC DATA, {SAYS}"[:60],
    }
    if form == "spss":
        attributes |= {
            "missing_ranges": meta.missing_ranges,
            "variable_measure": meta.variable_measure,
            "note": f"Synthetic data: {SAYS}.",
        }
    else:
        attributes["missing_user_values"] = (
            meta.missing_user_values
        )  # .a to .z, each with a meaning
    write(frame, str(path), **{name: value for name, value in attributes.items() if value})
