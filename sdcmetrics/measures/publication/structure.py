"""Structure: whether a replica has the original's columns, kinds, labels, ranges and levels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdcmetrics.measures.publication.finding import Finding
from sdcmetrics.microdata.arrays import Floats
from sdcmetrics.microdata.columns import Kind
from sdcmetrics.microdata.frames import Microdata
from sdcmetrics.microdata.schema import Harmonised, Variable


@dataclass(frozen=True)
class Adherence:
    """One variable of the original and of one synthesis.

    Attributes
    ----------
    inside : percent of the synthesis' values that are in the original's range, or levels of it
    missing_original, missing_synthetic : percent of records without a value
    distinct_original, distinct_synthetic : percent of values that are there once only
    """

    inside: float
    missing_original: float
    missing_synthetic: float
    distinct_original: float
    distinct_synthetic: float


def adherence(variable: Variable, part: int) -> Adherence:
    """Compare a variable of the original with that of synthesis `part`, from 1."""
    original, synthetic = _numbers(variable, 0), _numbers(variable, part)
    there, theirs = original[~np.isnan(original)], synthetic[~np.isnan(synthetic)]
    if variable.kind is Kind.CATEGORY:
        inside = np.isin(theirs, there)
    else:
        codes = np.isin(theirs, variable.missing_codes)
        ends = there[~np.isin(there, variable.missing_codes)]
        low, high = (ends.min(), ends.max()) if len(ends) else (np.nan, np.nan)
        inside = codes | ((theirs >= low) & (theirs <= high))
    return Adherence(
        _percent(inside),
        _percent(np.isnan(original)),
        _percent(np.isnan(synthetic)),
        _single(there),
        _single(theirs),
    )


def _numbers(variable: Variable, part: int) -> Floats:
    """Return values, or codes of levels, with NaN for missing."""
    if variable.values:
        return np.asarray(variable.values[part], np.float64)
    codes = variable.codes[part].astype(np.float64)
    return np.where(codes < 0, np.nan, codes)


def _percent(which: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float:
    return 100.0 * float(which.mean()) if len(which) else np.nan


def _single(values: Floats) -> float:
    if not len(values):
        return np.nan
    counts = np.unique(values, return_counts=True)[1]
    return 100.0 * float((counts == 1).sum()) / len(values)


_KEY = 99.5
"""Percent of values that are there once, from which a column tells one record from another."""


def structural_findings(
    original: Microdata, synthesis: Microdata, data: Harmonised, part: int, gap: float
) -> Iterator[Finding]:
    """Yield what is other in a synthesis than in the original."""
    yield from _columns(original, synthesis)
    for name, variable in data.variables.items():
        yield from _labels(original, synthesis, name)
        yield from _values(variable, adherence(variable, part), gap)


def _columns(original: Microdata, synthesis: Microdata) -> Iterator[Finding]:
    ours, theirs = original.columns, synthesis.columns
    for name in ours:
        if name not in theirs:
            text = "the replica lacks this column"
            yield Finding("structure", name, text, "Add it, or tell users that it is left out.")
    for name in theirs:
        if name not in ours:
            text = "the original has no such column"
            yield Finding("structure", name, text, "Leave it out, or tell users what it is.")
    common = [name for name in ours if name in theirs]
    if [name for name in theirs if name in ours] != common:
        text = "columns are in another order than in the original"
        yield Finding("structure", "", text, "Put them in the original's order.")


def _labels(original: Microdata, synthesis: Microdata, name: str) -> Iterator[Finding]:
    for what, other, ours, theirs in (
        ("a label", "another label", original.labels.get(name), synthesis.labels.get(name)),
        ("value labels", "other value labels", _coded(original, name), _coded(synthesis, name)),
        ("codes for missing", "other codes for missing", *_missing(original, synthesis, name)),
    ):
        if ours and not theirs:
            text = f"the original has {what}, and the replica has none"
            yield Finding("structure", name, text, "Give the column what the original has.")
        elif ours and theirs and ours != theirs:
            text = f"{other} than in the original"
            yield Finding("structure", name, text, "Give the column what the original has.")
    scales = original.scales.get(name), synthesis.scales.get(name)
    if all(scales) and scales[0] != scales[1]:  # text files have none
        text = f"its level of measurement is {scales[1]}, in the original {scales[0]}"
        yield Finding("structure", name, text, "Give the column what the original has.")
    ours, theirs = original.table.column(name).type, synthesis.table.column(name).type
    if ours != theirs:
        text = f"stored as {theirs}, in the original as {ours}"
        yield Finding("structure", name, text, "Store it as the original does.", minor=True)


def _missing(original: Microdata, synthesis: Microdata, name: str) -> tuple[set[float], set[float]]:
    """Return the codes for missing of both, but for those that no record of the replica has."""
    ours = set(original.missing_codes.get(name, ()))
    theirs = set(synthesis.missing_codes.get(name, ()))
    return ours, ours if theirs and theirs < ours else theirs


def _coded(data: Microdata, name: str) -> dict[str, str]:
    """Return labels by code, wherever they stand."""
    codes = {f"{code:g}": label for code, label in data.value_labels.get(name, {}).items()}
    return codes | {str(code): level for level, code in data.level_codes.get(name, {}).items()}


def _values(variable: Variable, of: Adherence, gap: float) -> Iterator[Finding]:
    name = variable.name
    if of.inside < 100.0:  # noqa: PLR2004  (percent)
        what = "levels" if variable.kind is Kind.CATEGORY else "range"
        text = f"{100.0 - of.inside:.3g} % of values are outside the original's {what}"
        yield Finding("structure", name, text, "Correct them, or say why they are there.")
    if abs(of.missing_synthetic - of.missing_original) > gap:
        text = (
            f"{of.missing_synthetic:.3g} % of records have no value, in the original "
            f"{of.missing_original:.3g} %"
        )
        yield Finding("structure", name, text, "Synthesise missing values, too, or say so.")
    if of.distinct_original >= _KEY > of.distinct_synthetic:
        text = "tells records from one another in the original, and not in the replica"
        yield Finding("structure", name, text, "Number the replica's records anew.")


def structure_table(data: Harmonised, part: int) -> pd.DataFrame:
    """Return adherence of all variables, one row each."""
    rows = {name: vars(adherence(variable, part)) for name, variable in data.variables.items()}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variable")
