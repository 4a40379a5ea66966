"""The ranking that an edition may show: in a release, one made from the released cells only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.compare_replicas import rank_review, wanted_weights
from sdcmetrics.ranking.rank_values import rank_values
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.values import collect, list_entries
from sdcmetrics.report.source import Source

_NOTHING = "No metric has a value for every replica, so nothing is ranked."
_ANCHORED = (
    "The study ranks by scores between references, which were not computed: give the report the "
    "result of compare_replicas."
)
_ONLY_INSIDE = (
    "The study ranks by scores between references, which are made of the original's records: only "
    "the internal edition has them."
)


def ranked(source: Source, ranking: Ranking | None) -> Ranking | str:
    """Return the ranking in the edition's exactness, or why there is none.

    In a release every number that enters it is what a cell of the report shows; a value that is
    held back counts as the bound it is shown by. So whoever has the report could compute the
    ranking, and it tells nothing more. Intervals and references are made of confidential records,
    and are left out.

    Parameters
    ----------
    source : Source
    ranking : Ranking, optional
        Of the same review, with references and draws where there are any. By default made here
        from what was measured, without them.
    """
    if source.review.study.ranking.strategy == "anchored":
        if source.release:
            return _ONLY_INSIDE
        if ranking is None:
            return _ANCHORED
    try:
        if source.release:
            return _from_cells(source, ranking)
        return ranking or rank_review(source.inside)
    except StudyError:  # what has no value for some replica is said elsewhere, without names
        return _NOTHING


def _from_cells(source: Source, ranking: Ranking | None) -> Ranking:
    """Rank by what is shown; of a ranking that is given only what it was asked for is used."""
    weights = wanted_weights(source.review.study) if ranking is None else ranking.requested
    options = source.review.study.ranking if ranking is None else ranking.options
    options = replace(options, anchors=False, replicates=0)
    shown = _shown(source, {criterion.metric for criterion in weights.criteria})
    entries = list_entries(shown, ((data.role, data.name, data.n) for data in source.review.inputs))
    ranking_of = rank_values(collect(entries, weights.criteria, source.replicas), weights, options)
    return replace(ranking_of, notes=(*sentences.people_in(source.held), *ranking_of.notes))


def _shown(source: Source, metrics: set[str]) -> Iterator[dict[str, Any]]:
    """Yield measurements as they are shown."""
    for m in source.measures:
        if m.metric not in metrics:
            continue
        cell = source.cell(m) if source.released(m.metric) else None
        value = None if cell is None else cell.bound if cell.number is None else cell.number
        yield {
            "replica": m.replica,
            "metric": m.metric,
            "scenario": m.scenario,
            "target": m.target,
            "variables": m.variables,
            "value": value,
            "reason": "it is not shown in this edition",
        }
