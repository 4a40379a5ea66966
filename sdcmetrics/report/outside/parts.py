"""Cells, tables and sections of an edition for outside, and estimates as cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sdcmetrics.release.estimates import Estimate, People
from sdcmetrics.report.safety.names import clean
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


EMPTY = "\N{EN DASH}"


def name_cell(name: str) -> Cell:
    """Return the cell of a name out of a file or the study."""
    return Cell(clean(name), "name")


def listed(
    caption: str,
    columns: Mapping[str, Callable[[Any], Cell | str]],
    entries: Iterable[Any],
    note: str = "",
) -> Table:
    """Return a table with a row per entry; of each heading, what makes its cell, or words."""
    rows = tuple(
        tuple(Cell(cell) if isinstance(cell, str) else cell for cell in cells)
        for cells in ([make(entry) for make in columns.values()] for entry in entries)
    )
    return Table(caption, tuple(columns), rows, note)


class Figures:
    """Looks estimates up by what they are of, and shows them."""

    def __init__(self, estimates: Iterable[Estimate]) -> None:
        self._by_place = {
            (e.measure, e.replica, e.scenario, e.target, e.variable, e.cell, e.people): e
            for e in estimates
        }

    def get(
        self,
        measure: str,
        replica: str = "",
        scenario: str = "",
        target: str = "",
        variable: str = "",
        cell: int = 0,
        people: People = "original",
    ) -> Estimate | None:
        """Return the estimate of a place; None where it was not asked."""
        return self._by_place.get((measure, replica, scenario, target, variable, cell, people))

    def cell(self, measure: str, replica: str = "", **place: Any) -> Cell:
        """Return the cell of a figure; a dash where it was not asked."""
        estimate = self.get(measure, replica, **place)
        return Cell(EMPTY) if estimate is None else estimate_cell(estimate)


def estimate_cell(estimate: Estimate) -> Cell:
    """Return the cell of an estimate: the value, its range, and what a limit says."""
    status = estimate.status if estimate.limited else None
    if math.isnan(estimate.value):
        return Cell("lost in noise", "figure", "", status)
    ends = f"{_number(estimate.low, estimate)} to {_number(estimate.high, estimate)}"
    unit = " %" if estimate.unit == "percent" else ""
    value = _number(estimate.value, estimate) + unit
    return Cell(value.replace(" ", "\N{NO-BREAK SPACE}"), "figure", ends, status)


def _number(value: float, estimate: Estimate) -> str:
    text = f"{abs(value):,.{max(estimate.decimals, 0)}f}"
    return f"\N{MINUS SIGN}{text}" if value < 0 and float(text.replace(",", "")) else text
