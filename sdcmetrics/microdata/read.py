"""Read a data set from a file of any of the formats that statistical agencies use."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sdcmetrics.errors import DataError, FileError
from sdcmetrics.microdata.arguments import checked
from sdcmetrics.microdata.arrow_columns import as_kind, check_kinds, refusal
from sdcmetrics.microdata.codebook.apply import with_codebook
from sdcmetrics.microdata.codebook.codebook import Codebook
from sdcmetrics.microdata.codebook.read import read_codebook
from sdcmetrics.microdata.file_format import (
    TEXT_FORMATS,
    InputFile,
    check_content,
    existing_file,
    format_of,
)
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.read_arrow import read_feather, read_parquet
from sdcmetrics.microdata.read_r import read_rds
from sdcmetrics.microdata.read_statistical import read_statistical
from sdcmetrics.microdata.read_text import read_text
from sdcmetrics.microdata.sources.source import steady
from sdcmetrics.microdata.text_columns import DecimalMark, KindName

_MISSING = ("", "NA")


@checked
def read(  # noqa: PLR0913  (one per property of a file)
    path: str | os.PathLike[str],
    *,
    source: str | None = None,
    format: str | None = None,  # noqa: A002  (the word users know from pandas and R)
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = _MISSING,
    user_missing: bool = True,
    kinds: Mapping[str, KindName] | None = None,
    decimal: DecimalMark | Mapping[str, DecimalMark] | None = None,
    metadata: str | os.PathLike[str] | Codebook | None = None,
) -> Microdata:
    r"""Read a data set from a file, and list everything that was changed on the way.

    The suffix tells the format, and the first bytes must agree with it: CSV (.csv, .txt,
    .csv.gz), TSV (.tsv), Parquet (.parquet, .pq), Feather (.feather, .arrow), Stata (.dta), SPSS
    (.sav, .zsav), SAS (.sas7bdat) and R (.rds with one data frame).

    Parameters
    ----------
    path : str or path
        The file.
    source : str, optional
        What messages and reports call the data set; by default the file's name.
    format : str, optional
        Format or suffix, such as "csv" or "parquet", where the file's suffix does not tell it.
    delimiter : str, optional
        One character between the fields of delimited text. By default a tab for .tsv and a comma
        for others, unless the header shows only semicolons, tabs or bars.
    encoding : str, optional
        Encoding of text; by default UTF-8 (or UTF-16 after its byte order mark) for delimited
        text, and what the file declares for Stata, SPSS, SAS and R.
    missing : sequence of str, default ("", "NA")
        Values of delimited text that mean missing, quoted or not. No other value does:
        "Missing", "?" and "None" are values, and "NaN" is missing among numbers only.
    user_missing : bool, default True
        Keep codes that an SPSS, Stata or SAS file declares missing: SPSS codes stay numbers and
        are listed in `missing_codes`, labelled ones are levels. False makes them all missing.
    kinds : mapping of column to {"number", "category", "date", "boolean"}, optional
        What columns hold, where the values would tell otherwise.
    decimal : "," or ".", or one of them by column, optional
        The decimal mark of delimited text; with a comma, points stand between thousands. By
        default a point, and a comma in files whose fields semicolons separate; whether 1.234 has
        decimals in such a file must be said, if that is not clear from the column.

    metadata : path or Codebook, optional
        Of delimited text, Parquet or Feather: a file of DDI-Codebook 2.5 (.xml) or CSV on the Web
        (.json), from which labels, value labels, codes for missing, types and levels of measurement
        are taken, as they are from an SPSS file. What is taken, and what does not fit, is listed in
        `fixes`. Nothing else of it is read: no frequency, no link.

    Returns
    -------
    Microdata
        Columns as int64, float64 (float32 and float16 where the file has no more digits), bool,
        string, dictionary of string (factors and labelled codes, with their order), date32 or
        timestamp; missing is null. Of delimited text a column
        is numeric, boolean or a date only if all its values are. Codes with leading zeros
        ("01") and integers beyond 64 bits stay text.

    Raises
    ------
    StudyError
        If an argument is of a wrong type.
    FileError
        If the file is absent, empty, damaged, a pipe or not what its suffix says, if it changes
        while it is read, if a line has
        too many or too few fields, or if text is not in the encoding. The message names the file
        and the line and never a value.
    ColumnError
        If column names are empty or duplicated, if `kinds` names no column, or if a column is
        not of the kind asked for or has no single value per record.
    DataError
        If an option is unknown or does not apply to the format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "survey.csv")
    ...     _ = path.write_text("id,region,income\n1,01,1200.5\n2,07,NA\n")
    ...     survey = read(path)
    >>> survey.table.schema
    id: int64
    region: string
    income: double
    >>> survey.table["income"].null_count
    1
    """
    file, name, gzipped = recognise(path, source, format)
    values = (missing,) if isinstance(missing, str) else tuple(missing)
    if any(text.encode("utf-8", "replace").decode() != text for text in values):
        msg = f"{file.label}: missing holds half a Unicode character, which no file has."
        raise DataError(msg)
    given = {
        "delimiter": delimiter is not None,
        "missing": values != _MISSING,
        "decimal": decimal is not None,
        "encoding": encoding is not None,
        "metadata": metadata is not None,
    }
    _check_options(file, name, [option for option, is_given in given.items() if is_given])
    with steady([file.path], file.label):  # what is read and what is hashed are one file
        if name in TEXT_FORMATS:
            data = read_text(
                file,
                tabs=name == "tsv" or file.path.name.lower().endswith((".tsv", ".tsv.gz")),
                gzipped=gzipped,
                delimiter=delimiter,
                encoding=encoding,
                missing=values,
                kinds=kinds or {},
                decimal=decimal,
            )
        elif name == "parquet":
            data = read_parquet(file)
        elif name == "feather":
            data = read_feather(file)
        elif name == "rds":
            data = read_rds(file, encoding=encoding)
        else:
            data = read_statistical(file, name, encoding=encoding, user_missing=user_missing)
        if data.table.num_columns == 0 or data.n == 0:
            msg = f"{file.label}: the file holds no {'records' if data.columns else 'columns'}."
            raise FileError(msg)
        if kinds and name not in TEXT_FORMATS:
            data = _with_kinds(data, kinds, file)
        if metadata is not None:
            book = metadata if isinstance(metadata, Codebook) else read_codebook(metadata)
            data = with_codebook(
                data, book, file=file.path.name, kinds=kinds, user_missing=user_missing
            )
        return data if data.sha256 else replace(data, sha256=_sha256(file))


def check_file(path: str | os.PathLike[str]) -> str:
    """Return the format of a file; look only at its name and its first bytes.

    Raises
    ------
    FileError
        If the file is absent, empty, not to be opened, or not what its suffix says.
    """
    return recognise(path, None, None)[1]


def recognise(
    path: str | os.PathLike[str], source: str | None, stated: str | None
) -> tuple[InputFile, str, bool]:
    """Return a file with its format, and whether its bytes are gzip's."""
    file = existing_file(Path(path), source)
    name, gzipped = format_of(file, stated)
    return file, name, check_content(file, name, gzipped=gzipped, stated=stated is not None)


def _check_options(file: InputFile, name: str, options: Sequence[str]) -> None:
    if name in TEXT_FORMATS:
        return
    applies = ("metadata",) if name in ("parquet", "feather") else ("encoding",)
    for option in options:
        if option not in applies:
            msg = f"{file.label}: {option}= does not apply to the {name} format. Leave it out."
            raise DataError(msg)


def _with_kinds(data: Microdata, kinds: Mapping[str, KindName], file: InputFile) -> Microdata:
    check_kinds(kinds, data.columns, file.label)
    table = data.table
    for name, kind in kinds.items():
        column = as_kind(table.column(name), kind)
        if column is None:
            raise refusal(file.label, name, kind)
        table = table.set_column(table.column_names.index(name), name, column)
    return replace(data, table=table)


def _sha256(file: InputFile) -> str:
    with file.path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
