"""How far a value of one random sample of large data is from those of other such samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sdcmetrics.measures.kind import Kind, Tell
from sdcmetrics.measures.measure import Measure
from sdcmetrics.measures.pair import Pair
from sdcmetrics.review.measurement import COLUMNS, Rows, measure_given, overall
from sdcmetrics.study.study import Study

Samples = Sequence[tuple[Study, Pair]]
"""Further samples of the same data sets."""

_ROUNDING = 1e-12  # by which sums of the same numbers may differ
_OF = COLUMNS[COLUMNS.index("metric") : COLUMNS.index("value")]
"""Columns that say what a row is of; with the synthesis, which is NaN in means."""


def errors_of(
    kind: Kind, samples: Samples, measures: Sequence[Measure], tell: Tell
) -> Callable[[Rows], Rows]:
    """Measure a kind on further samples; return what writes standard errors into rows.

    Notes
    -----
    The standard error is the standard deviation of the values of all samples, the first included:
    each is drawn on its own from the same data sets, so that it needs no assumption on a measure,
    as a jackknife does, and holds for those that depend on the number of records too. It says how
    far the value of one sample is from the mean over all samples of that size. With four further
    samples an interval of 95 % is 2.8 of them to either side (Student's t). A probability is no
    estimate, and has none; so has what is the same in every sample, as 0 of something rare.
    """
    of_samples = [_values(kind, study, pair, measures, tell) for study, pair in samples]
    of_tests = {measure.symbol for measure in measures if measure.syntheses == "smallest"}

    def write(rows: Rows) -> Rows:
        errors, reasons = np.full(len(rows["metric"]), math.nan), rows["reason"].copy()
        for i, (place, value) in enumerate(zip(_places(rows), rows["value"], strict=True)):
            if math.isnan(value):
                continue
            values = [value, *(values_of.get(place, math.nan) for values_of in of_samples)]
            if why := _why_none(rows["metric"][i] in of_tests, values):
                reasons[i] = f"{reasons[i]}; no standard error: {why}"
            else:
                errors[i] = np.std(values, ddof=1)
        return {**rows, "se": errors, "reason": reasons}

    return write


def _why_none(is_p: bool, values: Sequence[float]) -> str:  # noqa: FBT001
    if is_p:
        return "it is a probability"
    if len(values) == 1:
        return "[options] sample_repeats is 0"
    if any(map(math.isnan, values)):
        return "a further sample has no value"
    same = np.allclose(values, values[0], rtol=_ROUNDING, atol=_ROUNDING)
    return "it is the same in every sample" if same else ""


def _values(
    kind: Kind, study: Study, pair: Pair, measures: Sequence[Measure], tell: Tell
) -> dict[tuple[Any, ...], float]:
    parts = [
        measure_given(replace(given, references=None), measures)
        for given in kind.places(pair, study, tell)
    ]
    parts.append(overall(kind, parts, measures))
    return {
        place: float(value)
        for rows in parts
        for place, value in zip(_places(rows), rows["value"], strict=True)
    }


def _places(rows: Rows) -> list[tuple[Any, ...]]:
    return list(zip(np.nan_to_num(rows["synthesis"]), *(rows[name] for name in _OF), strict=True))
