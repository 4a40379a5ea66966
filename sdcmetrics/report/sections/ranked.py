"""The ranking that an edition may show: in a release, one made from the released cells only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.anchors import find_scale
from sdcmetrics.ranking.compare_replicas import rank_review
from sdcmetrics.ranking.rank_values import rank_values
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.values import collect, list_entries
from sdcmetrics.report.source import Source

__all__ = ["ranked"]

_NOTHING = "No metric has a value for every replica, so nothing is ranked."
_ANCHORED = (
    "The study ranks by scores between references, which were not computed: give the report the "
    "result of compare_replicas."
)


def ranked(source: Source, ranking: Ranking | None) -> Ranking | str:
    """Return the ranking in the edition's exactness, or why there is none.

    In a release every number that enters it, of the replicas and of the references, is what a
    cell of the report shows; a value that is held back counts as the bound it is shown by. So
    whoever has the report could compute the ranking, and it tells nothing more. Intervals are
    made of values that are not released, and are left out.

    Parameters
    ----------
    source : Source
    ranking : Ranking, optional
        Of the same review, with references and draws where there are any. By default made here
        from what was measured, without them.
    """
    if ranking is None and source.review.study.ranking.strategy == "anchored":
        return _ANCHORED
    try:
        exact = ranking or rank_review(source.review)
        if not source.release:
            return exact
        # Its cap, too, is made of what is shown.
        shown = {name: one.lost for name, one in source.copying.items()}
        return replace(_from_cells(source, exact), handed_out=shown, distances=exact.distances)
    except StudyError:  # what has no value for some replica is said elsewhere, without names
        return _NOTHING


def _from_cells(source: Source, exact: Ranking) -> Ranking:
    metrics = {one.metric for one in exact.asked.criteria}
    entries = list_entries(_shown(source, metrics))
    values = collect(entries, exact.asked.criteria, source.replicas)
    review = None if exact.scale is None else exact.scale.review
    if review is None:
        return rank_values(values, exact.asked, exact.options)
    references = list_entries(_shown(Source(review, source.profile, source.guard.mode), metrics))
    scale = find_scale(references, review.replicas, values)
    return rank_values(values, exact.asked, exact.options, scale)


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
