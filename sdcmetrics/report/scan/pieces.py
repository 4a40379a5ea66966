"""The readable texts of a document, piece by piece, escapes undone."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import unicodedata
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from html.parser import HTMLParser
from pathlib import Path, PurePath
from typing import Any, Literal
from urllib.parse import unquote

from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.safety.cells import LongTable, Name, SafeCell

_OBJECT = re.compile(rb"(\d+) 0 obj\b(.*?)endobj", re.DOTALL)
_STREAM = re.compile(rb"stream\r?\n(.*)\r?\nendstream", re.DOTALL)
_STRING = re.compile(rb"\(((?:\\.|[^\\()])*)\)|(?<!<)<([0-9A-Fa-f\s]+)>(?!>)", re.DOTALL)
_DRAWN = re.compile(
    rb"/(\S+)\s+[\d.]+\s+Tf|(\[(?:[^\[\]\\]|\\.)*\])\s*TJ|(<[0-9A-Fa-f\s]*>)\s*Tj"
    rb"|([-\d.]+)\s+([-\d.]+)\s+Tm\b|\bET\b",
    re.DOTALL,
)
_FONT = re.compile(rb"/([^\s/<>\[\]()]+)\s+(\d+) 0 R")
_NEAR = 12.0
"""Points between two signs of one word."""
_HEX = re.compile(rb"<([0-9A-Fa-f]+)>")


def texts_of(pdf: bytes) -> Iterator[tuple[str, str]]:
    """Yield a place and a text: what is drawn, run by run, and every string beside it."""
    objects = {int(number): body for number, body in _OBJECT.findall(pdf)}
    streams = {number: _unpacked(body) for number, body in objects.items()}
    heads = {number: body.partition(b"stream")[0] for number, body in objects.items()}
    for number in [n for n, head in heads.items() if b"/ObjStm" in head]:
        heads |= _packed(heads[number], streams[number])
    fonts: dict[bytes, dict[int, str]] = {}
    for head in heads.values():
        for name, number in _FONT.findall(head):
            unicode = re.search(rb"/ToUnicode (\d+) 0 R", heads.get(int(number), b""))
            if unicode:
                fonts[name] = _map(streams[int(unicode[1])])
    for number, head in heads.items():
        for plain, hexed in _STRING.findall(head):
            yield f"object {number}", _string(plain, hexed)
        drawn = _lines(streams.get(number, b""), fonts)
        yield from ((f"object {number}", line) for line in drawn)


def _unpacked(body: bytes) -> bytes:
    stream = _STREAM.search(body)
    if stream is None:
        return b""
    try:
        return (
            zlib.decompress(stream[1]) if b"/FlateDecode" in body[: stream.start()] else stream[1]
        )
    except zlib.error:
        return b""


def _packed(head: bytes, stream: bytes) -> dict[int, bytes]:
    """Return the objects that are written together in a stream."""
    first = int(re.search(rb"/First (\d+)", head)[1])  # type: ignore[index]
    places = [int(word) for word in stream[:first].split()]
    ends = [*places[3::2], len(stream)]
    return {
        number: stream[first + start : first + end]
        for number, start, end in zip(places[::2], places[1::2], ends, strict=True)
    }


def _map(stream: bytes) -> dict[int, str]:
    """Return the text of every glyph."""
    glyphs: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", stream, re.DOTALL):
        codes = [bytes.fromhex(code.decode()) for code in _HEX.findall(block)]
        for glyph, text in zip(codes[::2], codes[1::2], strict=False):
            glyphs[int.from_bytes(glyph)] = text.decode("utf-16-be", "replace")
    return glyphs


def _lines(stream: bytes, fonts: dict[bytes, dict[int, str]]) -> Iterator[str]:
    text, sign, font, place = "", "", dict[int, str](), (0.0, 0.0)
    for name, several, single, x, y in _DRAWN.findall(stream):
        if name:
            font = fonts.get(name, {})
        elif several or single:
            sign = ""
            for code in _HEX.findall(several or single):
                glyphs = bytes.fromhex(code.decode())
                pairs = (glyphs[i : i + 2] for i in range(0, len(glyphs), 2))
                sign += "".join(font.get(int.from_bytes(pair), "") for pair in pairs)
            text += sign
        else:
            at = (float(x), float(y)) if x else (math.inf, math.inf)
            # Figures are drawn sign by sign.
            near = at[1] == place[1] and 0 < at[0] - place[0] < _NEAR
            if not (near and len(sign) == 1):
                yield text
                text = ""
            place = at


def _string(plain: bytes, hexed: bytes) -> str:
    raw = bytes.fromhex(hexed.decode()) if hexed else re.sub(rb"\\([\\()])", rb"\1", plain)
    return raw.decode("utf-16" if raw[:2] in (b"\xfe\xff", b"\xff\xfe") else "latin-1", "replace")


_JOINED = {"a", "abbr", "b", "bdi", "em", "i", "small", "span", "strong", "tspan", "wbr"}
_VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}

PieceKind = Literal["", "hidden", "percent", "figure", "attribute"]

Row = Mapping[str, Any]
"""One row of a table that goes to a file, by the names of its columns."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that belongs together, and where it is.

    `kind` says whether it stands for a hidden value, is a share in percent, is written in a figure
    (where it may be a mark of the scale), or is the name of an attribute.
    """

    text: str
    document: str
    place: str = ""
    kind: PieceKind = ""


@cache
def plainly(text: str) -> str:
    r"""Return a text as it reads: one form of every letter, nothing unseen, single blanks.

    Examples
    --------
    >>> plainly("Ka\u00adzakh\n \uff53tan")
    'Kazakh stan'
    """
    blanks = re.sub(r"\s+", " ", text)
    if blanks.isascii() and blanks.isprintable():  # nearly all are
        return blanks.strip()
    composed = unicodedata.normalize("NFKC", blanks)
    return "".join(
        c for c in composed if unicodedata.category(c)[0] != "C" and c != "\ufffd"
    ).strip()


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text."""
    return re.findall(r"[^\W_]+", plainly(text))


class Pieces:
    """The texts of a report and of its documents, each once: wide data repeat them by the million.

    Attributes
    ----------
    entries : list of Piece
        Where a text stands first.
    """

    def __init__(self) -> None:
        self.entries: list[Piece] = []
        self._seen: set[tuple[str, str]] = set()
        self._cells: dict[tuple[int, bool], SafeCell] = {}

    def _add(self, text: str, document: str, place: str, kind: PieceKind = "") -> None:
        if (text, kind) not in self._seen:
            self._seen.add((text, kind))
            self.entries.append(Piece(text, document, place, kind))

    def of_report(self, thing: Any, place: str) -> None:
        """Add the texts of a report's structure."""
        if isinstance(thing, LongTable):
            thing = thing.rows
        if isinstance(thing, SafeCell):
            self._of_cell(thing, place)
        elif isinstance(thing, Name | str):
            text = (
                thing.full if isinstance(thing, Name) else "" if isinstance(thing, Enum) else thing
            )
            self._add(text, "the report", place)
        elif isinstance(thing, tuple | list):
            for value in thing:
                self.of_report(value, place)
        elif isinstance(thing, Mapping):
            for name, value in thing.items():
                self.of_report(value, f"{place}, {name}" if place == "exports" else place)
        elif is_dataclass(thing) and not isinstance(thing, type):
            for name in _fields(type(thing)):
                self.of_report(getattr(thing, name), place or name)

    def _of_cell(self, cell: SafeCell, place: str) -> None:
        ranked = "ranking" in place  # ranks may equal anything
        if (id(cell), ranked) in self._cells:  # that of a measurement stands in several tables
            return
        self._cells[id(cell), ranked] = cell  # which lives on, so that no other has its id
        percent: PieceKind = "percent" if "%" in cell.text else ""
        kind: PieceKind = "hidden" if cell.kind == "hidden" else percent
        self._add(cell.text, "the report", place, kind)
        self._add(cell.detail, "the report", place, kind)
        if cell.full != cell.text:
            self._add(cell.full, "the report", place)
        if cell.number is not None and not ranked:
            self._add(repr(cell.number), "the report", place)

    def of_document(self, name: str, text: str | bytes) -> None:
        """Add the texts of a finished document, its name included."""
        self._add(str(PurePath(name).with_suffix("")), "the name of a file", "")
        kind = _kind(name)
        if isinstance(text, bytes) and kind == "xlsx":
            for sheet, cells in _sheets_of(text):
                self.of_document(f"{sheet}.csv", cells)
        elif isinstance(text, bytes):
            for place, fragment in texts_of(text):
                if fragment.strip():
                    self._add(fragment, name, place)
        elif kind in ("html", "pdf"):
            for piece in _Page(name, text).pieces:
                self._add(piece.text, name, piece.place, piece.kind)
        elif kind == "json":
            self._of_json(json.loads(text), name, "")
        else:
            self._of_csv(text, name)

    def _of_csv(self, text: str, name: str) -> None:
        reader = csv.DictReader(io.StringIO(text), restkey="")
        for field in reader.fieldnames or ():
            self._add(field, name, "the header")
        for number, row in enumerate(reader, 2):
            self._of_json({str(key): value for key, value in row.items()}, name, f"row {number}")

    def _of_json(self, thing: Any, name: str, place: str) -> None:
        # Places are numbers, not names: a key may be what must not be told.
        if isinstance(thing, dict):
            for number, (key, value) in enumerate(thing.items(), 1):
                if isinstance(value, dict | list):
                    at = f"{place}, entry {number}".removeprefix(", ")
                    self._add(key, name, at)
                    self._of_json(value, name, at)
                    continue
                texts: list[tuple[str, PieceKind]] = [(key, "")]
                if value is not None:
                    texts.append((str(value).removeprefix("'"), _kind_of(key, thing)))
                for text, kind in texts:
                    if (text, kind) not in self._seen:
                        self._add(text, name, f"{place}, entry {number}".removeprefix(", "), kind)
        elif isinstance(thing, list):
            for number, value in enumerate(thing, 1):
                self._of_json(value, name, f"{place}, row {number}")
        else:
            self._add(str(thing), name, place)


@cache
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def of_report(thing: Any) -> list[Piece]:
    """Return the texts of a part of a report's structure."""
    pieces = Pieces()
    pieces.of_report(thing, "")
    return pieces.entries


def rows_of(name: str, text: str | bytes) -> Iterator[tuple[str, Row]]:
    """Yield the rows of every table of a document for machines, with the name of the table."""
    if isinstance(text, bytes):
        for sheet, cells in _sheets_of(text) if _kind(name) == "xlsx" else ():
            yield from rows_of(f"{sheet}.csv", cells)
        return
    if _kind(name) == "json":
        for table, rows in json.loads(text).items():
            if isinstance(rows, list):
                yield from ((table, row) for row in rows if isinstance(row, dict))
    elif _kind(name) == "csv":
        table = PurePath(name).stem
        for row in csv.DictReader(io.StringIO(text)):
            yield table, {k: v.removeprefix("'") for k, v in row.items() if k and v}


def _kind(name: str) -> str:
    return (PurePath(name).suffix or name).removeprefix(".").lower()


def _kind_of(field: str, row: Row) -> Literal["", "hidden", "percent"]:
    if field == "not_shown" or (field == "shown" and row.get("value") in (None, "")):
        return "hidden"
    percent = field == "percent" or (field == "value" and row.get("unit") == "percent")
    return "percent" if percent else ""


class _Page(HTMLParser):
    """The texts, attributes and comments of an HTML document, figures included."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.name, self.pieces = name, list[Piece]()
        self._parts: list[str] = []  # of a text that runs on through inline elements
        self._open: list[tuple[str, bool]] = []  # elements, and whether what they hold is hidden
        self.feed(text)
        self.close()
        self._flush()

    def _add(
        self, text: str, element: str = "", kind: Literal["", "hidden", "figure", "attribute"] = ""
    ) -> None:
        if text.strip():
            self.pieces.append(Piece(text, self.name, f"{element}line {self.getpos()[0]}", kind))

    def _flush(self, kind: Literal["", "figure"] = "") -> None:
        self._add("".join(self._parts), kind=kind)
        self._parts = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _JOINED:
            self._flush()
        elif tag == "small":
            self._parts.append(" ")
        for attribute, value in attrs:
            self._add(attribute, "an attribute, ", "attribute")
            self._add(unquote(value or ""), "an attribute, ")
        if tag not in _VOID:
            hidden = "hidden" in (dict(attrs).get("class") or "").split()
            self._open.append((tag, hidden or bool(self._open and self._open[-1][1])))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _JOINED:
            self._flush("figure" if tag == "text" else "")
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        tag, hidden = self._open[-1] if self._open else ("", False)
        self._parts.append(data)
        if hidden or tag == "bdi":
            self._add(data, kind="hidden" if hidden else "")

    def handle_comment(self, data: str) -> None:
        self._add(data, "a comment, ")


@cache
def known_attributes() -> frozenset[str]:
    """Return the attributes that templates and figures write."""
    files = [*TEMPLATES.iterdir(), *(Path(__file__).parents[1] / "figures").glob("*.py")]
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return frozenset(a.lower() for text in texts for a in re.findall(r"([\w:-]+)=\"", text))


def _sheets_of(book: bytes) -> Iterator[tuple[str, str]]:
    """Yield the name of every sheet with its cells as CSV, and what the file says of itself."""
    from openpyxl import load_workbook

    read = load_workbook(io.BytesIO(book), read_only=True)
    properties = read.properties
    yield "properties", f"creator,title\n{properties.creator},{properties.title}\n"
    for sheet in read.worksheets:
        out = io.StringIO()
        rows = sheet.iter_rows(values_only=True)
        csv.writer(out).writerows(["" if value is None else value for value in row] for row in rows)
        yield sheet.title, out.getvalue()
