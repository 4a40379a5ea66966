"""Texts of a report and its documents, piece by piece: what a scan for leaks reads."""

from __future__ import annotations

import io
import json
import zlib
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

import pytest
from openpyxl import Workbook

from sdcmetrics.report.safety.cells import Name, SafeCell
from sdcmetrics.report.scan.pieces import (
    Piece,
    Pieces,
    _kind,
    _kind_of,
    known_attributes,
    of_report,
    plainly,
    rows_of,
    texts_of,
    tokens,
)


def pieces_of(name: str, text: str | bytes) -> list[tuple[str, str, str]]:
    """Return text, place and kind of every piece but the name of the file."""
    pieces = Pieces()
    pieces.of_document(name, text)
    first, *rest = pieces.entries
    assert (first.text, first.document) == (name.rpartition(".")[0], "the name of a file")
    return [(piece.text, piece.place, piece.kind) for piece in rest]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a  b\n\tc ", "a b c"), ("ﬁne", "fine"), ("a\u200bb", "ab"), ("a\ufffdb", "ab"),
        ("x\u00ad", "x"), ("é", "é"), ("e\u0301", "é"), ("a\x1bb", "ab"),
    ],
)  # fmt: skip
def test_a_text_is_taken_as_it_reads(text: str, read: str) -> None:
    assert plainly(text) == read


def test_words_and_numbers_are_taken_apart() -> None:
    assert tokens("Bern-West, 12.5 a_b") == ["Bern", "West", "12", "5", "a", "b"]


class TestPages:
    def texts(self, html: str) -> list[tuple[str, str]]:
        return [(text, kind) for text, _, kind in pieces_of("page.html", html)]

    def test_text_runs_on_through_inline_elements_and_ends_at_others(self) -> None:
        html = "<p>one <b>two</b><i>three</i></p><p>four</p>five"
        assert self.texts(html) == [("one twothree", ""), ("four", ""), ("five", "")]

    def test_small_print_is_set_off_by_a_blank(self) -> None:
        assert self.texts("<p>12<small>of 20</small></p>") == [("12 of 20", "")]
        assert self.texts("<p>12<span>of 20</span></p>") == [("12of 20", "")]

    def test_words_that_are_set_apart_stand_alone_too(self) -> None:
        assert self.texts("<p>in <bdi>Bern</bdi></p>") == [("Bern", ""), ("in Bern", "")]

    def test_what_a_hidden_element_holds_is_hidden(self) -> None:
        html = '<p class="a hidden"><b>12</b><br>13</p><p>14</p>'
        result = self.texts(html)
        assert ("12", "hidden") in result
        assert ("13", "hidden") in result
        assert ("14", "") in result
        assert ("14", "hidden") not in result
        assert ("class", "attribute") in result
        assert ("a hidden", "") in result

    def test_texts_of_figures_are_marked_and_comments_and_attributes_are_read(self) -> None:
        html = "<svg><text>7</text></svg><!-- note --><a href='x%20y' title>link</a>"
        result = pieces_of("page.html", html)
        assert ("7", "line 1", "figure") in result
        assert (" note ", "a comment, line 1", "") in result
        assert ("x y", "an attribute, line 1", "") in result
        assert ("href", "an attribute, line 1", "attribute") in result
        assert ("title", "an attribute, line 1", "attribute") in result
        assert ("link", "line 1", "") in result

    def test_an_end_closes_all_that_is_open_inside(self) -> None:
        html = '<div class="hidden"><p>1</div><p>2</p></nothing>3'
        result = self.texts(html)
        assert ("1", "hidden") in result
        assert ("2", "hidden") not in result
        assert ("3", "") in result


class TestFiles:
    def test_json_is_read_entry_by_entry_without_its_keys_as_places(self) -> None:
        given = {"rows": [{"value": None, "shown": "few"}, ["x", 3]], "note": "'=1", "no": None}
        assert pieces_of("r.json", json.dumps(given)) == [
            ("rows", "entry 1", ""),
            ("value", "entry 1, row 1, entry 1", ""),
            ("shown", "entry 1, row 1, entry 2", ""),
            ("few", "entry 1, row 1, entry 2", "hidden"),
            ("x", "entry 1, row 2, row 1", ""),
            ("3", "entry 1, row 2, row 2", ""),
            ("note", "entry 2", ""),
            ("=1", "entry 2", ""),
            ("no", "entry 3", ""),
        ]

    def test_text_files_are_read_row_by_row_with_what_is_beyond_the_header(self) -> None:
        result = pieces_of("r.csv", "a,percent\n1,'5\n1,6,extra\n")
        assert result == [
            ("a", "the header", ""),
            ("percent", "the header", ""),
            ("1", "row 2, entry 1", ""),
            ("5", "row 2, entry 2", "percent"),
            ("6", "row 3, entry 2", "percent"),
            ("", "row 3, entry 3", ""),
            ("extra", "row 3, entry 3, row 1", ""),
        ]

    def test_sheets_are_read_as_text_files_and_what_the_book_says_of_itself(self) -> None:
        book = Workbook()
        book.properties.creator = "somebody"
        assert book.active is not None
        book.active.title = "one"
        book.active.append(["a", None])
        book.active.append([5, "x"])
        out = io.BytesIO()
        book.save(out)
        texts = [text for text, *_ in pieces_of("b.xlsx", out.getvalue())]
        assert {"somebody", "properties", "one", "a", "5", "x"} <= {*texts}
        rows = [(table, dict(row)) for table, row in rows_of("b.xlsx", out.getvalue())]
        assert rows[1:] == [("one", {"a": "5"})]
        assert rows[0][0] == "properties"
        assert list(rows_of("b.pdf", b"%PDF")) == []

    def test_rows_for_machines_are_those_of_tables(self) -> None:
        given = {"t": [{"a": 1}, 3], "n": {"a": 2}, "s": "x"}
        assert list(rows_of("r.json", json.dumps(given))) == [("t", {"a": 1})]
        rows = list(rows_of("dir/r.csv", "a,b\n'1,\n2,3,4\n"))
        assert rows == [("r", {"a": "1"}), ("r", {"a": "2", "b": "3"})]
        assert list(rows_of("r.html", "<p>a</p>")) == []

    @pytest.mark.parametrize(
        ("field", "row", "kind"),
        [
            ("not_shown", {}, "hidden"), ("shown", {}, "hidden"),
            ("shown", {"value": ""}, "hidden"), ("shown", {"value": None}, "hidden"),
            ("shown", {"value": 0}, ""), ("percent", {}, "percent"),
            ("value", {"unit": "percent"}, "percent"), ("value", {"unit": "count"}, ""),
            ("value", {}, ""),
            ("other", {"unit": "percent"}, ""),
        ],
    )  # fmt: skip
    def test_a_field_says_what_its_number_is(
        self, field: str, row: dict[str, Any], kind: str
    ) -> None:
        assert _kind_of(field, row) == kind

    def test_the_kind_of_a_file_is_its_ending_or_its_name(self) -> None:
        assert [_kind(name) for name in ("a.HTML", "a.b.csv", "json")] == ["html", "csv", "json"]


class Colour(Enum):
    RED = "red"


class Word(StrEnum):
    YES = "yes"


@dataclass
class Part:
    title: str
    cells: Any = ()


class TestReports:
    def entries(self, thing: Any) -> list[tuple[str, str, str]]:
        return [(piece.text, piece.place, piece.kind) for piece in of_report(thing)]

    def test_texts_are_found_by_the_field_that_holds_them(self) -> None:
        thing = Part("head", [Part("inner", {"key": "value"}), Colour.RED, None, 3, Part])
        assert self.entries(thing) == [
            ("head", "title", ""), ("inner", "cells", ""), ("value", "cells", ""),
        ]  # fmt: skip
        assert self.entries(Part("x", Word.YES)) == [("x", "title", ""), ("", "cells", "")]

    def test_exports_are_told_by_their_names(self) -> None:
        pieces = Pieces()
        pieces.of_report({"a": {"b": "x"}}, "exports")
        pieces.of_report({"a": {"b": "y"}}, "other")
        assert [(entry.text, entry.place) for entry in pieces.entries] == [
            ("x", "exports, a"), ("y", "other"),
        ]  # fmt: skip

    def test_a_text_is_kept_once_for_each_kind(self) -> None:
        pieces = Pieces()
        for kind in ("", "percent", ""):
            pieces._add("5", "d", "p", kind)  # type: ignore[arg-type]
        assert pieces.entries == [Piece("5", "d", "p"), Piece("5", "d", "p", "percent")]

    @pytest.mark.parametrize(
        ("text", "kind", "found"),
        [("5 %", "number", "percent"), ("5", "number", ""), ("5 %", "hidden", "hidden")],
    )
    def test_a_cell_has_its_text_its_detail_and_its_number(
        self, text: str, kind: Any, found: str
    ) -> None:
        cell = SafeCell(text, kind, number=5.0, detail="of 100", full="whole")
        assert self.entries(Part("t", cell))[1:] == [
            (text, "cells", found), ("of 100", "cells", found), ("whole", "cells", ""),
            ("5.0", "cells", ""),
        ]  # fmt: skip

    def test_numbers_of_a_ranking_may_equal_anything(self) -> None:
        cell = SafeCell("5", "number", number=5.5)
        pieces = Pieces()
        pieces.of_report([cell, cell], "the ranking")
        assert "5.5" not in [piece.text for piece in pieces.entries]
        pieces.of_report(cell, "elsewhere")
        assert "5.5" in [piece.text for piece in pieces.entries]

    def test_names_are_whole(self) -> None:
        assert self.entries(Name("sho…", "shown")) == [("shown", "", "")]


def written(number: int, head: bytes, stream: bytes | None = None) -> bytes:
    """Return an object of a PDF; a stream is packed where its head says so."""
    if stream is None:
        return b"%d 0 obj %b endobj\n" % (number, head)
    packed = zlib.compress(stream) if b"/FlateDecode" in head else stream
    return b"%d 0 obj %b\nstream\n%b\nendstream endobj\n" % (number, head, packed)


@pytest.mark.parametrize("how", [b"", b"/Filter /FlateDecode"])
def test_texts_of_a_pdf_are_those_of_its_objects_and_what_its_pages_draw(how: bytes) -> None:
    first, second = b"<< /Title (one\\) more) >>", b"<< /F1 7 0 R /Note <FEFF00E9> >>"
    places = b"11 0 12 %d 13 %d " % (len(first), len(first + second))
    together = places + first + second + b"(last)"
    names = b"2 beginbfchar\n<0001> <0041>\n<0002> <00420043>\nendbfchar"
    more = b"1 beginbfchar\n<0003> <0044>\nendbfchar"
    file = b"".join(
        [
            written(1, b"<< /Author (somebody) >>"),
            written(2, b"<< /Type /ObjStm /First %d %b >>" % (len(places), how), together),
            written(7, b"<< /ToUnicode 8 0 R >>"),
            written(8, b"<< %b >>" % how, names + b" " + more),
            written(9, b"<< %b >>" % how, b"/F1 9 Tf [<00010003> 5 <0002>] TJ ET <0003> Tj ET"),
            written(10, b"<< /Filter /FlateDecode >>").replace(
                b" endobj", b"\nstream\nno stream of zlib\nendstream endobj"
            ),
        ]
    )
    texts = [(place, text) for place, text in texts_of(file) if text]
    assert texts == [
        ("object 1", "somebody"), ("object 9", "ADBC"), ("object 9", "D"),
        ("object 11", "one) more"), ("object 12", "\u00e9"), ("object 13", "last"),
    ]  # fmt: skip
    assert pieces_of("r.pdf", file) == [(text, place, "") for place, text in texts]


def test_attributes_are_those_that_pages_and_figures_write() -> None:
    assert {"class", "href", "viewbox"} <= known_attributes()
    assert {"text-anchor", "font-size"} <= known_attributes()  # of figures alone
    assert "onclick" not in known_attributes()
