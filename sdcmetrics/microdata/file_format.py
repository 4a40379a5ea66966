"""What format a file has: by its suffix, by its first bytes, and whether the two agree."""

from __future__ import annotations

import codecs
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sdcmetrics.errors import DataError, FileError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SUFFIXES: Final[Mapping[str, tuple[str, ...]]] = {
    "csv": ("csv", "txt"),
    "tsv": ("tsv",),
    "parquet": ("parquet", "pq"),
    "feather": ("feather", "arrow"),
    "stata": ("dta",),
    "spss": ("sav", "zsav"),
    "sas": ("sas7bdat",),
    "rds": ("rds",),
}
_FORMAT_OF_SUFFIX: Final = {
    suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes
}
_KNOWN_SUFFIXES: Final = ", ".join(f".{suffix}" for suffix in _FORMAT_OF_SUFFIX) + ", .csv.gz"
TEXT_FORMATS: Final = ("csv", "tsv")

_WORDS: Final[Mapping[str, str]] = {
    "csv": "delimited text",
    "tsv": "delimited text",
    "parquet": "a Parquet file",
    "feather": "a Feather or Arrow file",
    "stata": "a Stata file",
    "spss": "an SPSS file",
    "sas": "a SAS file",
    "rds": "an R .rds file",
    "gzip": "gzip-compressed text",
}
_INSTEAD: Final[Mapping[str, str]] = {
    "xlsx": "Save the sheet as CSV and read that.",
    "xls": "Save the sheet as CSV and read that.",
    "ods": "Save the sheet as CSV and read that.",
    "zip": "Unpack it and read the file in it.",
    "rda": "In R, save the data frame alone with saveRDS(data, 'data.rds').",
    "rdata": "In R, save the data frame alone with saveRDS(data, 'data.rds').",
    "xpt": "Save it as .sas7bdat or CSV.",
    "por": "Save it as .sav.",
    "json": "Save it as CSV or Parquet.",
    "pkl": "Save it as CSV or Parquet.",
    **dict.fromkeys(("bz2", "xz", "zst", "tar", "tgz", "7z"), "Unpack it and read the file in it."),
}
_RENAME: Final = "If it is one of these under another name, rename it, or, in Python, pass format=."

_HEAD_BYTES: Final = 4096
_TEXT_CONTROLS: Final = frozenset(b"\t\n\r\f\x1b")
_FIRST_PRINTABLE: Final = 0x20
_UNREADABLE_MAGIC: Final = (
    (re.compile(rb"PK\x03\x04"), "a zip archive or an Excel workbook"),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "an old Excel workbook"),
    (re.compile(rb"BZh[1-9]1AY&SY"), "a bzip2-compressed file"),
    (re.compile(rb"\xfd7zXZ\x00"), "an xz-compressed file"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), "a zstd-compressed file"),
    (re.compile(rb"%PDF-"), "a PDF document"),
    (re.compile(rb"SQLite format 3\x00"), "an SQLite data base"),
    (re.compile(rb"RDX[23]\n"), "an R .rda file"),
    (re.compile(rb"HEADER RECORD\*{7}LIB"), "a SAS transport file"),
    (re.compile(rb"\s*<(!doctype\s+)?html", re.IGNORECASE), "a web page"),
    (re.compile(rb"version https://git-lfs"), "a Git LFS pointer, not the file itself"),
)
_FORMAT_MAGIC: Final = (
    # A fifth byte that is no text keeps a column called PAR1 from passing for Parquet.
    (re.compile(rb"PAR1[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]"), "parquet"),
    (re.compile(rb"ARROW1\x00\x00|FEA1[\x00-\x1f]|\xff\xff\xff\xff[\x10-\xff]"), "feather"),
    (re.compile(rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\x00", re.DOTALL), "stata"),
    (re.compile(rb"\$FL[23]"), "spss"),
    (re.compile(rb"\x00{12}\xc2\xea\x81\x60"), "sas"),
    (re.compile(rb"[XB]\n[\x00-\x03]"), "rds"),
)
_RDS_IN_ASCII: Final = re.compile(rb"A\r?\n[23]\r?\n\d+\r?\n")
_RDS_PACKED: Final = re.compile(rb"BZh[1-9]1AY&SY|\xfd7zXZ\x00")


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read, and what messages and results call it."""

    path: Path
    source: str

    @property
    def label(self) -> str:
        """Return the name for messages: the data set's, and the file's where they differ."""
        name = self.path.name
        named = self.source == name or self.source.endswith(f"({name})")
        return self.source if named else f"{self.source} ({name})"


def is_a_file(path: Path) -> bool:
    """Whether a file is there; no name is so long or so odd that asking fails."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def existing_file(path: Path, source: str | None) -> InputFile:
    """Return the file, or raise FileError when it is absent, a directory or not to be opened."""
    file = InputFile(path, path.name if source is None else source)
    try:
        _refuse_absent(path)
        with path.open("rb") as stream:
            first = stream.read(1)
    except OSError as error:
        msg = f"{file.label}: the file cannot be opened ({error.strerror}). Check its permissions."
        raise FileError(msg) from None
    if not first:
        msg = f"{file.label}: the file is empty."
        raise FileError(msg)
    return file


def _refuse_absent(path: Path) -> None:
    if path.is_dir():
        msg = f"{path}: this is a directory. Name the file in it."
        raise FileError(msg)
    if not path.exists():
        if not path.parent.is_dir():
            msg = f"{path}: there is no directory {str(path.parent)!r}."
            raise FileError(msg)
        msg = f"{path}: there is no such file.{did_you_mean(path.name, _neighbours(path))}"
        raise FileError(msg)
    if not path.is_file():
        msg = f"{path}: this is a pipe or a device. Save the data in a file, and name that."
        raise FileError(msg)


def _neighbours(path: Path) -> list[str]:
    try:
        return [neighbour.name for neighbour in path.parent.iterdir() if neighbour.is_file()]
    except OSError:
        return []


def format_of(file: InputFile, wanted: str | None) -> tuple[str, bool]:
    """Return the format's name and whether the suffix says that it is gzip-compressed."""
    parts = file.path.name.lower().split(".")[1:]
    gzipped = bool(parts) and parts[-1] == "gz"
    if wanted is not None:
        name = wanted.lower().removeprefix(".")
        if name in _SUFFIXES:
            return name, gzipped
        if name in _FORMAT_OF_SUFFIX:
            return _FORMAT_OF_SUFFIX[name], gzipped
        msg = (
            f"{file.label}: unknown format {wanted!r}.{did_you_mean(name, _SUFFIXES)} "
            f"Known formats: {', '.join(_SUFFIXES)}."
        )
        raise DataError(msg)
    if gzipped:
        parts = parts[:-1]
    if not parts:
        msg = (
            f"{file.label}: the name has no suffix that tells its format. Rename it or pass "
            f"format=, one of {', '.join(_SUFFIXES)}."
        )
        raise FileError(msg)
    name = _FORMAT_OF_SUFFIX.get(parts[-1], "")
    if not name or (gzipped and name not in TEXT_FORMATS):
        instead = _INSTEAD.get(parts[-1], _RENAME)
        shown = "." + parts[-1] + (".gz" if gzipped else "")
        msg = f"{file.label}: cannot read {shown} files. Known: {_KNOWN_SUFFIXES}. {instead}"
        raise FileError(msg)
    return name, gzipped


def check_content(file: InputFile, name: str, *, gzipped: bool, stated: bool) -> bool:
    """Raise FileError unless the first bytes fit the format; return whether they are gzip's.

    `stated` says that the caller named the format; compressed text then needs no .gz suffix.
    """
    with file.path.open("rb") as stream:
        head = stream.read(_HEAD_BYTES)
    content = _content(head, name)
    if content == name or (content == "text" and name in TEXT_FORMATS and not gzipped):
        return False
    if content == "gzip" and name in TEXT_FORMATS and (gzipped or stated):
        return True
    called = ".gz" if gzipped else file.path.suffix or "without suffix"
    if content == "gzip" and name in TEXT_FORMATS:
        remedy = f"Rename it to {file.path.name + '.gz'!r}."
    elif content in _SUFFIXES:
        remedy = f"Rename it, or pass format={content!r}."
    elif content == "text":
        remedy = "Rename it, or pass format='csv'."
    else:
        remedy = "Export the data again in one of the known formats."
    words = "plain text, such as CSV" if content == "text" else _WORDS.get(content, content)
    expected = _WORDS["gzip"] if gzipped else _WORDS[name]
    msg = (
        f"{file.label}: expected {expected} ({called}) but the content looks like {words}. {remedy}"
    )
    raise FileError(msg)


def suffix_of_content(path: Path) -> str:
    """Return the suffix that a file of such a content may have; that of text if none is known."""
    with path.open("rb") as stream:
        content = _content(stream.read(_HEAD_BYTES), "csv")
    return _SUFFIXES.get(content, _SUFFIXES["csv"])[0]


def _content(head: bytes, expected: str) -> str:
    """Return a format's name, "text", "gzip" or words for something that cannot be read."""
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, _HEAD_BYTES)
        except zlib.error:
            return "a damaged gzip file"
        inner = _content(head, expected)
        if inner == "text":
            return "gzip"
        return inner if inner == "rds" else f"a gzip file that holds {_WORDS.get(inner, inner)}"
    if expected == "rds" and (_RDS_PACKED.match(head) or _RDS_IN_ASCII.match(head)):
        return "rds"
    for magic, name in _FORMAT_MAGIC + _UNREADABLE_MAGIC:
        if magic.match(head):
            return name
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "text"
    if expected not in TEXT_FORMATS and any(
        byte < _FIRST_PRINTABLE and byte not in _TEXT_CONTROLS for byte in head
    ):
        return "no known format, or a damaged file"
    return "text"
