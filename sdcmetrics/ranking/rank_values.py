"""Rank replicas by values that are already there; nothing is measured here."""

from __future__ import annotations

from collections.abc import Callable

from sdcmetrics.ranking.anchors import Scale
from sdcmetrics.ranking.phrase import Phrase
from sdcmetrics.ranking.result import Drawn, Ranking
from sdcmetrics.ranking.values import Values, drop_missing
from sdcmetrics.study.criteria import refuse
from sdcmetrics.study.ranking import RankingOptions
from sdcmetrics.study.weights import Weights

__all__ = ["rank_values"]


def rank_values(
    values: Values,
    weights: Weights,
    options: RankingOptions,
    *,
    scale: Callable[[Values], Scale | None] | None = None,
    draw: Callable[[Values], Drawn | None] | None = None,
) -> Ranking:
    """Rank replicas by their values.

    Parameters
    ----------
    values : Values
    weights : Weights
        Of the same criteria.
    options : RankingOptions
    scale : callable, optional
        Returns the scales of the values that are left, or None without references.
    draw : callable, optional
        Draws the values that are left again.

    Raises
    ------
    StudyError
        If nothing can be ranked.
    """
    asked = weights
    values, weights, notes = drop_missing(values, weights, missing=options.missing)
    found = None if scale is None else scale(values)
    if found is not None:
        notes += tuple(
            (f"{one.criterion.name} has no anchored score, and no part in the map: {one.reason}",)
            for one in found.anchors
            if one.reason
        )
    if options.strategy == "anchored":
        if found is None:
            refuse(
                "the strategy 'anchored' needs references, which are made from the original. "
                "Compute them (anchors), or choose another strategy."
            )
        keep = found.scaled
        if not keep:
            refuse("no metric has an anchored score. Choose another strategy.")
        values, found = values.only(keep), found.only(keep)
        fewer = weights.only([one.name for one in values.criteria])
        more: tuple[Phrase, ...] = tuple((n,) for n in fewer.notes if n not in weights.notes)
        weights, notes = fewer, notes + more
    drawn = None if draw is None else draw(values)
    return Ranking(values, weights, asked, options, notes, found, drawn)
