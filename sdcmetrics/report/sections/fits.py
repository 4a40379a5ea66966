"""Specific utility: whether the models that the study names say the same of each replica."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from sdcmetrics.measures.fits.places import FIT
from sdcmetrics.measures.registry import of_kind
from sdcmetrics.report.figures.charts import Coefficient, Forest
from sdcmetrics.report.measures import Measure
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
    without_detail,
)
from sdcmetrics.report.safety.names import clean
from sdcmetrics.report.sections.shown import columns_in, shown_in
from sdcmetrics.report.sections.utility import replica_columns
from sdcmetrics.report.source import Source

if TYPE_CHECKING:
    from sdcmetrics.measures.fits.fit_overlap import FitOverlap
    from sdcmetrics.study.models import Model

_COEFFICIENTS = ("original", "se_original", "synthetic", "std_diff", "CIO")
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


def _measure(source: Source, replica: str, model: Model, metric: str) -> Measure | None:
    return source.measures.fitted(replica, metric, model.name)


def _cell(source: Source, replica: str, model: Model, metric: str) -> SafeCell:
    return source.cell(_measure(source, replica, model, metric))


def _weight(source: Source, model: Model) -> SafeCell:
    """Return the adjusted R2 on the original, from the first replica that has it."""
    cells = [_cell(source, replica, model, _r2(model)) for replica in source.replicas]
    return next((c for c in cells if c.number is not None or c.bound is not None), cells[0])


def _summary(source: Source) -> SafeTable:
    models = source.review.study.models
    rows: list[tuple[Content, ...]] = [
        (
            source.named(model.formula),
            model.family,
            _weight(source, model),
            *(without_detail(_cell(source, r, model, "CIO")) for r in source.replicas),
        )
        for model in models
    ]
    if models:
        means = (source.table(r, "CIO_weighted", ()) for r in source.replicas)
        cells = map(without_detail, means)
        rows.append(("Weighted by adjusted R\N{SUPERSCRIPT TWO}", None, None, *cells))
    return table(
        "Mean overlap of confidence intervals (CIO), model by model",
        (
            column("Model", "formula"),
            column("Family", "family"),
            number("Weight", "weight", "adjusted R\N{SUPERSCRIPT TWO}"),
            *replica_columns(source),
        ),
        rows,
        "1 is the same interval as on the original, at 0 the intervals touch, below 0 "
        "they lie "
        "apart. A model that explains nothing of the original has weight 0. Adjusted "
        "R\N{SUPERSCRIPT TWO} of linear models and the pseudo-R\N{SUPERSCRIPT TWO} of others are "
        "on different scales.",
    )


def _block(source: Source, model: Model) -> ModelBlock:
    name = source.name(model.formula)
    rows = (
        (
            source.named(replica),
            *(
                without_detail(_cell(source, replica, model, m.symbol))
                for m in shown_in(source, "fitted")
            ),
        )
        for replica in source.replicas
    )
    means = table(
        ("Means over the coefficients of ", name),
        (column("Replica", "replica"), *columns_in(source, "fitted")),
        rows,
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
        known = fit.coefficients.dropna(subset=["std_diff", "se_original", "se_synthetic"])
        known = known[known["se_original"] > 0]
        shift = (known["synthetic"] - known["original"]) / known["se_original"]
        wide = half * known["se_synthetic"] / known["se_original"]
        drawn[replica] = (
            half,
            tuple(
                Coefficient(name_of(str(term)).text, float(value), float(width))
                for term, value, width in zip(known.index, shift, wide, strict=True)
            ),
        )
    ends = [abs(row.value) + row.half for _, rows in drawn.values() for row in rows]
    end = min(float(math.ceil(max(ends, default=1.0))), _FAR)
    for replica, (half, rows) in drawn.items():
        words = "; ".join(f"{r.name} {r.value:.1f} \N{PLUS-MINUS SIGN} {r.half:.1f}" for r in rows)
        what = "Standard errors of the original from its estimate"
        yield Forest(name_of(replica).text, f"{what}: {words}.", rows, end, half)


def _fit(source: Source, replica: str, model: Model) -> FitOverlap | None:
    return source.inside.fits.get((replica, model.formula, model.family))


def _problems(source: Source, model: Model) -> Iterator[Sentence]:
    """Say what was held back, could not be fitted, or can be relied on less than it seems."""
    rules = [source.withheld(replica, model.formula) for replica in source.replicas]
    for rule in dict.fromkeys(filter(None, rules)):
        yield sentence(f"Held back by the rule: {rule[:1].lower()}{rule[1:]}.")
    if source.release:
        source.guard.suppress(_SINGLE)
        return
    fits = [_fit(source, replica, model) for replica in source.replicas]
    for replica, fit in zip(source.replicas, fits, strict=True):
        if fit is None:
            measure = _measure(source, replica, model, "CIO")
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
    rows: list[tuple[Content, ...]] = []
    for term, row in fit.coefficients.iterrows():
        cells = [figure_cell(row[name]) for name in _COEFFICIENTS]
        rows.append((source.named(str(term)), *cells, _flag(row["flag"])))
    columns = (
        column("Coefficient", "coefficient"),
        number("Original", "original"),
        number("Standard error", "se_original"),
        number("Replica", "synthetic"),
        number("Difference", "std_diff", "in standard errors"),
        number("Overlap", "CIO"),
        column("Remark", "flag"),
    )
    return table(("Coefficients in ", source.name(replica)), columns, rows)


def _flag(flag: object) -> Name:
    return _words(flag if isinstance(flag, str) else "")


def _words(text: str) -> Name:
    """Return words that hold names, set apart from those around them."""
    return Name(clean(text), clean(text))


def specific_table(source: Source) -> SafeTable:
    """Return the table for a file: one row per model and replica, then the weighted mean."""
    # What is a fact about the original, its R2, has a column of its own.
    of_replica = [m.symbol for m in of_kind(FIT) if m.syntheses != "once"]
    metrics = [metric for metric in of_replica if source.released(metric)]
    rows: list[tuple[Content, ...]] = []
    for model in source.review.study.models:
        for replica in source.replicas:
            symbols = (*metrics, _r2(model))
            cells = [_cell(source, replica, model, metric) for metric in symbols]
            start = (source.named(model.formula), model.family, source.named(replica))
            rows.append((*start, *cells, None, _remark(symbols, cells)))
    for replica in source.replicas if rows else ():
        cell = source.table(replica, "CIO_weighted", ())
        empty = [None] * (len(metrics) + 1)
        remark = _remark(("CIO_weighted",), (cell,))
        rows.append(("all models", None, source.named(replica), *empty, cell, remark))
    columns = (
        *map(column, ("formula", "family", "replica")),
        *map(number, (*metrics, "adjusted_R2", "CIO_weighted")),
        column("not shown", "not_shown"),
    )
    return table("Models by replica", columns, rows)


def _remark(metrics: Sequence[str], cells: Sequence[SafeCell]) -> str:
    """Return what is not a number, and why."""
    out = []
    for metric, cell in zip(metrics, cells, strict=True):
        if cell.number is None and cell != blank():
            why = f" ({cell.detail})" if cell.detail else ""
            out.append(f"{metric} {cell.text}{why}".replace("\N{NO-BREAK SPACE}", " "))
    return "; ".join(out)
