"""The ranking that an edition may show: in a release, one made from the released cells only."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from sdcmetrics.errors import StudyError
from sdcmetrics.ranking.anchors import Scale, find_scale
from sdcmetrics.ranking.compare_replicas import rank_review
from sdcmetrics.ranking.criteria import Criterion
from sdcmetrics.ranking.rank_values import rank_values
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.values import Entry, Values, collect
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
        return _from_cells(source, exact) if source.release else exact
    except StudyError:  # what has no value for some replica is said elsewhere, without names
        return _NOTHING


def _from_cells(source: Source, exact: Ranking) -> Ranking:
    criteria = exact.asked.criteria
    values = collect(_entries(source, criteria), criteria, source.replicas)
    review = exact.reference_review
    if review is None:
        return rank_values(values, exact.asked, exact.rules)
    references = Source(review, source.profile, source.guard.mode)

    def scale(kept: Values) -> Scale:
        return find_scale(_entries(references, kept.criteria), references.replicas, kept)

    return rank_values(values, exact.asked, exact.rules, scale=scale)


def _entries(source: Source, criteria: Sequence[Criterion]) -> list[Entry]:
    metrics = {one.metric for one in criteria}
    seen: Counter[tuple[str, ...]] = Counter()
    out = []
    for m in source.measures:
        if m.metric not in metrics:
            continue
        key = (m.replica, m.metric, m.scenario, m.target, *m.variables)
        value, why = math.nan, "it is not shown in this edition"
        if source.released(m.metric):
            cell = source.cell(m)
            shown = cell.bound if cell.number is None else cell.number
            value = math.nan if shown is None else shown
        place = (m.scenario, m.target, m.variables, seen[key])
        seen[key] += 1
        out.append(Entry(m.replica, m.metric, place, value, why if math.isnan(value) else ""))
    return out
