"""Specific utility: whether the models that the study names say the same of each replica."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.report.figures.charts import Coefficient, Forest
from sdcmetrics.report.grid import (
    Row,
    by_measure,
    by_replica,
    figures,
    grid,
    listing,
    replica_rows,
    texts,
)
from sdcmetrics.report.safety import numbers
from sdcmetrics.report.safety.cells import (
    Content,
    Name,
    SafeCell,
    SafeTable,
    Section,
    Sentence,
    blank,
    column,
    figure_cell,
    number,
    sentence,
    table,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.source import Source

if TYPE_CHECKING:
    from sdcmetrics.measures.fits.fit_overlap import FitOverlap
    from sdcmetrics.study.models import Model

_FAR = 12.0
"""Standard errors at which the axis of a figure ends; what is beyond is far off, however far."""
_SINGLE = "Names and values of single coefficients"


@dataclass(frozen=True, slots=True)
class ModelBlock:
    """One model: its means in every replica, what is wrong with them, and its coefficients.

    `coefficients` and `figures` are empty in checker mode.
    """

    formula: Name
    family: str
    table: SafeTable
    problems: tuple[Sentence, ...]
    coefficients: tuple[SafeTable, ...]
    figures: tuple[Forest, ...] = ()


def specific_section(source: Source) -> Section[ModelBlock]:
    """Return the section on specific utility."""
    models = source.review.study.models
    return Section(
        summary=_summary(source),
        blocks=tuple(_block(source, model) for model in models),
        none=""
        if models
        else "The study names no model, so nothing was fitted. Name models in the study "
        "file: what users of the replica are likely to fit.",
    )


def _r2(model: Model) -> str:
    return "adj_R2" if model.family == "gaussian" else "adj_pseudo_R2"


def _weight(source: Source, model: Model) -> SafeCell:
    """Return the adjusted R2 on the original, from the first replica that has it."""
    cells = [source.at(r, _r2(model), model=model.name) for r in source.replicas]
    return next((c for c in cells if c.number is not None or c.bound is not None), cells[0])


def _summary(source: Source) -> SafeTable:
    models = source.review.study.models
    rows: list[Row] = [
        (
            (source.named(model.formula), model.family, _weight(source, model)),
            {"metric": "CIO", "model": model.name},
        )
        for model in models
    ]
    if models:
        name = "Weighted by adjusted R\N{SUPERSCRIPT TWO}"
        rows.append(((name, None, None), {"metric": "CIO_weighted"}))
    return grid(
        source,
        "Mean overlap of confidence intervals (CIO), model by model",
        (
            column("Model", "formula"),
            column("Family", "family"),
            number("Weight", "weight", "adjusted R\N{SUPERSCRIPT TWO}"),
        ),
        rows,
        by_replica(source),
        details=False,
    )


def _block(source: Source, model: Model) -> ModelBlock:
    name = source.name(model.formula)
    means = grid(
        source,
        ("Means over the coefficients of ", name),
        (column("Replica", "replica"),),
        replica_rows(source),
        by_measure(source, "fitted"),
        details=False,
        model=model.name,
    )
    fits = {} if source.release else {r: _fit(source, r, model) for r in source.replicas}
    fitted = {r: fit for r, fit in fits.items() if fit is not None}
    tables = tuple(_coefficients(source, replica, fit) for replica, fit in fitted.items())
    figures = tuple(forests(source.name, fitted))
    return ModelBlock(name, model.family, means, tuple(_problems(source, model)), tables, figures)


def forests(name_of: Callable[[str], Name], fits: Mapping[str, FitOverlap]) -> Iterator[Forest]:
    """Yield a figure per replica, all on one scale: standard errors of the original."""
    drawn = {}
    for replica, fit in fits.items():
        half = NormalDist().inv_cdf((1 + fit.level) / 2)
        complete = fit.coefficients.dropna(subset=["std_diff", "se_original", "se_synthetic"])
        complete = complete[complete["se_original"] > 0]
        shift = (complete["synthetic"] - complete["original"]) / complete["se_original"]
        wide = half * complete["se_synthetic"] / complete["se_original"]
        drawn[replica] = (
            half,
            tuple(
                Coefficient(name_of(str(term)).text, float(value), float(width))
                for term, value, width in zip(complete.index, shift, wide, strict=True)
            ),
        )
    ends = [abs(row.value) + row.half for _, rows in drawn.values() for row in rows]
    end = min(float(math.ceil(max(ends, default=1.0))), _FAR)
    for replica, (half, rows) in drawn.items():
        words = "; ".join(
            f"{r.name} {numbers.with_decimals(r.value, 1)} \N{PLUS-MINUS SIGN} {r.half:.1f}"
            for r in rows
        )
        what = "Standard errors of the original from its estimate"
        yield Forest(name_of(replica).text, f"{what}: {words}.", rows, end, half)


def _fit(source: Source, replica: str, model: Model) -> FitOverlap | None:
    return source.inside.fits.get((replica, model.formula, model.family))


def _problems(source: Source, model: Model) -> Iterator[Sentence]:
    """Yield what was held back, was not fitted, or is less reliable than it seems."""
    rules = [source.withheld(replica, model.formula) for replica in source.replicas]
    for rule in dict.fromkeys(filter(None, rules)):
        yield sentence(f"Held back by the rule: {rule[:1].lower()}{rule[1:]}.")
    if source.release:
        source.guard.suppress(_SINGLE)
        return
    fits = [_fit(source, replica, model) for replica in source.replicas]
    for replica, fit in zip(source.replicas, fits, strict=True):
        if fit is None:
            measure = source.measures.fitted(replica, "CIO", model.name)
            why = measure.reason if measure is not None else ""
            end = f": {clean(why)}." if why else "."
            yield sentence("Not fitted to ", source.name(replica), end)
        else:
            for problem in fit.problems:
                of = (
                    ()
                    if problem.startswith((f"{replica}:", f"{replica} "))
                    else (source.name(replica), ": ")
                )
                yield sentence(*of, _words(problem), ".")


def _coefficients(source: Source, replica: str, fit: FitOverlap) -> SafeTable:
    shown = figures(
        figure_cell,
        original="Original",
        se_original="Standard error",
        synthetic="Replica",
        std_diff=("Difference", "in standard errors"),
        CIO="Overlap",
    )
    return listing(
        ("Coefficients in ", source.name(replica)),
        [
            *texts(source.named, coefficient="Coefficient"),
            *shown,
            *texts(lambda flag: _words(flag if isinstance(flag, str) else ""), flag="Remark"),
        ],
        ({"coefficient": str(t), **row} for t, row in fit.coefficients.iterrows()),
    )


def _words(text: str) -> Name:
    """Return words that hold names, set apart from those around them."""
    return Name(clean(text), clean(text))


def specific_table(source: Source) -> SafeTable:
    """Return the table for a file: one row per model and replica, then the weighted mean."""
    # What is a fact about the original, its R2, has a column of its own.
    of_replica = (m.symbol for m in of_kind(FIT) if m.syntheses != "once")
    symbols = [symbol for symbol in of_replica if source.released(symbol)]
    rows: list[tuple[Content, ...]] = []
    for model in source.review.study.models:
        for replica in source.replicas:
            named = (*symbols, _r2(model))
            cells = {metric: source.at(replica, metric, model=model.name) for metric in named}
            start = (source.named(model.formula), model.family, source.named(replica))
            rows.append((*start, *cells.values(), None, _remark(cells)))
    for replica in source.replicas if rows else ():
        mean = {"CIO_weighted": source.at(replica, "CIO_weighted")}
        empty = [None] * (len(symbols) + 1)
        last = (*empty, mean["CIO_weighted"], _remark(mean))
        rows.append(("all models", None, source.named(replica), *last))
    columns = (
        *map(column, ("formula", "family", "replica")),
        *map(number, (*symbols, "adjusted_R2", "CIO_weighted")),
        column("not shown", "not_shown"),
    )
    return table("Models by replica", columns, rows)


def _remark(cells: Mapping[str, SafeCell]) -> str:
    """Return what is not a number, and why."""
    out = []
    for metric, cell in cells.items():
        if cell.number is None and cell != blank():
            why = f" ({cell.detail})" if cell.detail else ""
            out.append(f"{metric} {cell.text}{why}".replace("\N{NO-BREAK SPACE}", " "))
    return "; ".join(out)
