"""Rows of the measures of one kind at one place: one per measure and synthesis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from sdcmetrics.errors import NotComputable
from sdcmetrics.measures.kind import Given, Kind, Place
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.reference_values import REFERENCES, References, average
from sdcmetrics.results import Counted, Share

COLUMNS = (
    "replica",
    "synthesis",
    "family",
    "metric",
    "scenario",
    "keys",
    "target",
    "variables",
    "model",
    "rule",
    "value",
    "unit",
    "count",
    "total",
    "reason",
    *REFERENCES,
)
"""Columns of the tidy frame; `keys` and `variables` hold tuples of names."""

NUMBERS = frozenset(("synthesis", "value", "count", "total", *REFERENCES))

Rows = Mapping[str, npt.NDArray[Any]]
"""Rows by column, an array each: small frames take longer to make than what they hold."""

_NOTHING = (math.nan, math.nan, math.nan)
_OF_PLACE = tuple(field.name for field in fields(Place))


def measure_given(inputs: Given, measures: Sequence[Measure]) -> Rows:
    """Return the rows of some measures; means over the syntheses first.

    A measure that cannot be computed has a row with a reason.
    """
    measures = [measure for measure in measures if measure.symbol not in inputs.leaves_out]
    if inputs.reason:
        return _unmeasured(inputs.places[0], measures, inputs.reason)
    if _comes_in_batches(inputs):
        try:
            return _rows_of_batches(inputs, measures)
        except NotComputable as reason:
            return _unmeasured(Place(), measures, str(reason))
    of_each = (
        []
        if inputs.references is None
        else [inputs.references(measures, i) for i in range(len(inputs.each))]
    )
    of_whole = {} if inputs.whole_references is None else inputs.whole_references(measures)
    rows = [
        row
        for measure in measures
        for row in _rows(
            inputs,
            measure,
            [m[measure.symbol] for m in of_each],
            of_whole.get(measure.symbol),
        )
    ]
    return _by_column(rows)


def overall(kind: Kind, parts: Sequence[Rows], measures: Sequence[Measure]) -> Rows:
    """Return the mean over places, where that is a measurement of its own."""
    if not kind.overall or not parts:
        return _NO_ROWS
    metric, synthesis, value = (
        np.concatenate([part[name] for part in parts]) for name in ("metric", "synthesis", "value")
    )
    rows: list[dict[str, Any]] = []
    for measure in measures:
        own = metric == measure.symbol
        number, values = synthesis[own].astype(np.float64), value[own]
        for label in np.unique(number):  # NaN, of the mean over syntheses, last
            alike = np.isnan(number) if math.isnan(label) else number == label
            figures = (_mean_over_places(values[alike]), math.nan, math.nan)
            rows.append(_row(measure, Place(), float(label), figures, kind.overall))
    return _by_column(rows)


def _mean_over_places(values: npt.NDArray[Any]) -> float:
    """Return the mean of those that are there; NaN of none."""
    there = ~np.isnan(values)
    count = int(there.sum())
    return float(np.where(there, values, 0.0).sum()) / count if count else math.nan


def _by_column(rows: Sequence[Mapping[str, Any]]) -> Rows:
    return {name: _column(name, [row[name] for row in rows]) for name in COLUMNS[1:]}


def _column(name: str, entries: Sequence[Any]) -> npt.NDArray[Any]:
    if name in NUMBERS:
        return np.array(entries, dtype=np.float64)
    column = np.empty(len(entries), dtype=object)
    column[:] = entries
    return column


_NO_ROWS = _by_column([])


def _comes_in_batches(inputs: Given) -> bool:
    return bool(inputs.each) and isinstance(inputs.each[0], Iterator)


def _rows(
    inputs: Given,
    measure: Measure,
    references: Sequence[References],
    of_whole: References | None,
) -> Iterator[dict[str, Any]]:
    undefined = inputs.undefined or measure.undefined
    place = inputs.places[0]
    parts = [_figures(measure, item) for item in inputs.each]
    if measure.syntheses == "once":
        parts = parts[:1]
    whole = _together(measure, parts) if inputs.whole is None else _figures(measure, inputs.whole)
    if of_whole is None and references:
        of_whole = average(references)
    yield _row(measure, place, math.nan, whole, undefined, of_whole)
    if len(parts) > 1 or (inputs.whole is not None and measure.syntheses != "once"):
        for i, part in enumerate(parts, start=1):
            yield _row(
                measure, place, float(i), part, undefined, references[i - 1] if references else None
            )


def _figures(measure: Measure, item: Any) -> tuple[float, float, float]:
    """Return value, count and total in the unit of the measure."""
    result = measure.function(item)
    if isinstance(result, Share):
        value = result.percent if measure.unit == "percent" else result.proportion
        return value, result.count, result.total
    if isinstance(result, Counted):
        return result.value, result.count, result.total
    value = float(np.asarray(result, dtype=np.float64).ravel()[0])
    return value, math.nan, math.nan


def _together(
    measure: Measure, parts: Sequence[tuple[float, float, float]]
) -> tuple[float, float, float]:
    """Combine the values of syntheses; NaN where none has a value."""
    values, counts, totals = (
        [number for number in column if not math.isnan(number)]
        for column in zip(*parts, strict=True)
    )
    if not values:
        return math.nan, _mean(counts), _mean(totals)
    value = math.fsum(values) / len(values)
    if measure.syntheses == "smallest" and len(parts) > 1:
        value = min(1.0, len(parts) * min(values))  # one of several tests, so times as many
    return value, _mean(counts), _mean(totals)


def _mean(numbers: Sequence[float]) -> float:
    return math.fsum(numbers) / len(numbers) if numbers else math.nan


def _row(
    measure: Measure,
    place: Place,
    synthesis: float,
    figures: tuple[float, float, float],
    undefined: str,
    references: References | None = None,
) -> dict[str, Any]:
    value, count, total = figures
    return {
        "synthesis": synthesis,
        "family": measure.family,
        "metric": measure.symbol,
        **of_place(place),
        "value": value,
        "unit": measure.unit,
        "count": count,
        "total": total,
        "reason": (undefined or "it has no value here") if math.isnan(value) else None,
        **vars(references or References()),
    }


def of_place(place: Place) -> Mapping[str, Any]:
    """Return the columns that say what a measurement is of."""
    entries = ((name, getattr(place, name)) for name in _OF_PLACE)
    return {name: text if text != "" else None for name, text in entries}


def _unmeasured(place: Place, measures: Sequence[Measure], reason: str) -> Rows:
    return _by_column([_row(measure, place, math.nan, _NOTHING, reason) for measure in measures])


def _rows_of_batches(inputs: Given, measures: Sequence[Measure]) -> Rows:
    """Return the rows of many tables at once: measure by measure, table by table."""
    batches = (batch for batch in inputs.each if isinstance(batch, Iterable))
    by_synthesis = [_values(batch, measures) for batch in batches]
    mean = sum(by_synthesis[1:], by_synthesis[0]) / len(by_synthesis)
    parts = [_melted(mean, inputs, measures, math.nan)]
    if len(by_synthesis) > 1:
        for i, values in enumerate(by_synthesis, start=1):
            parts.append(_melted(values, inputs, measures, float(i)))
    if len(parts) == 1:  # columns without an entry are one array, which a copy of each is not
        return parts[0]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _values(batches: Iterable[Any], measures: Sequence[Measure]) -> npt.NDArray[np.float64]:
    """Return values, and what the holdout is expected to score, shape (2, measures, tables)."""
    parts = [
        np.array(
            [
                [np.asarray(measure.function(batch), dtype=np.float64) for measure in measures],
                [_fresh(batch, measure) for measure in measures],
            ]
        )
        for batch in batches
    ]
    return np.concatenate(parts, axis=2)


def _fresh(batch: Any, measure: Measure) -> npt.NDArray[np.float64]:
    if measure.fresh is None:
        return np.full(len(batch), math.nan)
    if measure.fresh_here is not None:
        return np.asarray(measure.fresh_here(batch), dtype=np.float64)
    return np.asarray(measure.fresh(batch.n_original, batch.n_synthetic), dtype=np.float64)


def _melted(
    values: npt.NDArray[np.float64],
    inputs: Given,
    measures: Sequence[Measure],
    synthesis: float,
) -> Rows:
    tables = len(inputs.places)

    def spread(name: str, entries: Sequence[Any]) -> npt.NDArray[Any]:
        return np.repeat(_column(name, entries), tables)

    flat, fresh = values.reshape(2, -1)
    reasons = spread(
        "reason", [measure.undefined or "it has no value here" for measure in measures]
    )
    reasons[~np.isnan(flat)] = None
    nothing = np.full(flat.size, math.nan), np.full(flat.size, None)
    columns = {
        "family": spread("family", [measure.family for measure in measures]),
        "metric": spread("metric", [measure.symbol for measure in measures]),
        "keys": np.broadcast_to(_column("keys", [()]), flat.size),  # one entry, in every row
        "variables": np.tile(
            _column("variables", [place.variables for place in inputs.places]), len(measures)
        ),
        "value": flat,
        "unit": spread("unit", [measure.unit for measure in measures]),
        "reason": reasons,
        "fresh": np.where(np.isnan(flat), math.nan, fresh),
    }
    if not math.isnan(synthesis):
        columns["synthesis"] = np.full(flat.size, synthesis)
    return {name: columns.get(name, nothing[name not in NUMBERS]) for name in COLUMNS[1:]}
