"""Tables of a ranking: ranks, weights, how sure they are, and the files."""

from __future__ import annotations

import math

from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.criteria import FAMILIES
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import SafeCell, SafeColumn, SafeTable, blank, text_cell
from sdcmetrics.report.sections.ranking_map import number_cell, positions_table, two_decimals
from sdcmetrics.report.source import Source

__all__ = [
    "acceptability_table",
    "changes_table",
    "ranking_files",
    "ranks_table",
    "weights_table",
]

_SHOWN_RANKS = 5


def ranks_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the rank of every replica on every metric, best replica first."""
    ranks, weights = ranking.ranks.to_numpy(), ranking.weights.flat()
    totals = "mean rank" if ranking.strategy == "rank" else "points"
    columns = [
        SafeColumn("Replica", "replica"),
        SafeColumn("Place", "place", numeric=True, detail=totals),
    ]
    columns += [
        SafeColumn(
            one.name,
            one.name,
            numeric=True,
            detail=f"weight {sentences.percent(weights[one.name])}",
        )
        for one in ranking.table.criteria
    ]
    rows = []
    for replica in ranking.by_place:
        i = ranking.replicas.index(replica)
        values = ranking.table.table[i]
        rows.append(
            (
                text_cell(source.name(replica)),
                number_cell(ranking.places[i], detail=two_decimals(ranking.totals[i])),
                *(
                    number_cell(rank, detail=_value(v))
                    for rank, v in zip(ranks[i], values, strict=True)
                ),
            )
        )
    note = (
        "Large: the rank among the replicas, 1 is best, ties share their mean. Small: the value "
        f"that is ranked, and for the place {sentences.STRATEGY_WORDS[ranking.strategy]}. All of "
        "it is in ranking.csv, and can be recomputed from there."
    )
    return SafeTable(("Rank of every replica on every metric",), tuple(columns), tuple(rows), note)


def weights_table(ranking: Ranking) -> SafeTable:
    """Return what is ranked, what it counts, and its scale."""
    flat = ranking.weights.flat()
    anchors = {anchor.criterion.name: anchor for anchor in ranking.anchors}
    rows = []
    for one, places in zip(ranking.table.criteria, ranking.table.places, strict=True):
        anchor = anchors.get(one.name)
        ends = (blank(), blank())
        if anchor is not None:
            ends = (
                number_cell(anchor.at_floor, numbers.with_commas(anchor.at_floor), anchor.floor),
                number_cell(
                    anchor.at_ceiling, numbers.with_commas(anchor.at_ceiling), anchor.ceiling
                ),
            )
        rows.append(
            (
                text_cell(one.name),
                text_cell(FAMILIES[one.family]),
                _share(flat[one.name]),
                text_cell(one.direction),
                text_cell(one.reduction),
                number_cell(float(len(places))),
                *ends,
            )
        )
    columns = (
        SafeColumn("Metric", "metric"),
        SafeColumn("Family", "family"),
        SafeColumn("Weight", "weight", numeric=True),
        SafeColumn("Direction", "direction"),
        SafeColumn("One value is the", "value_is"),
        SafeColumn("of", "places", numeric=True, detail="tables, targets, ..."),
        SafeColumn("Score 0", "at_0", numeric=True, detail="value of the reference"),
        SafeColumn("Score 1", "at_1", numeric=True, detail="value of the reference"),
    )
    return SafeTable(("What is ranked, and what it counts",), columns, tuple(rows))


def acceptability_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return how often each replica has each rank, and where it is first."""
    n = len(ranking.replicas)
    if n == 1:
        return SafeTable((), (), ())
    shown = min(n, _SHOWN_RANKS)
    shares = ranking.acceptability.to_numpy()
    columns = [
        SafeColumn("Replica", "replica"),
        SafeColumn("First", "risk_weight", detail="by the weight of disclosure risk"),
        *(
            SafeColumn(f"Rank {r}", f"rank_{r}", numeric=True, detail="of all weights")
            for r in range(1, shown + 1)
        ),
    ]
    again = ranking.uncertainty if not source.release else None
    if again is not None:
        columns.append(
            SafeColumn("First", "drawn_again", numeric=True, detail=f"{again.source} drawn again")
        )
    rows = []
    for replica in ranking.by_place:
        i = ranking.replicas.index(replica)
        where = [
            f"{sentences.percent(s.low)} to {sentences.percent(s.high)}"
            for s in ranking.stretches
            if replica in s.first
        ]
        cells = [
            text_cell(source.name(replica)),
            text_cell(" and ".join(where) or "nowhere") if ranking.stretches else blank(),
            *(_share(shares[i, r]) for r in range(shown)),
        ]
        if again is not None:
            share = float(again.rank_shares[i, 0])
            cells.append(number_cell(share, sentences.how_often(share, again.times)))
        rows.append(tuple(cells))
    note = (
        f"Of all weights: {ranking.rules.draws:,} sets of weights, spread evenly over all that are "
        "possible, first of the families, then of the metrics in each (quasi-Monte Carlo, correct "
        "to about one point)."
    )
    return SafeTable(("Under which weights",), tuple(columns), tuple(rows), note)


def changes_table(source: Source, ranking: Ranking) -> SafeTable:
    """Return the smallest change of weights that makes each replica first."""
    if len(ranking.replicas) == 1:
        return SafeTable((), (), ())
    rows = []
    for change in ranking.changes:
        cells = [text_cell(source.name(change.replica))]
        if not change.possible:
            cells += [text_cell("under no weights"), blank(), blank()]
        elif not change.taken:
            cells += [_share(0.0), text_cell("is first, or level with it"), blank()]
        else:
            cells += [
                _share(change.moved),
                text_cell(", ".join(_moves(change.taken))),
                text_cell(", ".join(_moves(change.given))),
            ]
        rows.append(tuple(cells))
    columns = (
        SafeColumn("Replica", "replica"),
        SafeColumn("Weight to move", "moved", numeric=True, detail="of the whole"),
        SafeColumn("From", "taken"),
        SafeColumn("To", "given"),
    )
    return SafeTable(
        ("The smallest change of weights that makes a replica first",), columns, tuple(rows)
    )


def _moves(moved: dict[str, float]) -> list[str]:
    return [f"{name} {sentences.percent(weight)}" for name, weight in moved.items()]


def ranking_files(source: Source, ranking: Ranking) -> dict[str, SafeTable]:
    """Return the tables that go to files: all that a hand needs to recompute the ranking."""
    frame = ranking.to_frame()
    text = {"replica", "family", "metric", "direction", "value_is"}
    columns = tuple(SafeColumn(str(c), str(c), numeric=c not in text) for c in frame.columns)
    rows = []
    for row in frame.to_dict("records"):
        cells = []
        for column, value in row.items():
            if column == "replica":
                cells.append(text_cell(source.name(str(value))))
            else:
                cells.append(text_cell(value) if column in text else number_cell(float(value)))
        rows.append(tuple(cells))
    totals = [
        (
            text_cell(source.name(replica)),
            number_cell(ranking.totals[i]),
            number_cell(ranking.places[i]),
            *(number_cell(share) for share in ranking.acceptability.to_numpy()[i]),
        )
        for i, replica in enumerate(ranking.replicas)
    ]
    heads = (
        SafeColumn("replica", "replica"),
        SafeColumn("total", "total", numeric=True),
        SafeColumn("place", "place", numeric=True),
        *(
            SafeColumn(f"rank {r}", f"share_of_weights_rank_{r}", numeric=True)
            for r in range(1, len(ranking.replicas) + 1)
        ),
    )
    return {
        "ranking": SafeTable(("Ranking",), columns, tuple(rows)),
        "ranking_totals": SafeTable(("Totals",), heads, tuple(totals)),
        "ranking_map": positions_table(source, ranking),
    }


def _value(value: float) -> str:
    if math.isnan(value):
        return "no value"
    text = numbers.with_commas(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _share(value: float) -> SafeCell:
    return number_cell(value, sentences.percent(value))
