"""What somebody can read in a document: its texts piece by piece, escapes undone."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from html.parser import HTMLParser
from pathlib import Path, PurePath
from typing import Any, Literal
from urllib.parse import unquote

from sdcmetrics.report.folder import TEMPLATES
from sdcmetrics.report.safety.cells import Name, PlainTable, SafeCell
from sdcmetrics.report.safety.scan.pdf import texts_of
from sdcmetrics.report.safety.scan.workbook import sheets_of

__all__ = [
    "Piece",
    "Row",
    "known_attributes",
    "of_document",
    "of_report",
    "plainly",
    "rows_of",
    "tokens",
]

_JOINED = {"a", "abbr", "b", "bdi", "em", "i", "small", "span", "strong", "tspan", "wbr"}
_VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}

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
    kind: Literal["", "hidden", "percent", "figure", "attribute"] = ""


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
    seen = unicodedata.normalize("NFKC", blanks)
    return "".join(c for c in seen if unicodedata.category(c)[0] != "C" and c != "\ufffd").strip()


def tokens(text: str) -> list[str]:
    """Return the words and numbers of a text."""
    return re.findall(r"[^\W_]+", plainly(text))


def of_report(thing: Any, place: str) -> list[Piece]:
    """Return the texts of a report's structure."""
    found: list[Piece] = []
    _of_report(thing, place, found)
    return found


def _of_report(thing: Any, place: str, found: list[Piece]) -> None:
    if isinstance(thing, SafeCell):
        kind: Any = "hidden" if thing.kind == "hidden" else "percent" if "%" in thing.text else ""
        found += [Piece(text, "the report", place, kind) for text in (thing.text, thing.detail)]
        if thing.full != thing.text:
            found.append(Piece(thing.full, "the report", place))
        if thing.number is not None and "ranking" not in place:  # ranks may equal anything
            found.append(Piece(repr(thing.number), "the report", place))
    elif isinstance(thing, Name):
        found.append(Piece(thing.full, "the report", place))
    elif isinstance(thing, str) and not isinstance(thing, Enum):
        found.append(Piece(thing, "the report", place))
    elif isinstance(thing, Mapping):
        for name, value in thing.items():
            _of_report(value, f"{place}, {name}" if place == "exports" else place, found)
    elif isinstance(thing, tuple | list):
        for value in thing:
            _of_report(value, place, found)
    elif isinstance(thing, PlainTable):
        _of_report(thing.rows, place, found)
    elif is_dataclass(thing) and not isinstance(thing, type):
        for field in fields(thing):
            _of_report(getattr(thing, field.name), place or field.name, found)


def of_document(name: str, text: str | bytes) -> Iterator[Piece]:
    """Yield the texts of a finished document, its name included."""
    yield Piece(str(PurePath(name).with_suffix("")), "the name of a file")
    if isinstance(text, bytes) and _kind(name) == "xlsx":
        for sheet, cells in sheets_of(text):
            yield from of_document(f"{sheet}.csv", cells)
        return
    if isinstance(text, bytes):
        yield from (Piece(one, name, place) for place, one in texts_of(text) if one.strip())
        return
    kind = _kind(name)
    if kind in ("html", "pdf"):
        yield from _Page(name, text).pieces
    elif kind == "json":
        yield from _of_json(json.loads(text), name, "")
    else:
        reader = csv.DictReader(io.StringIO(text), restkey="")
        yield from (Piece(field, name, "the header") for field in reader.fieldnames or ())
        for number, row in enumerate(reader, 2):
            yield from _of_json(
                {str(key): value for key, value in row.items()}, name, f"row {number}"
            )


def rows_of(name: str, text: str | bytes) -> Iterator[tuple[str, Row]]:
    """Yield the rows of every table of a document for machines, with the name of the table."""
    if isinstance(text, bytes):
        for sheet, cells in sheets_of(text) if _kind(name) == "xlsx" else ():
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


def _of_json(thing: Any, name: str, place: str) -> Iterator[Piece]:
    # Places are numbers, not names: a key may be what must not be told.
    if isinstance(thing, dict):
        for number, (key, value) in enumerate(thing.items(), 1):
            at = f"{place}, entry {number}".removeprefix(", ")
            yield Piece(key, name, at)
            if isinstance(value, dict | list):
                yield from _of_json(value, name, at)
            elif value is not None:
                text = str(value).removeprefix("'")
                yield Piece(text, name, at, _kind_of(key, thing))
    elif isinstance(thing, list):
        for number, value in enumerate(thing, 1):
            yield from _of_json(value, name, f"{place}, row {number}")
    else:
        yield Piece(str(thing), name, place)


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
        self._seen: set[tuple[str, str]] = set()  # where a text stands first is enough
        self._parts: list[str] = []  # of a text that runs on through inline elements
        self._open: list[tuple[str, bool]] = []  # elements, and whether what they hold is hidden
        self.feed(text)
        self.close()
        self._flush()

    def _add(
        self, text: str, what: str = "", kind: Literal["", "hidden", "figure", "attribute"] = ""
    ) -> None:
        if (text, kind) not in self._seen and text.strip():
            self._seen.add((text, kind))
            self.pieces.append(Piece(text, self.name, f"{what}line {self.getpos()[0]}", kind))

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
    files = [*TEMPLATES.iterdir(), *(Path(__file__).parents[2] / "figures").glob("*.py")]
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return frozenset(a.lower() for text in texts for a in re.findall(r"([\w:-]+)=\"", text))
