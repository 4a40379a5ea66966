"""Rank replicas by values that are already there; nothing is measured here."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.acceptability import (
    Stretch,
    rank_acceptability,
    rank_shares,
    stretches,
    weight_draws,
)
from sdcmetrics.ranking.anchors import Anchor, Scale, anchored, counted
from sdcmetrics.ranking.criteria import Floats
from sdcmetrics.ranking.missing import drop_missing, only_anchored
from sdcmetrics.ranking.phrase import Phrase
from sdcmetrics.ranking.result import Ranking, Uncertainty
from sdcmetrics.ranking.rules import Rules
from sdcmetrics.ranking.smallest_change import smallest_changes
from sdcmetrics.ranking.strategies import STRATEGIES, Strategy, order, points
from sdcmetrics.ranking.uncertainty import intervals
from sdcmetrics.ranking.values import Values
from sdcmetrics.ranking.weights import Weights

__all__ = ["Replicates", "rank_values"]

Replicates = tuple[str, tuple[str, ...], Floats]
"""What was drawn again, of which replicas, and the values: times x replicas x criteria."""

_LEVEL = 0.95


def rank_values(
    values: Values,
    weights: Weights,
    rules: Rules,
    *,
    scale: Callable[[Values], Scale] | None = None,
    replicates: Callable[[Values], Replicates | None] | None = None,
) -> Ranking:
    """Rank replicas by their values.

    Parameters
    ----------
    values : Values
    weights : Weights
        Of the same criteria.
    rules : Rules
    scale : callable, optional
        Returns the scales of the values that are left.
    replicates : callable, optional
        Draws the values that are left again.

    Raises
    ------
    StudyError
        If nothing can be ranked.
    """
    asked = weights
    values, weights, notes = drop_missing(values, weights, missing=rules.missing)
    found = None if scale is None else scale(values)
    if found is not None:
        notes += _without_scale(found)
    if rules.strategy == "anchored":
        if found is None:
            msg = (
                "ranking: the strategy 'anchored' needs references, which are made from the "
                "original. Compute them (anchors), or choose another strategy."
            )
            raise StudyError(msg)
        (values, weights, more), found = only_anchored(values, weights, found)
        notes += more
    anchors = () if found is None else found.anchors

    def made(table: Floats) -> Floats:
        return _points(rules.strategy, table, values, anchors)

    here, vector = made(values.table), weights.vector()
    drawn = None if replicates is None else replicates(values)
    n, names = len(values.replicas), [one.name for one in values.criteria]
    all_weights = weight_draws(weights, draws=rules.draws, seed=rules.seed)
    return Ranking(
        table=values,
        weights=weights,
        asked=asked,
        rules=rules,
        points=here,
        totals=_totals(rules.strategy, here @ vector),
        places=order(here @ vector),
        acceptability=pd.DataFrame(
            rank_acceptability(here, all_weights),
            index=pd.Index(values.replicas, name="replica"),
            columns=pd.RangeIndex(1, n + 1, name="rank"),
        ),
        stretches=_stretches(here, vector, values),
        changes=smallest_changes(here, vector, values.replicas, names),
        anchors=anchors,
        references=() if found is None else found.references,
        reference_table=np.zeros((0, len(names))) if found is None else found.table,
        uncertainty=None if drawn is None else _uncertainty(rules.strategy, drawn, made, vector),
        agreement=_agreement(values, weights, found),
        notes=notes,
        reference_review=None if found is None else found.review,
    )


def _points(
    strategy: Strategy, table: Floats, values: Values, anchors: tuple[Anchor, ...]
) -> Floats:
    if strategy == "anchored":
        return counted(anchored(table, anchors))
    return points(strategy, table, values.criteria)


def _totals(strategy: Strategy, gained: Floats) -> Floats:
    # "Rank" counts ranks above the last; the framework's number is the mean rank itself.
    return len(gained) - gained if strategy == "rank" else gained


def _first(gained: Floats, values: Values) -> tuple[str, ...]:
    places = order(gained)
    return tuple(r for r, p in zip(values.replicas, places, strict=True) if p == places.min())


def _agreement(values: Values, weights: Weights, scale: Scale | None) -> dict[str, tuple[str, ...]]:
    """Return who is first by each strategy; the anchored one leaves out what has no scale."""
    vector = weights.vector()
    found: dict[str, tuple[str, ...]] = {
        one: _first(points(one, values.table, values.criteria) @ vector, values)
        for one in STRATEGIES
        if one != "anchored"
    }
    if scale is not None and not all(anchor.reason for anchor in scale.anchors):
        (kept, fewer, _), scales = only_anchored(values, weights, scale)
        scores = counted(anchored(kept.table, scales.anchors))
        found["anchored"] = _first(scores @ fewer.vector(), kept)
    return found


def _stretches(here: Floats, vector: Floats, values: Values) -> tuple[Stretch, ...]:
    """Return who is first as the weight of risk varies; nothing if only one side counts."""
    utility = np.array([one.utility for one in values.criteria])
    sides = [np.where(of_side, vector, 0.0) for of_side in (utility, ~utility)]
    if not all(side.sum() for side in sides):
        return ()
    worth, risk = (here @ (side / side.sum()) for side in sides)
    return stretches(worth, risk, values.replicas)


def _uncertainty(
    strategy: Strategy, drawn: Replicates, made: Callable[[Floats], Floats], vector: Floats
) -> Uncertainty:
    source, moving, tables = drawn
    gained = np.stack([made(table) @ vector for table in tables])
    totals = np.stack([_totals(strategy, one) for one in gained])
    value_low, value_high = intervals(tables, _LEVEL)
    total_low, total_high = intervals(totals, _LEVEL)
    return Uncertainty(
        source=source,
        replicas=moving,
        times=len(tables),
        level=_LEVEL,
        value_low=value_low,
        value_high=value_high,
        total_low=total_low,
        total_high=total_high,
        rank_shares=rank_shares(gained.T),
    )


def _without_scale(scale: Scale) -> tuple[Phrase, ...]:
    return tuple(
        (f"{anchor.criterion.name} has no anchored score: {anchor.reason}",)
        for anchor in scale.anchors
        if anchor.reason
    )
