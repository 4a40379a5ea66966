"""Rank replicas by values that are already there; nothing is measured here."""

from __future__ import annotations

from sdcmetrics.ranking.anchors import Scale
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.standing import Drawn
from sdcmetrics.ranking.values import Values, drop_missing
from sdcmetrics.study.criteria import refuse
from sdcmetrics.study.ranking import RankingOptions
from sdcmetrics.study.weights import Weights


def rank_values(
    values: Values,
    weights: Weights,
    options: RankingOptions,
    scale: Scale | None = None,
    drawn: Drawn | None = None,
) -> Ranking:
    """Rank replicas by their values.

    Parameters
    ----------
    values : Values
    weights : Weights
        Of the same criteria.
    options : RankingOptions
    scale : Scale, optional
        Of the same criteria.
    drawn : Drawn, optional
        The values drawn again.

    Raises
    ------
    StudyError
        If nothing can be ranked.
    """
    requested, every = weights, [criterion.name for criterion in values.criteria]
    values, weights, notes = drop_missing(values, weights, missing=options.missing)
    scale = scale and scale.only([every.index(criterion.name) for criterion in values.criteria])
    for anchor in () if scale is None else scale.anchors:
        if anchor.reason:
            why = f"has no anchored score, and no part in the map: {anchor.reason}"
            notes += ((f"{anchor.criterion.name} {why}",),)
    if options.strategy == "anchored":
        if scale is None:
            refuse(
                "the strategy 'anchored' needs references, which are made from the original. "
                "Compute them (anchors), or choose another strategy."
            )
        keep = scale.scaled
        if not keep:
            refuse("no metric has an anchored score. Choose another strategy.")
        values, scale = values.only(keep), scale.only(keep)
        fewer = weights.only([criterion.name for criterion in values.criteria])
        notes += tuple((note,) for note in fewer.notes if note not in weights.notes)
        weights = fewer
    if drawn is not None:
        source, moving, tables = drawn
        drawn = (
            source,
            moving,
            tables[..., [every.index(criterion.name) for criterion in values.criteria]],
        )
    return Ranking(values, weights, requested, options, notes, scale, drawn)
