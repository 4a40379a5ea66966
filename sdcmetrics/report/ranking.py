"""Which replica is first, under which weights, how sure that is, and what would change it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.anchors import MEANING
from sdcmetrics.ranking.criteria import FAMILIES
from sdcmetrics.ranking.phrase import Mention, Phrase
from sdcmetrics.ranking.references import REFERENCES
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.report import numbers
from sdcmetrics.report.cells import (
    SafeCell,
    SafeColumn,
    SafeTable,
    Sentence,
    Words,
    blank,
    text_cell,
)
from sdcmetrics.report.figures.charts import Position, RiskUtility
from sdcmetrics.report.ranked import ranked
from sdcmetrics.report.source import Source

__all__ = ["RankingSection", "ranking_section"]

_SHOWN_RANKS = 5
_WHOLE = (0.0, 1.0)
_CLOSE = 0.3
"""A part of the map this narrow is drawn again, closer."""
_FOR_ALL = "No metric has a value for every replica, so nothing is ranked."
_FROM_CELLS = (
    "Ranks of this edition are made from what it shows; a value that is held back counts as the "
    "bound it is shown by. They can differ from the ranks of the exact values."
)
_ONE = "There is one replica, so nothing is ranked."
_NO_REFERENCES = (
    "No references were computed, so scores on one scale and the map are missing; a [ranking] "
    "section in the study file asks for them."
)


@dataclass(frozen=True, slots=True)
class RankingSection:
    """What the report shows of a ranking.

    Attributes
    ----------
    headline : who is first, and by how much; empty where nothing is ranked
    sure : how sure that is, and what would change it
    ranks, weights : the ranking, and what it counted
    acceptability, changes : under which weights replicas have which rank
    figures, positions, scores : between references; nothing without them
    meaning : what a score means
    notes : what was left out, or why there is no ranking
    files : tables for files, by name
    """

    headline: Sentence | None
    sure: tuple[Sentence, ...]
    ranks: SafeTable
    weights: SafeTable
    acceptability: SafeTable
    changes: SafeTable
    figures: tuple[RiskUtility, ...]
    positions: SafeTable
    scores: SafeTable
    meaning: tuple[str, ...]
    notes: tuple[Sentence, ...]
    files: dict[str, SafeTable]


def ranking_section(source: Source, ranking: Ranking | None = None) -> RankingSection:
    """Return the section; `ranking` as for `ranked`."""
    found = ranked(source, ranking)
    if found is None:
        return _without(_FOR_ALL)
    several = len(found.replicas) > 1
    notes = [*found.notes]
    if not several:
        notes.append((_ONE,))
    if not found.anchors:
        notes.append((_NO_REFERENCES,))
    if source.release:
        notes.append((_FROM_CELLS,))
    said = [
        sentences.margin(found),
        sentences.drawn_again(found) if not source.release else (),
        sentences.agreement(found),
        sentences.risk_weight(found),
        sentences.all_weights(found),
        sentences.smallest_change(found),
        sentences.undominated(found),
    ]
    return RankingSection(
        headline=_sentence(source, sentences.winner(found)) if several else None,
        sure=tuple(_sentence(source, phrase) for phrase in said if phrase) if several else (),
        ranks=_ranks(source, found),
        weights=_weights(found),
        acceptability=_acceptability(source, found),
        changes=_changes(source, found),
        figures=_figures(source, found),
        positions=_positions(source, found),
        scores=_scores(source, found),
        meaning=tuple(MEANING.values()) if found.anchors else (),
        notes=tuple(_sentence(source, phrase) for phrase in notes),
        files=_files(source, found),
    )


def _without(why: str) -> RankingSection:
    none = SafeTable((), (), ())
    return RankingSection(
        None, (), none, none, none, none, (), none, none, (), (Sentence((why,)),), {}
    )


def _words(source: Source, phrase: Phrase) -> Words:
    return tuple(
        source.name(part.replica) if isinstance(part, Mention) else part for part in phrase
    )


def _sentence(source: Source, phrase: Phrase) -> Sentence:
    return Sentence(_words(source, phrase))


def _number(value: float, text: str | None = None, detail: str = "") -> SafeCell:
    if math.isnan(value):
        return blank()
    return SafeCell(text or f"{value:g}", "number", float(value), detail=detail)


def _two(value: float) -> str:
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text.replace("-", "\N{MINUS SIGN}")


def _value(value: float) -> str:
    if math.isnan(value):
        return "no value"
    text = numbers.with_commas(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


def _share(value: float) -> SafeCell:
    return _number(value, sentences.percent(value))


def _ranks(source: Source, ranking: Ranking) -> SafeTable:
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
                _number(ranking.places[i], detail=_two(ranking.totals[i])),
                *(
                    _number(rank, detail=_value(v))
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


def _weights(ranking: Ranking) -> SafeTable:
    flat = ranking.weights.flat()
    anchors = {anchor.criterion.name: anchor for anchor in ranking.anchors}
    rows = []
    for one, places in zip(ranking.table.criteria, ranking.table.places, strict=True):
        anchor = anchors.get(one.name)
        ends = (blank(), blank())
        if anchor is not None:
            ends = (
                _number(anchor.at_floor, numbers.with_commas(anchor.at_floor), anchor.floor),
                _number(anchor.at_ceiling, numbers.with_commas(anchor.at_ceiling), anchor.ceiling),
            )
        rows.append(
            (
                text_cell(one.name),
                text_cell(FAMILIES[one.family]),
                _share(flat[one.name]),
                text_cell(one.direction),
                text_cell(one.reduction),
                _number(float(len(places))),
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


def _acceptability(source: Source, ranking: Ranking) -> SafeTable:
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
            cells.append(_share(again.rank_shares[i, 0]))
        rows.append(tuple(cells))
    note = (
        f"Of all weights: {ranking.rules.draws:,} sets of weights, spread evenly over all that are "
        "possible, first of the families, then of the metrics in each (quasi-Monte Carlo, correct "
        "to about one point)."
    )
    return SafeTable(("Under which weights",), tuple(columns), tuple(rows), note)


def _changes(source: Source, ranking: Ranking) -> SafeTable:
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


def _figures(source: Source, ranking: Ranking) -> tuple[RiskUtility, ...]:
    """Return the map, and a closer one where the replicas fill a small part of it."""
    points = ranking.map.dropna(subset=["utility", "protection"])
    marks = []
    for name, utility, protection, front, reference in points.reset_index().to_numpy().tolist():
        shown = name if reference else source.name(name).text
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


def _range(values: list[float]) -> tuple[float, float]:
    """Return ends that hold all values with some air, on a grid of a hundredth."""
    air = max(0.15 * (max(values) - min(values)), 0.02)
    low = math.floor(100 * (min(values) - air)) / 100
    return max(low, -0.05), math.ceil(100 * (max(values) + air)) / 100


def _map(
    marks: list[Position], title: str, across: tuple[float, float], up: tuple[float, float]
) -> RiskUtility:
    words = "; ".join(
        f"{mark.name}: utility {_two(mark.utility)}, protection {_two(mark.protection)}"
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


def _positions(source: Source, ranking: Ranking) -> SafeTable:
    rows = []
    for name, utility, protection, front, reference in (
        ranking.map.reset_index().to_numpy().tolist()
    ):
        what = "replica, unbeaten" if front else "replica"
        if reference:
            what = REFERENCES[name]
        rows.append(
            (
                text_cell(name if reference else source.name(name)),
                text_cell(what),
                _number(utility, _two(utility)),
                _number(protection, _two(protection)),
            )
        )
    columns = (
        SafeColumn("Data", "data"),
        SafeColumn("What it is", "what"),
        SafeColumn("Utility", "utility", numeric=True),
        SafeColumn("Protection", "protection", numeric=True),
    )
    return SafeTable(("The map in words: weighted mean scores",), columns, tuple(rows))


def _scores(source: Source, ranking: Ranking) -> SafeTable:
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
    return _number(score, _two(score), detail=beyond)


def _files(source: Source, ranking: Ranking) -> dict[str, SafeTable]:
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
                cells.append(text_cell(value) if column in text else _number(float(value)))
        rows.append(tuple(cells))
    totals = [
        (
            text_cell(source.name(replica)),
            _number(ranking.totals[i]),
            _number(ranking.places[i]),
            *(_number(share) for share in ranking.acceptability.to_numpy()[i]),
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
        "ranking_map": _positions(source, ranking),
    }
