"""The part of a report that a subject adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sdcmetrics.report.figures.charts import Chart
from sdcmetrics.report.safety.cells import SafeTable, Words
from sdcmetrics.report.source import Source


@dataclass(frozen=True)
class Block:
    """The part of a report on one subject.

    Attributes
    ----------
    title : str
    tables : dict of file name to SafeTable
        What is shown, in this order; each is a file as well.
    """

    title: str
    tables: dict[str, SafeTable]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Figures of one replica.

    Attributes
    ----------
    caption : Words
    section : the part of the report where they stand, "utility" or "specific"
    figures : tuple of charts
    table : SafeTable, with the values
    note : how to read it
    """

    caption: Words
    section: str
    figures: tuple[Chart, ...]
    table: SafeTable
    note: str


@dataclass(frozen=True)
class Maker:
    """The maker of the part of a subject.

    Attributes
    ----------
    make : function of a Source, optional
        Returns a Block, or None where there is nothing to show.
    drawn : function of a Source, optional
        Returns figures that stand among those of the report's own sections; internal ones only.
    released : bool
        Whether a release has it too, where the source holds protected figures and no evidence.
    """

    make: Callable[[Source], Block | None] | None = None
    drawn: Callable[[Source], tuple[Drawn, ...]] | None = None
    released: bool = False
