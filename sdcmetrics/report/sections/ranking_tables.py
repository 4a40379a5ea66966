"""A ranking: its map, ranks, weights, how sure they are, and the files."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.anchors import Anchor, anchored
from sdcmetrics.ranking.references import REFERENCES
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.standing import Uncertainty
from sdcmetrics.report.figures.charts import Position, RiskUtility
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    blank,
    column,
    number,
    number_cell,
    table,
)
from sdcmetrics.report.source import Source
from sdcmetrics.study.criteria import FAMILIES

Ends = tuple[float, float]
_WHOLE = (0.0, 1.0)
_CLOSE = 0.3
"""A part of the map this narrow is drawn again, closer."""
_AIR, _LEAST_AIR = 0.15, 0.02
"""Room around the replicas of a closer map: a share of their range, for their labels."""
_REFERENCE = " (reference)"
_SHOWN_RANKS = 5
"""Further ranks are in the file; a page has no room for more columns."""


def ranks_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the rank of every replica on every measure, best replica first."""
    ranks, weights = ranking.ranks.to_numpy(), ranking.weights.flat()
    totals = "mean rank" if ranking.strategy == "rank" else "points"
    heads = (number(m, m, f"weight {sentences.percent(w)}") for m, w in weights.items())
    rows: list[tuple[Content, ...]] = []
    for replica in ranking.by_place:
        i = ranking.replicas.index(replica)
        place = number_cell(ranking.places[i], detail=two_decimals(ranking.totals[i]))
        values = zip(ranks[i], ranking.table.table[i], strict=True)
        cells = (number_cell(rank, detail=_value(value)) for rank, value in values)
        rows.append((source.name(replica), place, *cells))
    note = (
        "Large: the rank among the replicas, 1 is best, ties share their mean. Small: the value "
        f"that is ranked, and for the place {sentences.STRATEGY_WORDS[ranking.strategy]}. "
        "Everything is in ranking.csv, and can be recomputed from there."
    )
    columns = (column("Replica", "replica"), number("Place", "place", totals), *heads)
    return table("Rank of every replica on every measure", columns, rows, note)


def weights_table(ranking: Ranking) -> SafeTable:
    """Return what is ranked, what it counts for, and its scale."""
    flat = ranking.weights.flat()
    anchors = {anchor.criterion.name: anchor for anchor in ranking.anchors}
    rows = [
        (
            criterion.name,
            FAMILIES[criterion.family],
            _share(flat[criterion.name]),
            criterion.direction,
            criterion.reduction,
            number_cell(float(len(places))),
            *_score_ends(anchors.get(criterion.name)),
        )
        for criterion, places in zip(ranking.table.criteria, ranking.table.places, strict=True)
    ]
    columns = (
        column("Measure", "metric"),
        column("Family", "family"),
        number("Weight", "weight"),
        column("Direction", "direction"),
        column("One value is the", "value_is"),
        number("of", "places", "tables, targets, ..."),
        number("Score 0", "at_0", "value of the reference"),
        number("Score 1", "at_1", "value of the reference"),
    )
    return table("What is ranked, and what it counts for", columns, rows)


def _score_ends(anchor: Anchor | None) -> tuple[SafeCell, SafeCell]:
    if anchor is None:
        return blank(), blank()
    low, high = anchor.at_floor, anchor.at_ceiling
    return (
        number_cell(low, numbers.with_commas(low), anchor.floor),
        number_cell(high, numbers.with_commas(high), anchor.ceiling),
    )


def acceptability_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return how often each replica has each rank, and where it is first."""
    n = len(ranking.replicas)
    if n == 1:
        return table((), ())
    shown = min(n, _SHOWN_RANKS)
    shares = ranking.acceptability.to_numpy()
    columns = [
        column("Replica", "replica"),
        column("First", "risk_weight", "by the weight of disclosure risk"),
        *(number(f"Rank {r}", f"rank_{r}", "of all weights") for r in range(1, shown + 1)),
    ]
    again = ranking.uncertainty if not source.release else None
    if again is not None:
        how = "tenths of the records left out" if again.source == "records" else "syntheses drawn"
        columns.append(number("First", "drawn_again", how))
    rows = []
    for replica in ranking.by_place:
        i = ranking.replicas.index(replica)
        where = " and ".join(
            f"{sentences.percent(s.low)} to {sentences.percent(s.high)}"
            for s in ranking.stretches
            if replica in s.first
        )
        cells: list[Content] = [
            source.name(replica),
            (where or "nowhere") if ranking.stretches else None,
            *(_share(shares[i, r]) for r in range(shown)),
        ]
        if again is not None:
            share = float(again.rank_shares[i, 0])
            cells.append(number_cell(share, sentences.how_often(share, again.times)))
        rows.append(cells)
    note = (
        f"Of all weights: {ranking.options.draws:,} sets of weights, spread evenly over all that "
        "are possible, first of the families, then of the measures in each (quasi-Monte Carlo, "
        "correct to about one point)."
    )
    return table("Under which weights", columns, rows, note)


def changes_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the smallest change of weights that makes each replica first."""
    if len(ranking.replicas) == 1:
        return table((), ())
    rows = []
    for change in ranking.changes:
        cells: list[Content] = [_share(change.moved)]
        if not change.possible:
            cells = ["under no weights", None, None]
        elif not change.taken:
            cells += ["is first, or level with it", None]
        else:
            cells += [_moves(moved) for moved in (change.taken, change.given)]
        rows.append((source.name(change.replica), *cells))
    columns = (
        column("Replica", "replica"),
        number("Weight to move", "moved", "of the whole"),
        column("From", "taken"),
        column("To", "given"),
    )
    return table("The smallest change of weights that makes a replica first", columns, rows)


def _moves(moved: dict[str, float]) -> str:
    return ", ".join(f"{name} {sentences.percent(weight)}" for name, weight in moved.items())


def ranking_files(source: Source, ranking: Ranking) -> dict[str, SafeTable]:
    """Return the tables that go to files: everything that recomputes the ranking by hand."""
    totals = pd.DataFrame(
        {"replica": ranking.replicas, "total": ranking.totals, "place": ranking.places}
    )
    for r in range(1, len(ranking.replicas) + 1):
        totals[f"share_of_weights_rank_{r}"] = ranking.acceptability[r].to_numpy()
    return {
        "ranking": _table_of(source, "Ranking", ranking.to_frame()),
        "ranking_totals": _table_of(source, "Totals", totals),
        "ranking_map": positions_table(source, ranking),
    }


def _table_of(source: Source, title: str, frame: pd.DataFrame) -> SafeTable:
    text = {"replica", "family", "metric", "direction", "value_is"}
    columns = (column(str(c)) if c in text else number(str(c)) for c in frame.columns)
    rows = (
        (
            (source.name(value) if name == "replica" else value)
            if name in text
            else number_cell(float(value))
            for name, value in row.items()
        )
        for row in frame.to_dict("records")
    )
    return table(title, columns, rows)


def ranking_maps(name_of: Callable[[str], Name], ranking: Ranking) -> tuple[RiskUtility, ...]:
    """Return the map, and a closer one where the replicas fill a small part of it."""
    positions = []
    for name, utility, protection, front, reference in (
        ranking.map.dropna(subset=["utility", "protection"]).reset_index().to_numpy().tolist()
    ):
        # On a map the shape of a mark says that it is a reference.
        shown = name.removesuffix(_REFERENCE) if reference else name_of(name).text
        kind = "reference" if reference else "front" if front else "beaten"
        ends = (None, None) if reference else _ends(ranking, name)
        positions.append(Position(shown, float(utility), float(protection), kind, *ends))
    replicas = [mark for mark in positions if mark.kind != "reference"]
    if not replicas:
        return ()
    made_of = sentences.on_map(ranking)
    spread = "" if ranking.uncertainty is None else _spread(ranking.uncertainty)
    title = "Utility and protection, between references"
    whole = _map(positions, title, _WHOLE, _WHOLE, made_of, spread)
    across, up = _range([m.utility for m in replicas]), _range([m.protection for m in replicas])
    least = round(min(across[1] - across[0], up[1] - up[0]), 2)
    if least >= _CLOSE or len(replicas) == 1:
        return (whole,)
    inside = [
        mark
        for mark in positions
        if across[0] <= mark.utility <= across[1] and up[0] <= mark.protection <= up[1]
    ]
    return (
        replace(whole, box=(*across, *up)),
        _map(inside, "The same, closer: the dashed part of the map", across, up, made_of, spread),
    )


def _ends(ranking: Ranking, replica: str) -> tuple[Ends | None, Ends | None]:
    """Return the intervals of utility and of protection; None where nothing was drawn again."""
    ends: list[float] = ranking.map_intervals.T[replica].tolist()
    pairs = ((ends[0], ends[1]), (ends[2], ends[3]))
    utility, protection = (None if math.isnan(sum(pair)) else pair for pair in pairs)
    return utility, protection


def _spread(uncertainty: Uncertainty) -> str:
    return f"{100 * uncertainty.level:.0f} % interval, of {uncertainty.source}"


def _range(values: list[float]) -> Ends:
    """Return ends that hold all values with some air, on a grid of a hundredth."""
    air = max(_AIR * (max(values) - min(values)), _LEAST_AIR)
    low = math.floor(100 * (min(values) - air)) / 100
    return max(low, -0.05), math.ceil(100 * (max(values) + air)) / 100


def _map(
    positions: list[Position], title: str, across: Ends, up: Ends, made_of: str, spread: str
) -> RiskUtility:
    words = "; ".join(
        f"{mark.name}{_REFERENCE if mark.kind == 'reference' else ''}: "
        f"utility {_with_ends(mark.utility, mark.utility_interval)}, "
        f"protection {_with_ends(mark.protection, mark.protection_interval)}"
        for mark in positions
    )
    if any(mark.utility_interval or mark.protection_interval for mark in positions):
        words += f"; in brackets the {spread}"
    return RiskUtility(
        title=title,
        description=f"{words}. Up and right is better. {made_of}",
        x_title="Utility (0: nothing left, 1: a fresh sample)",
        y_title="Protection (0: the original itself, 1: no relations)",
        positions=tuple(positions),
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
    uncertainty = ranking.uncertainty
    note = (
        ""
        if uncertainty is None
        else f" Small: the {_spread(uncertainty)}, where there are several."
    )
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
    title = "Score of every measure between its references"
    return table(title, (column("Data", "data"), *heads), rows)


def _score(score: float) -> SafeCell:
    return number_cell(score, two_decimals(score), "" if 0 <= score <= 1 else "beyond")


def two_decimals(value: float) -> str:
    """Return a score as text."""
    return numbers.with_decimals(value, 2)


def _value(value: float) -> str:
    if math.isnan(value):
        return "no value"
    text = numbers.with_commas(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _share(value: float) -> SafeCell:
    return number_cell(value, sentences.percent(value))
