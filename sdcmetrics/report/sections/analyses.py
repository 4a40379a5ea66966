"""Analyses that the study declares: what each says of original and replica."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sdcmetrics.measures.analyses.analysis import Analyses
from sdcmetrics.measures.analyses.analysis_overlap import AnalysisOverlap
from sdcmetrics.measures.analyses.declared import ANALYSES, ANALYSIS
from sdcmetrics.measures.kind import Place
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.report.block import Block, Maker
from sdcmetrics.report.grid import Row, figures, grid, listing, replica_rows, texts
from sdcmetrics.report.safety.cells import (
    Content,
    SafeTable,
    column,
    figure_cell,
    number,
    table,
    three_decimals,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.source import Source
from sdcmetrics.study.study import Study

_SHOWN = {
    "CIO_analysis_truncated": ("Overlap", "CIO, not below 0"),
    "Karr_analysis": ("Overlap of both intervals", "Karr"),
    "std_diff_analysis": ("Difference", "mean, in standard errors"),
    "same_conclusions": ("Same conclusions", "percent of tested terms"),
}
_TERM = figures(
    figure_cell,
    original="Original",
    se_original=("Standard error", "original"),
    synthetic="Replica",
    se_synthetic=("Standard error", "replica"),
    std_diff=("Difference", "in standard errors"),
) + figures(three_decimals, CIO=("Overlap", "CIO"))
_NOTE = (
    "Overlap: 1 is the same estimate, 0 where intervals touch or lie apart. Difference: 0.8 is "
    "expected of a correct synthesis of as many records, 1.1 of another sample of the population. "
    "Same conclusions: the same sign, and both significant at 5 % or neither."
)


def _block(source: Source) -> Block | None:
    study = source.review.study
    section = study.section(Analyses) if isinstance(study, Study) else None
    if section is None or not section.each:
        return None
    tables = {"analyses": _summary(source, section)}
    results = source.inside.evidence.of(ANALYSIS)
    reasons = list(_not_compared(source, section, results))
    if reasons:
        columns = column("Analysis", "analysis"), column("Replica", "replica"), column("Why", "why")
        tables["analyses_not_compared"] = table("What is not compared", columns, reasons)
    tables["analysis_terms"] = _terms(source, results)
    if code := _code(source, results):
        tables["analysis_code"] = code
    return Block("Analyses that users declared", tables)


def _summary(source: Source, section: Analyses) -> SafeTable:
    rows: list[Row] = [
        ((source.named(a.name), a.statistic.replace("_", " "), named), {**of, "model": a.name})
        for a in section.each
        for (named,), of in replica_rows(source)
    ]
    for (named,), of in replica_rows(source):
        rows.append((("all analyses, each once", None, named), {**of, "role": "all"}))
    overall = {next(iter(_SHOWN)): of_kind(ANALYSES)[0].symbol}
    return grid(
        source,
        "Estimates of the original beside those of each replica",
        map(column, ("Analysis", "Statistic", "Replica"), ("analysis", "statistic", "replica")),
        rows,
        [
            (number(title, symbol, detail), {"metric": {"": symbol, "all": overall.get(symbol)}})
            for symbol, (title, detail) in _SHOWN.items()
        ],
        details=False,
        note=_NOTE,
    )


Results = dict[tuple[str, Place], AnalysisOverlap]


def _not_compared(
    source: Source, section: Analyses, results: Results
) -> Iterator[tuple[Content, ...]]:
    for analysis in section.each:
        for replica in source.replicas:
            start = source.named(analysis.name), source.named(replica)
            result = results.get((replica, _place(analysis.name)))
            if result is not None:
                for problem in result.problems:
                    yield (*start, source.named(clean(problem)))
                continue
            measure = source.measures.fitted(replica, "CIO_analysis", analysis.name)
            if measure is not None and measure.reason:
                yield (*start, source.named(clean(measure.reason)))


def _place(analysis: str) -> Place:
    return Place(target=analysis, model=analysis)


def _terms(source: Source, results: Results) -> SafeTable:
    return listing(
        "Every term",
        [
            *texts(source.named, analysis="Analysis", replica="Replica", term="Term"),
            *_TERM,
            *texts(_same, same="Same conclusion"),
        ],
        (
            {"analysis": place.model, "replica": replica, "term": str(term), **row}
            for (replica, place), result in results.items()
            for term, row in result.estimates.iterrows()
        ),
    )


def _same(value: float) -> str | None:
    return None if math.isnan(value) else ("yes" if value else "no")


def _code(source: Source, results: Results) -> SafeTable | None:
    digests = {
        place.model: result.digest for (_, place), result in results.items() if result.digest
    }
    columns = column("Analysis", "analysis"), column("SHA-256 of its file", "sha256")
    rows = [(source.named(name), digest) for name, digest in digests.items()]
    return table("Files of Python that were run", columns, rows) if rows else None


MAKER = Maker(_block)
