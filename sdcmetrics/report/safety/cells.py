"""The plain, frozen pieces a safe report is made of. Everything shown anywhere is one of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from sdcmetrics.report.safety import numbers

if TYPE_CHECKING:  # a command that only prints names must not load the review
    import numpy.typing as npt

    from sdcmetrics.review.judge import Status

Mode = Literal["internal", "checker"]
"""Who may see the report: everybody inside, or anybody."""

Kind = Literal["text", "name", "number", "hidden", "status"]


@dataclass(frozen=True, slots=True)
class Name:
    """A name out of the data (column, level, replica), fit to be shown.

    Attributes
    ----------
    text : what is shown: control characters replaced, shortened where it is long
    full : the whole name, control characters replaced
    """

    text: str
    full: str


Words = tuple[str | Name, ...]
"""A sentence in parts, so that names are set apart from the words around them."""


class Mark(StrEnum):
    """A call for attention that is no status, as no profile judges it."""

    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, the status or the mark it speaks of, if any, and the part of the report on it."""

    words: Words
    status: Status | Mark | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class SafeCell:
    """One cell that is safe to show in the report's mode.

    Attributes
    ----------
    text : what a reader sees
    kind : "hidden" marks a value that the mode does not show
    number : the value that goes to files and figures, as exact as the mode allows, or None
    detail : the evidence behind it, shown smaller (so many records)
    bound : where the value is hidden, what it is known to lie beyond
    full : the whole name, where `text` is shortened
    status : what the profile says of the value, or None
    shade : 1 (pale) to 4, how near the value is to the worst one; 0 for none
    sentences : what `text` is made of where it is sentences, which a page sets line by line
    """

    text: str
    kind: Kind = "text"
    number: float | None = None
    detail: str = ""
    bound: float | None = None
    full: str = ""
    status: Status | None = None
    shade: int = 0
    sentences: tuple[Words, ...] = ()


@dataclass(frozen=True, slots=True)
class SafeColumn:
    """A column: its heading, its name in files, and whether it holds numbers.

    `detail` is a second, smaller line of the heading; `full` a replica's or variable's whole name.
    """

    title: str
    field: str
    numeric: bool = False
    full: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class SafeTable:
    """A captioned table of safe cells.

    Attributes
    ----------
    caption : what the rows are
    columns : tuple of SafeColumn
    rows : tuple of tuples of SafeCell
        The first cell of a row names it.
    note : a remark on how to read it, or an empty text
    anchors : ids of the rows, to be linked to; empty for none
    """

    caption: Words
    columns: tuple[SafeColumn, ...]
    rows: tuple[tuple[SafeCell, ...], ...]
    note: str = ""
    anchors: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def __bool__(self) -> bool:
        """Return True: a table without rows is a table."""
        return True


Block = TypeVar("Block")


@dataclass(frozen=True, slots=True)
class Section(Generic[Block]):
    """All of a kind in one table, then one block each; `none` says why there is nothing."""

    summary: SafeTable
    blocks: tuple[Block, ...]
    none: str


Content = SafeCell | Name | str | int | None
"""A cell as a row of a table may be given."""


@dataclass(frozen=True, slots=True)
class LongTable:
    """A table of plain values, in internal mode, of too many rows for cells.

    They are made as they are read, some thousand rows at a time.

    Attributes
    ----------
    columns : tuple of SafeColumn
    length : number of rows
    part : function of a slice of the rows, without step
        The values in it, a list or an array per column: numbers, and None or NaN for none, in
        numeric columns, texts in others.
    """

    columns: tuple[SafeColumn, ...]
    length: int
    part: Callable[[slice], tuple[Sequence[Any] | npt.NDArray[Any], ...]]

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.length

    @property
    def rows(self) -> tuple[tuple[SafeCell, ...], ...]:
        """The same as cells, made anew."""
        values = self.part(slice(0, self.length))
        return tuple(tuple(map(_plain_cell, row)) for row in zip(*values, strict=True))


AnyTable = SafeTable | LongTable
"""A table as files take it."""


def _plain_cell(value: str | float | None) -> SafeCell:
    if value is None or isinstance(value, str) or math.isnan(value):
        return SafeCell(value if isinstance(value, str) else "")
    return SafeCell(f"{value:g}", "number", float(value))


def text_cell(content: str | Name) -> SafeCell:
    """Return a cell of words, or of a name.

    Examples
    --------
    >>> text_cell("cart").text
    'cart'
    """
    if isinstance(content, Name):
        return SafeCell(content.text, "name", full=content.full)
    return SafeCell(content)


_BLANK = SafeCell("\N{EN DASH}")
_WITHHELD = SafeCell("not shown", "hidden")


def blank() -> SafeCell:
    """Return the cell of something that does not exist: no value, and none withheld."""
    return _BLANK


def withheld() -> SafeCell:
    """Return the cell of a value that exists and is not for these readers."""
    return _WITHHELD


def column(title: str, field: str = "", detail: str = "") -> SafeColumn:
    """Return a column of texts; its field is its title where it has no other."""
    return SafeColumn(title, field or title, detail=detail)


def number(title: str, field: str = "", detail: str = "") -> SafeColumn:
    """Return a column of numbers."""
    return SafeColumn(title, field or title, numeric=True, detail=detail)


def count_cell(count: float) -> SafeCell:
    """Return the cell of a count that needs no protection."""
    return SafeCell(f"{count:,.0f}", "number", float(count))


def number_cell(value: float, text: str | None = None, detail: str = "") -> SafeCell:
    """Return the cell of a number, as it is or as the text says; blank where there is none."""
    if math.isnan(value):
        return _BLANK
    return SafeCell(f"{value + 0:g}" if text is None else text, "number", float(value), detail)


def figure_cell(value: float) -> SafeCell:
    """Return the cell of a number to three significant digits."""
    return number_cell(value, numbers.with_commas(value))


def three_decimals(value: float) -> SafeCell:
    """Return the cell of a number with three decimals."""
    return number_cell(value, numbers.with_decimals(value, 3))


def percent_of(value: float) -> SafeCell:
    """Return the cell of a percentage."""
    return number_cell(value, numbers.percent_text(value))


def p_cell(value: float, reached: int = 1) -> SafeCell:
    """Return a p value; where no draw has `reached` what was observed, it is at most so large."""
    if math.isnan(value):
        return _BLANK
    if not reached:
        return SafeCell(f"\N{LESS-THAN OR EQUAL TO}\N{NO-BREAK SPACE}{value:.2g}", "number", value)
    if value < 0.001:  # noqa: PLR2004  (shown with three decimals)
        return SafeCell("<\N{NO-BREAK SPACE}0.001", "number", value)
    return SafeCell(f"{value:.3f}", "number", value)


def table(
    caption: Words | str,
    columns: Iterable[SafeColumn],
    rows: Iterable[Iterable[Content]] = (),
    note: str = "",
) -> SafeTable:
    """Return a table; texts, names and counts become cells, and None one that is blank.

    Examples
    --------
    >>> sizes = table("Sizes", [column("Data set"), number("Records")], [("cart", 944)])
    >>> [cell.text for cell in sizes.rows[0]]
    ['cart', '944']
    """
    cells = tuple(tuple(map(_cell, row)) for row in rows)
    return SafeTable(
        (caption,) if isinstance(caption, str) else caption, tuple(columns), cells, note
    )


def _cell(content: Content) -> SafeCell:
    if isinstance(content, SafeCell):
        return content
    if content is None:
        return _BLANK
    return count_cell(content) if isinstance(content, int) else text_cell(content)


def without_detail(cell: SafeCell) -> SafeCell:
    """Return a cell without the evidence behind it."""
    return replace(cell, detail="")


def sentence(*parts: str | Name, status: Status | Mark | None = None, link: str = "") -> Sentence:
    """Return a sentence from its parts; `link` is the id of the part of the report on it."""
    return Sentence(tuple(part for part in parts if part), status, link)


def in_sentence(cell: SafeCell) -> str:
    """Return a cell's text as it reads within a sentence.

    Examples
    --------
    >>> in_sentence(SafeCell("< 1.1 %", "hidden")), in_sentence(withheld())
    ('less than 1.1 %', 'an undisclosed share')
    """
    if cell.text == _WITHHELD.text:
        return "an undisclosed share"
    for sign, words in (("<", "less than"), (">", "more than")):
        if cell.text.startswith(sign):
            return f"{words} {cell.text[1:].strip()}"
    return cell.text


def joined(names: Iterable[Name | Words], between: str = ", ", last: str | None = None) -> Words:
    """Return names, or words, as words with something between them.

    Examples
    --------
    >>> a, b, c = Name("a", "a"), Name("b", "b"), Name("c", "c")
    >>> plain(joined([a, b, c], last=" and "))
    'a, b and c'
    """
    listed = list(names)
    words: list[str | Name] = []
    for i, name in enumerate(listed):
        if i:
            words.append(last if last is not None and i == len(listed) - 1 else between)
        words += [name] if isinstance(name, Name) else name
    return tuple(words)


def as_name(words: Words) -> Name:
    """Return the words as one name, as shown and in full."""
    full = "".join(part.full if isinstance(part, Name) else part for part in words)
    return Name(plain(words), full)


def plain(words: Words) -> str:
    """Return the words as one text, names as shown."""
    return "".join(part.text if isinstance(part, Name) else part for part in words)
