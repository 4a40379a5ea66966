"""Tables of a ranking: ranks, weights, how sure they are, and the files."""

from __future__ import annotations

import math

import pandas as pd

from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.anchors import Anchor
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    SafeCell,
    SafeTable,
    blank,
    column,
    number,
    number_cell,
    table,
)
from sdcmetrics.report.sections.ranking_map import positions_table, two_decimals
from sdcmetrics.report.source import Source
from sdcmetrics.study.criteria import FAMILIES

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
            one.name,
            FAMILIES[one.family],
            _share(flat[one.name]),
            one.direction,
            one.reduction,
            number_cell(float(len(places))),
            *_ends(anchors.get(one.name)),
        )
        for one, places in zip(ranking.table.criteria, ranking.table.places, strict=True)
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


def _ends(anchor: Anchor | None) -> tuple[SafeCell, SafeCell]:
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


def _value(value: float) -> str:
    if math.isnan(value):
        return "no value"
    text = numbers.with_commas(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _share(value: float) -> SafeCell:
    return number_cell(value, sentences.percent(value))
