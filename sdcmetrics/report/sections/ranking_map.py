"""Replicas and references by utility and protection: the map, and the same in words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sdcmetrics.ranking.references import REFERENCES
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report.figures.charts import Position, RiskUtility
from sdcmetrics.report.safety.cells import SafeCell, SafeColumn, SafeTable, blank, text_cell
from sdcmetrics.report.source import Source

__all__ = ["number_cell", "positions_table", "ranking_maps", "scores_table", "two_decimals"]

Ends = tuple[float, float]
_WHOLE = (0.0, 1.0)
_CLOSE = 0.3
"""A part of the map this narrow is drawn again, closer."""


def ranking_maps(source: Source, ranking: Ranking) -> tuple[RiskUtility, ...]:
    """Return the map, and a closer one where the replicas fill a small part of it."""
    points = ranking.map.dropna(subset=["utility", "protection"])
    marks = []
    for name, utility, protection, front, reference in points.reset_index().to_numpy().tolist():
        shown = _base(name) if reference else source.name(name).text
        kind = "reference" if reference else "front" if front else "beaten"
        marks.append(Position(shown, float(utility), float(protection), kind))
    replicas = [mark for mark in marks if mark.kind != "reference"]
    if not replicas:
        return ()
    across, up = _range([m.utility for m in replicas]), _range([m.protection for m in replicas])
    small = min(across[1] - across[0], up[1] - up[0]) < _CLOSE
    whole = _map(marks, "Utility and protection, between references", _WHOLE, _WHOLE)
    if not small or len(replicas) == 1:
        return (whole,)
    inside = [
        mark
        for mark in marks
        if across[0] <= mark.utility <= across[1] and up[0] <= mark.protection <= up[1]
    ]
    return (
        replace(whole, box=(*across, *up)),
        _map(inside, "The same, closer: the dashed part of the map", across, up),
    )


def _base(name: str) -> str:
    """Return the name of a reference as its label on a map, where its shape says what it is."""
    return name.removesuffix(" (reference)")


def _range(values: list[float]) -> Ends:
    """Return ends that hold all values with some air, on a grid of a hundredth."""
    air = max(0.15 * (max(values) - min(values)), 0.02)
    low = math.floor(100 * (min(values) - air)) / 100
    return max(low, -0.05), math.ceil(100 * (max(values) + air)) / 100


def _map(marks: list[Position], title: str, across: Ends, up: Ends) -> RiskUtility:
    two = two_decimals
    words = "; ".join(
        f"{mark.name}: utility {two(mark.utility)}, protection {two(mark.protection)}"
        for mark in marks
    )
    return RiskUtility(
        title=title,
        description=f"{words}. Up and right is better.",
        x_title="Utility (0: nothing left, 1: a fresh sample)",
        y_title="Protection (0: the original itself, 1: no relations)",
        positions=tuple(marks),
        across=across,
        up=up,
    )


def positions_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the map in words."""
    rows = []
    for name, utility, protection, front, reference in (
        ranking.map.reset_index().to_numpy().tolist()
    ):
        what = "replica, unbeaten" if front else "replica"
        if reference:
            what = REFERENCES[_base(name)]
        rows.append(
            (
                text_cell(name if reference else source.name(name)),
                text_cell(what),
                number_cell(utility, two_decimals(utility)),
                number_cell(protection, two_decimals(protection)),
            )
        )
    columns = (
        SafeColumn("Data", "data"),
        SafeColumn("What it is", "what"),
        SafeColumn("Utility", "utility", numeric=True),
        SafeColumn("Protection", "protection", numeric=True),
    )
    return SafeTable(("The map in words: weighted mean scores",), columns, tuple(rows))


def scores_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the anchored score of every metric."""
    if not ranking.anchors:
        return SafeTable((), (), ())
    names = [*ranking.replicas, *ranking.references]
    values = np.vstack([ranking.table.table, ranking.reference_table])
    columns = np.stack([a.score(values[:, j]) for j, a in enumerate(ranking.anchors)], axis=1)
    rows = []
    for i, name in enumerate(names):
        shown = source.name(name) if i < len(ranking.replicas) else f"{name} (reference)"
        rows.append((text_cell(shown), *(_score(score) for score in columns[i])))
    heads = [
        SafeColumn(a.criterion.name, a.criterion.name, numeric=True, detail=a.reason)
        for a in ranking.anchors
    ]
    note = (
        "Beyond 0 or 1 a value lies outside the references; it is shown as it is, and counts as "
        "0 or 1 in the means."
    )
    table = (SafeColumn("Data", "data"), *heads)
    return SafeTable(("Score of every metric between its references",), table, tuple(rows), note)


def _score(score: float) -> SafeCell:
    beyond = "" if 0 <= score <= 1 else "beyond"
    return number_cell(score, two_decimals(score), detail=beyond)


def number_cell(value: float, text: str | None = None, detail: str = "") -> SafeCell:
    """Return the cell of a number; blank where there is none."""
    if math.isnan(value):
        return blank()
    return SafeCell(text or f"{value:g}", "number", float(value), detail=detail)


def two_decimals(value: float) -> str:
    """Return a score as text."""
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "\N{MINUS SIGN}")
