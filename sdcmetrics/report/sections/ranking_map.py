"""Replicas and references by utility and protection: the map, and the same in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.anchors import anchored
from sdcmetrics.ranking.references import REFERENCES
from sdcmetrics.ranking.result import Ranking, Uncertainty
from sdcmetrics.report.figures.charts import Position, RiskUtility
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Name,
    SafeCell,
    SafeTable,
    column,
    number,
    number_cell,
    table,
)
from sdcmetrics.report.source import Source

Ends = tuple[float, float]
_WHOLE = (0.0, 1.0)
_CLOSE = 0.3
"""A part of the map this narrow is drawn again, closer."""
_AIR, _LEAST_AIR = 0.15, 0.02
"""Room around the replicas of a closer map: a share of their range, for their labels."""
_REFERENCE = " (reference)"


def ranking_maps(name_of: Callable[[str], Name], ranking: Ranking) -> tuple[RiskUtility, ...]:
    """Return the map, and a closer one where the replicas fill a small part of it."""
    marks = []
    for name, utility, protection, front, reference in (
        ranking.map.dropna(subset=["utility", "protection"]).reset_index().to_numpy().tolist()
    ):
        # On a map the shape of a mark says that it is a reference.
        shown = name.removesuffix(_REFERENCE) if reference else name_of(name).text
        kind = "reference" if reference else "front" if front else "beaten"
        ends = (None, None) if reference else _ends(ranking, name)
        marks.append(Position(shown, float(utility), float(protection), kind, *ends))
    replicas = [mark for mark in marks if mark.kind != "reference"]
    if not replicas:
        return ()
    made_of = sentences.on_map(ranking)
    spread = "" if ranking.uncertainty is None else _spread(ranking.uncertainty)
    title = "Utility and protection, between references"
    whole = _map(marks, title, _WHOLE, _WHOLE, made_of, spread)
    across, up = _range([m.utility for m in replicas]), _range([m.protection for m in replicas])
    if min(across[1] - across[0], up[1] - up[0]) >= _CLOSE or len(replicas) == 1:
        return (whole,)
    inside = [
        mark
        for mark in marks
        if across[0] <= mark.utility <= across[1] and up[0] <= mark.protection <= up[1]
    ]
    return (
        replace(whole, box=(*across, *up)),
        _map(inside, "The same, closer: the dashed part of the map", across, up, made_of, spread),
    )


def _ends(ranking: Ranking, replica: str) -> tuple[Ends | None, Ends | None]:
    """Return the intervals of utility and of protection; None where nothing was drawn again."""
    found: list[float] = ranking.map_intervals.T[replica].tolist()
    pairs = ((found[0], found[1]), (found[2], found[3]))
    utility, protection = (None if math.isnan(sum(pair)) else pair for pair in pairs)
    return utility, protection


def _spread(found: Uncertainty) -> str:
    return f"{100 * found.level:.0f} % interval, of {found.source}"


def _range(values: list[float]) -> Ends:
    """Return ends that hold all values with some air, on a grid of a hundredth."""
    air = max(_AIR * (max(values) - min(values)), _LEAST_AIR)
    low = math.floor(100 * (min(values) - air)) / 100
    return max(low, -0.05), math.ceil(100 * (max(values) + air)) / 100


def _map(
    marks: list[Position], title: str, across: Ends, up: Ends, made_of: str, spread: str
) -> RiskUtility:
    words = "; ".join(
        f"{mark.name}: utility {_with_ends(mark.utility, mark.utility_interval)}, "
        f"protection {_with_ends(mark.protection, mark.protection_interval)}"
        for mark in marks
    )
    if any(mark.utility_interval or mark.protection_interval for mark in marks):
        words += f"; in brackets the {spread}"
    return RiskUtility(
        title=title,
        description=f"{words}. Up and right is better. {made_of}",
        x_title="Utility (0: nothing left, 1: a fresh sample)",
        y_title="Protection (0: the original itself, 1: no relations)",
        positions=tuple(marks),
        spread=spread,
        across=across,
        up=up,
    )


def _with_ends(value: float, ends: Ends | None) -> str:
    return two_decimals(value) + ("" if ends is None else f" ({_range_text(ends)})")


def _range_text(ends: Ends) -> str:
    return " to ".join(map(two_decimals, ends))


def positions_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the map in words."""
    rows = []
    for name, utility, protection, front, reference in (
        ranking.map.reset_index().to_numpy().tolist()
    ):
        what = "replica, unbeaten" if front else "replica"
        if reference:
            what = REFERENCES[name.removesuffix(_REFERENCE)]
        ends = (None, None) if reference else _ends(ranking, name)
        scores = (
            number_cell(x, two_decimals(x), "" if of is None else _range_text(of))
            for x, of in zip((utility, protection), ends, strict=True)
        )
        rows.append((name if reference else source.name(name), what, *scores))
    columns = (
        column("Data", "data"),
        column("What it is", "what"),
        number("Utility", "utility"),
        number("Protection", "protection"),
    )
    title = "The map in words: weighted mean scores"
    found = ranking.uncertainty
    note = "" if found is None else f" Small: the {_spread(found)}, where there are several."
    return table(title, columns, rows, sentences.on_map(ranking) + note)


def scores_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the anchored score of every measure."""
    if ranking.scale is None:
        return table((), ())
    names: list[Name | str] = [source.name(replica) for replica in ranking.replicas]
    scores = anchored(np.vstack([ranking.table.table, ranking.scale.table]), ranking.anchors)
    names += [f"{name}{_REFERENCE}" for name in ranking.scale.references]
    rows = ((name, *map(_score, of)) for name, of in zip(names, scores, strict=True))
    heads = (number(a.criterion.name, detail=a.reason) for a in ranking.anchors)
    note = (
        "A value beyond the references has a score below 0 or above 1; it is shown as it is, and "
        "counts as 0 or 1 in the means."
    )
    title = "Score of every measure between its references"
    return table(title, (column("Data", "data"), *heads), rows, note)


def _score(score: float) -> SafeCell:
    return number_cell(score, two_decimals(score), "" if 0 <= score <= 1 else "beyond")


def two_decimals(value: float) -> str:
    """Return a score as text."""
    return numbers.with_decimals(value, 2)
