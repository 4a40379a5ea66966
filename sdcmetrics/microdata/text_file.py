"""Go through a text file's bytes and lines: decoding, NUL bytes, and where its layout breaks."""

from __future__ import annotations

import codecs
import csv
import gzip
import hashlib
import io
import itertools
import zlib
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

import numpy as np
import pyarrow as pa

from sdcmetrics.errors import FileError
from sdcmetrics.microdata.text_columns import is_decimal_comma

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from sdcmetrics.microdata.file_format import InputFile

_CHUNK_BYTES = 1 << 20
_QUOTE = ord('"')
DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error)
_LONGEST_FIELD = 2**31 - 1
"""The most that the csv module can be told everywhere; its own 128 KiB is less than real notes."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text file and how its bytes become characters; `wanted` is the encoding asked for."""

    file: InputFile
    gzipped: bool
    encoding: str
    wanted: str | None = None

    def bytes(self) -> BinaryIO:
        """Open the file's uncompressed bytes."""
        if self.gzipped:
            return cast("BinaryIO", gzip.open(self.file.path, "rb"))
        return self.file.path.open("rb")

    def lines(self) -> TextIO:
        """Open the file's text with its line ends as they are."""
        encoding = "utf-8-sig" if self.encoding == "utf-8" else self.encoding
        return io.TextIOWrapper(self.bytes(), encoding=encoding, newline="")

    def arrow_stream(self) -> pa.NativeFile:
        """Open the file's uncompressed bytes for Arrow."""
        if self.gzipped:  # not through Arrow's own gzip, which refuses zeros after the end
            return pa.PythonFile(self.bytes(), mode="r")
        return arrow_file(self.file)


def arrow_file(file: InputFile) -> pa.NativeFile:
    """Open a file's bytes for Arrow, which knows no names that are not UTF-8."""
    name = str(file.path)
    if name.encode("utf-8", "replace").decode("utf-8") != name:
        return pa.PythonFile(file.path.open("rb"), mode="r")
    return pa.OSFile(name)


@dataclass(slots=True)
class Passed:
    """Counts of a file's bytes, taken while Arrow reads them.

    Attributes
    ----------
    quotes : number of quotes
    nul : whether there is a NUL byte
    digest : SHA-256 of the file as it stands on disk, compressed or not
    """

    quotes: int = 0
    nul: bool = False
    digest: Any = field(default_factory=hashlib.sha256)

    def stream(self, text: TextFile) -> pa.NativeFile:
        """Open the file's uncompressed bytes for Arrow."""
        stream = _Noted(text.file.path.open("rb"), self.digest.update)
        if text.gzipped:
            unpacked = gzip.GzipFile(fileobj=cast("BinaryIO", stream))
            stream = _Noted(cast("BinaryIO", unpacked), self._note, stream)
        else:
            stream = _Noted(cast("BinaryIO", stream), self._note)
        return pa.PythonFile(stream, mode="r")

    def _note(self, block: bytes) -> None:
        # bytes.count stops at every quote, and a file may have one at either end of each value
        self.quotes += int(np.count_nonzero(np.frombuffer(block, np.uint8) == _QUOTE))
        self.nul = self.nul or b"\0" in block


class _Noted:
    """A binary stream, within another or not, whose bytes are passed to a function as well."""

    def __init__(
        self, stream: BinaryIO, see: Callable[[bytes], None], outer: _Noted | None = None
    ) -> None:
        self.stream, self.see, self.outer = stream, see, outer

    @property
    def closed(self) -> bool:
        return self.stream.closed

    def read(self, size: int = -1) -> bytes:
        part = self.stream.read(size)
        self.see(part)
        return part

    def close(self) -> None:
        self.stream.close()
        if self.outer is not None:
            self.outer.close()


def scan(text: TextFile) -> int:
    """Check that the file decodes and holds no NUL; return the number of quotes.

    Raises
    ------
    FileError
        Naming the line of the first byte that is not in the encoding, or of the first NUL.
    """
    decoder = codecs.getincrementaldecoder(text.encoding)()
    quotes = 0
    line = 1
    bad_line = 0
    damaged = False
    try:
        with text.bytes() as stream:
            for chunk in itertools.chain(iter(lambda: stream.read(_CHUNK_BYTES), b""), [b""]):
                try:
                    part = decoder.decode(chunk, final=not chunk)
                except UnicodeDecodeError as error:
                    bad_line = line + error.object[: error.start].count(b"\n")
                    break
                except UnicodeError:  # UTF-16 or UTF-32 without its byte order mark
                    bad_line = line
                    break
                if "\0" in part:
                    line += part[: part.index("\0")].count("\n")
                    _refuse_nul(text.file, line)
                quotes += part.count('"')
                line += part.count("\n")
    except DAMAGE:
        damaged = True
    if damaged:
        raise _damaged(text.file)
    if bad_line:
        raise _not_decodable(text, bad_line)
    return quotes


def first_bytes(text: TextFile) -> bytes:
    """Return the bytes that a byte order mark can take, or raise FileError for a damaged file."""
    try:
        with text.bytes() as stream:
            return stream.read(4)
    except DAMAGE:
        raise _damaged(text.file) from None


def is_utf8_too(text: TextFile) -> bool:
    """Return whether text in another encoding is UTF-8, with letters beyond ASCII."""
    decoder, beyond = codecs.getincrementaldecoder("utf-8")(), False
    try:
        with text.bytes() as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                beyond |= not decoder.decode(chunk).isascii()
        decoder.decode(b"", final=True)
    except (*DAMAGE, UnicodeDecodeError):
        return False
    return beyond


def _damaged(file: InputFile) -> FileError:
    return FileError(f"{file.label}: the compressed file is damaged or cut off. Write it again.")


def _refuse_nul(file: InputFile, line: int) -> None:
    msg = (
        f"{file.label}: line {line} holds a NUL byte, which no text has. The file is damaged, "
        "binary, or in an encoding such as 'utf-16' that must be given as encoding=."
    )
    raise FileError(msg)


def _not_decodable(text: TextFile, line: int) -> FileError:
    remedy = (
        'Save it as UTF-8, or give its encoding, such as encoding="latin-1" (Western European); '
        "a study file has it under [read]."
        if text.encoding == "utf-8"
        else "Pass the encoding it has as encoding=."
    )
    msg = f"{text.file.label}: line {line} holds bytes that are not {text.encoding}. {remedy}"
    return FileError(msg)


NO_RECORDS = "the file has column names but no records."


def layout_error(text: TextFile, delimiter: str, width: int) -> FileError | None:
    """Return an error that names the first line whose quotes or number of fields are wrong.

    Goes through the file line by line, so it is for files that are known or feared to be wrong.
    """
    complaint = _complaint(text, delimiter, width)
    return None if complaint is None else FileError(f"{text.file.label}: {complaint}")


def has_decimal_commas(text: TextFile, delimiter: str) -> bool:
    """Return whether a field of the file is a number with a comma that is surely a decimal one."""
    with closing(rows(text, delimiter)) as records, suppress(csv.Error):
        return any(is_decimal_comma(field, delimiter) for _, row in records for field in row)
    return False


def no_layout(text: TextFile) -> FileError:
    """Return the error for a file whose first wrong line cannot be named."""
    complaint = (
        "the lines cannot be split into the same number of fields each. Export the data again, as "
        "delimited text, or give the delimiter; a study file has it under [read]."
    )
    return FileError(f"{text.file.label}: {complaint}")


def _complaint(text: TextFile, delimiter: str, width: int) -> str | None:
    start, only_header = 1, True
    header: list[str] = []
    with closing(rows(text, delimiter)) as records:
        try:
            for next_start, row in records:
                if row and not header:
                    header = row
                elif row and len(row) != width:
                    return _ragged(header, row, start, delimiter)
                else:
                    only_header = only_header and not row
                start = next_start
        except csv.Error:
            return _open_quote(start)
    return NO_RECORDS if header and only_header else None


def rows(text: TextFile, delimiter: str) -> Generator[tuple[int, list[str]]]:
    """Give each row, and the line in which the next one starts; close it when done.

    Raises
    ------
    csv.Error
        For a quote left open, or text after a closing quote.
    """
    with long_fields(), text.lines() as stream:
        reader = csv.reader(stream, delimiter=delimiter, strict=True)
        for row in reader:
            yield reader.line_num + 1, row


@contextmanager
def long_fields() -> Generator[None]:
    """Let the csv module read fields of any length, as Arrow does."""
    usual = csv.field_size_limit(_LONGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _open_quote(line: int) -> str:
    return (
        f"the record that starts in line {line} has a quote that is not closed, or text after a "
        'closing quote. Write a quote within a value as "".'
    )


def _ragged(header: list[str], row: list[str], line: int, delimiter: str) -> str:
    complaint = f"line {line} has {_fields(len(row))} where the header has {_fields(len(header))}."
    others = [mark for mark in ";\t|," if mark != delimiter]
    rival = max(others, key=lambda mark: sum(name.count(mark) for name in header))
    if sum(name.count(rival) for name in header) >= len(header):
        return (
            f"{complaint} If the fields are separated by {rival!r}, pass delimiter={rival!r}; a "
            "study file has it under [read]."
        )
    if len(row) == len(header) + 1:
        return (
            f"{complaint} If R wrote row names without a header, write the file with "
            "row.names=FALSE; else quote values that hold the delimiter."
        )
    return f"{complaint} Quote values that hold the delimiter or a line end."


def _fields(count: int) -> str:
    return f"{count} field" if count == 1 else f"{count} fields"
