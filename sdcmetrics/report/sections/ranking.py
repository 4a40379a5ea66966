"""Which replica is first, under which weights, how sure that is, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sdcmetrics.decision.choice import verdict
from sdcmetrics.errors import StudyError
from sdcmetrics.ranking import sentences
from sdcmetrics.ranking.anchors import MEANING
from sdcmetrics.ranking.compare_replicas import rank_review, wanted_weights
from sdcmetrics.ranking.phrase import Mention, Phrase
from sdcmetrics.ranking.rank_values import rank_values
from sdcmetrics.ranking.result import Ranking
from sdcmetrics.ranking.standing import Standing
from sdcmetrics.ranking.values import collect, list_entries
from sdcmetrics.report.figures.charts import RiskUtility
from sdcmetrics.report.safety.cells import SafeTable, Sentence
from sdcmetrics.report.sections.ranking_tables import (
    acceptability_table,
    changes_table,
    positions_table,
    ranking_files,
    ranking_maps,
    ranks_table,
    scores_table,
    weights_table,
)
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


_FROM_CELLS = (
    "Ranks of this edition are made from what it shows; a value that is held back counts as the "
    "bound it is shown by. They can differ from the ranks of the exact values. Only the internal "
    "edition says how much of them is luck."
)
_ONE_REPLICA = "There is one replica, so nothing is ranked."
_NO_REFERENCES = (
    "No references were computed, so scores on one scale and the map are missing; anchors = true "
    "in the section [ranking] of the study file asks for them."
)


_NONE = SafeTable((), (), ())


@dataclass(frozen=True, slots=True)
class RankingSection:
    """A ranking as the report shows it.

    Attributes
    ----------
    notes : what was left out, or why there is no ranking
    headline : who is first, and by how much; empty where nothing is ranked
    sure : how sure that is, and what would change it
    ranks, weights : the ranking, and what counts how much
    acceptability, changes : under which weights replicas have which rank
    figures, positions, scores : between references; nothing without them
    meaning : what a score means
    files : tables for files, by name
    standing : places, and how sure the order is
    """

    notes: tuple[Sentence, ...]
    headline: Sentence | None = None
    sure: tuple[Sentence, ...] = ()
    ranks: SafeTable = _NONE
    weights: SafeTable = _NONE
    acceptability: SafeTable = _NONE
    changes: SafeTable = _NONE
    figures: tuple[RiskUtility, ...] = ()
    positions: SafeTable = _NONE
    scores: SafeTable = _NONE
    meaning: tuple[str, ...] = ()
    files: dict[str, SafeTable] = field(default_factory=dict)
    standing: Standing | None = None


def ranking_section(source: Source, ranking: Ranking | None = None) -> RankingSection:
    """Return the section; `ranking` as for `ranked`."""
    shown = ranked(source, ranking)
    if isinstance(shown, str):
        return RankingSection((Sentence((shown,)),))
    decided = {name: verdict(decision) for name, decision in source.decisions.items()}
    shown = replace(shown, verdicts=decided)  # by the profile of this report
    several = len(shown.replicas) > 1
    notes = [*shown.notes]
    if not several:
        notes.append((_ONE_REPLICA,))
    if not shown.anchors:
        notes.append((_NO_REFERENCES,))
    if source.release:
        notes.append((_FROM_CELLS,))
    phrases = sentences.how_sure(shown, luck=not source.release) if several else []
    return RankingSection(
        headline=_sentence(source, sentences.winner(shown)) if several else None,
        sure=tuple(_sentence(source, phrase) for phrase in phrases),
        ranks=ranks_table(source, shown),
        weights=weights_table(shown),
        acceptability=acceptability_table(source, shown),
        changes=changes_table(source, shown),
        figures=ranking_maps(source.name, shown),
        positions=positions_table(source, shown),
        scores=scores_table(source, shown),
        meaning=tuple(MEANING.values()) if shown.anchors else (),
        notes=tuple(_sentence(source, phrase) for phrase in notes),
        files=ranking_files(source, shown),
        standing=shown.standing,
    )


def _sentence(source: Source, phrase: Phrase) -> Sentence:
    return Sentence(
        tuple(source.name(part.replica) if isinstance(part, Mention) else part for part in phrase)
    )
