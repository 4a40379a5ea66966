"""The part of a report that a subject adds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sdcmetrics.report.safety.cells import SafeTable
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


@dataclass(frozen=True)
class Maker:
    """What makes the block of a subject.

    Attributes
    ----------
    make : function of a Source
        Returns a Block, or None where there is nothing to show.
    released : bool
        Whether a release has it too, where the source holds protected figures and no evidence.
    """

    make: Callable[[Source], Block | None]
    released: bool = False
