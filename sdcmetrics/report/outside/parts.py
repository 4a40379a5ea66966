"""Cells, tables and sections of an edition for outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sdcmetrics.review.judge import Status


@dataclass(frozen=True)
class Cell:
    """A cell: a name, words, or a figure, which is all that noise decides.

    Attributes
    ----------
    text : what is shown
    kind : "name", "words" or "figure"
    range : the 90 % range of a figure, as shown
    status : what a limit says of it; None without a limit
    """

    text: str
    kind: Literal["name", "words", "figure"] = "words"
    range: str = ""
    status: Status | None = None


@dataclass(frozen=True)
class Table:
    """A table with a caption, and a note below."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A section: its id and heading, what it says, and its tables."""

    identity: str
    heading: str
    paragraphs: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
